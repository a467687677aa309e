/*
 * store_sqlite_read.c - reads, on whichever thread asks.
 *
 * A reader is a read-only connection with its statements prepared. Readers not in use stand on a
 * free list, so there are never more of them than threads that read at the same time. One that met
 * an error is closed instead of kept: the next read starts afresh.
 *
 * Must not write, and must not checkpoint (see store_sqlite.h).
 */
#include "store_sqlite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An event thread stands still meanwhile, so only as long as a log recovery may take. */
#define READ_BUSY_MS 100

enum { READ_ARTIFACT, READ_PING, READ_COUNT };

static const char *const SQL[READ_COUNT] = {
    [READ_ARTIFACT] = "SELECT l.expires_at, l.last_viewed_at, l.ttl, l.sliding, l.views, "
                      "a.created_at, a.updated_at, a.payload, a.codec, a.kind, a.title, s.id "
                      "FROM artifacts a JOIN lifetimes l ON l.row = a.row "
                      "LEFT JOIN asset_sets s ON s.number = l.asset_set WHERE a.id = ?1",
    [READ_PING] = "SELECT (SELECT row FROM artifacts LIMIT 1), (SELECT row FROM lifetimes LIMIT 1)",
};

/* Columns of READ_ARTIFACT. */
enum {
    COL_EXPIRES_AT,
    COL_LAST_VIEWED_AT,
    COL_TTL,
    COL_SLIDING,
    COL_VIEWS,
    COL_CREATED_AT,
    COL_UPDATED_AT,
    COL_PAYLOAD,
    COL_CODEC,
    COL_KIND,
    COL_TITLE,
    COL_SET,
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

/* One from the free list, else a new one. NULL with the failure reported and in `result`. */
static reader *take_reader(sqlite_store *self, store_result *result) {
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
                            "PRAGMA wal_autocheckpoint = 0; PRAGMA query_only = ON;"
                            "PRAGMA cache_size = -16384;"
                            "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON",
                            NULL, NULL, NULL);
    }
    for (size_t i = 0; i < READ_COUNT && code == SQLITE_OK; i++) {
        code = sqlite3_prepare_v3(r->db, SQL[i], -1, SQLITE_PREPARE_PERSISTENT, &r->statements[i],
                                  NULL);
    }
    if (code != SQLITE_OK) {
        *result = sqlite_store_failed(self, code, r->db, "open for reading");
        close_reader(r);
        return NULL;
    }
    return r;
}

/* Gives the reader back; code: how its last statement ended (SQLITE_ROW and SQLITE_DONE are well).
 */
