/*
 * link_options.h - how a link is to be kept: what POST and PUT /api/artifacts, /encode with `store`
 * and /share let a client say beside the content.
 *
 *     "ttl_seconds" (60 to --max-ttl-hours), "sliding", "max_views" (1 to 1,000,000), "asset_set"
 *
 * An option that is null counts as not given. Pure.
 */
#ifndef ARXD_LINK_OPTIONS_H
#define ARXD_LINK_OPTIONS_H

#include <jansson.h>

#include "config.h"
#include "reply.h"
#include "store.h"

#define TTL_MIN_SECONDS 60u
#define MAX_VIEWS_LIMIT 1000000u

typedef struct link_options {
    /* Those not given have their preset. */
    bool has_ttl;
    bool has_sliding;
    bool has_max_views;
    int64_t ttl_ms;
    bool sliding;
    int64_t max_views;     /* 0: no limit */
    const char *asset_set; /* id, borrowed; NULL: not said */
} link_options;

void link_options_init(const server_config *config, link_options *options);

/* Reads the members of a body. API_OK, or API_INVALID_OPTION with the text in `message`. */
api_result link_options_read(const server_config *config, const json_t *root, link_options *options,
                             arx_buf *message);
/* The same for a lifetime written in digits, of a query. */
api_result link_options_read_ttl(const server_config *config, const char *text,
                                 link_options *options, arx_buf *message);
/* One member that is true or false; `*flag` stays when it is not given. */
api_result link_options_read_flag(const json_t *root, const char *name, bool *flag,
                                  arx_buf *message);

/* Fills in ttl_ms, sliding and max_views; for an update, keeps those that were not given. */
void link_options_apply(const link_options *options, store_op *op);

#endif
