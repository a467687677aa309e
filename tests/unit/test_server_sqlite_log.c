/*
 * The write-ahead log stays bounded: under readers that never leave it alone, and under one that
 * holds on to a snapshot for as long as it likes.
 */
#include "stores.h"

static int fresh(void **state) {
    (void)state;
    atomic_store(&report_count, 0);
    return 0;
}

static int64_t wal_size(const char *path) {
    char name[600];
    struct stat status;
    snprintf(name, sizeof name, "%s-wal", path);
    return stat(name, &status) == 0 ? (int64_t)status.st_size : 0;
}

static char payload[2001];

static void fill_payload(void) {
    for (size_t i = 0; i < sizeof payload - 1; i++) {
        payload[i] = (char)('!' + i * 7 % 90);
    }
}

/* ---- readers without end ---- */

typedef struct reader_arg {
    const char *path;
    store *s;
    int64_t hold_ms; /* 0: through the store */
    atomic_bool *stop;
    uint64_t reads;
    int failures;
} reader_arg;

/* One read transaction after the other, as a backup tool or a curious operator has them. */
static void *read_transactions(void *opaque) {
    reader_arg *arg = opaque;
    sqlite3 *db = NULL;
    arg->failures += sqlite3_open(arg->path, &db) != SQLITE_OK;
    sqlite3_exec(db, "PRAGMA wal_autocheckpoint = 0", NULL, NULL, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sqlite3_busy_timeout(db, 2000);
    while (!atomic_load(arg->stop)) {
        arg->failures += sqlite3_exec(db, "BEGIN; SELECT row FROM lifetimes LIMIT 1", NULL, NULL,
                                      NULL) != SQLITE_OK;
        sleep_ms(arg->hold_ms);
        arg->failures += sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK;
        arg->reads++;
    }
    sqlite3_close(db);
    return NULL;
}

static void *read_rows(void *opaque) {
    reader_arg *arg = opaque;
    while (!atomic_load(arg->stop)) {
        store_op op = read_one(arg->s, arg->reads * 7919 % 100000, arg->reads % 8 == 0);
        arg->reads++;
        arg->failures += op.result != STORE_OK && op.result != STORE_NOT_FOUND;
        store_op_clear(&op);
        sleep_ms(1);
    }
    return NULL;
}

static void hundred_thousand_writes(void **state) {
    (void)state;
    enum { WRITES = 100000, WINDOW = 512, READERS = 4 };
    const int64_t most = 160 << 20;
    fill_payload();
    const char *path = scratch("long.db");
    store *s = open_at(path);
    assert_int_equal(insert_one(s, WRITES, "x", HOUR_MS), STORE_OK);
    atomic_bool stop = false;
    pthread_t threads[READERS];
    /* The three transactions overlap: there is hardly a moment without one. */
    reader_arg args[READERS] = {{.path = path, .hold_ms = 30, .stop = &stop},
                                {.path = path, .hold_ms = 50, .stop = &stop},
                                {.path = path, .hold_ms = 70, .stop = &stop},
                                {.s = s, .stop = &stop}};
    for (int i = 0; i < READERS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL,
                                        args[i].s == NULL ? read_transactions : read_rows,
                                        &args[i]),
                         0);
    }
    store_op *ops = calloc(WINDOW, sizeof *ops);
    gate g = GATE_INIT;
    int64_t largest = 0;
    int64_t begin_ms = clock_monotonic_ms();
    for (int i = 0; i < WRITES; i++) {
        store_op *op = &ops[i % WINDOW];
        if (i % WINDOW == 0) {
            gate_wait(&g, i);
            int64_t size = wal_size(path);
            largest = size > largest ? size : largest;
            assert_true(size < most);
        }
        if (i >= WINDOW) {
            assert_int_equal(op->result, STORE_OK);
            store_op_clear(op);
        }
        *op = make_insert((uint64_t)i, payload, HOUR_MS);
        start_op(s, op, &g);
    }
    gate_wait(&g, WRITES);
    for (int i = 0; i < WINDOW; i++) {
        assert_int_equal(ops[i].result, STORE_OK);
        store_op_clear(&ops[i]);
    }
    free(ops);
    int64_t took_ms = clock_monotonic_ms() - begin_ms;
    print_message("%d writes of 2 KB at %d/s under readers; -wal at most %d MiB\n", WRITES,
                  (int)(WRITES * INT64_C(1000) / took_ms), (int)(largest >> 20));
    atomic_store(&stop, true);
    for (int i = 0; i < READERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(args[i].failures, 0);
        assert_true(args[i].reads > 10);
    }
    store_close(s);
    sqlite3 *db = raw_open(path);
    assert_int_equal(raw_int(db, "SELECT count(*) FROM artifacts"), WRITES + 1);
    sqlite3_close(db);
    scratch_remove(path);
}

/* ---- a reader that does not let go ---- */

