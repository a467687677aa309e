/* What the store does when its file's disk is full, the file taken away, or the process killed. */
#include "stores.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static store *open_impatient(const char *path) {
    return open_with((store_options){.path = path, .busy_timeout_ms = 800});
}

static void file_taken_away(void **state) {
    (void)state;
    const char *path = scratch("taken.db");
    char away[600];
    snprintf(away, sizeof away, "%s.away", path);
    store *s = open_at(path);
    assert_int_equal(ping(s), STORE_OK);
    assert_int_equal(rename(path, away), 0);
    assert_int_equal(ping(s), STORE_FAILED);
    assert_int_equal(rename(away, path), 0);
    assert_int_equal(ping(s), STORE_OK);
    store_close(s);
}

/*
 * A full disk, played by a limit on the size of files: in a child, because the limit is the
 * process's. Inserts fail, reads and the process go on, and PING finds out by itself when there is
 * room again.
 */
static int full_disk_child(const char *path) {
    signal(SIGXFSZ, SIG_IGN);
    store *s = open_impatient(path);
    if (insert_one(s, 1, "before", HOUR_MS) != STORE_OK || ping(s) != STORE_OK) {
        return 10;
    }
    struct rlimit before;
    struct rlimit tight;
    getrlimit(RLIMIT_FSIZE, &before);
    tight = before;
    tight.rlim_cur = 16384;
    setrlimit(RLIMIT_FSIZE, &tight);
    char payload[20001];
    memset(payload, 'x', 20000);
    payload[20000] = '\0';
    for (uint64_t i = 2; i < 6; i++) {
        if (insert_one(s, i, payload, HOUR_MS) != STORE_FAILED) {
            return 11;
        }
    }
    if (read_result(s, 1) != STORE_OK || ping(s) != STORE_FAILED) {
        return 12;
    }
    if (atomic_load(&report_count) < 1) {
        return 13;
    }
    setrlimit(RLIMIT_FSIZE, &before);
    int64_t begin_ms = clock_monotonic_ms();
    while (ping(s) != STORE_OK) {
        if (clock_monotonic_ms() - begin_ms > 4000) {
            return 14;
        }
        sleep_ms(20);
    }
    if (insert_one(s, 6, payload, HOUR_MS) != STORE_OK || read_result(s, 1) != STORE_OK ||
        read_result(s, 2) != STORE_NOT_FOUND) {
        return 15;
    }
    store_close(s);
    sqlite3 *db = raw_open(path);
    int64_t rows = raw_int(db, "SELECT count(*) FROM artifacts");
    sqlite3_close(db);
    return rows == 2 ? 0 : 16;
}

static void full_disk(void **state) {
    (void)state;
    const char *path = scratch("full.db");
    pid_t child = fork();
    if (child == 0) {
        _exit(full_disk_child(path));
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* Killed at any moment: whatever was answered STORE_OK is there, and the file is whole. */
static void killed(void **state) {
    (void)state;
    const char *path = scratch("killed.db");
    for (int round = 0; round < 5; round++) {
        scratch_remove(path);
        int answered[2];
        assert_int_equal(pipe(answered), 0);
        pid_t child = fork();
        if (child == 0) {
            close(answered[0]);
            store *s = open_at(path);
            for (uint64_t i = 0;; i++) {
                if (insert_one(s, i, "kept whatever happens", HOUR_MS) != STORE_OK ||
                    write(answered[1], &i, sizeof i) != sizeof i) {
                    _exit(1);
                }
            }
        }
        close(answered[1]);
        uint64_t last = 0;
        assert_int_equal(read(answered[0], &last, sizeof last), sizeof last);
        sleep_ms(20 + 37 * round);
        kill(child, SIGKILL);
        uint64_t next;
        while (read(answered[0], &next, sizeof next) == sizeof next) {
            last = next;
        }
        close(answered[0]);
        assert_int_equal(waitpid(child, NULL, 0), child);

        store *s = open_at(path);
        for (uint64_t i = 0; i <= last; i++) {
            assert_int_equal(read_result(s, i), STORE_OK);
        }
        store_close(s);
        assert_false(file_exists(path, "-wal"));
        sqlite3 *db = raw_open(path);
        assert_int_equal(raw_int(db, "SELECT count(*) FROM pragma_integrity_check"
                                     " WHERE integrity_check = 'ok'"),
                         1);
        sqlite3_close(db);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(file_taken_away, at_real_time),
        cmocka_unit_test_setup(full_disk, at_real_time),
        cmocka_unit_test_setup(killed, at_real_time),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
