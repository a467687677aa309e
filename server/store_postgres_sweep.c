/*
 * store_postgres_sweep.c - what is over goes, and touches are written down; see
 * store_postgres_apply.h.
 *
 * One node sweeps at a time: each step first takes the duty's row, in its own transaction. Whoever
 * waits for it sees what the other has removed, so that counts add up and nothing is done twice; a
 * node that dies lets go of it with its connection.
 */
#include "store_postgres_apply.h"
#include "store_rules.h"

#include <stdlib.h>
#include <string.h>

/* A step: rows removed of lifetimes, and of records and notes, which may be large. */
#define SWEEP_ROWS 500
#define SWEEP_OLD  50

/* Ends a transaction, and takes what is left of its answers. */
static pg_code finish(pg_writer *w, pg_code code) {
    if (code == PG_DONE) {
        (void)pg_send(w->link, PG_COMMIT, NULL);
        code = pg_sync(w->link) ? pg_settle(w->link) : PG_LOST;
    }
    if (code != PG_DONE) {
        pg_roll_back(w->link);
    }
    return code;
}

static void send_array(pg_writer *w, pg_statement statement, pg_array *array) {
    pg_args args = {0};
    pg_arg_array(&args, array);
    (void)pg_send(w->link, statement, &args);
}

static void remember_end(pg_writer *w, const uint8_t *id, int64_t end_ms, int64_t now_ms) {
    if (w->self->options.gone && end_ms > rules_memory_begin(now_ms)) {
        pg_args args = {0};
        pg_arg_bytes(&args, id, STORE_ID_BYTES);
        pg_arg_number(&args, end_ms);
        (void)pg_send(w->link, PG_ADD_GONE, &args);
    }
}

/* Within a transaction: sends the removal of these rows, ids and ends. How many they are. */
static size_t send_removal(pg_writer *w, const PGresult *result, int64_t now_ms) {
    pg_array ids;
    pg_array_begin(&ids, w->more_room, PG_UUID);
    for (int row = 0; row < PQntuples(result); row++) {
        uint8_t id[STORE_ID_BYTES];
        int64_t end_ms = pg_number(result, row, 1);
        if (!pg_bytes(result, row, 0, id, sizeof id)) {
            continue;
        }
        pg_array_add(&ids, id, sizeof id);
        remember_end(w, id, end_ms, now_ms);
    }
    if (ids.count > 0) {
        send_array(w, PG_REMOVE_LIFETIMES, &ids);
        send_array(w, PG_REMOVE_ARTIFACTS, &ids);
    }
    return ids.count;
}

/*
 * Locks which of the ids have really expired, and removes them. before: statements that were sent
 * and whose results nobody has taken yet.
 */
static pg_code remove_expired(pg_writer *w, pg_array *ids, int64_t now_ms, size_t before,
                              uint64_t *removed) {
    pg_args args = {0};
    *removed = 0;
    if (ids->count == 0) {
        return PG_DONE;
    }
    pg_arg_array(&args, ids);
    pg_arg_number(&args, now_ms);
    (void)pg_send(w->link, PG_LOCK_EXPIRED, &args);
    if (!pg_sync(w->link)) {
        return PG_LOST;
    }
    for (size_t i = 0; i < before; i++) {
        (void)pg_changed(w->link);
    }
    PGresult *result = pg_next(w->link);
    pg_code code = pg_settle(w->link);
    if (code == PG_DONE) {
        *removed = send_removal(w, result, now_ms);
    }
    PQclear(result);
    return code;
}

/* ---- removing a number of them ---- */

/* Left alone while a touch that is not written yet keeps it alive. */
static bool is_kept(pg_writer *w, const uint8_t *id) {
    store_touch waiting;
    return store_touches_find(w->self->touches, id, &waiting) && waiting.views > 0;
}

