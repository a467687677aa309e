/*
 * store_sqlite_adopt.c - takes over the database of agent-render's own server, whose table is
 *
 *     artifacts(id TEXT PRIMARY KEY, payload TEXT NOT NULL, created_at, updated_at, last_viewed_at,
 *               expires_at TEXT NOT NULL), index idx_artifacts_expires_at, user_version 0
 *
 * with times as JavaScript's toISOString() or SQLite's datetime('now') write them.
 *
 * All of it happens within the transaction that makes our own tables, so that a kill or a full disk
 * at any moment leaves the old server's database as it was. Links become ordinary rows whose asset
 * set is not said. What no URL of ours could name or no reader could be shown is not thrown away
 * but kept, as it was, in a table of its own. Links that have expired are left out.
 *
 * Runs on the thread that opens the store.
 */
#include "ids.h"
#include "store_sqlite.h"
#include "text.h"

#include <string.h>

#define OLD_TABLE "artifacts_before"

/* Milliseconds of a text column, or NULL. SQLite reads both ways of writing a time. */
#define MS_OF(column)                                                                              \
    "CAST(strftime('%s', " column ") AS INTEGER) * 1000 + "                                        \
    "CAST(substr(strftime('%f', " column "), 4) AS INTEGER)"

/* Times that are not read (or come out of a number) say nothing: NULL. */
#define TIME_OF(column) "CASE typeof(" column ") WHEN 'text' THEN " MS_OF(column) " END"

#define TIMES                                                                                      \
    TIME_OF("created_at")                                                                          \
    "," TIME_OF("updated_at") "," TIME_OF("last_viewed_at") "," TIME_OF("expires_at")

/* A life that its times do not tell: that server's own default. */
#define DEFAULT_TTL_MS (INT64_C(24) * 60 * 60 * 1000)

enum { ROWS, INSERT_ARTIFACT, INSERT_LIFETIME, DELETE_ROW, KEEP_ODD, STATEMENTS };

/* Columns of ROWS; the first six are the old table's. */
enum {
    ID,
    PAYLOAD,
    OLD_COLUMNS = 6,
    CREATED_AT = OLD_COLUMNS,
    UPDATED_AT,
    LAST_VIEWED_AT,
    EXPIRES_AT,
    ROWID
};

/*
 * Ids in lower case come first: they are what that server finds, should another spelling of the
 * same one be there too.
 */
static const char *const SQL[STATEMENTS] = {
    [ROWS] = "SELECT id, payload, created_at, updated_at, last_viewed_at, expires_at, " TIMES
             ", rowid FROM " OLD_TABLE " WHERE (id IS lower(id)) = ?1",
    [INSERT_ARTIFACT] = "INSERT OR IGNORE INTO artifacts (id, payload, created_at, updated_at) "
                        "VALUES (?1, ?2, ?3, ?4)",
    [INSERT_LIFETIME] =
        "INSERT INTO lifetimes (row, expires_at, last_viewed_at, ttl, sliding, views, max_views, "
        "views_left) VALUES (?1, ?2, ?3, ?4, 1, 0, 0, 0)",
    [DELETE_ROW] = "DELETE FROM " OLD_TABLE " WHERE rowid = ?1",
    [KEEP_ODD] = "INSERT INTO " ADOPT_ODD_TABLE " VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
};

bool sqlite_store_can_adopt(sqlite3 *db) {
    /* Its six columns and no others, and nothing in the file that is not this table's. */
    static const char QUERY[] =
        "SELECT (SELECT group_concat(name, ' ') FROM "
        "(SELECT name FROM pragma_table_info('artifacts') ORDER BY name)) IS "
        "'created_at expires_at id last_viewed_at payload updated_at' AND NOT EXISTS "
        "(SELECT 1 FROM sqlite_schema WHERE tbl_name <> 'artifacts' AND name NOT LIKE 'sqlite@_%' "
        "ESCAPE '@' OR type NOT IN ('table', 'index')) AND (SELECT wr FROM pragma_table_list "
        "WHERE name = 'artifacts') = 0";
    sqlite3_stmt *query = NULL;
    bool can = sqlite3_prepare_v2(db, QUERY, -1, &query, NULL) == SQLITE_OK &&
               sqlite3_step(query) == SQLITE_ROW && sqlite3_column_int(query, 0) != 0;
    sqlite3_finalize(query);
    return can;
}

