/*
 * stores.h - what the store's unit programs share: databases of their own, operations that are
 * waited for, and a second connection to the same database.
 *
 * The programs named test_server_store* run on SQLite, in a scratch folder on the real disk, and on
 * PostgreSQL where ARXD_TEST_POSTGRES names a server (tests/postgres.sh). What only one of the two
 * has is tested in programs of its own.
 */
#ifndef TEST_STORES_H
#define TEST_STORES_H

#include "vectors.h"

#include "clock.h"
#include "store.h"

#include <postgresql/libpq-fe.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The URL of the server, or NULL: SQLite. */
static inline const char *on_postgres(void) {
    return getenv("ARXD_TEST_POSTGRES");
}

static inline void fail_by_connection(PGconn *conn, const char *doing) {
    char text[2048];
    snprintf(text, sizeof text, "%.1024s: %.900s", doing, PQerrorMessage(conn));
    PQfinish(conn);
    fail_msg("%s", text);
}

static inline void run_on_server(const char *sql) {
    char url[512];
    snprintf(url, sizeof url, "%s/postgres", on_postgres());
    PGconn *conn = PQconnectdb(url);
    PQclear(PQexec(conn, "SET client_min_messages TO error"));
    PGresult *result = PQexec(conn, sql);
    if (PQresultStatus(result) != PGRES_COMMAND_OK) {
        fail_by_connection(conn, sql);
    }
    PQclear(result);
    PQfinish(conn);
}

/* What a report or an error calls the database. */
static inline const char *scratch_shown(const char *path) {
    return strrchr(path, '/');
}

/* In an empty folder of this process's own under build/test-tmp, or on the server: `name`. */
static inline const char *scratch(const char *name) {
    static char path[512];
    static int made;
    if (on_postgres() != NULL) {
        snprintf(path, sizeof path, "%s/t%ld-%s", on_postgres(), (long)getpid(), name);
        return path;
    }
    if (!made) {
        mkdir("build", 0777);
        mkdir("build/test-tmp", 0777);
        snprintf(path, sizeof path, "build/test-tmp/store-%ld", (long)getpid());
        mkdir(path, 0777);
        made = 1;
    }
    snprintf(path, sizeof path, "build/test-tmp/store-%ld/%s", (long)getpid(), name);
    return path;
}

/* Whatever was there, the next store_open() finds an empty place. */
static inline void scratch_remove(const char *path) {
    static const char *const ends[] = {"", "-wal", "-shm"};
    char name[600];
    if (on_postgres() != NULL) {
        snprintf(name, sizeof name, "DROP DATABASE IF EXISTS \"%s\" WITH (FORCE)",
                 scratch_shown(path) + 1);
        run_on_server(name);
        snprintf(name, sizeof name, "CREATE DATABASE \"%s\"", scratch_shown(path) + 1);
        run_on_server(name);
        return;
    }
    for (size_t i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%s%s", path, ends[i]);
        unlink(name);
    }
}

/* For cmocka's group teardown: removes the folder with the databases left in it. */
static inline int scratch_clean(void **state) {
    (void)state;
    char command[600];
    snprintf(command, sizeof command, "rm -rf build/test-tmp/store-%ld", (long)getpid());
    return on_postgres() != NULL || system(command) == 0 ? 0 : -1;
}

static inline bool file_exists(const char *path, const char *end) {
    char name[600];
    snprintf(name, sizeof name, "%s%s", path, end);
    return access(name, F_OK) == 0;
}

static inline void sleep_ms(int64_t ms) {
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* ---- a clock that tests set; added to the real one unless it stands still ---- */

static _Atomic int64_t test_clock_ms; /* 0: the real time */

static inline int64_t test_now_ms(void) {
    int64_t now_ms = atomic_load(&test_clock_ms);
    return now_ms == 0 ? clock_unix_ms() : now_ms;
}

#define HOUR_MS  INT64_C(3600000)
#define START_MS INT64_C(1700000000000)

static inline void clock_at(int64_t offset_ms) {
    atomic_store(&test_clock_ms, START_MS + offset_ms);
}

/* ---- reports ---- */

static _Atomic int report_count;
static char last_report[512];

static inline void count_report(const char *line) {
    snprintf(last_report, sizeof last_report, "%s", line);
    atomic_fetch_add(&report_count, 1);
}

/* ---- notes ---- */

static char last_note[1024];

static inline void keep_note(const char *line) {
    snprintf(last_note, sizeof last_note, "%s", line);
}

/* ---- operations ---- */

static inline store *open_with(store_options options) {
    char why[512] = "";
    if (options.report == NULL) {
        options.report = count_report;
    }
    if (options.note == NULL) {
        options.note = keep_note;
    }
    options.now_ms = test_now_ms;
    store *s = store_open(&options, why, sizeof why);
    if (s == NULL) {
        fail_msg("store_open: %s", why);
    }
    return s;
}

static inline store *open_at(const char *path) {
    return open_with((store_options){.path = path});
}

static inline store *open_fresh(const char *name) {
    scratch_remove(scratch(name));
    return open_at(scratch(name));
}

/* For cmocka's setup: nothing reported yet, and the clock at its start or the real one. */
static inline int at_start(void **state) {
    (void)state;
    atomic_store(&test_clock_ms, START_MS);
    atomic_store(&report_count, 0);
    return 0;
}

static inline int at_real_time(void **state) {
    (void)state;
    atomic_store(&test_clock_ms, 0);
    atomic_store(&report_count, 0);
    return 0;
}

typedef struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int open;
} gate;

