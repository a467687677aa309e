/*
 * store_sqlite_write.c - the writer thread.
 *
 * It drains the queue into one transaction, commits, and only then answers every operation in it.
 * Between batches it writes waiting touches, takes a step of a sweep, and keeps the write-ahead log
 * short. A lock held by another process is waited for in BEGIN; each operation waits for at most
 * busy_timeout_ms counted from when it was queued.
 *
 * Other threads enter only through enqueue, nudge, start and stop.
 */
#include "metrics.h"
#include "store_sqlite_apply.h"
#include "store_sqlite_lock.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BATCH_OPS   256
#define BATCH_BYTES (1u << 20)

#define TICK_MS         500 /* how often an idle writer looks around */
#define TOUCH_AGE_MS    500 /* a tick more, and it is written: a second at most */
#define RETRY_MS        1000
#define TOUCH_BATCH     512 /* most touches in one transaction */
#define TOUCH_BUSY_MS   100 /* nobody waits for a touch: try again at the next tick */
#define SWEEP_BUSY_MS   200 /* per step, so that inserts behind it are not held up */
#define RESTART_BUSY_MS 200
#define YIELD_NS        5000000 /* between batches, for a store_remove() to get in */

/* Pages in the log that ask for a checkpoint, and for one that waits until readers let go. */
#define WAL_PAGES         4000
#define WAL_PAGES_RESTART (4 * WAL_PAGES)

typedef struct loop {
    writer w; /* first: handed to the thread as the loop's address */
    op_list batch;
    sweep sweeping;
    int64_t touches_at_ms; /* not tried again before */
    int64_t probe_at_ms;
    int wal_pages;        /* in the log after the last commit */
    int checkpoint_pages; /* the count that asks for the next checkpoint */
    int limit_pages;      /* the count past which nothing is written */
} loop;

/* ---- queue ---- */

bool sqlite_store_enqueue(sqlite_store *self, store_op *op) {
    op->since_ms = clock_monotonic_ms();
    op->count = 0;
    pthread_mutex_lock(&self->lock);
    bool room = !self->closing &&
                self->queue.count + self->sweeps.count + self->working < self->options.queue;
    if (room) {
        op_push(op->kind == STORE_SWEEP ? &self->sweeps : &self->queue, op);
        pthread_cond_signal(&self->wake);
    }
    pthread_mutex_unlock(&self->lock);
    return room;
}

void sqlite_store_nudge(sqlite_store *self) {
    pthread_mutex_lock(&self->lock);
    self->nudged = true;
    pthread_cond_signal(&self->wake);
    pthread_mutex_unlock(&self->lock);
}

/* Waits for something to do, at most a tick, and fills the batch. */
static bool wait_for_work(loop *l, bool *closing) {
    sqlite_store *self = l->w.self;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += TICK_MS * INT64_C(1000000);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;

    pthread_mutex_lock(&self->lock);
    bool idle = false;
    while (self->queue.count == 0 && self->sweeps.count == 0 && !l->sweeping.active &&
           !self->nudged && !self->closing && !idle) {
        idle = pthread_cond_timedwait(&self->wake, &self->lock, &until) == ETIMEDOUT;
    }
    size_t bytes = 0;
    while (self->queue.first != NULL && l->batch.count < BATCH_OPS && bytes < BATCH_BYTES) {
        bytes += self->queue.first->artifact.payload_len + self->queue.first->note.value_len;
        op_push(&l->batch, op_pop(&self->queue));
    }
    self->working = l->batch.count;
    if (self->nudged) {
        self->nudged = false;
        l->touches_at_ms = 0;
    }
    *closing = self->closing;
    pthread_mutex_unlock(&self->lock);
    return !idle;
}

/* Hands every operation of the list back to its owner, who finds room in the queue at once. */
static void answer(loop *l, op_list *list) {
    pthread_mutex_lock(&l->w.self->lock);
    l->w.self->working = 0;
    pthread_mutex_unlock(&l->w.self->lock);
    for (store_op *op = op_pop(list); op != NULL; op = op_pop(list)) {
        op->done(op);
    }
}

static void answer_all(loop *l, store_result result) {
    for (store_op *op = l->batch.first; op != NULL; op = op->next) {
        op->result = result;
    }
    answer(l, &l->batch);
}

