/*
 * A database made by agent-render's own server becomes ours on the first start: every link it
 * serves is served on, what cannot be is kept and told, and a kill on the way changes nothing.
 */
#include "stores.h"

#include "ids.h"

#include <signal.h>
#include <sys/wait.h>

#define DAY_MS (24 * HOUR_MS)
#define NOW_MS INT64_C(1769900400000) /* 2026-01-31T23:00:00.000Z */

static int fresh(void **state) {
    (void)state;
    atomic_store(&test_clock_ms, NOW_MS);
    atomic_store(&report_count, 0);
    last_note[0] = '\0';
    return 0;
}

static const char TABLE[] =
    "CREATE TABLE artifacts (id TEXT PRIMARY KEY, payload TEXT NOT NULL, "
    "created_at TEXT NOT NULL DEFAULT (datetime('now')), "
    "updated_at TEXT NOT NULL DEFAULT (datetime('now')), "
    "last_viewed_at TEXT NOT NULL DEFAULT (datetime('now')), expires_at TEXT NOT NULL);"
    "CREATE INDEX idx_artifacts_expires_at ON artifacts (expires_at);";

/* The other server's file, with its log switched on as that server has it. */
static sqlite3 *make_theirs(const char *path) {
    scratch_remove(path);
    sqlite3 *db = raw_open(path);
    raw_exec(db, "PRAGMA journal_mode = WAL");
    raw_exec(db, TABLE);
    return db;
}

static store_op read_uuid(store *s, const char *uuid) {
    store_op op = {.kind = STORE_READ};
    assert_true(id_parse(uuid, op.artifact.id));
    do_op(s, &op);
    return op;
}

#define UUID(n) "0000000" #n "-1111-4222-8333-444455556666"

