/*
 * test_json_read.c - the reader accepts JSON's grammar and nothing else, keeps what JavaScript
 * keeps, in its order, and never reads past its input.
 */
#include "vectors.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Reads `text` from in front of an unmapped page and appends what JSON.stringify makes of it. */
static arx_result reread_bytes(const void *text, size_t len, size_t max_nodes, arx_buf *out) {
    uint8_t *copy = guard_copy(text, len);
    arx_json_doc *doc = NULL;
    arx_json *root = NULL;
    arx_result result = arx_json_parse(copy, len, max_nodes, &doc, &root);
    guard_free(copy, len);
    if (result == ARX_OK) {
        arx_json_write(root, out);
        arx_json_doc_free(doc);
        assert_int_equal(arx_buf_result(out), ARX_OK);
    } else {
        assert_null(doc);
        assert_null(root);
    }
    return result;
}

static void assert_rereads(const char *text, const char *want) {
    arx_buf out;
    arx_buf_init(&out, 0);
    arx_result result = reread_bytes(text, strlen(text), 0, &out);
    if (result != ARX_OK) {
        fail_msg("refused: %s", text);
    }
    arx_buf_append_byte(&out, 0);
    assert_string_equal((const char *)out.data, want);
    arx_buf_free(&out);
}

static void assert_refused(const char *text, size_t len) {
    arx_buf out;
    arx_buf_init(&out, 0);
    if (reread_bytes(text, len, 0, &out) != ARX_MALFORMED) {
        fail_msg("not refused: %.*s", (int)len, text);
    }
    arx_buf_free(&out);
}

static void the_grammar_is_accepted(void **state) {
    (void)state;
    static const char *const same[] = {
        "null", "true", "false", "0",         "-1",
        "12.5", "\"\"", "\"a\"", "[]",        "{}",
        "[[]]", "[{}]", "[1,2]", "{\"\":[]}", "{\"a\":{\"b\":null}}",
    };
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        assert_rereads(same[i], same[i]);
    }
    assert_rereads(" \t\r\n[ 1 , 2 ]\n", "[1,2]");
    assert_rereads("{ \"a\" :\t1 ,\r\"b\"\n: { } }", "{\"a\":1,\"b\":{}}");
    assert_rereads("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\\"\\\\/\\b\\f\\n\\r\\t\"");
    assert_rereads("\"\\u0041\\u00e9\\u20AC\\u2028\\u007f\"",
                   "\"A\xC3\xA9\xE2\x82\xAC\xE2\x80\xA8\x7F\"");
    assert_rereads("\"\x7F\xC2\x80\xEF\xBB\xBF\"", "\"\x7F\xC2\x80\xEF\xBB\xBF\"");
    assert_rereads("\"\\u0000\\u001F\"", "\"\\u0000\\u001f\"");
}

static void everything_else_is_refused(void **state) {
    (void)state;
    static const char *const bad[] = {
        "",
        " ",
        "nul",
        "nulll",
        "True",
        "undefined",
        "NaN",
        "Infinity",
        "-Infinity",
        "-",
        "+1",
        "01",
        "-01",
        "1.",
        ".5",
        "-.5",
        "1.e1",
        "1e",
        "1e+",
        "0x10",
        "1_0",
        "1,",
        "1 2",
        "--1",
        "00",
        "1.2.3",
        "1e1.0",
        "\"",
        "\"a",
        "'a'",
        "\"\\x41\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\\"",
        "\"\\",
        "\"\\u",
        "\"\\U0041\"",
        "\"a\nb\"",
        "\"a\tb\"",
        "[",
        "]",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[,]",
        "[1 2]",
        "[1}",
        "{",
        "}",
        "{1:2}",
        "{a:1}",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,",
        "{\"a\":1,}",
        "{,}",
        "{\"a\" 1}",
        "{\"a\":1]",
        "{\"a\":1 \"b\":2}",
        "{\"a\",\"b\"}",
        "{\"a\"::1}",
        "[]]",
        "{}}",
        "[] []",
        "// x\n1",
        "/**/1",
        "[1]x",
        "\xEF\xBB\xBF"
        "1",
        "\xC2\xA0"
        "1",
        "\v1",
        "\f1",
        "1\xE2\x80\xA8",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_refused(bad[i], strlen(bad[i]));
    }
    assert_refused("1\0", 2);
    assert_refused("\"\0\"", 3);
    assert_refused("\"\\\0\"", 4);
    assert_refused("[\0]", 3);
    for (char control = 0; control < 0x20; control++) {
        char text[] = {'"', 'a', control, '"'};
        assert_refused(text, sizeof text);
    }
}

