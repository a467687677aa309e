/* What the store promises about rows: what goes in comes out, expiry, touches, sweeps. */
#include "stores.h"

static void round_trip(void **state) {
    (void)state;
    store *s = open_fresh("round.db");
    atomic_store(&test_clock_ms, START_MS);
    store_op op = make_insert(1, "p\"'</script>$&\xf0\x9f\x98\x80\x7f", HOUR_MS);
    op.artifact.codec = strdup("arx4");
    op.artifact.kind = strdup("markdown");
    op.artifact.title = strdup("A title");
    memcpy(op.artifact.asset_set, "0123456789abcdef", 17);
    op.artifact.sliding = false;
    assert_int_equal(do_op(s, &op), STORE_OK);
    assert_int_equal(op.artifact.created_at_ms, START_MS);
    assert_int_equal(op.artifact.updated_at_ms, START_MS);
    assert_int_equal(op.artifact.last_viewed_at_ms, START_MS);
    assert_int_equal(op.artifact.expires_at_ms, START_MS + HOUR_MS);

    for (int reopened = 0; reopened < 2; reopened++) {
        store_op read = read_one(s, 1, false);
        assert_int_equal(read.result, STORE_OK);
        assert_memory_equal(read.artifact.id, op.artifact.id, STORE_ID_BYTES);
        assert_int_equal(read.artifact.payload_len, op.artifact.payload_len);
        assert_string_equal(read.artifact.payload, op.artifact.payload);
        assert_string_equal(read.artifact.codec, "arx4");
        assert_string_equal(read.artifact.kind, "markdown");
        assert_string_equal(read.artifact.title, "A title");
        assert_string_equal(read.artifact.asset_set, "0123456789abcdef");
        assert_int_equal(read.artifact.created_at_ms, START_MS);
        assert_int_equal(read.artifact.expires_at_ms, START_MS + HOUR_MS);
        assert_int_equal(read.artifact.ttl_ms, HOUR_MS);
        assert_int_equal(read.artifact.views, 0);
        assert_false(read.artifact.sliding);
        store_op_clear(&read);
        store_close(s);
        s = open_at(scratch("round.db"));
    }
    store_op_clear(&op);
    assert_int_equal(read_result(s, 2), STORE_NOT_FOUND);
    store_close(s);
}

/* 500,000 units of three bytes each, and what is absent stays absent. */
static void largest_payload(void **state) {
    (void)state;
    store *s = open_fresh("large.db");
    size_t len = 1500000;
    char *payload = malloc(len + 1);
    for (size_t i = 0; i < len; i += 3) {
        memcpy(payload + i, i % 2 ? "\xe2\x82\xac" : "\xe0\xb8\x81", 3);
    }
    payload[len] = '\0';
    assert_int_equal(insert_one(s, 1, payload, HOUR_MS), STORE_OK);
    store_op read = read_one(s, 1, false);
    assert_int_equal(read.result, STORE_OK);
    assert_int_equal(read.artifact.payload_len, len);
    assert_memory_equal(read.artifact.payload, payload, len + 1);
    assert_null(read.artifact.codec);
    assert_null(read.artifact.kind);
    assert_null(read.artifact.title);
    assert_string_equal(read.artifact.asset_set, "");
    store_op_clear(&read);
    free(payload);
    store_close(s);
}

