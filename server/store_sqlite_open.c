/*
 * store_sqlite_open.c - from a path to a database of our version.
 *
 * Runs on the thread that opens the store, before any other exists. Everything that can be wrong
 * with the place ends as one line that names the path and what to change.
 */
#include "store_migrations.h"
#include "store_sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Marks a file as ours besides user_version: "arxd". */
#define APPLICATION_ID 0x61727864

/* Makes every missing folder above `path`. False with errno. */
static bool make_folders(const char *path) {
    char *folder = store_copy(path, strlen(path));
    if (folder == NULL) {
        errno = ENOMEM;
        return false;
    }
    bool made = true;
    for (char *at = strchr(folder + 1, '/'); at != NULL && made; at = strchr(at + 1, '/')) {
        *at = '\0';
        made = mkdir(folder, 0750) == 0 || errno == EEXIST;
        if (!made) {
            /* mkdir says EROFS or EACCES also for folders that are there. */
            int error = errno;
            made = access(folder, X_OK) == 0;
            errno = error;
        }
        *at = '/';
    }
    free(folder);
    return made;
}

static bool cannot(char *why, size_t why_size, const char *path, const char *what,
                   const char *hint) {
    snprintf(why, why_size, "cannot %s database %s as uid %ld: %s: %s", what, path, (long)geteuid(),
             strerror(errno), hint);
    return false;
}

/* Opens or creates the file and finds its absolute name. */
static bool open_place(sqlite_store *self, const char *path, char *why, size_t why_size) {
    if (!make_folders(path)) {
        return cannot(why, why_size, path, "create the folder of",
                      "make it writable for that user or name another file with --db");
    }
    self->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0640);
    if (self->lock_fd < 0) {
        return cannot(why, why_size, path, "open",
                      errno == EISDIR
                          ? "name a file in it"
                          : "make the file and its folder writable for that user or name another "
                            "file with --db");
    }
    struct stat status;
    if (fstat(self->lock_fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        snprintf(why, why_size, "database %s is no regular file: name another with --db", path);
        return false;
    }
    self->device = status.st_dev;
    self->inode = status.st_ino;
    self->path = realpath(path, NULL);
    if (self->path == NULL) {
        return cannot(why, why_size, path, "find", "name another file with --db");
    }
    /* SQLite keeps -wal and -shm beside the file, so a writable file alone is not enough. */
    char *slash = strrchr(self->path, '/');
    size_t folder_len = slash == self->path ? 1 : (size_t)(slash - self->path);
    char *folder = store_copy(self->path, folder_len);
    if (folder == NULL) {
        errno = ENOMEM;
        return cannot(why, why_size, path, "open", "free some memory");
    }
    bool writable = access(folder, W_OK | X_OK) == 0;
    free(folder);
    if (!writable) {
        return cannot(why, why_size, path, "write beside",
                      "the folder must be writable for that user (mount the folder, not the file)");
    }
    return true;
}

