/*
 * Requests that are sent again: what was answered is kept with the row or not at all, a second
 * write under the same scope changes nothing, and a day later all is forgotten.
 */
#include "stores.h"

/* A response that only the write itself can make: it has the times. */
static bool render(store_op *op) {
    char text[200];
    int len = snprintf(text, sizeof text, "expires %lld%cafter NUL, payload %s",
                       (long long)op->artifact.expires_at_ms, '\0',
                       op->artifact.payload == NULL ? "none" : op->artifact.payload);
    op->record.status = 201;
    op->record.response = malloc((size_t)len);
    op->record.response_len = (size_t)len;
    memcpy(op->record.response, text, (size_t)len);
    return true;
}

static bool render_nothing(store_op *op) {
    (void)op;
    return false;
}

static void record_under(store_op *op, uint64_t scope, uint64_t body) {
    op->recorded = true;
    op->render = render;
    make_hash(op->record.scope, scope);
    make_hash(op->record.body_hash, body);
}

static store_op recall(store *s, uint64_t scope) {
    store_op op = {.kind = STORE_RECALL};
    make_hash(op.record.scope, scope);
    do_op(s, &op);
    return op;
}

static store_result recall_result(store *s, uint64_t scope) {
    store_op op = recall(s, scope);
    store_op_clear(&op);
    return op.result;
}

static int64_t count_of(const char *path, const char *sql) {
    peer *db = peer_open(path);
    int64_t count = peer_int(db, sql);
    peer_close(db);
    return count;
}

static void recalled_as_answered(void **state) {
    (void)state;
    store *s = open_fresh("recall.db");
    assert_int_equal(recall_result(s, 1), STORE_NOT_FOUND);
    store_op op = make_insert(1, "x", HOUR_MS);
    record_under(&op, 1, 77);
    assert_int_equal(do_op(s, &op), STORE_OK);
    assert_int_equal(op.record.status, 201);
    for (int reopened = 0; reopened < 2; reopened++) {
        store_op again = recall(s, 1);
        assert_int_equal(again.result, STORE_OK);
        assert_int_equal(again.record.status, 201);
        assert_int_equal(again.record.response_len, op.record.response_len);
        assert_memory_equal(again.record.response, op.record.response, op.record.response_len);
        assert_memory_equal(again.record.body_hash, op.record.body_hash, STORE_HASH_BYTES);
        char start[64];
        snprintf(start, sizeof start, "expires %lld", (long long)op.artifact.expires_at_ms);
        assert_string_equal(again.record.response, start);
        store_op_clear(&again);
        store_close(s);
        s = open_at(scratch("recall.db"));
    }
    assert_int_equal(recall_result(s, 2), STORE_NOT_FOUND);
    store_op_clear(&op);
    store_close(s);
}

/* The second write of a scope leaves no trace, whatever it would have done. */
static void second_write(void **state) {
    (void)state;
    const char *path = scratch("second.db");
    store *s = open_fresh("second.db");
    store_op op = make_insert(1, "first", HOUR_MS);
    record_under(&op, 1, 1);
    assert_int_equal(do_op(s, &op), STORE_OK);
    store_op_clear(&op);
    store_op seconds[] = {make_insert(2, "second", HOUR_MS), make_update(1, "second"),
                          make_op(STORE_DELETE, 1), make_op(STORE_VIEW, 1),
                          make_op(STORE_REMEMBER, 1)};
    for (size_t i = 0; i < sizeof seconds / sizeof seconds[0]; i++) {
        record_under(&seconds[i], 1, 2);
        assert_int_equal(do_op(s, &seconds[i]), STORE_CONFLICT);
        store_op_clear(&seconds[i]);
    }
    store_op read = read_one(s, 1, false);
    assert_string_equal(read.artifact.payload, "first");
    assert_int_equal(read.artifact.views, 0);
    store_op_clear(&read);
    assert_int_equal(read_result(s, 2), STORE_NOT_FOUND);
    store_op first = recall(s, 1);
    uint8_t hash[STORE_HASH_BYTES];
    make_hash(hash, 1);
    assert_memory_equal(first.record.body_hash, hash, STORE_HASH_BYTES);
    store_op_clear(&first);
    assert_int_equal(atomic_load(&report_count), 0);
    assert_int_equal(count_of(path, "SELECT count(*) FROM idempotency"), 1);
    store_close(s);
}

