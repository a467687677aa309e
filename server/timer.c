/* timer.c - see timer.h. Main thread; the sweep's `done` comes from the store's writer. */
#include "timer.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "clock.h"
#include "jobs.h"
#include "log.h"
#include "store.h"

#define TICK_MS  50
#define SWEEP_MS (60 * 60 * 1000)

static void stop_signals(sigset_t *set) {
    (void)sigemptyset(set);
    (void)sigaddset(set, SIGTERM);
    (void)sigaddset(set, SIGINT);
}

void timer_block_signals(void) {
    sigset_t set;
    stop_signals(&set);
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

int timer_run(const service *self) {
    sigset_t set;
    stop_signals(&set);
    int64_t sweep_at_ms = clock_monotonic_ms() + SWEEP_MS;
    for (;;) {
        const struct timespec tick = {.tv_nsec = TICK_MS * 1000000L};
        int got = sigtimedwait(&set, NULL, &tick);
        if (got > 0) {
            return got;
        }
        int64_t now_ms = clock_monotonic_ms();
        jobs_expire(self->jobs, now_ms);
        if (now_ms >= sweep_at_ms) {
            sweep_at_ms = now_ms + SWEEP_MS;
            start_sweep(self->store);
        }
    }
}
