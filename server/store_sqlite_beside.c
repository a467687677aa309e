/* store_sqlite_beside.c - see store_sqlite_beside.h. */
#include "store_sqlite_beside.h"
#include "store_migrations.h"
#include "store_sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_PAGES     512
#define BUSY_MS        5000
#define PROGRESS_STEPS 10000

store_result beside_failed(sqlite3 *db, const char *path, const char *doing, char *why,
                           size_t why_size) {
    snprintf(why, why_size, "database %s: cannot %s: %s", path, doing,
             db != NULL ? sqlite3_errmsg(db) : "out of memory");
    return STORE_FAILED;
}

bool beside_number(sqlite3 *db, const char *query, int64_t *number) {
    sqlite3_stmt *statement = NULL;
    bool found = sqlite3_prepare_v2(db, query, -1, &statement, NULL) == SQLITE_OK &&
                 sqlite3_step(statement) == SQLITE_ROW;
    if (found) {
        *number = sqlite3_column_int64(statement, 0);
    }
    sqlite3_finalize(statement);
    return found;
}

sqlite3 *beside_open(const char *path, bool exact, char *why, size_t why_size) {
    sqlite3 *db = NULL;
    int64_t application = 0;
    int64_t version = 0;
    /* SQLite would say of a file that is not there no more than that it cannot open it. */
    if (access(path, R_OK) != 0) {
        snprintf(why, why_size, "cannot read database %s as uid %ld: %s", path, (long)geteuid(),
                 strerror(errno));
        return NULL;
    }
    int code = sqlite3_open_v2(
        path, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, NULL);
    if (code != SQLITE_OK) {
        beside_failed(db, path, "open it", why, why_size);
        goto fail;
    }
    sqlite3_busy_timeout(db, BUSY_MS);
    sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    if (sqlite3_exec(db,
                     "PRAGMA wal_autocheckpoint = 0; PRAGMA trusted_schema = OFF;"
                     "PRAGMA cell_size_check = ON; BEGIN",
                     NULL, NULL, NULL) != SQLITE_OK ||
        !beside_number(db, "PRAGMA application_id", &application) ||
        !beside_number(db, "PRAGMA user_version", &version)) {
        beside_failed(db, path, "read it", why, why_size);
        goto fail;
    }
    int64_t known = (int64_t)migrations_sqlite_count;
    bool ours = application == SQLITE_STORE_APPLICATION_ID || application == SQLITE_STORE_COPIED_ID;
    if (!ours || version < 1) {
        snprintf(why, why_size,
                 application == SQLITE_STORE_COPYING_ID
                     ? "database %s: the copy into it has not ended: run \"arxd copy\" once more"
                     : "database %s is not one of arxd's",
                 path);
        goto fail;
    }
    if (version > known || (exact && version != known)) {
        snprintf(why, why_size, "database %s has version %lld, this arxd knows %lld: %s", path,
                 (long long)version, (long long)known,
                 version > known ? "run the newer arxd" : "start arxd on it first");
        goto fail;
    }
    return db;

fail:
    sqlite3_close(db);
    return NULL;
}

void beside_close(sqlite3 *db) {
    if (db != NULL) {
        sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
        sqlite3_close(db);
    }
}

void beside_sync_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    char *folder = slash == NULL   ? store_copy(".", 1)
                   : slash == path ? store_copy("/", 1)
                                   : store_copy(path, (size_t)(slash - path));
    int fd = folder != NULL ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        (void)fsync(fd); /* a file system that cannot has nothing to lose */
        close(fd);
    }
    free(folder);
}

static bool copy_pages(sqlite3 *from, sqlite3 *to, bool (*go_on)(void *opaque), void *opaque,
                       int *code) {
    sqlite3_backup *copy = sqlite3_backup_init(to, "main", from, "main");
    *code = copy == NULL ? sqlite3_errcode(to) : SQLITE_OK;
    while (*code == SQLITE_OK) {
        if (go_on != NULL && !go_on(opaque)) {
            break;
        }
        *code = sqlite3_backup_step(copy, COPY_PAGES);
    }
    int finished = sqlite3_backup_finish(copy);
    if (*code == SQLITE_DONE && finished != SQLITE_OK) {
        *code = finished;
    }
    return *code == SQLITE_DONE;
}

typedef struct asked {
    bool (*go_on)(void *opaque);
    void *opaque;
} asked;

static int is_told_to_stop(void *opaque) {
    const asked *ask = opaque;
    return !ask->go_on(ask->opaque);
}

bool beside_copy(sqlite3 *db, const char *to, bool (*go_on)(void *opaque), void *opaque, char *why,
                 size_t why_size) {
    sqlite3 *copy = NULL;
    asked ask = {go_on, opaque};
    bool done = false;
    int64_t sound = 0;
    int code = SQLITE_OK;
    /* Made here, because SQLite would make it readable for others. */
    int fd = open(to, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        snprintf(why, why_size, "cannot make %s as uid %ld: %s", to, (long)geteuid(),
                 strerror(errno));
        return false;
    }
    if (sqlite3_open_v2(to, &copy, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
            SQLITE_OK ||
        sqlite3_exec(copy, "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF", NULL, NULL,
                     NULL) != SQLITE_OK) {
        beside_failed(copy, to, "write it", why, why_size);
        goto out;
    }
    if (!copy_pages(db, copy, go_on, opaque, &code)) {
        if (code != SQLITE_OK) {
            snprintf(why, why_size, "cannot copy to %s: %s", to, sqlite3_errstr(code));
        }
        goto out;
    }
    /* A backup that nothing can be restored from is worse than none. */
    if (go_on != NULL) {
        sqlite3_progress_handler(copy, PROGRESS_STEPS, is_told_to_stop, &ask);
    }
    if (!beside_number(copy, "SELECT quick_check = 'ok' FROM pragma_quick_check(1)", &sound) ||
        sound == 0) {
        if (go_on == NULL || go_on(opaque)) {
            snprintf(why, why_size, "the copy of the database is damaged: see \"arxd check\"");
        }
        goto out;
    }
    done = true;

out:
    if (sqlite3_close(copy) != SQLITE_OK || (done && fsync(fd) != 0)) {
        snprintf(why, why_size, "cannot write %s: %s", to, strerror(errno));
        done = false;
    }
    close(fd);
    if (!done) {
        unlink(to);
    }
    return done;
}
