/*
 * store_remove(), the operator's deletion: with a store open in another process or with none, and
 * never in the way of that store's checkpoints.
 */
#include "stores.h"

#include "store_sqlite_lock.h"

#include <fcntl.h>
#include <sys/wait.h>

static store_result remove_within(const char *path, uint64_t number, bool gone, unsigned wait_ms,
                                  char *why, size_t why_size) {
    uint8_t id[STORE_ID_BYTES];
    make_id(id, number);
    why[0] = '\0';
    store_options options = {.path = path, .busy_timeout_ms = wait_ms, .gone = gone};
    return store_remove(&options, id, why, why_size);
}

static store_result remove_one(const char *path, uint64_t number, char *why, size_t why_size) {
    return remove_within(path, number, false, 2000, why, why_size);
}

/*
 * In a process of its own, as the operator's command is: this program again, with arguments.
 * (A fork alone would not do: SQLite keeps its locks in memory that the child would inherit.)
 */
static store_result remove_apart(const char *path, uint64_t number, bool gone) {
    char digits[32];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "remove", path, digits, gone ? "gone" : "", (char *)NULL);
        _exit(100);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return (store_result)WEXITSTATUS(status);
}

static int remove_here(char **argv) {
    char why[512];
    store_result result = remove_within(argv[1], strtoull(argv[2], NULL, 10),
                                        strcmp(argv[3], "gone") == 0, 30000, why, sizeof why);
    if (why[0] != '\0') {
        fprintf(stderr, "%s\n", why);
    }
    return (int)result;
}

static void without_a_daemon(void **state) {
    (void)state;
    const char *path = scratch("alone.db");
    char why[512];
    store *s = open_at(path);
    for (uint64_t i = 0; i < 3; i++) {
        assert_int_equal(insert_one(s, i, "x", HOUR_MS), STORE_OK);
    }
    store_close(s);
    assert_int_equal(remove_one(path, 1, why, sizeof why), STORE_OK);
    assert_string_equal(why, "");
    assert_false(file_exists(path, "-wal")); /* as clean as it was */
    assert_int_equal(remove_one(path, 1, why, sizeof why), STORE_NOT_FOUND);
    assert_false(file_exists(path, "-wal"));
    s = open_at(path);
    assert_int_equal(read_result(s, 0), STORE_OK);
    assert_int_equal(read_result(s, 1), STORE_NOT_FOUND);
    assert_int_equal(read_result(s, 2), STORE_OK);
    store_close(s);
}

static void beside_a_daemon(void **state) {
    (void)state;
    const char *path = scratch("beside.db");
    store *s = open_with((store_options){.path = path, .gone = true});
    for (uint64_t i = 0; i < 3; i++) {
        assert_int_equal(insert_one(s, i, "x", HOUR_MS), STORE_OK);
    }
    store_op read = read_one(s, 1, true); /* its refresh waits */
    store_op_clear(&read);
    assert_int_equal(remove_apart(path, 1, true), STORE_OK);
    assert_int_equal(read_result(s, 1), STORE_GONE); /* at once */
    assert_int_equal(remove_apart(path, 1, true), STORE_NOT_FOUND);
    assert_int_equal(remove_apart(path, 2, false), STORE_OK);
    assert_int_equal(read_result(s, 2), STORE_NOT_FOUND);
    assert_int_equal(update_one(s, 0, "y"), STORE_OK);
    assert_int_equal(insert_one(s, 5, "z", HOUR_MS), STORE_OK);
    store_close(s);
    assert_false(file_exists(path, "-wal"));
    s = open_at(path);
    assert_int_equal(read_result(s, 0), STORE_OK);
    assert_int_equal(read_result(s, 1), STORE_NOT_FOUND);
    assert_int_equal(read_result(s, 5), STORE_OK);
    store_close(s);
}

/* What makes an expired link or one past its limit: the operator's word counts for all. */
static void refusals(void **state) {
    (void)state;
    char why[512];
    const char *path = scratch("none.db");
    assert_int_equal(remove_one(path, 1, why, sizeof why), STORE_FAILED);
    assert_non_null(strstr(why, path));
    assert_non_null(strstr(why, "--db"));
    assert_false(file_exists(path, "")); /* nothing is created */

    path = scratch("foreign.db");
    sqlite3 *db = raw_open(path);
    raw_exec(db, "CREATE TABLE artifacts (id TEXT PRIMARY KEY, payload TEXT)");
    sqlite3_close(db);
    assert_int_equal(remove_one(path, 1, why, sizeof why), STORE_FAILED);
    assert_non_null(strstr(why, path));
    db = raw_open(path);
    assert_int_equal(raw_int(db, "SELECT count(*) FROM sqlite_schema"), 2);
    sqlite3_close(db);

    path = scratch("text.db");
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 300; i++) {
        fputs("this is no database ", file);
    }
    fclose(file);
    assert_int_equal(remove_one(path, 1, why, sizeof why), STORE_FAILED);
    assert_non_null(strstr(why, "not a database"));
    assert_int_equal(remove_one("postgres://u:secret@h/d", 1, why, sizeof why), STORE_FAILED);
    assert_null(strstr(why, "secret"));

    /* A lock that is held is waited for, then told. */
    path = scratch("held.db");
    store *s = open_at(path);
    assert_int_equal(insert_one(s, 1, "x", HOUR_MS), STORE_OK);
    store_close(s);
    db = raw_open(path);
    raw_exec(db, "BEGIN IMMEDIATE");
    int64_t begin_ms = clock_monotonic_ms();
    assert_int_equal(remove_one(path, 1, why, sizeof why), STORE_BUSY);
    assert_true(clock_monotonic_ms() - begin_ms >= 1900);
    assert_non_null(strstr(why, "locked"));
    raw_exec(db, "ROLLBACK");
    sqlite3_close(db);
    assert_int_equal(remove_one(path, 1, why, sizeof why), STORE_OK);
}

