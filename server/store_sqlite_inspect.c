/* store_sqlite_inspect.c - store_inspect() and store_count(). */
#include "store_sqlite.h"
#include "store_sqlite_beside.h"
#include "store_sqlite_row.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Every row of a query's first column is a problem, put into the format. */
static const struct {
    const char *query;
    const char *form;
} checks[] = {
    {"SELECT integrity_check FROM pragma_integrity_check(100) WHERE integrity_check <> 'ok'", "%s"},
    {"SELECT row FROM artifacts WHERE row NOT IN (SELECT row FROM lifetimes)",
     "row %s of artifacts has no lifetime"},
    {"SELECT row FROM lifetimes WHERE row NOT IN (SELECT row FROM artifacts)",
     "row %s of lifetimes has no artifact"},
    {"SELECT row FROM lifetimes WHERE asset_set IS NOT NULL AND asset_set NOT IN "
     "(SELECT number FROM asset_sets)",
     "row %s of lifetimes names an asset set that is not in the table"},
};

/* Messages of SQLite's may have several lines. */
static void tell(const store_inspector *inspector, const char *text) {
    while (*text != '\0') {
        char line[256];
        size_t len = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)len, text);
        if (len > 0) {
            inspector->problem(inspector->opaque, line);
        }
        text += len + (text[len] == '\n' ? 1 : 0);
    }
}

/* A damaged page may end a query: that is what was looked for, and the next query goes elsewhere.
 */
static bool ended_well(sqlite3 *db, int code, const store_inspector *inspector) {
    if ((code & 0xff) == SQLITE_CORRUPT) {
        tell(inspector, sqlite3_errmsg(db));
        return true;
    }
    return code == SQLITE_DONE;
}

static bool run_check(sqlite3 *db, size_t i, const store_inspector *inspector) {
    sqlite3_stmt *query = NULL;
    int code = sqlite3_prepare_v2(db, checks[i].query, -1, &query, NULL);
    if (code == SQLITE_OK) {
        while ((code = sqlite3_step(query)) == SQLITE_ROW) {
            char text[1024];
            const unsigned char *found = sqlite3_column_text(query, 0);
            const char *at = strchr(checks[i].form, '%');
            snprintf(text, sizeof text, "%.*s%s%s", (int)(at - checks[i].form), checks[i].form,
                     found != NULL ? (const char *)found : "?", at + 2);
            tell(inspector, text);
        }
    }
    sqlite3_finalize(query);
    return ended_well(db, code, inspector);
}

static store_result run_rows(sqlite3 *db, const store_options *options,
                             const store_inspector *inspector, char *why, size_t why_size) {
    sqlite3_stmt *query = NULL;
    store_result result = STORE_OK;
    int code = sqlite3_prepare_v2(db, ROW_SELECT "1 ORDER BY a.row", -1, &query, NULL);
    while (code == SQLITE_OK && result == STORE_OK && (code = sqlite3_step(query)) == SQLITE_ROW) {
        store_artifact artifact = {0};
        row_read_numbers(query, &artifact);
        if (row_read_strings(query, &artifact)) {
            inspector->row(inspector->opaque, &artifact);
            code = SQLITE_OK;
        } else {
            snprintf(why, why_size, "database %s: out of memory", options->path);
            result = STORE_NO_MEMORY;
        }
        store_artifact_clear(&artifact);
    }
    if (result == STORE_OK && !ended_well(db, code, inspector)) {
        result = beside_failed(db, options->path, "read its links", why, why_size);
    }
    sqlite3_finalize(query);
    return result;
}

store_result sqlite_store_inspect(const store_options *options, const store_inspector *inspector,
                                  char *why, size_t why_size) {
    sqlite3 *db = beside_open(options->path, true, why, why_size);
    if (db == NULL) {
        return STORE_FAILED;
    }
    store_result result = STORE_OK;
    for (size_t i = 0; i < sizeof checks / sizeof checks[0] && result == STORE_OK; i++) {
        if (!run_check(db, i, inspector)) {
            result = beside_failed(db, options->path, "check it", why, why_size);
        }
    }
    if (result == STORE_OK) {
        result = run_rows(db, options, inspector, why, why_size);
    }
    beside_close(db);
    return result;
}

