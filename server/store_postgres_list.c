/*
 * store_postgres_list.c - a maker's links a page at a time, notes, and how many links there
 * are; on a reading lane.
 *
 * What a row's end is depends on touches that are not written yet, so ends are compared here and
 * not in SQL.
 */
#include "store_postgres.h"
#include "store_postgres_row.h"

#include <stdlib.h>
#include <string.h>

static size_t limit_of(const store_op *op) {
    return op->limit < 1 ? 1 : op->limit > STORE_LIST_MAX ? STORE_LIST_MAX : op->limit;
}

/* One statement's result. NULL with the code. */
static PGresult *ask(pg_link *link, pg_statement statement, const pg_args *args, pg_code *code) {
    (void)pg_send(link, statement, args);
    PGresult *result = pg_sync(link) ? pg_next(link) : NULL;
    *code = link->conn == NULL ? PG_LOST : pg_settle(link);
    if (*code != PG_DONE) {
        PQclear(result);
        result = NULL;
    }
    return result;
}

/* ---- links ---- */

static bool is_wanted(store_state state, const store_artifact *a, int64_t now_ms) {
    return state == STORE_ANY || (a->expires_at_ms > now_ms) == (state == STORE_LIVE);
}

/* A row, if it is one for the page. False without memory. */
static bool take(pg_store *self, const PGresult *result, int row, store_op *op, int64_t now_ms) {
    store_touch waiting;
    store_artifact *a = &op->artifacts[op->count];
    *a = (store_artifact){0};
    pg_row_numbers(result, row, a);
    if (store_touches_find(self->touches, a->id, &waiting)) {
        rules_apply_touch(a, &waiting);
    }
    op->artifact.created_at_ms = a->created_at_ms;
    memcpy(op->artifact.id, a->id, sizeof a->id);
    if (!is_wanted(op->state, a, now_ms)) {
        return true;
    }
    bool whole = pg_row_strings(result, row, a);
    if (whole) {
        op->count++;
    } else {
        store_artifact_clear(a);
    }
    return whole;
}

/* A piece of the walk, from where the op stands. `*looked` rows; true: there may be more. */
static bool walk(pg_store *self, pg_link *link, store_op *op, size_t limit, size_t *looked,
                 pg_code *code) {
    const store_artifact *from = &op->artifact;
    int64_t now_ms = self->options.now_ms();
    int64_t wanted = (int64_t)(limit - op->count + 1); /* one more tells whether there are more */
    int64_t created_at_ms = from->created_at_ms == 0 ? INT64_MAX : from->created_at_ms;
    pg_args args = {0};
    pg_arg_bytes(&args, from->maker, sizeof from->maker);
    pg_arg_number(&args, created_at_ms);
    pg_arg_bytes(&args, from->id, sizeof from->id);
    pg_arg_number(&args, wanted);
    PGresult *result = ask(link, PG_READ_LIST, &args, code);
    int rows = PQntuples(result);
    for (int row = 0; row < rows && *code == PG_DONE; row++, (*looked)++) {
        op->more = op->count == limit || *looked == STORE_LIST_LOOK;
        if (op->more) {
            break;
        }
        if (!take(self, result, row, op, now_ms)) {
            *code = PG_NO_MEMORY;
        }
    }
    PQclear(result);
    return *code == PG_DONE && !op->more && rows == wanted;
}

pg_code pg_list(pg_store *self, pg_link *link, store_op *op) {
    const store_artifact from = op->artifact;
    size_t limit = limit_of(op);
    size_t looked = 0;
    pg_code code = PG_DONE;
    op->count = 0;
    op->more = false;
    op->artifacts = calloc(limit, sizeof *op->artifacts);
    if (op->artifacts == NULL) {
        return PG_NO_MEMORY;
    }
    while (walk(self, link, op, limit, &looked, &code)) {
    }
    op->result = STORE_OK;
    if (code != PG_DONE) {
        store_op_clear_lists(op);
        op->artifact = from;
    }
    return code;
}

/* ---- notes ---- */

/* Of PG_READ_NOTE and PG_READ_NOTE_LIST; the first is the owner or the key. */
enum { COL_HASH, COL_VERSION, COL_EXPIRES_AT, COL_VALUE };

