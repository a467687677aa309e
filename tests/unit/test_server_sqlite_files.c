/* What the store does with the place it is given: makes it, or refuses it in one line. */
#include "stores.h"

#include "store_admin.h"
#include "store_migrations.h"

#include <fcntl.h>
#include <sys/wait.h>

static void must_refuse(const char *path, const char *const *words, size_t count) {
    char why[512] = "";
    store *s = store_open(&(store_options){.path = path, .busy_timeout_ms = 100}, why, sizeof why);
    if (s != NULL) {
        store_close(s);
        fail_msg("%s was accepted", path);
    }
    assert_null(strchr(why, '\n'));
    for (size_t i = 0; i < count; i++) {
        if (strstr(why, words[i]) == NULL) {
            fail_msg("\"%s\" does not say %s", why, words[i]);
        }
    }
}

#define REFUSE(path, ...)                                                                          \
    do {                                                                                           \
        const char *const words_[] = {__VA_ARGS__};                                                \
        must_refuse(path, words_, sizeof words_ / sizeof words_[0]);                               \
    } while (0)

static void makes_folders(void **state) {
    (void)state;
    store *s = open_at(scratch("a/b/c/new.db"));
    assert_int_equal(insert_one(s, 1, "x", 60000), STORE_OK);
    assert_true(file_exists(scratch("a/b/c/new.db"), "-wal"));
    store_close(s);
    assert_true(file_exists(scratch("a/b/c/new.db"), ""));
    assert_false(file_exists(scratch("a/b/c/new.db"), "-wal"));
    assert_false(file_exists(scratch("a/b/c/new.db"), "-shm"));

    sqlite3 *db = raw_open(scratch("a/b/c/new.db"));
    assert_int_equal(raw_int(db, "PRAGMA user_version"), (int64_t)migrations_sqlite_count);
    assert_int_equal(raw_int(db, "PRAGMA page_size"), 4096);
    assert_int_equal(raw_int(db, "SELECT count(*) FROM pragma_integrity_check"
                                 " WHERE integrity_check = 'ok'"),
                     1);
    /* Whoever writes beside the store cannot store an id that is none. */
    assert_int_equal(sqlite3_exec(db,
                                  "INSERT INTO artifacts (id, payload, created_at, updated_at)"
                                  "VALUES (x'00', 'x', 0, 0)",
                                  NULL, NULL, NULL),
                     SQLITE_CONSTRAINT);
    sqlite3_close(db);
}

static void newer_version(void **state) {
    (void)state;
    const char *path = scratch("newer.db");
    store_close(open_at(path));
    sqlite3 *db = raw_open(path);
    char sql[64];
    char ours[32];
    snprintf(sql, sizeof sql, "PRAGMA user_version = %zu", migrations_sqlite_count + 41);
    raw_exec(db, sql);
    sqlite3_close(db);
    snprintf(ours, sizeof ours, "up to %zu", migrations_sqlite_count);
    REFUSE(path, path, strrchr(sql, ' '), ours);
    snprintf(sql, sizeof sql, "PRAGMA user_version = %zu", migrations_sqlite_count);
    db = raw_open(path);
    assert_int_equal(raw_int(db, "PRAGMA user_version"), (int64_t)migrations_sqlite_count + 41);
    raw_exec(db, sql);
    sqlite3_close(db);
    store_close(open_at(path));
}

static void foreign_database(void **state) {
    (void)state;
    const char *path = scratch("foreign.db");
    sqlite3 *db = raw_open(path);
    raw_exec(db, "CREATE TABLE artifacts (id TEXT PRIMARY KEY, payload TEXT NOT NULL);"
                 "INSERT INTO artifacts VALUES ('a', 'b')");
    sqlite3_close(db);
    REFUSE(path, path, "another program");
    db = raw_open(path);
    raw_exec(db, "PRAGMA user_version = 1"); /* a version we know, but not our mark */
    sqlite3_close(db);
    REFUSE(path, path, "another program");
    db = raw_open(path);
    assert_int_equal(raw_int(db, "SELECT count(*) FROM artifacts"), 1);
    assert_int_equal(raw_int(db, "SELECT count(*) FROM sqlite_schema"), 2);
    sqlite3_close(db);
}

static void lacks_tables(void **state) {
    (void)state;
    const char *path = scratch("lacks.db");
    store_close(open_at(path));
    sqlite3 *db = raw_open(path);
    raw_exec(db, "DROP TABLE lifetimes");
    sqlite3_close(db);
    REFUSE(path, path, "lifetimes");
}

