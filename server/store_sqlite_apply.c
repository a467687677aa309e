/* store_sqlite_apply.c - see store_sqlite_apply.h. */
#include "store_sqlite_apply.h"
#include "store_migrations.h"
#include "store_sqlite_row.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const SQL[WRITE_COUNT] = {
    [WRITE_BEGIN] = "BEGIN IMMEDIATE",
    [WRITE_COMMIT] = "COMMIT",
    [WRITE_ROLLBACK] = "ROLLBACK",
    [WRITE_SAVEPOINT] = "SAVEPOINT op",
    [WRITE_RELEASE] = "RELEASE op",
    [WRITE_UNDO] = "ROLLBACK TO op",
    [WRITE_ADD_SET] = "INSERT OR IGNORE INTO asset_sets (id) VALUES (?1)",
    [WRITE_LOOK_WHOLE] = ROW_SELECT "a.id = ?1",
    [WRITE_LOOK_BRIEF] = ROW_SELECT_BRIEF "a.id = ?1",
    [WRITE_LOOK_ROW] = ROW_SELECT_BRIEF "a.row = ?1",
    [WRITE_LOOK_GONE] = ROW_GONE,
    [WRITE_INSERT_ARTIFACT] =
        "INSERT INTO artifacts (id, payload, codec, kind, title, created_at, updated_at, "
        "edit_key_hash, maker) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7, ?8)",
    [WRITE_INSERT_LIFETIME] =
        "INSERT INTO lifetimes (row, expires_at, last_viewed_at, ttl, sliding, views, max_views, "
        "views_left, asset_set, label) "
        "VALUES (?1, ?2, ?3, ?4, ?5, 0, ?7, ?7, (SELECT number FROM asset_sets WHERE id = ?6), ?8)",
    [WRITE_UPDATE_ARTIFACT] =
        "UPDATE artifacts SET payload = ?2, codec = ?3, kind = ?4, title = ?5, updated_at = ?6 "
        "WHERE row = ?1",
    [WRITE_UPDATE_TIME] = "UPDATE artifacts SET updated_at = ?2 WHERE row = ?1",
    [WRITE_UPDATE_LIFETIME] =
        "UPDATE lifetimes SET expires_at = ?2, ttl = ?3, sliding = ?4, max_views = ?5, "
        "views_left = ?7, asset_set = (SELECT number FROM asset_sets WHERE id = ?6), label = ?8 "
        "WHERE row = ?1",
    [WRITE_DESCRIBE] = "UPDATE artifacts SET codec = ifnull(?2, codec), kind = ifnull(?3, kind), "
                       "title = ifnull(?4, title) WHERE row = ?1",
    [WRITE_DESCRIBE_SET] = "UPDATE lifetimes SET asset_set = (SELECT number FROM asset_sets "
                           "WHERE id = ?2) WHERE row = ?1",
    [WRITE_VIEW] = "UPDATE lifetimes SET views = views + 1, views_left = max(views_left - 1, 0), "
                   "last_viewed_at = max(last_viewed_at, ?2), expires_at = "
                   "CASE sliding WHEN 0 THEN expires_at ELSE max(expires_at, ?2 + ttl) END "
                   "WHERE row = ?1 AND (max_views = 0 OR views_left > 0)",
    [WRITE_TOUCH] = "UPDATE lifetimes SET views = views + ?2, "
                    "last_viewed_at = max(last_viewed_at, ?3), expires_at = "
                    "CASE sliding WHEN 0 THEN expires_at ELSE max(expires_at, ?3 + ttl) END "
                    "WHERE row = (SELECT row FROM artifacts WHERE id = ?1)",
    [WRITE_REMOVE_LIFETIME] = "DELETE FROM lifetimes WHERE row = ?1",
    [WRITE_REMOVE_ARTIFACT] = "DELETE FROM artifacts WHERE row = ?1",
    [WRITE_ADD_GONE] = "INSERT OR REPLACE INTO gone (id, at) VALUES (?1, ?2)",
    [WRITE_LOOK_RECORD] = ("SELECT 1 " ROW_RECALL_WHERE),
    [WRITE_ADD_RECORD] =
        "INSERT OR REPLACE INTO idempotency (scope, body_hash, status, at, response) "
        "VALUES (?1, ?2, ?3, ?4, ?5)",
    [WRITE_LOOK_NOTE] = "SELECT row, version, expires_at FROM notes WHERE space = ?1 AND key = ?2",
    [WRITE_ADD_NOTE] = "INSERT INTO notes (version, expires_at, value, space, key, owner) "
                       "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    [WRITE_UPDATE_NOTE] =
        "UPDATE notes SET version = ?1, expires_at = ?2, value = ?3 WHERE row = ?4",
    [WRITE_REMOVE_NOTE] = "DELETE FROM notes WHERE row = ?1",
    [WRITE_CLEAN] =
        "SELECT row FROM lifetimes WHERE expires_at < ?1 ORDER BY expires_at, row LIMIT ?2",
    [WRITE_SWEEP_WALK] = "SELECT row, expires_at FROM lifetimes WHERE row > ?1 ORDER BY row",
    [WRITE_SWEEP_OLD] = "SELECT EXISTS (SELECT 1 FROM idempotency WHERE at <= ?1), "
                        "EXISTS (SELECT 1 FROM gone WHERE at <= ?1), "
                        "EXISTS (SELECT 1 FROM notes WHERE expires_at <= ?2)",
    [WRITE_SWEEP_RECORDS] = "DELETE FROM idempotency WHERE row IN (SELECT row FROM idempotency "
                            "WHERE at <= ?1 ORDER BY at LIMIT ?2)",
    [WRITE_SWEEP_GONE] = "DELETE FROM gone WHERE id IN (SELECT id FROM gone WHERE at <= ?1 "
                         "ORDER BY at LIMIT ?2)",
    [WRITE_SWEEP_NOTES] = "DELETE FROM notes WHERE row IN (SELECT row FROM notes "
                          "WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2)",
    [WRITE_ROWS_THERE] = "SELECT count(*) FROM lifetimes",
    [WRITE_MAKER_THERE] = "SELECT links, bytes FROM makers WHERE maker = ?1",
    [WRITE_PAGES_THERE] = "PRAGMA page_count",
    [WRITE_PAGES_FREE] = "PRAGMA freelist_count",
    [WRITE_PAGE_SIZE] = "PRAGMA page_size",
};