static void taken_over(void **state) {
    (void)state;
    const char *path = scratch("theirs.db");
    sqlite3 *db = make_theirs(path);
    raw_exec(
        db,
        "INSERT INTO artifacts VALUES "
        /* as toISOString() writes: made, read 1 h later, updated, read again */
        "('" UUID(1) "', 'aOne', '2026-01-31T20:00:00.123Z', '2026-01-31T21:30:00.456Z', "
                     "'2026-01-31T22:00:00.789Z', '2026-02-01T22:00:00.789Z'),"
                     /* updated last: the end follows that */
                     "('" UUID(
                         2) "', 'pTwo \xf0\x9f\x98\x80', '2026-01-31T20:00:00.000Z', "
                            "'2026-01-31T22:00:00.000Z', '2026-01-31T20:00:00.000Z', "
                            "'2026-02-02T22:00:00.000Z'),"
                            /* as datetime('now') does */
                            "('" UUID(
                                3) "', 'd', '2026-01-31 20:00:00', '2026-01-31 20:00:00', "
                                   "'2026-01-31 20:00:00', '2026-02-01 20:00:00'),"
                                   /* ended, this very millisecond, and a moment later */
                                   "('" UUID(
                                       4) "', 'd', '2026-01-01T00:00:00.000Z', "
                                          "'2026-01-01T00:00:00.000Z', "
                                          "'2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'),"
                                          "('" UUID(
                                              5) "', 'd', '2026-01-30T23:00:00.000Z', "
                                                 "'2026-01-30T23:00:00.000Z', "
                                                 "'2026-01-30T23:00:00.000Z', "
                                                 "'2026-01-31T23:00:00.000Z'),"
                                                 "('" UUID(
                                                     6) "', 'd', '2026-01-30T23:00:00.001Z', "
                                                        "'2026-01-30T23:00:00.001Z', "
                                                        "'2026-01-30T23:00:00.001Z', "
                                                        "'2026-01-31T23:00:00.001Z'),"
                                                        /* an id in capitals; with times nobody can
                                                           read */
                                                        "('ABCDEF07-1111-4222-8333-444455556666', "
                                                        "'d', 'yesterday', '', 'x', "
                                                        "'2026-02-01T10:00:00.000Z'),"
                                                        "('" UUID(
                                                            8) "', '', '2026-01-31T22:00:00.000Z', "
                                                               "'2026-01-31T22:00:00.000Z', "
                                                               "'2026-01-31T22:00:00.000Z', "
                                                               "'9999-12-31T23:59:59.999Z')");
    sqlite3_close(db);

    store *s = open_at(path);
    assert_non_null(strstr(last_note, path));
    assert_non_null(strstr(last_note, "took over 6 links"));
    assert_non_null(strstr(last_note, "left out 2 that had expired"));
    assert_null(strstr(last_note, "no UUID"));
    for (int again = 0; again < 2; again++) {
        store_op one = read_uuid(s, UUID(1));
        assert_int_equal(one.result, STORE_OK);
        assert_string_equal(one.artifact.payload, "aOne");
        assert_string_equal(one.artifact.asset_set, "");
        assert_null(one.artifact.codec);
        assert_null(one.artifact.kind);
        assert_null(one.artifact.title);
        assert_false(one.artifact.has_edit_key);
        assert_false(one.artifact.has_maker);
        assert_int_equal(one.artifact.created_at_ms, NOW_MS - 3 * HOUR_MS + 123);
        assert_int_equal(one.artifact.updated_at_ms, NOW_MS - 3 * HOUR_MS / 2 + 456);
        assert_int_equal(one.artifact.last_viewed_at_ms, NOW_MS - HOUR_MS + 789);
        assert_int_equal(one.artifact.expires_at_ms, NOW_MS + 23 * HOUR_MS + 789);
        assert_int_equal(one.artifact.ttl_ms, DAY_MS);
        assert_true(one.artifact.sliding);
        assert_int_equal(one.artifact.views, 0);
        assert_int_equal(one.artifact.max_views, 0);
        store_op_clear(&one);
        store_op two = read_uuid(s, UUID(2));
        assert_string_equal(two.artifact.payload, "pTwo \xf0\x9f\x98\x80");
        assert_int_equal(two.artifact.ttl_ms, 2 * DAY_MS);
        store_op_clear(&two);
        store_op three = read_uuid(s, UUID(3));
        assert_int_equal(three.artifact.created_at_ms, NOW_MS - 3 * HOUR_MS);
        assert_int_equal(three.artifact.expires_at_ms, NOW_MS + 21 * HOUR_MS);
        assert_int_equal(three.artifact.ttl_ms, DAY_MS);
        store_op_clear(&three);
        store_op seven = read_uuid(s, "abcdef07-1111-4222-8333-444455556666");
        assert_int_equal(seven.result, STORE_OK);
        assert_int_equal(seven.artifact.created_at_ms, NOW_MS);
        assert_int_equal(seven.artifact.ttl_ms, 11 * HOUR_MS);
        store_op_clear(&seven);
        store_op eight = read_uuid(s, UUID(8));
        assert_int_equal(eight.artifact.expires_at_ms, INT64_C(253402300799999));
        assert_int_equal(eight.artifact.payload_len, 0);
        store_op_clear(&eight);
        store_op ended = read_uuid(s, UUID(4));
        assert_int_equal(ended.result, STORE_NOT_FOUND);
        ended = read_uuid(s, UUID(5));
        assert_int_equal(ended.result, STORE_NOT_FOUND);
        ended = read_uuid(s, UUID(6));
        assert_int_equal(ended.result, STORE_OK);
        store_op_clear(&ended);
        store_close(s);
        last_note[0] = '\0';
        s = open_at(path); /* the second start has nothing to say */
        assert_string_equal(last_note, "");
    }
    /* It is an ordinary database of ours now. */
    store_op read = read_uuid(s, UUID(1));
    store_op update = make_update(0, "new");
    memcpy(update.artifact.id, read.artifact.id, STORE_ID_BYTES);
    update.guarded = true;
    assert_int_equal(do_op(s, &update), STORE_OK);
    store_op_clear(&read);
    store_op_clear(&update);
    store_close(s);
    db = raw_open(path);
    assert_int_equal(raw_int(db, "SELECT count(*) FROM sqlite_schema WHERE name LIKE '%before%' OR "
                                 "name LIKE '%idx_%' OR name LIKE '%migrated%'"),
                     0);
    assert_int_equal(raw_int(db, "SELECT count(*) FROM lifetimes"), 6);
    assert_int_equal(raw_int(db, "SELECT count(*) FROM pragma_integrity_check "
                                 "WHERE integrity_check = 'ok'"),
                     1);
    sqlite3_close(db);
}

