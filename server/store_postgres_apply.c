/* store_postgres_apply.c - see store_postgres_apply.h. */
#include "store_postgres_apply.h"
#include "store_postgres_row.h"

#include <stdlib.h>
#include <string.h>

void pg_batch_add(pg_writer *w, store_op *op) {
    op->result = STORE_OK;
    w->items[w->count++] = (pg_item){
        .op = op,
        .updated_at_ms = op->artifact.updated_at_ms,
        .note_version = op->note.version,
    };
}

/* As if it had never been run: in this batch or another, it asks for the same once more. */
static void forget(pg_item *item) {
    store_artifact_clear(&item->found);
    PQclear(item->expired);
    *item = (pg_item){
        .op = item->op,
        .updated_at_ms = item->updated_at_ms,
        .note_version = item->note_version,
    };
    item->op->artifact.updated_at_ms = item->updated_at_ms;
    item->op->note.version = item->note_version;
    item->op->result = STORE_OK;
}

void pg_batch_clear(pg_writer *w) {
    for (size_t i = 0; i < w->count; i++) {
        store_artifact_clear(&w->items[i].found);
        PQclear(w->items[i].expired);
    }
    w->count = 0;
}

void pg_roll_back(pg_link *link) {
    pg_code failure = link->failure;
    /* Statements may have been queued, and nothing marks their end yet. */
    if (link->conn != NULL && PQtransactionStatus(link->conn) == PQTRANS_ACTIVE && pg_sync(link)) {
        (void)pg_settle(link);
    }
    if (link->conn != NULL && PQtransactionStatus(link->conn) != PQTRANS_IDLE) {
        if (pg_send(link, PG_ROLLBACK, NULL) && pg_sync(link)) {
            (void)pg_settle(link);
        }
    }
    link->failure = failure;
}

/* ---- looking ---- */

typedef bool pick(const store_op *op);

static bool picks_brief(const store_op *op) {
    return pg_op_looks(op) && !pg_op_looks_whole(op);
}

/* Sends a statement about the ids of those picked, with a second number if it takes one. */
static bool ask(pg_writer *w, pg_statement statement, pick *picked, const int64_t *number) {
    pg_args args = {0};
    pg_array ids;
    pg_array_begin(&ids, w->room, PG_UUID);
    for (size_t i = 0; i < w->count; i++) {
        if (picked(w->items[i].op)) {
            pg_array_add(&ids, w->items[i].op->artifact.id, STORE_ID_BYTES);
        }
    }
    if (ids.count == 0) {
        return false;
    }
    pg_arg_array(&args, &ids);
    if (number != NULL) {
        pg_arg_number(&args, *number);
    }
    (void)pg_send(w->link, statement, &args);
    return true;
}

static pg_item *item_of(pg_writer *w, pick *picked, const uint8_t *id) {
    for (size_t i = 0; i < w->count; i++) {
        const store_op *op = w->items[i].op;
        if (memcmp(op->artifact.id, id, STORE_ID_BYTES) == 0 && picked(op)) {
            return &w->items[i];
        }
    }
    return NULL;
}

/* False without memory. */
static bool take_rows(pg_writer *w, pick *picked) {
    bool whole = true;
    PGresult *result = pg_next(w->link);
    for (int row = 0; whole && row < PQntuples(result); row++) {
        store_artifact found = {0};
        store_touch waiting;
        pg_row_numbers(result, row, &found);
        pg_item *item = item_of(w, picked, found.id);
        if (item == NULL || item->there) {
            continue;
        }
        whole = pg_row_strings(result, row, &found);
        if (store_touches_find(w->self->touches, found.id, &waiting)) {
            rules_apply_touch(&found, &waiting);
        }
        item->found = found;
        item->there = true;
    }
    PQclear(result);
    return whole;
}

static void take_gone(pg_writer *w) {
    PGresult *result = pg_next(w->link);
    for (int row = 0; row < PQntuples(result); row++) {
        uint8_t id[STORE_ID_BYTES];
        pg_item *item =
            pg_bytes(result, row, 0, id, sizeof id) ? item_of(w, pg_op_asks_gone, id) : NULL;
        if (item != NULL) {
            item->gone = true;
        }
    }
    PQclear(result);
}