#define GATE_INIT                                                                                  \
    { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 }

static inline void gate_open(store_op *op) {
    gate *g = op->owner;
    pthread_mutex_lock(&g->lock);
    g->open++;
    pthread_cond_broadcast(&g->changed);
    pthread_mutex_unlock(&g->lock);
}

static inline void gate_wait(gate *g, int count) {
    pthread_mutex_lock(&g->lock);
    while (g->open < count) {
        pthread_cond_wait(&g->changed, &g->lock);
    }
    pthread_mutex_unlock(&g->lock);
}

/* Submits and waits. */
static inline store_result do_op(store *s, store_op *op) {
    gate g = GATE_INIT;
    op->done = gate_open;
    op->owner = &g;
    if (!store_submit(s, op)) {
        gate_wait(&g, 1);
    }
    return op->result;
}

/* A distinct id for every number: its bytes repeat, so that the last eight differ too. */
static inline void make_id(uint8_t id[STORE_ID_BYTES], uint64_t number) {
    uint64_t mixed = (number + 1) * UINT64_C(0x9E3779B97F4A7C15);
    memcpy(id, &number, 8);
    memcpy(id + 8, &mixed, 8);
}

static inline store_op make_insert(uint64_t number, const char *payload, int64_t ttl_ms) {
    store_op op = {.kind = STORE_INSERT};
    make_id(op.artifact.id, number);
    op.artifact.payload = strdup(payload);
    op.artifact.payload_len = strlen(payload);
    op.artifact.ttl_ms = ttl_ms;
    op.artifact.sliding = true;
    return op;
}

static inline store_result insert_one(store *s, uint64_t number, const char *payload,
                                      int64_t ttl_ms) {
    store_op op = make_insert(number, payload, ttl_ms);
    store_result result = do_op(s, &op);
    store_op_clear(&op);
    return result;
}

/* Caller: store_op_clear(). */
static inline store_op read_one(store *s, uint64_t number, bool touch) {
    store_op op = {.kind = STORE_READ, .touch = touch};
    make_id(op.artifact.id, number);
    do_op(s, &op);
    return op;
}

static inline store_result read_result(store *s, uint64_t number) {
    store_op op = read_one(s, number, false);
    store_op_clear(&op);
    return op.result;
}

/* Another kind of operation on the row of that number. */
static inline store_op make_op(store_kind kind, uint64_t number) {
    store_op op = {.kind = kind};
    make_id(op.artifact.id, number);
    return op;
}

/* One that replaces the payload and keeps the rest. */
static inline store_op make_update(uint64_t number, const char *payload) {
    store_op op = make_op(STORE_UPDATE, number);
    op.artifact.payload = strdup(payload);
    op.artifact.payload_len = strlen(payload);
    op.keep_ttl = op.keep_sliding = op.keep_max_views = true;
    return op;
}

static inline store_result update_one(store *s, uint64_t number, const char *payload) {
    store_op op = make_update(number, payload);
    store_result result = do_op(s, &op);
    store_op_clear(&op);
    return result;
}

static inline store_result delete_one(store *s, uint64_t number) {
    store_op op = make_op(STORE_DELETE, number);
    return do_op(s, &op);
}

static inline store_result view_one(store *s, uint64_t number) {
    store_op op = make_op(STORE_VIEW, number);
    store_result result = do_op(s, &op);
    store_op_clear(&op);
    return result;
}

static inline void make_hash(uint8_t hash[STORE_HASH_BYTES], uint64_t number) {
    make_id(hash, number);
    make_id(hash + STORE_ID_BYTES, ~number);
}

/* Gives the operation to the store, to be waited for with gate_wait(). */
static inline void start_op(store *s, store_op *op, gate *g) {
    op->done = gate_open;
    op->owner = g;
    assert_false(store_submit(s, op));
}

static inline uint64_t sweep(store *s) {
    store_op op = {.kind = STORE_SWEEP};
    assert_int_equal(do_op(s, &op), STORE_OK);
    return op.count;
}

static inline store_result ping(store *s) {
    store_op op = {.kind = STORE_PING};
    return do_op(s, &op);
}

/* ---- a second connection, as another process would have it, to a file ---- */

static inline sqlite3 *raw_open(const char *path) {
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_busy_timeout(db, 2000);
    return db;
}

static inline void raw_exec(sqlite3 *db, const char *sql) {
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK) {
        fail_msg("%s: %s", sql, message);
    }
}

static inline int64_t raw_int(sqlite3 *db, const char *sql) {
    sqlite3_stmt *query = NULL;
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &query, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(query), SQLITE_ROW);
    int64_t value = sqlite3_column_int64(query, 0);
    sqlite3_finalize(query);
    return value;
}

