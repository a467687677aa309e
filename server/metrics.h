/*
 * metrics.h - what is counted: one row of numbers a thread, added up when somebody looks.
 *
 * Any thread counts by writing to its own row, which costs a few nanoseconds and disturbs nobody. A
 * row is made when its thread counts first and outlives it; without memory for one the thread goes
 * uncounted. The page that shows it all is metrics_page.c.
 */
#ifndef ARXD_METRICS_H
#define ARXD_METRICS_H

#include <stddef.h>
#include <stdint.h>

typedef enum metric {
    METRIC_LIMITED_READ, /* requests answered 429, by the bucket that was empty: allowance.h's order
                          */
    METRIC_LIMITED_WRITE,
    METRIC_LIMITED_ENCODE,
    METRIC_LIMITED_FAIL,
    METRIC_COMMITS,      /* transactions of the database's writer */
    METRIC_COMMIT_ROWS,  /* operations and refreshes in them */
    METRIC_STORE_FAILED, /* operations that the database refused or broke on */
    METRIC_SWEEPS,
    METRIC_SWEPT_ROWS,
    METRIC_BACKUPS_MADE, /* by arxd itself */
    METRIC_BACKUPS_FAILED,
    METRIC_WORKED_US, /* spent on tasks by workers */
    METRIC_COUNT
} metric;

typedef enum job_kind { JOB_ENCODE, JOB_DECODE, JOB_KINDS } job_kind;
typedef enum job_outcome {
    JOB_SUCCEEDED,
    JOB_FAILED,  /* what it was given cannot be encoded or decoded */
    JOB_REFUSED, /* the queue was full */
    JOB_LATE,    /* past --encode-deadline */
    JOB_STOPPED, /* cancelled, or the server stops */
    JOB_OUTCOMES
} job_outcome;

#define METRICS_ROUTES 128 /* most rows of the route table that are told apart */
#define METRICS_CODECS 16
/* Statuses that are told apart; the last stands for any other. */
#define METRICS_STATUSES 30
extern const unsigned metrics_statuses[METRICS_STATUSES];

/* Upper ends of the histograms' classes: seconds of a request as us, rows of a commit. */
#define METRICS_LATENCIES 14
#define METRICS_SIZES     10
extern const uint64_t metrics_latencies_us[METRICS_LATENCIES];
extern const uint64_t metrics_sizes[METRICS_SIZES];

/* One thread's row, and their sum. */
typedef struct metrics_row {
    uint64_t plain[METRIC_COUNT];
    uint64_t requests[METRICS_ROUTES][METRICS_STATUSES];
    uint64_t latencies[METRICS_ROUTES][METRICS_LATENCIES + 1]; /* the last: longer than all */
    uint64_t latency_us[METRICS_ROUTES];
    uint64_t sizes[METRICS_SIZES + 1];
    uint64_t jobs[JOB_KINDS][METRICS_CODECS + 1][JOB_OUTCOMES]; /* the last codec: none */
} metrics_row;

/* ---- counting ---- */

void metrics_add(metric which, uint64_t n);
/* route: the row's number in the route table, or METRICS_ROUTES - 1 for none. */
void metrics_request(size_t route, unsigned status, int64_t elapsed_us);
/* codec: arx_codec, or METRICS_CODECS where none came out. */
void metrics_job(job_kind kind, size_t codec, job_outcome outcome);
void metrics_commit(uint64_t rows);

/* ---- looking ---- */

/* The sum over all threads. Numbers that are being written may be one behind. */
void metrics_sum(metrics_row *sum);

/* ---- at the end ---- */

/* Frees every row. No other thread may be counting. */
void metrics_free(void);

#endif