static bool ask_records(pg_writer *w) {
    pg_args args = {0};
    pg_array scopes;
    pg_array_begin(&scopes, w->room, PG_BYTEA);
    for (size_t i = 0; i < w->count; i++) {
        if (pg_op_is_recorded(w->items[i].op)) {
            pg_array_add(&scopes, w->items[i].op->record.scope, STORE_HASH_BYTES);
        }
    }
    if (scopes.count == 0) {
        return false;
    }
    pg_arg_array(&args, &scopes);
    (void)pg_send(w->link, PG_LOOK_RECORDS, &args);
    return true;
}

static void take_records(pg_writer *w, int64_t now_ms) {
    PGresult *result = pg_next(w->link);
    for (int row = 0; row < PQntuples(result); row++) {
        uint8_t scope[STORE_HASH_BYTES];
        bool whole = pg_bytes(result, row, 0, scope, sizeof scope);
        bool counts = pg_number(result, row, 1) > rules_memory_begin(now_ms);
        for (size_t i = 0; whole && i < w->count; i++) {
            pg_item *item = &w->items[i];
            if (pg_op_is_recorded(item->op) &&
                memcmp(item->op->record.scope, scope, sizeof scope) == 0) {
                item->on_record = counts;
                item->old_record = !counts;
            }
        }
    }
    PQclear(result);
}

/* ---- the order of notes and records ---- */

static int compare_notes(const store_op *a, const store_op *b) {
    return a->note.space != b->note.space ? (a->note.space < b->note.space ? -1 : 1)
                                          : memcmp(a->note.key, b->note.key, STORE_HASH_BYTES);
}

static int compare_records(const store_op *a, const store_op *b) {
    return memcmp(a->record.scope, b->record.scope, STORE_HASH_BYTES);
}

static int compare_ids(const store_op *a, const store_op *b) {
    return memcmp(a->artifact.id, b->artifact.id, STORE_ID_BYTES);
}

typedef int compare(const store_op *a, const store_op *b);

static int compare_by(const void *a, const void *b, void *opaque) {
    const pg_item *const *first = a;
    const pg_item *const *second = b;
    compare *const *by = opaque;
    return (*by)((*first)->op, (*second)->op);
}

/* Those picked, in that order. */
static size_t sort(pg_writer *w, pick *picked, compare *by, pg_item **sorted) {
    size_t count = 0;
    for (size_t i = 0; i < w->count; i++) {
        if (picked(w->items[i].op)) {
            sorted[count++] = &w->items[i];
        }
    }
    qsort_r(sorted, count, sizeof(pg_item *), compare_by, &by);
    return count;
}

static bool picks_any(const store_op *op) {
    (void)op;
    return true;
}

/* ---- the transaction ---- */

static bool has_to_look(const pg_writer *w) {
    for (size_t i = 0; i < w->count; i++) {
        const store_op *op = w->items[i].op;
        if (pg_op_looks(op) || pg_op_is_noted(op) || op->kind == STORE_CLEAN) {
            return true;
        }
    }
    return false;
}

/* A clean stands alone in its batch. True: it was asked. */
static bool ask_expired(pg_writer *w) {
    const store_op *op = w->items[0].op;
    pg_args args = {0};
    if (op->kind != STORE_CLEAN) {
        return false;
    }
    pg_arg_number(&args, op->artifact.expires_at_ms);
    pg_arg_number(&args, (int64_t)pg_clean_limit(op) + 1);
    (void)pg_send(w->link, PG_CLEAN, &args);
    return true;
}