/* ---- numbers ---- */

static const struct {
    const char *name;
    const char *query;
} counts[] = {
    {"links", "SELECT count(*) FROM lifetimes WHERE expires_at > ?1"},
    {"links_expired", "SELECT count(*) FROM lifetimes WHERE expires_at <= ?1"},
    {"links_view_limited", "SELECT count(*) FROM lifetimes WHERE max_views > 0"},
    {"links_by_tokens", "SELECT count(*) FROM artifacts WHERE maker IS NOT NULL"},
    {"views", "SELECT ifnull(sum(views), 0) FROM lifetimes"},
    {"payload_bytes", "SELECT ifnull(sum(length(CAST(payload AS BLOB))), 0) FROM artifacts"},
    {"notes", "SELECT count(*) FROM notes"},
    {"requests_remembered", "SELECT count(*) FROM idempotency"},
    {"links_gone_remembered", "SELECT count(*) FROM gone"},
    {"pages", "PRAGMA page_count"},
    {"pages_free", "PRAGMA freelist_count"},
};

/* A row of each of these has a name of its own. */
static const struct {
    const char *prefix;
    const char *query;
} groups[] = {
    {"codec", "SELECT ifnull(codec, 'unknown'), count(*) FROM artifacts GROUP BY 1 ORDER BY 1"},
    {"kind", "SELECT ifnull(kind, 'unknown'), count(*) FROM artifacts GROUP BY 1 ORDER BY 1"},
    {"asset_set", "SELECT ifnull(s.id, 'none'), count(*) FROM lifetimes l LEFT JOIN asset_sets s "
                  "ON s.number = l.asset_set GROUP BY 1 ORDER BY 1"},
};

typedef void each_number(void *opaque, const char *name, uint64_t number);

static bool count_groups(sqlite3 *db, size_t i, each_number *each, void *opaque) {
    sqlite3_stmt *query = NULL;
    int code = sqlite3_prepare_v2(db, groups[i].query, -1, &query, NULL);
    if (code == SQLITE_OK) {
        while ((code = sqlite3_step(query)) == SQLITE_ROW) {
            char name[96];
            snprintf(name, sizeof name, "links_%s_%s", groups[i].prefix,
                     (const char *)sqlite3_column_text(query, 0));
            each(opaque, name, (uint64_t)sqlite3_column_int64(query, 1));
        }
    }
    sqlite3_finalize(query);
    return code == SQLITE_DONE;
}

static void count_file(const char *path, const char *suffix, const char *name, each_number *each,
                       void *opaque) {
    char file[4096];
    struct stat status;
    int len = snprintf(file, sizeof file, "%s%s", path, suffix);
    bool there = len > 0 && (size_t)len < sizeof file && stat(file, &status) == 0;
    each(opaque, name, there ? (uint64_t)status.st_size : 0);
}

store_result sqlite_store_count(const store_options *options, each_number *each, void *opaque,
                                char *why, size_t why_size) {
    sqlite3 *db = beside_open(options->path, true, why, why_size);
    if (db == NULL) {
        return STORE_FAILED;
    }
    int code = SQLITE_ROW;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0] && code == SQLITE_ROW; i++) {
        sqlite3_stmt *query = NULL;
        code = sqlite3_prepare_v2(db, counts[i].query, -1, &query, NULL);
        if (code == SQLITE_OK) {
            if (sqlite3_bind_parameter_count(query) > 0) {
                sqlite3_bind_int64(query, 1, options->now_ms());
            }
            code = sqlite3_step(query);
        }
        if (code == SQLITE_ROW) {
            each(opaque, counts[i].name, (uint64_t)sqlite3_column_int64(query, 0));
        }
        sqlite3_finalize(query);
    }
    bool counted = code == SQLITE_ROW;
    for (size_t i = 0; i < sizeof groups / sizeof groups[0] && counted; i++) {
        counted = count_groups(db, i, each, opaque);
    }
    store_result result =
        counted ? STORE_OK : beside_failed(db, options->path, "count", why, why_size);
    beside_close(db);
    if (result == STORE_OK) {
        count_file(options->path, "", "file_bytes", each, opaque);
        count_file(options->path, "-wal", "log_bytes", each, opaque);
    }
    return result;
}
