/* What --rate, --quota and a token's line say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "allowance.h"

#define BOTH (ALLOWANCE_RATES | ALLOWANCE_QUOTAS)

static allowance before(void) {
    return (allowance){.rate = {1, 2, 3, 4}, .rows = 5, .bytes = 6};
}

static bool parse(const char *text, unsigned kinds, allowance *out) {
    char *exact = test_malloc(strlen(text) + 1); /* a word in a line has no NUL behind it */
    memcpy(exact, text, strlen(text));
    bool good = allowance_parse(exact, strlen(text), kinds, out);
    test_free(exact);
    return good;
}

static void what_is_named_is_set(void **state) {
    (void)state;
    static const struct {
        const char *text;
        unsigned kinds;
        allowance result;
    } rows[] = {
        {"read=100/s", BOTH, {{100000, 2, 3, 4}, 5, 6}},
        {"read=0.5/s,write=0.025/s", BOTH, {{500, 25, 3, 4}, 5, 6}},
        {"encode=1.25/s,fail=0", BOTH, {{1, 2, 1250, 0}, 5, 6}},
        {"fail=0/s", BOTH, {{1, 2, 3, 0}, 5, 6}},
        {"read=1000000/s", BOTH, {{1000000000, 2, 3, 4}, 5, 6}},
        {"rows=10,bytes=2g", BOTH, {{1, 2, 3, 4}, 10, UINT64_C(2) << 30}},
        {"bytes=3m", BOTH, {{1, 2, 3, 4}, 5, 3u << 20}},
        {"bytes=7k,read=1/s", BOTH, {{1000, 2, 3, 4}, 5, 7u << 10}},
        {"bytes=123", ALLOWANCE_QUOTAS, {{1, 2, 3, 4}, 5, 123}},
        {"0", BOTH, {{0, 0, 0, 0}, 0, 0}},
        {"0", ALLOWANCE_RATES, {{0, 0, 0, 0}, 5, 6}},
        {"0", ALLOWANCE_QUOTAS, {{1, 2, 3, 4}, 0, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        allowance out = before();
        assert_true(parse(rows[i].text, rows[i].kinds, &out));
        assert_memory_equal(&out, &rows[i].result, sizeof out);
    }
}

static void what_is_wrong_is_refused(void **state) {
    (void)state;
    static const char *const rows[] = {
        "",
        ",",
        "read",
        "read=",
        "read=1",
        "read=/s",
        "read=1/",
        "read=1/m",
        "read=-1/s",
        "read= 1/s",
        "read=1/s,",
        ",read=1/s",
        "read=1/s write=1/s",
        "reads=1/s",
        "rea=1/s",
        "read=1./s",
        "read=.5/s",
        "read=0.0001/s",
        "read=1.1234/s",
        "read=1000001/s",
        "read=1000000.001/s",
        "read=99999999999999999999/s",
        "read=1e3/s",
        "read=1/s/s",
        "rows=",
        "rows=1k",
        "rows=-1",
        "rows=1/s",
        "bytes=1t",
        "bytes=g",
        "bytes=1gg",
        "bytes=9999999999999999999g",
        "bytes=1125899906842625",
        "bytes=2097152g",
        "00",
        "0,0",
        "read=1/s,0",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        allowance out = before();
        if (parse(rows[i], BOTH, &out)) {
            fail_msg("\"%s\" was taken", rows[i]);
        }
    }
    allowance out = before();
    assert_false(parse("rows=1", ALLOWANCE_RATES, &out));
    assert_false(parse("read=1/s", ALLOWANCE_QUOTAS, &out));
}

static void buckets_have_the_names_of_the_items(void **state) {
    (void)state;
    for (bucket b = 0; b < BUCKET_COUNT; b++) {
        char text[32] = "";
        allowance out = {0};
        strncat(text, bucket_name(b), 16);
        strncat(text, "=1/s", 8);
        assert_true(parse(text, ALLOWANCE_RATES, &out));
        assert_int_equal(out.rate[b], 1000);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_named_is_set),
        cmocka_unit_test(what_is_wrong_is_refused),
        cmocka_unit_test(buckets_have_the_names_of_the_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
