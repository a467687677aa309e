/*
 * store_rules.h - what happens to a link, whichever database it is in: one place for every rule
 * that is arithmetic on a store_artifact. Pure.
 */
#ifndef ARXD_STORE_RULES_H
#define ARXD_STORE_RULES_H

#include "store_touch.h"

/* A new link's times and counters, from its ttl_ms and max_views. */
void rules_insert(store_artifact *artifact, int64_t now_ms);
/* `op` as what an update of `found` makes of it; strings that stay change hands. */
void rules_update(store_op *op, store_artifact *found, int64_t now_ms);
/* A counted view. */
void rules_counted_view(store_artifact *artifact, int64_t now_ms);
/*
 * Is it still the row, and the version of it, that an update or deletion is for? updated_at_ms: of
 * the version. STORE_OK, STORE_NOT_FOUND or STORE_CONFLICT.
 */
store_result rules_check(const store_op *op, const store_artifact *found, int64_t updated_at_ms);

/* Moves the lifetime as views at `at_ms` do; never back, should the clock jump. */
void rules_view(store_artifact *artifact, int64_t at_ms, int64_t views);
/* The same for a touch that waits, unless the row carries it by now. */
void rules_apply_touch(store_artifact *artifact, const store_touch *waiting);

/* Memory of what is no more and of replies reaches back to here. */
int64_t rules_memory_begin(int64_t now_ms);

#endif