/* Rows that no link can name or show are kept, and the line says so. */
static void odd_rows(void **state) {
    (void)state;
    const char *path = scratch("odd.db");
    sqlite3 *db = make_theirs(path);
    raw_exec(db,
             "INSERT INTO artifacts (id, payload, expires_at) VALUES "
             "('" UUID(
                 1) "', 'good', '2026-02-01T00:00:00.000Z'),"
                    "(NULL, 'no id', '2026-02-01T00:00:00.000Z'),"
                    "('', 'empty', '2026-02-01T00:00:00.000Z'),"
                    "('my-report', 'a name', '2026-02-01T00:00:00.000Z'),"
                    "('{" UUID(
                        2) "}', 'braces', '2026-02-01T00:00:00.000Z'),"
                           "('" UUID(
                               3) "' || char(0) || 'x', 'NUL', '2026-02-01T00:00:00.000Z'),"
                                  "('AAAAAAAAAAAAAAAAAAAAAA', 'the short form was never theirs', "
                                  "'2026-02-01T00:00:00.000Z'),"
                                  "(x'00', 'a blob', '2026-02-01T00:00:00.000Z'),"
                                  "('" UUID(
                                      4) "', x'ff00', '2026-02-01T00:00:00.000Z'),"
                                         "('" UUID(
                                             5) "', 'NUL' || char(0), '2026-02-01T00:00:00.000Z'),"
                                                "('" UUID(
                                                    6) "', CAST(x'c328' AS TEXT), "
                                                       "'2026-02-01T00:00:00.000Z'),"
                                                       "('" UUID(
                                                           7) "', 'when?', 'tomorrow'),"
                                                              "('" UUID(
                                                                  8) "', 'when?', "
                                                                     "'2026-13-01T00:00:00.000Z'),"
                                                                     "('expired and odd', 'x', "
                                                                     "'2026-01-01T00:00:00.000Z')");
    /* Two spellings of one id: the one that server finds wins, whichever was written first. */
    raw_exec(db, "INSERT INTO artifacts (id, payload, expires_at) VALUES "
                 "('ABCDEF09-1111-4222-8333-444455556666', 'loud', '2026-02-01T00:00:00.000Z'),"
                 "('abcdef09-1111-4222-8333-444455556666', 'quiet', '2026-02-01T00:00:00.000Z')");
    sqlite3_close(db);
    store *s = open_at(path);
    assert_non_null(strstr(last_note, "took over 2 links"));
    assert_non_null(strstr(last_note, "left out 1 that had expired"));
    assert_non_null(strstr(last_note, "13 rows"));
    assert_non_null(strstr(last_note, "artifacts_not_migrated"));
    store_op read = read_uuid(s, "abcdef09-1111-4222-8333-444455556666");
    assert_string_equal(read.artifact.payload, "quiet");
    store_op_clear(&read);
    assert_int_equal(sweep(s), 0);
    store_close(s);
    db = raw_open(path);
    assert_int_equal(raw_int(db, "SELECT count(*) FROM artifacts_not_migrated"), 13);
    assert_int_equal(raw_int(db, "SELECT count(*) FROM artifacts_not_migrated WHERE "
                                 "(id = 'my-report' AND payload = 'a name') OR (id IS NULL) OR "
                                 "(payload = x'ff00') OR (payload = 'loud')"),
                     4);
    sqlite3_close(db);
    store_close(open_at(path)); /* the table is in nobody's way */
}

