/*
 * What updates, deletions and counted views promise: what they change and what they leave, who may
 * meet whom in one transaction, clocks that stand still, jump back or stand in the year 9999.
 */
#include "stores.h"

/* A row with everything in it. */
static store_op make_full(uint64_t number) {
    store_op op = make_insert(number, "first", HOUR_MS);
    op.artifact.codec = strdup("arx4");
    op.artifact.kind = strdup("code");
    op.artifact.title = strdup("Old");
    memcpy(op.artifact.asset_set, "0123456789abcdef", 17);
    op.artifact.has_edit_key = op.artifact.has_maker = true;
    make_hash(op.artifact.edit_key_hash, 100 + number);
    make_hash(op.artifact.maker, 200 + number);
    return op;
}

static void assert_same_string(const char *a, const char *b) {
    if (a == NULL || b == NULL) {
        assert_true(a == b);
    } else {
        assert_string_equal(a, b);
    }
}

static void assert_same_row(const store_artifact *a, const store_artifact *b) {
    assert_memory_equal(a->id, b->id, STORE_ID_BYTES);
    assert_int_equal(a->payload_len, b->payload_len);
    assert_memory_equal(a->payload, b->payload, a->payload_len + 1);
    assert_same_string(a->codec, b->codec);
    assert_same_string(a->kind, b->kind);
    assert_same_string(a->title, b->title);
    assert_string_equal(a->asset_set, b->asset_set);
    assert_int_equal(a->created_at_ms, b->created_at_ms);
    assert_int_equal(a->updated_at_ms, b->updated_at_ms);
    assert_int_equal(a->last_viewed_at_ms, b->last_viewed_at_ms);
    assert_int_equal(a->expires_at_ms, b->expires_at_ms);
    assert_int_equal(a->ttl_ms, b->ttl_ms);
    assert_int_equal(a->sliding, b->sliding);
    assert_int_equal(a->views, b->views);
    assert_int_equal(a->max_views, b->max_views);
    assert_int_equal(a->views_left, b->views_left);
    assert_int_equal(a->has_edit_key, b->has_edit_key);
    assert_int_equal(a->has_maker, b->has_maker);
    assert_memory_equal(a->edit_key_hash, b->edit_key_hash, STORE_HASH_BYTES);
    assert_memory_equal(a->maker, b->maker, STORE_HASH_BYTES);
}

static void update_replaces(void **state) {
    (void)state;
    store *s = open_fresh("update.db");
    store_op made = make_full(1);
    assert_int_equal(do_op(s, &made), STORE_OK);
    assert_int_equal(insert_one(s, 2, "other", HOUR_MS), STORE_OK);
    clock_at(1000);
    store_op read = read_one(s, 1, true);
    assert_true(read.artifact.has_edit_key);
    assert_memory_equal(read.artifact.edit_key_hash, made.artifact.edit_key_hash, STORE_HASH_BYTES);
    assert_memory_equal(read.artifact.maker, made.artifact.maker, STORE_HASH_BYTES);
    store_op_clear(&read);

    clock_at(5000);
    store_op op = make_update(1, "second, longer");
    op.artifact.kind = strdup("markdown"); /* codec, title and set: not known of the new payload */
    op.keep_ttl = op.keep_sliding = false;
    op.artifact.ttl_ms = 2 * HOUR_MS;
    assert_int_equal(do_op(s, &op), STORE_OK);
    for (int reopened = 0; reopened < 2; reopened++) {
        read = read_one(s, 1, false);
        assert_int_equal(read.result, STORE_OK);
        assert_same_row(&op.artifact, &read.artifact); /* what is answered is what is stored */
        store_op_clear(&read);
        store_close(s);
        s = open_at(scratch("update.db"));
    }
    assert_string_equal(op.artifact.payload, "second, longer");
    assert_string_equal(op.artifact.kind, "markdown");
    assert_null(op.artifact.codec);
    assert_null(op.artifact.title);
    assert_string_equal(op.artifact.asset_set, "");
    assert_int_equal(op.artifact.created_at_ms, START_MS);
    assert_int_equal(op.artifact.last_viewed_at_ms, START_MS + 1000);
    assert_int_equal(op.artifact.views, 1);
    assert_int_equal(op.artifact.updated_at_ms, START_MS + 5000);
    assert_int_equal(op.artifact.expires_at_ms, START_MS + 5000 + 2 * HOUR_MS);
    assert_false(op.artifact.sliding);
    assert_memory_equal(op.artifact.edit_key_hash, made.artifact.edit_key_hash, STORE_HASH_BYTES);
    store_op_clear(&op);

    clock_at(6000); /* a row that does not slide keeps that, too; the end follows the update */
    assert_int_equal(update_one(s, 1, "third"), STORE_OK);
    read = read_one(s, 1, true);
    assert_false(read.artifact.sliding);
    assert_int_equal(read.artifact.ttl_ms, 2 * HOUR_MS);
    assert_int_equal(read.artifact.expires_at_ms, START_MS + 6000 + 2 * HOUR_MS);
    store_op_clear(&read);
    read = read_one(s, 2, false);
    assert_string_equal(read.artifact.payload, "other");
    assert_int_equal(read.artifact.updated_at_ms, START_MS);
    store_op_clear(&read);
    store_op_clear(&made);
    store_close(s);
}

