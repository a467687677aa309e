/* test_text.c - Unicode measures, conversions and base64url at their edges. */
#include "vectors.h"

#include <stdlib.h>
#include <string.h>

#define LEN(literal) (sizeof(literal) - 1)

typedef void transform(const uint8_t *bytes, size_t len, arx_buf *out);

static void expect(transform *apply, const char *in, size_t in_len, const char *out,
                   size_t out_len) {
    uint8_t *guarded = guard_copy(in, in_len);
    arx_buf got;
    arx_buf_init(&got, 0);
    apply(guarded, in_len, &got);
    assert_int_equal(arx_buf_result(&got), ARX_OK);
    assert_int_equal(got.len, out_len);
    if (out_len > 0) {
        assert_memory_equal(got.data, out, out_len);
    }
    arx_buf_free(&got);
    guard_free(guarded, in_len);
}

#define EXPECT(apply, in, out) expect(apply, in, LEN(in), out, LEN(out))

/* The maximal-subpart examples of the Unicode Standard, section 3.9, and the corners of RFC 3629.
 */
static void bytes_become_text_in_replacement_mode(void **state) {
    (void)state;
    EXPECT(arx_text_from_bytes, "", "");
    EXPECT(arx_text_from_bytes, "\xEF\xBB\xBF", "");
    EXPECT(arx_text_from_bytes, "\xEF\xBB\xBF\xEF\xBB\xBFx", "\xEF\xBB\xBFx");
    EXPECT(arx_text_from_bytes, "\xEF\xBB", "\xEF\xBF\xBD");
    EXPECT(arx_text_from_bytes,
           "a\xF1\x80\x80\xE1\x80\xC2"
           "b",
           "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
           "b");
    EXPECT(arx_text_from_bytes, "\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD");
    EXPECT(arx_text_from_bytes, "\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
    EXPECT(arx_text_from_bytes, "\xF4\x90\x80\x80",
           "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
    EXPECT(arx_text_from_bytes, "\xF0\x9F\x9A\xA2", "\xF0\x9F\x9A\xA2");
    EXPECT(arx_text_from_bytes, "\xF0\x9F\x9A", "\xEF\xBF\xBD");
    EXPECT(arx_text_from_bytes, "\xFF\xFE", "\xEF\xBF\xBD\xEF\xBF\xBD");
}

static void utf8_is_told_from_what_only_looks_like_it(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        bool valid;
    } rows[] = {
        {"", true},
        {"plain", true},
        {"\xC3\xA4", true},
        {"\xED\x9F\xBF", true},
        {"\xEE\x80\x80", true},
        {"\xF4\x8F\xBF\xBF", true},
        {"\xED\xA0\x80", false},
        {"\xC1\xBF", false},
        {"\xE0\x9F\xBF", false},
        {"\xF0\x8F\xBF\xBF", false},
        {"\xF5\x80\x80\x80", false},
        {"\x80", false},
        {"\xC3", false},
        {"\xC3(", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t len = strlen(rows[i].bytes);
        uint8_t *guarded = guard_copy(rows[i].bytes, len);
        assert_int_equal(arx_text_is_utf8(guarded, len), rows[i].valid);
        guard_free(guarded, len);
    }
}

static void units_and_transport_are_counted_by_code_point(void **state) {
    (void)state;
    /* a, a-umlaut, a lone surrogate, a ship (two units), U+FFFD */
    static const char text[] = "a\xC3\xA4\xED\xA0\xBD\xF0\x9F\x9A\xA2\xEF\xBF\xBD";
    const uint8_t *t = (const uint8_t *)text;
    assert_int_equal(arx_text_units(t, LEN(text)), 6);
    assert_int_equal(arx_text_transport(t, LEN(text)), 1 + 6 + 9 + 12 + 9);
    assert_false(arx_text_units_exceed(t, LEN(text), 6));
    assert_true(arx_text_units_exceed(t, LEN(text), 5));
    assert_true(arx_text_units_exceed(t, LEN(text), 3));
    for (unsigned c = 0; c < 0x80; c++) {
        uint8_t byte = (uint8_t)c;
        bool safe = c != 0 && (strchr("#-._=~", (int)c) != NULL || (c >= '0' && c <= '9') ||
                               (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'));
        assert_int_equal(arx_text_transport(&byte, 1), safe ? 1 : 3);
    }
}

static void transport_vectors(void **state) {
    (void)state;
    arx_json *rows = arx_json_get(vector_load("wires.json"), "transport");
    assert_non_null(rows);
    assert_true(rows->as.list.count > 10);
    for (arx_json *row = rows->as.list.first; row != NULL; row = row->next) {
        arx_json *input = arx_json_get(row, "input");
        const uint8_t *text = input->as.string.data;
        size_t len = input->as.string.len;
        assert_int_equal(arx_text_transport(text, len),
                         (size_t)arx_json_get(row, "transport")->as.number);
        assert_int_equal(arx_text_visible(text, len),
                         (size_t)arx_json_get(row, "visible")->as.number);
        assert_int_equal(arx_text_units(text, len), (size_t)arx_json_get(row, "utf16")->as.number);
    }
}

static void percent_decoding_is_all_or_nothing(void **state) {
    (void)state;
    static const struct {
        const char *in;
        const char *out; /* NULL: malformed */
        size_t visible;
    } rows[] = {
        {"", "", 0},
        {"abc", "abc", 3},
        {"%41b%43", "AbC", 3},
        {"%F0%9f%9A%a2!", "\xF0\x9F\x9A\xA2!", 3},
        {"100%", NULL, 4},
        {"%4", NULL, 2},
        {"%zz", NULL, 3},
        {"a%80", NULL, 4},
        {"%ed%a0%80", NULL, 9},
        {"%c3x", NULL, 4},
        {"%c3%28", NULL, 6},
        {"%F0%9f%9A", NULL, 9},
        {"%ef%bb%bfx", "\xEF\xBB\xBFx", 2},
        {"+ \xC3\xA4", "+ \xC3\xA4", 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t len = strlen(rows[i].in);
        uint8_t *guarded = guard_copy(rows[i].in, len);
        arx_buf out;
        arx_buf_init(&out, 0);
        arx_buf_append_str(&out, "kept");
        arx_result result = arx_text_percent_decode(guarded, len, &out);
        assert_int_equal(result, rows[i].out == NULL ? ARX_MALFORMED : ARX_OK);
        assert_memory_equal(out.data, "kept", 4);
        assert_int_equal(out.len, 4 + (rows[i].out == NULL ? 0 : strlen(rows[i].out)));
        if (rows[i].out != NULL) {
            assert_memory_equal(out.data + 4, rows[i].out, out.len - 4);
        }
        assert_int_equal(arx_text_visible(guarded, len), rows[i].visible);
        arx_buf_free(&out);
        guard_free(guarded, len);
    }
}

static void surrogate_halves_join_when_they_meet(void **state) {
    (void)state;
    arx_buf out;
    arx_buf_init(&out, 0);
    arx_text_append(&out, 0xDEA2);
    arx_text_append(&out, 0xD83D);
    arx_text_append(&out, 0xDEA2);
    assert_int_equal(out.len, 7);
    assert_memory_equal(out.data, "\xED\xBA\xA2\xF0\x9F\x9A\xA2", 7);
    size_t pos = 0;
    assert_int_equal(arx_text_next(out.data, out.len, &pos), 0xDEA2);
    assert_int_equal(arx_text_next(out.data, out.len, &pos), 0x1F6A2);
    assert_int_equal(pos, 7);
    assert_int_equal(arx_text_mend_surrogates(out.data, out.len), 1);
    assert_memory_equal(out.data, "\xEF\xBF\xBD\xF0\x9F\x9A\xA2", 7);
    arx_buf_free(&out);
}

static void trim_takes_what_ecmascript_calls_white(void **state) {
    (void)state;
    static const char text[] = "\xEF\xBB\xBF \t\xC2\xA0\xE3\x80\x80 a \xE2\x80\x8B\xE2\x80\xA8\n";
    const uint8_t *t = (const uint8_t *)text;
    size_t len = LEN(text);
    arx_text_trim(&t, &len);
    assert_int_equal(len, 5); /* U+200B is no white space */
    assert_memory_equal(t, "a \xE2\x80\x8B", 5);
    t = (const uint8_t *)" \xE2\x80\x8A ";
    len = 5;
    arx_text_trim(&t, &len);
    assert_int_equal(len, 0);
}

static void base64url_of_every_short_length(void **state) {
    (void)state;
    for (size_t len = 0; len < 64; len++) {
        uint8_t bytes[64];
        for (size_t i = 0; i < len; i++) {
            bytes[i] = (uint8_t)(i * 83 + len * 29);
        }
        arx_buf text, back;
        arx_buf_init(&text, 0);
        arx_buf_init(&back, 0);
        arx_base64url_encode(bytes, len, &text);
        assert_int_equal(text.len, (len * 4 + 2) / 3);
        uint8_t *guarded = guard_copy(text.data, text.len);
        assert_int_equal(arx_base64url_decode(guarded, text.len, &back), ARX_OK);
        guard_free(guarded, text.len);
        assert_int_equal(back.len, len);
        if (len > 0) {
            assert_memory_equal(back.data, bytes, len);
        }
        arx_buf_free(&text);
        arx_buf_free(&back);
    }
}

static void base64_is_forgiven_what_the_standard_forgives(void **state) {
    (void)state;
    static const struct {
        const char *in;
        const char *out; /* NULL: malformed */
    } rows[] = {
        {"", ""},
        {"aGk", "hi"},
        {"aGk=", "hi"},
        {" a\tG\nk\f", "hi"},
        {"aGkh", "hi!"},
        {"aGl", "hi"},
        {"-_-_", "\xFB\xFF\xBF"},
        {"+/+/", "\xFB\xFF\xBF"},
        {"a", NULL},
        {"aGkha", NULL},
        {"aG=k", NULL},
        {"aGk==", NULL},
        {"=", NULL},
        {"====", NULL},
        {"aG==", "h"},
        {"aG=", "h"},
        {"aGk,", NULL},
        {"aG\xC3\xA4", NULL},
        {"aGkh=", NULL},
        {"    ", ""},
        {" aGk", "hi"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t len = strlen(rows[i].in);
        uint8_t *guarded = guard_copy(rows[i].in, len);
        arx_buf out;
        arx_buf_init(&out, 0);
        arx_result result = arx_base64url_decode(guarded, len, &out);
        if ((result == ARX_OK) != (rows[i].out != NULL) ||
            (result == ARX_OK && (out.len != strlen(rows[i].out) ||
                                  (out.len > 0 && memcmp(out.data, rows[i].out, out.len) != 0)))) {
            fail_msg("row %zu, \"%s\"", i, rows[i].in);
        }
        arx_buf_free(&out);
        guard_free(guarded, len);
    }
}

static void a_buffer_fails_once_and_stays_failed(void **state) {
    (void)state;
    arx_buf buf;
    arx_buf_init(&buf, 8);
    arx_buf_append(&buf, "12345678", 8);
    assert_int_equal(arx_buf_result(&buf), ARX_OK);
    arx_buf_append_byte(&buf, 'x');
    assert_int_equal(arx_buf_result(&buf), ARX_OVER_LIMIT);
    arx_buf_clear(&buf);
    arx_buf_append_u64(&buf, 18446744073709551615u);
    assert_int_equal(arx_buf_result(&buf), ARX_OVER_LIMIT);
    assert_int_equal(buf.len, 0);
    arx_buf_clear(&buf);
    assert_null(arx_buf_extend(&buf, SIZE_MAX));
    assert_int_equal(arx_buf_result(&buf), ARX_NO_MEMORY);
    size_t len = 7;
    assert_null(arx_buf_take(&buf, &len));
    assert_int_equal(len, 0);

    arx_buf_init(&buf, 0);
    uint8_t *empty = arx_buf_take(&buf, &len);
    assert_non_null(empty);
    assert_int_equal(empty[0], '\0');
    free(empty);
    arx_buf_append_u64(&buf, 0);
    arx_buf_append_u64(&buf, 8192);
    uint8_t *digits = arx_buf_take(&buf, &len);
    assert_string_equal((char *)digits, "08192");
    free(digits);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_become_text_in_replacement_mode),
        cmocka_unit_test(utf8_is_told_from_what_only_looks_like_it),
        cmocka_unit_test(units_and_transport_are_counted_by_code_point),
        cmocka_unit_test(transport_vectors),
        cmocka_unit_test(percent_decoding_is_all_or_nothing),
        cmocka_unit_test(surrogate_halves_join_when_they_meet),
        cmocka_unit_test(trim_takes_what_ecmascript_calls_white),
        cmocka_unit_test(base64url_of_every_short_length),
        cmocka_unit_test(base64_is_forgiven_what_the_standard_forgives),
        cmocka_unit_test(a_buffer_fails_once_and_stays_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