static void surrogates_join_or_stay_alone(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *want;
    } rows[] = {
        {"\"\\ud83d\\ude00\"", "\"\xF0\x9F\x98\x80\""},
        {"\"\\uD83D\\uDE00\"", "\"\xF0\x9F\x98\x80\""},
        {"\"\\ud800\"", "\"\\ud800\""},
        {"\"\\udfff\"", "\"\\udfff\""},
        {"\"\\ude00\\ud83d\"", "\"\\ude00\\ud83d\""},
        {"\"\\ud83d\\ud83d\\ude00\\ude00\"", "\"\\ud83d\xF0\x9F\x98\x80\\ude00\""},
        {"\"\\ud83dx\\ude00\"", "\"\\ud83dx\\ude00\""},
        {"\"\\ud83d\\n\\ude00\"", "\"\\ud83d\\n\\ude00\""},
        /* raw lone surrogates, alone and meeting an escape */
        {"\"\xED\xA0\xBD\"", "\"\\ud83d\""},
        {"\"a\xED\xB8\x80z\"", "\"a\\ude00z\""},
        {"\"\\ud83d\xED\xB8\x80z\"", "\"\xF0\x9F\x98\x80z\""},
        {"\"a\xED\xA0\xBD\\ude00\"", "\"a\xF0\x9F\x98\x80\""},
        {"\"\\ud83d\xED\xA0\xBD\\ude00\"", "\"\\ud83d\xF0\x9F\x98\x80\""},
        {"\"\xED\x9F\xBF\\ude00\"", "\"\xED\x9F\xBF\\ude00\""}, /* U+D7FF is no surrogate */
        {"{\"\\ud800\":1,\"\xED\xA0\x80\":2}", "{\"\\ud800\":2}"},
        {"\"\\udbff\\udfff\\ud800\\udc00\"", "\"\xF4\x8F\xBF\xBF\xF0\x90\x80\x80\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_rereads(rows[i].text, rows[i].want);
    }
}

static void keys_stand_in_javascripts_order(void **state) {
    (void)state;
    assert_rereads("{\"b\":1,\"a\":2}", "{\"b\":1,\"a\":2}");
    assert_rereads("{\"b\":1,\"2\":2,\"a\":3,\"10\":4,\"1\":5,\"0\":6}",
                   "{\"0\":6,\"1\":5,\"2\":2,\"10\":4,\"b\":1,\"a\":3}");
    /* 2^32 - 2 is the last integer key; signs, zeros and points make plain names */
    assert_rereads("{\"x\":0,\"4294967295\":1,\"4294967294\":2,\"01\":3,\"-1\":4,\"1.5\":5,\"\":6,"
                   "\"99999999999\":7,\"5000000000\":8,\" 1\":9,\"\\u0037\":10}",
                   "{\"7\":10,\"4294967294\":2,\"x\":0,\"4294967295\":1,\"01\":3,\"-1\":4,"
                   "\"1.5\":5,\"\":6,\"99999999999\":7,\"5000000000\":8,\" 1\":9}");
    assert_rereads("{\"3\":1}", "{\"3\":1}");
    assert_rereads("{\"__proto__\":1,\"constructor\":2}", "{\"__proto__\":1,\"constructor\":2}");
}

static void a_repeated_key_keeps_its_place(void **state) {
    (void)state;
    assert_rereads("{\"a\":1,\"b\":2,\"a\":3}", "{\"a\":3,\"b\":2}");
    assert_rereads("{\"a\":{\"x\":[1,2]},\"b\":2,\"a\":[{}],\"c\":4}",
                   "{\"a\":[{}],\"b\":2,\"c\":4}");
    assert_rereads("{\"a\":{\"a\":1,\"a\":{\"a\":2}},\"\\u0061\":{\"b\":1,\"b\":2}}",
                   "{\"a\":{\"b\":2}}");
    assert_rereads("{\"a\":1,\"a\":\"x\",\"a\":null}", "{\"a\":null}");
    /* many members, so that names are found by the index; prefixes of each other among them */
    assert_rereads("{\"a\":1,\"aa\":2,\"aaa\":3,\"aaaa\":4,\"b\":5,\"ba\":6,\"\":7,\"\\u0000\":8,"
                   "\"a\\u0000\":9,\"c\":10,\"aa\":11,\"\":12,\"\\u0000\":13,\"a\":14,\"ab\":15,"
                   "\"a\\u0000\":16,\"aaaa\":[17],\"aaaaa\":18}",
                   "{\"a\":14,\"aa\":11,\"aaa\":3,\"aaaa\":[17],\"b\":5,\"ba\":6,\"\":12,"
                   "\"\\u0000\":13,\"a\\u0000\":16,\"c\":10,\"ab\":15,\"aaaaa\":18}");
}

