/* Notes: compare-and-set, expiry, listing, and their place in other writes' transactions. */
#include "stores.h"

/* The kinds of notes do not matter to the store. */
#define SPACE 77

static void set_note(store_op *op, uint64_t key, int64_t version, const char *value) {
    op->note.space = SPACE;
    make_hash(op->note.key, key);
    make_hash(op->note.owner, 1);
    op->note.version = version;
    op->note.expires_at_ms = test_now_ms() + HOUR_MS;
    op->note.value = strdup(value);
    op->note.value_len = strlen(value);
}

static store_op make_put(uint64_t key, int64_t version, const char *value) {
    store_op op = {.kind = STORE_NOTE_PUT};
    set_note(&op, key, version, value);
    return op;
}

/* The version written, or 0 with the result that refused it. */
static int64_t put(store *s, uint64_t key, int64_t version, const char *value, store_result right) {
    store_op op = make_put(key, version, value);
    assert_int_equal(do_op(s, &op), right);
    int64_t written = right == STORE_OK ? op.note.version : 0;
    store_op_clear(&op);
    return written;
}

/* Caller: store_op_clear(). */
static store_op get(store *s, uint64_t key) {
    store_op op = {.kind = STORE_NOTE_GET, .note.space = SPACE};
    make_hash(op.note.key, key);
    do_op(s, &op);
    return op;
}

static void must_be(store *s, uint64_t key, const char *value) {
    store_op op = get(s, key);
    assert_int_equal(op.result, value == NULL ? STORE_NOT_FOUND : STORE_OK);
    if (value != NULL) {
        assert_int_equal(op.note.value_len, strlen(value));
        assert_string_equal(op.note.value, value);
    }
    store_op_clear(&op);
}

static void what_goes_in_comes_out(void **state) {
    (void)state;
    store *s = open_fresh("notes.db");
    must_be(s, 1, NULL);
    store_op op = {.kind = STORE_NOTE_PUT};
    set_note(&op, 1, 0, "");
    make_hash(op.note.owner, 9);
    op.note.expires_at_ms = START_MS + 5;
    free(op.note.value);
    op.note.value = malloc(STORE_NOTE_MAX_BYTES);
    op.note.value_len = STORE_NOTE_MAX_BYTES;
    for (size_t i = 0; i < op.note.value_len; i++) {
        op.note.value[i] = (char)(i % 251);
    }
    assert_int_equal(do_op(s, &op), STORE_OK);
    assert_int_equal(op.note.version, START_MS);
    for (int reopened = 0; reopened < 2; reopened++) {
        store_op found = get(s, 1);
        assert_int_equal(found.result, STORE_OK);
        assert_int_equal(found.note.version, op.note.version);
        assert_int_equal(found.note.expires_at_ms, START_MS + 5);
        assert_memory_equal(found.note.owner, op.note.owner, STORE_HASH_BYTES);
        assert_int_equal(found.note.value_len, op.note.value_len);
        assert_memory_equal(found.note.value, op.note.value, op.note.value_len);
        store_op_clear(&found);
        store_close(s);
        s = open_at(scratch("notes.db"));
    }
    /* The same key in another space is another note. */
    store_op other = get(s, 1);
    store_op_clear(&other);
    other.note.space = SPACE + 1;
    make_hash(other.note.key, 1);
    assert_int_equal(do_op(s, &other), STORE_NOT_FOUND);
    /* Empty is a value; too large is refused, and nothing is lost by it. */
    put(s, 2, 0, "", STORE_OK);
    must_be(s, 2, "");
    free(op.note.value);
    op.note.value = calloc(1, STORE_NOTE_MAX_BYTES + 1);
    op.note.value_len = STORE_NOTE_MAX_BYTES + 1;
    assert_int_equal(do_op(s, &op), STORE_FAILED);
    store_op_clear(&op);
    op = get(s, 1);
    assert_int_equal(op.note.value_len, STORE_NOTE_MAX_BYTES);
    store_op_clear(&op);
    store_close(s);
}

