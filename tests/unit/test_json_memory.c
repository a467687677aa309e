/*
 * test_json_memory.c - reading, writing and normalising survive the failure of any one allocation,
 * lose nothing, and hold no more memory than a decode may.
 */
#include "heap.h"
#include "vectors.h"

#include <string.h>

/* Reads `text` as an envelope or, when it is an array, a tuple; normalises; writes all forms. */
static arx_result go_through(const uint8_t *text, size_t len, arx_buf *out) {
    arx_json_doc *doc = NULL;
    arx_json *value;
    arx_result result = arx_json_parse(text, len, 0, &doc, &value);
    if (result != ARX_OK) {
        return result;
    }
    if (arx_json_is(value, ARX_JSON_ARRAY)) {
        result = arx_envelope_from_tuple(doc, value, ARX_CODEC_ARX2, &value);
    }
    if (result == ARX_OK) {
        const arx_json *id = NULL;
        arx_json *envelope;
        switch (arx_envelope_normalise(doc, value, &envelope, &id)) {
        case ARX_ENVELOPE_OK:
            arx_envelope_write_unpacked(envelope, ARX_CODEC_PLAIN, out);
            arx_envelope_write_packed(envelope, ARX_CODEC_PLAIN, out);
            arx_envelope_write_tuple(envelope, out);
            result = arx_buf_result(out);
            break;
        case ARX_ENVELOPE_NO_MEMORY:
            result = ARX_NO_MEMORY;
            break;
        default:
            result = ARX_MALFORMED;
            break;
        }
    }
    arx_json_doc_free(doc);
    return result;
}

static void survive_every_failure(const char *text) {
    for (size_t k = 1;; k++) {
        assert_true(k < 100000);
        arx_buf out;
        arx_buf_init(&out, 0);
        size_t before = heap_bytes();
        heap_refuse(k, false);
        arx_result result = go_through((const uint8_t *)text, strlen(text), &out);
        bool was_failed = heap_relent();
        arx_buf_free(&out);
        assert_int_equal(heap_bytes(), before);
        assert_int_equal(result, was_failed ? ARX_NO_MEMORY : ARX_OK);
        if (!was_failed) {
            return;
        }
    }
}

static void any_allocation_may_fail(void **state) {
    (void)state;
    static const char unpacked[] =
        "{\"v\":1,\"codec\":\"plain\",\"x\":{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6,"
        "\"g\":7,\"h\":8,\"i\":[[[[[[[[[[]]]]]]]]]],\"j\":{\"a\":1,\"b\":2,\"c\":3,\"d\":4,"
        "\"e\":5,\"f\":6,\"g\":7,\"h\":8,\"i\":9,\"j\":1.1e-300}},"
        "\"artifacts\":[{\"id\":\"a\",\"kind\":\"markdown\",\"content\":\"x\\n\x7F\"},"
        "{\"id\":\"b\",\"kind\":\"diff\",\"oldContent\":\"\",\"newContent\":\"\\ud83d\\ude00\"}],"
        "\"activeArtifactId\":\"b\",\"title\":\"T\"}";
    static const char packed[] =
        "{\"p\":1,\"v\":1,\"c\":\"deflate\",\"t\":\"T\",\"a\":\"b\",\"r\":[{\"i\":\"a\",\"k\":"
        "\"code\",\"c\":\"x\",\"l\":\"c\"},{\"i\":\"b\",\"k\":\"diff\",\"p\":\"q\",\"w\":"
        "\"split\"}]}";
    static const char tuple[] =
        "[2,[[\"m\",\"a\",\"x\",\"t\",\"f\"],[\"d\",\"b\",null,\"o\",\"n\"]],\"T\",1]";
    survive_every_failure(unpacked);
    survive_every_failure(packed);
    survive_every_failure(tuple);
}

