/* With store_options.gone: what was deleted, has expired or was viewed up is told apart for a day.
 */
#include "stores.h"

static store *open_gone(const char *name) {
    return open_with((store_options){.path = scratch(name), .gone = true});
}

static store *open_fresh_gone(const char *name) {
    scratch_remove(scratch(name));
    return open_gone(name);
}

static int64_t count_gone(const char *name) {
    peer *db = peer_open(scratch(name));
    int64_t count = peer_int(db, "SELECT count(*) FROM gone");
    peer_close(db);
    return count;
}

static void deleted(void **state) {
    (void)state;
    store *s = open_fresh_gone("deleted.db");
    assert_int_equal(insert_one(s, 1, "x", 100 * HOUR_MS), STORE_OK);
    assert_int_equal(delete_one(s, 1), STORE_OK);
    store_close(s);
    s = open_gone("deleted.db");
    assert_int_equal(read_result(s, 1), STORE_GONE);
    assert_int_equal(update_one(s, 1, "y"), STORE_GONE);
    assert_int_equal(view_one(s, 1), STORE_GONE);
    assert_int_equal(delete_one(s, 1), STORE_NOT_FOUND);
    assert_int_equal(read_result(s, 2), STORE_NOT_FOUND); /* never was */
    assert_int_equal(update_one(s, 2, "y"), STORE_NOT_FOUND);
    clock_at(STORE_MEMORY_MS - 1);
    assert_int_equal(read_result(s, 1), STORE_GONE);
    assert_int_equal(sweep(s), 0);
    clock_at(STORE_MEMORY_MS);
    assert_int_equal(read_result(s, 1), STORE_NOT_FOUND);
    assert_int_equal(update_one(s, 1, "y"), STORE_NOT_FOUND);
    assert_int_equal(count_gone("deleted.db"), 1);
    assert_int_equal(sweep(s), 0);
    assert_int_equal(count_gone("deleted.db"), 0);
    store_close(s);
}

/* The day begins with the end of the row, not with the moment somebody noticed. */
static void expired(void **state) {
    (void)state;
    store *s = open_fresh_gone("expired.db");
    for (uint64_t i = 1; i <= 4; i++) {
        assert_int_equal(insert_one(s, i, "x", HOUR_MS), STORE_OK);
    }
    store_op keep = make_insert(5, "x", HOUR_MS);
    keep.artifact.max_views = 1;
    assert_int_equal(do_op(s, &keep), STORE_OK);
    store_op_clear(&keep);
    assert_int_equal(view_one(s, 5), STORE_OK); /* viewed up */
    assert_int_equal(read_result(s, 5), STORE_GONE);

    clock_at(HOUR_MS);
    assert_int_equal(read_result(s, 1), STORE_GONE); /* still there */
    clock_at(2 * HOUR_MS);
    store_op read = read_one(s, 2, true); /* removed by the read */
    assert_int_equal(read.result, STORE_GONE);
    store_op_clear(&read);
    assert_int_equal(update_one(s, 3, "y"), STORE_GONE); /* and by the attempt */
    sleep_ms(1100);
    assert_int_equal(sweep(s), 2); /* the others */
    assert_int_equal(count_gone("expired.db"), 5);
    clock_at(HOUR_MS + STORE_MEMORY_MS - 1);
    for (uint64_t i = 1; i <= 4; i++) {
        assert_int_equal(read_result(s, i), STORE_GONE);
    }
    assert_int_equal(read_result(s, 5), STORE_NOT_FOUND); /* an hour earlier */
    clock_at(HOUR_MS + STORE_MEMORY_MS);
    for (uint64_t i = 1; i <= 4; i++) {
        assert_int_equal(read_result(s, i), STORE_NOT_FOUND);
    }
    store_close(s);
}

/* What ended while the store was closed for long is simply not there. */
static void long_ago(void **state) {
    (void)state;
    store *s = open_fresh_gone("ago.db");
    assert_int_equal(insert_one(s, 1, "x", HOUR_MS), STORE_OK);
    assert_int_equal(insert_one(s, 2, "x", 20 * HOUR_MS), STORE_OK);
    store_close(s);
    clock_at(30 * HOUR_MS);
    s = open_gone("ago.db");
    assert_int_equal(read_result(s, 1), STORE_NOT_FOUND);
    assert_int_equal(read_result(s, 2), STORE_GONE);
    assert_int_equal(sweep(s), 2);
    assert_int_equal(count_gone("ago.db"), 1);
    assert_int_equal(read_result(s, 1), STORE_NOT_FOUND);
    assert_int_equal(read_result(s, 2), STORE_GONE);
    store_close(s);
    /* A store that is not to tell does not, and still forgets. */
    s = open_at(scratch("ago.db"));
    assert_int_equal(read_result(s, 2), STORE_NOT_FOUND);
    clock_at(50 * HOUR_MS);
    assert_int_equal(sweep(s), 0);
    assert_int_equal(count_gone("ago.db"), 0);
    store_close(s);
}

/* Thousands of them are forgotten in steps, with writes in between. */
static void forgotten_in_steps(void **state) {
    (void)state;
    const char *path = scratch("many.db");
    store_close(open_fresh_gone("many.db"));
    peer *db = peer_open(path);
    peer_fill_old(db, 20000, 3000);
    store *s = open_gone("many.db");
    gate g = GATE_INIT;
    store_op op = {.kind = STORE_SWEEP};
    start_op(s, &op, &g);
    int between = 0;
    for (uint64_t i = 0; i < 5; i++) {
        assert_int_equal(insert_one(s, i, "x", HOUR_MS), STORE_OK);
        pthread_mutex_lock(&g.lock);
        between += g.open == 0;
        pthread_mutex_unlock(&g.lock);
    }
    assert_true(between >= 2);
    gate_wait(&g, 1);
    assert_int_equal(op.count, 0);
    assert_int_equal(peer_int(db, "SELECT count(*) FROM gone"), 0);
    assert_int_equal(peer_int(db, "SELECT count(*) FROM idempotency"), 0);
    peer_close(db);
    store_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(deleted, at_start),
        cmocka_unit_test_setup(expired, at_start),
        cmocka_unit_test_setup(long_ago, at_start),
        cmocka_unit_test_setup(forgotten_in_steps, at_start),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
