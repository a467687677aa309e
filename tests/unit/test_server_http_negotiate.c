/* Which encoding and which media type a client gets. */
#include <string.h>

#include "vectors.h"

#include "negotiate.h"

static void test_encodings(void **state) {
    (void)state;
    const unsigned br = 1u << ENCODING_BROTLI;
    const unsigned gz = 1u << ENCODING_GZIP;
    static const char *const absent = NULL;
    const struct {
        const char *header;
        unsigned available;
        content_encoding expected;
    } cases[] = {
        {absent, br | gz, ENCODING_IDENTITY},
        {"", br | gz, ENCODING_IDENTITY},
        {"br", br | gz, ENCODING_BROTLI},
        {"BR", br | gz, ENCODING_BROTLI},
        {"br", gz, ENCODING_IDENTITY},
        {"br", 0, ENCODING_IDENTITY},
        {"gzip", br | gz, ENCODING_GZIP},
        {"x-gzip", br | gz, ENCODING_GZIP},
        {"gzip, deflate, br", br | gz, ENCODING_BROTLI},
        {"gzip, deflate, br", gz, ENCODING_GZIP},
        {"gzip, br;q=0", br | gz, ENCODING_GZIP},
        {"gzip;q=0.8, br;q=0.7", br | gz, ENCODING_GZIP},
        {"gzip;q=0.001,br;q=0.002", br | gz, ENCODING_BROTLI},
        {"br;q=0.5, identity", br | gz, ENCODING_IDENTITY},
        {"br;q=0.5, identity;q=0.5", br | gz, ENCODING_BROTLI},
        {"br ; Q=1.000 , gzip", br | gz, ENCODING_BROTLI},
        {"br;q=0", br | gz, ENCODING_IDENTITY},
        {"*", br | gz, ENCODING_BROTLI},
        {"*", gz, ENCODING_GZIP},
        {"*", 0, ENCODING_IDENTITY},
        {"*;q=0.5, gzip", br | gz, ENCODING_GZIP},
        {"br;q=0, *", br | gz, ENCODING_GZIP},
        {"identity", br | gz, ENCODING_IDENTITY},
        {"identity;q=0", br | gz, ENCODING_NONE},
        {"identity;q=0, br", br | gz, ENCODING_BROTLI},
        {"identity;q=0, br", gz, ENCODING_NONE},
        {"*;q=0", br | gz, ENCODING_NONE},
        {"*;q=0, identity", br | gz, ENCODING_IDENTITY},
        {"*;q=0, gzip", br | gz, ENCODING_GZIP},
        {"deflate", br | gz, ENCODING_IDENTITY},
        {"br;q=2", br | gz, ENCODING_IDENTITY},
        {"br;q=", br | gz, ENCODING_IDENTITY},
        {"br;q=0.1234", br | gz, ENCODING_IDENTITY},
        {"br;q=-1, gzip;q=0.1", br | gz, ENCODING_GZIP},
        {"brr, xbr", br | gz, ENCODING_IDENTITY},
        {",,;,", br | gz, ENCODING_IDENTITY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        content_encoding got = negotiate_encoding(cases[i].header, cases[i].available);
        if (got != cases[i].expected) {
            fail_msg("%s: got %d, expected %d", cases[i].header, (int)got, (int)cases[i].expected);
        }
    }
    assert_string_equal(encoding_name(ENCODING_BROTLI), "br");
    assert_string_equal(encoding_name(ENCODING_GZIP), "gzip");
    assert_null(encoding_name(ENCODING_IDENTITY));
}

static void test_types(void **state) {
    (void)state;
    static const char *const types[] = {"text/html", "text/markdown", "text/plain",
                                        "application/json"};
    static const struct {
        const char *accept;
        int expected;
    } cases[] = {
        {NULL, 0},
        {"", 0},
        {" , ", 0},
        {"*/*", 0},
        {"text/html", 0},
        {"TEXT/HTML", 0},
        {"text/markdown", 1},
        {"text/plain", 2},
        {"application/json", 3},
        {"application/*", 3},
        {"text/*", 0},
        {"text/markdown, text/html", 0}, /* ties */
        {"text/markdown, */*", 0},
        {"text/markdown, */*;q=0.9", 1},
        {"text/markdown;q=0.9, text/plain", 2},
        {"application/json, text/*;q=0.3", 3},
        {"text/html;q=0, */*", 1},
        {"text/*;q=0, */*;q=0.1", 3},
        {"text/html;q=0.5, text/*;q=0.7", 1},
        {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", 0},
        {"application/json;charset=utf-8", 3},
        {"application/json;x=\"a,b;q=0\";q=0.5, text/plain;q=0.4", 3},
        {"image/png", -1},
        {"*/*;q=0", -1},
        {"text/html;q=0", -1},
        {"text", -1},
        {"text/htm", -1},
        {"text/html2", -1},
        {"\"unclosed, text/html", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int got = negotiate_type(cases[i].accept, types, 4);
        if (got != cases[i].expected) {
            fail_msg("%s: got %d, expected %d", cases[i].accept, got, cases[i].expected);
        }
    }
    assert_int_equal(negotiate_type(NULL, types, 0), -1);
}

static void test_preferences(void **state) {
    (void)state;
    static const struct {
        const char *prefer;
        bool holds;
    } cases[] = {
        {NULL, false},
        {"", false},
        {"respond-async", true},
        {"Respond-Async", true},
        {" wait=10 , respond-async;x=y", true},
        {"respond-async=1", true},
        {"handling=lenient, return=minimal", false},
        {"no-respond-async", false},
        {"respond-asynchronously", false},
        {"respond", false},
        {"x=\"respond-async, respond-async\"", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (prefer_holds(cases[i].prefer, "respond-async") != cases[i].holds) {
            fail_msg("%s", cases[i].prefer);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_encodings),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_preferences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
