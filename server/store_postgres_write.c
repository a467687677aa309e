/*
 * store_postgres_write.c - the writing lane: drains the queue into one transaction, and only once
 * that is durable answers every operation in it. Between batches it writes waiting touches and
 * takes a step of a sweep.
 *
 * What becomes of a batch:
 *
 *     PG_DONE       answered
 *     PG_AGAIN      run again, until its first operation has waited busy_timeout_ms: STORE_BUSY
 *     PG_LOST       the same after connecting anew; but if the connection went over the COMMIT,
 *                   nobody knows how it ended, and STORE_BUSY asks the client to find out
 *     PG_BUSY       STORE_BUSY
 *     anything else run again one by one, so that one operation's fault is that one's; a lone
 *                   operation fails
 */
#include "store_postgres_apply.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TICK_MS      500 /* how often an idle lane looks around */
#define TOUCH_AGE_MS 500 /* a tick more, and it is written: a second at most */
#define RETRY_MS     1000
#define PAUSE_MS     5 /* before a transaction that met another is run again, times the tries */
#define TRIES_LONE   4 /* of an operation that found its key taken: by then it sees by whom */

/* Keys of the operations in a batch, to keep two of the same apart. Open addressing. */
#define KEYS 2048
_Static_assert(KEYS >= 2 * 3 * PG_BATCH_OPS, "every operation has up to three keys");

typedef struct loop {
    pg_writer w;
    op_list batch;
    pg_sweep sweeping;
    int64_t touches_at_ms; /* not tried again before */
    int64_t probe_at_ms;
    uint64_t keys[KEYS];
} loop;

/* ---- the queue ---- */

static uint64_t mix(const uint8_t *bytes, size_t len, uint64_t kind) {
    uint64_t hash = kind;
    for (size_t i = 0; i + 8 <= len; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, 8);
        hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 29;
    }
    return hash | 1; /* 0 is an empty place */
}

/* False if it is there already: two hashes that agree by chance only cut a batch short. */
static bool add_key(loop *l, uint64_t key) {
    size_t at = (size_t)(key >> 7) % KEYS;
    while (l->keys[at] != 0) {
        if (l->keys[at] == key) {
            return false;
        }
        at = (at + 1) % KEYS;
    }
    l->keys[at] = key;
    return true;
}

static bool is_free(loop *l, const store_op *op) {
    if (op->kind == STORE_CLEAN ||
        (l->batch.first != NULL && l->batch.first->kind == STORE_CLEAN)) {
        return l->batch.first == NULL; /* any row may be in it: it goes alone */
    }
    return (op->kind == STORE_REMEMBER || op->kind == STORE_NOTE_PUT ||
            add_key(l, mix(op->artifact.id, STORE_ID_BYTES, 1))) &&
           (!pg_op_is_recorded(op) || add_key(l, mix(op->record.scope, STORE_HASH_BYTES, 2))) &&
           (!pg_op_is_noted(op) ||
            add_key(l, mix(op->note.key, STORE_HASH_BYTES, 3 + (uint64_t)op->note.space)));
}

