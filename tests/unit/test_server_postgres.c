/*
 * What only the PostgreSQL engine promises: places it refuses and how it says so, migrations by
 * several nodes at once, two stores on one database, a database that goes and comes back. Where no
 * server is at hand (ARXD_TEST_POSTGRES), only the first can be tried.
 */
#include "stores.h"

#include "store_migrations.h"

static void refuse(const char *url, const char *word) {
    char why[512] = "";
    store *s = store_open(&(store_options){.path = url, .busy_timeout_ms = 100}, why, sizeof why);
    assert_null(s);
    assert_null(strchr(why, '\n'));
    assert_null(strstr(why, "secret"));
    if (strstr(why, word) == NULL) {
        fail_msg("\"%s\" does not say %s", why, word);
    }
    assert_int_equal(store_remove(&(store_options){.path = url, .busy_timeout_ms = 100},
                                  (uint8_t[16]){0}, why, sizeof why),
                     STORE_FAILED);
    assert_null(strstr(why, "secret"));
}

static void refusals(void **state) {
    (void)state;
    refuse("postgresql://user:secret@127.0.0.1:1/db", "postgresql://user@127.0.0.1:1/db");
    refuse("postgres://user:secret@127.0.0.1:1/db", "cannot be reached");
    refuse("postgresql://user:secret@[::1/db", "cannot be read");
    refuse("postgresql://user:secret@127.0.0.1:1/db?pasword=secret", "cannot be read");
}

static void newer_version(void **state) {
    (void)state;
    const char *path = scratch("newer.db");
    char sql[96];
    char why[512] = "";
    scratch_remove(path);
    store_close(open_at(path));
    peer *db = peer_open(path);
    snprintf(sql, sizeof sql, "UPDATE schema_version SET version = %zu",
             migrations_postgres_count + 41);
    peer_exec(db, sql);
    assert_null(store_open(&(store_options){.path = path}, why, sizeof why));
    assert_non_null(strstr(why, "newer arxd"));
    assert_int_equal(
        store_remove(&(store_options){.path = path}, (uint8_t[16]){0}, why, sizeof why),
        STORE_FAILED);
    peer_close(db);
}

/* ---- several nodes ---- */

typedef struct node {
    const char *path;
    store *s;
    char why[512];
} node;

static void *open_node(void *opaque) {
    node *n = opaque;
    n->s = store_open(&(store_options){.path = n->path, .report = count_report}, n->why,
                      sizeof n->why);
    return NULL;
}

/* They make the tables together, and each runs on them. */
static void opened_at_once(void **state) {
    (void)state;
    enum { NODES = 4 };
    char path[512];
    node nodes[NODES];
    pthread_t threads[NODES];
    snprintf(path, sizeof path, "%s", scratch("together.db"));
    scratch_remove(path);
    for (int i = 0; i < NODES; i++) {
        nodes[i] = (node){.path = path};
        assert_int_equal(pthread_create(&threads[i], NULL, open_node, &nodes[i]), 0);
    }
    for (int i = 0; i < NODES; i++) {
        pthread_join(threads[i], NULL);
        if (nodes[i].s == NULL) {
            fail_msg("%s", nodes[i].why);
        }
        assert_non_null(strstr(store_describe(nodes[i].s), "PostgreSQL "));
        assert_int_equal(insert_one(nodes[i].s, (uint64_t)i, "x", HOUR_MS), STORE_OK);
    }
    peer *db = peer_open(path);
    assert_int_equal(peer_int(db, "SELECT version FROM schema_version"), migrations_postgres_count);
    assert_int_equal(peer_int(db, "SELECT count(*) FROM duties"), 1);
    assert_int_equal(peer_int(db, "SELECT count(*) FROM artifacts"), NODES);
    peer_close(db);
    for (int i = 0; i < NODES; i++) {
        store_close(nodes[i].s);
    }
}

/* What one writes, the other reads, changes and deletes at once; operators too. */
static void seen_by_the_other(void **state) {
    (void)state;
    char why[512] = "";
    char path[512];
    snprintf(path, sizeof path, "%s", scratch("other.db"));
    scratch_remove(path);
    store *a = open_at(path);
    store *b = open_at(path);
    for (uint64_t i = 0; i < 50; i++) {
        assert_int_equal(insert_one(a, i, "one", HOUR_MS), STORE_OK);
        assert_int_equal(read_result(b, i), STORE_OK);
        assert_int_equal(update_one(b, i, "two"), STORE_OK);
        store_op read = read_one(a, i, false);
        assert_string_equal(read.artifact.payload, "two");
        assert_int_equal(
            store_remove(&(store_options){.path = path}, read.artifact.id, why, sizeof why),
            STORE_OK);
        store_op_clear(&read);
        assert_int_equal(read_result(b, i), STORE_NOT_FOUND);
        assert_int_equal(delete_one(a, i), STORE_NOT_FOUND);
    }
    store_close(a);
    store_close(b);
}

typedef struct worker {
    store *s;
    uint64_t number;
    int made;
    int viewed;
    uint64_t noted;
    uint64_t swept;
    int other;
} worker;

enum { KEYS = 150, ALLOWED = 100 };