/* The id of one of the rows that go. */
static bool take_expired(pg_writer *w, const pg_item *item, int row, uint8_t id[STORE_ID_BYTES]) {
    return row < (int)pg_clean_limit(item->op) &&
           pg_bytes(item->expired, row, 0, id, STORE_ID_BYTES) && !is_kept(w, id);
}

unsigned pg_clean_limit(const store_op *op) {
    return op->limit < 1 ? 1 : op->limit > STORE_CLEAN_MAX ? STORE_CLEAN_MAX : op->limit;
}

size_t pg_clean_count(pg_writer *w, const pg_item *item) {
    uint8_t id[STORE_ID_BYTES];
    size_t count = 0;
    for (int row = 0; row < PQntuples(item->expired); row++) {
        count += take_expired(w, item, row, id);
    }
    return count;
}

bool pg_write_clean(pg_writer *w, const pg_item *item, int64_t now_ms) {
    uint8_t id[STORE_ID_BYTES];
    pg_array ids;
    uint8_t *room = malloc(PG_ARRAY_BYTES(PQntuples(item->expired), STORE_ID_BYTES));
    if (room == NULL) {
        return false;
    }
    pg_array_begin(&ids, room, PG_UUID);
    for (int row = 0; row < PQntuples(item->expired) && ids.count < item->op->count; row++) {
        if (take_expired(w, item, row, id)) {
            pg_array_add(&ids, id, sizeof id);
            remember_end(w, id, pg_number(item->expired, row, 1), now_ms);
        }
    }
    if (ids.count > 0) {
        send_array(w, PG_REMOVE_LIFETIMES, &ids);
        send_array(w, PG_REMOVE_ARTIFACTS, &ids);
    }
    free(room);
    return true;
}

/* ---- touches ---- */

static int compare_touches(const void *a, const void *b) {
    const store_touch *const *first = a;
    const store_touch *const *second = b;
    return memcmp((*first)->id, (*second)->id, STORE_ID_BYTES);
}

pg_code pg_write_touches(pg_writer *w, const store_touch *touches, size_t count) {
    const store_touch *sorted[PG_TOUCH_BATCH]; /* by id: rows are locked in one order everywhere */
    pg_array ids;
    uint64_t removed;
    size_t sent = 1; /* BEGIN */
    for (size_t i = 0; i < count; i++) {
        sorted[i] = &touches[i];
    }
    qsort(sorted, count, sizeof sorted[0], compare_touches);
    pg_array_begin(&ids, w->room, PG_UUID);
    (void)pg_send(w->link, PG_BEGIN, NULL);
    for (size_t i = 0; i < count; i++) {
        if (sorted[i]->views > 0) {
            pg_args args = {0};
            pg_arg_bytes(&args, sorted[i]->id, STORE_ID_BYTES);
            pg_arg_number(&args, sorted[i]->views);
            pg_arg_number(&args, sorted[i]->last_ms);
            (void)pg_send(w->link, PG_TOUCH, &args);
            sent++;
        }
        if (sorted[i]->expired) {
            pg_array_add(&ids, sorted[i]->id, STORE_ID_BYTES);
        }
    }
    return finish(w, remove_expired(w, &ids, w->self->options.now_ms(), sent, &removed));
}

/* ---- sweeps ---- */

/* In a transaction of its own: this node's turn, and one statement's rows. */
static PGresult *take_turn(pg_writer *w, pg_statement statement, int64_t before_ms, int64_t limit,
                           pg_code *code) {
    pg_args args = {0};
    pg_arg_number(&args, before_ms);
    pg_arg_number(&args, limit);
    (void)pg_send(w->link, PG_BEGIN, NULL);
    (void)pg_send(w->link, PG_SWEEP_TURN, NULL);
    (void)pg_send(w->link, statement, &args);
    if (!pg_sync(w->link)) {
        *code = PG_LOST;
        return NULL;
    }
    (void)pg_changed(w->link);
    (void)pg_changed(w->link);
    PGresult *result = pg_next(w->link);
    *code = pg_settle(w->link);
    return result;
}