int writer_prepare(writer *w) {
    w->rows = -1;
    for (size_t i = 0; i < WRITE_COUNT; i++) {
        int code = sqlite3_prepare_v3(w->db, SQL[i], -1, SQLITE_PREPARE_PERSISTENT,
                                      &w->statements[i], NULL);
        if (code != SQLITE_OK) {
            return code;
        }
    }
    return SQLITE_DONE;
}

void writer_release(writer *w) {
    for (size_t i = 0; i < WRITE_COUNT; i++) {
        sqlite3_finalize(w->statements[i]);
        w->statements[i] = NULL;
    }
}

int writer_run(writer *w, write_statement statement) {
    int code = sqlite3_step(w->statements[statement]);
    sqlite3_reset(w->statements[statement]);
    return code;
}

int writer_begin(writer *w, int64_t timeout_ms) {
    sqlite3_busy_timeout(w->db, timeout_ms > 3600000 ? 3600000 : (int)timeout_ms);
    return writer_run(w, WRITE_BEGIN);
}

void writer_rollback(writer *w) {
    w->rows = -1;
    if (!sqlite3_get_autocommit(w->db)) {
        writer_run(w, WRITE_ROLLBACK);
    }
}

store_result writer_failed(writer *w, int code, const char *doing) {
    store_result result = sqlite_store_failed(w->self, code, w->db, doing);
    if ((code & 0xff) != SQLITE_CONSTRAINT && result == STORE_FAILED) {
        w->trouble = true;
    }
    return result;
}

/* ---- operations ---- */

static const struct {
    const char *doing;
    int (*apply)(writer *w, store_op *op); /* NULL: touches no row */
    bool recorded;                         /* always has a record with it */
    bool noted;                            /* always has a note with it */
} OPS[] = {
    [STORE_INSERT] = {"insert", rows_insert, false, false},
    [STORE_VIEW] = {"view", rows_view, false, false},
    [STORE_UPDATE] = {"update", rows_update, false, false},
    [STORE_DELETE] = {"delete", rows_delete, false, false},
    [STORE_DESCRIBE] = {"describe", rows_describe, false, false},
    [STORE_CLEAN] = {"clean", rows_clean, false, false},
    [STORE_REMEMBER] = {"record", NULL, true, false},
    [STORE_NOTE_PUT] = {"note", NULL, false, true},
};