static void give_reader(sqlite_store *self, reader *r, int code) {
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

/* Copies a text column: NULL for SQL's NULL. False without memory. */
static bool column_copy(sqlite3_stmt *row, int column, char **text, size_t *len) {
    if (sqlite3_column_type(row, column) == SQLITE_NULL) {
        return true;
    }
    const unsigned char *bytes = sqlite3_column_text(row, column);
    size_t count = (size_t)sqlite3_column_bytes(row, column);
    if (bytes == NULL) {
        return false;
    }
    *text = store_copy(bytes, count);
    if (*text != NULL && len != NULL) {
        *len = count;
    }
    return *text != NULL;
}

/* Fills the artifact from a row. The strings may be half there when it answers false. */
static bool take_row(sqlite3_stmt *row, store_artifact *a) {
    a->expires_at_ms = sqlite3_column_int64(row, COL_EXPIRES_AT);
    a->last_viewed_at_ms = sqlite3_column_int64(row, COL_LAST_VIEWED_AT);
    a->ttl_ms = sqlite3_column_int64(row, COL_TTL);
    a->sliding = sqlite3_column_int(row, COL_SLIDING) != 0;
    a->views = sqlite3_column_int64(row, COL_VIEWS);
    a->created_at_ms = sqlite3_column_int64(row, COL_CREATED_AT);
    a->updated_at_ms = sqlite3_column_int64(row, COL_UPDATED_AT);
    char *set = NULL;
    if (!column_copy(row, COL_PAYLOAD, &a->payload, &a->payload_len) ||
        !column_copy(row, COL_CODEC, &a->codec, NULL) ||
        !column_copy(row, COL_KIND, &a->kind, NULL) ||
        !column_copy(row, COL_TITLE, &a->title, NULL) || !column_copy(row, COL_SET, &set, NULL)) {
        return false;
    }
    if (set != NULL && strlen(set) == STORE_SET_CHARS) {
        memcpy(a->asset_set, set, STORE_SET_CHARS);
    }
    free(set);
    return true;
}

/* Moves the lifetime as a view at `at_ms` does; never back, should the clock jump. */
static void view(store_artifact *a, int64_t at_ms, int64_t views) {
    a->views += views;
    if (at_ms > a->last_viewed_at_ms) {
        a->last_viewed_at_ms = at_ms;
    }
    int64_t expires_at_ms = store_time_add(at_ms, a->ttl_ms);
    if (a->sliding && expires_at_ms > a->expires_at_ms) {
        a->expires_at_ms = expires_at_ms;
    }
}

void sqlite_store_read(sqlite_store *self, store_op *op) {
    store_artifact *a = &op->artifact;
    uint8_t id[STORE_ID_BYTES];
    memcpy(id, a->id, sizeof id);
    store_artifact_clear(a);
    memcpy(a->id, id, sizeof id);

    reader *r = take_reader(self, &op->result);
    if (r == NULL) {
        return;
    }
    /* Waiting touches are looked up before the row: between the two they may get written, and a
     * touch seen in both places counts once, one seen in neither would be lost. */
    store_touch waiting;
    bool touched = store_touches_find(self->touches, id, &waiting);

    sqlite3_stmt *query = r->statements[READ_ARTIFACT];
    sqlite3_bind_blob(query, 1, id, sizeof id, SQLITE_STATIC);
    int code = sqlite3_step(query);
    bool nudge = false;
    if (code == SQLITE_DONE) {
        op->result = STORE_NOT_FOUND;
    } else if (code != SQLITE_ROW) {
        op->result = sqlite_store_failed(self, code, r->db, "read");
    } else {
        int64_t now_ms = self->options.now_ms();
        bool whole = take_row(query, a);
        if (touched && waiting.last_ms > a->last_viewed_at_ms) {
            view(a, waiting.last_ms, waiting.views);
        }
        if (!whole) {
            op->result = STORE_NO_MEMORY;
        } else if (a->expires_at_ms <= now_ms) {
            op->result = STORE_NOT_FOUND;
            nudge = op->touch && store_touches_expired(self->touches, id);
        } else {
            op->result = STORE_OK;
            if (op->touch) {
                view(a, now_ms, 1);
                nudge = store_touches_view(self->touches, id, now_ms);
            }
        }
    }
    sqlite3_reset(query);
    give_reader(self, r, code);
    if (nudge) {
        sqlite_store_nudge(self);
    }
    if (op->result != STORE_OK) {
        store_artifact_clear(a);
        memcpy(a->id, id, sizeof id);
    }
}

void sqlite_store_ping(sqlite_store *self, store_op *op) {
    reader *r = take_reader(self, &op->result);
    if (r == NULL) {
        return;
    }
    int code = sqlite3_step(r->statements[READ_PING]);
    op->result = code == SQLITE_ROW ? STORE_OK : sqlite_store_failed(self, code, r->db, "ping");
    sqlite3_reset(r->statements[READ_PING]);
    give_reader(self, r, code);
    if (op->result != STORE_OK) {
        return;
    }
    /* A read says nothing about a folder that was unmounted, replaced or became read-only. */
    struct stat status;
    if (stat(self->path, &status) != 0 || status.st_dev != self->device ||
        status.st_ino != self->inode || access(self->path, W_OK) != 0) {
        op->result = sqlite_store_failed(self, SQLITE_CANTOPEN, NULL, "ping");
    } else if (atomic_load(&self->write_broken)) {
        op->result = STORE_FAILED;
    }
}

store_result sqlite_store_asset_sets(store *base,
                                     void (*each)(void *opaque, const char *set, uint64_t rows),
                                     void *opaque) {
    sqlite_store *self = (sqlite_store *)base;
    store_result result = STORE_OK;
    reader *r = take_reader(self, &result);
    if (r == NULL) {
        return result;
    }
    sqlite3_stmt *query = NULL;
    int code = sqlite3_prepare_v2(
        r->db,
        "SELECT s.id, count(*) FROM lifetimes l JOIN asset_sets s ON s.number = l.asset_set "
        "WHERE l.expires_at > ?1 GROUP BY l.asset_set ORDER BY s.id",
        -1, &query, NULL);
    if (code == SQLITE_OK) {
        sqlite3_bind_int64(query, 1, self->options.now_ms());
        while ((code = sqlite3_step(query)) == SQLITE_ROW) {
            const char *set = (const char *)sqlite3_column_text(query, 0);
            if (set == NULL) {
                code = SQLITE_NOMEM;
                break;
            }
            each(opaque, set, (uint64_t)sqlite3_column_int64(query, 1));
        }
    }
    if (code != SQLITE_DONE) {
        result = sqlite_store_failed(self, code, r->db, "count asset sets");
    }
    sqlite3_finalize(query);
    give_reader(self, r, code);
    return result;
}