int sqlite_store_adopt_begin(sqlite3 *db) {
    int code = sqlite3_exec(db,
                            "ALTER TABLE artifacts RENAME TO " OLD_TABLE
                            "; DROP INDEX IF EXISTS idx_artifacts_expires_at",
                            NULL, NULL, NULL);
    return code == SQLITE_OK ? SQLITE_DONE : code;
}

static int run(sqlite3_stmt *statement) {
    int code = sqlite3_step(statement);
    sqlite3_reset(statement);
    return code;
}

/* The payload, if it is text that every client can be sent. */
static bool readable_payload(sqlite3_stmt *row) {
    if (sqlite3_column_type(row, PAYLOAD) != SQLITE_TEXT) {
        return false;
    }
    const unsigned char *text = sqlite3_column_text(row, PAYLOAD);
    size_t len = (size_t)sqlite3_column_bytes(row, PAYLOAD);
    return text != NULL && memchr(text, '\0', len) == NULL && arx_text_is_utf8(text, len);
}

static bool readable_id(sqlite3_stmt *row, uint8_t id[ID_BYTES]) {
    const unsigned char *text = sqlite3_column_text(row, ID);
    return sqlite3_column_type(row, ID) == SQLITE_TEXT && text != NULL &&
           sqlite3_column_bytes(row, ID) == ID_LONG_CHARS && id_parse((const char *)text, id);
}

static int64_t time_or(sqlite3_stmt *row, int column, int64_t otherwise_ms) {
    return sqlite3_column_type(row, column) == SQLITE_NULL ? otherwise_ms
                                                           : sqlite3_column_int64(row, column);
}

/* Both of its table's times that a refresh moves go together; an update moves only one of them. */
static int64_t ttl_of(int64_t expires_ms, int64_t viewed_ms, int64_t updated_ms) {
    int64_t ttl_ms = expires_ms - (viewed_ms > updated_ms ? viewed_ms : updated_ms);
    return ttl_ms > 0 ? ttl_ms : DEFAULT_TTL_MS;
}

/* SQLITE_NOTFOUND, which no statement answers: the id is there already, spelled differently. */
static int take(sqlite3 *db, sqlite3_stmt **s, const uint8_t *id, int64_t now_ms) {
    sqlite3_stmt *row = s[ROWS];
    int64_t created_ms = time_or(row, CREATED_AT, now_ms);
    int64_t updated_ms = time_or(row, UPDATED_AT, created_ms);
    int64_t viewed_ms = time_or(row, LAST_VIEWED_AT, updated_ms);
    int64_t expires_ms = sqlite3_column_int64(row, EXPIRES_AT);

    sqlite3_bind_blob(s[INSERT_ARTIFACT], 1, id, ID_BYTES, SQLITE_STATIC);
    sqlite3_bind_value(s[INSERT_ARTIFACT], 2, sqlite3_column_value(row, PAYLOAD));
    sqlite3_bind_int64(s[INSERT_ARTIFACT], 3, created_ms);
    sqlite3_bind_int64(s[INSERT_ARTIFACT], 4, updated_ms);
    int code = run(s[INSERT_ARTIFACT]);
    if (code != SQLITE_DONE) {
        return code;
    }
    if (sqlite3_changes(db) == 0) {
        return SQLITE_NOTFOUND;
    }
    sqlite3_bind_int64(s[INSERT_LIFETIME], 1, sqlite3_last_insert_rowid(db));
    sqlite3_bind_int64(s[INSERT_LIFETIME], 2, expires_ms);
    sqlite3_bind_int64(s[INSERT_LIFETIME], 3, viewed_ms);
    sqlite3_bind_int64(s[INSERT_LIFETIME], 4, ttl_of(expires_ms, viewed_ms, updated_ms));
    return run(s[INSERT_LIFETIME]);
}