/* Whether the request was answered before. Only this thread adds records, so it stays true. */
static int look_for_record(writer *w, store_op *op, int64_t now_ms) {
    sqlite3_stmt *s = w->statements[WRITE_LOOK_RECORD];
    sqlite3_bind_blob(s, 1, op->record.scope, STORE_HASH_BYTES, SQLITE_STATIC);
    sqlite3_bind_int64(s, 2, rules_memory_begin(now_ms));
    int code = writer_run(w, WRITE_LOOK_RECORD);
    if (code == SQLITE_ROW) {
        op->result = STORE_CONFLICT;
        code = SQLITE_DONE;
    }
    return code;
}

static int add_record(writer *w, store_op *op, int64_t now_ms) {
    store_record *record = &op->record;
    if (op->render != NULL) {
        free(record->response);
        record->response = NULL;
        record->response_len = 0;
        if (!op->render(op)) {
            return SQLITE_NOMEM;
        }
    }
    sqlite3_stmt *s = w->statements[WRITE_ADD_RECORD];
    sqlite3_bind_blob(s, 1, record->scope, STORE_HASH_BYTES, SQLITE_STATIC);
    sqlite3_bind_blob(s, 2, record->body_hash, STORE_HASH_BYTES, SQLITE_STATIC);
    sqlite3_bind_int64(s, 3, record->status);
    sqlite3_bind_int64(s, 4, now_ms);
    /* A NULL pointer would be SQL's NULL, which an empty response is not. */
    sqlite3_bind_blob64(s, 5, record->response == NULL ? "" : record->response,
                        record->response_len, SQLITE_STATIC);
    return writer_run(w, WRITE_ADD_RECORD);
}

/* Undoes what happened since the savepoint, unless SQLite already undid more than that. */
static void undo(writer *w) {
    if (!sqlite3_get_autocommit(w->db)) {
        writer_run(w, WRITE_UNDO);
        writer_run(w, WRITE_RELEASE);
    }
}

store_result writer_apply(writer *w, store_op *op) {
    int64_t now_ms = w->self->options.now_ms();
    bool recorded = op->recorded || OPS[op->kind].recorded;
    bool noted = op->noted || OPS[op->kind].noted;
    int64_t rows = w->rows;
    op->result = STORE_OK;
    int code = writer_run(w, WRITE_SAVEPOINT);
    if (code == SQLITE_DONE && recorded) {
        code = look_for_record(w, op, now_ms);
    }
    if (code == SQLITE_DONE && op->result == STORE_OK && OPS[op->kind].apply != NULL) {
        code = OPS[op->kind].apply(w, op);
    }
    if (code == SQLITE_DONE && op->result == STORE_OK && noted) {
        code = rows_put_note(w, op);
    }
    if (code == SQLITE_DONE && op->result == STORE_OK && recorded) {
        code = add_record(w, op, now_ms);
    }
    if (code == SQLITE_DONE && op->result == STORE_OK) {
        code = writer_run(w, WRITE_RELEASE);
    }
    if (code != SQLITE_DONE) {
        op->result = writer_failed(w, code, OPS[op->kind].doing);
    }
    if (op->result != STORE_OK) {
        undo(w);
        w->rows = rows;
    }
    return op->result;
}

bool writer_apply_touches(writer *w, const store_touch *touches, size_t count) {
    int code = writer_run(w, WRITE_SAVEPOINT);
    for (size_t i = 0; i < count && code == SQLITE_DONE; i++) {
        code = rows_touch(w, &touches[i]);
    }
    if (code == SQLITE_DONE) {
        code = writer_run(w, WRITE_RELEASE);
    }
    if (code != SQLITE_DONE) {
        writer_failed(w, code, "refresh");
        undo(w);
    }
    return code == SQLITE_DONE;
}

bool writer_probe(writer *w) {
    char pragma[64]; /* the version it has already: still a page that goes to disk */
    snprintf(pragma, sizeof pragma, "PRAGMA user_version = %zu", migrations_sqlite_count);
    bool well = writer_begin(w, 0) == SQLITE_DONE &&
                sqlite3_exec(w->db, pragma, NULL, NULL, NULL) == SQLITE_OK &&
                writer_run(w, WRITE_COMMIT) == SQLITE_DONE;
    writer_rollback(w);
    return well;
}
