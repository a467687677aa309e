/*
 * allowance.h - how much one caller may use: rates, and what they may have stored.
 *
 *     read=100/s,write=10/s,encode=2/s,fail=1/s     requests, requests, seconds of a worker,
 * refusals rows=10000,bytes=2g                           links, bytes of payload; k, m and g are
 * 1024^n
 *
 * The same words stand in --rate, in --quota and behind a token in the tokens file. 0 means no
 * limit. Pure.
 */
#ifndef ARXD_ALLOWANCE_H
#define ARXD_ALLOWANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum bucket {
    BUCKET_READ,   /* requests that only read */
    BUCKET_WRITE,  /* requests that write */
    BUCKET_ENCODE, /* seconds that workers spend on requests to encode or decode */
    BUCKET_FAIL,   /* bearers that turned out to be worth nothing */
    BUCKET_COUNT
} bucket;

/* "read", "write", "encode", "fail" */
const char *bucket_name(bucket which);

typedef struct allowance {
    uint32_t rate[BUCKET_COUNT]; /* thousandths of a unit per second */
    uint64_t rows;
    uint64_t bytes;
} allowance;

enum {
    ALLOWANCE_RATES = 1u << 0,
    ALLOWANCE_QUOTAS = 1u << 1,
};

#define ALLOWANCE_RATE_MAX  1000000u /* units per second */
#define ALLOWANCE_QUOTA_MAX (UINT64_C(1) << 50)

/*
 * Reads items of the given kinds, joined by commas, into `*out`; what is not named stays as it is.
 * A lone "0" sets all of them to 0. False when something is wrong: `*out` may have changed.
 */
bool allowance_parse(const char *text, size_t len, unsigned kinds, allowance *out);

/* What is allowed, for messages: "a list such as ..." */
const char *allowance_form(unsigned kinds);

#endif