static void update_of_nothing(void **state) {
    (void)state;
    store *s = open_fresh("nothing.db");
    assert_int_equal(update_one(s, 1, "x"), STORE_NOT_FOUND);
    assert_int_equal(insert_one(s, 2, "x", 1000), STORE_OK);
    clock_at(1000);
    assert_int_equal(update_one(s, 2, "y"), STORE_NOT_FOUND); /* expires_at == now */
    assert_int_equal(view_one(s, 2), STORE_NOT_FOUND);
    clock_at(999);
    assert_int_equal(update_one(s, 2, "y"), STORE_OK);
    assert_int_equal(atomic_load(&report_count), 0);
    store_close(s);
}

static void delete_removes(void **state) {
    (void)state;
    store *s = open_fresh("delete.db");
    assert_int_equal(insert_one(s, 1, "x", HOUR_MS), STORE_OK);
    assert_int_equal(insert_one(s, 2, "x", 1000), STORE_OK);
    assert_int_equal(insert_one(s, 3, "x", HOUR_MS), STORE_OK);
    assert_int_equal(delete_one(s, 1), STORE_OK);
    assert_int_equal(read_result(s, 1), STORE_NOT_FOUND);
    assert_int_equal(delete_one(s, 1), STORE_NOT_FOUND);
    clock_at(5000);
    store_op read = make_op(STORE_READ, 2); /* an expired row's owner still can be told */
    read.expired_too = true;
    assert_int_equal(do_op(s, &read), STORE_OK);
    assert_int_equal(read.artifact.expires_at_ms, START_MS + 1000);
    store_op_clear(&read);
    assert_int_equal(delete_one(s, 2), STORE_OK);
    assert_int_equal(delete_one(s, 2), STORE_NOT_FOUND);
    store_close(s);
    peer *db = peer_open(scratch("delete.db"));
    assert_int_equal(peer_int(db, "SELECT count(*) FROM artifacts"), 1);
    assert_int_equal(peer_int(db, "SELECT count(*) FROM lifetimes"), 1);
    assert_int_equal(peer_int(db, "SELECT count(*) FROM gone"), 0); /* nobody asked for it */
    peer_close(db);
}

/* A guarded write meets only the row that was seen. */
static void guards(void **state) {
    (void)state;
    store *s = open_fresh("guard.db");
    store_op made = make_full(1);
    assert_int_equal(do_op(s, &made), STORE_OK);
    assert_int_equal(insert_one(s, 2, "nobody's", HOUR_MS), STORE_OK);
    enum { RIGHT, NO_KEY, OTHER_KEY, NO_MAKER, OTHER_MAKER, CASES };
    for (int i = CASES - 1; i >= 0; i--) { /* the right one last */
        for (int deletes = 0; deletes < 2; deletes++) {
            store_op op = deletes ? make_op(STORE_DELETE, 1) : make_update(1, "guarded");
            op.guarded = true;
            op.artifact.has_edit_key = i != NO_KEY;
            op.artifact.has_maker = i != NO_MAKER;
            make_hash(op.artifact.edit_key_hash, i == OTHER_KEY ? 7 : 101);
            make_hash(op.artifact.maker, i == OTHER_MAKER ? 7 : 201);
            assert_int_equal(do_op(s, &op), i == RIGHT ? STORE_OK : STORE_NOT_FOUND);
            store_op_clear(&op);
            if (i != RIGHT) {
                store_op read = read_one(s, 1, false);
                assert_string_equal(read.artifact.payload, "first");
                store_op_clear(&read);
            }
        }
    }
    store_op bare = make_update(2, "still nobody's"); /* none is a match for none */
    bare.guarded = true;
    assert_int_equal(do_op(s, &bare), STORE_OK);
    assert_false(bare.artifact.has_edit_key);
    store_op_clear(&bare);
    store_op_clear(&made);
    store_close(s);
}

