/*
 * test_server_sqlite_memory.c - every allocation of every operation may fail, the store's own and
 * SQLite's: the answer is an error then, nothing that was answered STORE_OK is lost, nothing is
 * half done, and once there is memory again all works.
 *
 * SQLite is given the same allocator.
 */
#include "heap.h"
#include "stores.h"

#include <malloc.h>

/* ---- SQLite's ---- */

static void *lite_malloc(int size) {
    return malloc((size_t)size);
}

static void *lite_realloc(void *old, int size) {
    return realloc(old, (size_t)size);
}

static int lite_size(void *block) {
    return block == NULL ? 0 : (int)malloc_usable_size(block);
}

static int lite_roundup(int size) {
    return (size + 7) & ~7;
}

static int lite_init(void *opaque) {
    (void)opaque;
    return SQLITE_OK;
}

static void lite_shutdown(void *opaque) {
    (void)opaque;
}

static int own_allocator(void **state) {
    (void)state;
    static sqlite3_mem_methods methods = {
        .xMalloc = lite_malloc,
        .xFree = free,
        .xRealloc = lite_realloc,
        .xSize = lite_size,
        .xRoundup = lite_roundup,
        .xInit = lite_init,
        .xShutdown = lite_shutdown,
    };
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK ? 0 : -1;
}

/* ---- operations ---- */

static bool render(store_op *op) {
    op->record.status = 201;
    op->record.response = malloc(16);
    op->record.response_len = 16;
    if (op->record.response != NULL) {
        memcpy(op->record.response, "what was answere", 16);
    }
    return op->record.response != NULL;
}

static bool hit; /* the allocation that was to fail was asked for */

/* A test's own allocations do not fail. */
static store_result tried(store *s, store_op *op, size_t at, bool and_all) {
    heap_refuse(at, and_all);
    store_result result = do_op(s, op);
    hit = heap_relent();
    return result;
}

static uint64_t next_number = 1;

/* Runs `one` with the k-th allocation failing for every k, until there are no more so many. */
static void each_failure(store *s, const char *name,
                         bool (*one)(store *s, uint64_t number, size_t at, bool and_all)) {
    for (int all = 0; all < 2; all++) {
        size_t at = 1;
        int failed = 0;
        for (int spared = 0; spared < 3 && at < 1000; at++) { /* the writer's ticks allocate, too */
            failed += !one(s, next_number++, at, all == 1);
            spared = hit ? 0 : spared + 1;
        }
        print_message("%s: %d of %d failures told\n", name, failed, (int)at - 4);
        assert_true(failed > 0);
        assert_true(at < 1000);
        hit = true;
    }
}

static void assert_row(store *s, uint64_t number, const char *payload) {
    store_op read = read_one(s, number, false);
    if (payload == NULL) {
        assert_int_equal(read.result, STORE_NOT_FOUND);
    } else {
        assert_int_equal(read.result, STORE_OK);
        assert_string_equal(read.artifact.payload, payload);
    }
    store_op_clear(&read);
}

static bool is_refusal(store_result result) {
    return result == STORE_NO_MEMORY || result == STORE_FAILED || result == STORE_BUSY;
}

static bool try_insert(store *s, uint64_t number, size_t at, bool and_all) {
    store_op op = make_insert(number, "inserted", HOUR_MS);
    memcpy(op.artifact.asset_set, "0123456789abcdef", 17);
    op.recorded = true;
    op.render = render;
    make_hash(op.record.scope, number);
    store_result result = tried(s, &op, at, and_all);
    store_op_clear(&op);
    assert_true(result == STORE_OK || is_refusal(result));
    assert_row(s, number, result == STORE_OK ? "inserted" : NULL);
    store_op again = {.kind = STORE_RECALL};
    make_hash(again.record.scope, number);
    assert_int_equal(do_op(s, &again), result == STORE_OK ? STORE_OK : STORE_NOT_FOUND);
    store_op_clear(&again);
    return result == STORE_OK;
}

static bool try_read(store *s, uint64_t number, size_t at, bool and_all) {
    store_op op = make_op(STORE_READ, 0);
    op.touch = number % 3 == 0;
    store_result result = tried(s, &op, at, and_all);
    assert_true(result == STORE_OK || is_refusal(result));
    assert_int_equal(op.artifact.payload != NULL, result == STORE_OK);
    store_op_clear(&op);
    assert_row(s, 0, "kept");
    return result == STORE_OK;
}