static bool take_note(const PGresult *result, int row, store_note *note,
                      uint8_t hash[STORE_HASH_BYTES]) {
    note->value = NULL;
    note->version = pg_number(result, row, COL_VERSION);
    note->expires_at_ms = pg_number(result, row, COL_EXPIRES_AT);
    return pg_bytes(result, row, COL_HASH, hash, STORE_HASH_BYTES) &&
           pg_copy(result, row, COL_VALUE, &note->value, &note->value_len);
}

/* What there is now under `hash` in the note's space. */
static void arg_note(const pg_store *self, pg_args *args, const store_note *note,
                     const uint8_t *hash) {
    pg_arg_number(args, note->space);
    pg_arg_bytes(args, hash, STORE_HASH_BYTES);
    pg_arg_number(args, self->options.now_ms());
}

pg_code pg_note_get(pg_store *self, pg_link *link, store_op *op) {
    store_note *note = &op->note;
    pg_args args = {0};
    pg_code code;
    free(note->value);
    note->value = NULL;
    note->value_len = 0;
    arg_note(self, &args, note, note->key);
    PGresult *result = ask(link, PG_READ_NOTE, &args, &code);
    if (code == PG_DONE) {
        op->result = PQntuples(result) == 0                    ? STORE_NOT_FOUND
                     : take_note(result, 0, note, note->owner) ? STORE_OK
                                                               : STORE_NO_MEMORY;
    }
    PQclear(result);
    return code;
}

pg_code pg_note_list(pg_store *self, pg_link *link, store_op *op) {
    size_t limit = limit_of(op);
    size_t bytes = 0;
    pg_args args = {0};
    pg_code code;
    op->count = 0;
    op->more = false;
    op->notes = calloc(limit, sizeof *op->notes);
    if (op->notes == NULL) {
        return PG_NO_MEMORY;
    }
    arg_note(self, &args, &op->note, op->note.owner);
    pg_arg_number(&args, (int64_t)limit + 1);
    PGresult *result = ask(link, PG_READ_NOTE_LIST, &args, &code);
    for (int row = 0; row < PQntuples(result) && code == PG_DONE; row++) {
        bytes += (size_t)PQgetlength(result, row, COL_VALUE);
        op->more = op->count == limit || bytes > STORE_LIST_MAX_BYTES;
        if (op->more) {
            break;
        }
        store_note *note = &op->notes[op->count];
        *note = op->note; /* space, owner */
        if (take_note(result, row, note, note->key)) {
            op->count++;
        } else {
            note->value = NULL;
            code = PG_NO_MEMORY;
        }
    }
    PQclear(result);
    op->result = STORE_OK;
    if (code != PG_DONE) {
        store_op_clear_lists(op);
    }
    return code;
}

/* ---- totals ---- */

#define HOUR_MS INT64_C(3600000)
/* What a link takes besides its payload: two rows and their places in four indexes. */
#define LINK_BYTES 400

pg_code pg_totals(pg_store *self, pg_link *link, store_op *op) {
    int64_t now_ms = self->options.now_ms();
    pg_args now = {0};
    pg_args since = {0};
    pg_code code;
    pg_arg_number(&now, now_ms);
    pg_arg_number(&since, now_ms - HOUR_MS);
    PGresult *counts = ask(link, PG_READ_COUNTS, &now, &code);
    PGresult *sizes = code == PG_DONE ? ask(link, PG_READ_SIZES, &since, &code) : NULL;
    if (code == PG_DONE) {
        uint64_t live = (uint64_t)pg_number(counts, 0, 0);
        op->totals = (store_totals){
            .live = live,
            .expired = (uint64_t)pg_number(counts, 0, 1) - live,
            .last_hour = (uint64_t)pg_number(sizes, 0, 0),
            .bytes =
                (uint64_t)pg_number(sizes, 0, 1) + LINK_BYTES * (uint64_t)pg_number(sizes, 0, 2),
        };
        op->result = STORE_OK;
    }
    PQclear(counts);
    PQclear(sizes);
    return code;
}