/* A row that is refused leaves nothing behind, and the others of its batch alone. */
static void same_id_twice(void **state) {
    (void)state;
    store *s = open_fresh("twice.db");
    assert_int_equal(insert_one(s, 1, "first", HOUR_MS), STORE_OK);
    store_op ops[3] = {make_insert(2, "two", HOUR_MS), make_insert(1, "second", HOUR_MS),
                       make_insert(3, "three", HOUR_MS)};
    gate g = GATE_INIT;
    for (int i = 0; i < 3; i++) {
        ops[i].done = gate_open;
        ops[i].owner = &g;
        assert_false(store_submit(s, &ops[i]));
    }
    gate_wait(&g, 3);
    assert_int_equal(ops[0].result, STORE_OK);
    assert_int_equal(ops[1].result, STORE_FAILED);
    assert_int_equal(ops[2].result, STORE_OK);
    for (int i = 0; i < 3; i++) {
        store_op_clear(&ops[i]);
    }
    store_op read = read_one(s, 1, false);
    assert_string_equal(read.artifact.payload, "first");
    store_op_clear(&read);
    assert_int_equal(ping(s), STORE_OK);
    peer *db = peer_open(scratch("twice.db"));
    assert_int_equal(peer_int(db, "SELECT count(*) FROM artifacts"), 3);
    assert_int_equal(peer_int(db, "SELECT count(*) FROM lifetimes"), 3);
    peer_close(db);
    store_close(s);
}

static void expiry_boundary(void **state) {
    (void)state;
    store *s = open_fresh("expiry.db");
    atomic_store(&test_clock_ms, START_MS);
    assert_int_equal(insert_one(s, 1, "x", HOUR_MS), STORE_OK);
    atomic_store(&test_clock_ms, START_MS + HOUR_MS - 1);
    assert_int_equal(read_result(s, 1), STORE_OK);
    atomic_store(&test_clock_ms, START_MS + HOUR_MS); /* expires_at == now is expired */
    assert_int_equal(read_result(s, 1), STORE_NOT_FOUND);
    atomic_store(&test_clock_ms, START_MS + 1); /* the clock jumps back: it lives */
    assert_int_equal(read_result(s, 1), STORE_OK);
    /* Lives as long as they come do not overflow. */
    assert_int_equal(insert_one(s, 2, "x", INT64_MAX), STORE_OK);
    store_op far = read_one(s, 2, true);
    assert_int_equal(far.result, STORE_OK);
    assert_true(far.artifact.expires_at_ms > START_MS + (INT64_C(1) << 52));
    store_op_clear(&far);
    assert_int_equal(insert_one(s, 3, "x", 0), STORE_OK);
    assert_int_equal(read_result(s, 3), STORE_NOT_FOUND);
    store_close(s);
}

/* Everybody sees a touch at once; the row has it soon after, and a crash could only lose that. */
static void touches(void **state) {
    (void)state;
    const char *path = scratch("touch.db");
    store *s = open_fresh("touch.db");
    atomic_store(&test_clock_ms, START_MS);
    assert_int_equal(insert_one(s, 1, "x", HOUR_MS), STORE_OK);
    store_op fixed = make_insert(2, "x", HOUR_MS);
    fixed.artifact.sliding = false;
    assert_int_equal(do_op(s, &fixed), STORE_OK);
    store_op_clear(&fixed);

    for (int i = 1; i <= 10; i++) {
        atomic_store(&test_clock_ms, START_MS + i * 1000);
        for (uint64_t number = 1; number <= 2; number++) {
            store_op read = read_one(s, number, true);
            assert_int_equal(read.result, STORE_OK);
            assert_int_equal(read.artifact.last_viewed_at_ms, START_MS + i * 1000);
            assert_int_equal(read.artifact.expires_at_ms,
                             START_MS + HOUR_MS + (number == 1 ? i * 1000 : 0));
            assert_int_equal(read.artifact.updated_at_ms, START_MS);
            store_op_clear(&read);
        }
        store_op seen = read_one(s, 1, false);
        assert_int_equal(seen.artifact.last_viewed_at_ms, START_MS + i * 1000);
        assert_int_equal(seen.artifact.expires_at_ms, START_MS + HOUR_MS + i * 1000);
        store_op_clear(&seen);
    }

    peer *db = peer_open(path);
    int64_t begin_ms = clock_monotonic_ms();
    while (peer_int(db, "SELECT sum(views) FROM lifetimes") < 20) {
        assert_true(clock_monotonic_ms() - begin_ms < 2000);
        sleep_ms(10);
    }
    assert_true(clock_monotonic_ms() - begin_ms <= 1100);
    peer_close(db);
    store_op after = read_one(s, 1, false);
    assert_int_equal(after.artifact.views, 10);
    assert_int_equal(after.artifact.expires_at_ms, START_MS + HOUR_MS + 10000);
    store_op_clear(&after);

    /* Not lost by closing right away. */
    atomic_store(&test_clock_ms, START_MS + 20000);
    after = read_one(s, 1, true);
    store_op_clear(&after);
    store_close(s);
    s = open_at(scratch("touch.db"));
    after = read_one(s, 1, false);
    assert_int_equal(after.artifact.views, 11);
    assert_int_equal(after.artifact.last_viewed_at_ms, START_MS + 20000);
    store_op_clear(&after);
    store_close(s);
}

