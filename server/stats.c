/* stats.c - see stats.h. */
#include "stats.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#include "clock.h"

#define KEPT_MS        1000
#define KEPT_FOR_TIMES 100

struct stats {
    store *links;
    pthread_mutex_t lock;
    store_op op; /* whoever set `counting` has it */
    /* Under the lock. */
    bool counting;
    int64_t started_ms;
    int64_t next_ms; /* when to count again */
    store_totals totals;
};

static void counted(store_op *op) {
    stats *self = (stats *)(void *)((char *)op - offsetof(stats, op));
    int64_t now_ms = clock_monotonic_ms();
    (void)pthread_mutex_lock(&self->lock);
    int64_t took_ms = now_ms - self->started_ms;
    int64_t kept_ms = took_ms * KEPT_FOR_TIMES;
    self->next_ms = now_ms + (kept_ms < KEPT_MS ? KEPT_MS : kept_ms);
    if (op->result == STORE_OK) {
        self->totals = op->totals;
    }
    self->counting = false;
    (void)pthread_mutex_unlock(&self->lock);
}

stats *stats_create(store *links) {
    stats *self = calloc(1, sizeof *self);
    if (self != NULL) {
        self->links = links;
        (void)pthread_mutex_init(&self->lock, NULL);
    }
    return self;
}

void stats_free(stats *self) {
    if (self != NULL) {
        (void)pthread_mutex_destroy(&self->lock);
        free(self);
    }
}

void stats_refresh(stats *self, int64_t now_ms) {
    (void)pthread_mutex_lock(&self->lock);
    bool mine = !self->counting && now_ms >= self->next_ms;
    if (mine) {
        self->counting = true;
        self->started_ms = now_ms;
    }
    (void)pthread_mutex_unlock(&self->lock);
    if (mine) {
        self->op = (store_op){.kind = STORE_TOTALS, .done = counted};
        if (store_submit(self->links, &self->op)) {
            counted(&self->op);
        }
    }
}

store_totals stats_now(stats *self) {
    (void)pthread_mutex_lock(&self->lock);
    store_totals totals = self->totals;
    (void)pthread_mutex_unlock(&self->lock);
    return totals;
}
