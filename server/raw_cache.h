/*
 * raw_cache.h - decoded bodies kept for the next reader of the same link.
 *
 * Keyed by the link's id, its updated_at and a part ("" or an artifact's id within the bundle): an
 * update makes a new key, and the old body ages out. Values are opaque, immutable and shared;
 * references keep them alive after they have left the cache. At most the given number of bytes,
 * the least recently used going first; a value of over an eighth of that is not kept at all.
 * Thread-safe.
 */
#ifndef ARXD_RAW_CACHE_H
#define ARXD_RAW_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "store.h"

typedef struct raw_cache raw_cache;
typedef struct raw_entry raw_entry;

/* Longest part that is kept under its name. */
#define RAW_CACHE_PART_MAX 256

/* max_bytes: 0 keeps nothing. NULL without memory. */
raw_cache *raw_cache_create(size_t max_bytes);
/* References may outlive the cache. NULL is fine. */
void raw_cache_free(raw_cache *cache);

/* A reference to what is kept under the key, or NULL. Caller: raw_entry_release. */
raw_entry *raw_cache_get(raw_cache *cache, const uint8_t id[STORE_ID_BYTES], int64_t updated_at_ms,
                         const char *part);

/*
 * Wraps `value`, keeps it if it fits, and returns a reference to it; of two threads that decoded
 * the same body the later one's is kept. bytes: what it counts. NULL without memory: then the
 * value is still the caller's. Else `free_value` frees it with the last reference.
 */
raw_entry *raw_cache_put(raw_cache *cache, const uint8_t id[STORE_ID_BYTES], int64_t updated_at_ms,
                         const char *part, void *value, size_t bytes, void (*free_value)(void *));

/* Borrowed as long as the reference. */
const void *raw_entry_value(const raw_entry *entry);
void raw_entry_release(raw_entry *entry); /* NULL is fine */

typedef struct raw_cache_stats {
    size_t bytes;
    size_t entries;
    uint64_t hits;
    uint64_t misses;
} raw_cache_stats;

void raw_cache_get_stats(raw_cache *cache, raw_cache_stats *stats);

#endif