/* Not everything called artifacts is that table. */
static void others_refused(void **state) {
    (void)state;
    static const char *const theirs[] = {
        "CREATE TABLE artifacts (id TEXT PRIMARY KEY, payload TEXT)",
        "CREATE TABLE artifacts (id, payload, created_at, updated_at, last_viewed_at, expires_at, "
        "more)",
        "CREATE TABLE artifacts (id, payload, created_at, updated_at, last_viewed_at, expires_at);"
        "CREATE TABLE users (name)",
        "CREATE TABLE artifacts (id, payload, created_at, updated_at, last_viewed_at, expires_at);"
        "CREATE TRIGGER t AFTER DELETE ON artifacts BEGIN DELETE FROM artifacts; END",
        "CREATE TABLE artifacts (id, payload, created_at, updated_at, last_viewed_at, expires_at);"
        "CREATE VIEW v AS SELECT * FROM artifacts",
        "CREATE VIEW artifacts AS SELECT 1 AS id, 2 AS payload, 3 AS created_at, 4 AS updated_at, "
        "5 AS last_viewed_at, 6 AS expires_at",
        "CREATE TABLE artifacts (id, payload, created_at, updated_at, last_viewed_at, expires_at);"
        "PRAGMA user_version = 1",
    };
    for (size_t i = 0; i < sizeof theirs / sizeof theirs[0]; i++) {
        const char *path = scratch("foreign.db");
        scratch_remove(path);
        sqlite3 *db = raw_open(path);
        raw_exec(db, theirs[i]);
        int64_t before = raw_int(db, "SELECT sum(length(sql)) FROM sqlite_schema");
        sqlite3_close(db);
        char why[512] = "";
        store *s = store_open(&(store_options){.path = path}, why, sizeof why);
        assert_null(s);
        assert_non_null(strstr(why, "another program"));
        db = raw_open(path);
        assert_int_equal(raw_int(db, "SELECT sum(length(sql)) FROM sqlite_schema"), before);
        sqlite3_close(db);
    }
    /* What SQLite itself adds is no reason. */
    sqlite3 *db = make_theirs(scratch("analyzed.db"));
    raw_exec(db, "INSERT INTO artifacts (id, payload, expires_at) VALUES ('" UUID(
                     1) "', 'x', '2026-02-01T00:00:00.000Z'); ANALYZE");
    sqlite3_close(db);
    store *s = open_at(scratch("analyzed.db"));
    store_op read = read_uuid(s, UUID(1));
    assert_int_equal(read.result, STORE_OK);
    store_op_clear(&read);
    store_close(s);
}

enum { ROWS = 100000 };

static void make_many(const char *path) {
    sqlite3 *db = make_theirs(path);
    char sql[600];
    snprintf(sql, sizeof sql,
             "BEGIN; WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE "
             "i < %d - 1) INSERT INTO artifacts (id, payload, expires_at) SELECT "
             "format('%%08x-%%04x-4abc-8def-%%012x', (i * 2654435761) %% 4294967296, i %% 65536, "
             "i), hex(randomblob(1000)), '2026-02-01T22:00:00.789Z' FROM n; COMMIT",
             ROWS);
    raw_exec(db, sql);
    sqlite3_close(db);
}

/* A hundred thousand links of 2 KB, killed in the middle and once more before they are through. */
static void many_and_killed(void **state) {
    (void)state;
    const char *path = scratch("many.db");
    make_many(path);
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0) {
            char why[512];
            store_open(&(store_options){.path = path, .now_ms = test_now_ms, .note = keep_note},
                       why, sizeof why);
            _exit(0);
        }
        sleep_ms(150 + i * 350);
        kill(child, SIGKILL);
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(
            WIFSIGNALED(status)); /* else it was through already: the test needs more rows */
        sqlite3 *db = raw_open(path);
        assert_int_equal(raw_int(db, "SELECT count(*) FROM artifacts WHERE length(id) = 36"), ROWS);
        assert_int_equal(raw_int(db, "PRAGMA user_version"), 0);
        sqlite3_close(db);
    }
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    off_t before = status.st_size;
    int64_t begin_ms = clock_monotonic_ms();
    store *s = open_at(path);
    int64_t took_ms = clock_monotonic_ms() - begin_ms;
    print_message("%d links taken over in %d ms\n", ROWS, (int)took_ms);
    assert_non_null(strstr(last_note, "took over 100000 links"));
    assert_true(took_ms < 120000);
    assert_int_equal(stat(path, &status), 0);
    assert_true(status.st_size < before + before / 10); /* rows move into each other's places */
    char wal[600];
    snprintf(wal, sizeof wal, "%s-wal", path);
    assert_true(stat(wal, &status) != 0 || status.st_size < 1 << 20);
    store_op read = read_uuid(s, "00000000-0000-4abc-8def-000000000000");
    assert_int_equal(read.result, STORE_OK);
    assert_int_equal(read.artifact.payload_len, 2000);
    store_op_clear(&read);
    store_close(s);
    sqlite3 *db = raw_open(path);
    assert_int_equal(raw_int(db, "SELECT count(*) FROM artifacts"), ROWS);
    assert_int_equal(raw_int(db, "SELECT count(*) FROM lifetimes"), ROWS);
    assert_int_equal(raw_int(db, "SELECT count(*) FROM pragma_integrity_check "
                                 "WHERE integrity_check = 'ok'"),
                     1);
    sqlite3_close(db);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(taken_over, fresh),
        cmocka_unit_test_setup(odd_rows, fresh),
        cmocka_unit_test_setup(others_refused, fresh),
        cmocka_unit_test_setup(many_and_killed, fresh),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