static pg_code step_rows(pg_writer *w, pg_sweep *s) {
    pg_code code;
    pg_array ids;
    uint64_t removed = 0;
    PGresult *result = take_turn(w, PG_SWEEP_EXPIRED, s->now_ms, SWEEP_ROWS, &code);
    int found = PQntuples(result);
    pg_array_begin(&ids, w->room, PG_UUID);
    for (int row = 0; code == PG_DONE && row < found; row++) {
        uint8_t id[STORE_ID_BYTES];
        if (pg_bytes(result, row, 0, id, sizeof id) && !is_kept(w, id)) {
            pg_array_add(&ids, id, sizeof id);
        }
    }
    PQclear(result);
    if (code == PG_DONE) {
        code = remove_expired(w, &ids, s->now_ms, 0, &removed);
    }
    code = finish(w, code);
    if (code == PG_DONE) {
        s->deleted += removed;
        s->walked = found < SWEEP_ROWS || removed == 0;
    }
    return code;
}

/* Sends the removal of what a step over records, ends or notes found. */
static void send_old_keys(pg_writer *w, pg_statement statement, pg_type type, size_t size,
                          const PGresult *result) {
    pg_array keys;
    uint8_t key[STORE_HASH_BYTES];
    pg_array_begin(&keys, w->room, type);
    for (int row = 0; row < PQntuples(result); row++) {
        if (pg_bytes(result, row, 0, key, size)) {
            pg_array_add(&keys, key, size);
        }
    }
    if (keys.count > 0) {
        send_array(w, statement, &keys);
    }
}

static void remove_records(pg_writer *w, const PGresult *result) {
    send_old_keys(w, PG_REMOVE_RECORDS, PG_BYTEA, STORE_HASH_BYTES, result);
}

static void remove_gone(pg_writer *w, const PGresult *result) {
    send_old_keys(w, PG_REMOVE_GONE, PG_UUID, STORE_ID_BYTES, result);
}

static void remove_notes(pg_writer *w, const PGresult *result) {
    for (int row = 0; row < PQntuples(result); row++) {
        uint8_t key[STORE_HASH_BYTES];
        pg_args args = {0};
        if (pg_bytes(result, row, 1, key, sizeof key)) {
            pg_arg_number(&args, pg_number(result, row, 0));
            pg_arg_bytes(&args, key, sizeof key);
            pg_arg_number(&args, w->self->options.now_ms());
            (void)pg_send(w->link, PG_REMOVE_OLD_NOTE, &args);
        }
    }
}

static const struct {
    pg_statement find;
    bool remembered; /* kept for STORE_MEMORY_MS, not until an end of its own */
    int64_t limit;
    void (*remove)(pg_writer *w, const PGresult *result);
} OLD[] = {
    {PG_SWEEP_RECORDS, true, SWEEP_OLD, remove_records},
    {PG_SWEEP_GONE, true, SWEEP_ROWS, remove_gone},
    {PG_SWEEP_NOTES, false, SWEEP_OLD, remove_notes},
};
enum { OLD_COUNT = sizeof OLD / sizeof OLD[0] };

static pg_code step_old(pg_writer *w, pg_sweep *s) {
    pg_code code;
    unsigned i = s->table;
    PGresult *result =
        take_turn(w, OLD[i].find, OLD[i].remembered ? rules_memory_begin(s->now_ms) : s->now_ms,
                  OLD[i].limit, &code);
    int found = PQntuples(result);
    if (code == PG_DONE) {
        OLD[i].remove(w, result);
    }
    PQclear(result);
    code = finish(w, code);
    s->table += code == PG_DONE && found < OLD[i].limit;
    return code;
}

pg_code pg_sweep_step(pg_writer *w, pg_sweep *s, bool *more) {
    pg_code code = s->walked ? step_old(w, s) : step_rows(w, s);
    *more = s->table < OLD_COUNT;
    return code;
}
