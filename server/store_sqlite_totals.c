/*
 * store_sqlite_totals.c - how many links there are; on whichever thread asks. A walk along the
 * narrow table, and a search in the other for the first row of the last hour: rows are numbered in
 * the order they were made.
 */
#include "store_sqlite_reader.h"

#define HOUR_MS INT64_C(3600000)

/* Steps once, for a query that answers one row of up to three numbers. */
static int ask(sqlite3_stmt *query, int64_t answer[3]) {
    int code = sqlite3_step(query);
    for (int i = 0; code == SQLITE_ROW && i < sqlite3_column_count(query); i++) {
        answer[i] = sqlite3_column_int64(query, i);
    }
    sqlite3_reset(query);
    return code;
}

/* The number from which on rows were made after `since_ms`, between 1 and `last` + 1. */
static int find_first(reader *r, int64_t since_ms, int64_t last, int64_t *first) {
    int64_t low = 1;
    int64_t high = last + 1;
    int code = SQLITE_ROW;
    while (low < high) {
        int64_t answer[3] = {0}; /* the row at or behind the middle, and when it was made */
        sqlite3_stmt *query = reader_statement(r, READ_MADE, &code);
        if (query == NULL) {
            return code;
        }
        int64_t middle = low + (high - low) / 2;
        sqlite3_bind_int64(query, 1, middle);
        code = ask(query, answer);
        if (code == SQLITE_DONE || (code == SQLITE_ROW && answer[1] > since_ms)) {
            high = middle;
        } else if (code == SQLITE_ROW) {
            low = answer[0] + 1;
        } else {
            return code;
        }
    }
    *first = low;
    return SQLITE_ROW;
}

static int count(sqlite_store *self, reader *r, store_totals *totals) {
    int code;
    int64_t now_ms = self->options.now_ms();
    int64_t rows[3] = {0};
    int64_t pages[3] = {0};
    int64_t late[3] = {0};
    int64_t first = 0;
    sqlite3_stmt *query = reader_statement(r, READ_TOTALS, &code);
    if (query == NULL) {
        return code;
    }
    sqlite3_bind_int64(query, 1, now_ms);
    code = ask(query, rows);
    if (code == SQLITE_ROW) {
        query = reader_statement(r, READ_SIZE, &code);
        code = query != NULL ? ask(query, pages) : code;
    }
    if (code == SQLITE_ROW) {
        code = find_first(r, now_ms - HOUR_MS, rows[2], &first);
    }
    if (code == SQLITE_ROW) {
        query = reader_statement(r, READ_SINCE, &code);
        if (query != NULL) {
            sqlite3_bind_int64(query, 1, first);
            code = ask(query, late);
        }
    }
    *totals = (store_totals){
        .live = (uint64_t)rows[0],
        .expired = (uint64_t)(rows[1] - rows[0]),
        .last_hour = (uint64_t)late[0],
        .bytes = (uint64_t)pages[0],
    };
    return code;
}

void sqlite_store_totals(sqlite_store *self, store_op *op) {
    reader *r = reader_take(self, &op->result);
    if (r == NULL) {
        return;
    }
    int code = count(self, r, &op->totals);
    op->result = code == SQLITE_ROW ? STORE_OK : reader_failed(self, r, code, "count");
    reader_give(self, r, code);
}
