/*
 * rate_limits.c - see rate_limits.h.
 *
 * A bucket is one number, the time at which it will be full again (the generic cell rate
 * algorithm's theoretical arrival time): drawing moves it ahead by cost / rate, and what would move
 * it further than the burst ahead of now is not there. A time gone by means full, so zero is a
 * caller never seen.
 *
 * The table is set-associative: a key belongs to one set of WAYS entries. Sets share LOCKS mutexes.
 */
#include "rate_limits.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "secret.h"

#define WAYS     8
#define LOCKS    256
#define BURST_US (LIMITS_BURST_S * INT64_C(1000000))

enum { KEY_NONE, KEY_ADDRESS, KEY_TOKEN };

typedef struct entry {
    int64_t full_at_us[BUCKET_COUNT];
    limits_key key;
} entry;

struct limits {
    uint64_t seed;  /* unknown outside, so that nobody can fill a chosen set */
    size_t sets;    /* a power of two */
    entry *entries; /* sets * WAYS */
    pthread_mutex_t locks[LOCKS];
};

/* ---- keys ---- */

limits_key limits_key_of_address(const uint8_t address[16]) {
    static const uint8_t v4[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    limits_key key = {.kind = KEY_ADDRESS};
    memcpy(key.bytes, address, memcmp(address, v4, sizeof v4) == 0 ? 16 : 8);
    return key;
}

limits_key limits_key_of_token(const uint8_t hash[32]) {
    limits_key key = {.kind = KEY_TOKEN};
    memcpy(key.bytes, hash, sizeof key.bytes);
    return key;
}

uint64_t limits_key_hash(const limits_key *key, uint64_t seed) {
    uint64_t word[2];
    memcpy(word, key->bytes, sizeof word);
    uint64_t hash = seed + key->kind;
    for (size_t i = 0; i < 2; i++) {
        hash = (hash ^ word[i] ^ seed) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
        hash = (hash + seed) * UINT64_C(0xbf58476d1ce4e5b9);
        hash ^= hash >> 29;
    }
    return hash;
}

static size_t set_of(const limits *table, const limits_key *key) {
    return (size_t)limits_key_hash(key, table->seed) & (table->sets - 1);
}

/* ---- the table ---- */

limits *limits_create(size_t callers) {
    limits *table = calloc(1, sizeof *table);
    if (table == NULL) {
        return NULL;
    }
    table->sets = 1;
    while (table->sets * WAYS < callers) {
        table->sets *= 2;
    }
    table->entries = calloc(table->sets * WAYS, sizeof *table->entries);
    if (table->entries == NULL || !secret_random((uint8_t *)&table->seed, sizeof table->seed)) {
        free(table->entries);
        free(table);
        return NULL;
    }
    for (size_t i = 0; i < LOCKS; i++) {
        (void)pthread_mutex_init(&table->locks[i], NULL);
    }
    return table;
}

void limits_free(limits *table) {
    if (table != NULL) {
        for (size_t i = 0; i < LOCKS; i++) {
            (void)pthread_mutex_destroy(&table->locks[i]);
        }
        free(table->entries);
        free(table);
    }
}

/* When all its buckets will be full. */
static int64_t rested_at(const entry *e) {
    int64_t at = e->full_at_us[0];
    for (size_t i = 1; i < BUCKET_COUNT; i++) {
        at = e->full_at_us[i] > at ? e->full_at_us[i] : at;
    }
    return at;
}

/* The caller's entry; a new one takes the place of the most rested. With the set's lock held. */
static entry *entry_of(entry *set, const limits_key *key, bool make) {
    entry *rested = set;
    for (size_t i = 0; i < WAYS; i++) {
        if (set[i].key.kind == key->kind &&
            memcmp(set[i].key.bytes, key->bytes, sizeof key->bytes) == 0) {
            return &set[i];
        }
        if (rested_at(&set[i]) < rested_at(rested)) {
            rested = &set[i];
        }
    }
    if (!make) {
        return NULL;
    }
    *rested = (entry){.key = *key};
    return rested;
}

typedef enum manner { LOOK, DRAW, CHARGE } manner;

static int64_t use(limits *table, const limits_key *key, bucket which, uint32_t rate, int64_t cost,
                   int64_t now_us, manner how) {
    if (rate == 0) {
        return 0;
    }
    int64_t cost_us = cost * 1000 / (int64_t)rate;
    int64_t burst_us = cost_us > BURST_US ? cost_us : BURST_US;
    size_t set = set_of(table, key);
    pthread_mutex_t *lock = &table->locks[set % LOCKS];

    (void)pthread_mutex_lock(lock);
    entry *e = entry_of(&table->entries[set * WAYS], key, how != LOOK);
    int64_t full_us = e == NULL || e->full_at_us[which] < now_us ? now_us : e->full_at_us[which];
    int64_t wait_us = how == CHARGE ? 0 : full_us + cost_us - (now_us + burst_us);
    if (wait_us <= 0) {
        wait_us = 0;
        if (how != LOOK) {
            e->full_at_us[which] = full_us + cost_us;
        }
    }
    (void)pthread_mutex_unlock(lock);
    return wait_us;
}

int64_t limits_draw(limits *table, const limits_key *key, bucket which, uint32_t rate, int64_t cost,
                    int64_t now_us) {
    return use(table, key, which, rate, cost, now_us, DRAW);
}

int64_t limits_wait(limits *table, const limits_key *key, bucket which, uint32_t rate, int64_t cost,
                    int64_t now_us) {
    return use(table, key, which, rate, cost, now_us, LOOK);
}

void limits_charge(limits *table, const limits_key *key, bucket which, uint32_t rate, int64_t cost,
                   int64_t now_us) {
    (void)use(table, key, which, rate, cost, now_us, CHARGE);
}

size_t limits_count(limits *table) {
    size_t count = 0;
    for (size_t i = 0; i < table->sets * WAYS; i++) {
        pthread_mutex_t *lock = &table->locks[i / WAYS % LOCKS];
        (void)pthread_mutex_lock(lock);
        count += table->entries[i].key.kind != KEY_NONE ? 1 : 0;
        (void)pthread_mutex_unlock(lock);
    }
    return count;
}
