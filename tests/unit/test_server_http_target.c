/* A request target taken apart: segments decoded once, nothing that could climb, no NUL. */
#include <stdio.h>
#include <string.h>

#include "vectors.h"

#include "http_target.h"

/* The parts joined by "|", or "bad" or "nothing". */
static void take_apart(const char *target, char *out, size_t out_size) {
    size_t size = strlen(target) + 1;
    char *copy = (char *)guard_copy(target, size);
    http_path path;
    switch (http_target_split(copy, &path)) {
    case HTTP_TARGET_BAD:
        (void)snprintf(out, out_size, "bad");
        break;
    case HTTP_TARGET_NOTHING:
        (void)snprintf(out, out_size, "nothing");
        break;
    case HTTP_TARGET_OK: {
        size_t len = 0;
        out[0] = '\0';
        for (size_t i = 0; i < path.count; i++) {
            len += (size_t)snprintf(out + len, out_size - len, "%s|", path.segments[i]);
        }
        if (path.query != NULL) {
            (void)snprintf(out + len, out_size - len, "?%s", path.query);
        }
        break;
    }
    }
    guard_free((uint8_t *)copy, size);
}

static void test_targets(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"/", ""},
        {"//", ""},
        {"/?a=b", "?a=b"},
        {"/a", "a|"},
        {"/a/b/", "a|b|"},
        {"/a/b///", "a|b|"},
        {"/a/b/?q=/x/", "a|b|?q=/x/"},
        {"/a%20b/%C3%a9", "a b|\xc3\xa9|"},
        {"/a+b", "a+b|"},
        {"/%2541", "%41|"}, /* once */
        {"/a%2Fb", "a/b|"},
        {"/.a/a./...", ".a|a.|...|"},
        {"http://host", ""},
        {"http://host?x", "?x"},
        {"HTTP://host:80/a/b?c", "a|b|?c"},
        {"https://host/a", "a|"},
        {"/1/2/3/4/5/6/7/8", "1|2|3|4|5|6|7|8|"},
        {"/a?b?c", "a|?b?c"},
        {"/a#b", "a#b|"},

        {"//a", "nothing"},
        {"/a//b", "nothing"},
        {"/.", "nothing"},
        {"/..", "nothing"},
        {"/a/./b", "nothing"},
        {"/a/../b", "nothing"},
        {"/%2e", "nothing"},
        {"/%2E%2e/x", "nothing"},
        {"/.%2e", "nothing"},
        {"/a/..%2f..%2fetc/passwd", "nothing"},
        {"/a%2f..", "nothing"},
        {"/..%2fa", "nothing"},
        {"/%2fa", "nothing"},
        {"/a%2f", "nothing"},
        {"/a%2f%2fb", "nothing"},
        {"/a%00b", "nothing"},
        {"/%00", "nothing"},
        {"/a\\b", "nothing"},
        {"/a%5cb", "nothing"},
        {"/%", "nothing"},
        {"/%4", "nothing"},
        {"/%4g", "nothing"},
        {"/%g4", "nothing"},
        {"/%u0041", "nothing"},
        {"/1/2/3/4/5/6/7/8/9", "nothing"},

        {"", "bad"},
        {"*", "bad"},
        {"a", "bad"},
        {"host:80", "bad"},
        {"?a", "bad"},
        {"ftp://host/a", "bad"},
        {"http:/a", "bad"},
        {"http://", "bad"},
        {"http:///a", "bad"},
        {"http://?a", "bad"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char out[300];
        take_apart(cases[i][0], out, sizeof out);
        if (strcmp(out, cases[i][1]) != 0) {
            fail_msg("%s: got %s, expected %s", cases[i][0], out, cases[i][1]);
        }
    }
}

static void test_queries(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {"a=b", "a=b;"},
        {"a", "a=;"},
        {"a=", "a=;"},
        {"=b", "=b;"},
        {"&&a=1&&b=2&", "a=1;b=2;"},
        {"a=b=c", "a=b=c;"},
        {"a+b=c+d%2B", "a b=c d+;"},
        {"%61=%C3%A9", "a=\xc3\xa9;"},
        {"a=%00b", "a=%00b;"}, /* no NUL comes out */
        {"a=%4&b=%zz&c=%", "a=%4;b=%zz;c=%;"},
        {"a=%2541", "a=%41;"},
        {"a=%26%3d", "a=&=;"},
        {"a=1&a=2", "a=1;a=2;"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t size = strlen(cases[i][0]) + 1;
        char *copy = (char *)guard_copy(cases[i][0], size);
        http_parameter found[HTTP_MAX_PARAMETERS];
        size_t count = http_query_split(copy, found);
        char out[300] = "";
        size_t len = 0;
        for (size_t k = 0; k < count; k++) {
            len += (size_t)snprintf(out + len, sizeof out - len, "%s=%s;", found[k].name,
                                    found[k].value);
        }
        assert_string_equal(out, cases[i][1]);
        guard_free((uint8_t *)copy, size);
    }

    char many[2 * HTTP_MAX_PARAMETERS + 20];
    for (size_t i = 0; i < sizeof many - 1; i++) {
        many[i] = i % 2 == 0 ? 'a' : '&';
    }
    many[sizeof many - 1] = '\0';
    http_parameter found[HTTP_MAX_PARAMETERS];
    assert_int_equal(http_query_split(many, found), HTTP_MAX_PARAMETERS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_queries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