/* ---- counted views ---- */

static store_op make_limited(uint64_t number, int64_t max_views, int64_t ttl_ms) {
    store_op op = make_insert(number, "limited", ttl_ms);
    op.artifact.max_views = max_views;
    return op;
}

static void insert_limited(store *s, uint64_t number, int64_t max_views) {
    store_op op = make_limited(number, max_views, HOUR_MS);
    assert_int_equal(do_op(s, &op), STORE_OK);
    assert_int_equal(op.artifact.views_left, max_views);
    store_op_clear(&op);
}

static void views_run_out(void **state) {
    (void)state;
    store *s = open_fresh("views.db");
    insert_limited(s, 1, 3);
    for (int i = 0; i < 10; i++) { /* reading never counts, whoever asks */
        store_op read = read_one(s, 1, i % 2 == 0);
        assert_int_equal(read.result, STORE_OK);
        assert_int_equal(read.artifact.max_views, 3);
        assert_int_equal(read.artifact.views_left, 3);
        assert_int_equal(read.artifact.views, 0);
        assert_int_equal(read.artifact.expires_at_ms, START_MS + HOUR_MS);
        store_op_clear(&read);
    }
    for (int i = 1; i <= 3; i++) {
        clock_at(i * 1000);
        store_op op = make_op(STORE_VIEW, 1);
        assert_int_equal(do_op(s, &op), STORE_OK);
        assert_string_equal(op.artifact.payload, "limited");
        assert_int_equal(op.artifact.views, i);
        assert_int_equal(op.artifact.max_views, 3);
        assert_int_equal(op.artifact.views_left, 3 - i);
        assert_int_equal(op.artifact.last_viewed_at_ms, START_MS + i * 1000);
        assert_int_equal(op.artifact.expires_at_ms, START_MS + HOUR_MS + i * 1000);
        store_op_clear(&op);
        store_op read = read_one(s, 1, true);
        assert_int_equal(read.result, i < 3 ? STORE_OK : STORE_NOT_FOUND);
        if (i < 3) {
            assert_int_equal(read.artifact.views_left, 3 - i);
            assert_int_equal(read.artifact.expires_at_ms, START_MS + HOUR_MS + i * 1000);
        }
        store_op_clear(&read);
    }
    store_op op = make_op(STORE_VIEW, 1);
    assert_int_equal(do_op(s, &op), STORE_NOT_FOUND);
    assert_null(op.artifact.payload);
    store_op_clear(&op);
    assert_int_equal(update_one(s, 1, "x"), STORE_NOT_FOUND);
    clock_at(0); /* no clock brings it back */
    assert_int_equal(read_result(s, 1), STORE_NOT_FOUND);
    store_close(s);
    peer *db = peer_open(scratch("views.db"));
    assert_int_equal(peer_int(db, "SELECT count(*) FROM artifacts"), 0);
    assert_int_equal(peer_int(db, "SELECT count(*) FROM lifetimes"), 0);
    peer_close(db);
}

