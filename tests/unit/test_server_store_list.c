/*
 * What a maker sees and does without the payload: pages of their links, labels, updates that leave
 * the payload alone or insist on the version that was read. And that all of it is there for links
 * of a database made before there was a list.
 */
#include "stores.h"

static void insert_of(store *s, uint64_t number, uint64_t maker, int64_t ttl_ms) {
    store_op op = make_insert(number, "payload", ttl_ms);
    op.artifact.has_maker = true;
    make_hash(op.artifact.maker, maker);
    op.artifact.kind = strdup("markdown");
    if (number % 2 == 0) {
        op.artifact.title = strdup("even");
        op.artifact.label = strdup("label of an even one");
    }
    assert_int_equal(do_op(s, &op), STORE_OK);
    store_op_clear(&op);
}

static store_op first_page(uint64_t maker, store_state which, unsigned limit) {
    store_op op = {.kind = STORE_LIST, .state = which, .limit = limit};
    make_hash(op.artifact.maker, maker);
    return op;
}

/* Walks all pages; the numbers of the rows in the order they came. */
static size_t walk(store *s, uint64_t maker, store_state which, unsigned limit, uint64_t *numbers) {
    size_t count = 0;
    store_op op = first_page(maker, which, limit);
    do {
        assert_int_equal(do_op(s, &op), STORE_OK);
        assert_true(op.count <= limit);
        for (uint64_t i = 0; i < op.count; i++) {
            memcpy(&numbers[count++], op.artifacts[i].id, 8);
        }
        store_op_clear_lists(&op); /* the place to go on from stays */
    } while (op.more);
    store_op_clear(&op);
    return count;
}

static void pages(void **state) {
    (void)state;
    store *s = open_fresh("pages.db");
    uint64_t numbers[64];
    assert_int_equal(walk(s, 1, STORE_ANY, 10, numbers), 0);
    /* Several of the same time: their ids keep an order among them. */
    for (uint64_t i = 0; i < 30; i++) {
        atomic_store(&test_clock_ms, START_MS + (int64_t)(i / 4));
        insert_of(s, i, i % 3 == 0 ? 2 : 1, i % 5 == 0 ? 60000 : HOUR_MS);
    }
    assert_int_equal(insert_one(s, 100, "nobody's", HOUR_MS), STORE_OK);
    for (unsigned limit = 1; limit <= 25; limit += 3) {
        assert_int_equal(walk(s, 1, STORE_ANY, limit, numbers), 20);
        for (size_t i = 0; i < 20; i++) {
            assert_true(numbers[i] % 3 != 0);
            assert_true(i == 0 || numbers[i] / 4 <= numbers[i - 1] / 4);
            for (size_t k = 0; k < i; k++) {
                assert_true(numbers[k] != numbers[i]);
            }
        }
        assert_int_equal(walk(s, 2, STORE_LIVE, limit, numbers), 10);
        assert_int_equal(walk(s, 2, STORE_EXPIRED, limit, numbers), 0);
    }
    atomic_store(&test_clock_ms, START_MS + 120000);
    assert_int_equal(walk(s, 1, STORE_LIVE, 4, numbers), 16);
    assert_int_equal(walk(s, 1, STORE_EXPIRED, 4, numbers), 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(numbers[i] % 5, 0);
    }
    assert_int_equal(walk(s, 1, STORE_ANY, 4, numbers), 20);
    store_close(s);
}

static void what_a_page_tells(void **state) {
    (void)state;
    store *s = open_fresh("tells.db");
    insert_of(s, 1, 1, HOUR_MS);
    insert_of(s, 2, 1, HOUR_MS);
    atomic_store(&test_clock_ms, START_MS + 1000);
    store_op read = read_one(s, 1, true); /* a touch that waits counts in lists, too */
    store_op_clear(&read);
    store_op op = first_page(1, STORE_LIVE, 2);
    assert_int_equal(do_op(s, &op), STORE_OK);
    assert_int_equal(op.count, 2);
    assert_false(op.more);
    for (uint64_t i = 0; i < 2; i++) {
        const store_artifact *a = &op.artifacts[i];
        uint64_t number;
        memcpy(&number, a->id, 8);
        assert_null(a->payload);
        assert_string_equal(a->kind, "markdown");
        assert_int_equal(a->created_at_ms, START_MS);
        assert_int_equal(a->views, number == 1 ? 1 : 0);
        assert_int_equal(a->expires_at_ms, START_MS + HOUR_MS + (number == 1 ? 1000 : 0));
        assert_int_equal(a->title != NULL, number == 2);
        assert_int_equal(a->label != NULL, number == 2);
    }
    store_op_clear(&op);
    store_close(s);
}

