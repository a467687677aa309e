/*
 * store_sqlite_read.c - reads of one row or record, on whichever thread asks; see
 * store_sqlite_reader.h.
 */
#include "store_sqlite_reader.h"
#include "store_sqlite_row.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is said of a row that is not there: whether it was, lately. */
static store_result absent(sqlite_store *self, reader *r, const uint8_t *id, int *code) {
    if (!self->options.gone) {
        return STORE_NOT_FOUND;
    }
    sqlite3_stmt *query = reader_statement(r, READ_GONE, code);
    if (query != NULL) {
        sqlite3_bind_blob(query, 1, id, STORE_ID_BYTES, SQLITE_STATIC);
        sqlite3_bind_int64(query, 2, rules_memory_begin(self->options.now_ms()));
        *code = sqlite3_step(query);
    }
    store_result result = *code == SQLITE_ROW    ? STORE_GONE
                          : *code == SQLITE_DONE ? STORE_NOT_FOUND
                                                 : reader_failed(self, r, *code, "read");
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
        rules_view(a, now_ms, 1);
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

    reader *r = reader_take(self, &op->result);
    if (r == NULL) {
        return;
    }
    /* Waiting touches are looked up before the row: between the two they may get written, and a
     * touch seen in both places counts once, one seen in neither would be lost. */
    store_touch waiting;
    bool touched = store_touches_find(self->touches, id, &waiting);

    int code;
    bool nudge = false;
    sqlite3_stmt *query = reader_statement(r, READ_ARTIFACT, &code);
    if (query != NULL) {
        sqlite3_bind_blob(query, 1, id, sizeof id, SQLITE_STATIC);
        code = sqlite3_step(query);
    }
    if (code == SQLITE_ROW) {
        row_read_numbers(query, a);
        bool whole = row_read_strings(query, a);
        if (touched) {
            rules_apply_touch(a, &waiting);
        }
        op->result = whole ? present(self, op, &nudge) : STORE_NO_MEMORY;
    }
    sqlite3_reset(query); /* lets go of the snapshot before anything else is looked up */
    if (code == SQLITE_DONE) {
        op->result = absent(self, r, id, &code);
    } else if (code != SQLITE_ROW) {
        op->result = reader_failed(self, r, code, "read");
    }
    reader_give(self, r, code);
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
    reader *r = reader_take(self, &op->result);
    if (r == NULL) {
        return;
    }
    int code;
    sqlite3_stmt *query = reader_statement(r, READ_RECALL, &code);
    if (query != NULL) {
        sqlite3_bind_blob(query, 1, record->scope, STORE_HASH_BYTES, SQLITE_STATIC);
        sqlite3_bind_int64(query, 2, rules_memory_begin(self->options.now_ms()));
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
        op->result = reader_failed(self, r, code, "recall");
    }
    sqlite3_reset(query);
    reader_give(self, r, code);
}

void sqlite_store_ping(sqlite_store *self, store_op *op) {
    reader *r = reader_take(self, &op->result);
    if (r == NULL) {
        return;
    }
    int code;
    sqlite3_stmt *query = reader_statement(r, READ_PING, &code);
    if (query != NULL) {
        code = sqlite3_step(query);
    }
    op->result = code == SQLITE_ROW ? STORE_OK : reader_failed(self, r, code, "ping");
    sqlite3_reset(query);
    reader_give(self, r, code);
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
    reader *r = reader_take(self, &result);
    if (r == NULL) {
        return result;
    }
    int code;
    sqlite3_stmt *query = reader_statement(r, READ_ASSET_SETS, &code);
    if (query != NULL) {
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
        result = reader_failed(self, r, code, "count asset sets");
    }
    sqlite3_reset(query);
    reader_give(self, r, code);
    return result;
}