/* Waits for something to do, at most a tick, and fills the batch. */
static void wait_for_work(loop *l, bool *closing) {
    pg_store *self = l->w.self;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += TICK_MS * INT64_C(1000000);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    memset(l->keys, 0, sizeof l->keys);

    pthread_mutex_lock(&self->lock);
    bool idle = false;
    while (self->queue.count == 0 && self->sweeps.count == 0 && !self->nudged && !self->closing &&
           !idle) {
        idle = pthread_cond_timedwait(&self->write_wake, &self->lock, &until) == ETIMEDOUT;
    }
    size_t bytes = 0;
    while (self->queue.first != NULL && l->batch.count < PG_BATCH_OPS && bytes < PG_BATCH_BYTES &&
           is_free(l, self->queue.first)) {
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
}

/* Room in the queue is there before the owners are told. */
static void answer(loop *l, op_list *list) {
    pthread_mutex_lock(&l->w.self->lock);
    l->w.self->working -= l->w.self->working < list->count ? l->w.self->working : list->count;
    pthread_mutex_unlock(&l->w.self->lock);
    pg_store_answer(list);
}

/* ---- one batch ---- */

static bool is_connected(loop *l) {
    pg_link_look(l->w.link);
    return pg_link_open(l->w.link, PG_WRITER_FIRST, PG_WRITER_END) == PG_DONE;
}

static void set_results(pg_writer *w, store_result result) {
    for (size_t i = 0; i < w->count; i++) {
        w->items[i].op->result = result;
    }
}

static bool has_waited(const pg_writer *w) {
    return clock_monotonic_ms() - w->items[0].op->since_ms >=
           (int64_t)w->self->options.busy_timeout_ms;
}

static void pause_ms(int64_t ms) {
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* Runs what is in the batch until it holds, fails, or has waited long enough. True: it has results.
 */
static bool run_batch(loop *l, bool careful) {
    pg_writer *w = &l->w;
    pg_store *self = w->self;
    for (unsigned tries = 1;; tries++) {
        bool doubtful = false;
        pg_code code = is_connected(l) ? pg_batch_run(w, careful, &doubtful) : PG_LOST;
        bool lone = w->count == 1;
        bool unreachable = code == PG_LOST && w->link->conn == NULL && tries > 1;
        switch (code) {
        case PG_DONE:
            atomic_store(&self->write_broken, false);
            return true;
        case PG_AGAIN:
            if (!has_waited(w)) {
                pause_ms(PAUSE_MS * (tries < 10 ? tries : 10));
                continue;
            }
            break;
        case PG_LOST:
            if (!doubtful && !unreachable && !has_waited(w)) {
                continue;
            }
            break;
        case PG_BUSY:
            break;
        default:
            if (!lone) {
                return false;
            }
            if (code == PG_DUPLICATE && tries < TRIES_LONE) {
                careful = true;
                continue;
            }
            /* A key that is taken says nothing about the database. */
            atomic_store(&self->write_broken, code == PG_REFUSED);
            break;
        }
        set_results(w, pg_store_failed(self, w->link, code, pg_op_name(w->items[0].op)));
        return true;
    }
}

static void write_batch(loop *l) {
    pg_writer *w = &l->w;
    if (l->batch.count == 0) {
        return;
    }
    for (store_op *op = l->batch.first; op != NULL; op = op->next) {
        pg_batch_add(w, op);
    }
    bool done = run_batch(l, false);
    pg_batch_clear(w);
    if (done) {
        answer(l, &l->batch);
        return;
    }
    for (store_op *op = op_pop(&l->batch); op != NULL; op = op_pop(&l->batch)) {
        op_list one = {0};
        op_push(&one, op);
        pg_batch_add(w, op);
        (void)run_batch(l, true);
        pg_batch_clear(w);
        answer(l, &one);
    }
}

/* ---- touches ---- */

/* False: there were none, or they could not be written. */
static bool write_touches(loop *l, bool all) {
    pg_store *self = l->w.self;
    const store_touch *touches;
    if (clock_monotonic_ms() < l->touches_at_ms) {
        return false;
    }
    size_t count = store_touches_next(self->touches, TOUCH_AGE_MS, all, PG_TOUCH_BATCH, &touches);
    if (count == 0) {
        return false;
    }
    pg_code code = is_connected(l) ? pg_write_touches(&l->w, touches, count) : PG_LOST;
    if (code != PG_DONE) {
        (void)pg_store_failed(self, l->w.link, code, "refresh");
        l->touches_at_ms = clock_monotonic_ms() + RETRY_MS;
        return false;
    }
    store_touches_written(self->touches, count);
    return true;
}

/* ---- sweeps ---- */

/* Those that asked before the pass began share it; the first of them is told the count. */
static void end_sweep(loop *l, store_result result) {
    pg_store *self = l->w.self;
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
    l->sweeping.active = false;
    pg_store_answer(&done);
}

static void begin_sweep(loop *l) {
    pg_store *self = l->w.self;
    l->sweeping = (pg_sweep){.active = true, .now_ms = self->options.now_ms()};
    pthread_mutex_lock(&self->lock);
    for (store_op *op = self->sweeps.first; op != NULL; op = op->next) {
        op->count = 1; /* belongs to this pass */
    }
    pthread_mutex_unlock(&self->lock);
}

static void step_sweep(loop *l, bool closing) {
    pg_store *self = l->w.self;
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
    bool more = true;
    pg_code code = is_connected(l) ? pg_sweep_step(&l->w, &l->sweeping, &more) : PG_LOST;
    bool waited = clock_monotonic_ms() - since_ms >= (int64_t)self->options.busy_timeout_ms;
    if (code == PG_DONE && !more) {
        end_sweep(l, STORE_OK);
    } else if (code != PG_DONE && (code != PG_AGAIN || waited)) {
        end_sweep(l, pg_store_failed(self, l->w.link, code, "sweep"));
    }
}

/*
 * While writes fail, PING says so and nobody sends any more: so the lane itself tries one now and
 * then.
 */
static void probe(loop *l) {
    pg_store *self = l->w.self;
    int64_t now_ms = clock_monotonic_ms();
    if (!atomic_load(&self->write_broken) || now_ms < l->probe_at_ms) {
        return;
    }
    l->probe_at_ms = now_ms + RETRY_MS;
    if (is_connected(l) && pg_send(l->w.link, PG_PROBE, NULL) && pg_sync(l->w.link) &&
        pg_settle(l->w.link) == PG_DONE) {
        atomic_store(&self->write_broken, false);
    }
}

/* ---- the lane ---- */

static void *run(void *opaque) {
    pg_lane *lane = opaque;
    pg_store *self = lane->self;
    loop *l = lane->state;
    bool closing = false;
    while (!closing) {
        wait_for_work(l, &closing);
        (void)write_touches(l, closing);
        write_batch(l);
        step_sweep(l, closing);
        probe(l);
        pthread_mutex_lock(&self->lock);
        closing = closing && self->queue.count == 0 && self->sweeps.count == 0;
        pthread_mutex_unlock(&self->lock);
    }
    while (write_touches(l, true)) {
    }
    return NULL;
}

bool pg_writer_start(pg_store *self, char *why, size_t why_size) {
    loop *l = calloc(1, sizeof *l);
    if (l == NULL) {
        snprintf(why, why_size, "database %s: out of memory", self->place);
        return false;
    }
    l->w.self = self;
    l->w.link = &self->writer.link;
    self->writer.state = l;
    return pg_lane_start(self, &self->writer, run, "arxd-store", why, why_size);
}