/* A limit put on, changed or kept by an update counts from there on. */
static void views_and_updates(void **state) {
    (void)state;
    store *s = open_fresh("limits.db");
    insert_limited(s, 1, 3);
    assert_int_equal(view_one(s, 1), STORE_OK);
    assert_int_equal(view_one(s, 1), STORE_OK);
    assert_int_equal(update_one(s, 1, "kept"), STORE_OK);
    store_op read = read_one(s, 1, false);
    assert_int_equal(read.artifact.views_left, 1);
    store_op_clear(&read);

    store_op op = make_update(1, "one more");
    op.keep_max_views = false;
    op.artifact.max_views = 2;
    assert_int_equal(do_op(s, &op), STORE_OK);
    assert_int_equal(op.artifact.views, 2);
    assert_int_equal(op.artifact.views_left, 2);
    store_op_clear(&op);
    assert_int_equal(view_one(s, 1), STORE_OK);
    assert_int_equal(view_one(s, 1), STORE_OK);
    assert_int_equal(view_one(s, 1), STORE_NOT_FOUND);

    /* Views that were read before the limit was put on do not use it up. */
    assert_int_equal(insert_one(s, 2, "free", HOUR_MS), STORE_OK);
    clock_at(100);
    for (int i = 0; i < 5; i++) {
        read = read_one(s, 2, true);
        store_op_clear(&read);
    }
    op = make_update(2, "limited now");
    op.keep_max_views = false;
    op.artifact.max_views = 1;
    assert_int_equal(do_op(s, &op), STORE_OK);
    store_op_clear(&op);
    atomic_store(&test_clock_ms, START_MS + 200);
    sleep_ms(1100); /* the touches get written */
    op = make_op(STORE_VIEW, 2);
    assert_int_equal(do_op(s, &op), STORE_OK);
    assert_int_equal(op.artifact.views, 6);
    store_op_clear(&op);
    assert_int_equal(view_one(s, 2), STORE_NOT_FOUND);

    /* And a limit that is taken off is off. */
    insert_limited(s, 3, 1);
    op = make_update(3, "free again");
    op.keep_max_views = false;
    assert_int_equal(do_op(s, &op), STORE_OK);
    assert_int_equal(op.artifact.max_views, 0);
    store_op_clear(&op);
    for (int i = 1; i < 4; i++) { /* counted all the same, for good */
        op = make_op(STORE_VIEW, 3);
        assert_int_equal(do_op(s, &op), STORE_OK);
        assert_int_equal(op.artifact.views, i);
        assert_int_equal(op.artifact.views_left, 0);
        store_op_clear(&op);
    }
    store_close(s);
}

typedef struct viewer {
    store *s;
    int seen;
    int refused;
    int other;
} viewer;

static void *view_many(void *opaque) {
    viewer *v = opaque;
    for (int i = 0; i < 100; i++) {
        switch (view_one(v->s, 1)) {
        case STORE_OK:
            v->seen++;
            break;
        case STORE_NOT_FOUND:
            v->refused++;
            break;
        default:
            v->other++;
        }
    }
    return NULL;
}

/* Exactly as many as were allowed, however many ask at once. */
static void views_are_exact(void **state) {
    (void)state;
    enum { VIEWERS = 6, ALLOWED = 250 };
    store *s = open_fresh("exact.db");
    insert_limited(s, 1, ALLOWED);
    pthread_t threads[VIEWERS];
    viewer viewers[VIEWERS];
    int seen = 0;
    for (int i = 0; i < VIEWERS; i++) {
        viewers[i] = (viewer){.s = s};
        assert_int_equal(pthread_create(&threads[i], NULL, view_many, &viewers[i]), 0);
    }
    for (int i = 0; i < VIEWERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(viewers[i].other, 0);
        seen += viewers[i].seen;
    }
    assert_int_equal(seen, ALLOWED);
    store_close(s);
}

/* ---- clocks ---- */

/* Two updates and an end in one millisecond: both hold, in order, and are told apart. */
static void one_millisecond(void **state) {
    (void)state;
    const char *path = scratch("same.db");
    store *s = open_fresh("same.db");
    assert_int_equal(insert_one(s, 1, "zero", 1000), STORE_OK);
    assert_int_equal(insert_one(s, 2, "ends", 1000), STORE_OK);
    clock_at(999);
    assert_int_equal(update_one(s, 1, "one"), STORE_OK);
    store_op two = make_update(1, "two");
    assert_int_equal(do_op(s, &two), STORE_OK);
    assert_int_equal(two.artifact.updated_at_ms, START_MS + 1000);
    assert_int_equal(two.artifact.expires_at_ms, START_MS + 1999);
    store_op_clear(&two);
    store_op describe = make_op(STORE_DESCRIBE, 1); /* of "one", which is no more */
    describe.artifact.updated_at_ms = START_MS + 999;
    describe.artifact.title = strdup("One");
    assert_int_equal(do_op(s, &describe), STORE_NOT_FOUND);
    store_op_clear(&describe);

    /* All of it in one transaction, at the very millisecond in which the other row ends. */
    clock_at(1000);
    peer *db = peer_open(path);
    peer_lock(db);
    gate g = GATE_INIT;
    store_op ops[6] = {make_insert(9, "first in line", HOUR_MS),
                       make_update(1, "three"),
                       make_update(2, "too late"),
                       make_update(1, "four"),
                       make_op(STORE_VIEW, 2),
                       make_op(STORE_DELETE, 2)};
    for (int i = 0; i < 6; i++) {
        start_op(s, &ops[i], &g);
    }
    peer_unlock(db);
    gate_wait(&g, 6);
    static const store_result right[6] = {STORE_OK, STORE_OK,        STORE_NOT_FOUND,
                                          STORE_OK, STORE_NOT_FOUND, STORE_OK};
    for (int i = 0; i < 6; i++) {
        assert_int_equal(ops[i].result, right[i]);
    }
    assert_int_equal(ops[1].artifact.updated_at_ms, START_MS + 1001);
    assert_int_equal(ops[3].artifact.updated_at_ms, START_MS + 1002);
    for (int i = 0; i < 6; i++) {
        store_op_clear(&ops[i]);
    }
    store_op read = read_one(s, 1, false);
    assert_string_equal(read.artifact.payload, "four");
    assert_int_equal(read.artifact.expires_at_ms, START_MS + 2000);
    store_op_clear(&read);
    peer_close(db);
    store_close(s);
}

