/*
 * store_sqlite_list.c - a maker's links, a page at a time; on whichever thread asks.
 *
 * A page costs the calling thread a bounded walk along the maker's index. What a row's end is
 * depends on touches that are not written yet, so ends are compared here and not in SQL.
 */
#include "store_sqlite_reader.h"
#include "store_sqlite_row.h"

#include <stdlib.h>
#include <string.h>

static bool wanted(store_state state, const store_artifact *a, int64_t now_ms) {
    return state == STORE_ANY || (a->expires_at_ms > now_ms) == (state == STORE_LIVE);
}

/* The row under the cursor, if it is one for the page: `*taken`. False without memory. */
static bool take(sqlite_store *self, sqlite3_stmt *query, store_op *op, int64_t now_ms,
                 bool *taken) {
    store_touch waiting;
    store_artifact *a = &op->artifacts[op->count];
    *a = (store_artifact){0};
    row_read_numbers(query, a);
    if (store_touches_find(self->touches, a->id, &waiting)) {
        rules_apply_touch(a, &waiting);
    }
    op->artifact.created_at_ms = a->created_at_ms;
    memcpy(op->artifact.id, a->id, sizeof a->id);
    *taken = wanted(op->state, a, now_ms);
    if (*taken && !row_read_strings(query, a)) {
        store_artifact_clear(a);
        return false;
    }
    op->count += *taken;
    return true;
}

static int walk(sqlite_store *self, sqlite3_stmt *query, store_op *op, size_t limit) {
    int64_t now_ms = self->options.now_ms();
    int code = SQLITE_ROW;
    for (size_t looked = 0; looked < STORE_LIST_LOOK && op->count < limit; looked++) {
        bool taken;
        code = sqlite3_step(query);
        if (code != SQLITE_ROW) {
            return code;
        }
        if (!take(self, query, op, now_ms, &taken)) {
            return SQLITE_NOMEM;
        }
    }
    code = sqlite3_step(query);
    op->more = code == SQLITE_ROW;
    return code;
}

void sqlite_store_list(sqlite_store *self, store_op *op) {
    store_artifact *from = &op->artifact;
    size_t limit = op->limit < 1 ? 1 : op->limit > STORE_LIST_MAX ? STORE_LIST_MAX : op->limit;
    op->count = 0;
    op->more = false;
    op->artifacts = calloc(limit, sizeof *op->artifacts);
    if (op->artifacts == NULL) {
        op->result = STORE_NO_MEMORY;
        return;
    }
    reader *r = reader_take(self, &op->result);
    if (r == NULL) {
        return;
    }
    int code;
    sqlite3_stmt *query = reader_statement(r, READ_LIST, &code);
    if (query != NULL) {
        sqlite3_bind_blob(query, 1, from->maker, sizeof from->maker, SQLITE_STATIC);
        sqlite3_bind_int64(query, 2, from->created_at_ms == 0 ? INT64_MAX : from->created_at_ms);
        /* A copy of its own: the walk moves the original. */
        sqlite3_bind_blob(query, 3, from->id, sizeof from->id, SQLITE_TRANSIENT);
        code = walk(self, query, op, limit);
        sqlite3_reset(query);
    }
    op->result =
        code == SQLITE_ROW || code == SQLITE_DONE ? STORE_OK : reader_failed(self, r, code, "list");
    reader_give(self, r, code);
    if (op->result != STORE_OK) {
        store_op_clear_lists(op);
    }
}