static bool try_update(store *s, uint64_t number, size_t at, bool and_all) {
    assert_int_equal(insert_one(s, number, "before", HOUR_MS), STORE_OK);
    store_op op = make_update(number, "after");
    store_result result = tried(s, &op, at, and_all);
    store_op_clear(&op);
    assert_true(result == STORE_OK || is_refusal(result));
    assert_row(s, number, result == STORE_OK ? "after" : "before");
    return result == STORE_OK;
}

static bool try_view(store *s, uint64_t number, size_t at, bool and_all) {
    store_op made = make_insert(number, "seen once", HOUR_MS);
    made.artifact.max_views = 1;
    assert_int_equal(do_op(s, &made), STORE_OK);
    store_op_clear(&made);
    store_op op = make_op(STORE_VIEW, number);
    store_result result = tried(s, &op, at, and_all);
    store_op_clear(&op);
    assert_true(result == STORE_OK || is_refusal(result));
    assert_row(s, number, result == STORE_OK ? NULL : "seen once");
    return result == STORE_OK;
}

static bool try_delete(store *s, uint64_t number, size_t at, bool and_all) {
    assert_int_equal(insert_one(s, number, "there", HOUR_MS), STORE_OK);
    store_op op = make_op(STORE_DELETE, number);
    store_result result = tried(s, &op, at, and_all);
    assert_true(result == STORE_OK || is_refusal(result));
    assert_row(s, number, result == STORE_OK ? NULL : "there");
    return result == STORE_OK;
}

static bool try_recall(store *s, uint64_t number, size_t at, bool and_all) {
    (void)number;
    store_op op = {.kind = STORE_RECALL};
    make_hash(op.record.scope, 7777777);
    store_result result = tried(s, &op, at, and_all);
    assert_true(result == STORE_OK || is_refusal(result));
    assert_int_equal(op.record.response != NULL, result == STORE_OK);
    store_op_clear(&op);
    return result == STORE_OK;
}

static store_op note_op(store_kind kind, uint64_t number) {
    store_op op = {.kind = kind, .limit = 10, .note.space = 1};
    make_hash(op.note.key, number);
    make_hash(op.note.owner, 4444444);
    op.note.expires_at_ms = test_now_ms() + HOUR_MS;
    return op;
}

static bool try_note_put(store *s, uint64_t number, size_t at, bool and_all) {
    store_op op = note_op(STORE_NOTE_PUT, number);
    op.note.value = strdup("noted");
    op.note.value_len = 5;
    store_result result = tried(s, &op, at, and_all);
    store_op_clear(&op);
    assert_true(result == STORE_OK || is_refusal(result));
    op = note_op(STORE_NOTE_GET, number);
    assert_int_equal(do_op(s, &op), result == STORE_OK ? STORE_OK : STORE_NOT_FOUND);
    store_op_clear(&op);
    return result == STORE_OK;
}

static bool try_note_get(store *s, uint64_t number, size_t at, bool and_all) {
    (void)number;
    store_op op = note_op(STORE_NOTE_GET, 8888888);
    store_result result = tried(s, &op, at, and_all);
    assert_true(result == STORE_OK || is_refusal(result));
    assert_int_equal(op.note.value != NULL, result == STORE_OK);
    store_op_clear(&op);
    return result == STORE_OK;
}

static bool try_note_list(store *s, uint64_t number, size_t at, bool and_all) {
    (void)number;
    store_op op = note_op(STORE_NOTE_LIST, 0);
    store_result result = tried(s, &op, at, and_all);
    assert_true(result == STORE_OK || is_refusal(result));
    assert_int_equal(op.count, result == STORE_OK ? 1 : 0);
    store_op_clear(&op);
    return result == STORE_OK;
}

static bool try_list(store *s, uint64_t number, size_t at, bool and_all) {
    (void)number;
    store_op op = {.kind = STORE_LIST, .state = STORE_ANY, .limit = 10};
    make_hash(op.artifact.maker, 9999999);
    store_result result = tried(s, &op, at, and_all);
    assert_true(result == STORE_OK || is_refusal(result));
    assert_int_equal(op.count, result == STORE_OK ? 2 : 0);
    store_op_clear(&op);
    return result == STORE_OK;
}

