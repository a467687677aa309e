/*
 * stats.h - what the service holds, counted now and then: counting takes a walk along every row, so
 * an answer is kept for a second, or for a hundred times as long as it took.
 *
 * Thread-safe.
 */
#ifndef ARXD_STATS_H
#define ARXD_STATS_H

#include "store.h"

typedef struct stats stats;

/* NULL without memory. links: borrowed; it must be closed before stats_free(). */
stats *stats_create(store *links);
void stats_free(stats *self); /* NULL is fine */

/* Counts, if the answer is old enough and nobody counts. Returns at once, or after the count. */
void stats_refresh(stats *self, int64_t now_ms);
/* The last answer. */
store_totals stats_now(stats *self);

#endif
