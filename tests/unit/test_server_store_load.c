/*
 * Many threads at once: 20,000 inserts from eight, all durable and readable afterwards; readers
 * beside a writer; the log stays short; touches coalesce and are bounded. Prints rates.
 */
#include "stores.h"

#include "store_touch.h"

enum { WRITERS = 8, EACH = 2500, WINDOW = 32 };

static const char PAYLOAD[] =
    "aQd5cW1ub3BxcnN0dXZ3eHl6MDEyMzQ1Njc4OUFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFla"
    "aQd5cW1ub3BxcnN0dXZ3eHl6MDEyMzQ1Njc4OUFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFla"
    "aQd5cW1ub3BxcnN0dXZ3eHl6MDEyMzQ1Njc4OUFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFla";

typedef struct worker_arg {
    store *s;
    uint64_t first;
    int failures;
    atomic_bool *stop;
    uint64_t reads;
} worker_arg;

/* As many event threads do it: a window of inserts in flight, each thread its own rows. */
static void *insert_many(void *opaque) {
    worker_arg *arg = opaque;
    store_op *ops = calloc(EACH, sizeof *ops);
    gate g = GATE_INIT;
    for (int i = 0; i < EACH; i++) {
        ops[i] = make_insert(arg->first + (uint64_t)i, PAYLOAD, HOUR_MS);
        ops[i].done = gate_open;
        ops[i].owner = &g;
        while (store_submit(arg->s, &ops[i])) {
            if (ops[i].result != STORE_BUSY) {
                arg->failures++;
                break;
            }
            sleep_ms(1);
        }
        gate_wait(&g, i - WINDOW);
    }
    gate_wait(&g, EACH);
    for (int i = 0; i < EACH; i++) {
        arg->failures += ops[i].result != STORE_OK;
        store_op_clear(&ops[i]);
    }
    free(ops);
    return NULL;
}

static void *read_many(void *opaque) {
    worker_arg *arg = opaque;
    for (uint64_t i = 0; !atomic_load(arg->stop); i++) {
        store_op op = {.kind = STORE_READ, .touch = i % 4 == 0};
        make_id(op.artifact.id, i * 7919 % (arg->first + 1));
        do_op(arg->s, &op);
        if (op.result == STORE_OK && strcmp(op.artifact.payload, PAYLOAD) != 0) {
            arg->failures++;
        }
        arg->failures += op.result != STORE_OK && op.result != STORE_NOT_FOUND;
        arg->reads++;
        store_op_clear(&op);
    }
    return NULL;
}

static void all_durable(void **state) {
    (void)state;
    const char *path = scratch("load.db");
    scratch_remove(path);
    store *s = open_at(path);
    pthread_t threads[WRITERS];
    worker_arg args[WRITERS];
    int64_t begin_us = clock_monotonic_us();
    for (int i = 0; i < WRITERS; i++) {
        args[i] = (worker_arg){.s = s, .first = (uint64_t)i * EACH};
        assert_int_equal(pthread_create(&threads[i], NULL, insert_many, &args[i]), 0);
    }
    for (int i = 0; i < WRITERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(args[i].failures, 0);
    }
    int64_t took_us = clock_monotonic_us() - begin_us;
    print_message("%d durable inserts/s\n", (int)(WRITERS * EACH * INT64_C(1000000) / took_us));
    store_close(s);
    assert_false(file_exists(path, "-wal"));

    s = open_at(path);
    begin_us = clock_monotonic_us();
    for (uint64_t i = 0; i < WRITERS * EACH; i++) {
        store_op op = read_one(s, i, false);
        assert_int_equal(op.result, STORE_OK);
        assert_string_equal(op.artifact.payload, PAYLOAD);
        store_op_clear(&op);
    }
    took_us = clock_monotonic_us() - begin_us;
    print_message("%d reads/s on one thread\n", (int)(WRITERS * EACH * INT64_C(1000000) / took_us));
    store_close(s);
    peer_check(path);
}

static int64_t size_of(const char *path, const char *end) {
    char name[600];
    struct stat status;
    snprintf(name, sizeof name, "%s%s", path, end);
    return stat(name, &status) == 0 ? (int64_t)status.st_size : 0;
}