/* ---- the same to either database; its tables have the same names ---- */

typedef struct peer {
    sqlite3 *file; /* one of the two */
    PGconn *conn;
} peer;

static inline void peer_exec(peer *p, const char *sql) {
    if (p->file != NULL) {
        raw_exec(p->file, sql);
        return;
    }
    PGresult *result = PQexec(p->conn, sql);
    if (PQresultStatus(result) != PGRES_COMMAND_OK && PQresultStatus(result) != PGRES_TUPLES_OK) {
        fail_by_connection(p->conn, sql);
    }
    PQclear(result);
}

static inline peer *peer_open(const char *path) {
    peer *p = calloc(1, sizeof *p);
    if (on_postgres() == NULL) {
        p->file = raw_open(path);
    } else {
        p->conn = PQconnectdb(path);
        peer_exec(p, "SET search_path TO arxd; SET client_min_messages TO error");
    }
    return p;
}

static inline void peer_close(peer *p) {
    sqlite3_close(p->file);
    PQfinish(p->conn);
    free(p);
}

static inline int64_t peer_int(peer *p, const char *sql) {
    if (p->file != NULL) {
        return raw_int(p->file, sql);
    }
    PGresult *result = PQexec(p->conn, sql);
    if (PQresultStatus(result) != PGRES_TUPLES_OK || PQntuples(result) != 1) {
        fail_by_connection(p->conn, sql);
    }
    int64_t value = strtoll(PQgetvalue(result, 0, 0), NULL, 10);
    PQclear(result);
    return value;
}

/* Nobody else writes until peer_unlock(). */
static inline void peer_lock(peer *p) {
    peer_exec(p, p->file != NULL ? "BEGIN IMMEDIATE"
                                 : "BEGIN; LOCK TABLE artifacts, lifetimes, idempotency, notes, "
                                   "gone IN EXCLUSIVE MODE");
}

static inline void peer_unlock(peer *p) {
    peer_exec(p, "ROLLBACK");
}

/* Links that have expired, without going through the store. maker: an SQL expression. */
static inline void peer_fill_expired(peer *p, int count, int64_t created_at_ms, const char *maker) {
    char sql[1024];
    if (p->file != NULL) {
        snprintf(sql, sizeof sql,
                 "BEGIN; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
                 "%d) INSERT INTO artifacts (id, created_at, updated_at, maker, payload) SELECT "
                 "randomblob(16), %lld, 0, %s, hex(randomblob(200)) FROM n; "
                 "INSERT INTO lifetimes SELECT row, 1, 0, 1, 1, 0, 0, 0, NULL, NULL FROM artifacts "
                 "WHERE row NOT IN (SELECT row FROM lifetimes); COMMIT",
                 count, (long long)created_at_ms, maker);
    } else {
        snprintf(sql, sizeof sql,
                 "INSERT INTO artifacts (id, created_at, updated_at, maker, payload) SELECT "
                 "gen_random_uuid(), %lld, 0, %s, CAST(repeat('x', 400) AS bytea) FROM "
                 "generate_series(1, %d); INSERT INTO lifetimes (id, expires_at, expires_slot, "
                 "last_viewed_at, ttl, sliding, views, max_views, views_left) SELECT id, 1, 0, 0, "
                 "1, true, 0, 0, 0 FROM artifacts WHERE id NOT IN (SELECT id FROM lifetimes)",
                 (long long)created_at_ms, maker, count);
    }
    peer_exec(p, sql);
}

/* Ends and records of long ago, likewise. */
static inline void peer_fill_old(peer *p, int ends, int records) {
    char sql[1024];
    if (p->file != NULL) {
        snprintf(sql, sizeof sql,
                 "BEGIN; WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE "
                 "i < %d) INSERT INTO gone SELECT randomblob(16), i FROM n;"
                 "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
                 "INSERT INTO idempotency SELECT i, randomblob(32), randomblob(32), 201, i, "
                 "randomblob(2000) FROM n; COMMIT",
                 ends, records);
    } else {
        snprintf(
            sql, sizeof sql,
            "INSERT INTO gone SELECT gen_random_uuid(), i FROM generate_series(1, %d) i; "
            "INSERT INTO idempotency SELECT sha256(CAST(CAST(i AS text) AS bytea)), "
            "sha256(''), 201, i, CAST(repeat('x', 2000) AS bytea) FROM generate_series(1, %d) i",
            ends, records);
    }
    peer_exec(p, sql);
}

/* Is what is stored whole, as far as the database can tell? */
static inline void peer_check(const char *path) {
    peer *p = peer_open(path);
    assert_int_equal(peer_int(p, p->file != NULL
                                     ? "SELECT count(*) FROM pragma_integrity_check"
                                       " WHERE integrity_check = 'ok'"
                                     : "SELECT CASE WHEN (SELECT count(*) FROM artifacts) = "
                                       "(SELECT count(*) FROM lifetimes) THEN 1 ELSE 0 END"),
                     1);
    peer_close(p);
}

#endif