/* A refresh that is not written yet keeps the row alive past its stored end. */
static void touch_keeps_alive(void **state) {
    (void)state;
    store *s = open_fresh("alive.db");
    atomic_store(&test_clock_ms, START_MS);
    assert_int_equal(insert_one(s, 1, "x", 1000), STORE_OK);
    atomic_store(&test_clock_ms, START_MS + 999);
    store_op read = read_one(s, 1, true);
    assert_int_equal(read.result, STORE_OK);
    store_op_clear(&read);
    atomic_store(&test_clock_ms, START_MS + 1500);
    assert_int_equal(read_result(s, 1), STORE_OK);
    store_close(s);
    s = open_at(scratch("alive.db"));
    assert_int_equal(read_result(s, 1), STORE_OK);
    atomic_store(&test_clock_ms, START_MS + 1999);
    assert_int_equal(read_result(s, 1), STORE_NOT_FOUND);
    store_close(s);
}

static void read_removes_expired(void **state) {
    (void)state;
    store *s = open_fresh("gone.db");
    atomic_store(&test_clock_ms, START_MS);
    assert_int_equal(insert_one(s, 1, "x", 1000), STORE_OK);
    assert_int_equal(insert_one(s, 2, "x", 1000), STORE_OK);
    atomic_store(&test_clock_ms, START_MS + 1000);
    assert_int_equal(read_result(s, 1), STORE_NOT_FOUND); /* without touch: no side effect */
    store_op read = read_one(s, 2, true);
    assert_int_equal(read.result, STORE_NOT_FOUND);
    assert_null(read.artifact.payload);
    store_op_clear(&read);
    store_close(s);
    peer *db = peer_open(scratch("gone.db"));
    assert_int_equal(peer_int(db, "SELECT count(*) FROM artifacts"), 1);
    assert_int_equal(peer_int(db, "SELECT count(*) FROM lifetimes"), 1);
    peer_close(db);
}

static void sweep_counts(void **state) {
    (void)state;
    store *s = open_fresh("sweep.db");
    enum { ROWS = 1700 }; /* several steps */
    atomic_store(&test_clock_ms, START_MS);
    store_op *ops = calloc(ROWS, sizeof *ops);
    gate g = GATE_INIT;
    int waiting = 0;
    for (int i = 0; i < ROWS; i++) {
        ops[i] = make_insert((uint64_t)i, "swept", i % 3 == 0 ? HOUR_MS : 1000);
        ops[i].done = gate_open;
        ops[i].owner = &g;
        while (store_submit(s, &ops[i])) {
            assert_int_equal(ops[i].result, STORE_BUSY);
            sleep_ms(1);
        }
        waiting++;
    }
    gate_wait(&g, waiting);
    assert_int_equal(sweep(s), 0);
    atomic_store(&test_clock_ms, START_MS + 1000);
    assert_int_equal(sweep(s), ROWS - (ROWS + 2) / 3);
    assert_int_equal(sweep(s), 0);
    for (int i = 0; i < ROWS; i++) {
        assert_int_equal(ops[i].result, STORE_OK);
        assert_int_equal(read_result(s, (uint64_t)i), i % 3 == 0 ? STORE_OK : STORE_NOT_FOUND);
        store_op_clear(&ops[i]);
    }
    free(ops);
    store_close(s);
    peer *db = peer_open(scratch("sweep.db"));
    assert_int_equal(peer_int(db, "SELECT count(*) FROM artifacts"), (ROWS + 2) / 3);
    assert_int_equal(peer_int(db, "SELECT count(*) FROM lifetimes"), (ROWS + 2) / 3);
    peer_close(db);
}