/* Appends `piece` until the text has `units` units or a little more, between `head` and `tail`. */
static void fill(arx_buf *text, const char *head, const char *piece, const char *tail,
                 size_t units) {
    arx_buf_append_str(text, head);
    for (uint64_t i = 0; text->len < units; i++) {
        for (const char *c = piece; *c != '\0'; c++) {
            if (*c == '%') {
                arx_buf_append_u64(text, i);
            } else {
                arx_buf_append_byte(text, (uint8_t)*c);
            }
        }
    }
    arx_buf_append_str(text, tail);
}

/* What 200,000 units can be made to hold costs less than a decode's 16 MB, the text included. */
static void hostile_text_stays_within_a_decodes_memory(void **state) {
    (void)state;
    static const struct {
        const char *head, *piece, *tail;
    } rows[] = {
        {"[0", ",0", "]"},
        {"[0", ",[]", "]"},
        {"{\"\":0", ",\"%\":0", "}"},
        {"{\"\":0", ",\"%\":[]", "}"},
        {"[[0]", ",{\"\":0}", "]"},
        {"[2,[[\"m\",\"\",\"\"]", ",[\"m\",\"%\",\"\"]", "]]"},
        {"[2,[[\"d\",\"\",\"\"]", ",[\"d\",\"%\",\"q\"]", "]]"},
        {"{\"p\":1,\"v\":1,\"c\":\"lz\",\"r\":[{\"i\":\"\",\"k\":\"csv\",\"c\":\"\"}",
         ",{\"i\":\"%\",\"k\":\"csv\",\"c\":\"\"}", "]}"},
        {"{\"v\":1,\"codec\":\"lz\",\"artifacts\":[{\"id\":\"\",\"kind\":\"csv\",\"content\":\"\"}",
         ",{\"id\":\"%\",\"kind\":\"csv\",\"content\":\"\"}", "]}"},
        {"[\"", "\\u00e9", "\"]"},
        {"[5e-324", ",5e-324", "]"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        arx_buf text, out;
        arx_buf_init(&text, 0);
        arx_buf_init(&out, 0);
        size_t before = heap_bytes();
        heap_mark();
        fill(&text, rows[i].head, rows[i].piece, rows[i].tail, 200000);
        arx_result result = go_through(text.data, text.len, &out);
        assert_true(result == ARX_OK || result == ARX_MALFORMED);
        size_t used = heap_peak();
        if (used > 12u << 20) {
            fail_msg("row %zu needs %zu bytes", i, used);
        }
        arx_buf_free(&text);
        arx_buf_free(&out);
        assert_int_equal(heap_bytes(), before);
    }
}

/* A limit on values bounds memory, however long the text and however deep. */
static void a_limit_on_values_bounds_memory(void **state) {
    (void)state;
    static const struct {
        const char *head, *piece, *tail;
        arx_result want;
    } rows[] = {
        {"[0", ",0", "]", ARX_OVER_LIMIT},
        {"[", "[", "", ARX_MALFORMED},
        {"[", "{\"\":[", "", ARX_MALFORMED},
        {"{\"a\":0", ",\"a\":[0,0,0,0]", "}", ARX_OK},
        {"{\"a\":0,\"b\":0,\"c\":0,\"d\":0,\"e\":0,\"f\":0,\"g\":0,\"h\":0,\"i\":0,\"j\":0",
         ",\"a\":{\"x\":0,\"x\":[0]}", "}", ARX_OK},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        arx_buf text;
        arx_buf_init(&text, 0);
        fill(&text, rows[i].head, rows[i].piece, rows[i].tail, 2000000);
        arx_json_doc *doc = NULL;
        arx_json *root;
        size_t before = heap_bytes();
        heap_mark();
        assert_int_equal(arx_json_parse(text.data, text.len, 1000, &doc, &root), rows[i].want);
        size_t used = heap_peak();
        if (used > 1u << 20) {
            fail_msg("row %zu needs %zu bytes", i, used);
        }
        arx_json_doc_free(doc);
        assert_int_equal(heap_bytes(), before);
        arx_buf_free(&text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_allocation_may_fail),
        cmocka_unit_test(hostile_text_stays_within_a_decodes_memory),
        cmocka_unit_test(a_limit_on_values_bounds_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
