/*
 * main.c - arxd: puts the parts together, runs until told to stop, takes them apart again.
 *
 * Threads, and who may call what:
 *
 *   main            this file and timer.c: start, signals, jobs_expire(), http_enforce_pace(), the
 *                   hourly sweep, the tokens file when told to read it again, stop
 *   event threads   http*.c and every handler; http_wake() is the only call others make into them.
 *                   They submit to jobs and store, and read everything in `service`
 *   workers         jobs.c and the tasks it is given; they end with a job's `finished`
 *   store's threads store_*.c; they end with an op's `done`
 *   backups         backups.c; a connection of its own to the database, and nothing else
 *
 * Both ends call http_wake() and then no longer touch what belongs to the request. Configuration,
 * asset sets and tables are made before the second thread and never change.
 *
 * The stop goes the other way round than the start: HTTP first, while jobs and store still answer,
 * so that what is in flight can be finished or cancelled.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "actions.h"
#include "asset_sets.h"
#include "asset_table.h"
#include "backups.h"
#include "clock.h"
#include "commands.h"
#include "discovery.h"
#include "embedded.h"
#include "events.h"
#include "exchanges.h"
#include "healthcheck.h"
#include "images.h"
#include "jobs.h"
#include "jobs_table.h"
#include "mcp_tools.h"
#include "metrics.h"
#include "metrics_page.h"
#include "oui/observer.h"
#include "page_table.h"
#include "rate_limits.h"
#include "raw_cache.h"
#include "service.h"
#include "stats.h"
#include "store.h"
#include "timer.h"
#include "tokens.h"
#include "version.h"

enum {
    EXIT_STOPPED = 0,
    EXIT_NOT_DRAINED = 1,
    EXIT_UNWELL = 1,
    EXIT_CANNOT_START = 2,
};

#define WHY_SIZE       512
#define IDLE_TIMEOUT_S 30
#define SPARE_FILES    128 /* database, listener, epoll and the like */

/* Encodes nobody waits for, with their results. */
#define ENCODES_MAX       4096
#define ENCODES_MAX_BYTES ((size_t)64 << 20)

/* What agents were answered. */
#define EXCHANGES_MAX_BYTES ((size_t)64 << 20)

/* Addresses and tokens whose use of late is remembered: 2 MB. */
#define LIMITED_CALLERS 32768

/* One scraper, or a few people who look. */
#define METRICS_CONNECTIONS 32
#define METRICS_GRACE_MS    100

static const char *environment(const char *name) {
    return getenv(name);
}

/* Room for --max-connections sockets, as far as the system lets us. */
static void raise_file_limit(unsigned connections) {
    struct rlimit limit;
    rlim_t wanted = (rlim_t)connections + SPARE_FILES;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) {
        return;
    }
    limit.rlim_cur =
        limit.rlim_max == RLIM_INFINITY || limit.rlim_max > wanted ? wanted : limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < wanted) {
        log_write(LOG_WARN,
                  "%llu open files are allowed, fewer than --max-connections %u would need",
                  (unsigned long long)limit.rlim_cur, connections);
    }
}

/* ---- the check that no stored link loses its asset set ---- */

typedef struct orphans {
    const asset_sets *sets;
    char set[STORE_SET_CHARS + 1];
    uint64_t rows; /* of the first set that is not loaded */
} orphans;

static void look_for_orphans(void *opaque, const char *set, uint64_t rows) {
    orphans *found = opaque;
    if (found->rows == 0 && asset_sets_find(found->sets, set) == NULL) {
        (void)snprintf(found->set, sizeof found->set, "%s", set);
        found->rows = rows;
    }
}

static bool no_orphans(const service *self, char *why, size_t why_size) {
    orphans found = {.sets = self->sets};
    if (store_asset_sets(self->store, look_for_orphans, &found) != STORE_OK) {
        (void)snprintf(why, why_size, "cannot read the links' asset sets from %s",
                       config_db_name(self->config));
        return false;
    }
    if (found.rows > 0) {
        (void)snprintf(why, why_size,
                       "%llu stored links need asset set %s, which is not loaded: name its folder "
                       "with --compat or ARXD_COMPAT_ASSETS",
                       (unsigned long long)found.rows, found.set);
        return false;
    }
    return true;
}

/* ---- parts ---- */