static void compare_and_set(void **state) {
    (void)state;
    store *s = open_fresh("cas.db");
    put(s, 1, START_MS, "changes nothing", STORE_CONFLICT);
    int64_t first = put(s, 1, 0, "first", STORE_OK);
    put(s, 1, 0, "there is one", STORE_CONFLICT);
    put(s, 1, first + 1, "another version", STORE_CONFLICT);
    must_be(s, 1, "first");
    /* Versions grow while the clock stands, and when it jumps back. */
    int64_t second = put(s, 1, first, "second", STORE_OK);
    assert_true(second > first);
    atomic_store(&test_clock_ms, START_MS - HOUR_MS);
    int64_t third = put(s, 1, second, "third", STORE_OK);
    assert_true(third > second);
    put(s, 1, second, "late", STORE_CONFLICT);
    must_be(s, 1, "third");
    assert_int_equal(atomic_load(&report_count), 0);
    store_close(s);
}

static void expiry(void **state) {
    (void)state;
    const char *path = scratch("ends.db");
    store *s = open_fresh("ends.db");
    int64_t first = put(s, 1, 0, "first", STORE_OK);
    atomic_store(&test_clock_ms, START_MS + HOUR_MS - 1);
    must_be(s, 1, "first");
    atomic_store(&test_clock_ms, START_MS + HOUR_MS);
    must_be(s, 1, NULL);
    put(s, 1, first, "it is not there", STORE_CONFLICT);
    /* Made anew over what is left of it, with a version nobody has seen. */
    atomic_store(&test_clock_ms, START_MS + HOUR_MS);
    int64_t second = put(s, 1, 0, "second", STORE_OK);
    assert_true(second > first);
    must_be(s, 1, "second");

    /* An end in the past removes it. */
    store_op op = make_put(1, second, "used");
    op.note.expires_at_ms = test_now_ms();
    assert_int_equal(do_op(s, &op), STORE_OK);
    store_op_clear(&op);
    must_be(s, 1, NULL);

    for (uint64_t key = 10; key < 100; key++) {
        put(s, key, 0, "x", STORE_OK);
    }
    atomic_store(&test_clock_ms, START_MS + 2 * HOUR_MS - 1);
    put(s, 200, 0, "young", STORE_OK);
    assert_int_equal(sweep(s), 0); /* it counts links */
    peer *db = peer_open(path);
    assert_int_equal(peer_int(db, "SELECT count(*) FROM notes"), 91); /* the used one is gone */
    atomic_store(&test_clock_ms, START_MS + 2 * HOUR_MS);
    assert_int_equal(sweep(s), 0);
    assert_int_equal(peer_int(db, "SELECT count(*) FROM notes"), 1);
    must_be(s, 200, "young");
    peer_close(db);
    store_close(s);
}

static store_op list(store *s, uint64_t owner, unsigned limit) {
    store_op op = {.kind = STORE_NOTE_LIST, .limit = limit, .note.space = SPACE};
    make_hash(op.note.owner, owner);
    assert_int_equal(do_op(s, &op), STORE_OK);
    return op;
}