static void no_database(void **state) {
    (void)state;
    const char *path = scratch("text.db");
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 300; i++) {
        fprintf(file, "this is no database %d\n", i);
    }
    fclose(file);
    REFUSE(path, path, "not a database");
    REFUSE("build", "build", "uid");
    REFUSE("/dev/null", "/dev/null");
    REFUSE("", "--db");
}

/* Names that SQLite would read as something else are files like any other. */
static void odd_names(void **state) {
    (void)state;
    char folder[512];
    char before[512];
    snprintf(folder, sizeof folder, "%s", scratch("odd"));
    mkdir(folder, 0777);
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    static const char *const names[] = {":memory:", "file:x?mode=memory", "-x", "a b%41?#.db"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        store *s = open_at(names[i]);
        assert_int_equal(insert_one(s, 1, "kept", 60000), STORE_OK);
        store_close(s);
        assert_true(file_exists(names[i], ""));
        s = open_at(names[i]);
        assert_int_equal(read_result(s, 1), STORE_OK);
        store_close(s);
    }
    assert_int_equal(chdir(before), 0);
}

/*
 * Run as somebody who may not write: the line names path, uid and what to do. That somebody may not
 * enter the folder of this checkout either, so the database is elsewhere.
 */
static void not_writable(void **state) {
    (void)state;
    char folder[] = "/tmp/arxd-locked-XXXXXX";
    char path[600];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x.db", folder);
    store_close(open_at(path));
    chmod(path, 0666);
    chmod(folder, 0555);
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0) {
            _exit(2);
        }
        char why[512] = "";
        char uid[32];
        snprintf(uid, sizeof uid, "uid %ld", (long)geteuid());
        store *s = store_open(&(store_options){.path = path}, why, sizeof why);
        bool right = s == NULL && strstr(why, path) && strstr(why, uid) && strstr(why, "folder");
        if (!right) {
            fprintf(stderr, "%s\n", why);
        }
        char deeper[700];
        snprintf(deeper, sizeof deeper, "%s/sub/x.db", folder);
        s = store_open(&(store_options){.path = deeper}, why, sizeof why);
        right = right && s == NULL && strstr(why, deeper) && strstr(why, uid);
        _exit(right ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    chmod(folder, 0700);
    scratch_remove(path);
    assert_int_equal(rmdir(folder), 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* One store a file: two would checkpoint against each other. */
static void one_at_a_time(void **state) {
    (void)state;
    const char *path = scratch("single.db");
    store *s = open_at(path);
    REFUSE(path, path, "in use");
    assert_int_equal(insert_one(s, 1, "x", 60000), STORE_OK);
    store_close(s);
    s = open_at(path);
    assert_int_equal(read_result(s, 1), STORE_OK);
    store_close(s);
}

/* ---- who checkpoints ---- */

/* Connections in the order they are opened: SQLite tells of each. */
static sqlite3 *opened[16];
static size_t opened_count;

static int note_connection(sqlite3 *db, const char **why, const void *api) {
    (void)why;
    (void)api;
    assert_true(opened_count < sizeof opened / sizeof opened[0]);
    opened[opened_count++] = db;
    return SQLITE_OK;
}

static bool keeps_from_checkpoints(sqlite3 *db, bool closing_too) {
    int quiet_end = 0;
    sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, -1, &quiet_end);
    return raw_int(db, "PRAGMA wal_autocheckpoint") == 0 && (quiet_end == 1 || !closing_too);
}

static bool note_beside(void *opaque) {
    *(bool *)opaque = opened_count == 2 && keeps_from_checkpoints(opened[0], true);
    return true;
}

/*
 * SQLite up to 3.51.2 can lose committed rows when one connection writes and another checkpoints.
 * So there is one that does either, which checkpoints when it says so and not by itself; all others
 * of the process can do neither, and those of a backup beside it do not when they close.
 */
static void one_connection_checkpoints(void **state) {
    (void)state;
    const char *path = scratch("who.db");
    opened_count = 0;
    sqlite3_auto_extension((void (*)(void))note_connection);
    store *s = open_at(path);
    assert_int_equal(insert_one(s, 1, "x", 60000), STORE_OK);
    assert_int_equal(read_result(s, 1), STORE_OK);
    assert_int_equal(ping(s), STORE_OK);
    store_op list = {.kind = STORE_LIST, .state = STORE_ANY, .limit = 10};
    assert_int_equal(do_op(s, &list), STORE_OK);
    store_op_clear(&list);
    assert_true(opened_count >= 2);
    for (size_t i = 0; i < opened_count; i++) {
        bool is_writer = i == 0;
        assert_int_equal(sqlite3_db_readonly(opened[i], "main"), !is_writer);
        assert_int_equal(raw_int(opened[i], "PRAGMA query_only"), !is_writer);
        assert_true(keeps_from_checkpoints(opened[i], !is_writer));
    }

    opened_count = 0;
    bool held = false;
    char why[512];
    char copy[600];
    snprintf(copy, sizeof copy, "%s.copy", path);
    assert_int_equal(store_backup(&(store_options){.path = path, .now_ms = test_now_ms}, copy,
                                  note_beside, &held, why, sizeof why),
                     STORE_OK);
    assert_true(held);
    sqlite3_cancel_auto_extension((void (*)(void))note_connection);
    store_close(s);
}

static void describes_itself(void **state) {
    (void)state;
    store *s = open_at(scratch("version.db"));
    assert_int_equal(strncmp(store_describe(s), "SQLite 3.", 9), 0);
    assert_string_equal(store_describe(s) + 7, sqlite3_libversion());
    store_close(s);
}

/* A database as that version left it: every link is there, listed, and counted to its maker. */
static void from_version(size_t version) {
    char mark[100];
    const char *path = scratch("older.db");
    scratch_remove(path);
    sqlite3 *db = raw_open(path);
    for (size_t i = 0; i < version; i++) {
        raw_exec(db, migrations_sqlite[i]);
    }
    snprintf(mark, sizeof mark, "PRAGMA application_id = 0x61727864; PRAGMA user_version = %zu",
             version);
    raw_exec(db, mark);
    raw_exec(db,
             "INSERT INTO artifacts (row, id, created_at, updated_at, maker, payload) VALUES"
             "(1, x'00000000000000000000000000000001', 1699999999999, 1699999999999, NULL, 'one'),"
             "(2, x'00000000000000000000000000000002', 1699999999999, 1699999999999, zeroblob(32), "
             "'two'),"
             "(3, x'00000000000000000000000000000003', 1699999999999, 1699999999999, zeroblob(32), "
             "'three');"
             "INSERT INTO lifetimes (row, expires_at, last_viewed_at, ttl, sliding, views, "
             "max_views, views_left, asset_set) VALUES (1, 1700003600000, 0, 1, 0, 0, 0, 0, NULL),"
             "(2, 1700003600000, 0, 1, 0, 0, 0, 0, NULL), (3, 9, 0, 1, 0, 0, 0, 0, NULL)");
    sqlite3_close(db);
    atomic_store(&test_clock_ms, INT64_C(1700000000000));
    store *s = open_at(path);
    store_op op = {.kind = STORE_LIST, .state = STORE_ANY, .limit = 10};
    assert_int_equal(do_op(s, &op), STORE_OK);
    assert_int_equal(op.count, 2);
    assert_int_equal(op.artifacts[0].id[15], 3);
    assert_int_equal(op.artifacts[1].id[15], 2);
    store_op_clear(&op);
    op = (store_op){.kind = STORE_READ, .artifact.id[15] = 1};
    assert_int_equal(do_op(s, &op), STORE_OK);
    assert_string_equal(op.artifact.payload, "one");
    assert_null(op.artifact.label);
    store_op_clear(&op);
    assert_int_equal(sweep(s), 1);
    store_close(s);
    atomic_store(&test_clock_ms, 0);
    db = raw_open(path);
    assert_int_equal(raw_int(db, "PRAGMA user_version"), (int64_t)migrations_sqlite_count);
    assert_int_equal(raw_int(db, "SELECT count(*) FROM notes"), 0);
    assert_int_equal(raw_int(db, "SELECT count(*) FROM makers WHERE maker = zeroblob(32) AND "
                                 "links = 1 AND bytes = 3"),
                     1);
    sqlite3_close(db);
}

static void from_every_earlier_version(void **state) {
    (void)state;
    assert_true(migrations_sqlite_count > 1);
    for (size_t version = 1; version < migrations_sqlite_count; version++) {
        from_version(version);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_folders),
        cmocka_unit_test(newer_version),
        cmocka_unit_test(foreign_database),
        cmocka_unit_test(lacks_tables),
        cmocka_unit_test(no_database),
        cmocka_unit_test(odd_names),
        cmocka_unit_test(not_writable),
        cmocka_unit_test(one_at_a_time),
        cmocka_unit_test(describes_itself),
        cmocka_unit_test(from_every_earlier_version),
        cmocka_unit_test(one_connection_checkpoints),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