/* Large objects inside large objects: each keeps its own names. */
static void large_objects_may_nest(void **state) {
    (void)state;
    arx_buf text, want;
    arx_buf_init(&text, 0);
    arx_buf_init(&want, 0);
    for (int level = 0; level < 5; level++) {
        for (uint64_t i = 0; i < 20; i++) {
            arx_buf *both[] = {&text, &want};
            for (size_t b = 0; b < 2; b++) {
                arx_buf_append_str(both[b], i == 0 ? "{\"k" : ",\"k");
                arx_buf_append_u64(both[b], i);
                arx_buf_append_str(both[b], b == 0 ? "\":0" : "\":1");
            }
        }
        arx_buf_append_str(&text, ",\"in\":");
        arx_buf_append_str(&want, ",\"in\":");
    }
    arx_buf_append_str(&text, "[]");
    arx_buf_append_str(&want, "[]");
    for (int level = 0; level < 5; level++) {
        for (uint64_t i = 20; i-- > 0;) {
            arx_buf_append_str(&text, ",\"k");
            arx_buf_append_u64(&text, i);
            arx_buf_append_str(&text, "\":1");
        }
        arx_buf_append_byte(&text, '}');
        arx_buf_append_byte(&want, '}');
    }
    arx_buf_append_byte(&text, 0);
    arx_buf_append_byte(&want, 0);
    assert_rereads((const char *)text.data, (const char *)want.data);
    arx_buf_free(&text);
    arx_buf_free(&want);
}

/* Every proper prefix of a list is refused, and read no further than it goes. */
static void every_prefix_is_refused(void **state) {
    (void)state;
    static const char text[] =
        " {\"v\":1,\"\\ud83d\\ude00\":[true,false,null,-12.5e+3,\"a\\u00e9\\n\xED\xA0\x80\"],"
        "\"k1\":{},\"k2\":[],\"k3\":[[[]]],\"k4\":\"\xF0\x9F\x98\x80\",\"k5\":5,\"k6\":6,"
        "\"k7\":7e-7,\"k8\":8,\"k9\":{\"k9\":9},\"k1\":[{\"a\":\"plain text of some length\"}]}";
    size_t len = sizeof text - 1;
    for (size_t cut = 0; cut < len; cut++) {
        assert_refused(text, cut);
    }
    arx_buf out;
    arx_buf_init(&out, 0);
    assert_int_equal(reread_bytes(text, len, 0, &out), ARX_OK);
    arx_buf_free(&out);
    /* The same for what is no list, where a prefix may be a text of its own. */
    static const char *const scalars[] = {"true", "null", "\"a\\u1234\"", "-1"};
    for (size_t i = 0; i < 4; i++) {
        for (size_t cut = 0; cut < strlen(scalars[i]); cut++) {
            assert_refused(scalars[i], cut);
        }
    }
}

/* Bytes that are no UTF-8 may give any text, but must not be read past. */
static void ill_formed_bytes_do_no_harm(void **state) {
    (void)state;
    static const char *const rows[] = {"\"\xED\"",         "\"\xED\xA0\"", "\"\\ud83d\xED\xB8\"",
                                       "\"\xF0\x9F\"",     "\"\xFF\xFE\"", "\"\xED\xA0\\ude00\"",
                                       "{\"\xED\xB0\":1}", "\"\xC0\xAF\""};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        arx_buf out;
        arx_buf_init(&out, 0);
        assert_int_equal(reread_bytes(rows[i], strlen(rows[i]), 0, &out), ARX_OK);
        arx_buf_free(&out);
    }
}

static char *repeated(const char *open, const char *close, size_t depth, size_t *len) {
    size_t a = strlen(open), b = strlen(close);
    *len = depth * (a + b);
    char *text = malloc(*len + 1);
    assert_non_null(text);
    for (size_t i = 0; i < depth; i++) {
        memcpy(text + i * a, open, a);
        memcpy(text + depth * a + i * b, close, b);
    }
    text[*len] = '\0';
    return text;
}