/* One round trip. What is skipped sends nothing and takes nothing. */
static pg_code look(pg_writer *w, int64_t now_ms) {
    pg_item *noted[PG_BATCH_OPS];
    size_t notes = sort(w, pg_op_is_noted, compare_notes, noted);
    int64_t memory_ms = rules_memory_begin(now_ms);
    bool enough_memory = true;
    (void)pg_send(w->link, PG_BEGIN, NULL);
    bool locked = ask(w, PG_LOCK, pg_op_looks, NULL);
    /* Behind the lock, so that these see what it waited for. */
    bool brief = ask(w, PG_LOOK_BRIEF, picks_brief, NULL);
    bool whole = ask(w, PG_READ_WHOLE, pg_op_looks_whole, NULL);
    bool gone = w->self->options.gone && ask(w, PG_READ_GONE, pg_op_asks_gone, &memory_ms);
    for (size_t i = 0; i < notes; i++) {
        pg_args args = {0};
        pg_arg_number(&args, noted[i]->op->note.space);
        pg_arg_bytes(&args, noted[i]->op->note.key, STORE_HASH_BYTES);
        (void)pg_send(w->link, PG_LOOK_NOTE, &args);
    }
    bool expired = ask_expired(w);
    bool records = ask_records(w);
    if (!pg_sync(w->link)) {
        return PG_LOST;
    }
    (void)pg_changed(w->link); /* BEGIN */
    if (locked) {
        (void)pg_changed(w->link);
    }
    if (brief) {
        enough_memory &= take_rows(w, picks_brief);
    }
    if (whole) {
        enough_memory &= take_rows(w, pg_op_looks_whole);
    }
    if (gone) {
        take_gone(w);
    }
    for (size_t i = 0; i < notes; i++) {
        PGresult *result = pg_next(w->link);
        if (PQntuples(result) > 0) {
            noted[i]->note_there = true;
            noted[i]->note_found = pg_number(result, 0, 0);
            noted[i]->note_ends_ms = pg_number(result, 0, 1);
        }
        PQclear(result);
    }
    if (expired) {
        w->items[0].expired = pg_next(w->link);
    }
    if (records) {
        take_records(w, now_ms);
    }
    pg_code code = pg_settle(w->link);
    return code == PG_DONE && !enough_memory ? PG_NO_MEMORY : code;
}

static bool is_written(const pg_item *item) {
    return item->op->result == STORE_OK;
}

static pg_code write_all(pg_writer *w, int64_t now_ms) {
    pg_item *sorted[PG_BATCH_OPS];
    size_t count = sort(w, picks_any, compare_ids, sorted);
    for (size_t i = 0; i < count; i++) {
        if (is_written(sorted[i]) && !pg_write_row(w, sorted[i], now_ms)) {
            return PG_NO_MEMORY;
        }
    }
    count = sort(w, pg_op_is_noted, compare_notes, sorted);
    for (size_t i = 0; i < count; i++) {
        if (is_written(sorted[i])) {
            pg_write_note(w, sorted[i]);
        }
    }
    count = sort(w, pg_op_is_recorded, compare_records, sorted);
    for (size_t i = 0; i < count; i++) {
        if (is_written(sorted[i])) {
            pg_write_record(w, sorted[i], now_ms);
        }
    }
    (void)pg_send(w->link, PG_COMMIT, NULL);
    if (!pg_sync(w->link)) {
        return PG_LOST;
    }
    return pg_settle(w->link);
}

pg_code pg_batch_run(pg_writer *w, bool careful, bool *doubtful) {
    int64_t now_ms = w->self->options.now_ms();
    pg_code code = PG_DONE;
    *doubtful = false;
    if (careful || has_to_look(w)) {
        code = look(w, now_ms);
    } else {
        (void)pg_send(w->link, PG_BEGIN, NULL);
    }
    for (size_t i = 0; i < w->count && code == PG_DONE; i++) {
        code = pg_decide(w, &w->items[i], now_ms) ? PG_DONE : PG_NO_MEMORY;
    }
    if (code == PG_DONE) {
        code = write_all(w, now_ms);
        *doubtful = code == PG_LOST;
    }
    if (code != PG_DONE) {
        pg_roll_back(w->link);
        for (size_t i = 0; i < w->count; i++) {
            forget(&w->items[i]);
        }
    }
    return code;
}
