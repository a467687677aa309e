/*
 * metrics.c - see metrics.h.
 *
 * Only its own thread writes to a row, so adding needs no locked instruction: a relaxed load and a
 * relaxed store. The lock guards the list, for the moment a row is added or all are added up.
 */
#include "metrics.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

const unsigned metrics_statuses[METRICS_STATUSES] = {200,
                                                     201,
                                                     202,
                                                     204,
                                                     206,
                                                     301,
                                                     302,
                                                     303,
                                                     304,
                                                     307,
                                                     400,
                                                     401,
                                                     403,
                                                     404,
                                                     405,
                                                     406,
                                                     408,
                                                     409,
                                                     410,
                                                     413,
                                                     415,
                                                     422,
                                                     429,
                                                     500,
                                                     501,
                                                     503,
                                                     504,
                                                     507,
                                                     0 /* no reply was made */,
                                                     999 /* any other */};

const uint64_t metrics_latencies_us[METRICS_LATENCIES] = {
    500,    1000,   2500,   5000,    10000,   25000,   50000,
    100000, 250000, 500000, 1000000, 2500000, 5000000, 10000000};

const uint64_t metrics_sizes[METRICS_SIZES] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};

typedef _Atomic uint64_t cell;

/* The same cells as metrics_row's, in the same places. */
#define CELLS (sizeof(metrics_row) / sizeof(uint64_t))

typedef struct row {
    struct row *next;
    cell cells[CELLS];
} row;

_Static_assert(sizeof(cell) == sizeof(uint64_t), "an atomic counter is as large as a plain one");
_Static_assert(sizeof(metrics_row) % sizeof(uint64_t) == 0, "a row holds nothing but counters");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static row *rows;
static _Thread_local row *own;

static row *own_row(void) {
    if (own == NULL) {
        row *made = calloc(1, sizeof *made);
        if (made != NULL) {
            (void)pthread_mutex_lock(&lock);
            made->next = rows;
            rows = made;
            (void)pthread_mutex_unlock(&lock);
        }
        own = made;
    }
    return own;
}

static void add(size_t offset, uint64_t n) {
    row *mine = own_row();
    if (mine != NULL) {
        cell *at = &mine->cells[offset / sizeof(uint64_t)];
        uint64_t was = atomic_load_explicit(at, memory_order_relaxed);
        atomic_store_explicit(at, was + n, memory_order_relaxed);
    }
}

/* The first class whose end is not below the value; the one behind the last, if there is none. */
static size_t class_of(const uint64_t *ends, size_t count, uint64_t value) {
    size_t i = 0;
    while (i < count && value > ends[i]) {
        i++;
    }
    return i;
}

void metrics_add(metric which, uint64_t n) {
    add(offsetof(metrics_row, plain) + which * sizeof(uint64_t), n);
}

void metrics_request(size_t route, unsigned status, int64_t elapsed_us) {
    route = route < METRICS_ROUTES ? route : METRICS_ROUTES - 1;
    uint64_t us = elapsed_us > 0 ? (uint64_t)elapsed_us : 0;
    size_t s = 0;
    while (s < METRICS_STATUSES - 1 && metrics_statuses[s] != status) {
        s++;
    }
    size_t latency = class_of(metrics_latencies_us, METRICS_LATENCIES, us);
    add(offsetof(metrics_row, requests) + (route * METRICS_STATUSES + s) * sizeof(uint64_t), 1);
    add(offsetof(metrics_row, latencies) +
            (route * (METRICS_LATENCIES + 1) + latency) * sizeof(uint64_t),
        1);
    add(offsetof(metrics_row, latency_us) + route * sizeof(uint64_t), us);
}

void metrics_job(job_kind kind, size_t codec, job_outcome outcome) {
    codec = codec < METRICS_CODECS ? codec : METRICS_CODECS;
    size_t cells = ((size_t)kind * (METRICS_CODECS + 1) + codec) * JOB_OUTCOMES + (size_t)outcome;
    add(offsetof(metrics_row, jobs) + cells * sizeof(uint64_t), 1);
}

void metrics_commit(uint64_t count) {
    metrics_add(METRIC_COMMITS, 1);
    metrics_add(METRIC_COMMIT_ROWS, count);
    size_t size = class_of(metrics_sizes, METRICS_SIZES, count);
    add(offsetof(metrics_row, sizes) + size * sizeof(uint64_t), 1);
}

void metrics_sum(metrics_row *sum) {
    uint64_t cells[CELLS] = {0};
    (void)pthread_mutex_lock(&lock);
    for (row *r = rows; r != NULL; r = r->next) {
        for (size_t i = 0; i < CELLS; i++) {
            cells[i] += atomic_load_explicit(&r->cells[i], memory_order_relaxed);
        }
    }
    (void)pthread_mutex_unlock(&lock);
    memcpy(sum, cells, sizeof *sum);
}

void metrics_free(void) {
    (void)pthread_mutex_lock(&lock);
    while (rows != NULL) {
        row *next = rows->next;
        free(rows);
        rows = next;
    }
    (void)pthread_mutex_unlock(&lock);
    own = NULL;
}
