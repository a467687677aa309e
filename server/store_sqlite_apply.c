/* store_sqlite_apply.c - see store_sqlite_apply.h. */
#include "store_sqlite_apply.h"
#include "store_migrations.h"

#include <stdio.h>
#include <string.h>

/* A step of a sweep: most rows deleted in its transaction, most rows looked at before it. */
#define SWEEP_DELETE 500
#define SWEEP_WALK   20000

/* Longer lives than this would overflow when added to a time; it is 285,000 years. */
#define TTL_MAX_MS (INT64_C(1) << 53)

static const char *const SQL[WRITE_COUNT] = {
    [WRITE_BEGIN] = "BEGIN IMMEDIATE",
    [WRITE_COMMIT] = "COMMIT",
    [WRITE_ROLLBACK] = "ROLLBACK",
    [WRITE_SAVEPOINT] = "SAVEPOINT op",
    [WRITE_RELEASE] = "RELEASE op",
    [WRITE_UNDO] = "ROLLBACK TO op",
    [WRITE_ADD_SET] = "INSERT OR IGNORE INTO asset_sets (id) VALUES (?1)",
    [WRITE_INSERT_ARTIFACT] =
        "INSERT INTO artifacts (id, payload, codec, kind, title, created_at, updated_at) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)",
    [WRITE_INSERT_LIFETIME] =
        "INSERT INTO lifetimes (row, expires_at, last_viewed_at, ttl, sliding, views, asset_set) "
        "VALUES (?1, ?2, ?3, ?4, ?5, 0, (SELECT number FROM asset_sets WHERE id = ?6))",
    [WRITE_DESCRIBE] = "UPDATE artifacts SET codec = ifnull(?2, codec), kind = ifnull(?3, kind), "
                       "title = ifnull(?4, title) WHERE id = ?1 AND (?5 = 0 OR updated_at = ?5) "
                       "AND (SELECT expires_at FROM lifetimes l WHERE l.row = artifacts.row) > ?6",
    [WRITE_DESCRIBE_SET] =
        "UPDATE lifetimes SET asset_set = (SELECT number FROM asset_sets WHERE id = ?2) "
        "WHERE row = (SELECT row FROM artifacts WHERE id = ?1)",
    [WRITE_VIEW] = "UPDATE lifetimes SET views = views + ?2, "
                   "last_viewed_at = max(last_viewed_at, ?3), expires_at = "
                   "CASE sliding WHEN 0 THEN expires_at ELSE max(expires_at, ?3 + ttl) END "
                   "WHERE row = (SELECT row FROM artifacts WHERE id = ?1)",
    [WRITE_EXPIRE_LIFETIME] = "DELETE FROM lifetimes WHERE expires_at <= ?2 AND "
                              "row = (SELECT row FROM artifacts WHERE id = ?1)",
    [WRITE_EXPIRE_ARTIFACT] = "DELETE FROM artifacts WHERE id = ?1",
    [WRITE_SWEEP_WALK] = "SELECT row, expires_at FROM lifetimes WHERE row > ?1 ORDER BY row",
    [WRITE_SWEEP_LIFETIME] = "DELETE FROM lifetimes WHERE row = ?1 AND expires_at <= ?2",
    [WRITE_SWEEP_ARTIFACT] = "DELETE FROM artifacts WHERE row = ?1",
};

