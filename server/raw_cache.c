/*
 * raw_cache.c - see raw_cache.h.
 *
 * raw_cache.lock guards the table, the list and the counts. A fixed number of chains, and a list
 * through all entries, most recently used first. The cache holds one reference to each.
 */
#include "raw_cache.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define CHAINS 4096 /* a power of two */

/* What an entry costs beside its value. */
#define OVERHEAD_BYTES 160

struct raw_entry {
    uint8_t id[STORE_ID_BYTES];
    int64_t updated_at_ms;
    void *value;
    void (*free_value)(void *);
    size_t bytes;
    atomic_uint refs;
    raw_entry *chain;
    raw_entry *newer;
    raw_entry *older;
    char part[];
};

struct raw_cache {
    pthread_mutex_t lock;
    size_t max_bytes;
    raw_cache_stats stats;
    raw_entry *newest;
    raw_entry *oldest;
    raw_entry *chains[CHAINS];
};

const void *raw_entry_value(const raw_entry *entry) {
    return entry->value;
}

void raw_entry_release(raw_entry *entry) {
    if (entry != NULL && atomic_fetch_sub(&entry->refs, 1) == 1) {
        entry->free_value(entry->value);
        free(entry);
    }
}

/* ---- with the lock held ---- */

/* Where the chain points at the entry of this key, or at the chain's end. Ids are random. */
static raw_entry **link_of(raw_cache *cache, const uint8_t *id, int64_t updated_at_ms,
                           const char *part) {
    uint64_t hash;
    memcpy(&hash, id + STORE_ID_BYTES - sizeof hash, sizeof hash);
    raw_entry **link = &cache->chains[hash & (CHAINS - 1)];
    while (*link != NULL &&
           ((*link)->updated_at_ms != updated_at_ms ||
            memcmp((*link)->id, id, STORE_ID_BYTES) != 0 || strcmp((*link)->part, part) != 0)) {
        link = &(*link)->chain;
    }
    return link;
}

static void push_newest(raw_cache *cache, raw_entry *entry) {
    entry->newer = NULL;
    entry->older = cache->newest;
    if (cache->newest == NULL) {
        cache->oldest = entry;
    } else {
        cache->newest->newer = entry;
    }
    cache->newest = entry;
}

static void unlist(raw_cache *cache, raw_entry *entry) {
    *(entry->newer == NULL ? &cache->newest : &entry->newer->older) = entry->older;
    *(entry->older == NULL ? &cache->oldest : &entry->older->newer) = entry->newer;
}

/* Out of chain and list; the cache's reference passes to the caller's `dropped` list. */
static void drop(raw_cache *cache, raw_entry **link, raw_entry **dropped) {
    raw_entry *entry = *link;
    *link = entry->chain;
    unlist(cache, entry);
    cache->stats.bytes -= entry->bytes;
    cache->stats.entries--;
    entry->chain = *dropped;
    *dropped = entry;
}

/* ---- without it ---- */

static void release_all(raw_entry *dropped) {
    while (dropped != NULL) {
        raw_entry *next = dropped->chain;
        raw_entry_release(dropped);
        dropped = next;
    }
}

raw_cache *raw_cache_create(size_t max_bytes) {
    raw_cache *cache = calloc(1, sizeof *cache);
    if (cache != NULL) {
        cache->max_bytes = max_bytes;
        pthread_mutex_init(&cache->lock, NULL);
    }
    return cache;
}

void raw_cache_free(raw_cache *cache) {
    if (cache == NULL) {
        return;
    }
    raw_entry *entry = cache->newest;
    while (entry != NULL) {
        raw_entry *older = entry->older;
        raw_entry_release(entry);
        entry = older;
    }
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}

raw_entry *raw_cache_get(raw_cache *cache, const uint8_t id[STORE_ID_BYTES], int64_t updated_at_ms,
                         const char *part) {
    pthread_mutex_lock(&cache->lock);
    raw_entry *entry = *link_of(cache, id, updated_at_ms, part);
    if (entry != NULL) {
        atomic_fetch_add(&entry->refs, 1);
        unlist(cache, entry);
        push_newest(cache, entry);
        cache->stats.hits++;
    } else {
        cache->stats.misses++;
    }
    pthread_mutex_unlock(&cache->lock);
    return entry;
}

raw_entry *raw_cache_put(raw_cache *cache, const uint8_t id[STORE_ID_BYTES], int64_t updated_at_ms,
                         const char *part, void *value, size_t bytes, void (*free_value)(void *)) {
    size_t part_len = strlen(part);
    raw_entry *entry = calloc(1, sizeof *entry + part_len + 1);
    if (entry == NULL) {
        return NULL;
    }
    memcpy(entry->id, id, STORE_ID_BYTES);
    memcpy(entry->part, part, part_len + 1);
    entry->updated_at_ms = updated_at_ms;
    entry->value = value;
    entry->free_value = free_value;
    atomic_init(&entry->refs, 1);
    if (part_len > RAW_CACHE_PART_MAX || bytes > cache->max_bytes / 8) {
        return entry;
    }
    entry->bytes = bytes + part_len + OVERHEAD_BYTES;

    raw_entry *dropped = NULL;
    pthread_mutex_lock(&cache->lock);
    raw_entry **link = link_of(cache, id, updated_at_ms, part);
    if (*link != NULL) {
        drop(cache, link, &dropped);
    }
    while (cache->oldest != NULL && cache->stats.bytes + entry->bytes > cache->max_bytes) {
        raw_entry *oldest = cache->oldest;
        drop(cache, link_of(cache, oldest->id, oldest->updated_at_ms, oldest->part), &dropped);
    }
    if (entry->bytes <= cache->max_bytes) {
        atomic_fetch_add(&entry->refs, 1);
        link = link_of(cache, id, updated_at_ms, part);
        entry->chain = *link;
        *link = entry;
        push_newest(cache, entry);
        cache->stats.bytes += entry->bytes;
        cache->stats.entries++;
    }
    pthread_mutex_unlock(&cache->lock);
    release_all(dropped);
    return entry;
}

void raw_cache_get_stats(raw_cache *cache, raw_cache_stats *stats) {
    pthread_mutex_lock(&cache->lock);
    *stats = cache->stats;
    pthread_mutex_unlock(&cache->lock);
}