static void close_parts(service *self) {
    jobs_stop(self->jobs);
    images_free(self->images);
    limits_free(self->limits);
    raw_cache_free(self->raw_cache);
    page_table_free(self->page);
    asset_table_free(self->assets);
    asset_sets_free(self->sets);
    backups_close(self->backups); /* its reading would keep the store from emptying its log */
    store_close(self->store);
    jobs_table_free(self->encodes); /* the store's last answers went there */
    exchanges_free(self->exchanges);
    events_free(self->events);
    stats_free(self->stats);
    mcp_tools_free(self->tool_list);
    actions_free(self->actions);
    discovery_free(self->discovery);
    tokens_free(self->tokens);
}

/* Of whoever made a link, for the store. */
static void quota_of(void *opaque, const uint8_t maker[STORE_HASH_BYTES], uint64_t *links,
                     uint64_t *bytes) {
    tokens_quota(opaque, maker, links, bytes);
}

/* Everything but HTTP. On failure what was opened is left for close_parts(). */
static bool open_parts(service *self, char *why, size_t why_size) {
    const server_config *config = self->config;
    store_options stored = command_store(config);
    if (config->tokens_file != NULL) {
        bool quotas = store_keeps_quotas(&stored);
        self->tokens = tokens_open(config->tokens_file, quotas, why, why_size);
        if (self->tokens == NULL) {
            return false;
        }
    }
    self->actions = actions_open(embedded_actions, embedded_actions_len, why, why_size);
    self->tool_list = self->actions == NULL ? NULL : mcp_tools_open(self->actions, why, why_size);
    if (self->tool_list == NULL) {
        return false;
    }
    if (self->tokens != NULL) {
        stored.maker_quota = quota_of;
        stored.maker_opaque = self->tokens;
    }
    if (config->backups != NULL) {
        self->backups = backups_open(config->backups, &stored, why, why_size);
        if (self->backups == NULL) {
            return false;
        }
    }
    self->store = store_open(&stored, why, why_size);
    if (self->store == NULL) {
        return false;
    }
    if (!timer_sweep_now(self->store)) {
        (void)snprintf(why, why_size, "cannot delete expired links in %s: is it writable?",
                       config_db_name(config));
        return false;
    }
    self->sets =
        asset_sets_open(config->assets, config->compat, config->compat_count, why, why_size);
    if (self->sets == NULL || !no_orphans(self, why, why_size)) {
        return false;
    }
    self->assets = asset_table_create(self->sets, why, why_size);
    if (self->assets == NULL) {
        return false;
    }
    self->page = page_table_create(config_base_path(config), why, why_size);
    if (self->page == NULL) {
        return false;
    }
    self->images = images_create((size_t)config->image_mb << 20);
    self->limits = limits_create(LIMITED_CALLERS);
    self->raw_cache = raw_cache_create((size_t)config->raw_cache_mb << 20);
    self->discovery = discovery_create();
    self->encodes = jobs_table_create(ENCODES_MAX, ENCODES_MAX_BYTES);
    self->stats = stats_create(self->store);
    self->exchanges = exchanges_create(EXCHANGES_MAX_BYTES);
    self->events = events_create();
    if (self->images != NULL && self->limits != NULL && self->raw_cache != NULL &&
        self->discovery != NULL && self->encodes != NULL && self->stats != NULL &&
        self->exchanges != NULL && self->events != NULL) {
        stats_refresh(self->stats, clock_monotonic_ms());
        self->jobs = jobs_start(config->workers, config->queue, images_source(self->images));
    }
    if (self->backups != NULL && !backups_start(self->backups)) {
        (void)snprintf(why, why_size, "cannot start the thread that makes backups");
        return false;
    }
    if (self->jobs == NULL) {
        (void)snprintf(why, why_size, "no memory or threads for %u workers; see --workers",
                       (unsigned)config->workers);
        return false;
    }
    return true;
}

static http_server *open_http(service *self, char *why, size_t why_size) {
    const server_config *config = self->config;
    const http_options options = {
        .host = config->host,
        .port = (uint16_t)config->port,
        .threads = config->threads,
        .max_connections = config->max_connections,
        .max_per_address = config->max_per_address,
        .idle_timeout_s = IDLE_TIMEOUT_S,
        .public_url = config->public_url,
        .trusted_hops = config->trusted_hops,
        .app = &route_app,
        .service = self,
    };
    return http_start(&options, why, why_size);
}

