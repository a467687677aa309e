/*
 * service.h - what ties the daemon together: made by main.c before the first request, fixed until
 * the last has ended. Handlers get it from http_service().
 */
#ifndef ARXD_SERVICE_H
#define ARXD_SERVICE_H

#include "config.h"
#include "route.h"

typedef struct service {
    const server_config *config;
    struct store *store;         /* links; thread-safe */
    struct backups *backups;     /* those it makes by itself; NULL: none */
    struct jobs *jobs;           /* the worker pool; thread-safe */
    struct images *images;       /* primed models the workers share */
    struct asset_sets *sets;     /* immutable */
    struct asset_table *assets;  /* their files, immutable */
    struct page_table *page;     /* the built page, immutable */
    struct discovery *discovery; /* documents, immutable */
    struct raw_cache *raw_cache; /* decoded bodies */
    struct tokens *tokens;       /* NULL: no tokens file; thread-safe */
    struct limits *limits;       /* who has had how much lately; thread-safe */
    struct jobs_table *encodes;  /* encodes nobody waits for; thread-safe */
    struct actions *actions;     /* what agents can do, immutable */
    struct exchanges *exchanges; /* requests of agents and their answers; thread-safe */
    struct mcp_tools *tool_list; /* the actions as MCP tools, immutable */
    struct events *events;       /* what happens, for those who listen; thread-safe */
    struct stats *stats;         /* what the store holds; thread-safe */
    const route *routes;
    size_t route_count;
} service;

#endif
