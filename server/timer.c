/* timer.c - see timer.h. Main thread; the sweep's `done` comes from the store's writer. */
#include "timer.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "clock.h"
#include "exchanges.h"
#include "jobs.h"
#include "jobs_table.h"
#include "log.h"
#include "oui/observer.h"
#include "stats.h"
#include "store.h"
#include "tokens.h"

#define TICK_MS  50
#define SWEEP_MS (60 * 60 * 1000)
#define PACE_MS  1000
#define TIDY_MS  5000
#define WHY_SIZE 512

static void our_signals(sigset_t *set) {
    (void)sigemptyset(set);
    (void)sigaddset(set, SIGTERM);
    (void)sigaddset(set, SIGINT);
    (void)sigaddset(set, SIGHUP);
}

void timer_block_signals(void) {
    sigset_t set;
    our_signals(&set);
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
}

/* ---- the sweep at the start, waited for ---- */

typedef struct gate {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    bool open;
} gate;

static void open_gate(store_op *op) {
    gate *g = op->owner;
    (void)pthread_mutex_lock(&g->lock);
    g->open = true;
    (void)pthread_cond_signal(&g->moved);
    (void)pthread_mutex_unlock(&g->lock);
}

static void report(const store_op *sweep) {
    if (sweep->result == STORE_OK && sweep->count > 0) {
        log_write(LOG_INFO, "deleted %llu expired links", (unsigned long long)sweep->count);
    }
}

bool timer_sweep_now(store *links) {
    gate g = {.lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};
    store_op sweep = {.kind = STORE_SWEEP, .done = open_gate, .owner = &g};
    if (!store_submit(links, &sweep)) {
        (void)pthread_mutex_lock(&g.lock);
        while (!g.open) {
            (void)pthread_cond_wait(&g.moved, &g.lock);
        }
        (void)pthread_mutex_unlock(&g.lock);
    }
    (void)pthread_cond_destroy(&g.moved);
    (void)pthread_mutex_destroy(&g.lock);
    report(&sweep);
    return sweep.result == STORE_OK;
}

/* ---- the hourly one, not waited for ---- */

static store_op hourly;
static atomic_bool sweeping; /* the store has `hourly` */

static void sweep_ended(store_op *op) {
    report(op);
    atomic_store(&sweeping, false);
}

static void start_sweep(store *links) {
    if (atomic_load(&sweeping)) {
        return;
    }
    atomic_store(&sweeping, true);
    hourly = (store_op){.kind = STORE_SWEEP, .done = sweep_ended};
    if (store_submit(links, &hourly)) {
        sweep_ended(&hourly);
    }
}

/* SIGHUP. What is wrong with a file changes nothing but the log. */
static void read_tokens_again(const service *self) {
    char why[WHY_SIZE] = "";
    if (self->tokens == NULL) {
        log_write(LOG_INFO, "nothing to read again: there is no tokens file");
    } else if (tokens_reload(self->tokens, why, sizeof why)) {
        log_write(LOG_INFO, "read the tokens file again");
    } else {
        log_write(LOG_ERROR, "%s; the tokens read before still count", why);
    }
}

int timer_run(const service *self, http_server *const *servers) {
    sigset_t set;
    our_signals(&set);
    int64_t pace_at_ms = 0;
    int64_t tidy_at_ms = 0;
    int64_t sweep_at_ms = clock_monotonic_ms() + SWEEP_MS;
    for (;;) {
        const struct timespec tick = {.tv_nsec = TICK_MS * 1000000L};
        int got = sigtimedwait(&set, NULL, &tick);
        if (got == SIGHUP) {
            read_tokens_again(self);
        } else if (got > 0) {
            return got;
        }
        int64_t now_ms = clock_monotonic_ms();
        jobs_expire(self->jobs, now_ms);
        stats_refresh(self->stats, now_ms);
        exchanges_expire(self->exchanges, now_ms);
        oui_observe_changes(self, now_ms);
        if (now_ms >= pace_at_ms) {
            pace_at_ms = now_ms + PACE_MS;
            for (size_t i = 0; servers[i] != NULL; i++) {
                http_enforce_pace(servers[i], now_ms);
            }
        }
        if (now_ms >= tidy_at_ms) {
            tidy_at_ms = now_ms + TIDY_MS;
            jobs_table_expire(self->encodes, now_ms);
        }
        if (now_ms >= sweep_at_ms) {
            sweep_at_ms = now_ms + SWEEP_MS;
            start_sweep(self->store);
        }
    }
}