/* The lock was not to be had: gives up those that waited long enough, queues the others again. */
static void put_off(loop *l) {
    sqlite_store *self = l->w.self;
    int64_t now_ms = clock_monotonic_ms();
    op_list late = {0};
    op_list again = {0};
    for (store_op *op = op_pop(&l->batch); op != NULL; op = op_pop(&l->batch)) {
        bool waited = now_ms - op->since_ms >= self->options.busy_timeout_ms;
        op->result = STORE_BUSY;
        op_push(waited ? &late : &again, op);
    }
    pthread_mutex_lock(&self->lock);
    for (store_op *op = op_pop(&self->queue); op != NULL; op = op_pop(&self->queue)) {
        op_push(&again, op);
    }
    self->queue = again;
    pthread_mutex_unlock(&self->lock);
    answer(l, &late);
}

/* ---- the log, and recovery from trouble ---- */

/* SQLite calls this after every commit. */
static int count_pages(void *opaque, sqlite3 *db, const char *name, int pages) {
    (void)db;
    (void)name;
    ((loop *)opaque)->wal_pages = pages;
    return SQLITE_OK;
}

/* Not while store_remove() writes beside us; a later turn will do. */
static int run_checkpoint(loop *l, int mode, int busy_ms) {
    sqlite_store *self = l->w.self;
    if (lock_log(self->lock_fd, 0) == LOCK_TAKEN) {
        return SQLITE_BUSY;
    }
    sqlite3_busy_timeout(l->w.db, busy_ms);
    int code = sqlite3_wal_checkpoint_v2(l->w.db, NULL, mode, NULL, NULL);
    unlock_log(self->lock_fd);
    if (code == SQLITE_OK && mode != SQLITE_CHECKPOINT_PASSIVE) {
        l->wal_pages = 0; /* the next write begins it anew */
        l->checkpoint_pages = WAL_PAGES;
    }
    return code;
}

/*
 * Passive once the log is long: never waits, and lets the next write begin the log anew unless a
 * reader still needs its end. That reader may be there every time, so a much longer log is worth
 * waiting for. An idle daemon empties it, so that a crash leaves little to recover.
 */
static void checkpoint(loop *l, bool idle) {
    if (l->wal_pages < l->checkpoint_pages - WAL_PAGES) {
        l->checkpoint_pages = WAL_PAGES; /* it was begun anew */
    }
    if (idle && l->wal_pages > 0) {
        (void)run_checkpoint(l, SQLITE_CHECKPOINT_TRUNCATE, 0);
    } else if (l->wal_pages >= l->checkpoint_pages) {
        bool restart = l->wal_pages >= WAL_PAGES_RESTART;
        l->checkpoint_pages = l->wal_pages + WAL_PAGES;
        int code =
            run_checkpoint(l, restart ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE,
                           restart ? RESTART_BUSY_MS : 0);
        if (code != SQLITE_OK && (code & 0xff) != SQLITE_BUSY) {
            writer_failed(&l->w, code, "checkpoint");
        }
    }
}

/*
 * Whoever reads in one long transaction keeps the log from being begun anew. It is let grow for
 * the sake of a backup, but not until the disk is full: then writes wait, as for a lock.
 */
static bool log_is_full(loop *l) {
    sqlite_store *self = l->w.self;
    if (l->wal_pages < l->limit_pages) {
        return false;
    }
    int code = run_checkpoint(l, SQLITE_CHECKPOINT_RESTART, RESTART_BUSY_MS);
    if (code == SQLITE_OK) {
        return false;
    }
    if ((code & 0xff) != SQLITE_BUSY) {
        writer_failed(&l->w, code, "checkpoint");
        nanosleep(&(struct timespec){.tv_nsec = RESTART_BUSY_MS * 1000000}, NULL);
    } else if (sqlite_store_report_is_due(self, REPORT_LOG_LIMIT)) {
        char line[512];
        snprintf(line, sizeof line,
                 "database %s: its -wal file has grown to %llu MiB, because a program reads the "
                 "database in one long transaction: end that program; writes wait meanwhile",
                 self->path, (unsigned long long)self->options.log_limit_bytes >> 20);
        self->options.report(line);
    }
    return true;
}

/*
 * While writes fail, PING says so and nobody sends any more: so the writer itself tries one now
 * and then, an update that changes nothing.
 */
static void probe(loop *l) {
    sqlite_store *self = l->w.self;
    int64_t now_ms = clock_monotonic_ms();
    if (!atomic_load(&self->write_broken) || now_ms < l->probe_at_ms) {
        return;
    }
    l->probe_at_ms = now_ms + RETRY_MS;
    if (writer_probe(&l->w)) {
        atomic_store(&self->write_broken, false);
    }
}