static void a_million_levels_are_read(void **state) {
    (void)state;
    static const struct {
        const char *open;
        const char *middle;
        const char *close;
    } shapes[] = {{"[", "", "]"}, {"{\"a\":", "1", "}"}, {"[{\"\":", "0", "}]"}};
    static const size_t depths[] = {3000, 10000, 1000000};
    for (size_t s = 0; s < 3; s++) {
        for (size_t d = 0; d < 3; d++) {
            size_t opens_len, closes_len;
            char *opens = repeated(shapes[s].open, "", depths[d], &opens_len);
            char *closes = repeated("", shapes[s].close, depths[d], &closes_len);
            arx_buf text, out;
            arx_buf_init(&text, 0);
            arx_buf_init(&out, 0);
            arx_buf_append(&text, opens, opens_len);
            assert_int_equal(reread_bytes(text.data, text.len, 0, &out), ARX_MALFORMED);
            arx_buf_append_str(&text, shapes[s].middle);
            arx_buf_append(&text, closes, closes_len);
            assert_int_equal(reread_bytes(text.data, text.len, 0, &out), ARX_OK);
            assert_int_equal(out.len, text.len);
            assert_memory_equal(out.data, text.data, text.len);
            /* closed once too often, and by the wrong sign */
            arx_buf_append_byte(&text, ']');
            assert_int_equal(reread_bytes(text.data, text.len, 0, &out), ARX_MALFORMED);
            text.data[text.len - 2] ^= ']' ^ '}';
            assert_int_equal(reread_bytes(text.data, text.len - 1, 0, &out), ARX_MALFORMED);
            free(opens);
            free(closes);
            arx_buf_free(&text);
            arx_buf_free(&out);
        }
    }
}

static arx_result read_limited(const char *text, size_t max_nodes) {
    arx_buf out;
    arx_buf_init(&out, 0);
    arx_result result = reread_bytes(text, strlen(text), max_nodes, &out);
    arx_buf_free(&out);
    return result;
}

static void the_limit_counts_living_values(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t needs;
    } rows[] = {
        {"1", 1},
        {"[]", 1},
        {"[1,2,3]", 4},
        {"{\"a\":[{}],\"b\":\"x\"}", 4},
        {"{\"a\":1,\"a\":2,\"a\":3}", 2},
        {"{\"a\":[1,2,3],\"a\":[1,2],\"a\":[1,2,3]}", 5},
        {"{\"a\":{\"b\":[[],[]]},\"c\":0,\"a\":0,\"d\":[0]}", 6},
        {"{\"a\":[1,2,3],\"a\":0}", 5}, /* alive at one moment, not at the end */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(read_limited(rows[i].text, rows[i].needs), ARX_OK);
        assert_int_equal(read_limited(rows[i].text, rows[i].needs + 1), ARX_OK);
        if (rows[i].needs > 1) {
            assert_int_equal(read_limited(rows[i].text, rows[i].needs - 1), ARX_OVER_LIMIT);
        }
    }
    /* Past the limit the rest is still judged. */
    assert_int_equal(read_limited("[1,2,3", 2), ARX_MALFORMED);
    assert_int_equal(read_limited("[1,2,3,{\"a\":[tru]}]", 2), ARX_MALFORMED);
    assert_int_equal(read_limited("[1,2,3,{\"a\":[\"\\ud800\"]}]", 2), ARX_OVER_LIMIT);
    size_t len;
    char *open = repeated("[", "", 1000000, &len);
    assert_int_equal(read_limited(open, 100), ARX_MALFORMED);
    free(open);
    char *nest = repeated("[", "]", 1000000, &len);
    assert_int_equal(read_limited(nest, 100), ARX_OVER_LIMIT);
    free(nest);
}

/* Appends member number i of an object of hostile names. */
typedef void (*name_maker)(arx_buf *text, uint64_t i);

static void numbered(arx_buf *text, uint64_t i) {
    arx_buf_append_u64(text, i * 2654435761u % 1000003);
}
static void prefixed(arx_buf *text, uint64_t i) {
    arx_buf_append_str(text, "the same beginning of every name, long enough to cost: ");
    arx_buf_append_u64(text, i);
}
static void laddered(arx_buf *text, uint64_t i) {
    for (uint64_t k = 0; k < i % 1500; k++) {
        arx_buf_append_byte(text, 'a');
    }
}
static void repeating(arx_buf *text, uint64_t i) {
    arx_buf_append_u64(text, i % 20);
    arx_buf_append_str(text, "k");
}

