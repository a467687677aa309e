/*
 * rate_limits.h - token buckets: who has had how much lately.
 *
 * A caller is a token or an address; each has one bucket of every kind (allowance.h), which holds
 * ten seconds of its rate, and at least one request. The table is bounded: past its size the caller
 * whose buckets are the fullest is forgotten, which costs little, because a caller with full
 * buckets is the same as one never seen. An IPv4 address counts as one caller, of IPv6 a whole /64.
 *
 * Costs are in millionths: a request 1,000,000, a worker's time its microseconds. Thread-safe;
 * callers with different keys seldom meet at a lock.
 */
#ifndef ARXD_RATE_LIMITS_H
#define ARXD_RATE_LIMITS_H

#include "allowance.h"

#define LIMITS_REQUEST INT64_C(1000000)
#define LIMITS_BURST_S 10

typedef struct limits limits;

typedef struct limits_key {
    uint8_t kind;
    uint8_t bytes[16];
} limits_key;

/* address: 16 bytes in network order, IPv4 mapped. hash: of a token, 32 bytes. */
limits_key limits_key_of_address(const uint8_t address[16]);
limits_key limits_key_of_token(const uint8_t hash[32]);

/* Spread evenly, for whoever does not know the seed. */
uint64_t limits_key_hash(const limits_key *key, uint64_t seed);

/* Room for about `callers`. NULL without memory. */
limits *limits_create(size_t callers);
/* NULL is fine. */
void limits_free(limits *table);

/*
 * Takes `cost` out of a bucket filled at `rate` thousandths a second (0: no limit). The answer: 0
 * when it was there, else nothing is taken and these are the microseconds until it would be.
 */
int64_t limits_draw(limits *table, const limits_key *key, bucket which, uint32_t rate, int64_t cost,
                    int64_t now_us);
/* The same without taking anything. */
int64_t limits_wait(limits *table, const limits_key *key, bucket which, uint32_t rate, int64_t cost,
                    int64_t now_us);
/* Takes (cost below 0: gives back) what has been used already, whether it is there or not. */
void limits_charge(limits *table, const limits_key *key, bucket which, uint32_t rate, int64_t cost,
                   int64_t now_us);

/* Callers in the table; for tests. */
size_t limits_count(limits *table);

#endif