/* ---- one batch ---- */

static int64_t batch_timeout_ms(const loop *l) {
    if (l->batch.first == NULL) {
        return TOUCH_BUSY_MS;
    }
    int64_t waited_ms = clock_monotonic_ms() - l->batch.first->since_ms;
    int64_t left_ms = (int64_t)l->w.self->options.busy_timeout_ms - waited_ms;
    return left_ms < 1 ? 1 : left_ms;
}

/* STORE_OK, or with what the operation failed that made SQLite end the whole transaction. */
static store_result apply_batch(loop *l) {
    if (sqlite3_get_autocommit(l->w.db)) {
        return STORE_FAILED; /* the touches did it */
    }
    for (store_op *op = l->batch.first; op != NULL; op = op->next) {
        op->result = writer_apply(&l->w, op);
        if (sqlite3_get_autocommit(l->w.db)) {
            return op->result;
        }
    }
    return STORE_OK;
}

/*
 * Everything taken from the queue and the touches that are due, in one transaction. An operation
 * that fails leaves the others alone; if the transaction is lost, all of them fail.
 */
static void write_batch(loop *l, bool closing) {
    writer *w = &l->w;
    sqlite_store *self = w->self;
    const store_touch *touches = NULL;
    int64_t now_ms = clock_monotonic_ms();
    size_t touch_count =
        now_ms < l->touches_at_ms
            ? 0
            : store_touches_next(self->touches, TOUCH_AGE_MS, closing, TOUCH_BATCH, &touches);
    if (l->batch.count == 0 && touch_count == 0) {
        return;
    }

    if (log_is_locked(self->lock_fd)) {
        nanosleep(&(struct timespec){.tv_nsec = YIELD_NS}, NULL);
    }
    w->trouble = false;
    int code = log_is_full(l) ? SQLITE_BUSY : writer_begin(w, batch_timeout_ms(l));
    if ((code & 0xff) == SQLITE_BUSY) {
        l->touches_at_ms = clock_monotonic_ms() + RETRY_MS;
        put_off(l);
        return;
    }
    bool touched = false;
    store_result failure = STORE_OK; /* of the transaction as a whole */
    if (code == SQLITE_DONE) {
        touched = touch_count > 0 && writer_apply_touches(w, touches, touch_count);
        failure = apply_batch(l);
        code = failure == STORE_OK ? writer_run(w, WRITE_COMMIT) : SQLITE_DONE;
    }
    if (code != SQLITE_DONE) {
        failure = writer_failed(w, code, "commit");
    }
    if (failure == STORE_OK) {
        atomic_store(&self->write_broken, w->trouble);
        metrics_commit(l->batch.count + (touched ? touch_count : 0));
        answer(l, &l->batch);
    } else {
        writer_rollback(w);
        touched = false;
        atomic_store(&self->write_broken, true);
        /* STORE_BUSY here would claim that the lock was waited for. */
        answer_all(l, failure == STORE_NO_MEMORY ? STORE_NO_MEMORY : STORE_FAILED);
    }
    if (touched) {
        store_touches_written(self->touches, touch_count);
    } else if (touch_count > 0) {
        l->touches_at_ms = clock_monotonic_ms() + RETRY_MS;
    }
}

/* ---- sweeps ---- */

/* Those that asked before the pass began share it; the first of them is told the count. */
static void end_sweep(loop *l, store_result result) {
    sqlite_store *self = l->w.self;
    op_list done = {0};
    pthread_mutex_lock(&self->lock);
    while (self->sweeps.first != NULL && self->sweeps.first->count == 1) {
        op_push(&done, op_pop(&self->sweeps));
    }
    pthread_mutex_unlock(&self->lock);
    for (store_op *op = done.first; op != NULL; op = op->next) {
        op->result = result;
        op->count = op == done.first ? l->sweeping.deleted : 0;
    }
    metrics_add(METRIC_SWEEPS, 1);
    metrics_add(METRIC_SWEPT_ROWS, l->sweeping.deleted);
    l->sweeping.active = false;
    answer(l, &done);
}

