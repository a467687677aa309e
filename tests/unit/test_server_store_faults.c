/* What the store does when the database is locked, broken or closed while it runs. */
#include "stores.h"

static store *open_impatient(const char *path) {
    scratch_remove(path);
    return open_with((store_options){.path = path, .busy_timeout_ms = 800});
}

typedef struct lock_holder {
    const char *path;
    int64_t hold_ms;
    atomic_bool held;
} lock_holder;

static void *hold_lock(void *opaque) {
    lock_holder *holder = opaque;
    peer *db = peer_open(holder->path);
    peer_lock(db);
    atomic_store(&holder->held, true);
    sleep_ms(holder->hold_ms);
    peer_unlock(db);
    peer_close(db);
    return NULL;
}

static pthread_t start_holder(lock_holder *holder) {
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, hold_lock, holder), 0);
    while (!atomic_load(&holder->held)) {
        sleep_ms(1);
    }
    return thread;
}

static void waits_for_a_lock(void **state) {
    (void)state;
    const char *path = scratch("wait.db");
    store *s = open_impatient(path);
    assert_int_equal(insert_one(s, 1, "before", HOUR_MS), STORE_OK);
    lock_holder holder = {.path = path, .hold_ms = 300};
    pthread_t thread = start_holder(&holder);
    int64_t begin_ms = clock_monotonic_ms();
    assert_int_equal(read_result(s, 1), STORE_OK); /* reads go on */
    assert_true(clock_monotonic_ms() - begin_ms < 200);
    assert_int_equal(insert_one(s, 2, "waited", HOUR_MS), STORE_OK);
    assert_true(clock_monotonic_ms() - begin_ms >= 200);
    pthread_join(thread, NULL);
    store_close(s);
}

static void gives_up_on_a_lock(void **state) {
    (void)state;
    const char *path = scratch("giveup.db");
    store *s = open_impatient(path);
    assert_int_equal(insert_one(s, 1, "before", HOUR_MS), STORE_OK);
    lock_holder holder = {.path = path, .hold_ms = 2500};
    pthread_t thread = start_holder(&holder);

    /* Each waits its own time: the second is queued while the first waits in BEGIN. */
    gate g = GATE_INIT;
    store_op ops[2] = {make_insert(2, "a", HOUR_MS), make_insert(3, "b", HOUR_MS)};
    int64_t begin_ms = clock_monotonic_ms();
    for (int i = 0; i < 2; i++) {
        ops[i].done = gate_open;
        ops[i].owner = &g;
        assert_false(store_submit(s, &ops[i]));
        sleep_ms(i == 0 ? 400 : 0);
    }
    store_op touched = read_one(s, 1, true);
    assert_int_equal(touched.result, STORE_OK);
    store_op_clear(&touched);
    gate_wait(&g, 1);
    int64_t first_ms = clock_monotonic_ms() - begin_ms;
    gate_wait(&g, 2);
    int64_t second_ms = clock_monotonic_ms() - begin_ms;
    assert_int_equal(ops[0].result, STORE_BUSY);
    assert_int_equal(ops[1].result, STORE_BUSY);
    /* Each op waits on its own clock; how much longer than that is the machine's affair. */
    assert_true(first_ms >= 750);
    assert_true(second_ms >= 1150);

    store_op swept = {.kind = STORE_SWEEP};
    assert_int_equal(do_op(s, &swept), STORE_OK); /* nothing to delete needs no lock */
    assert_int_equal(read_result(s, 1), STORE_OK);
    assert_int_equal(ping(s), STORE_OK);

    pthread_join(thread, NULL);
    assert_int_equal(insert_one(s, 4, "after", HOUR_MS), STORE_OK);
    assert_int_equal(read_result(s, 2), STORE_NOT_FOUND);
    sleep_ms(1700); /* the touch waited, too */
    peer *db = peer_open(path);
    assert_int_equal(peer_int(db, "SELECT sum(views) FROM lifetimes"), 1);
    peer_close(db);
    for (int i = 0; i < 2; i++) {
        store_op_clear(&ops[i]);
    }
    store_close(s);
}

static void locked_sweep(void **state) {
    (void)state;
    const char *path = scratch("sweeplock.db");
    store *s = open_impatient(path);
    assert_int_equal(insert_one(s, 1, "x", 1), STORE_OK);
    sleep_ms(5);
    lock_holder holder = {.path = path, .hold_ms = 1500};
    pthread_t thread = start_holder(&holder);
    store_op op = {.kind = STORE_SWEEP};
    assert_int_equal(do_op(s, &op), STORE_BUSY);
    pthread_join(thread, NULL);
    assert_int_equal(sweep(s), 1);
    store_close(s);
}

