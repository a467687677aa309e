/*
 * stores.h - what the store's unit programs share: a scratch folder on the real disk, operations
 * that are waited for, and a second connection to the same file.
 */
#ifndef TEST_STORES_H
#define TEST_STORES_H

#include "vectors.h"

#include "clock.h"
#include "store.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* An empty folder of this process's own under build/test-tmp; the path of `name` in it. */
static inline const char *scratch(const char *name) {
    static char path[512];
    static int made;
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

static inline void scratch_remove(const char *path) {
    static const char *const ends[] = {"", "-wal", "-shm"};
    char name[600];
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
    return system(command) == 0 ? 0 : -1;
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

/* ---- a second connection, as another process would have it ---- */

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

#endif