/* Every kind of write may carry one; a deletion's second try is a conflict, not a missing row. */
static void every_kind(void **state) {
    (void)state;
    store *s = open_fresh("kinds.db");
    store_op op = make_insert(1, "payload", HOUR_MS);
    op.artifact.max_views = 2;
    record_under(&op, 1, 0);
    assert_int_equal(do_op(s, &op), STORE_OK);
    store_op_clear(&op);

    op = make_update(1, "updated");
    record_under(&op, 2, 0);
    assert_int_equal(do_op(s, &op), STORE_OK);
    store_op_clear(&op);

    op = make_op(STORE_VIEW, 1);
    record_under(&op, 3, 0);
    assert_int_equal(do_op(s, &op), STORE_OK);
    assert_non_null(memmem(op.record.response, op.record.response_len, "payload updated", 15));
    store_op_clear(&op);

    for (int i = 0; i < 2; i++) {
        op = make_op(STORE_DELETE, 1);
        record_under(&op, 4, 0);
        op.render = NULL; /* known beforehand */
        op.record.status = 200;
        op.record.response = strdup("{\"deleted\":true}");
        op.record.response_len = strlen(op.record.response);
        assert_int_equal(do_op(s, &op), i == 0 ? STORE_OK : STORE_CONFLICT);
        store_op_clear(&op);
    }
    op = make_op(STORE_REMEMBER, 0);
    make_hash(op.record.scope, 5);
    op.record.status = 204; /* and nothing to say */
    assert_int_equal(do_op(s, &op), STORE_OK);
    store_op_clear(&op);
    for (uint64_t scope = 1; scope <= 5; scope++) {
        op = recall(s, scope);
        assert_int_equal(op.result, STORE_OK);
        assert_int_equal(op.record.status, scope == 4 ? 200 : scope == 5 ? 204 : 201);
        assert_int_equal(op.record.response_len == 0, scope == 5);
        store_op_clear(&op);
    }
    store_close(s);
}

/* What fails is not on record, so that the client may try again. */
static void failures_are_not_recorded(void **state) {
    (void)state;
    const char *path = scratch("failed.db");
    store *s = open_fresh("failed.db");
    assert_int_equal(insert_one(s, 1, "x", HOUR_MS), STORE_OK);
    store_op ops[] = {make_insert(1, "same id", HOUR_MS), make_update(5, "none"),
                      make_op(STORE_DELETE, 5), make_op(STORE_VIEW, 5),
                      make_insert(6, "x", HOUR_MS)};
    static const store_result right[] = {STORE_FAILED, STORE_NOT_FOUND, STORE_NOT_FOUND,
                                         STORE_NOT_FOUND, STORE_NO_MEMORY};
    for (size_t i = 0; i < 5; i++) {
        record_under(&ops[i], i, 0);
        ops[i].render = i == 4 ? render_nothing : render;
        assert_int_equal(do_op(s, &ops[i]), right[i]);
        assert_int_equal(recall_result(s, i), STORE_NOT_FOUND);
        store_op_clear(&ops[i]);
    }
    assert_int_equal(read_result(s, 6), STORE_NOT_FOUND); /* no row without its record */
    assert_int_equal(count_of(path, "SELECT count(*) FROM idempotency"), 0);

    /* Nor a row when the record cannot be written. */
    peer *db = peer_open(path);
    peer_exec(db, "ALTER TABLE idempotency RENAME TO away");
    store_op op = make_insert(7, "x", HOUR_MS);
    record_under(&op, 7, 0);
    assert_int_equal(do_op(s, &op), STORE_FAILED);
    assert_int_equal(recall_result(s, 7), STORE_FAILED);
    assert_int_equal(read_result(s, 7), STORE_NOT_FOUND);
    assert_int_equal(insert_one(s, 8, "unrecorded", HOUR_MS), STORE_OK);
    peer_exec(db, "ALTER TABLE away RENAME TO idempotency");
    peer_close(db);
    assert_int_equal(do_op(s, &op), STORE_OK);
    store_op_clear(&op);
    assert_int_equal(recall_result(s, 7), STORE_OK);
    store_close(s);
}