/* The row goes where the operator finds it. */
static int keep(sqlite3 *db, sqlite3_stmt **s) {
    if (s[KEEP_ODD] == NULL) {
        int code =
            sqlite3_exec(db,
                         "CREATE TABLE " ADOPT_ODD_TABLE " AS SELECT id, payload, created_at,"
                         " updated_at, last_viewed_at, expires_at FROM " OLD_TABLE " WHERE 0",
                         NULL, NULL, NULL);
        if (code == SQLITE_OK) {
            code = sqlite3_prepare_v2(db, SQL[KEEP_ODD], -1, &s[KEEP_ODD], NULL);
        }
        if (code != SQLITE_OK) {
            return code;
        }
    }
    for (int column = 0; column < OLD_COLUMNS; column++) {
        sqlite3_bind_value(s[KEEP_ODD], column + 1, sqlite3_column_value(s[ROWS], column));
    }
    return run(s[KEEP_ODD]);
}

/*
 * Moves a row. It is deleted on the spot, so that the next ones are written into its pages: the
 * file hardly grows, and dropping the table at the end has nothing to remember.
 */
static int adopt_row(sqlite3 *db, sqlite3_stmt **s, int64_t now_ms, adopted *counts) {
    uint8_t id[ID_BYTES];
    uint64_t *kind = &counts->odd;
    int code = SQLITE_NOTFOUND;
    bool timed = sqlite3_column_type(s[ROWS], EXPIRES_AT) != SQLITE_NULL;
    if (timed && sqlite3_column_int64(s[ROWS], EXPIRES_AT) <= now_ms) {
        kind = &counts->expired;
        code = SQLITE_DONE;
    } else if (timed && readable_id(s[ROWS], id) && readable_payload(s[ROWS])) {
        code = take(db, s, id, now_ms);
        kind = code == SQLITE_DONE ? &counts->taken : kind;
    }
    if (code == SQLITE_NOTFOUND) {
        code = keep(db, s);
    }
    if (code == SQLITE_DONE) {
        (*kind)++;
        sqlite3_bind_int64(s[DELETE_ROW], 1, sqlite3_column_int64(s[ROWS], ROWID));
        code = run(s[DELETE_ROW]);
    }
    return code;
}

int sqlite_store_adopt_rows(sqlite3 *db, int64_t now_ms, adopted *counts) {
    sqlite3_stmt *s[STATEMENTS] = {0};
    int code = SQLITE_OK;
    for (size_t i = 0; i < KEEP_ODD && code == SQLITE_OK; i++) {
        code = sqlite3_prepare_v2(db, SQL[i], -1, &s[i], NULL);
    }
    if (code != SQLITE_OK) {
        goto out;
    }
    for (int lower = 1; lower >= 0; lower--) {
        sqlite3_bind_int(s[ROWS], 1, lower);
        while ((code = sqlite3_step(s[ROWS])) == SQLITE_ROW) {
            code = adopt_row(db, s, now_ms, counts);
            if (code != SQLITE_DONE) {
                goto out;
            }
        }
        sqlite3_reset(s[ROWS]);
        if (code != SQLITE_DONE) {
            goto out;
        }
    }

out:
    for (size_t i = 0; i < STATEMENTS; i++) {
        sqlite3_finalize(s[i]);
    }
    if (code == SQLITE_DONE) {
        int dropped = sqlite3_exec(db, "DROP TABLE " OLD_TABLE, NULL, NULL, NULL);
        code = dropped == SQLITE_OK ? SQLITE_DONE : dropped;
    }
    return code;
}