static void listing(void **state) {
    (void)state;
    store *s = open_fresh("list.db");
    store_op none = list(s, 1, 10);
    assert_int_equal(none.count, 0);
    assert_false(none.more);
    store_op_clear(&none);
    for (uint64_t key = 1; key <= 7; key++) {
        char value[16];
        snprintf(value, sizeof value, "value %d", (int)key);
        store_op op = make_put(key, 0, value);
        make_hash(op.note.owner, key == 4 ? 2 : 1);
        op.note.space = key == 5 ? SPACE + 1 : SPACE;
        op.note.expires_at_ms = key == 6 ? START_MS : START_MS + HOUR_MS;
        assert_int_equal(do_op(s, &op), STORE_OK);
        store_op_clear(&op);
    }
    /* A change of one keeps its place; the owner it is given then does not count. */
    store_op second = get(s, 2);
    second.kind = STORE_NOTE_PUT;
    make_hash(second.note.owner, 2);
    assert_int_equal(do_op(s, &second), STORE_OK);
    store_op_clear(&second);

    static const uint64_t right[] = {7, 3, 2, 1};
    for (unsigned limit = 1; limit <= 5; limit++) {
        store_op op = list(s, 1, limit);
        assert_int_equal(op.count, limit < 4 ? limit : 4);
        assert_int_equal(op.more, limit < 4);
        for (size_t i = 0; i < op.count; i++) {
            uint8_t key[STORE_HASH_BYTES];
            char value[16];
            make_hash(key, right[i]);
            snprintf(value, sizeof value, "value %d", (int)right[i]);
            assert_memory_equal(op.notes[i].key, key, sizeof key);
            assert_string_equal(op.notes[i].value, value);
            assert_int_equal(op.notes[i].value_len, strlen(value));
            assert_int_equal(op.notes[i].space, SPACE);
            assert_int_equal(op.notes[i].expires_at_ms, START_MS + HOUR_MS);
            assert_true(op.notes[i].version >= START_MS);
        }
        store_op_clear(&op);
    }
    store_op other = list(s, 2, 5);
    assert_int_equal(other.count, 1);
    store_op_clear(&other);
    store_close(s);
}

/* However many and large they are, a listing holds so much and says that there is more. */
static void listing_is_bounded(void **state) {
    (void)state;
    store *s = open_fresh("bounds.db");
    for (uint64_t key = 0; key < STORE_LIST_MAX + 20; key++) {
        put(s, key, 0, "x", STORE_OK);
    }
    store_op op = list(s, 1, 100000);
    assert_int_equal(op.count, STORE_LIST_MAX);
    assert_true(op.more);
    store_op_clear(&op);
    for (uint64_t key = 1000; key < 1006; key++) {
        store_op large = make_put(key, 0, "");
        free(large.note.value);
        large.note.value = calloc(1, STORE_NOTE_MAX_BYTES);
        large.note.value_len = STORE_NOTE_MAX_BYTES;
        assert_int_equal(do_op(s, &large), STORE_OK);
        store_op_clear(&large);
    }
    op = list(s, 1, 100);
    assert_int_equal(op.count, STORE_LIST_MAX_BYTES / STORE_NOTE_MAX_BYTES);
    assert_true(op.more);
    store_op_clear(&op);
    store_close(s);
}

/* ---- together with other writes ---- */

static void with_a_row(void **state) {
    (void)state;
    store *s = open_fresh("with.db");
    store_op op = make_insert(1, "payload", HOUR_MS);
    op.noted = true;
    set_note(&op, 1, 0, "made");
    assert_int_equal(do_op(s, &op), STORE_OK);
    int64_t version = op.note.version;
    store_op_clear(&op);
    assert_int_equal(read_result(s, 1), STORE_OK);
    must_be(s, 1, "made");

    /* No row without the note, no note without the row, neither without the record. */
    op = make_insert(2, "payload", HOUR_MS);
    op.noted = true;
    set_note(&op, 1, 0, "there is one");
    assert_int_equal(do_op(s, &op), STORE_CONFLICT);
    store_op_clear(&op);
    assert_int_equal(read_result(s, 2), STORE_NOT_FOUND);
    op = make_op(STORE_DELETE, 2);
    op.noted = true;
    set_note(&op, 2, 0, "deleted");
    assert_int_equal(do_op(s, &op), STORE_NOT_FOUND);
    store_op_clear(&op);
    must_be(s, 2, NULL);

    for (int i = 0; i < 2; i++) {
        op = make_op(STORE_REMEMBER, 0);
        op.noted = true;
        make_hash(op.record.scope, 3);
        set_note(&op, 3, 0, "remembered");
        assert_int_equal(do_op(s, &op), i == 0 ? STORE_OK : STORE_CONFLICT);
        store_op_clear(&op);
    }
    must_be(s, 3, "remembered");

    op = make_op(STORE_DELETE, 1);
    op.noted = true;
    set_note(&op, 1, version, "deleted");
    assert_int_equal(do_op(s, &op), STORE_OK);
    store_op_clear(&op);
    assert_int_equal(read_result(s, 1), STORE_NOT_FOUND);
    must_be(s, 1, "deleted");
    store_close(s);
}

