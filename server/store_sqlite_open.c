/*
 * store_sqlite_open.c - from a path to a database of our version.
 *
 * Runs on the thread that opens the store, before any other exists. Everything that can be wrong
 * with the place ends as one line that names the path and what to change.
 */
#include "store_migrations.h"
#include "store_sqlite.h"
#include "store_sqlite_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A new folder is there for good only once the one above it is on disk. */
static void sync_above(const char *folder) {
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int above = fd < 0 ? -1 : openat(fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (above >= 0) {
        (void)fsync(above); /* a file system that cannot has nothing to lose */
        close(above);
    }
    if (fd >= 0) {
        close(fd);
    }
}

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
        made = mkdir(folder, 0750) == 0;
        if (made) {
            sync_above(folder);
        } else if (errno == EEXIST) {
            made = true;
        } else {
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
static bool hold_place(sqlite_store *self, char *why, size_t why_size) {
    switch (lock_place(self->lock_fd, self->options.busy_timeout_ms)) {
    case LOCK_HELD:
    case LOCK_NONE: /* nothing to hold */
        return true;
    case LOCK_TAKEN:
        snprintf(why, why_size,
                 "database %s is in use by another arxd: stop that one first or name another "
                 "file with --db",
                 self->path);
        return false;
    case LOCK_FAILED:
        break;
    }
    return cannot(why, why_size, self->path, "lock", "name another file with --db");
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

/* May it be copied into, or, half copied, not be served? */
static bool check_copy(sqlite_store *self, int64_t version, int64_t application, char *why,
                       size_t why_size) {
    int64_t links = 0;
    if (!self->copying) {
        if (application == SQLITE_STORE_COPYING_ID) {
            snprintf(why, why_size,
                     "database %s: the copy into it has not ended: run \"arxd copy\" once more",
                     self->path);
        }
        return application != SQLITE_STORE_COPYING_ID;
    }
    if (application != SQLITE_STORE_APPLICATION_ID || version < 1) {
        return true;
    }
    if (!query_int(self->writer, "SELECT EXISTS (SELECT 1 FROM artifacts)", &links)) {
        return broken(self, "cannot be read", why, why_size);
    }
    if (links != 0) {
        snprintf(why, why_size,
                 "database %s holds links of its own, which a copy would remove: name one that is "
                 "empty, or not there yet",
                 self->path);
    }
    return links == 0;
}

/*
 * Refuses what is not ours to touch. Run before anything is written to the file. adopt: it is the
 * database of the one other server whose links we take over.
 */
static bool check_owner(sqlite_store *self, int64_t *version, bool *adopt, char *why,
                        size_t why_size) {
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
    if (!check_copy(self, *version, application, why, why_size)) {
        return false;
    }
    bool ours = application == SQLITE_STORE_APPLICATION_ID ||
                application == SQLITE_STORE_COPYING_ID || application == SQLITE_STORE_COPIED_ID;
    *adopt = !self->copying && *version == 0 && application == 0 && tables != 0 &&
             sqlite_store_can_adopt(self->writer);
    if (*version < 0 || (*version == 0 && tables != 0 && !*adopt) || (*version != 0 && !ours)) {
        snprintf(why, why_size,
                 "database %s belongs to another program (user_version %lld, %lld tables and "
                 "indexes): name another file with --db",
                 self->path, (long long)*version, (long long)tables);
        return false;
    }
    return true;
}

/* The first start on another server's database says what became of it. */
static void note_adopted(const sqlite_store *self, const adopted *counts) {
    char line[1024];
    int len = snprintf(line, sizeof line,
                       "database %s was made by agent-render's server: took over %llu links, "
                       "left out %llu that had expired",
                       self->path, (unsigned long long)counts->taken,
                       (unsigned long long)counts->expired);
    if (counts->odd > 0 && len > 0 && (size_t)len < sizeof line) {
        snprintf(line + len, sizeof line - (size_t)len,
                 "; %llu rows whose id is no UUID, or whose times or payload cannot be read, were "
                 "moved to its table " ADOPT_ODD_TABLE,
                 (unsigned long long)counts->odd);
    }
    self->options.note(line);
}

static int mark_of(const sqlite_store *self) {
    return self->copying ? SQLITE_STORE_COPYING_ID : SQLITE_STORE_APPLICATION_ID;
}

/* Whoever opens it says so in it, unless that stands there already. */
static bool mark(sqlite_store *self, char *why, size_t why_size) {
    char pragma[64];
    int64_t application = 0;
    snprintf(pragma, sizeof pragma, "PRAGMA application_id = %d", mark_of(self));
    return (query_int(self->writer, "PRAGMA application_id", &application) &&
            (application == mark_of(self) ||
             sqlite3_exec(self->writer, pragma, NULL, NULL, NULL) == SQLITE_OK)) ||
           broken(self, "cannot be marked", why, why_size);
}

/* Everything from the version found to ours in one transaction: a kill leaves what there was. */
static bool migrate(sqlite_store *self, int64_t version, bool adopt, char *why, size_t why_size) {
    sqlite3 *db = self->writer;
    char pragma[96];
    adopted counts = {0};
    if (version == (int64_t)migrations_sqlite_count) {
        return true;
    }
    if (sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK) {
        return broken(self, "cannot be migrated", why, why_size);
    }
    if (adopt && sqlite_store_adopt_begin(db) != SQLITE_DONE) {
        goto fail;
    }
    for (size_t i = (size_t)version; i < migrations_sqlite_count; i++) {
        if (sqlite3_exec(db, migrations_sqlite[i], NULL, NULL, NULL) != SQLITE_OK) {
            goto fail;
        }
    }
    if (adopt && sqlite_store_adopt_rows(db, self->options.now_ms(), &counts) != SQLITE_DONE) {
        goto fail;
    }
    snprintf(pragma, sizeof pragma, "PRAGMA application_id = %d; PRAGMA user_version = %zu",
             mark_of(self), migrations_sqlite_count);
    if (sqlite3_exec(db, pragma, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK) {
        goto fail;
    }
    if (adopt) {
        /* The log holds both copies of every link by now. */
        sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
        note_adopted(self, &counts);
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
    if (!open_place(self, path, why, why_size) || !hold_place(self, why, why_size)) {
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
    bool adopt = false;
    if (!check_owner(self, &version, &adopt, why, why_size)) {
        return false;
    }
    /* page_size counts only while the file is empty, and before the log is switched on. */
    if (sqlite3_exec(db,
                     "PRAGMA page_size = 4096; PRAGMA trusted_schema = OFF;"
                     "PRAGMA cell_size_check = ON;"
                     "PRAGMA temp_store = MEMORY;" SQLITE_STORE_WRITER_CACHE,
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
    return migrate(self, version, adopt, why, why_size) && mark(self, why, why_size);
}