static void queue_is_bounded(void **state) {
    (void)state;
    const char *path = scratch("queue.db");
    scratch_remove(path);
    store *s = open_with((store_options){.path = path, .busy_timeout_ms = 5000, .queue = 8});
    lock_holder holder = {.path = path, .hold_ms = 400};
    pthread_t thread = start_holder(&holder);
    gate g = GATE_INIT;
    store_op ops[20];
    int taken = 0;
    for (uint64_t i = 0; i < 20; i++) {
        ops[i] = make_insert(i, "x", HOUR_MS);
        ops[i].done = gate_open;
        ops[i].owner = &g;
        if (store_submit(s, &ops[i])) {
            assert_int_equal(ops[i].result, STORE_BUSY);
        } else {
            assert_int_equal(i, taken); /* the first eight, no other */
            taken++;
        }
    }
    assert_int_equal(taken, 8);
    gate_wait(&g, taken);
    pthread_join(thread, NULL);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(ops[i].result, i < 8 ? STORE_OK : STORE_BUSY);
        store_op_clear(&ops[i]);
    }
    assert_int_equal(insert_one(s, 100, "x", HOUR_MS), STORE_OK);
    store_close(s);
}

static const char *const TABLES[] = {"artifacts", "lifetimes"};

static void table_dropped(void **state) {
    (void)state;
    const char *path = scratch("dropped.db");
    for (size_t i = 0; i < 2; i++) {
        scratch_remove(path);
        store *s = open_at(path);
        assert_int_equal(insert_one(s, 1, "x", HOUR_MS), STORE_OK);
        assert_int_equal(read_result(s, 1), STORE_OK);
        assert_int_equal(ping(s), STORE_OK);
        peer *db = peer_open(path);
        char sql[128];
        snprintf(sql, sizeof sql, "ALTER TABLE %s RENAME TO away", TABLES[i]);
        atomic_store(&report_count, 0);
        peer_exec(db, sql);
        for (uint64_t again = 0; again < 5; again++) {
            assert_int_equal(insert_one(s, 2 + again, "x", HOUR_MS), STORE_FAILED);
            assert_int_equal(read_result(s, 1), STORE_FAILED);
            assert_int_equal(ping(s), STORE_FAILED);
        }
        assert_int_equal(atomic_load(&report_count), 1); /* fifteen failures, one kind */
        assert_non_null(strstr(last_report, scratch_shown(path)));
        assert_non_null(strstr(last_report, TABLES[i]));
        snprintf(sql, sizeof sql, "ALTER TABLE away RENAME TO %s", TABLES[i]);
        peer_exec(db, sql);
        peer_close(db);
        assert_int_equal(read_result(s, 1), STORE_OK);
        assert_int_equal(insert_one(s, 2, "y", HOUR_MS), STORE_OK);
        assert_int_equal(ping(s), STORE_OK);
        store_close(s);
    }
}

/* Closing answers everything that was accepted. */
static void close_finishes_the_queue(void **state) {
    (void)state;
    const char *path = scratch("closing.db");
    scratch_remove(path);
    store *s = open_with((store_options){.path = path, .queue = 2000});
    enum { OPS = 1500 };
    store_op *ops = calloc(OPS + 1, sizeof *ops);
    gate g = GATE_INIT;
    for (int i = 0; i < OPS; i++) {
        ops[i] = make_insert((uint64_t)i, "x", HOUR_MS);
        ops[i].done = gate_open;
        ops[i].owner = &g;
        assert_false(store_submit(s, &ops[i]));
    }
    ops[OPS] = (store_op){.kind = STORE_SWEEP, .done = gate_open, .owner = &g};
    assert_false(store_submit(s, &ops[OPS]));
    store_close(s);
    assert_int_equal(g.open, OPS + 1);
    for (int i = 0; i < OPS; i++) {
        assert_int_equal(ops[i].result, STORE_OK);
        store_op_clear(&ops[i]);
    }
    free(ops);
    peer *db = peer_open(path);
    assert_int_equal(peer_int(db, "SELECT count(*) FROM artifacts"), OPS);
    peer_close(db);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(waits_for_a_lock, at_real_time),
        cmocka_unit_test_setup(gives_up_on_a_lock, at_real_time),
        cmocka_unit_test_setup(locked_sweep, at_real_time),
        cmocka_unit_test_setup(queue_is_bounded, at_real_time),
        cmocka_unit_test_setup(table_dropped, at_real_time),
        cmocka_unit_test_setup(close_finishes_the_queue, at_real_time),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
