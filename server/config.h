/*
 * config.h - what can be set from outside: one table of flags, variables, defaults and ranges.
 *
 * A flag wins over its variable, that over the default. Parsing, validation and the help text come
 * from the same table (config.c). Used once, before the first thread.
 */
#ifndef ARXD_CONFIG_H
#define ARXD_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "allowance.h"
#include "log.h"

#define CONFIG_OPERANDS 3

/* Strings are borrowed from argv and the environment; `compat` is owned. */
typedef struct server_config {
    const char *host;
    uint32_t port;
    const char *db;
    const char *assets; /* NULL: built in */
    char **compat;      /* folders of sets that are only read */
    size_t compat_count;
    char *public_url; /* no slash at its end, owned; NULL: from the request */
    uint32_t ttl_hours;
    uint32_t max_ttl_hours;
    uint32_t max_body_bytes;
    uint32_t threads;
    uint32_t workers;
    uint32_t queue;
    uint32_t encode_deadline_ms;
    uint32_t image_mb;
    uint32_t raw_cache_mb;
    const char *tokens_file; /* NULL: none */
    bool open;
    bool open_writes;
    bool gone;
    const char *backups; /* folder; NULL: makes none by itself */
    uint32_t trusted_hops;
    allowance quota; /* rows and bytes of the whole database */
    allowance rates; /* of each address; a token's may be others */
    uint32_t max_connections;
    uint32_t max_per_address;
    char *metrics_host; /* owned; NULL: no metrics */
    uint32_t metrics_port;
    log_format log_format;
    log_level log_level;
    uint32_t shutdown_grace_ms;
    /* What follows a command; NULL where less was given. */
    const char *operands[CONFIG_OPERANDS];
} server_config;

typedef enum config_action {
    CONFIG_RUN,
    CONFIG_HELP,
    CONFIG_VERSION,
    CONFIG_HEALTHCHECK,
    CONFIG_TOKEN,   /* operands: name, scopes, expiry or NULL */
    CONFIG_DELETE,  /* operands: id */
    CONFIG_BACKUP,  /* operands: file */
    CONFIG_RESTORE, /* operands: file */
    CONFIG_COPY,    /* operands: from, to */
    CONFIG_CHECK,
    CONFIG_STATS,
    CONFIG_WRONG, /* `why` names the setting, its value and what is allowed */
} config_action;

/*
 * Fills `config` (caller: config_clear(), whatever the answer). lookup: getenv, or a test's own.
 * An empty variable counts as not set.
 */
config_action config_parse(server_config *config, int argc, char *const *argv,
                           const char *(*lookup)(const char *name), char *why, size_t why_size);
void config_clear(server_config *config);

/* Is `host` reachable from this machine alone? */
bool config_is_loopback(const char *host);

/* The path that links start with: "" or, from --public-url, "/below". Borrowed. */
const char *config_base_path(const server_config *config);

/* What messages call the database: a URL may hold a password. */
const char *config_db_name(const server_config *config);

void config_print_help(FILE *out);

#endif
