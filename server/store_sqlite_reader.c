/* store_sqlite_reader.c - see store_sqlite_reader.h. */
#include "store_sqlite_reader.h"
#include "store_sqlite_row.h"

#include <stdlib.h>

/* An event thread stands still meanwhile, so only as long as a log recovery may take. */
#define READ_BUSY_MS 100

static const char *const SQL[READ_COUNT] = {
    [READ_ARTIFACT] = ROW_SELECT "a.id = ?1",
    [READ_GONE] = ROW_GONE,
    [READ_RECALL] = ("SELECT body_hash, status, response " ROW_RECALL_WHERE),
    [READ_PING] = "SELECT (SELECT row FROM artifacts LIMIT 1), (SELECT row FROM lifetimes LIMIT 1)",
    [READ_ASSET_SETS] =
        "SELECT s.id, count(*) FROM lifetimes l JOIN asset_sets s ON s.number = l.asset_set "
        "WHERE l.expires_at > ?1 GROUP BY l.asset_set ORDER BY s.id",
    [READ_LIST] = ROW_SELECT_BRIEF "a.maker = ?1 AND (a.created_at, a.id) < (?2, ?3) "
                                   "ORDER BY a.created_at DESC, a.id DESC",
    [READ_NOTE] = "SELECT owner, version, expires_at, value FROM notes "
                  "WHERE space = ?1 AND key = ?2 AND expires_at > ?3",
    [READ_NOTE_LIST] = "SELECT key, version, expires_at, value FROM notes "
                       "WHERE space = ?1 AND owner = ?2 AND expires_at > ?3 ORDER BY row DESC",
    [READ_TOTALS] = "SELECT count(*) FILTER (WHERE expires_at > ?1), count(*), "
                    "coalesce(max(row), 0) FROM lifetimes",
    [READ_SIZE] = "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, "
                  "pragma_freelist_count, pragma_page_size",
    [READ_MADE] = "SELECT row, created_at FROM artifacts WHERE row >= ?1 ORDER BY row LIMIT 1",
    [READ_SINCE] = "SELECT count(*) FROM lifetimes WHERE row >= ?1",
};

struct reader {
    sqlite3 *db;
    sqlite3_stmt *statements[READ_COUNT];
    reader *next;
};

static void close_reader(reader *r) {
    if (r == NULL) {
        return;
    }
    for (size_t i = 0; i < READ_COUNT; i++) {
        sqlite3_finalize(r->statements[i]);
    }
    sqlite3_close(r->db);
    free(r);
}

reader *reader_take(sqlite_store *self, store_result *result) {
    pthread_mutex_lock(&self->reader_lock);
    reader *r = self->readers;
    if (r != NULL) {
        self->readers = r->next;
    }
    pthread_mutex_unlock(&self->reader_lock);
    if (r != NULL) {
        return r;
    }

    r = calloc(1, sizeof *r);
    if (r == NULL) {
        *result = STORE_NO_MEMORY;
        return NULL;
    }
    int code = sqlite3_open_v2(
        self->path, &r->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE,
        NULL);
    if (code == SQLITE_OK) {
        sqlite3_extended_result_codes(r->db, 1);
        sqlite3_busy_timeout(r->db, READ_BUSY_MS);
        sqlite3_db_config(r->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        sqlite3_db_config(r->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        code = sqlite3_exec(r->db,
                            SQLITE_STORE_READER_CACHE
                            "PRAGMA wal_autocheckpoint = 0; PRAGMA query_only = ON;"
                            "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON",
                            NULL, NULL, NULL);
    }
    if (code != SQLITE_OK) {
        *result = sqlite_store_failed(self, code, r->db, "open for reading");
        close_reader(r);
        return NULL;
    }
    return r;
}

sqlite3_stmt *reader_statement(reader *r, read_statement which, int *code) {
    *code = SQLITE_OK;
    if (r->statements[which] == NULL) {
        *code = sqlite3_prepare_v3(r->db, SQL[which], -1, SQLITE_PREPARE_PERSISTENT,
                                   &r->statements[which], NULL);
    }
    return r->statements[which];
}

store_result reader_failed(sqlite_store *self, const reader *r, int code, const char *doing) {
    return sqlite_store_failed(self, code, r->db, doing);
}

void reader_give(sqlite_store *self, reader *r, int code) {
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        close_reader(r);
        return;
    }
    pthread_mutex_lock(&self->reader_lock);
    r->next = self->readers;
    self->readers = r;
    pthread_mutex_unlock(&self->reader_lock);
}

void sqlite_store_close_readers(sqlite_store *self) {
    while (self->readers != NULL) {
        reader *next = self->readers->next;
        close_reader(self->readers);
        self->readers = next;
    }
}