/* A page costs a bounded walk: with many rows that are not wanted, it says that there is more. */
static void walks_are_bounded(void **state) {
    (void)state;
    const char *path = scratch("walk.db");
    store *s = open_fresh("walk.db");
    insert_of(s, 1, 1, HOUR_MS);
    store_close(s);
    peer *db = peer_open(path);
    peer_fill_expired(db, STORE_LIST_LOOK + 10, 1700000000001, "(SELECT maker FROM artifacts)");
    peer_close(db);
    s = open_at(path);
    uint64_t numbers[8];
    store_op op = first_page(1, STORE_LIVE, 5);
    assert_int_equal(do_op(s, &op), STORE_OK);
    assert_int_equal(op.count, 0);
    assert_true(op.more);
    store_op_clear(&op);
    assert_int_equal(walk(s, 1, STORE_LIVE, 5, numbers), 1);
    assert_int_equal(numbers[0], 1);
    store_close(s);
}

static void labels(void **state) {
    (void)state;
    store *s = open_fresh("labels.db");
    insert_of(s, 2, 1, HOUR_MS);
    assert_int_equal(update_one(s, 2, "replaced"), STORE_OK);
    store_op read = read_one(s, 2, false);
    assert_string_equal(read.artifact.label, "label of an even one");
    assert_string_equal(read.artifact.payload, "replaced");
    store_op_clear(&read);
    static const char *const given[] = {"another", NULL};
    for (size_t i = 0; i < 2; i++) {
        store_op op = make_update(2, "again");
        op.relabel = true;
        op.artifact.label = given[i] == NULL ? NULL : strdup(given[i]);
        assert_int_equal(do_op(s, &op), STORE_OK);
        store_op_clear(&op);
        read = read_one(s, 2, false);
        if (given[i] == NULL) {
            assert_null(read.artifact.label);
        } else {
            assert_string_equal(read.artifact.label, given[i]);
        }
        store_op_clear(&read);
    }
    store_close(s);
}

/* Label and lifetime change, what the link shows does not. */
static void payload_stays(void **state) {
    (void)state;
    store *s = open_fresh("stays.db");
    store_op made = make_insert(1, "kept", HOUR_MS);
    made.artifact.codec = strdup("lz");
    made.artifact.kind = strdup("csv");
    made.artifact.title = strdup("Title");
    memcpy(made.artifact.asset_set, "0123456789abcdef", 17);
    assert_int_equal(do_op(s, &made), STORE_OK);
    store_op_clear(&made);
    for (int longer = 0; longer < 2; longer++) {
        atomic_store(&test_clock_ms, START_MS + 1000 * (longer + 1));
        store_op op = make_op(STORE_UPDATE, 1);
        op.keep_payload = op.keep_sliding = op.keep_max_views = op.relabel = true;
        op.keep_ttl = longer == 0;
        op.artifact.ttl_ms = 2 * HOUR_MS;
        op.artifact.label = strdup("mine");
        assert_int_equal(do_op(s, &op), STORE_OK);
        for (int stored = 0; stored < 2; stored++) {
            const store_artifact *a = &op.artifact;
            assert_string_equal(a->payload, "kept");
            assert_int_equal(a->payload_len, 4);
            assert_string_equal(a->codec, "lz");
            assert_string_equal(a->kind, "csv");
            assert_string_equal(a->title, "Title");
            assert_string_equal(a->asset_set, "0123456789abcdef");
            assert_string_equal(a->label, "mine");
            assert_int_equal(a->updated_at_ms, test_now_ms());
            assert_int_equal(a->expires_at_ms,
                             longer == 0 ? START_MS + HOUR_MS : test_now_ms() + 2 * HOUR_MS);
            store_op_clear(&op);
            op = read_one(s, 1, false);
        }
        store_op_clear(&op);
    }
    store_close(s);
}

static void version_that_was_read(void **state) {
    (void)state;
    store *s = open_fresh("unchanged.db");
    assert_int_equal(insert_one(s, 1, "first", HOUR_MS), STORE_OK);
    store_op read = read_one(s, 1, false);
    int64_t seen_ms = read.artifact.updated_at_ms;
    store_op_clear(&read);
    store_op op = make_update(1, "second");
    op.unchanged = true;
    op.artifact.updated_at_ms = seen_ms;
    assert_int_equal(do_op(s, &op), STORE_OK);
    store_op_clear(&op);
    static const store_kind kinds[] = {STORE_UPDATE, STORE_DELETE};
    for (size_t i = 0; i < 2; i++) {
        op = make_update(1, "third");
        op.kind = kinds[i];
        op.unchanged = true;
        op.artifact.updated_at_ms = seen_ms;
        assert_int_equal(do_op(s, &op), STORE_CONFLICT);
        store_op_clear(&op);
    }
    read = read_one(s, 1, false);
    assert_string_equal(read.artifact.payload, "second");
    op = make_op(STORE_DELETE, 1);
    op.unchanged = true;
    op.artifact.updated_at_ms = read.artifact.updated_at_ms;
    store_op_clear(&read);
    assert_int_equal(do_op(s, &op), STORE_OK);
    store_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(pages, at_start),
        cmocka_unit_test_setup(what_a_page_tells, at_start),
        cmocka_unit_test_setup(walks_are_bounded, at_start),
        cmocka_unit_test_setup(labels, at_start),
        cmocka_unit_test_setup(payload_stays, at_start),
        cmocka_unit_test_setup(version_that_was_read, at_start),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