int writer_prepare(writer *w) {
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

/* Binds are checked by what they do: one that fails leaves NULL, which the tables refuse. */
static void bind_text(sqlite3_stmt *s, int at, const char *text) {
    if (text == NULL) {
        sqlite3_bind_null(s, at);
    } else {
        sqlite3_bind_text64(s, at, text, strlen(text), SQLITE_STATIC, SQLITE_UTF8);
    }
}

static void bind_id(sqlite3_stmt *s, const uint8_t *id) {
    sqlite3_bind_blob(s, 1, id, STORE_ID_BYTES, SQLITE_STATIC);
}

static int add_set(writer *w, const char *set) {
    bind_text(w->statements[WRITE_ADD_SET], 1, set);
    return writer_run(w, WRITE_ADD_SET);
}

static int insert(writer *w, store_op *op) {
    store_artifact *a = &op->artifact;
    const char *set = a->asset_set[0] == '\0' ? NULL : a->asset_set;
    int64_t ttl_ms = a->ttl_ms < 0 ? 0 : a->ttl_ms > TTL_MAX_MS ? TTL_MAX_MS : a->ttl_ms;
    int64_t now_ms = w->self->options.now_ms();
    int code = set == NULL ? SQLITE_DONE : add_set(w, set);
    if (code != SQLITE_DONE) {
        return code;
    }

    sqlite3_stmt *s = w->statements[WRITE_INSERT_ARTIFACT];
    bind_id(s, a->id);
    sqlite3_bind_text64(s, 2, a->payload, a->payload_len, SQLITE_STATIC, SQLITE_UTF8);
    bind_text(s, 3, a->codec);
    bind_text(s, 4, a->kind);
    bind_text(s, 5, a->title);
    sqlite3_bind_int64(s, 6, now_ms);
    code = writer_run(w, WRITE_INSERT_ARTIFACT);
    if (code != SQLITE_DONE) {
        return code;
    }

    s = w->statements[WRITE_INSERT_LIFETIME];
    sqlite3_bind_int64(s, 1, sqlite3_last_insert_rowid(w->db));
    sqlite3_bind_int64(s, 2, store_time_add(now_ms, ttl_ms));
    sqlite3_bind_int64(s, 3, now_ms);
    sqlite3_bind_int64(s, 4, ttl_ms);
    sqlite3_bind_int(s, 5, a->sliding);
    bind_text(s, 6, set);
    code = writer_run(w, WRITE_INSERT_LIFETIME);
    if (code == SQLITE_DONE) {
        a->ttl_ms = ttl_ms;
        a->created_at_ms = a->updated_at_ms = a->last_viewed_at_ms = now_ms;
        a->expires_at_ms = store_time_add(now_ms, ttl_ms);
        a->views = 0;
    }
    return code;
}

/* SQLITE_NOTFOUND, which no statement answers, when there is no such row. */
static int describe(writer *w, store_op *op) {
    store_artifact *a = &op->artifact;
    sqlite3_stmt *s = w->statements[WRITE_DESCRIBE];
    bind_id(s, a->id);
    bind_text(s, 2, a->codec);
    bind_text(s, 3, a->kind);
    bind_text(s, 4, a->title);
    sqlite3_bind_int64(s, 5, a->updated_at_ms);
    sqlite3_bind_int64(s, 6, w->self->options.now_ms());
    int code = writer_run(w, WRITE_DESCRIBE);
    if (code == SQLITE_DONE && sqlite3_changes(w->db) == 0) {
        return SQLITE_NOTFOUND;
    }
    if (code != SQLITE_DONE || a->asset_set[0] == '\0') {
        return code;
    }
    code = add_set(w, a->asset_set);
    if (code != SQLITE_DONE) {
        return code;
    }
    s = w->statements[WRITE_DESCRIBE_SET];
    bind_id(s, a->id);
    bind_text(s, 2, a->asset_set);
    return writer_run(w, WRITE_DESCRIBE_SET);
}

/* Undoes what happened since the savepoint, unless SQLite already undid more than that. */
static void undo(writer *w) {
    if (!sqlite3_get_autocommit(w->db)) {
        writer_run(w, WRITE_UNDO);
        writer_run(w, WRITE_RELEASE);
    }
}

store_result writer_apply(writer *w, store_op *op) {
    int code = writer_run(w, WRITE_SAVEPOINT);
    if (code == SQLITE_DONE) {
        code = op->kind == STORE_INSERT ? insert(w, op) : describe(w, op);
    }
    bool missing = code == SQLITE_NOTFOUND;
    if (code == SQLITE_DONE || missing) {
        code = writer_run(w, WRITE_RELEASE);
    }
    if (code == SQLITE_DONE) {
        return missing ? STORE_NOT_FOUND : STORE_OK;
    }
    store_result result = writer_failed(w, code, op->kind == STORE_INSERT ? "insert" : "describe");
    undo(w);
    return result;
}

static int apply_touch(writer *w, const store_touch *touch) {
    int code = SQLITE_DONE;
    sqlite3_stmt *s;
    if (touch->views > 0) {
        s = w->statements[WRITE_VIEW];
        bind_id(s, touch->id);
        sqlite3_bind_int64(s, 2, touch->views);
        sqlite3_bind_int64(s, 3, touch->last_ms);
        code = writer_run(w, WRITE_VIEW);
    }
    if (code == SQLITE_DONE && touch->expired) {
        s = w->statements[WRITE_EXPIRE_LIFETIME];
        bind_id(s, touch->id);
        sqlite3_bind_int64(s, 2, w->self->options.now_ms());
        code = writer_run(w, WRITE_EXPIRE_LIFETIME);
        if (code == SQLITE_DONE && sqlite3_changes(w->db) > 0) {
            bind_id(w->statements[WRITE_EXPIRE_ARTIFACT], touch->id);
            code = writer_run(w, WRITE_EXPIRE_ARTIFACT);
        }
    }
    return code;
}

bool writer_apply_touches(writer *w, const store_touch *touches, size_t count) {
    int code = writer_run(w, WRITE_SAVEPOINT);
    for (size_t i = 0; i < count && code == SQLITE_DONE; i++) {
        code = apply_touch(w, &touches[i]);
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

/* The next expired rows behind s->row. SQLITE_ROW: stopped before the table's end. */
static int sweep_walk(writer *w, sweep *s, int64_t *rows, size_t *count) {
    sqlite3_stmt *walk = w->statements[WRITE_SWEEP_WALK];
    sqlite3_bind_int64(walk, 1, s->row);
    int code = SQLITE_ROW;
    for (size_t seen = 0; seen < SWEEP_WALK && *count < SWEEP_DELETE; seen++) {
        code = sqlite3_step(walk);
        if (code != SQLITE_ROW) {
            break;
        }
        s->row = sqlite3_column_int64(walk, 0);
        if (sqlite3_column_int64(walk, 1) <= s->now_ms) {
            rows[(*count)++] = s->row;
        }
    }
    sqlite3_reset(walk);
    return code;
}

static int sweep_delete(writer *w, const sweep *s, const int64_t *rows, size_t count,
                        uint64_t *deleted) {
    int code = SQLITE_DONE;
    for (size_t i = 0; i < count && code == SQLITE_DONE; i++) {
        sqlite3_stmt *lifetime = w->statements[WRITE_SWEEP_LIFETIME];
        sqlite3_bind_int64(lifetime, 1, rows[i]);
        sqlite3_bind_int64(lifetime, 2, s->now_ms);
        code = writer_run(w, WRITE_SWEEP_LIFETIME);
        if (code == SQLITE_DONE && sqlite3_changes(w->db) > 0) {
            sqlite3_bind_int64(w->statements[WRITE_SWEEP_ARTIFACT], 1, rows[i]);
            code = writer_run(w, WRITE_SWEEP_ARTIFACT);
            (*deleted)++;
        }
    }
    return code;
}

int writer_sweep(writer *w, sweep *s, int64_t timeout_ms) {
    int64_t rows[SWEEP_DELETE];
    size_t count = 0;
    int64_t from = s->row;
    uint64_t deleted = 0;
    int walked = sweep_walk(w, s, rows, &count);
    if (count == 0 || (walked != SQLITE_ROW && walked != SQLITE_DONE)) {
        return walked;
    }
    int code = writer_begin(w, timeout_ms);
    if (code == SQLITE_DONE) {
        code = sweep_delete(w, s, rows, count, &deleted);
    }
    if (code == SQLITE_DONE) {
        code = writer_run(w, WRITE_COMMIT);
    }
    if (code != SQLITE_DONE) {
        writer_rollback(w);
        s->row = from; /* so that a later step may try again */
        return code;
    }
    s->deleted += deleted;
    return walked;
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