/* Two links of one maker, with all there can be; and a note. */
static void fill_lists(store *s) {
    for (uint64_t i = 0; i < 2; i++) {
        store_op op = make_insert(5555555 + i, "listed", 100 * HOUR_MS);
        op.artifact.has_maker = true;
        make_hash(op.artifact.maker, 9999999);
        op.artifact.kind = strdup("csv");
        op.artifact.title = strdup("a title");
        op.artifact.label = strdup("a label");
        assert_int_equal(do_op(s, &op), STORE_OK);
        store_op_clear(&op);
    }
    store_op op = note_op(STORE_NOTE_PUT, 8888888);
    op.note.value = strdup("kept");
    op.note.value_len = 4;
    assert_int_equal(do_op(s, &op), STORE_OK);
    store_op_clear(&op);
}

static bool try_sweep(store *s, uint64_t number, size_t at, bool and_all) {
    assert_int_equal(insert_one(s, number, "ended", 0), STORE_OK);
    store_op op = {.kind = STORE_SWEEP};
    store_result result = tried(s, &op, at, and_all);
    assert_true(result == STORE_OK || is_refusal(result));
    assert_true(result == STORE_OK ? op.count == 1
                                   : sweep(s) <= 1); /* it may fail behind the row */
    assert_int_equal(sweep(s), 0);
    assert_row(s, 0, "kept");
    return result == STORE_OK;
}

static void operations(void **state) {
    (void)state;
    const char *path = scratch("memory.db");
    store *s = open_at(path);
    assert_int_equal(insert_one(s, 0, "kept", HOUR_MS), STORE_OK);
    store_op remembered = {.kind = STORE_REMEMBER};
    make_hash(remembered.record.scope, 7777777);
    remembered.record.status = 200;
    remembered.record.response = strdup("kept too");
    remembered.record.response_len = 8;
    assert_int_equal(do_op(s, &remembered), STORE_OK);
    store_op_clear(&remembered);
    fill_lists(s);
    each_failure(s, "read", try_read);
    each_failure(s, "list", try_list);
    each_failure(s, "note get", try_note_get);
    each_failure(s, "note list", try_note_list);
    each_failure(s, "note put", try_note_put);
    each_failure(s, "recall", try_recall);
    each_failure(s, "insert", try_insert);
    each_failure(s, "update", try_update);
    each_failure(s, "view", try_view);
    each_failure(s, "delete", try_delete);
    each_failure(s, "sweep", try_sweep);
    assert_int_equal(ping(s), STORE_OK);
    assert_row(s, 0, "kept");
    store_close(s);
    sqlite3 *db = raw_open(path);
    assert_int_equal(raw_int(db, "SELECT count(*) FROM artifacts"),
                     raw_int(db, "SELECT count(*) FROM lifetimes JOIN artifacts USING (row)"));
    assert_int_equal(raw_int(db, "SELECT count(*) FROM pragma_integrity_check "
                                 "WHERE integrity_check = 'ok'"),
                     1);
    sqlite3_close(db);
}

/* Opening: a line that says so, or a store; never a database that cannot be opened later. */
static void opening(void **state) {
    (void)state;
    const char *path = scratch("opened.db");
    int told = 0;
    int row = 0; /* successes in a row */
    for (size_t at = 1; row < 5; at += at < 40 ? 1 : 1 + at / 12) {
        for (int kept = 0; kept < 2; kept++) {
            char why[512] = "";
            if (kept == 0) {
                scratch_remove(path);
            }
            store_options options = {
                .path = path, .report = count_report, .note = keep_note, .now_ms = test_now_ms};
            heap_refuse(at, false);
            store *s = store_open(&options, why, sizeof why);
            (void)heap_relent();
            if (s == NULL) {
                told++;
                row = 0;
                assert_true(strlen(why) > 10);
                assert_non_null(strstr(why, "opened.db"));
                s = open_at(path); /* with memory it opens, whatever was left */
            } else {
                row++;
            }
            assert_int_equal(insert_one(s, 1, "x", HOUR_MS), kept == 0 ? STORE_OK : STORE_FAILED);
            assert_int_equal(read_result(s, 1), STORE_OK);
            store_close(s);
        }
    }
    print_message("opening: %d failures told\n", told);
    assert_true(told > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations),
        cmocka_unit_test(opening),
    };
    return cmocka_run_group_tests(tests, own_allocator, scratch_clean);
}
