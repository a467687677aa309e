/* Groups of listeners: when their values are looked at, that only changes are told, and the end. */
#include "vectors.h"

#include "events.h"

#include <string.h>

static events *all;
static event_listener listener;
static const uint8_t owner[SECRET_HASH_BYTES] = {1};

static void wake(void *who) {
    (void)who;
}

static int set_up(void **state) {
    (void)state;
    all = events_create();
    assert_non_null(all);
    listener = (event_listener){
        .wake = wake, .owner_tag = events_tag(owner, sizeof owner), .surface = "artifacts"};
    assert_true(events_listen(all, &listener, owner, "http://h", 0));
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    events_unlisten(all, &listener);
    events_free(all);
    return 0;
}

/* A look that began when it was due and ends at `now_ms` with this value. */
static void look(int64_t begin_ms, int64_t now_ms, const char *value) {
    event_group *group = events_group_due(all, begin_ms);
    assert_non_null(group);
    assert_null(events_group_due(all, begin_ms)); /* one look at a time */
    arx_buf links;
    arx_buf jobs;
    arx_buf_init(&links, 0);
    arx_buf_init(&jobs, 0);
    arx_buf_append_str(&links, value);
    arx_buf_append_str(&jobs, "[]");
    events_group_seen(all, group, &links, &jobs, now_ms, now_ms);
    arx_buf_free(&links);
    arx_buf_free(&jobs);
}

static size_t told(void) {
    arx_buf out;
    size_t count = 0;
    arx_buf_init(&out, 0);
    while (events_read(all, &listener, 1 << 20, 0, &out) == EVENTS_SOME) {
    }
    arx_buf_append_byte(&out, '\0');
    for (const char *at = (const char *)out.data; (at = strstr(at, "recent_links")) != NULL; at++) {
        count++;
    }
    arx_buf_free(&out);
    return count;
}

static void only_changes_are_told(void **state) {
    (void)state;
    look(1000, 1001, "[1]");
    assert_int_equal(told(), 1);
    look(1000 + EVENTS_LOOK_MS, 3000, "[1]");
    assert_int_equal(told(), 0);
    look(9000, 9001, "[2]");
    assert_int_equal(told(), 1);
}

static void at_most_ten_times_a_second(void **state) {
    (void)state;
    look(1000, 1010, "[1]");
    events_touch(all, owner, 1020);
    assert_null(events_group_due(all, 1010 + EVENTS_MIN_MS - 1));
    look(1010 + EVENTS_MIN_MS, 1111, "[2]");
    assert_int_equal(told(), 2);
}

/* A slow database answers, and what was touched meanwhile waits from then on. */
static void counted_from_the_end_of_a_look(void **state) {
    (void)state;
    event_group *group = events_group_due(all, 1000);
    assert_non_null(group);
    events_touch(all, owner, 1500);
    const arx_buf none = {.status = ARX_UNAVAILABLE};
    events_group_seen(all, group, &none, &none, 2000, 2000);
    assert_null(events_group_due(all, 2000 + EVENTS_MIN_MS - 1));
    look(2000 + EVENTS_MIN_MS, 2110, "[1]");
    assert_int_equal(told(), 1);
}

/* What a look finds out that ends after the last words is not told. */
static void the_last_words_are_last(void **state) {
    (void)state;
    event_group *group = events_group_due(all, 1000);
    assert_non_null(group);
    arx_buf words;
    arx_buf out;
    arx_buf_init(&words, 0);
    arx_buf_init(&out, 0);
    arx_buf_append_str(&words, "{\"links\":[]}");
    events_publish(all, 0, NULL, "surface:deregister", &words);
    events_stop(all);
    events_group_seen(all, group, &words, &words, 1100, 1100);
    assert_int_equal(events_read(all, &listener, 1 << 20, 1200, &out), EVENTS_SOME);
    assert_int_equal(events_read(all, &listener, 1 << 20, 1200, &out), EVENTS_ENDED);
    arx_buf_append_byte(&out, '\0');
    assert_non_null(strstr((const char *)out.data, "surface:deregister"));
    assert_null(strstr((const char *)out.data, "observation:update"));
    arx_buf_free(&words);
    arx_buf_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_changes_are_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(at_most_ten_times_a_second, set_up, tear_down),
        cmocka_unit_test_setup_teardown(counted_from_the_end_of_a_look, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_last_words_are_last, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
