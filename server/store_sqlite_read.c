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
#include "store_sqlite_row.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An event thread stands still meanwhile, so only as long as a log recovery may take. */
#define READ_BUSY_MS 100

enum { READ_ARTIFACT, READ_GONE, READ_RECALL, READ_PING, READ_COUNT };

static const char *const SQL[READ_COUNT] = {
    [READ_ARTIFACT] = ROW_SELECT "a.id = ?1",
    [READ_GONE] = ROW_GONE,
    [READ_RECALL] = ("SELECT body_hash, status, response " ROW_RECALL_WHERE),
    [READ_PING] = "SELECT (SELECT row FROM artifacts LIMIT 1), (SELECT row FROM lifetimes LIMIT 1)",
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

/*
 * A statement to bind and step. Each is prepared when it is first asked for, so that a table which
 * is missing fails only what reads it. NULL with the code.
 */
static sqlite3_stmt *statement(reader *r, size_t which, int *code) {
    *code = SQLITE_OK;
    if (r->statements[which] == NULL) {
        *code = sqlite3_prepare_v3(r->db, SQL[which], -1, SQLITE_PREPARE_PERSISTENT,
                                   &r->statements[which], NULL);
    }
    return r->statements[which];
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

/* What is said of a row that is not there: whether it was, lately. */
static store_result absent(sqlite_store *self, reader *r, const uint8_t *id, int *code) {
    if (!self->options.gone) {
        return STORE_NOT_FOUND;
    }
    sqlite3_stmt *query = statement(r, READ_GONE, code);
    if (query != NULL) {
        sqlite3_bind_blob(query, 1, id, STORE_ID_BYTES, SQLITE_STATIC);
        sqlite3_bind_int64(query, 2, row_memory_begin(self->options.now_ms()));
        *code = sqlite3_step(query);
    }
    store_result result = *code == SQLITE_ROW    ? STORE_GONE
                          : *code == SQLITE_DONE ? STORE_NOT_FOUND
                                                 : sqlite_store_failed(self, *code, r->db, "read");
    sqlite3_reset(query);
    return result;
}

/* A row is there: whether it is to be seen, and what reading it does. */
static store_result present(sqlite_store *self, store_op *op, bool *nudge) {
    store_artifact *a = &op->artifact;
    int64_t now_ms = self->options.now_ms();
    if (a->expires_at_ms <= now_ms) {
        if (op->touch) {
            *nudge = store_touches_expired(self->touches, a->id);
        }
        if (!op->expired_too) {
            return sqlite_store_ended(self, a->expires_at_ms, now_ms);
        }
    } else if (op->touch && a->max_views == 0) {
        row_view(a, now_ms, 1);
        *nudge = store_touches_view(self->touches, a->id, now_ms);
    }
    return STORE_OK;
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

    int code;
    bool nudge = false;
    sqlite3_stmt *query = statement(r, READ_ARTIFACT, &code);
    if (query != NULL) {
        sqlite3_bind_blob(query, 1, id, sizeof id, SQLITE_STATIC);
        code = sqlite3_step(query);
    }
    if (code == SQLITE_ROW) {
        row_read_numbers(query, a);
        bool whole = row_read_strings(query, a);
        if (touched) {
            row_apply_touch(a, &waiting);
        }
        op->result = whole ? present(self, op, &nudge) : STORE_NO_MEMORY;
    }
    sqlite3_reset(query); /* lets go of the snapshot before anything else is looked up */
    if (code == SQLITE_DONE) {
        op->result = absent(self, r, id, &code);
    } else if (code != SQLITE_ROW) {
        op->result = sqlite_store_failed(self, code, r->db, "read");
    }
    give_reader(self, r, code);
    if (nudge) {
        sqlite_store_nudge(self);
    }
    if (op->result != STORE_OK) {
        store_artifact_clear(a);
        memcpy(a->id, id, sizeof id);
    }
}

void sqlite_store_recall(sqlite_store *self, store_op *op) {
    store_record *record = &op->record;
    free(record->response);
    record->response = NULL;
    record->response_len = 0;
    reader *r = take_reader(self, &op->result);
    if (r == NULL) {
        return;
    }
    int code;
    sqlite3_stmt *query = statement(r, READ_RECALL, &code);
    if (query != NULL) {
        sqlite3_bind_blob(query, 1, record->scope, STORE_HASH_BYTES, SQLITE_STATIC);
        sqlite3_bind_int64(query, 2, row_memory_begin(self->options.now_ms()));
        code = sqlite3_step(query);
    }
    if (code == SQLITE_ROW) {
        const void *hash = sqlite3_column_blob(query, 0);
        const void *response = sqlite3_column_blob(query, 2); /* NULL too when it is empty */
        size_t len = (size_t)sqlite3_column_bytes(query, 2);
        record->status = (unsigned)sqlite3_column_int(query, 1);
        record->response = store_copy(response, response == NULL ? 0 : len);
        bool whole = hash != NULL && sqlite3_column_bytes(query, 0) == STORE_HASH_BYTES &&
                     (response != NULL || len == 0) && record->response != NULL;
        if (whole) {
            memcpy(record->body_hash, hash, STORE_HASH_BYTES);
            record->response_len = len;
        }
        op->result = whole ? STORE_OK : STORE_NO_MEMORY;
    } else if (code == SQLITE_DONE) {
        op->result = STORE_NOT_FOUND;
    } else {
        op->result = sqlite_store_failed(self, code, r->db, "recall");
    }
    sqlite3_reset(query);
    give_reader(self, r, code);
}

void sqlite_store_ping(sqlite_store *self, store_op *op) {
    reader *r = take_reader(self, &op->result);
    if (r == NULL) {
        return;
    }
    int code;
    sqlite3_stmt *query = statement(r, READ_PING, &code);
    if (query != NULL) {
        code = sqlite3_step(query);
    }
    op->result = code == SQLITE_ROW ? STORE_OK : sqlite_store_failed(self, code, r->db, "ping");
    sqlite3_reset(query);
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
