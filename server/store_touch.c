/* store_touch.c - see store_touch.h. */
#include "store_touch.h"
#include "clock.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define NO_ENTRY UINT32_MAX

/* Entries side by side for the writer, found through an open-addressed table of their numbers. */
typedef struct table {
    store_touch *entries;
    uint32_t *slots;
    size_t count;
} table;

struct store_touches {
    pthread_mutex_t lock;
    size_t max;
    size_t mask; /* slots - 1 */
    table tables[2];
    unsigned filling; /* which of them takes new entries; the other is being written */
    size_t written;   /* entries of the other that are */
    int64_t since_ms; /* when the filling table got its first entry; monotonic */
};

store_touches *store_touches_create(size_t max) {
    store_touches *touches = calloc(1, sizeof *touches);
    if (touches == NULL) {
        return NULL;
    }
    size_t slots = 16;
    while (slots < max * 2) {
        slots *= 2;
    }
    touches->max = max;
    touches->mask = slots - 1;
    pthread_mutex_init(&touches->lock, NULL);
    for (unsigned i = 0; i < 2; i++) {
        touches->tables[i].entries = calloc(max, sizeof(store_touch));
        touches->tables[i].slots = malloc(slots * sizeof(uint32_t));
        if (touches->tables[i].entries == NULL || touches->tables[i].slots == NULL) {
            store_touches_free(touches);
            return NULL;
        }
        memset(touches->tables[i].slots, 0xff, slots * sizeof(uint32_t));
    }
    return touches;
}

void store_touches_free(store_touches *touches) {
    if (touches == NULL) {
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        free(touches->tables[i].entries);
        free(touches->tables[i].slots);
    }
    pthread_mutex_destroy(&touches->lock);
    free(touches);
}

/* The slot that holds `id`, or the free one where it belongs. Tables are at most half full. */
static uint32_t *slot_of(const store_touches *touches, const table *t, const uint8_t *id) {
    uint64_t hash; /* ids are random: any eight of their bytes are a hash */
    memcpy(&hash, id + STORE_ID_BYTES - sizeof hash, sizeof hash);
    for (size_t at = (size_t)hash & touches->mask;; at = (at + 1) & touches->mask) {
        uint32_t entry = t->slots[at];
        if (entry == NO_ENTRY || memcmp(t->entries[entry].id, id, STORE_ID_BYTES) == 0) {
            return &t->slots[at];
        }
    }
}

static bool add(store_touches *touches, const uint8_t *id, int64_t views, int64_t now_ms,
                bool expired) {
    bool half = false;
    pthread_mutex_lock(&touches->lock);
    table *t = &touches->tables[touches->filling];
    uint32_t *slot = slot_of(touches, t, id);
    store_touch *entry = NULL;
    if (*slot != NO_ENTRY) {
        entry = &t->entries[*slot];
    } else if (t->count < touches->max) {
        if (t->count == 0) {
            touches->since_ms = clock_monotonic_ms();
        }
        *slot = (uint32_t)t->count;
        entry = &t->entries[t->count++];
        *entry = (store_touch){.last_ms = INT64_MIN};
        memcpy(entry->id, id, STORE_ID_BYTES);
        half = t->count == (touches->max + 1) / 2;
    }
    if (entry != NULL) {
        entry->views += views;
        entry->expired |= expired;
        if (now_ms > entry->last_ms) {
            entry->last_ms = now_ms;
        }
    }
    pthread_mutex_unlock(&touches->lock);
    return half;
}

bool store_touches_view(store_touches *touches, const uint8_t *id, int64_t now_ms) {
    return add(touches, id, 1, now_ms, false);
}

bool store_touches_expired(store_touches *touches, const uint8_t *id) {
    return add(touches, id, 0, INT64_MIN, true);
}

bool store_touches_find(store_touches *touches, const uint8_t *id, store_touch *found) {
    store_touch sum = {.last_ms = INT64_MIN};
    pthread_mutex_lock(&touches->lock);
    for (unsigned i = 0; i < 2; i++) {
        const table *t = &touches->tables[i];
        uint32_t entry = t->count == 0 ? NO_ENTRY : *slot_of(touches, t, id);
        if (entry == NO_ENTRY) {
            continue;
        }
        sum.views += t->entries[entry].views;
        sum.expired |= t->entries[entry].expired;
        if (t->entries[entry].last_ms > sum.last_ms) {
            sum.last_ms = t->entries[entry].last_ms;
        }
    }
    pthread_mutex_unlock(&touches->lock);
    if (sum.views == 0 && !sum.expired) {
        return false;
    }
    memcpy(sum.id, id, STORE_ID_BYTES);
    *found = sum;
    return true;
}

size_t store_touches_next(store_touches *touches, int64_t age_ms, bool all, size_t most,
                          const store_touch **entries) {
    pthread_mutex_lock(&touches->lock);
    table *writing = &touches->tables[1 - touches->filling];
    table *filling = &touches->tables[touches->filling];
    bool due = all || filling->count >= (touches->max + 1) / 2 ||
               clock_monotonic_ms() - touches->since_ms >= age_ms;
    if (writing->count == 0 && filling->count > 0 && due) {
        touches->filling = 1 - touches->filling;
        touches->written = 0;
        writing = filling;
    }
    size_t left = writing->count - touches->written;
    *entries = writing->entries + touches->written;
    pthread_mutex_unlock(&touches->lock);
    return left < most ? left : most;
}

void store_touches_written(store_touches *touches, size_t count) {
    pthread_mutex_lock(&touches->lock);
    table *writing = &touches->tables[1 - touches->filling];
    touches->written += count;
    if (writing->count > 0 && touches->written == writing->count) {
        memset(writing->slots, 0xff, (touches->mask + 1) * sizeof(uint32_t));
        writing->count = 0;
        touches->written = 0;
    }
    pthread_mutex_unlock(&touches->lock);
}