static int64_t wal_size(const char *path) {
    char name[600];
    struct stat status;
    snprintf(name, sizeof name, "%s-wal", path);
    return stat(name, &status) == 0 ? (int64_t)status.st_size : 0;
}

/* While the log's lock is held elsewhere nothing is checkpointed; afterwards it is. */
static void checkpoints_keep_away(void **state) {
    (void)state;
    const char *path = scratch("away.db");
    store *s = open_at(path);
    int fd = open(path, O_RDWR);
    assert_int_equal(lock_log(fd, 1000), LOCK_HELD);
    assert_int_equal(insert_one(s, 1, "x", HOUR_MS), STORE_OK);
    sleep_ms(1300); /* an idle store would have emptied it twice */
    assert_true(wal_size(path) > 0);
    char why[512];
    assert_int_equal(remove_one(path, 1, why, sizeof why), STORE_BUSY);
    unlock_log(fd);
    int64_t begin_ms = clock_monotonic_ms();
    while (wal_size(path) > 0) {
        assert_true(clock_monotonic_ms() - begin_ms < 20000);
        sleep_ms(10);
    }
    /* A store that cannot empty its log when it closes leaves it for the next. */
    assert_int_equal(lock_log(fd, 1000), LOCK_HELD);
    assert_int_equal(insert_one(s, 2, "kept", HOUR_MS), STORE_OK);
    store_close(s);
    assert_true(file_exists(path, "-wal"));
    close(fd);
    s = open_at(path);
    assert_int_equal(read_result(s, 2), STORE_OK);
    store_close(s);
    assert_false(file_exists(path, "-wal"));
}

typedef struct writer_arg {
    store *s;
    uint64_t first;
    int failures;
    atomic_bool *stop;
    uint64_t count;
} writer_arg;

static void *write_on(void *opaque) {
    writer_arg *arg = opaque;
    static char payload[6000];
    memset(payload, 'p', sizeof payload - 1);
    while (!atomic_load(arg->stop)) {
        arg->failures += insert_one(arg->s, arg->first + arg->count, payload, HOUR_MS) != STORE_OK;
        arg->count++;
    }
    return NULL;
}

/* Many deletions by others while the store writes and checkpoints without pause: all is there. */
static void under_load(void **state) {
    (void)state;
    enum { WRITERS = 8, DELETIONS = 60 };
    const char *path = scratch("load.db");
    store *s = open_at(path);
    for (uint64_t i = 0; i < 2 * DELETIONS; i++) {
        assert_int_equal(insert_one(s, i, "old", HOUR_MS), STORE_OK);
    }
    atomic_bool stop = false;
    pthread_t threads[WRITERS];
    writer_arg args[WRITERS];
    for (uint64_t i = 0; i < WRITERS; i++) {
        args[i] = (writer_arg){.s = s, .first = (i + 1) * 1000000, .stop = &stop};
        assert_int_equal(pthread_create(&threads[i], NULL, write_on, &args[i]), 0);
    }
    for (uint64_t i = 0; i < DELETIONS; i++) {
        assert_int_equal(remove_apart(path, 2 * i, false), STORE_OK);
        assert_int_equal(read_result(s, 2 * i), STORE_NOT_FOUND);
    }
    atomic_store(&stop, true);
    uint64_t written = 0;
    for (int i = 0; i < WRITERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(args[i].failures, 0);
        written += args[i].count;
    }
    store_close(s);
    s = open_at(path);
    for (uint64_t i = 0; i < 2 * DELETIONS; i++) {
        assert_int_equal(read_result(s, i), i % 2 == 0 ? STORE_NOT_FOUND : STORE_OK);
    }
    for (int i = 0; i < WRITERS; i++) {
        for (uint64_t k = 0; k < args[i].count; k++) {
            assert_int_equal(read_result(s, args[i].first + k), STORE_OK);
        }
    }
    store_close(s);
    print_message("%d rows written beside %d deletions\n", (int)written, DELETIONS);
    sqlite3 *db = raw_open(path);
    assert_int_equal(raw_int(db, "SELECT count(*) FROM pragma_integrity_check "
                                 "WHERE integrity_check = 'ok'"),
                     1);
    assert_int_equal(raw_int(db, "SELECT count(*) FROM artifacts"), DELETIONS + (int64_t)written);
    sqlite3_close(db);
}

int main(int argc, char **argv) {
    if (argc == 4) {
        return remove_here(argv);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_daemon), cmocka_unit_test(beside_a_daemon),
        cmocka_unit_test(refusals),         cmocka_unit_test(checkpoints_keep_away),
        cmocka_unit_test(under_load),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
