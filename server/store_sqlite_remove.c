/*
 * store_sqlite_remove.c - store_remove(): the operator deletes one link.
 *
 * A daemon may have the database open, and must not be disturbed. SQLite lets a second connection
 * write; what it must not do up to 3.51.2 is write while the daemon checkpoints, so it holds the
 * lock that excludes that (store_sqlite_lock.h), and it never checkpoints itself. If there is no
 * daemon, it takes the daemon's place for as long as it runs and leaves a clean file.
 *
 * One thread, its own process's only.
 */
#include "store_migrations.h"
#include "store_sqlite_apply.h"
#include "store_sqlite_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define POLL_NS 1000000

/*
 * SQLite's own waiting sleeps longer and longer; a busy daemon leaves only a few milliseconds
 * between its transactions for whoever holds the log's lock.
 */
static int wait_for_turn(void *opaque, int tries) {
    (void)tries;
    nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
    return clock_monotonic_ms() < *(const int64_t *)opaque;
}

/* What went wrong is told in `why`. */
static void no_report(const char *line) {
    (void)line;
}

/* Sets path and lock_fd, and holds the locks. alone: no daemon has the database. */
static store_result open_place(sqlite_store *self, const char *path, bool *alone, char *why,
                               size_t why_size) {
    self->lock_fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY);
    self->path = self->lock_fd < 0 ? NULL : realpath(path, NULL);
    if (self->path == NULL) {
        snprintf(why, why_size,
                 "cannot open database %s as uid %ld: %s: name the daemon's own with --db and be "
                 "a user who may write it",
                 path, (long)geteuid(), strerror(errno));
        return STORE_FAILED;
    }
    *alone = lock_place(self->lock_fd, 0) == LOCK_HELD;
    lock_result log = lock_log(self->lock_fd, self->options.busy_timeout_ms);
    if (log == LOCK_HELD || (log == LOCK_NONE && *alone)) {
        return STORE_OK;
    }
    snprintf(why, why_size, "database %s %s", path,
             log == LOCK_TAKEN ? "is busy: try again"
                               : "is on a file system without locks: stop the daemon first");
    return log == LOCK_TAKEN ? STORE_BUSY : STORE_FAILED;
}

static store_result broken(sqlite_store *self, int code, char *why, size_t why_size) {
    store_result result = sqlite_store_failed(self, code, self->writer, "delete");
    snprintf(why, why_size, "database %s: cannot delete: %s%s", self->path,
             sqlite3_errmsg(self->writer),
             result == STORE_BUSY ? ": stop the program that holds it or try again" : "");
    return result;
}

static store_result open_file(sqlite_store *self, bool alone, char *why, size_t why_size) {
    int64_t found[2] = {0};
    static const char *const marks[] = {"PRAGMA application_id", "PRAGMA user_version"};
    int code = sqlite3_open_v2(
        self->path, &self->writer,
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, NULL);
    if (self->writer == NULL) {
        snprintf(why, why_size, "database %s: out of memory", self->path);
        return STORE_NO_MEMORY;
    }
    sqlite3_extended_result_codes(self->writer, 1);
    sqlite3_busy_timeout(
        self->writer,
        (int)(self->options.busy_timeout_ms > 3600000 ? 3600000 : self->options.busy_timeout_ms));
    sqlite3_db_config(self->writer, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !alone, NULL);
    sqlite3_db_config(self->writer, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_exec(self->writer,
                            "PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = FULL;"
                            "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON",
                            NULL, NULL, NULL);
    }
    for (size_t i = 0; i < 2 && code == SQLITE_OK; i++) {
        sqlite3_stmt *query = NULL;
        code = sqlite3_prepare_v2(self->writer, marks[i], -1, &query, NULL);
        if (code == SQLITE_OK) {
            int stepped = sqlite3_step(query);
            found[i] = sqlite3_column_int64(query, 0);
            code = stepped == SQLITE_ROW ? SQLITE_OK : stepped;
        }
        sqlite3_finalize(query);
    }
    if (code != SQLITE_OK) {
        return broken(self, code, why, why_size);
    }
    if (found[0] != SQLITE_STORE_APPLICATION_ID || found[1] != (int64_t)migrations_sqlite_count) {
        snprintf(why, why_size,
                 "database %s is not one that this arxd runs on: name the daemon's own with --db, "
                 "or start arxd on it first",
                 self->path);
        return STORE_FAILED;
    }
    return STORE_OK;
}

static store_result delete_row(sqlite_store *self, const uint8_t *id, char *why, size_t why_size) {
    writer w = {.self = self, .db = self->writer};
    store_op op = {.kind = STORE_DELETE};
    store_result result = STORE_NOT_FOUND;
    memcpy(op.artifact.id, id, STORE_ID_BYTES);
    int code = writer_prepare(&w);
    if (code == SQLITE_DONE) {
        int64_t give_up_ms = clock_monotonic_ms() + self->options.busy_timeout_ms;
        sqlite3_busy_handler(self->writer, wait_for_turn, &give_up_ms);
        code = writer_run(&w, WRITE_BEGIN);
        sqlite3_busy_timeout(self->writer, 0); /* the handler ends with this block */
    }
    if (code == SQLITE_DONE) {
        result = writer_apply(&w, &op);
        code = result == STORE_OK ? writer_run(&w, WRITE_COMMIT) : SQLITE_DONE;
    }
    if (code != SQLITE_DONE || (result != STORE_OK && result != STORE_NOT_FOUND)) {
        result = broken(self, code == SQLITE_DONE ? sqlite3_extended_errcode(w.db) : code, why,
                        why_size);
    }
    writer_rollback(&w);
    writer_release(&w);
    return result;
}

store_result sqlite_store_remove(const store_options *options, const uint8_t id[STORE_ID_BYTES],
                                 char *why, size_t why_size) {
    bool alone = false;
    store_options quiet = *options;
    quiet.report = no_report;
    sqlite_store *self = sqlite_store_create(&quiet);
    if (self == NULL) {
        snprintf(why, why_size, "database %s: out of memory", options->path);
        return STORE_NO_MEMORY;
    }
    store_result result = open_place(self, options->path, &alone, why, why_size);
    if (result == STORE_OK) {
        result = open_file(self, alone, why, why_size);
    }
    if (result == STORE_OK) {
        result = delete_row(self, id, why, why_size);
    }
    sqlite_store_free(self);
    return result;
}
