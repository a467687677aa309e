/* store_rules.c - see store_rules.h. */
#include "store_rules.h"
#include "store_internal.h"

#include <string.h>

/* Longer lives than this would overflow when added to a time; it is 285,000 years. */
#define TTL_MAX_MS (INT64_C(1) << 53)

static int64_t ttl_within(int64_t ttl_ms) {
    return ttl_ms < 0 ? 0 : ttl_ms > TTL_MAX_MS ? TTL_MAX_MS : ttl_ms;
}

static int64_t limit_within(int64_t max_views) {
    return max_views < 0 ? 0 : max_views;
}

void rules_insert(store_artifact *a, int64_t now_ms) {
    a->ttl_ms = ttl_within(a->ttl_ms);
    a->created_at_ms = a->updated_at_ms = a->last_viewed_at_ms = now_ms;
    a->expires_at_ms = store_time_add(now_ms, a->ttl_ms);
    a->views = 0;
    a->max_views = a->views_left = limit_within(a->max_views);
}

static void swap_text(char **a, char **b) {
    char *c = *a;
    *a = *b;
    *b = c;
}

void rules_update(store_op *op, store_artifact *found, int64_t now_ms) {
    store_artifact *a = &op->artifact;
    if (op->keep_payload) {
        swap_text(&a->payload, &found->payload);
        swap_text(&a->codec, &found->codec);
        swap_text(&a->kind, &found->kind);
        swap_text(&a->title, &found->title);
        a->payload_len = found->payload_len;
        memcpy(a->asset_set, found->asset_set, sizeof a->asset_set);
    }
    if (!op->relabel) {
        swap_text(&a->label, &found->label);
    }
    a->ttl_ms = op->keep_ttl ? found->ttl_ms : ttl_within(a->ttl_ms);
    a->expires_at_ms =
        op->keep_payload && op->keep_ttl ? found->expires_at_ms : store_time_add(now_ms, a->ttl_ms);
    a->sliding = op->keep_sliding ? found->sliding : a->sliding;
    a->max_views = op->keep_max_views ? found->max_views : limit_within(a->max_views);
    a->views_left = op->keep_max_views ? found->views_left : a->max_views;
    a->views = found->views;
    a->created_at_ms = found->created_at_ms;
    a->last_viewed_at_ms = found->last_viewed_at_ms;
    /* Never the same twice: it tells versions apart, in caches and in STORE_DESCRIBE. */
    a->updated_at_ms = now_ms > found->updated_at_ms ? now_ms : found->updated_at_ms + 1;
    a->has_edit_key = found->has_edit_key;
    a->has_maker = found->has_maker;
    memcpy(a->edit_key_hash, found->edit_key_hash, STORE_HASH_BYTES);
    memcpy(a->maker, found->maker, STORE_HASH_BYTES);
}

void rules_counted_view(store_artifact *a, int64_t now_ms) {
    rules_view(a, now_ms, 1);
    a->views_left = a->views_left > 0 ? a->views_left - 1 : 0;
}

static bool same_owner(const store_artifact *seen, const store_artifact *found) {
    return seen->has_edit_key == found->has_edit_key && seen->has_maker == found->has_maker &&
           (!seen->has_edit_key ||
            memcmp(seen->edit_key_hash, found->edit_key_hash, STORE_HASH_BYTES) == 0) &&
           (!seen->has_maker || memcmp(seen->maker, found->maker, STORE_HASH_BYTES) == 0);
}

store_result rules_check(const store_op *op, const store_artifact *found, int64_t updated_at_ms) {
    if (op->guarded && !same_owner(&op->artifact, found)) {
        return STORE_NOT_FOUND;
    }
    return op->unchanged && updated_at_ms != found->updated_at_ms ? STORE_CONFLICT : STORE_OK;
}

void rules_view(store_artifact *a, int64_t at_ms, int64_t views) {
    a->views += views;
    if (at_ms > a->last_viewed_at_ms) {
        a->last_viewed_at_ms = at_ms;
    }
    int64_t expires_at_ms = store_time_add(at_ms, a->ttl_ms);
    if (a->sliding && expires_at_ms > a->expires_at_ms) {
        a->expires_at_ms = expires_at_ms;
    }
}

void rules_apply_touch(store_artifact *a, const store_touch *waiting) {
    if (waiting->last_ms > a->last_viewed_at_ms) {
        rules_view(a, waiting->last_ms, waiting->views);
    }
}

int64_t rules_memory_begin(int64_t now_ms) {
    return now_ms - STORE_MEMORY_MS;
}
