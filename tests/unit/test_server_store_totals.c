/* Totals, and cleaning: the oldest first, no more than asked for, recorded with what it removed. */
#include "stores.h"

static store_totals totals_of(store *s) {
    store_op op = {.kind = STORE_TOTALS};
    assert_int_equal(do_op(s, &op), STORE_OK);
    return op.totals;
}

static void totals(void **state) {
    (void)state;
    store *s = open_fresh("totals.db");
    store_totals none = totals_of(s);
    assert_int_equal(none.live + none.expired + none.last_hour, 0);
    for (uint64_t i = 0; i < 40; i++) {
        /* one every six minutes: ten an hour */
        atomic_store(&test_clock_ms, START_MS + (int64_t)i * HOUR_MS / 10);
        assert_int_equal(insert_one(s, i, "payload", i < 7 ? 60000 : 100 * HOUR_MS), STORE_OK);
    }
    store_totals all = totals_of(s);
    assert_int_equal(all.live, 33);
    assert_int_equal(all.expired, 7);
    assert_int_equal(all.last_hour, 10);
    char large[20001];
    memset(large, 'a', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    assert_int_equal(update_one(s, 30, large), STORE_OK);
    assert_true(totals_of(s).bytes >= none.bytes + sizeof large);
    assert_int_equal(delete_one(s, 39), STORE_OK);
    assert_int_equal(delete_one(s, 20), STORE_OK);
    assert_int_equal(totals_of(s).last_hour, 9);
    atomic_store(&test_clock_ms, START_MS + 50 * HOUR_MS);
    assert_int_equal(totals_of(s).last_hour, 0);
    store_close(s);
}

static store_op make_clean(int64_t before_ms, unsigned limit) {
    store_op op = {.kind = STORE_CLEAN, .limit = limit};
    op.artifact.expires_at_ms = before_ms;
    return op;
}

static void cleaning(void **state) {
    (void)state;
    store *s = open_fresh("clean.db");
    for (uint64_t i = 0; i < 10; i++) { /* the last made ends first */
        assert_int_equal(insert_one(s, i, "payload", 60000 + (int64_t)(10 - i) * 1000), STORE_OK);
    }
    assert_int_equal(insert_one(s, 10, "payload", HOUR_MS), STORE_OK);
    atomic_store(&test_clock_ms, START_MS + 10 * 60000);

    store_op op = make_clean(START_MS + 10 * 60000, 4);
    assert_int_equal(do_op(s, &op), STORE_OK);
    assert_int_equal(op.count, 4);
    assert_true(op.more);
    peer *db = peer_open(scratch("clean.db"));
    assert_int_equal(peer_int(db, "SELECT count(*) FROM lifetimes"), 7);
    /* those that ended first are gone: what is left ended no earlier than 6 s after the first */
    assert_int_equal(peer_int(db, "SELECT min(expires_at) FROM lifetimes"), START_MS + 65000);

    op = make_clean(START_MS + 67000, 100); /* that moment itself is not before it */
    assert_int_equal(do_op(s, &op), STORE_OK);
    assert_int_equal(op.count, 2);
    assert_false(op.more);
    op = make_clean(START_MS + 10 * 60000, 4);
    assert_int_equal(do_op(s, &op), STORE_OK);
    assert_int_equal(op.count, 4);
    assert_false(op.more);
    assert_int_equal(peer_int(db, "SELECT count(*) FROM artifacts"), 1);
    peer_close(db);
    store_close(s);
}

static bool render(store_op *op) {
    op->record.status = 200;
    op->record.response = strdup("done");
    op->record.response_len = 4;
    return op->record.response != NULL;
}

static void cleaning_is_recorded(void **state) {
    (void)state;
    store *s = open_fresh("recorded.db");
    assert_int_equal(insert_one(s, 1, "payload", 60000), STORE_OK);
    assert_int_equal(insert_one(s, 2, "payload", 60000), STORE_OK);
    atomic_store(&test_clock_ms, START_MS + HOUR_MS);
    for (int again = 0; again < 2; again++) {
        store_op op = make_clean(START_MS + HOUR_MS, 1);
        op.recorded = true;
        op.render = render;
        make_hash(op.record.scope, 7);
        assert_int_equal(do_op(s, &op), again == 0 ? STORE_OK : STORE_CONFLICT);
        store_op_clear(&op);
    }
    assert_int_equal(totals_of(s).expired, 1);
    store_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(totals, at_start),
        cmocka_unit_test_setup(cleaning, at_start),
        cmocka_unit_test_setup(cleaning_is_recorded, at_start),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
