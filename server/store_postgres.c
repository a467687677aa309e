/*
 * store_postgres.c - the PostgreSQL engine: opening, closing, which lane does which operation,
 * failures in words.
 *
 * Entered by any thread. Every operation is done by a lane; none waits on the caller's thread.
 */
#include "store_postgres.h"
#include "store_migrations.h"
#include "store_rules.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TOUCHES_MAX     8192
#define REPORT_EVERY_MS 60000
#define POLL_NS         100000000 /* between tries to reach a server that is starting */

/* What the person running the daemon can do, and what an operation answers. */
static const struct {
    store_result result;
    const char *hint;
} FAILURES[PG_CODES] = {
    [PG_DONE] = {STORE_OK, ""},
    [PG_AGAIN] = {STORE_BUSY, ": other transactions were in the way for too long"},
    [PG_DUPLICATE] = {STORE_FAILED, ""},
    [PG_BUSY] = {STORE_BUSY, ": is it overloaded, or is a lock held?"},
    [PG_LOST] = {STORE_BUSY, ": is it running, and reachable from here?"},
    [PG_REFUSED] = {STORE_FAILED, ""},
    [PG_NO_MEMORY] = {STORE_NO_MEMORY, ": out of memory"},
};

store_result pg_store_failed(pg_store *self, const pg_link *link, pg_code code, const char *doing) {
    int64_t now_ms = clock_monotonic_ms();
    pthread_mutex_lock(&self->report_lock);
    int64_t last_ms = self->reported_ms[code];
    bool due = last_ms == 0 || now_ms - last_ms >= REPORT_EVERY_MS;
    if (due) {
        self->reported_ms[code] = now_ms;
    }
    pthread_mutex_unlock(&self->report_lock);
    if (due) {
        char line[768];
        snprintf(line, sizeof line, "database %s: %s failed: %s%s", self->place, doing, link->words,
                 FAILURES[code].hint);
        self->options.report(line);
    }
    return FAILURES[code].result;
}

store_result pg_store_ended(const pg_store *self, int64_t end_ms, int64_t now_ms) {
    return self->options.gone && end_ms > rules_memory_begin(now_ms) ? STORE_GONE : STORE_NOT_FOUND;
}

void pg_store_answer(op_list *list) {
    for (store_op *op = op_pop(list); op != NULL; op = op_pop(list)) {
        op->done(op);
    }
}

/* ---- lanes ---- */

bool pg_lane_start(pg_store *self, pg_lane *lane, void *(*run)(void *), const char *name, char *why,
                   size_t why_size) {
    /* Signals are the main thread's. */
    sigset_t all;
    sigset_t before;
    lane->self = self;
    lane->link.self = self;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&lane->thread, NULL, run, lane);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    lane->started = error == 0;
    if (lane->started) {
        pthread_setname_np(lane->thread, name);
    } else {
        snprintf(why, why_size, "database %s: cannot start a thread: %s", self->place,
                 strerror(error));
    }
    return lane->started;
}

void pg_lane_join(pg_lane *lane) {
    if (lane->started) {
        pthread_join(lane->thread, NULL);
    }
    pg_link_close(&lane->link);
    free(lane->state);
}

/* ---- opening and closing ---- */

/* Writes where the database is, without what is secret. False: libpq cannot read the URL. */
static bool name_place(pg_store *self) {
    const char *user = "";
    const char *host = "";
    const char *port = "";
    const char *name = "";
    PQconninfoOption *options = PQconninfoParse(self->url, NULL);
    for (PQconninfoOption *o = options; o != NULL && o->keyword != NULL; o++) {
        const char *value = o->val == NULL ? "" : o->val;
        if (strcmp(o->keyword, "user") == 0) {
            user = value;
        } else if (strcmp(o->keyword, "host") == 0) {
            host = value;
        } else if (strcmp(o->keyword, "port") == 0) {
            port = value;
        } else if (strcmp(o->keyword, "dbname") == 0) {
            name = value;
        }
    }
    snprintf(self->place, sizeof self->place, "postgresql://%s%s%s%s%s/%s", user,
             user[0] == '\0' ? "" : "@", host, port[0] == '\0' ? "" : ":", port, name);
    PQconninfoFree(options);
    return options != NULL;
}

pg_store *pg_store_create(const store_options *options, char *why, size_t why_size) {
    pg_store *self = calloc(1, sizeof *self);
    if (self == NULL) {
        snprintf(why, why_size, "database: out of memory");
        return NULL;
    }
    self->base.engine = &store_engine_postgres;
    self->options = *options;
    pthread_mutex_init(&self->report_lock, NULL);
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->read_wake, NULL);
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&self->write_wake, &steady);
    pthread_condattr_destroy(&steady);
    self->url = strdup(options->path);
    self->options.path = self->url;
    self->touches = store_touches_create(TOUCHES_MAX);
    bool named = self->url != NULL && name_place(self);
    if (!named || self->touches == NULL) {
        snprintf(why, why_size,
                 named || self->url == NULL
                     ? "database: out of memory"
                     : "the database URL cannot be read: --db or DB_PATH has the form "
                       "postgresql://user:password@host:port/name?option=value");
        pg_store_free(self);
        return NULL;
    }
    return self;
}

