/*
 * store_sqlite_table.c - store_table.h over SQLite: statements, and values on their way.
 *
 * To be read, the file is opened beside whoever has it, without a snapshot: between two pages
 * nothing keeps a daemon's log from being emptied. To be copied into, it is opened in a daemon's
 * place and under its locks; with no other connection to it this one may checkpoint by itself.
 */
#include "store_sqlite.h"
#include "store_sqlite_beside.h"

#include <stdio.h>
#include <stdlib.h>

/* Statements of a table; numbers of parameters are those of columns, from 1 on. */
enum { COUNT, PAGE, REMOVE, REMOVE_MORE, ADD_FIRST, ADD, ADD_MORE, STATEMENTS };

static const char *const SQL[TABLES][STATEMENTS] = {
    [TABLE_LINKS] =
        {
            [COUNT] = "SELECT count(*) FROM artifacts",
            [PAGE] = "SELECT a.id, a.created_at, a.updated_at, a.edit_key_hash, a.maker, a.codec, "
                     "a.kind, a.title, a.payload, l.expires_at, l.last_viewed_at, l.ttl, l.views, "
                     "l.max_views, l.views_left, l.sliding, s.id, l.label FROM artifacts a "
                     "JOIN lifetimes l ON l.row = a.row "
                     "LEFT JOIN asset_sets s ON s.number = l.asset_set "
                     "WHERE a.id >= ?1 ORDER BY a.id LIMIT ?3",
            [REMOVE] =
                "DELETE FROM lifetimes WHERE row = (SELECT row FROM artifacts WHERE id = ?1)",
            [REMOVE_MORE] = "DELETE FROM artifacts WHERE id = ?1",
            [ADD_FIRST] = "INSERT OR IGNORE INTO asset_sets (id) SELECT ?17 WHERE ?17 NOT NULL",
            [ADD] = "INSERT INTO artifacts (id, created_at, updated_at, edit_key_hash, maker, "
                    "codec, kind, title, payload) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            [ADD_MORE] = "INSERT INTO lifetimes (row, expires_at, last_viewed_at, ttl, views, "
                         "max_views, views_left, sliding, asset_set, label) VALUES "
                         "(last_insert_rowid(), ?10, ?11, ?12, ?13, ?14, ?15, ?16, "
                         "(SELECT number FROM asset_sets WHERE id = ?17), ?18)",
        },
    [TABLE_RECORDS] =
        {
            [COUNT] = "SELECT count(*) FROM idempotency",
            [PAGE] = "SELECT scope, body_hash, status, at, response FROM idempotency "
                     "WHERE scope >= ?1 ORDER BY scope LIMIT ?3",
            [REMOVE] = "DELETE FROM idempotency WHERE scope = ?1",
            [ADD] = "INSERT INTO idempotency (scope, body_hash, status, at, response) "
                    "VALUES (?1, ?2, ?3, ?4, ?5)",
        },
    [TABLE_GONE] =
        {
            [COUNT] = "SELECT count(*) FROM gone",
            [PAGE] = "SELECT id, at FROM gone WHERE id >= ?1 ORDER BY id LIMIT ?3",
            [REMOVE] = "DELETE FROM gone WHERE id = ?1",
            [ADD] = "INSERT INTO gone (id, at) VALUES (?1, ?2)",
        },
    [TABLE_NOTES] =
        {
            [COUNT] = "SELECT count(*) FROM notes",
            [PAGE] = "SELECT space, key, owner, version, row, expires_at, value FROM notes "
                     "WHERE (space, key) >= (?2, ?1) ORDER BY space, key LIMIT ?3",
            [REMOVE] = "DELETE FROM notes WHERE space = ?1 AND key = ?2",
            /* The first place that is free from there on. */
            [ADD] = "INSERT INTO notes (space, key, owner, version, row, expires_at, value) "
                    "VALUES (?1, ?2, ?3, ?4, (WITH RECURSIVE place (row) AS (SELECT ?5 UNION ALL "
                    "SELECT row + 1 FROM place WHERE row IN (SELECT row FROM notes)) "
                    "SELECT max(row) FROM place), ?6, ?7)",
        },
};

typedef struct sqlite_tables {
    store_tables base;
    char place[400];
    sqlite_store *self; /* copied into; NULL: read beside */
    sqlite3 *db;        /* self's writer, or owned */
    sqlite3_stmt *statements[TABLES][STATEMENTS];
} sqlite_tables;

static bool broken(sqlite_tables *t, const char *doing) {
    snprintf(t->base.why, sizeof t->base.why, "database %s: cannot %s: %s", t->place, doing,
             sqlite3_errmsg(t->db));
    return false;
}

/* A statement, prepared when it is first asked for. NULL with the failure in `why`. */
static sqlite3_stmt *statement(sqlite_tables *t, table_name table, int which) {
    sqlite3_stmt **found = &t->statements[table][which];
    if (*found == NULL && sqlite3_prepare_v3(t->db, SQL[table][which], -1,
                                             SQLITE_PREPARE_PERSISTENT, found, NULL) != SQLITE_OK) {
        broken(t, "ask it");
    }
    return *found;
}

/* ---- reading ---- */

static bool count_rows(store_tables *base, table_name table, uint64_t *rows) {
    sqlite_tables *t = (sqlite_tables *)base;
    sqlite3_stmt *s = statement(t, table, COUNT);
    bool found = s != NULL && sqlite3_step(s) == SQLITE_ROW;
    if (found) {
        *rows = (uint64_t)sqlite3_column_int64(s, 0);
    } else if (s != NULL) {
        broken(t, "count its rows");
    }
    sqlite3_reset(s);
    return found;
}

/* What stands in the column. False without memory. */
static bool take(sqlite3_stmt *s, int column, value_kind kind, table_value *value) {
    *value = (table_value){.there = sqlite3_column_type(s, column) != SQLITE_NULL};
    if (!value->there || kind == VALUE_NUMBER || kind == VALUE_BOOL) {
        value->number = sqlite3_column_int64(s, column);
        return true;
    }
    value->bytes = kind == VALUE_TEXT ? (const void *)sqlite3_column_text(s, column)
                                      : sqlite3_column_blob(s, column);
    value->len = (size_t)sqlite3_column_bytes(s, column);
    if (value->bytes == NULL && kind == VALUE_BYTES && value->len == 0) {
        value->bytes = ""; /* an empty blob has no place */
    }
    return value->bytes != NULL;
}

static bool read_page(store_tables *base, table_name table, const table_from *from,
                      table_page *page) {
    sqlite_tables *t = (sqlite_tables *)base;
    const table_shape *shape = &table_shapes[table];
    sqlite3_stmt *s = statement(t, table, PAGE);
    int code;
    bool kept = true;
    if (s == NULL) {
        return false;
    }
    sqlite3_bind_blob(s, 1, from->bytes, (int)shape->key_bytes, SQLITE_STATIC);
    if (shape->keys > 1) {
        sqlite3_bind_int64(s, 2, from->number);
    }
    sqlite3_bind_int64(s, 3, TABLE_PAGE_ROWS);
    while ((code = sqlite3_step(s)) == SQLITE_ROW && kept) {
        table_value values[TABLE_COLUMNS];
        for (size_t i = 0; kept && i < shape->columns; i++) {
            kept = take(s, (int)i, shape->kinds[i], &values[i]);
        }
        kept = kept && table_page_add(page, table, values);
    }
    bool whole = kept && code == SQLITE_DONE;
    if (!kept) {
        snprintf(base->why, sizeof base->why, "database %s: out of memory", t->place);
    } else if (!whole) {
        broken(t, "read its rows");
    }
    sqlite3_reset(s);
    return whole;
}

/* ---- writing ---- */

static void bind(sqlite3_stmt *s, int at, value_kind kind, const table_value *value) {
    if (!value->there) {
        sqlite3_bind_null(s, at);
    } else if (kind == VALUE_NUMBER || kind == VALUE_BOOL) {
        sqlite3_bind_int64(s, at, value->number);
    } else if (kind == VALUE_TEXT) {
        sqlite3_bind_text64(s, at, value->bytes, value->len, SQLITE_STATIC, SQLITE_UTF8);
    } else {
        sqlite3_bind_blob64(s, at, value->bytes, value->len, SQLITE_STATIC);
    }
}

static bool run(sqlite_tables *t, table_name table, int which, const table_row *row) {
    if (SQL[table][which] == NULL) {
        return true;
    }
    sqlite3_stmt *s = statement(t, table, which);
    if (s == NULL) {
        return false;
    }
    int count = sqlite3_bind_parameter_count(s);
    for (int i = 0; i < count; i++) {
        bind(s, i + 1, table_shapes[table].kinds[i], &row->values[i]);
    }
    bool done = sqlite3_step(s) == SQLITE_DONE;
    if (!done) {
        broken(t, "write a row");
    }
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
    return done;
}

static bool apply(sqlite_tables *t, table_name table, const table_change *change) {
    return (change->act == TABLE_ADD ||
            (run(t, table, REMOVE, change->row) && run(t, table, REMOVE_MORE, change->row))) &&
           (change->act == TABLE_REMOVE ||
            (run(t, table, ADD_FIRST, change->row) && run(t, table, ADD, change->row) &&
             run(t, table, ADD_MORE, change->row)));
}

static bool execute(sqlite_tables *t, const char *sql) {
    return sqlite3_exec(t->db, sql, NULL, NULL, NULL) == SQLITE_OK || broken(t, "write it");
}

static bool change_rows(store_tables *base, table_name table, const table_change *changes,
                        size_t count) {
    sqlite_tables *t = (sqlite_tables *)base;
    bool done = execute(t, "BEGIN IMMEDIATE");
    for (size_t i = 0; done && i < count; i++) {
        done = apply(t, table, &changes[i]);
    }
    done = done && execute(t, "COMMIT");
    if (!done && !sqlite3_get_autocommit(t->db)) {
        sqlite3_exec(t->db, "ROLLBACK", NULL, NULL, NULL);
    }
    return done;
}

static bool finish(store_tables *base) {
    char pragma[64];
    snprintf(pragma, sizeof pragma, "PRAGMA application_id = %d", SQLITE_STORE_COPIED_ID);
    return execute((sqlite_tables *)base, pragma);
}

/* ---- opening and closing ---- */

static const char *place_of(const store_tables *base) {
    return ((const sqlite_tables *)base)->place;
}

static void close_tables(store_tables *base) {
    sqlite_tables *t = (sqlite_tables *)base;
    for (size_t i = 0; i < TABLES; i++) {
        for (size_t k = 0; k < STATEMENTS; k++) {
            sqlite3_finalize(t->statements[i][k]);
        }
    }
    if (t->self != NULL) {
        sqlite_store_free(t->self);
    } else {
        sqlite3_close(t->db);
    }
    free(t);
}

static bool open_beside(sqlite_tables *t, const store_options *options, char *why,
                        size_t why_size) {
    t->db = beside_open(options->path, true, why, why_size);
    return t->db != NULL && (sqlite3_exec(t->db, "ROLLBACK", NULL, NULL, NULL) == SQLITE_OK ||
                             beside_failed(t->db, t->place, "read it", why, why_size) == STORE_OK);
}

static bool open_into(sqlite_tables *t, const store_options *options, char *why, size_t why_size) {
    t->self = sqlite_store_create(options);
    if (t->self == NULL) {
        snprintf(why, why_size, "database %s: out of memory", t->place);
        return false;
    }
    t->self->copying = true;
    bool well = sqlite_store_open_file(t->self, options->path, why, why_size);
    t->db = t->self->writer;
    if (well &&
        sqlite3_exec(t->db, "PRAGMA wal_autocheckpoint = 1000", NULL, NULL, NULL) != SQLITE_OK) {
        beside_failed(t->db, t->place, "set it up", why, why_size);
        well = false;
    }
    return well;
}

static store_tables *open_tables(const store_options *options, bool into, char *why,
                                 size_t why_size) {
    sqlite_tables *t = calloc(1, sizeof *t);
    if (t == NULL) {
        snprintf(why, why_size, "database %s: out of memory", options->path);
        return NULL;
    }
    t->base.engine = &sqlite_tables_engine;
    snprintf(t->place, sizeof t->place, "%s", options->path);
    if (into ? open_into(t, options, why, why_size) : open_beside(t, options, why, why_size)) {
        return &t->base;
    }
    close_tables(&t->base);
    return NULL;
}

const tables_engine sqlite_tables_engine = {
    .open = open_tables,
    .close = close_tables,
    .place = place_of,
    .count = count_rows,
    .page = read_page,
    .change = change_rows,
    .finish = finish,
};