static void held_snapshot(void **state) {
    (void)state;
    const int64_t limit = 24 << 20;
    fill_payload();
    const char *path = scratch("held.db");
    store *s = open_with(
        (store_options){.path = path, .busy_timeout_ms = 1000, .log_limit_bytes = (uint64_t)limit});
    assert_int_equal(insert_one(s, 0, "seen", HOUR_MS), STORE_OK);
    sqlite3 *db = raw_open(path);
    sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    raw_exec(db, "BEGIN");
    assert_int_equal(raw_int(db, "SELECT count(*) FROM artifacts"), 1);

    /* It is let grow for a while; then writes say that they were not done. */
    enum { WINDOW = 64 };
    uint64_t written = 0;
    bool refused = false;
    while (!refused) {
        store_op ops[WINDOW];
        gate g = GATE_INIT;
        for (uint64_t i = 0; i < WINDOW; i++) {
            ops[i] = make_insert(1 + written + i, payload, HOUR_MS);
            start_op(s, &ops[i], &g);
        }
        gate_wait(&g, WINDOW);
        for (uint64_t i = 0; i < WINDOW; i++) {
            assert_true(ops[i].result == STORE_OK || ops[i].result == STORE_BUSY);
            assert_false(refused && ops[i].result == STORE_OK);
            refused |= ops[i].result == STORE_BUSY;
            written += ops[i].result == STORE_OK;
            store_op_clear(&ops[i]);
        }
        assert_true(written < 100000);
    }
    assert_true(written > 500);
    assert_in_range(wal_size(path), limit / 2, limit + (4 << 20));
    assert_int_equal(atomic_load(&report_count), 1);
    assert_non_null(strstr(last_report, path));
    assert_non_null(strstr(last_report, "24 MiB"));
    assert_non_null(strstr(last_report, "end that program"));

    /* Everything else goes on at once; writes wait as for a lock. */
    assert_int_equal(read_result(s, 0), STORE_OK);
    assert_int_equal(read_result(s, written), STORE_OK);
    assert_int_equal(ping(s), STORE_OK);
    int64_t begin_ms = clock_monotonic_ms();
    assert_int_equal(delete_one(s, 0), STORE_BUSY);
    store_op swept = {.kind = STORE_SWEEP};
    assert_int_equal(do_op(s, &swept), STORE_BUSY);
    assert_true(clock_monotonic_ms() - begin_ms >= 1500);
    assert_int_equal(raw_int(db, "SELECT count(*) FROM artifacts"), 1); /* its snapshot */

    /* One that waits gets through as soon as the reader is gone. */
    gate g = GATE_INIT;
    store_op op = make_insert(1 + written, payload, HOUR_MS);
    start_op(s, &op, &g);
    sleep_ms(300);
    raw_exec(db, "COMMIT");
    gate_wait(&g, 1);
    assert_int_equal(op.result, STORE_OK);
    store_op_clear(&op);
    begin_ms = clock_monotonic_ms();
    while (wal_size(path) > 0) { /* and the log is emptied again */
        assert_true(clock_monotonic_ms() - begin_ms < 20000);
        sleep_ms(20);
    }
    for (uint64_t i = 0; i <= 1 + written; i++) {
        assert_int_equal(read_result(s, i), STORE_OK);
    }
    sqlite3_close(db);
    store_close(s);
}

/* A store that is closed meanwhile ends all the same, and loses nothing. */
static void closed_when_full(void **state) {
    (void)state;
    fill_payload();
    const char *path = scratch("closing.db");
    store *s = open_with((store_options){
        .path = path, .busy_timeout_ms = 600, .log_limit_bytes = 1}); /* 16 MiB at least */
    sqlite3 *db = raw_open(path);
    sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    raw_exec(db, "BEGIN");
    assert_int_equal(raw_int(db, "SELECT count(*) FROM artifacts"), 0);
    uint64_t written = 0;
    while (insert_one(s, written, payload, HOUR_MS) == STORE_OK) {
        written++;
    }
    gate g = GATE_INIT;
    store_op op = make_insert(written, payload, HOUR_MS);
    start_op(s, &op, &g);
    store_op read = read_one(s, 0, true);
    store_op_clear(&read);
    int64_t begin_ms = clock_monotonic_ms();
    store_close(s);
    assert_true(clock_monotonic_ms() - begin_ms < 20000);
    assert_int_equal(op.result, STORE_BUSY);
    store_op_clear(&op);
    raw_exec(db, "COMMIT");
    assert_int_equal(raw_int(db, "SELECT count(*) FROM artifacts"), (int64_t)written);
    sqlite3_close(db);
    s = open_at(path);
    assert_int_equal(read_result(s, written - 1), STORE_OK);
    store_close(s);
    assert_false(file_exists(path, "-wal"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(hundred_thousand_writes, fresh),
        cmocka_unit_test_setup(held_snapshot, fresh),
        cmocka_unit_test_setup(closed_when_full, fresh),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