/* Keeps a second store away, ours or another process's, for as long as the descriptor lives. */
static bool lock_place(sqlite_store *self, char *why, size_t why_size) {
    int64_t give_up_ms = clock_monotonic_ms() + self->options.busy_timeout_ms;
    while (flock(self->lock_fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno == ENOLCK || errno == ENOTSUP || errno == EINVAL) {
            return true; /* a file system without such locks: nothing to hold */
        }
        if (errno != EWOULDBLOCK && errno != EINTR) {
            return cannot(why, why_size, self->path, "lock", "name another file with --db");
        }
        if (clock_monotonic_ms() >= give_up_ms) {
            snprintf(why, why_size,
                     "database %s is in use by another arxd: stop that one first or name another "
                     "file with --db",
                     self->path);
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    return true;
}

static bool broken(sqlite_store *self, const char *doing, char *why, size_t why_size) {
    bool held = (sqlite3_errcode(self->writer) & 0xff) == SQLITE_BUSY;
    snprintf(why, why_size, "database %s: %s: %s: %s", self->path, doing,
             sqlite3_errmsg(self->writer),
             held ? "stop the program that holds it" : "name another file with --db or restore it");
    return false;
}

/* The first column of a query's first row. */
static bool query_int(sqlite3 *db, const char *sql, int64_t *value) {
    sqlite3_stmt *query = NULL;
    bool found = false;
    if (sqlite3_prepare_v2(db, sql, -1, &query, NULL) == SQLITE_OK &&
        sqlite3_step(query) == SQLITE_ROW) {
        *value = sqlite3_column_int64(query, 0);
        found = true;
    }
    sqlite3_finalize(query);
    return found;
}

/* Refuses what is not ours to touch. Run before anything is written to the file. */
static bool check_owner(sqlite_store *self, int64_t *version, char *why, size_t why_size) {
    int64_t application = 0;
    int64_t tables = 0;
    if (!query_int(self->writer, "PRAGMA user_version", version) ||
        !query_int(self->writer, "PRAGMA application_id", &application) ||
        !query_int(self->writer, "SELECT count(*) FROM sqlite_schema", &tables)) {
        return broken(self, "cannot be read", why, why_size);
    }
    int64_t known = (int64_t)migrations_sqlite_count;
    if (*version > known) {
        snprintf(why, why_size,
                 "database %s has version %lld, this arxd knows up to %lld: run a newer arxd or "
                 "name another file with --db",
                 self->path, (long long)*version, (long long)known);
        return false;
    }
    if (*version < 0 || (*version == 0 && tables != 0) ||
        (*version != 0 && application != APPLICATION_ID)) {
        snprintf(why, why_size,
                 "database %s belongs to another program (user_version %lld, %lld tables and "
                 "indexes): name another file with --db",
                 self->path, (long long)*version, (long long)tables);
        return false;
    }
    return true;
}

/* Everything from the version found to ours in one transaction. */
static bool migrate(sqlite_store *self, int64_t version, char *why, size_t why_size) {
    sqlite3 *db = self->writer;
    char pragma[64];
    if (version == (int64_t)migrations_sqlite_count) {
        return true;
    }
    if (sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK) {
        return broken(self, "cannot be migrated", why, why_size);
    }
    for (size_t i = (size_t)version; i < migrations_sqlite_count; i++) {
        if (sqlite3_exec(db, migrations_sqlite[i], NULL, NULL, NULL) != SQLITE_OK) {
            goto fail;
        }
    }
    snprintf(pragma, sizeof pragma, "PRAGMA application_id = %d; PRAGMA user_version = %zu",
             APPLICATION_ID, migrations_sqlite_count);
    if (sqlite3_exec(db, pragma, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK) {
        goto fail;
    }
    return true;

fail:
    broken(self, "migration failed", why, why_size);
    sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

static bool use_wal(sqlite_store *self, char *why, size_t why_size) {
    sqlite3_stmt *query = NULL;
    bool wal = false;
    if (sqlite3_prepare_v2(self->writer, "PRAGMA journal_mode = WAL", -1, &query, NULL) ==
            SQLITE_OK &&
        sqlite3_step(query) == SQLITE_ROW) {
        const unsigned char *mode = sqlite3_column_text(query, 0);
        wal = mode != NULL && strcmp((const char *)mode, "wal") == 0;
    }
    sqlite3_finalize(query);
    if (!wal) {
        snprintf(why, why_size,
                 "database %s: its file system cannot hold a write-ahead log (%s): name a file on "
                 "a local disk with --db",
                 self->path, sqlite3_errmsg(self->writer));
    }
    return wal;
}

bool sqlite_store_open_file(sqlite_store *self, const char *path, char *why, size_t why_size) {
    if (sqlite3_threadsafe() == 0) {
        snprintf(why, why_size, "database %s: this SQLite library was built without threads", path);
        return false;
    }
    if (!open_place(self, path, why, why_size) || !lock_place(self, why, why_size)) {
        return false;
    }
    if (sqlite3_open_v2(self->path, &self->writer,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE,
                        NULL) != SQLITE_OK) {
        return broken(self, "cannot be opened", why, why_size);
    }
    sqlite3 *db = self->writer;
    int timeout_ms =
        (int)(self->options.busy_timeout_ms > 3600000 ? 3600000 : self->options.busy_timeout_ms);
    sqlite3_extended_result_codes(db, 1);
    sqlite3_busy_timeout(db, timeout_ms);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);

    int64_t version = 0;
    if (!check_owner(self, &version, why, why_size)) {
        return false;
    }
    /* page_size counts only while the file is empty, and before the log is switched on. */
    if (sqlite3_exec(db,
                     "PRAGMA page_size = 4096; PRAGMA trusted_schema = OFF;"
                     "PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY;"
                     "PRAGMA cache_size = -16384",
                     NULL, NULL, NULL) != SQLITE_OK) {
        return broken(self, "cannot be set up", why, why_size);
    }
    if (!use_wal(self, why, why_size)) {
        return false;
    }
    if (sqlite3_exec(db,
                     "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0;"
                     "PRAGMA journal_size_limit = 16777216",
                     NULL, NULL, NULL) != SQLITE_OK) {
        return broken(self, "cannot be set up", why, why_size);
    }
    return migrate(self, version, why, why_size);
}