static void clock_jumps_back(void **state) {
    (void)state;
    store *s = open_fresh("back.db");
    clock_at(10 * HOUR_MS);
    assert_int_equal(insert_one(s, 1, "x", HOUR_MS), STORE_OK);
    store_op read = read_one(s, 1, true);
    store_op_clear(&read);
    clock_at(0);
    read = read_one(s, 1, true); /* a read in the past moves nothing back */
    assert_int_equal(read.artifact.last_viewed_at_ms, START_MS + 10 * HOUR_MS);
    assert_int_equal(read.artifact.expires_at_ms, START_MS + 11 * HOUR_MS);
    store_op_clear(&read);
    store_op op = make_update(1, "y"); /* an update says when it ends: by the clock there is */
    assert_int_equal(do_op(s, &op), STORE_OK);
    assert_int_equal(op.artifact.updated_at_ms, START_MS + 10 * HOUR_MS + 1);
    assert_int_equal(op.artifact.expires_at_ms, START_MS + HOUR_MS);
    store_op_clear(&op);
    insert_limited(s, 2, 2);
    clock_at(-5 * HOUR_MS);
    op = make_op(STORE_VIEW, 2);
    assert_int_equal(do_op(s, &op), STORE_OK);
    assert_int_equal(op.artifact.last_viewed_at_ms, START_MS);
    assert_int_equal(op.artifact.expires_at_ms, START_MS + HOUR_MS);
    store_op_clear(&op);
    assert_int_equal(sweep(s), 0);
    store_close(s);
}

static void far_future(void **state) {
    (void)state;
    const int64_t end_ms = INT64_C(253402300799999); /* of the year 9999 */
    const int64_t decade_ms = INT64_C(87600) * HOUR_MS;
    store *s = open_fresh("9999.db");
    atomic_store(&test_clock_ms, end_ms);
    assert_int_equal(insert_one(s, 1, "x", decade_ms), STORE_OK);
    assert_int_equal(insert_one(s, 2, "x", 1), STORE_OK);
    store_op read = read_one(s, 1, true);
    assert_int_equal(read.artifact.expires_at_ms, end_ms + decade_ms);
    store_op_clear(&read);
    atomic_store(&test_clock_ms, end_ms + 1);
    assert_int_equal(update_one(s, 1, "y"), STORE_OK);
    assert_int_equal(sweep(s), 1);
    read = read_one(s, 1, false);
    assert_int_equal(read.artifact.updated_at_ms, end_ms + 1);
    assert_int_equal(read.artifact.expires_at_ms, end_ms + 1 + decade_ms);
    store_op_clear(&read);
    store_op op = make_update(1, "z");
    op.keep_ttl = false;
    op.artifact.ttl_ms = INT64_MAX;
    assert_int_equal(do_op(s, &op), STORE_OK);
    assert_true(op.artifact.expires_at_ms > end_ms);
    store_op_clear(&op);
    op = make_update(1, "z");
    op.keep_ttl = false;
    op.artifact.ttl_ms = -1;
    assert_int_equal(do_op(s, &op), STORE_OK);
    store_op_clear(&op);
    assert_int_equal(read_result(s, 1), STORE_NOT_FOUND);
    store_close(s);
}

/* ---- touches that wait meet other writes ---- */