static void begin_sweep(loop *l) {
    sqlite_store *self = l->w.self;
    l->sweeping = (sweep){.active = true, .now_ms = self->options.now_ms()};
    l->w.rows = -1; /* store_remove() may have taken some */
    pthread_mutex_lock(&self->lock);
    for (store_op *op = self->sweeps.first; op != NULL; op = op->next) {
        op->count = 1; /* belongs to this pass */
    }
    pthread_mutex_unlock(&self->lock);
}

static void step_sweep(loop *l, bool closing) {
    sqlite_store *self = l->w.self;
    pthread_mutex_lock(&self->lock);
    store_op *first = self->sweeps.first;
    int64_t since_ms = first == NULL ? 0 : first->since_ms;
    pthread_mutex_unlock(&self->lock);
    if (first == NULL) {
        return;
    }
    if (!l->sweeping.active) {
        begin_sweep(l);
    }
    if (closing) {
        end_sweep(l, STORE_OK); /* the next start sweeps what is left */
        return;
    }
    int code = log_is_full(l) ? SQLITE_BUSY : writer_sweep(&l->w, &l->sweeping, SWEEP_BUSY_MS);
    bool busy = (code & 0xff) == SQLITE_BUSY;
    int64_t waited_ms = clock_monotonic_ms() - since_ms;
    if (code == SQLITE_DONE) {
        end_sweep(l, STORE_OK);
    } else if (busy && waited_ms >= self->options.busy_timeout_ms) {
        end_sweep(l, STORE_BUSY);
    } else if (code != SQLITE_ROW && !busy) {
        end_sweep(l, writer_failed(&l->w, code, "sweep"));
    }
}

/* ---- the thread ---- */

static void *run(void *opaque) {
    loop *l = opaque;
    sqlite_store *self = l->w.self;
    bool closing = false;
    for (;;) {
        bool idle = !wait_for_work(l, &closing);
        write_batch(l, closing);
        step_sweep(l, closing);
        probe(l);
        checkpoint(l, idle);
        if (closing) {
            pthread_mutex_lock(&self->lock);
            bool more = self->queue.count > 0 || self->sweeps.count > 0;
            pthread_mutex_unlock(&self->lock);
            if (!more) {
                break;
            }
        }
    }
    /* What is left of the touches; a batch that cannot be written ends it. */
    while (clock_monotonic_ms() >= l->touches_at_ms) {
        const store_touch *touches;
        if (store_touches_next(self->touches, 0, true, 1, &touches) == 0) {
            break;
        }
        write_batch(l, true);
    }
    sqlite3_wal_hook(l->w.db, NULL, NULL);
    writer_release(&l->w);
    free(l);
    return NULL;
}

/* A page in the log has a header of its own. At least what makes sense of the other counts. */
static int pages_of(uint64_t bytes) {
    uint64_t pages = bytes / (4096 + 24);
    return pages > INT_MAX ? INT_MAX : pages < WAL_PAGES ? WAL_PAGES : (int)pages;
}

bool sqlite_store_start_writer(sqlite_store *self, char *why, size_t why_size) {
    loop *l = calloc(1, sizeof *l);
    if (l == NULL) {
        snprintf(why, why_size, "database %s: out of memory", self->path);
        return false;
    }
    l->w.self = self;
    l->w.db = self->writer;
    l->checkpoint_pages = WAL_PAGES;
    l->limit_pages = pages_of(self->options.log_limit_bytes);
    if (writer_prepare(&l->w) != SQLITE_DONE) {
        snprintf(why, why_size,
                 "database %s lacks tables of its version: %s: restore it from a backup",
                 self->path, sqlite3_errmsg(self->writer));
        goto fail;
    }
    sqlite3_wal_hook(self->writer, count_pages, l);

    /* Signals are the main thread's. */
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&self->thread, NULL, run, l);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0) {
        sqlite3_wal_hook(self->writer, NULL, NULL);
        snprintf(why, why_size, "database %s: cannot start its thread: %s", self->path,
                 strerror(error));
        goto fail;
    }
    self->thread_started = true;
    pthread_setname_np(self->thread, "arxd-store");
    return true;

fail:
    writer_release(&l->w);
    free(l);
    return false;
}

void sqlite_store_stop_writer(sqlite_store *self) {
    if (!self->thread_started) {
        return;
    }
    pthread_mutex_lock(&self->lock);
    self->closing = true;
    pthread_cond_signal(&self->wake);
    pthread_mutex_unlock(&self->lock);
    pthread_join(self->thread, NULL);
    self->thread_started = false;
}
