/*
 * store_touch.h - reads that still have to be written down: views, and how far they moved a TTL.
 *
 * Coalesced by id. Entries are added to one table by reading threads while the writer works
 * through the other; both are looked up, so that a reader sees a touch from the moment it was
 * made until the row itself carries it. Bounded: once a table is full, touches of further ids are
 * dropped, which costs a refresh and nothing else. Thread-safe; one writer.
 */
#ifndef ARXD_STORE_TOUCH_H
#define ARXD_STORE_TOUCH_H

#include "store.h"

typedef struct store_touch {
    uint8_t id[STORE_ID_BYTES];
    int64_t views;   /* reads since the last write */
    int64_t last_ms; /* time of the latest */
    bool expired;    /* met after its end: to be removed */
} store_touch;

typedef struct store_touches store_touches;

/* max: most ids waiting in each table, at most 2^24. NULL without memory. */
store_touches *store_touches_create(size_t max);
void store_touches_free(store_touches *touches);

/* Notes a read of a live row at `now_ms`. True when the table just became half full. */
bool store_touches_view(store_touches *touches, const uint8_t *id, int64_t now_ms);
/* Notes that a row was met after its end. True likewise. */
bool store_touches_expired(store_touches *touches, const uint8_t *id);

/* What is not written yet of `id`, all of it together. False when that is nothing. */
bool store_touches_find(store_touches *touches, const uint8_t *id, store_touch *found);

/*
 * For the writer: up to `most` entries to write next, or 0. A table comes up when its first entry
 * is `age_ms` old, when it is half full, or with `all`. The entries stay put until
 * store_touches_written() says how many of them are.
 */
size_t store_touches_next(store_touches *touches, int64_t age_ms, bool all, size_t most,
                          const store_touch **entries);
void store_touches_written(store_touches *touches, size_t count);

#endif
