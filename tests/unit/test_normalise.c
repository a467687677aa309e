/*
 * test_normalise.c - what becomes of a decoded value: expanded, checked, given its active id; or
 * refused with the exact words.
 */
#include "vectors.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* What a text comes to: the envelope's JSON, or a message. `tuple`: it is a tuple's text. */
static arx_envelope_result outcome(const uint8_t *text, size_t len, bool tuple, arx_buf *out,
                                   bool *is_tuple) {
    arx_json_doc *doc;
    arx_json *value;
    assert_int_equal(arx_json_parse(text, len, 0, &doc, &value), ARX_OK);
    *is_tuple = true;
    if (tuple) {
        arx_json *rebuilt = NULL;
        arx_result result = arx_envelope_from_tuple(doc, value, ARX_CODEC_ARX2, &rebuilt);
        if (result != ARX_OK) {
            assert_int_equal(result, ARX_MALFORMED);
            assert_null(rebuilt);
            *is_tuple = false;
            arx_json_doc_free(doc);
            return ARX_ENVELOPE_SHAPE;
        }
        value = rebuilt;
    }
    arx_json *envelope = NULL;
    const arx_json *id = NULL;
    arx_envelope_result result = arx_envelope_normalise(doc, value, &envelope, &id);
    if (result == ARX_ENVELOPE_OK) {
        assert_null(id);
        arx_json_write(envelope, out);
    } else {
        assert_null(envelope);
        arx_envelope_message(result, id, out);
    }
    arx_json_doc_free(doc);
    return result;
}

static const char HINT[] = " It may have been encoded with a different ARX dictionary version.";

static void golden_values_and_tuples(void **state) {
    (void)state;
    const arx_json *root = vector_load("normalize.json");
    size_t counts[2] = {0, 0};
    for (int tuple = 0; tuple < 2; tuple++) {
        const arx_json *rows = arx_json_get(root, tuple ? "tuples" : "rows");
        for (const arx_json *row = rows->as.list.first; row != NULL; row = row->next) {
            const arx_json *text = arx_json_get_string(row, tuple ? "tuple" : "json");
            const arx_json *expected = arx_json_get(row, "result");
            char what[300];
            snprintf(what, sizeof what, "%.*s", (int)text->as.string.len,
                     (const char *)text->as.string.data);
            arx_buf out;
            arx_buf_init(&out, 0);
            bool is_tuple;
            arx_envelope_result result =
                outcome(text->as.string.data, text->as.string.len, tuple, &out, &is_tuple);
            if (arx_json_is(arx_json_get(expected, "ok"), ARX_JSON_TRUE)) {
                assert_int_equal(result, ARX_ENVELOPE_OK);
                assert_true(vector_matches(arx_json_get(row, "keyOrder"), out.data, out.len, what));
            } else {
                assert_int_not_equal(result, ARX_ENVELOPE_OK);
                const arx_json *code = arx_json_get(expected, "code");
                if (is_tuple) {
                    assert_true(arx_json_string_is(code, "invalid-envelope"));
                    arx_buf_append_str(&out, tuple ? HINT : "");
                    assert_true(
                        vector_matches(arx_json_get(expected, "message"), out.data, out.len, what));
                } else {
                    assert_true(arx_json_string_is(code, "invalid-json"));
                }
            }
            arx_buf_free(&out);
            counts[tuple]++;
        }
    }
    assert_int_equal(counts[0], 55);
    assert_int_equal(counts[1], 40);
}