static void hostile_names_cost_no_more(void **state) {
    (void)state;
    static const struct {
        name_maker name;
        uint64_t members;
        const char *value;
    } rows[] = {
        {numbered, 500000, "1"},
        {prefixed, 500000, "1"},
        {laddered, 6000, "1"},
        {repeating, 500000, "[1]"},
        /* a large object inside the large one, again and again */
        {numbered, 30000,
         "{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1}"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        arx_buf text;
        arx_buf_init(&text, 0);
        for (uint64_t i = 0; i < rows[r].members; i++) {
            arx_buf_append_str(&text, i == 0 ? "{\"" : ",\"");
            rows[r].name(&text, i);
            arx_buf_append_str(&text, "\":");
            arx_buf_append_str(&text, rows[r].value);
        }
        arx_buf_append_byte(&text, '}');
        assert_int_equal(arx_buf_result(&text), ARX_OK);
        clock_t start = clock();
        arx_json_doc *doc;
        arx_json *root;
        assert_int_equal(arx_json_parse(text.data, text.len, 0, &doc, &root), ARX_OK);
        double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        /* Comparing each name with each other would take minutes. */
        if (seconds > 15) {
            fail_msg("row %zu took %.1f s", r, seconds);
        }
        arx_json_doc_free(doc);
        arx_buf_free(&text);
    }
}

static void values_are_built_and_found(void **state) {
    (void)state;
    arx_json_doc *doc = arx_json_doc_create();
    assert_non_null(doc);
    arx_json *object = arx_json_new(doc, ARX_JSON_OBJECT);
    arx_json *array = arx_json_new(doc, ARX_JSON_ARRAY);
    assert_int_equal(arx_json_set(object, "a", arx_json_new_number(doc, 1)), ARX_OK);
    assert_int_equal(arx_json_set(object, "b", array), ARX_OK);
    assert_int_equal(arx_json_set(object, "c", arx_json_new(doc, ARX_JSON_TRUE)), ARX_OK);
    arx_json *text = arx_json_new_string(doc, (const uint8_t *)"x\0y", 3);
    assert_int_equal(arx_json_set(object, "a", text), ARX_OK);
    assert_int_equal(arx_json_set(object, "c", arx_json_alias(doc, text)), ARX_OK);
    assert_int_equal(arx_json_set(object, "d", NULL), ARX_NO_MEMORY);
    arx_json_append(array, arx_json_new(doc, ARX_JSON_NULL));
    arx_json_append(array, arx_json_new(doc, ARX_JSON_FALSE));
    arx_buf out;
    arx_buf_init(&out, 0);
    arx_json_write(object, &out);
    arx_buf_append_byte(&out, 0);
    assert_string_equal((const char *)out.data,
                        "{\"a\":\"x\\u0000y\",\"b\":[null,false],\"c\":\"x\\u0000y\"}");
    arx_buf_free(&out);

    assert_ptr_equal(arx_json_get(object, "a"), text);
    assert_null(arx_json_get(object, "d"));
    assert_null(arx_json_get(array, "a"));
    assert_null(arx_json_get(NULL, "a"));
    assert_null(arx_json_get_string(object, "b"));
    assert_ptr_equal(arx_json_at(array, 1), array->as.list.last);
    assert_null(arx_json_at(array, 2));
    assert_null(arx_json_at(object, 0));
    assert_null(arx_json_at(NULL, 0));
    assert_false(arx_json_string_is(text, "x"));
    assert_true(arx_json_strings_equal(text, arx_json_get(object, "c")));
    assert_false(arx_json_strings_equal(text, array));
    assert_false(arx_json_strings_equal(NULL, NULL));
    arx_json_doc_free(doc);
    arx_json_doc_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_grammar_is_accepted),
        cmocka_unit_test(everything_else_is_refused),
        cmocka_unit_test(surrogates_join_or_stay_alone),
        cmocka_unit_test(keys_stand_in_javascripts_order),
        cmocka_unit_test(a_repeated_key_keeps_its_place),
        cmocka_unit_test(large_objects_may_nest),
        cmocka_unit_test(every_prefix_is_refused),
        cmocka_unit_test(ill_formed_bytes_do_no_harm),
        cmocka_unit_test(a_million_levels_are_read),
        cmocka_unit_test(the_limit_counts_living_values),
        cmocka_unit_test(hostile_names_cost_no_more),
        cmocka_unit_test(values_are_built_and_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