static void day_is_over(void **state) {
    (void)state;
    const char *path = scratch("day.db");
    store *s = open_fresh("day.db");
    for (uint64_t i = 0; i < 100; i++) {
        store_op op = make_insert(i, "x", 100 * HOUR_MS);
        record_under(&op, i, 1);
        assert_int_equal(do_op(s, &op), STORE_OK);
        store_op_clear(&op);
    }
    atomic_store(&test_clock_ms, START_MS + STORE_MEMORY_MS - 1);
    assert_int_equal(recall_result(s, 1), STORE_OK);
    store_op op = make_insert(1000, "young", 100 * HOUR_MS);
    record_under(&op, 1000, 1);
    assert_int_equal(do_op(s, &op), STORE_OK);
    store_op_clear(&op);
    assert_int_equal(sweep(s), 0);
    assert_int_equal(count_of(path, "SELECT count(*) FROM idempotency"), 101);

    atomic_store(&test_clock_ms, START_MS + STORE_MEMORY_MS);
    assert_int_equal(recall_result(s, 1), STORE_NOT_FOUND);
    op = make_insert(1001, "again", HOUR_MS); /* an old record is in nobody's way */
    record_under(&op, 1, 2);
    assert_int_equal(do_op(s, &op), STORE_OK);
    store_op_clear(&op);
    assert_int_equal(sweep(s), 0); /* it counts links */
    assert_int_equal(count_of(path, "SELECT count(*) FROM idempotency"), 2);
    assert_int_equal(recall_result(s, 1), STORE_OK);
    assert_int_equal(recall_result(s, 1000), STORE_OK);
    store_close(s);
}

enum { CLIENTS = 6, KEYS = 120 };

typedef struct client {
    store *s;
    uint64_t number;
    int made;
    int recalled;
    int other;
} client;

/* As a handler does it: recall, else write, else recall. */
static void *send_all(void *opaque) {
    client *c = opaque;
    for (uint64_t key = 0; key < KEYS; key++) {
        store_op op = recall(c->s, key);
        store_result result = op.result;
        store_op_clear(&op);
        if (result == STORE_NOT_FOUND) {
            op = make_insert(key * CLIENTS + c->number, "raced", HOUR_MS);
            record_under(&op, key, 1);
            result = do_op(c->s, &op);
            c->made += result == STORE_OK;
            store_op_clear(&op);
            if (result == STORE_CONFLICT) {
                op = recall(c->s, key);
                result = op.result;
                store_op_clear(&op);
                c->recalled += result == STORE_OK;
            }
        } else {
            c->recalled += result == STORE_OK;
        }
        c->other += result != STORE_OK;
    }
    return NULL;
}

/* However many send the same request at once, one is carried out and all are told the same. */
static void sent_at_once(void **state) {
    (void)state;
    store *s = open_fresh("race.db");
    pthread_t threads[CLIENTS];
    client clients[CLIENTS];
    int made = 0;
    int recalled = 0;
    for (uint64_t i = 0; i < CLIENTS; i++) {
        clients[i] = (client){.s = s, .number = i};
        assert_int_equal(pthread_create(&threads[i], NULL, send_all, &clients[i]), 0);
    }
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(clients[i].other, 0);
        made += clients[i].made;
        recalled += clients[i].recalled;
    }
    assert_int_equal(made, KEYS);
    assert_int_equal(recalled, KEYS * (CLIENTS - 1));
    store_close(s);
    assert_int_equal(count_of(scratch("race.db"), "SELECT count(*) FROM artifacts"), KEYS);
}

/* Two of the same scope in one transaction. */
static void sent_twice_in_a_batch(void **state) {
    (void)state;
    store *s = open_fresh("twins.db");
    peer *db = peer_open(scratch("twins.db"));
    peer_lock(db);
    gate g = GATE_INIT;
    store_op ops[3];
    for (uint64_t i = 0; i < 3; i++) {
        ops[i] = make_insert(i, "x", HOUR_MS);
        if (i > 0) {
            record_under(&ops[i], 1, i);
        }
        start_op(s, &ops[i], &g);
    }
    peer_unlock(db);
    gate_wait(&g, 3);
    assert_int_equal(ops[1].result, STORE_OK);
    assert_int_equal(ops[2].result, STORE_CONFLICT);
    assert_int_equal(recall_result(s, 1), STORE_OK);
    for (int i = 0; i < 3; i++) {
        store_op_clear(&ops[i]);
    }
    peer_close(db);
    store_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(recalled_as_answered, at_start),
        cmocka_unit_test_setup(second_write, at_start),
        cmocka_unit_test_setup(every_kind, at_start),
        cmocka_unit_test_setup(failures_are_not_recorded, at_start),
        cmocka_unit_test_setup(day_is_over, at_start),
        cmocka_unit_test_setup(sent_at_once, at_start),
        cmocka_unit_test_setup(sent_twice_in_a_batch, at_start),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