static void odd_values(void **state) {
    (void)state;
    static const struct {
        const char *json;
        arx_envelope_result result;
        const char *text;
    } rows[] = {
        {"null", ARX_ENVELOPE_SHAPE, NULL},
        {"[]", ARX_ENVELOPE_SHAPE, NULL},
        {"\"x\"", ARX_ENVELOPE_SHAPE, NULL},
        /* the check comes before the rules */
        {"{\"v\":1,\"codec\":\"lz\",\"artifacts\":[{\"id\":\"a\",\"kind\":\"diff\",\"patch\":\"\"},"
         "{\"id\":\"b\",\"kind\":\"csv\"}]}",
         ARX_ENVELOPE_SHAPE, NULL},
        /* of two faults the first in walking order is named */
        {"{\"v\":1,\"codec\":\"lz\",\"artifacts\":[{\"id\":\"d\",\"kind\":\"diff\",\"patch\":\"\"},"
         "{\"id\":\"d\",\"kind\":\"csv\",\"content\":\"\"}]}",
         ARX_ENVELOPE_DIFF, "Diff artifact \"d\" must include a patch or an old/new content pair."},
        {"{\"v\":1,\"codec\":\"lz\",\"artifacts\":[{\"id\":\"d\",\"kind\":\"csv\",\"content\":\"\"}"
         ","
         "{\"id\":\"d\",\"kind\":\"diff\",\"patch\":\"\"}]}",
         ARX_ENVELOPE_DUPLICATE, "Duplicate artifact id \"d\" is not allowed in a payload bundle."},
        /* ids with NUL, lone surrogates and different lengths are different */
        {"{\"v\":1,\"codec\":\"lz\",\"artifacts\":[{\"id\":\"\",\"kind\":\"csv\",\"content\":\"\"},"
         "{\"id\":\"\\u0000\",\"kind\":\"csv\",\"content\":\"\"},"
         "{\"id\":\"\\ud800\",\"kind\":\"csv\",\"content\":\"\"},"
         "{\"id\":\"\\ud801\",\"kind\":\"csv\",\"content\":\"\"}],\"activeArtifactId\":"
         "\"\\ud801\"}",
         ARX_ENVELOPE_OK,
         "{\"v\":1,\"codec\":\"lz\",\"artifacts\":[{\"id\":\"\",\"kind\":\"csv\",\"content\":\"\"},"
         "{\"id\":\"\\u0000\",\"kind\":\"csv\",\"content\":\"\"},"
         "{\"id\":\"\\ud800\",\"kind\":\"csv\",\"content\":\"\"},"
         "{\"id\":\"\\ud801\",\"kind\":\"csv\",\"content\":\"\"}],\"activeArtifactId\":"
         "\"\\ud801\"}"},
        /* an empty active id names nothing, even where an artifact has that id */
        {"{\"v\":1,\"codec\":\"lz\",\"activeArtifactId\":\"\",\"artifacts\":[{\"id\":\"b\","
         "\"kind\":\"csv\",\"content\":\"\"},{\"id\":\"\",\"kind\":\"csv\",\"content\":\"\"}]}",
         ARX_ENVELOPE_OK,
         "{\"v\":1,\"codec\":\"lz\",\"activeArtifactId\":\"b\",\"artifacts\":[{\"id\":\"b\","
         "\"kind\":\"csv\",\"content\":\"\"},{\"id\":\"\",\"kind\":\"csv\",\"content\":\"\"}]}"},
        /* the active id keeps its place, whatever stood there */
        {"{\"activeArtifactId\":{\"x\":[]},\"v\":1,\"codec\":\"lz\",\"artifacts\":[{\"id\":\"a\","
         "\"kind\":\"csv\",\"content\":\"\"}]}",
         ARX_ENVELOPE_OK,
         "{\"activeArtifactId\":\"a\",\"v\":1,\"codec\":\"lz\",\"artifacts\":[{\"id\":\"a\","
         "\"kind\":\"csv\",\"content\":\"\"}]}"},
        /* packed artifact fields are taken as they are; envelope ones only if strings */
        {"{\"p\":1.0,\"v\":1e0,\"c\":\"lz\",\"t\":null,\"a\":[],\"r\":[{\"k\":\"markdown\",\"i\":"
         "\"a\",\"c\":\"\",\"t\":null,\"f\":[1],\"l\":\"dropped\",\"p\":\"dropped\"}]}",
         ARX_ENVELOPE_OK,
         "{\"v\":1,\"codec\":\"lz\",\"activeArtifactId\":\"a\",\"artifacts\":[{\"id\":\"a\","
         "\"kind\":\"markdown\",\"title\":null,\"filename\":[1],\"content\":\"\"}]}"},
        {"{\"p\":1,\"v\":1,\"c\":\"lz\",\"r\":[{\"k\":\"diff\",\"i\":\"a\",\"p\":null,\"o\":\"\","
         "\"n\":\"\",\"w\":\"tall\"}]}",
         ARX_ENVELOPE_SHAPE, NULL},
        {"{\"p\":1,\"v\":1,\"c\":\"lz\",\"r\":[{\"k\":\"diff\",\"i\":\"a\",\"p\":\"\"}]}",
         ARX_ENVELOPE_DIFF, "Diff artifact \"a\" must include a patch or an old/new content pair."},
        /* packed and unpacked at once: the packed part wins only if all of it is packed */
        {"{\"p\":1,\"v\":1,\"c\":\"lz\",\"r\":[{\"k\":\"csv\",\"i\":\"a\",\"c\":\"\"},{}],"
         "\"codec\":\"lz\",\"artifacts\":[{\"id\":\"z\",\"kind\":\"csv\",\"content\":\"\"}]}",
         ARX_ENVELOPE_OK,
         "{\"p\":1,\"v\":1,\"c\":\"lz\",\"r\":[{\"k\":\"csv\",\"i\":\"a\",\"c\":\"\"},{}],"
         "\"codec\":\"lz\",\"artifacts\":[{\"id\":\"z\",\"kind\":\"csv\",\"content\":\"\"}],"
         "\"activeArtifactId\":\"z\"}"},
        {"{\"p\":1,\"v\":1,\"c\":\"lz\",\"r\":[{\"k\":\"csv\",\"i\":\"a\",\"c\":\"\"}],"
         "\"codec\":\"lz\",\"artifacts\":[{\"id\":\"z\",\"kind\":\"csv\",\"content\":\"\"}]}",
         ARX_ENVELOPE_OK,
         "{\"v\":1,\"codec\":\"lz\",\"activeArtifactId\":\"a\",\"artifacts\":[{\"id\":\"a\","
         "\"kind\":\"csv\",\"content\":\"\"}]}"},
        {"{\"v\":1,\"codec\":\"lz\\u0000\",\"artifacts\":[{\"id\":\"z\",\"kind\":\"csv\","
         "\"content\":\"\"}]}",
         ARX_ENVELOPE_SHAPE, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        arx_buf out;
        arx_buf_init(&out, 0);
        bool is_tuple;
        arx_envelope_result result =
            outcome((const uint8_t *)rows[i].json, strlen(rows[i].json), false, &out, &is_tuple);
        assert_int_equal(result, rows[i].result);
        arx_buf_append_byte(&out, 0);
        assert_string_equal((const char *)out.data,
                            rows[i].text != NULL
                                ? rows[i].text
                                : "The decoded JSON did not match the payload envelope.");
        arx_buf_free(&out);
    }
}

static void odd_tuples(void **state) {
    (void)state;
    static const struct {
        const char *json;
        const char *text; /* NULL: no tuple */
    } rows[] = {
        {"[3.5,[\"m\",\"a\",\"x\"]]", NULL},
        {"[3,{\"0\":\"m\"}]", NULL},
        {"[2,[]]", NULL},
        {"[3,[\"mm\",\"a\",\"x\"]]", NULL},
        {"[3,[\"\",\"a\",\"x\"]]", NULL},
        {"[3,[\"M\",\"a\",\"x\"]]", NULL},
        {"[3,[\"m\"]]", NULL},
        {"[3,[\"d\"]]", NULL},
        {"[3,[\"m\",\"a\"]]", NULL},
        {"[2,[[\"m\",\"a\",\"x\"],5]]", NULL},
        {"[3,[\"d\",\"a\",\"p\",null,null,null,false]]", NULL},
        {"null", NULL},
        {"[null]", NULL},
        {"[3e0,[\"j\",\"a\",\"x\",null,\"f\",7],{\"t\":1},5]",
         "{\"v\":1,\"codec\":\"arx2\",\"activeArtifactId\":\"a\",\"artifacts\":[{\"id\":\"a\","
         "\"kind\":\"json\",\"content\":\"x\",\"filename\":\"f\"}]}"},
        {"[3,[\"d\",\"a\",5,\"o\",\"n\",null,\"unified\"]]",
         "{\"v\":1,\"codec\":\"arx2\",\"activeArtifactId\":\"a\",\"artifacts\":[{\"id\":\"a\","
         "\"kind\":\"diff\",\"oldContent\":\"o\",\"newContent\":\"n\",\"view\":\"unified\"}]}"},
        {"[2,[[\"m\",\"a\",\"x\"]],null,-0]",
         "{\"v\":1,\"codec\":\"arx2\",\"activeArtifactId\":\"a\",\"artifacts\":[{\"id\":\"a\","
         "\"kind\":\"markdown\",\"content\":\"x\"}]}"},
        {"[2,[[\"m\",\"a\",\"x\"],[\"m\",\"b\",\"y\"]],\"\",2]",
         "{\"v\":1,\"codec\":\"arx2\",\"title\":\"\",\"activeArtifactId\":\"a\",\"artifacts\":["
         "{\"id\":\"a\",\"kind\":\"markdown\",\"content\":\"x\"},{\"id\":\"b\",\"kind\":"
         "\"markdown\",\"content\":\"y\"}]}"},
        {"[2,[[\"m\",\"a\",\"x\"],[\"m\",\"\",\"y\"]],null,1e300]",
         "{\"v\":1,\"codec\":\"arx2\",\"activeArtifactId\":\"a\",\"artifacts\":["
         "{\"id\":\"a\",\"kind\":\"markdown\",\"content\":\"x\"},{\"id\":\"\",\"kind\":"
         "\"markdown\",\"content\":\"y\"}]}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        arx_buf out;
        arx_buf_init(&out, 0);
        bool is_tuple;
        arx_envelope_result result =
            outcome((const uint8_t *)rows[i].json, strlen(rows[i].json), true, &out, &is_tuple);
        assert_int_equal(is_tuple, rows[i].text != NULL);
        if (rows[i].text != NULL) {
            assert_int_equal(result, ARX_ENVELOPE_OK);
            arx_buf_append_byte(&out, 0);
            assert_string_equal((const char *)out.data, rows[i].text);
        }
        arx_buf_free(&out);
    }
}

/* 60,000 artifacts, the last of which may repeat the first one's id. */
static void many_artifacts_cost_no_more(void **state) {
    (void)state;
    for (int duplicate = 0; duplicate < 2; duplicate++) {
        arx_buf text, out;
        arx_buf_init(&text, 0);
        arx_buf_init(&out, 0);
        arx_buf_append_str(&text, "{\"v\":1,\"codec\":\"lz\",\"activeArtifactId\":\"id 59998\","
                                  "\"artifacts\":[");
        for (uint64_t i = 0; i < 60000; i++) {
            arx_buf_append_str(&text, i == 0 ? "" : ",");
            arx_buf_append_str(&text, "{\"id\":\"id ");
            arx_buf_append_u64(&text, duplicate && i == 59999 ? 0 : i);
            arx_buf_append_str(&text, "\",\"kind\":\"csv\",\"content\":\"\"}");
        }
        arx_buf_append_str(&text, "]}");
        clock_t start = clock();
        bool is_tuple;
        arx_envelope_result result = outcome(text.data, text.len, false, &out, &is_tuple);
        double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        if (duplicate) {
            assert_int_equal(result, ARX_ENVELOPE_DUPLICATE);
            arx_buf_append_byte(&out, 0);
            assert_string_equal((const char *)out.data, "Duplicate artifact id \"id 0\" is not "
                                                        "allowed in a payload bundle.");
        } else {
            assert_int_equal(result, ARX_ENVELOPE_OK);
            assert_int_equal(out.len, text.len);
            assert_memory_equal(out.data, text.data, text.len);
        }
        /* Comparing each id with each other takes tens of seconds. */
        if (seconds > 8) {
            fail_msg("took %.1f s", seconds);
        }
        arx_buf_free(&text);
        arx_buf_free(&out);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_values_and_tuples),
        cmocka_unit_test(odd_values),
        cmocka_unit_test(odd_tuples),
        cmocka_unit_test(many_artifacts_cost_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