enum { CLIENTS = 6, ROUNDS = 150 };

typedef struct client {
    store *s;
    int won;
    int lost;
    int other;
} client;

/* Everybody reads the note and tries to be the one who changes it. */
static void *contend(void *opaque) {
    client *c = opaque;
    for (int i = 0; i < ROUNDS; i++) {
        store_op op = get(c->s, 1);
        c->other += op.result != STORE_OK;
        op.kind = STORE_NOTE_PUT;
        store_result result = do_op(c->s, &op);
        c->won += result == STORE_OK;
        c->lost += result == STORE_CONFLICT;
        c->other += result != STORE_OK && result != STORE_CONFLICT;
        store_op_clear(&op);
    }
    return NULL;
}

/* One wins each version, however many try at once. */
static void contended(void **state) {
    (void)state;
    store *s = open_fresh("contend.db");
    int64_t first = put(s, 1, 0, "x", STORE_OK);
    pthread_t threads[CLIENTS];
    client clients[CLIENTS];
    int won = 0;
    for (size_t i = 0; i < CLIENTS; i++) {
        clients[i] = (client){.s = s};
        assert_int_equal(pthread_create(&threads[i], NULL, contend, &clients[i]), 0);
    }
    for (size_t i = 0; i < CLIENTS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(clients[i].other, 0);
        assert_int_equal(clients[i].won + clients[i].lost, ROUNDS);
        won += clients[i].won;
    }
    store_op op = get(s, 1);
    assert_int_equal(op.note.version, first + won); /* the clock stands: one up each time */
    store_op_clear(&op);
    store_close(s);
}

/* Writes that stood in a transaction with one that could not be are made all the same, each once.
 */
static void beside_one_that_fails(void **state) {
    (void)state;
    store *s = open_fresh("beside.db");
    assert_int_equal(insert_one(s, 1, "taken", HOUR_MS), STORE_OK);
    assert_int_equal(insert_one(s, 2, "to be changed", HOUR_MS), STORE_OK);
    enum { HELD, TAKEN, NOTE, UPDATE, OPS };
    store_op ops[OPS] = {make_put(1, 0, "holds the writer up"), make_insert(1, "again", HOUR_MS),
                         make_put(2, 0, "a note"), make_update(2, "changed")};
    ops[UPDATE].artifact.updated_at_ms = START_MS; /* if it is still as it was made */
    clock_at(60000);
    peer *db = peer_open(scratch("beside.db"));
    peer_lock(db);
    gate g = GATE_INIT;
    start_op(s, &ops[HELD], &g);
    sleep_ms(100);
    for (size_t i = TAKEN; i < OPS; i++) {
        start_op(s, &ops[i], &g);
    }
    sleep_ms(100);
    peer_unlock(db);
    gate_wait(&g, OPS);
    assert_int_equal(ops[HELD].result, STORE_OK);
    assert_int_equal(ops[TAKEN].result, STORE_FAILED); /* an id is never given twice */
    assert_int_equal(ops[NOTE].result, STORE_OK);
    assert_int_equal(ops[NOTE].note.version, START_MS + 60000);
    assert_int_equal(ops[UPDATE].result, STORE_OK);
    assert_int_equal(ops[UPDATE].artifact.updated_at_ms, START_MS + 60000);
    must_be(s, 2, "a note");
    for (size_t i = 0; i < OPS; i++) {
        store_op_clear(&ops[i]);
    }
    peer_close(db);
    store_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_goes_in_comes_out, at_start),
        cmocka_unit_test_setup(compare_and_set, at_start),
        cmocka_unit_test_setup(expiry, at_start),
        cmocka_unit_test_setup(listing, at_start),
        cmocka_unit_test_setup(listing_is_bounded, at_start),
        cmocka_unit_test_setup(with_a_row, at_start),
        cmocka_unit_test_setup(contended, at_start),
        cmocka_unit_test_setup(beside_one_that_fails, at_start),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
