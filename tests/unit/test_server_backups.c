/* Backups that arxd makes by itself: which are made when, which are kept, what is left alone. */
#include "stores.h"

#include <dirent.h>

#include "backups.h"
#include "store_admin.h"

static int64_t at(const char *iso) {
    int64_t ms = 0;
    assert_true(clock_from_iso(iso, &ms));
    return ms;
}

/* A fresh folder, and a database beside it. */
static const char *folder_named(const char *name) {
    static char path[600];
    char command[700];
    snprintf(path, sizeof path, "%s", scratch(name));
    snprintf(command, sizeof command, "rm -rf %s", path);
    assert_int_equal(system(command), 0);
    return path;
}

static void put_file(const char *folder, const char *name) {
    char path[800];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fclose(out);
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int no_dots(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

/* Every name in the folder, in order, with a blank behind each. */
static const char *names_in(const char *folder) {
    static char names[2048];
    struct dirent **entries;
    int count = scandir(folder, &entries, no_dots, by_name);
    names[0] = '\0';
    assert_true(count >= 0);
    for (int i = 0; i < count; i++) {
        strncat(names, entries[i]->d_name, sizeof names - strlen(names) - 2);
        strncat(names, " ", 2);
        free(entries[i]);
    }
    free(entries);
    return names;
}

static store_options options_of(const char *path) {
    return (store_options){.path = path, .report = count_report, .now_ms = test_now_ms};
}

static void make_database(const char *path) {
    scratch_remove(path);
    store *s = open_at(path);
    assert_int_equal(insert_one(s, 1, "pe30", 1000000), STORE_OK);
    store_close(s);
}

static backups *open_backups(const char *folder, const char *path) {
    char why[512] = "";
    const store_options options = options_of(path);
    backups *self = backups_open(folder, &options, why, sizeof why);
    if (self == NULL) {
        fail_msg("backups_open: %s", why);
    }
    return self;
}

static void three_starts_are_kept(void **state) {
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s", scratch("starts.db"));
    const char *folder = folder_named("starts");
    scratch_remove(path);
    atomic_store(&test_clock_ms, at("2026-01-31T23:59:57Z"));
    backups_close(open_backups(folder, path));
    assert_string_equal(names_in(folder), ""); /* nothing to be lost yet */
    make_database(path);
    for (int i = 0; i < 2; i++) { /* within one second there is one */
        backups_close(open_backups(folder, path));
        assert_string_equal(names_in(folder), "start-20260131T235957Z.db ");
    }
    static const char *const moments[] = {"2026-01-31T23:59:58Z", "2026-02-01T00:00:00Z",
                                          "2026-12-01T00:00:00Z"};
    for (size_t i = 0; i < 3; i++) {
        atomic_store(&test_clock_ms, at(moments[i]));
        backups_close(open_backups(folder, path));
    }
    assert_string_equal(names_in(folder), "start-20260131T235958Z.db start-20260201T000000Z.db "
                                          "start-20261201T000000Z.db ");
    char copy[900];
    snprintf(copy, sizeof copy, "%s/start-20261201T000000Z.db", folder);
    sqlite3 *db = raw_open(copy);
    assert_int_equal(raw_int(db, "SELECT count(*) FROM artifacts"), 1);
    sqlite3_close(db);
    struct stat status;
    assert_int_equal(stat(copy, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(stat(folder, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    atomic_store(&test_clock_ms, 0);
}

static void seven_days_are_kept_and_nothing_else_is_touched(void **state) {
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s", scratch("days.db"));
    const char *folder = folder_named("days");
    assert_int_equal(mkdir(folder, 0700), 0);
    static const char *const foreign[] = {"day-2020010.db", "day-2020x101.db", "day-20200101.db.gz",
                                          "start-2020.db",  "other.db.part",   "Day-20200101.db"};
    for (size_t i = 0; i < 6; i++) {
        put_file(folder, foreign[i]);
    }
    put_file(folder, "day-20200101.db.part"); /* of one that was killed */
    make_database(path);
    atomic_store(&test_clock_ms, at("2026-02-24T12:00:00Z"));
    backups *self = open_backups(folder, path);
    for (int i = 0; i < 10; i++) {
        assert_true(backups_of_day(self));
        assert_true(backups_of_day(self)); /* it is there */
        atomic_fetch_add(&test_clock_ms, INT64_C(86400000));
    }
    assert_string_equal(
        names_in(folder),
        "Day-20200101.db day-2020010.db day-20200101.db.gz day-2020x101.db day-20260227.db "
        "day-20260228.db "
        "day-20260301.db day-20260302.db day-20260303.db day-20260304.db day-20260305.db "
        "other.db.part start-2020.db start-20260224T120000Z.db ");
    backups_close(self);
    atomic_store(&test_clock_ms, 0);
}

/* What fails is reported, leaves nothing behind and takes nothing away. */
static void a_backup_that_fails_removes_none(void **state) {
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s", scratch("damaged.db"));
    const char *folder = folder_named("failing");
    make_database(path);
    atomic_store(&test_clock_ms, at("2026-01-01T00:00:00Z"));
    backups *self = open_backups(folder, path);
    FILE *out = fopen(path, "r+");
    assert_non_null(out);
    fputs("this is no database any more", out);
    fclose(out);
    assert_false(backups_of_day(self));
    assert_string_equal(names_in(folder), "start-20260101T000000Z.db ");
    backups_close(self);
    atomic_store(&test_clock_ms, 0);
}

static void the_thread_makes_the_days_one_and_ends_when_told(void **state) {
    (void)state;
    char path[600];
    char day[900];
    snprintf(path, sizeof path, "%s", scratch("thread.db"));
    const char *folder = folder_named("thread");
    make_database(path);
    atomic_store(&test_clock_ms, at("2026-01-01T00:00:00Z"));
    backups *self = open_backups(folder, path);
    assert_true(backups_start(self));
    snprintf(day, sizeof day, "%s/day-20260101.db", folder);
    for (int i = 0; access(day, F_OK) != 0; i++) {
        assert_true(i < 3000);
        sleep_ms(10);
    }
    backups_close(self); /* within a moment: it waits for nothing */
    atomic_store(&test_clock_ms, 0);
}

static bool once(void *opaque) {
    return ++*(int *)opaque < 2;
}

static void one_that_is_given_up_leaves_nothing(void **state) {
    (void)state;
    char path[512];
    char copy[580];
    char why[512] = "";
    snprintf(path, sizeof path, "%.500s", scratch("given-up.db"));
    snprintf(copy, sizeof copy, "%.500s.copy", path);
    make_database(path);
    sqlite3 *db = raw_open(path); /* more than is copied at once */
    raw_exec(db, "CREATE TABLE filler AS SELECT randomblob(4000000)");
    sqlite3_close(db);
    const store_options options = options_of(path);
    int asked = 0;
    assert_int_equal(store_backup(&options, copy, once, &asked, why, sizeof why), STORE_BUSY);
    assert_int_equal(asked, 2);
    assert_string_equal(why, "");
    assert_false(file_exists(copy, ""));
    assert_false(file_exists(copy, ".part"));
}

static void folders_and_engines_that_will_not_do(void **state) {
    (void)state;
    char why[512] = "";
    char folder[700];
    char path[600];
    snprintf(path, sizeof path, "%s", scratch("plain.db"));
    make_database(path);
    store_options options = options_of(path);
    snprintf(folder, sizeof folder, "%s/below", path); /* below a file */
    assert_null(backups_open(folder, &options, why, sizeof why));
    assert_non_null(strstr(why, folder));
    assert_non_null(strstr(why, "--backups"));
    options.path = "postgresql://u:secret@127.0.0.1/d";
    assert_null(backups_open(folder_named("none"), &options, why, sizeof why));
    assert_non_null(strstr(why, "pg_dump"));
    assert_null(strstr(why, "secret"));
    backups_close(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_starts_are_kept),
        cmocka_unit_test(seven_days_are_kept_and_nothing_else_is_touched),
        cmocka_unit_test(a_backup_that_fails_removes_none),
        cmocka_unit_test(the_thread_makes_the_days_one_and_ends_when_told),
        cmocka_unit_test(one_that_is_given_up_leaves_nothing),
        cmocka_unit_test(folders_and_engines_that_will_not_do),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
