/*
 * store_sqlite_clean.c - removing a number of links that have expired, those that did first first;
 * see store_sqlite_apply.h. In one transaction with the record, unlike a sweep.
 */
#include "store_sqlite_apply.h"

#include <stdlib.h>

/* The rows, and one more to know whether others are left. */
static int list_rows(writer *w, const store_op *op, int64_t *rows, size_t limit, size_t *count) {
    sqlite3_stmt *s = w->statements[WRITE_CLEAN];
    int code = SQLITE_ROW;
    sqlite3_bind_int64(s, 1, op->artifact.expires_at_ms);
    sqlite3_bind_int64(s, 2, (int64_t)limit + 1);
    while (*count < limit + 1 && (code = sqlite3_step(s)) == SQLITE_ROW) {
        rows[(*count)++] = sqlite3_column_int64(s, 0);
    }
    sqlite3_reset(s);
    return code == SQLITE_ROW ? SQLITE_DONE : code;
}

int rows_clean(writer *w, store_op *op) {
    size_t limit = op->limit < 1 ? 1 : op->limit > STORE_CLEAN_MAX ? STORE_CLEAN_MAX : op->limit;
    int64_t *rows = malloc((limit + 1) * sizeof *rows);
    size_t count = 0;
    op->count = 0;
    int code = rows != NULL ? list_rows(w, op, rows, limit, &count) : SQLITE_NOMEM;
    op->more = count > limit;
    count = op->more ? limit : count;
    for (size_t i = 0; code == SQLITE_DONE && i < count; i++) {
        code = rows_remove_expired(w, rows[i], op->artifact.expires_at_ms, &op->count);
    }
    free(rows);
    return code;
}