void pg_store_free(pg_store *self) {
    store_touches_free(self->touches);
    pthread_mutex_destroy(&self->report_lock);
    pthread_mutex_destroy(&self->lock);
    pthread_cond_destroy(&self->read_wake);
    pthread_cond_destroy(&self->write_wake);
    free(self->url);
    free(self);
}

static void close_store(store *base) {
    pg_store *self = (pg_store *)base;
    pthread_mutex_lock(&self->lock);
    self->closing = true;
    pthread_cond_broadcast(&self->read_wake);
    pthread_cond_broadcast(&self->write_wake);
    pthread_mutex_unlock(&self->lock);
    for (size_t i = 0; i < PG_READERS; i++) {
        pg_lane_join(&self->readers[i]);
    }
    pg_lane_join(&self->writer);
    pg_store_free(self);
}

/* Waits for a server that is just starting, or changing places with another. */
pg_code pg_store_reach(pg_store *self, pg_link *link, char *why, size_t why_size) {
    int64_t give_up_ms = clock_monotonic_ms() + self->options.busy_timeout_ms;
    pg_code code;
    link->self = self;
    while ((code = pg_link_open(link, 0, 0)) == PG_LOST && clock_monotonic_ms() < give_up_ms) {
        nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
    }
    if (code != PG_DONE) {
        snprintf(why, why_size, "database %s cannot be reached: %s", self->place, link->words);
    }
    return code;
}

/* "PostgreSQL 15.8": the first two words of what the server calls itself. */
static bool describe_server(pg_store *self, pg_link *link) {
    PGresult *result = pg_alone(link, "SELECT version()");
    if (result == NULL) {
        return false;
    }
    const char *version = PQgetvalue(result, 0, 0);
    size_t len = strcspn(version, " ");
    len += version[len] == ' ' ? 1 + strcspn(version + len + 1, " ") : 0;
    snprintf(self->description, sizeof self->description, "%.*s", (int)(len > 60 ? 60 : len),
             version);
    PQclear(result);
    return true;
}

static store *open_store(const store_options *options, char *why, size_t why_size) {
    pg_link link = {0};
    if (options->quota_rows > 0 || options->quota_bytes > 0) {
        snprintf(why, why_size,
                 "--quota is kept for SQLite only: limit the tablespace of a PostgreSQL database");
        return NULL;
    }
    pg_store *self = pg_store_create(options, why, why_size);
    if (self == NULL) {
        return NULL;
    }
    bool well = pg_store_reach(self, &link, why, why_size) == PG_DONE &&
                pg_schema_prepare(self, &link, false, why, why_size) &&
                pg_tables_serve(self, &link, why, why_size);
    if (well && !describe_server(self, &link)) {
        snprintf(why, why_size, "database %s does not answer: %s", self->place, link.words);
        well = false;
    }
    pg_link_close(&link);
    if (well && pg_readers_start(self, why, why_size) && pg_writer_start(self, why, why_size)) {
        return &self->base;
    }
    close_store(&self->base);
    return NULL;
}

/* ---- operations ---- */

static bool submit(store *base, store_op *op) {
    pg_store *self = (pg_store *)base;
    bool reads = op->kind == STORE_READ || op->kind == STORE_RECALL || op->kind == STORE_PING ||
                 op->kind == STORE_LIST || op->kind == STORE_NOTE_GET ||
                 op->kind == STORE_NOTE_LIST || op->kind == STORE_TOTALS;
    op->since_ms = clock_monotonic_ms();
    if (!reads) {
        op->count = 0;
    }
    pthread_mutex_lock(&self->lock);
    size_t waiting = reads ? self->reads.count + self->reading
                           : self->queue.count + self->sweeps.count + self->working;
    bool room = !self->closing && waiting < self->options.queue;
    if (room) {
        op_push(reads ? &self->reads : op->kind == STORE_SWEEP ? &self->sweeps : &self->queue, op);
        pthread_cond_signal(reads ? &self->read_wake : &self->write_wake);
    }
    pthread_mutex_unlock(&self->lock);
    if (!room) {
        op->result = STORE_BUSY;
    }
    return !room;
}

/* The database's own sizes are the database's to tell. */
static void look(store *base, store_gauges *gauges) {
    pg_store *self = (pg_store *)base;
    pthread_mutex_lock(&self->lock);
    gauges->waiting = self->queue.count + self->sweeps.count + self->working;
    pthread_mutex_unlock(&self->lock);
}

static const char *describe(const store *base) {
    return ((const pg_store *)base)->description;
}

const store_engine store_engine_postgres = {
    .name = "postgres",
    .open = open_store,
    .close = close_store,
    .submit = submit,
    .describe = describe,
    .look = look,
    .asset_sets = pg_store_asset_sets,
    .remove = pg_store_remove,
    .tables = &pg_tables_engine,
    .instead = "use PostgreSQL's pg_dump, pg_restore and psql",
};
