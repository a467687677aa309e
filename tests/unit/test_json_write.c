/*
 * test_json_write.c - the writer escapes what JSON.stringify escapes and nothing else, wherever in
 * a string it stands, and what it wrote is read back as it was.
 */
#include "vectors.h"

#include <stdio.h>
#include <string.h>

static void write_string(const void *text, size_t len, arx_buf *out) {
    uint8_t *copy = guard_copy(text, len);
    arx_json_write_string(copy, len, out);
    guard_free(copy, len);
}

static void assert_written(const void *text, size_t len, const char *want) {
    arx_buf out;
    arx_buf_init(&out, 0);
    write_string(text, len, &out);
    arx_buf_append_byte(&out, 0);
    assert_string_equal((const char *)out.data, want);
    arx_buf_free(&out);
}

/* Every byte a code point can be, at every offset of a word, between plain text. */
static void ascii_is_escaped_wherever_it_stands(void **state) {
    (void)state;
    for (unsigned c = 0; c < 0x80; c++) {
        char escape[8];
        const char *const pair = strchr("\bb\tt\nn\ff\rr\"\"\\\\", (int)c);
        if (c == '"' || c == '\\') {
            snprintf(escape, sizeof escape, "\\%c", (char)c);
        } else if (c < 0x20 && c != 0 && pair != NULL) {
            snprintf(escape, sizeof escape, "\\%c", pair[1]);
        } else if (c < 0x20) {
            snprintf(escape, sizeof escape, "\\u00%02x", c);
        } else {
            snprintf(escape, sizeof escape, "%c", (char)c);
        }
        for (size_t before = 0; before < 20; before++) {
            uint8_t text[40];
            memset(text, 'x', sizeof text);
            text[before] = (uint8_t)c;
            char want[64];
            snprintf(want, sizeof want, "\"%.*s%s%.*s\"", (int)before, "xxxxxxxxxxxxxxxxxxxx",
                     escape, 9, "xxxxxxxxx");
            assert_written(text, before + 10, want);
        }
    }
}

static void only_lone_surrogates_are_escaped_beyond_ascii(void **state) {
    (void)state;
    assert_written("", 0, "\"\"");
    assert_written("/\x7F", 2, "\"/\x7F\"");
    assert_written("\xC2\x80\xE2\x80\xA8\xE2\x80\xA9\xEF\xBB\xBF", 11,
                   "\"\xC2\x80\xE2\x80\xA8\xE2\x80\xA9\xEF\xBB\xBF\"");
    assert_written("\xF0\x9F\x98\x80", 4, "\"\xF0\x9F\x98\x80\"");
    assert_written("\xED\xA0\x80", 3, "\"\\ud800\"");
    assert_written("\xED\xBF\xBF", 3, "\"\\udfff\"");
    assert_written("\xED\x9F\xBF\xED\x80\x80", 6, "\"\xED\x9F\xBF\xED\x80\x80\"");
    assert_written("a\xED\xB8\x80\xED\xA0\xBDz", 8, "\"a\\ude00\\ud83dz\"");
    /* cut text: no read past the end */
    assert_written("abc\xED\xA0", 5, "\"abc\xED\xA0\"");
    assert_written("\xED", 1, "\"\xED\"");
}

/* All units, singly: written, read and written again. */
static void every_unit_survives(void **state) {
    (void)state;
    for (uint32_t unit = 0; unit < 0x10000; unit += unit >= 0x800 && unit < 0xD700 ? 37 : 1) {
        arx_buf text, json, again;
        arx_buf_init(&text, 0);
        arx_buf_init(&json, 0);
        arx_buf_init(&again, 0);
        arx_buf_append_byte(&text, 'a');
        arx_text_append(&text, unit);
        arx_json_write_string(text.data, text.len, &json);
        arx_json_doc *doc;
        arx_json *root;
        assert_int_equal(arx_json_parse(json.data, json.len, 0, &doc, &root), ARX_OK);
        assert_int_equal(root->as.string.len, text.len);
        assert_memory_equal(root->as.string.data, text.data, text.len);
        assert_true(arx_text_is_utf8(json.data, json.len));
        arx_json_write(root, &again);
        assert_int_equal(again.len, json.len);
        assert_memory_equal(again.data, json.data, json.len);
        arx_json_doc_free(doc);
        arx_buf_free(&text);
        arx_buf_free(&json);
        arx_buf_free(&again);
    }
}

/* Each vector file holds every kind of value; written text is a fixed point. */
static void vector_files_survive(void **state) {
    (void)state;
    static const char *const files[] = {"envelopes.json", "decode-errors.json", "wires.json",
                                        "tables.json", "normalize.json"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const arx_json *root = vector_load(files[i]);
        arx_buf once, twice;
        arx_buf_init(&once, 0);
        arx_buf_init(&twice, 0);
        arx_json_write(root, &once);
        arx_json_doc *doc;
        arx_json *copy;
        assert_int_equal(arx_json_parse(once.data, once.len, 0, &doc, &copy), ARX_OK);
        arx_json_write(copy, &twice);
        assert_int_equal(twice.len, once.len);
        assert_memory_equal(twice.data, once.data, once.len);
        assert_true(arx_text_is_utf8(once.data, once.len));
        arx_json_doc_free(doc);
        arx_buf_free(&once);
        arx_buf_free(&twice);
    }
}

static void a_full_buffer_says_so(void **state) {
    (void)state;
    static const char text[] = "{\"a\":[1,\"two\\n\",{\"three\":null}],\"b\":\"\\ud800\"}";
    arx_json_doc *doc;
    arx_json *root;
    assert_int_equal(arx_json_parse((const uint8_t *)text, sizeof text - 1, 0, &doc, &root),
                     ARX_OK);
    for (size_t max = 1; max < sizeof text; max++) {
        arx_buf out;
        arx_buf_init(&out, max);
        arx_json_write(root, &out);
        assert_int_equal(arx_buf_result(&out), max < sizeof text - 1 ? ARX_OVER_LIMIT : ARX_OK);
        arx_buf_free(&out);
    }
    arx_json_doc_free(doc);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ascii_is_escaped_wherever_it_stands),
        cmocka_unit_test(only_lone_surrogates_are_escaped_beyond_ascii),
        cmocka_unit_test(every_unit_survives),
        cmocka_unit_test(vector_files_survive),
        cmocka_unit_test(a_full_buffer_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
