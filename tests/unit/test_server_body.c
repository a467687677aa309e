/* test_server_body.c - which request bodies are accepted, and what becomes of cut emoji. */
#include "vectors.h"

#include <stdlib.h>
#include <string.h>

#include "body.h"

#define LEN(literal) (sizeof(literal) - 1)

static body_result parse(const char *text, size_t len, body *b) {
    uint8_t *guarded = guard_copy(text, len);
    body_result result = body_parse(guarded, len, b);
    guard_free(guarded, len);
    return result;
}

static void bodies_that_are_not_json_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t len;
    } rows[] = {
#define ROW(literal) {literal, LEN(literal)}
        ROW(""),
        ROW("{"),
        ROW("\xEF\xBB\xBF{}"),
        ROW("{} {}"),
        ROW("{}x"),
        ROW("{\"a\":1e999}"),
        ROW("{\"a\":123456789012345678901234567890}"),
        ROW("{\"a\":\"\xFF\"}"),
        ROW("{\"a\":\"\xC0\xAF\"}"),
        ROW("{\"a\":\"\xED\xA0\x80\"}"),
        ROW("{\"a\":\"\n\"}"),
        ROW("{\"a\\u0000b\":1}"),
        ROW("{'a':1}"),
        ROW("{\"a\":1,}"),
        ROW("{\"a\":1}\0"),
        ROW("{\"a\":1\0}"),
        ROW("1\0"),
        ROW("\"\\u12"),
        ROW("\"\\"),
#undef ROW
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        body b;
        if (parse(rows[i].text, rows[i].len, &b) != BODY_INVALID) {
            fail_msg("accepted row %zu: %s", i, rows[i].text);
        }
        assert_null(b.root);
    }
}

static void any_root_is_json(void **state) {
    (void)state;
    static const char *const rows[] = {"null", "[]", "5", "\"x\"", "true", "{}", " {} \n"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        body b;
        assert_int_equal(parse(rows[i], strlen(rows[i]), &b), BODY_OK);
        assert_non_null(body_codec_value(&b));
        body_free(&b);
    }
}

static void nesting_stops_at_the_limit(void **state) {
    (void)state;
    for (size_t depth = BODY_MAX_DEPTH - 1; depth <= BODY_MAX_DEPTH + 1; depth++) {
        char text[2 * BODY_MAX_DEPTH + 2];
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        body b;
        body_result want = depth <= BODY_MAX_DEPTH ? BODY_OK : BODY_INVALID;
        assert_int_equal(parse(text, 2 * depth, &b), want);
        body_free(&b);
    }
    size_t many = 100000;
    char *open = malloc(many);
    assert_non_null(open);
    memset(open, '[', many);
    body b;
    assert_int_equal(parse(open, many, &b), BODY_INVALID);
    free(open);
    /* Brackets inside strings do not nest. */
    static const char flat[] = "\"[[[\\\"[[{{\\\\\"";
    char copy[LEN(flat)];
    memcpy(copy, flat, sizeof copy);
    size_t depth;
    assert_int_equal(body_mend(copy, sizeof copy, &depth), 0);
    assert_int_equal(depth, 0);
}

static void lone_surrogates_become_the_replacement_character(void **state) {
    (void)state;
    static const struct {
        const char *in;
        const char *out; /* the string both readers see */
        size_t mended;
    } rows[] = {
        {"\"\\ud83d\\udea2\"", "\xF0\x9F\x9A\xA2", 0},
        {"\"\\ud83d\"", "\xEF\xBF\xBD", 1},
        {"\"a\\uD83D b\"", "a\xEF\xBF\xBD b", 1},
        {"\"\\udea2\\ud83d\"", "\xEF\xBF\xBD\xEF\xBF\xBD", 2},
        {"\"\\ud83d\\ud83d\\udea2\"", "\xEF\xBF\xBD\xF0\x9F\x9A\xA2", 1},
        {"\"\\\\ud83d\"", "\\ud83d", 0},
        {"\"\\ud83d\\u0041\"",
         "\xEF\xBF\xBD"
         "A",
         1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        body b;
        assert_int_equal(parse(rows[i].in, strlen(rows[i].in), &b), BODY_OK);
        assert_int_equal(b.mended, rows[i].mended);
        assert_string_equal(json_string_value(b.root), rows[i].out);
        assert_true(arx_json_string_is(body_codec_value(&b), rows[i].out));
        body_free(&b);
    }
}

static void both_readers_take_the_last_of_repeated_keys(void **state) {
    (void)state;
    static const char text[] = "{\"payload\":\"a\",\"payload\":\"b\"}";
    body b;
    assert_int_equal(parse(text, LEN(text), &b), BODY_OK);
    assert_string_equal(json_string_value(json_object_get(b.root, "payload")), "b");
    assert_true(arx_json_string_is(arx_json_get(body_codec_value(&b), "payload"), "b"));
    body_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_that_are_not_json_are_refused),
        cmocka_unit_test(any_root_is_json),
        cmocka_unit_test(nesting_stops_at_the_limit),
        cmocka_unit_test(lone_surrogates_become_the_replacement_character),
        cmocka_unit_test(both_readers_take_the_last_of_repeated_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
