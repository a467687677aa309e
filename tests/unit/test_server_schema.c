/* JSON Schema: each keyword lets through what it may and names what it refuses; others are refused.
 */
#include "vectors.h"

#include <string.h>

#include "schema.h"

typedef struct judged {
    const char *schema;
    const char *value;
    const char *rule; /* NULL: it fits */
    const char *path;
} judged;

static const judged cases[] = {
    {"{}", "null", NULL, ""},
    {"{\"type\":\"integer\"}", "3", NULL, ""},
    {"{\"type\":\"integer\"}", "3.0", NULL, ""},
    {"{\"type\":\"integer\"}", "1e3", NULL, ""},
    {"{\"type\":\"integer\"}", "3.5", "type", ""},
    {"{\"type\":\"integer\"}", "\"3\"", "type", ""},
    {"{\"type\":\"number\"}", "3.5", NULL, ""},
    {"{\"type\":[\"string\",\"null\"]}", "null", NULL, ""},
    {"{\"type\":[\"string\",\"null\"]}", "true", "type", ""},
    {"{\"type\":\"boolean\"}", "false", NULL, ""},
    {"{\"type\":\"array\"}", "{}", "type", ""},
    {"{\"type\":\"object\"}", "[]", "type", ""},
    {"{\"enum\":[\"a\",1,null]}", "1.0", NULL, ""},
    {"{\"enum\":[\"a\",1,null]}", "\"1\"", "enum", ""},
    {"{\"enum\":[{\"a\":1,\"b\":2}]}", "{\"b\":2,\"a\":1}", NULL, ""},
    {"{\"const\":1}", "1", NULL, ""},
    {"{\"const\":1}", "true", "const", ""},
    {"{\"minimum\":60,\"maximum\":70}", "60", NULL, ""},
    {"{\"minimum\":60,\"maximum\":70}", "59.9", "minimum", ""},
    {"{\"minimum\":60,\"maximum\":70}", "70.1", "maximum", ""},
    {"{\"minimum\":60}", "\"a text has no minimum\"", NULL, ""},
    {"{\"minLength\":2,\"maxLength\":3}", "\"ab\"", NULL, ""},
    {"{\"minLength\":2,\"maxLength\":3}", "\"a\"", "minLength", ""},
    {"{\"minLength\":2,\"maxLength\":3}", "\"\xF0\x9F\x98\x80\xF0\x9F\x98\x80\xF0\x9F\x98\x80\"",
     NULL, ""}, /* code points, not UTF-16 units */
    {"{\"minLength\":2,\"maxLength\":3}", "\"abcd\"", "maxLength", ""},
    {"{\"pattern\":\"^[0-9a-f]{4}$\"}", "\"0a1f\"", NULL, ""},
    {"{\"pattern\":\"^[0-9a-f]{4}$\"}", "\"0a1f\\n\"", "pattern", ""},
    {"{\"pattern\":\"^[0-9a-f]{4}$\"}", "\"0a1f\\u0000\"", "pattern", ""},
    {"{\"pattern\":\"^[0-9a-f]{4}$\"}", "\"0A1F\"", "pattern", ""},
    {"{\"minItems\":1,\"maxItems\":2}", "[]", "minItems", ""},
    {"{\"minItems\":1,\"maxItems\":2}", "[1,2,3]", "maxItems", ""},
    {"{\"items\":{\"type\":\"string\"}}", "[\"a\",\"b\"]", NULL, ""},
    {"{\"items\":{\"type\":\"string\"}}", "[\"a\",1]", "type", "/1"},
    {"{\"required\":[\"a\"]}", "{\"a\":null}", NULL, ""},
    {"{\"required\":[\"a\"]}", "{\"b\":1}", "required", ""},
    {"{\"minProperties\":2}", "{\"a\":1}", "minProperties", ""},
    {"{\"properties\":{\"a\":{\"type\":\"string\"}}}", "{\"b\":1}", NULL, ""},
    {"{\"properties\":{\"a\":{\"type\":\"string\"}},\"additionalProperties\":false}", "{\"b~/\":1}",
     "additionalProperties", "/b~0~1"},
    {"{\"properties\":{\"a\":{\"items\":{\"properties\":{\"b\":{\"minimum\":1}}}}}}",
     "{\"a\":[{},{\"b\":0}]}", "minimum", "/a/1/b"},
    {"{\"description\":\"d\",\"default\":1,\"title\":\"t\",\"x-unit\":\"s\"}", "7", NULL, ""},
};

static arx_json *parse(const char *text, arx_json_doc **doc) {
    arx_json *root;
    assert_int_equal(arx_json_parse((const uint8_t *)text, strlen(text), 0, doc, &root), ARX_OK);
    return root;
}

static void values_are_judged(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        arx_json_doc *definition;
        arx_json_doc *doc;
        char why[200] = "";
        schema_fault fault;
        schema *of = schema_open(parse(cases[i].schema, &definition), why, sizeof why);
        if (of == NULL) {
            fail_msg("%s: %s", cases[i].schema, why);
        }
        schema_result result = schema_check(of, parse(cases[i].value, &doc), &fault);
        if ((result == SCHEMA_OK) != (cases[i].rule == NULL)) {
            fail_msg("%s against %s", cases[i].value, cases[i].schema);
        }
        if (result == SCHEMA_INVALID) {
            assert_string_equal(fault.rule, cases[i].rule);
            assert_int_equal(fault.path.len, strlen(cases[i].path));
            assert_memory_equal(fault.path.len > 0 ? fault.path.data : (const uint8_t *)"",
                                cases[i].path, fault.path.len);
            assert_true(fault.message.len > 10);
            schema_fault_free(&fault);
        }
        schema_free(of);
        arx_json_doc_free(doc);
        arx_json_doc_free(definition);
    }
}

/* What nobody would check is not served. */
static void unknown_words_are_refused(void **state) {
    (void)state;
    static const char *const refused[] = {
        "{\"exclusiveMinimum\":1}",
        "{\"$ref\":\"#/a\"}",
        "{\"oneOf\":[]}",
        "{\"format\":\"uri\"}",
        "{\"type\":\"text\"}",
        "{\"type\":[]}",
        "{\"type\":1}",
        "{\"enum\":[]}",
        "{\"enum\":1}",
        "{\"minLength\":-1}",
        "{\"minLength\":1.5}",
        "{\"minimum\":\"1\"}",
        "{\"required\":[1]}",
        "{\"required\":\"a\"}",
        "{\"additionalProperties\":{}}",
        "{\"properties\":[]}",
        "{\"properties\":{\"a\":{\"uniqueItems\":true}}}",
        "{\"items\":[]}",
        "{\"items\":false}",
        "{\"pattern\":\"[a]\"}",
        "{\"pattern\":\"^\\\\d$\"}",
        "{\"pattern\":\"^a.b$\"}",
        "{\"pattern\":\"^(?:a)$\"}",
        "{\"pattern\":\"^[a$\"}",
        "[]",
        "true",
        "{\"Type\":\"string\"}",
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        arx_json_doc *doc;
        char why[200] = "";
        if (schema_open(parse(refused[i], &doc), why, sizeof why) != NULL) {
            fail_msg("%s was taken", refused[i]);
        }
        assert_true(strlen(why) > 5);
        arx_json_doc_free(doc);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_judged),
        cmocka_unit_test(unknown_words_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