/* Readers never stop, yet the log is checkpointed: it stays far below what was written. */
static void readers_beside_writers(void **state) {
    (void)state;
    const char *path = scratch("mixed.db");
    scratch_remove(path);
    store *s = open_at(path);
    atomic_bool stop = false;
    pthread_t writers[2];
    pthread_t readers[3];
    worker_arg write_args[2];
    worker_arg read_args[3];
    for (int i = 0; i < 3; i++) {
        read_args[i] = (worker_arg){.s = s, .first = 2 * EACH, .stop = &stop};
        assert_int_equal(pthread_create(&readers[i], NULL, read_many, &read_args[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        write_args[i] = (worker_arg){.s = s, .first = (uint64_t)i * EACH};
        assert_int_equal(pthread_create(&writers[i], NULL, insert_many, &write_args[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(writers[i], NULL);
        assert_int_equal(write_args[i].failures, 0);
    }
    int64_t begin_ms = clock_monotonic_ms();
    while (clock_monotonic_ms() - begin_ms < 700) {
        sleep_ms(50); /* touches get written under the readers */
    }
    assert_true(size_of(path, "-wal") < 40 << 20); /* of a file; else there is none */
    atomic_store(&stop, true);
    uint64_t touched = 0;
    for (int i = 0; i < 3; i++) {
        pthread_join(readers[i], NULL);
        assert_int_equal(read_args[i].failures, 0);
        touched += (read_args[i].reads + 3) / 4;
    }
    /* The log empties once nothing happens. */
    begin_ms = clock_monotonic_ms();
    while (size_of(path, "-wal") > 0) {
        assert_true(clock_monotonic_ms() - begin_ms < 5000);
        sleep_ms(20);
    }
    store_close(s);
    peer *db = peer_open(path);
    int64_t views = peer_int(db, "SELECT sum(views) FROM lifetimes");
    assert_true(views > 0);
    assert_true((uint64_t)views <= touched);
    peer_close(db);
}

/* A sweep of many rows lets inserts in between its steps. */
static void sweep_yields(void **state) {
    (void)state;
    const char *path = scratch("yield.db");
    scratch_remove(path);
    store_close(open_at(path));
    peer *db = peer_open(path);
    peer_fill_expired(db, 30000, 0, "NULL");
    peer_close(db);
    store *s = open_at(path);
    gate g = GATE_INIT;
    store_op op = {.kind = STORE_SWEEP, .done = gate_open, .owner = &g};
    store_op second = {.kind = STORE_SWEEP, .done = gate_open, .owner = &g};
    assert_false(store_submit(s, &op));
    assert_false(store_submit(s, &second));
    int between = 0;
    for (uint64_t i = 0; i < 5; i++) {
        assert_int_equal(insert_one(s, i, PAYLOAD, HOUR_MS), STORE_OK);
        pthread_mutex_lock(&g.lock);
        between += g.open == 0;
        pthread_mutex_unlock(&g.lock);
    }
    assert_true(between >= 3);
    gate_wait(&g, 2);
    assert_int_equal(op.count + second.count, 30000); /* together they count each row once */
    store_close(s);
}

/* ---- the table of touches by itself ---- */

static void *touch_many(void *opaque) {
    worker_arg *arg = opaque;
    uint8_t id[STORE_ID_BYTES];
    for (uint64_t i = 0; i < 20000; i++) {
        make_id(id, i % 100);
        store_touches_view((store_touches *)arg->s, id, (int64_t)i + 1);
    }
    return NULL;
}

static void touches_coalesce(void **state) {
    (void)state;
    store_touches *t = store_touches_create(100);
    assert_non_null(t);
    pthread_t threads[4];
    worker_arg arg = {.s = (store *)t};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, touch_many, &arg), 0);
    }
    /* The writer takes what is there, in pieces, while more comes in. */
    uint64_t views = 0;
    const store_touch *entries;
    for (int i = 0; i < 2000; i++) {
        size_t count = store_touches_next(t, 0, i % 2 == 0, 7, &entries);
        for (size_t k = 0; k < count; k++) {
            views += (uint64_t)entries[k].views;
        }
        store_touches_written(t, count);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    size_t count;
    while ((count = store_touches_next(t, 0, true, 7, &entries)) > 0) {
        for (size_t k = 0; k < count; k++) {
            views += (uint64_t)entries[k].views;
        }
        store_touches_written(t, count);
    }
    assert_int_equal(views, 80000);
    store_touches_free(t);
}

static void touches_bounded(void **state) {
    (void)state;
    store_touches *t = store_touches_create(10);
    uint8_t id[STORE_ID_BYTES];
    store_touch found;
    const store_touch *entries;
    for (uint64_t i = 0; i < 20; i++) {
        make_id(id, i);
        assert_int_equal(store_touches_view(t, id, 5), i == 4); /* half full: told once */
    }
    make_id(id, 9);
    assert_true(store_touches_find(t, id, &found));
    assert_int_equal(found.views, 1);
    make_id(id, 10);
    assert_false(store_touches_find(t, id, &found)); /* full: dropped */
    /* Half full is due whatever its age; what is being written is still found, and adds up. */
    assert_int_equal(store_touches_next(t, 1000000, false, 100, &entries), 10);
    make_id(id, 9);
    store_touches_view(t, id, 7);
    store_touches_expired(t, id);
    assert_true(store_touches_find(t, id, &found));
    assert_int_equal(found.views, 2);
    assert_int_equal(found.last_ms, 7);
    assert_true(found.expired);
    store_touches_written(t, 10);
    assert_int_equal(store_touches_next(t, 1000000, false, 100, &entries), 0); /* too young */
    assert_int_equal(store_touches_next(t, 0, false, 100, &entries), 1);
    assert_int_equal(entries[0].views, 1);
    assert_true(entries[0].expired);
    store_touches_written(t, 1);
    assert_false(store_touches_find(t, id, &found));
    assert_int_equal(store_touches_next(t, 0, true, 100, &entries), 0);
    store_touches_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_durable),     cmocka_unit_test(readers_beside_writers),
        cmocka_unit_test(sweep_yields),    cmocka_unit_test(touches_coalesce),
        cmocka_unit_test(touches_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