/* Refreshes, an update, a deletion and a view of the same rows, all in one transaction. */
static void touches_in_the_batch(void **state) {
    (void)state;
    const char *path = scratch("batch.db");
    store *s = open_fresh("batch.db");
    for (uint64_t i = 1; i <= 3; i++) {
        assert_int_equal(insert_one(s, i, "x", 10000), STORE_OK);
    }
    peer *db = peer_open(path);
    peer_lock(db);
    gate g = GATE_INIT;
    store_op first = make_insert(9, "first in line", HOUR_MS);
    start_op(s, &first, &g);
    clock_at(9000);
    for (uint64_t i = 1; i <= 3; i++) {
        for (int again = 0; again < 4; again++) {
            store_op read = read_one(s, i, true);
            assert_int_equal(read.artifact.views, again + 1);
            store_op_clear(&read);
        }
    }
    sleep_ms(600);   /* now the touches are due */
    clock_at(15000); /* and only they keep the rows alive */
    store_op ops[3] = {make_update(1, "updated"), make_op(STORE_DELETE, 2), make_op(STORE_VIEW, 3)};
    ops[0].keep_ttl = false;
    ops[0].artifact.ttl_ms = 1000; /* shorter than what the touch asks for */
    for (int i = 0; i < 3; i++) {
        start_op(s, &ops[i], &g);
    }
    peer_unlock(db);
    gate_wait(&g, 4);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ops[i].result, STORE_OK);
    }
    assert_int_equal(ops[0].artifact.last_viewed_at_ms, START_MS + 9000);
    assert_int_equal(ops[0].artifact.expires_at_ms, START_MS + 16000);
    assert_int_equal(ops[2].artifact.views, 5);
    assert_int_equal(ops[2].artifact.expires_at_ms, START_MS + 25000);
    for (int i = 0; i < 3; i++) {
        store_op_clear(&ops[i]);
    }
    store_op_clear(&first);
    sleep_ms(1100);
    store_op read = read_one(s, 1, false);
    assert_string_equal(read.artifact.payload, "updated");
    assert_int_equal(read.artifact.views, 4); /* each once */
    assert_int_equal(read.artifact.expires_at_ms, START_MS + 16000);
    store_op_clear(&read);
    assert_int_equal(read_result(s, 2), STORE_NOT_FOUND); /* a touch raises no dead */
    assert_int_equal(peer_int(db, "SELECT count(*) FROM lifetimes"), 3);
    assert_int_equal(peer_int(db, "SELECT count(*) FROM artifacts"), 3);
    peer_close(db);
    store_close(s);
}

/* What only a waiting touch keeps alive is updated, viewed and spared by a sweep all the same. */
static void touched_is_alive(void **state) {
    (void)state;
    const char *path = scratch("spared.db");
    store *s = open_fresh("spared.db");
    for (uint64_t i = 1; i <= 4; i++) {
        assert_int_equal(insert_one(s, i, "x", 1000), STORE_OK);
    }
    clock_at(999);
    for (uint64_t i = 1; i <= 3; i++) {
        store_op read = read_one(s, i, true);
        assert_int_equal(read.result, STORE_OK);
        store_op_clear(&read);
    }
    clock_at(1500);
    assert_int_equal(sweep(s), 1); /* the fourth */
    assert_int_equal(update_one(s, 1, "y"), STORE_OK);
    assert_int_equal(view_one(s, 2), STORE_OK);
    store_op describe = make_op(STORE_DESCRIBE, 3);
    describe.artifact.title = strdup("T");
    assert_int_equal(do_op(s, &describe), STORE_OK);
    store_op_clear(&describe);
    for (uint64_t i = 1; i <= 4; i++) {
        assert_int_equal(read_result(s, i), i < 4 ? STORE_OK : STORE_NOT_FOUND);
    }
    store_close(s);
    peer *db = peer_open(path);
    assert_int_equal(peer_int(db, "SELECT count(*) FROM lifetimes"), 3);
    peer_close(db);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(update_replaces, at_start),
        cmocka_unit_test_setup(update_of_nothing, at_start),
        cmocka_unit_test_setup(delete_removes, at_start),
        cmocka_unit_test_setup(guards, at_start),
        cmocka_unit_test_setup(views_run_out, at_start),
        cmocka_unit_test_setup(views_and_updates, at_start),
        cmocka_unit_test_setup(views_are_exact, at_start),
        cmocka_unit_test_setup(one_millisecond, at_start),
        cmocka_unit_test_setup(clock_jumps_back, at_start),
        cmocka_unit_test_setup(far_future, at_start),
        cmocka_unit_test_setup(touches_in_the_batch, at_start),
        cmocka_unit_test_setup(touched_is_alive, at_start),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