/* The same keys, the same limited row and the same note from every thread of both nodes. */
static void *work(void *opaque) {
    worker *w = opaque;
    for (uint64_t key = 0; key < KEYS; key++) {
        store_op op = make_insert(1000 + key * 16 + w->number, "raced", HOUR_MS);
        op.recorded = true;
        op.record.status = 201;
        make_hash(op.record.scope, key);
        store_result result = do_op(w->s, &op);
        w->made += result == STORE_OK;
        w->other += result != STORE_OK && result != STORE_CONFLICT;
        store_op_clear(&op);

        result = view_one(w->s, 1);
        w->viewed += result == STORE_OK;
        w->other += result != STORE_OK && result != STORE_NOT_FOUND;

        op = (store_op){.kind = STORE_NOTE_PUT};
        op.note.space = STORE_SPACE_APPROVAL;
        make_hash(op.note.key, key);
        op.note.expires_at_ms = INT64_MAX;
        result = do_op(w->s, &op);
        w->noted += result == STORE_OK;
        w->other += result != STORE_OK && result != STORE_CONFLICT;
    }
    return NULL;
}

/* With a clock that stands still, so that versions made at once are the same number. */
static void exactly_once(void **state) {
    (void)state;
    enum { THREADS = 6 };
    clock_at(0);
    char path[512];
    snprintf(path, sizeof path, "%s", scratch("once.db"));
    scratch_remove(path);
    store *nodes[2] = {open_at(path), open_at(path)};
    store_op limited = make_insert(1, "limited", HOUR_MS);
    limited.artifact.max_views = ALLOWED;
    assert_int_equal(do_op(nodes[0], &limited), STORE_OK);
    store_op_clear(&limited);
    pthread_t threads[THREADS];
    worker workers[THREADS];
    int made = 0;
    int viewed = 0;
    uint64_t noted = 0;
    for (uint64_t i = 0; i < THREADS; i++) {
        workers[i] = (worker){.s = nodes[i % 2], .number = i};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].other, 0);
        made += workers[i].made;
        viewed += workers[i].viewed;
        noted += workers[i].noted;
    }
    assert_int_equal(made, KEYS);
    assert_int_equal(viewed, ALLOWED);
    assert_int_equal(noted, KEYS);
    peer *db = peer_open(path);
    assert_int_equal(peer_int(db, "SELECT count(*) FROM artifacts"),
                     KEYS); /* the limited is spent */
    peer_close(db);
    store_close(nodes[0]);
    store_close(nodes[1]);
}

static void *sweep_once(void *opaque) {
    worker *w = opaque;
    w->swept = sweep(w->s);
    return NULL;
}

/* Each row is counted by one of them, and by one only. */
static void swept_at_once(void **state) {
    (void)state;
    enum { ROWS = 5000 };
    char path[512];
    snprintf(path, sizeof path, "%s", scratch("swept.db"));
    scratch_remove(path);
    store *nodes[2] = {open_at(path), open_at(path)};
    peer *db = peer_open(path);
    peer_fill_expired(db, ROWS, 0, "NULL");
    worker workers[2] = {{.s = nodes[0]}, {.s = nodes[1]}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, sweep_once, &workers[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_int_equal(workers[0].swept + workers[1].swept, ROWS);
    assert_int_equal(peer_int(db, "SELECT count(*) FROM artifacts"), 0);
    assert_int_equal(peer_int(db, "SELECT count(*) FROM lifetimes"), 0);
    assert_int_equal(atomic_load(&report_count), 0);
    peer_close(db);
    store_close(nodes[0]);
    store_close(nodes[1]);
}

/* ---- a connection that goes ---- */

/* Connections are cut under a store: what was answered holds, the rest is told to try again. */
static void cut_connections(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", scratch("cut.db"));
    scratch_remove(path);
    store *s = open_at(path);
    peer *db = peer_open(path);
    uint64_t held = 0;
    uint64_t busy = 0;
    for (uint64_t i = 0; i < 200; i++) {
        if (i % 10 == 5) {
            peer_exec(db, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
                          "application_name = 'arxd' AND datname = current_database()");
        }
        store_result result = insert_one(s, i, "x", HOUR_MS);
        if (result == STORE_OK) {
            assert_int_equal(read_result(s, i), STORE_OK);
            held++;
        } else {
            assert_int_equal(result, STORE_BUSY);
            busy++;
        }
    }
    assert_true(held >= 180);
    assert_true((uint64_t)peer_int(db, "SELECT count(*) FROM artifacts") >= held);
    assert_true((uint64_t)peer_int(db, "SELECT count(*) FROM artifacts") <= held + busy);
    peer_close(db);
    store_close(s);
}

int main(void) {
    const struct CMUnitTest only_refusals[] = {
        cmocka_unit_test_setup(refusals, at_real_time),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(refusals, at_real_time),
        cmocka_unit_test_setup(newer_version, at_real_time),
        cmocka_unit_test_setup(opened_at_once, at_real_time),
        cmocka_unit_test_setup(seen_by_the_other, at_real_time),
        cmocka_unit_test_setup(exactly_once, at_real_time),
        cmocka_unit_test_setup(swept_at_once, at_real_time),
        cmocka_unit_test_setup(cut_connections, at_real_time),
    };
    /* Without a server the first is all. */
    return on_postgres() == NULL ? cmocka_run_group_tests(only_refusals, NULL, NULL)
                                 : cmocka_run_group_tests(tests, NULL, scratch_clean);
}
