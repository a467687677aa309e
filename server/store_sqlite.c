/*
 * store_sqlite.c - the SQLite engine: opening, closing, who does which operation, failures in
 * words.
 *
 * Entered by any thread. Reads run on the caller's thread, writes on the writer's.
 */
#include "store_sqlite.h"
#include "metrics.h"
#include "store_sqlite_lock.h"
#include "store_sqlite_row.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOUCHES_MAX     8192
#define REPORT_EVERY_MS 60000
#define CLOSE_WAIT_MS   2000 /* for store_remove() to get done */

/* What the person running the daemon can do about a failure. */
static const char *hint_of(int primary) {
    switch (primary) {
    case SQLITE_FULL:
        return ": the disk is full";
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
        return ": check that the file and its folder are writable";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return ": the file is damaged, restore it from a backup";
    default:
        return "";
    }
}

bool sqlite_store_report_is_due(sqlite_store *self, int kind) {
    int64_t now_ms = clock_monotonic_ms();
    size_t slot = (size_t)kind % REPORT_KINDS;
    pthread_mutex_lock(&self->report_lock);
    int64_t last_ms = self->reported_ms[slot];
    bool due = last_ms == 0 || now_ms - last_ms >= REPORT_EVERY_MS;
    if (due) {
        self->reported_ms[slot] = now_ms;
    }
    pthread_mutex_unlock(&self->report_lock);
    return due;
}

store_result sqlite_store_failed(sqlite_store *self, int code, sqlite3 *db, const char *doing) {
    int primary = code & 0xff;
    if (sqlite_store_report_is_due(self, primary)) {
        char line[512];
        /* The connection's message says more, if nothing was run on it since. */
        bool fresh = db != NULL && sqlite3_extended_errcode(db) == code;
        snprintf(line, sizeof line, "database %s: %s failed: %s (SQLite code %d)%s", self->path,
                 doing, fresh ? sqlite3_errmsg(db) : sqlite3_errstr(code), code, hint_of(primary));
        self->options.report(line);
    }
    metrics_add(METRIC_STORE_FAILED, 1);
    switch (primary) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return STORE_BUSY;
    case SQLITE_NOMEM:
        return STORE_NO_MEMORY;
    default:
        return STORE_FAILED;
    }
}

store_result sqlite_store_ended(const sqlite_store *self, int64_t end_ms, int64_t now_ms) {
    return self->options.gone && end_ms > rules_memory_begin(now_ms) ? STORE_GONE : STORE_NOT_FOUND;
}

sqlite_store *sqlite_store_create(const store_options *options) {
    sqlite_store *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    self->base.engine = &store_engine_sqlite;
    self->options = *options;
    self->lock_fd = -1;
    snprintf(self->description, sizeof self->description, "SQLite %s", sqlite3_libversion());
    pthread_mutex_init(&self->report_lock, NULL);
    pthread_mutex_init(&self->reader_lock, NULL);
    pthread_mutex_init(&self->lock, NULL);
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&self->wake, &steady);
    pthread_condattr_destroy(&steady);
    self->touches = store_touches_create(TOUCHES_MAX);
    if (self->touches == NULL) {
        sqlite_store_free(self);
        return NULL;
    }
    return self;
}

void sqlite_store_free(sqlite_store *self) {
    /* The writer is the last of all connections: closing it empties and removes the -wal file. */
    if (self->writer != NULL) {
        sqlite3_close(self->writer);
    }
    /* Closing any descriptor of the file drops SQLite's own locks on it: hence after SQLite. */
    if (self->lock_fd >= 0) {
        close(self->lock_fd);
    }
    store_touches_free(self->touches);
    pthread_mutex_destroy(&self->report_lock);
    pthread_mutex_destroy(&self->reader_lock);
    pthread_mutex_destroy(&self->lock);
    pthread_cond_destroy(&self->wake);
    free(self->path);
    free(self);
}

static void close_store(store *base) {
    sqlite_store *self = (sqlite_store *)base;
    sqlite_store_stop_writer(self);
    sqlite_store_close_readers(self);
    if (self->writer != NULL) {
        if (lock_log(self->lock_fd, CLOSE_WAIT_MS) == LOCK_TAKEN) {
            /* Somebody writes beside us and hangs: the next start empties the log. */
            sqlite3_db_config(self->writer, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        } else {
            sqlite3_wal_checkpoint_v2(self->writer, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
        }
    }
    sqlite_store_free(self);
}

static store *open_store(const store_options *options, char *why, size_t why_size) {
    sqlite_store *self = sqlite_store_create(options);
    if (self == NULL) {
        snprintf(why, why_size, "database %s: out of memory", options->path);
        return NULL;
    }
    if (!sqlite_store_open_file(self, options->path, why, why_size)) {
        goto fail;
    }
    self->options.path = self->path;
    if (!sqlite_store_start_writer(self, why, why_size)) {
        goto fail;
    }
    return &self->base;

fail:
    close_store(&self->base);
    return NULL;
}

static bool submit(store *base, store_op *op) {
    sqlite_store *self = (sqlite_store *)base;
    switch (op->kind) {
    case STORE_READ:
        sqlite_store_read(self, op);
        return true;
    case STORE_PING:
        sqlite_store_ping(self, op);
        return true;
    case STORE_RECALL:
        sqlite_store_recall(self, op);
        return true;
    case STORE_LIST:
        sqlite_store_list(self, op);
        return true;
    case STORE_TOTALS:
        sqlite_store_totals(self, op);
        return true;
    case STORE_NOTE_GET:
        sqlite_store_note_get(self, op);
        return true;
    case STORE_NOTE_LIST:
        sqlite_store_note_list(self, op);
        return true;
    case STORE_INSERT:
    case STORE_VIEW:
    case STORE_UPDATE:
    case STORE_DELETE:
    case STORE_DESCRIBE:
    case STORE_REMEMBER:
    case STORE_NOTE_PUT:
    case STORE_CLEAN:
    case STORE_SWEEP:
        break;
    }
    if (!sqlite_store_enqueue(self, op)) {
        op->result = STORE_BUSY;
        return true;
    }
    return false;
}

static const char *describe(const store *base) {
    return ((const sqlite_store *)base)->description;
}

static uint64_t size_of(const char *path, const char *suffix) {
    char name[PATH_MAX];
    struct stat status;
    int len = snprintf(name, sizeof name, "%s%s", path, suffix);
    bool there = len > 0 && (size_t)len < sizeof name && stat(name, &status) == 0;
    return there ? (uint64_t)status.st_size : 0;
}

static void look(store *base, store_gauges *gauges) {
    sqlite_store *self = (sqlite_store *)base;
    pthread_mutex_lock(&self->lock);
    gauges->waiting = self->queue.count + self->sweeps.count + self->working;
    pthread_mutex_unlock(&self->lock);
    gauges->log_bytes = size_of(self->path, "-wal");
    gauges->file_bytes = size_of(self->path, "");
}

const store_engine store_engine_sqlite = {
    .name = "sqlite",
    .open = open_store,
    .close = close_store,
    .submit = submit,
    .describe = describe,
    .look = look,
    .asset_sets = sqlite_store_asset_sets,
    .remove = sqlite_store_remove,
    .keeps_quotas = true,
    .backup = sqlite_store_backup,
    .restore = sqlite_store_restore,
    .inspect = sqlite_store_inspect,
    .count = sqlite_store_count,
    .tables = &sqlite_tables_engine,
};