static void describe_fills_in(void **state) {
    (void)state;
    store *s = open_fresh("describe.db");
    atomic_store(&test_clock_ms, START_MS);
    assert_int_equal(insert_one(s, 1, "x", HOUR_MS), STORE_OK);
    store_op op = {.kind = STORE_DESCRIBE};
    make_id(op.artifact.id, 1);
    op.artifact.kind = strdup("code");
    op.artifact.updated_at_ms = START_MS;
    assert_int_equal(do_op(s, &op), STORE_OK);
    op.artifact.title = strdup("T");
    op.artifact.codec = strdup("plain");
    memcpy(op.artifact.asset_set, "fedcba9876543210", 17);
    op.artifact.updated_at_ms = START_MS - 1; /* was updated since */
    assert_int_equal(do_op(s, &op), STORE_NOT_FOUND);
    store_op read = read_one(s, 1, false);
    assert_string_equal(read.artifact.kind, "code");
    assert_null(read.artifact.title);
    store_op_clear(&read);
    op.artifact.updated_at_ms = 0;
    free(op.artifact.kind);
    op.artifact.kind = NULL; /* not given: kept */
    assert_int_equal(do_op(s, &op), STORE_OK);
    read = read_one(s, 1, false);
    assert_string_equal(read.artifact.kind, "code");
    assert_string_equal(read.artifact.title, "T");
    assert_string_equal(read.artifact.codec, "plain");
    assert_string_equal(read.artifact.asset_set, "fedcba9876543210");
    assert_int_equal(read.artifact.updated_at_ms, START_MS);
    store_op_clear(&read);
    make_id(op.artifact.id, 2);
    assert_int_equal(do_op(s, &op), STORE_NOT_FOUND);
    store_op_clear(&op);
    store_close(s);
}

static void note_set(void *opaque, const char *set, uint64_t rows) {
    char *text = opaque;
    size_t len = strlen(text);
    snprintf(text + len, 200 - len, "%s=%d ", set, (int)rows);
}

static void asset_sets_counted(void **state) {
    (void)state;
    store *s = open_fresh("sets.db");
    atomic_store(&test_clock_ms, START_MS);
    static const char *const sets[] = {"bbbbbbbbbbbbbbbb", "aaaaaaaaaaaaaaaa", "",
                                       "bbbbbbbbbbbbbbbb", "cccccccccccccccc"};
    for (uint64_t i = 0; i < 5; i++) {
        store_op op = make_insert(i, "x", i == 4 ? 1000 : HOUR_MS);
        memcpy(op.artifact.asset_set, sets[i], strlen(sets[i]) + 1);
        assert_int_equal(do_op(s, &op), STORE_OK);
        store_op_clear(&op);
    }
    atomic_store(&test_clock_ms, START_MS + 1000); /* c's row has expired: it orphans nothing */
    char text[200] = "";
    assert_int_equal(store_asset_sets(s, note_set, text), STORE_OK);
    assert_string_equal(text, "aaaaaaaaaaaaaaaa=1 bbbbbbbbbbbbbbbb=2 ");
    store_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(round_trip, at_real_time),
        cmocka_unit_test_setup(largest_payload, at_real_time),
        cmocka_unit_test_setup(same_id_twice, at_real_time),
        cmocka_unit_test_setup(expiry_boundary, at_real_time),
        cmocka_unit_test_setup(touches, at_real_time),
        cmocka_unit_test_setup(touch_keeps_alive, at_real_time),
        cmocka_unit_test_setup(read_removes_expired, at_real_time),
        cmocka_unit_test_setup(sweep_counts, at_real_time),
        cmocka_unit_test_setup(describe_fills_in, at_real_time),
        cmocka_unit_test_setup(asset_sets_counted, at_real_time),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