/* On a listener of its own: what is public may be behind a proxy that lets everybody in. */
static http_server *open_metrics(metrics_source *source, char *why, size_t why_size) {
    const server_config *config = source->service->config;
    const http_options options = {
        .host = config->metrics_host,
        .port = (uint16_t)config->metrics_port,
        .threads = 1,
        .max_connections = METRICS_CONNECTIONS,
        .idle_timeout_s = IDLE_TIMEOUT_S,
        .app = &metrics_app,
        .service = source,
    };
    return http_start(&options, why, why_size);
}

static void log_listening(const char *what, const char *host, uint16_t port, const char *more) {
    bool v6 = strchr(host, ':') != NULL;
    log_write(LOG_INFO, "%s http://%s%s%s:%u%s", what, v6 ? "[" : "", host, v6 ? "]" : "",
              (unsigned)port, more);
}

/* http_stop()'s last resort: every request that waits for a worker is woken. */
static void cancel_jobs(void *opaque) {
    const service *self = opaque;
    jobs_cancel_all(self->jobs);
}

/* With a line in `why` if it could not start. */
static int serve(const server_config *config, char *why, size_t why_size) {
    service self = {.config = config, .routes = route_table, .route_count = route_table_count};
    int status = EXIT_CANNOT_START;

    timer_block_signals();
    (void)signal(SIGPIPE, SIG_IGN);
    raise_file_limit(config->max_connections);
    http_server *server = open_parts(&self, why, why_size) ? open_http(&self, why, why_size) : NULL;
    http_server *metrics = NULL;
    metrics_source source = {.service = &self, .server = server, .version = ARXD_VERSION};
    if (server == NULL) {
        goto out;
    }
    if (config->metrics_host != NULL) {
        metrics = open_metrics(&source, why, why_size);
        if (metrics == NULL) {
            (void)http_stop(server, 0, cancel_jobs);
            goto out;
        }
        log_listening("metrics are on", config->metrics_host, http_port(metrics), "/metrics");
    }
    char with[128];
    (void)snprintf(with, sizeof with, " (%s, asset set %s)", store_describe(self.store),
                   arx_assets_id(asset_sets_active(self.sets)));
    log_listening("arxd " ARXD_VERSION " listens on", config->host, http_port(server), with);

    if (config->tokens_file == NULL && !config_is_loopback(config->host)) {
        log_write(LOG_WARN, "everybody who reaches it can create links (--open); see --tokens");
    }
    int got = timer_run(&self, (http_server *const[]){server, metrics, NULL});
    log_write(LOG_DEBUG, "stopping on signal %d", got);
    status = EXIT_STOPPED;
    oui_observe_end(&self);
    exchanges_wake_all(self.exchanges); /* who waits for an answer is told to ask again */
    if (metrics != NULL) {
        (void)http_stop(metrics, METRICS_GRACE_MS, NULL);
    }
    if (!http_stop(server, config->shutdown_grace_ms, cancel_jobs)) {
        log_write(LOG_WARN, "stopped with requests unanswered after %u ms",
                  (unsigned)config->shutdown_grace_ms);
        status = EXIT_NOT_DRAINED;
    }

out:
    close_parts(&self);
    return status;
}

int main(int argc, char **argv) {
    server_config config;
    char why[WHY_SIZE] = "";
    int status = EXIT_CANNOT_START;
    config_action wanted = config_parse(&config, argc, argv, environment, why, sizeof why);
    switch (wanted) {
    case CONFIG_RUN:
        log_open(config.log_format, config.log_level);
        status = serve(&config, why, sizeof why);
        break;
    case CONFIG_HELP:
        config_print_help(stdout);
        status = EXIT_SUCCESS;
        break;
    case CONFIG_VERSION:
        (void)puts("arxd " ARXD_VERSION);
        status = EXIT_SUCCESS;
        break;
    case CONFIG_HEALTHCHECK:
        status = healthcheck(config.host, (uint16_t)config.port, why, sizeof why) ? EXIT_SUCCESS
                                                                                  : EXIT_UNWELL;
        break;
    case CONFIG_TOKEN:
    case CONFIG_DELETE:
    case CONFIG_BACKUP:
    case CONFIG_RESTORE:
    case CONFIG_COPY:
    case CONFIG_CHECK:
    case CONFIG_STATS:
        log_open(config.log_format, config.log_level);
        status = command_run(wanted, &config, why, sizeof why);
        break;
    case CONFIG_WRONG:
        break;
    }
    if (why[0] != '\0') {
        (void)fprintf(stderr, "arxd: %s\n", why);
    }
    config_clear(&config);
    metrics_free();
    return status;
}
