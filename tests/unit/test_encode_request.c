/*
 * test_encode_request.c - bodies of an encode: what is taken, what is refused and in which words;
 * and the answer's shape.
 */
#include "encodes.h"

#include "encode_request.h"
#include "encode_result.h"

static arx_request_result read_body(const char *json, arx_json_doc **doc,
                                    arx_encode_request *request, arx_buf *message) {
    arx_json *body;
    assert_int_equal(arx_json_parse((const uint8_t *)json, strlen(json), 0, doc, &body), ARX_OK);
    return arx_encode_request_read(*doc, body, request, message);
}

static void expect_refusal(const char *json, arx_request_result result, const char *text) {
    arx_json_doc *doc;
    arx_encode_request request;
    arx_buf message;
    arx_buf_init(&message, 0);
    arx_request_result got = read_body(json, &doc, &request, &message);
    if (got != result || message.len != strlen(text) ||
        memcmp(message.data, text, message.len) != 0) {
        fail_msg("%s: %s: %.*s", json, arx_request_code(got), (int)message.len,
                 (const char *)message.data);
    }
    arx_buf_free(&message);
    arx_json_doc_free(doc);
}

#define GOOD  "\"artifact\":{\"kind\":\"markdown\",\"content\":\"# hi\"}"
#define CODEC "plain, lz, deflate, arx, arx2, arx3, arx4, arx5."

static void test_refused_options(void **state) {
    (void)state;
    static const struct {
        const char *json;
        const char *text;
    } rows[] = {
        {"[]", "The request must be a JSON object with an \"envelope\" or an \"artifact\"."},
        {"{}", "The request must have either an \"envelope\" or an \"artifact\"."},
        {"{\"envelope\":null}", "The request must have either an \"envelope\" or an \"artifact\"."},
        {"{\"envelope\":{}," GOOD "}",
         "The request must have either an \"envelope\" or an \"artifact\"."},
        {"{" GOOD ",\"codec\":\"zip\"}", "\"codec\" must be one of auto, " CODEC},
        {"{" GOOD ",\"codec\":5}", "\"codec\" must be one of auto, " CODEC},
        {"{" GOOD ",\"codecPriority\":\"lz\"}",
         "\"codecPriority\" must be a list of codecs, each one of " CODEC},
        {"{" GOOD ",\"codecPriority\":[\"lz\",\"auto\"]}",
         "\"codecPriority\" must be a list of codecs, each one of " CODEC},
        {"{" GOOD ",\"preferPacked\":\"no\"}", "\"preferPacked\" must be true or false."},
        {"{" GOOD ",\"preferCompressed\":0}", "\"preferCompressed\" must be true or false."},
        {"{" GOOD ",\"budgetByTransport\":[]}", "\"budgetByTransport\" must be true or false."},
        {"{" GOOD ",\"targetMaxFragmentLength\":0}",
         "\"targetMaxFragmentLength\" must be a whole number from 1 to 1000000000."},
        {"{" GOOD ",\"targetMaxFragmentLength\":1.5}",
         "\"targetMaxFragmentLength\" must be a whole number from 1 to 1000000000."},
        {"{" GOOD ",\"targetMaxFragmentLength\":1e999}",
         "\"targetMaxFragmentLength\" must be a whole number from 1 to 1000000000."},
        {"{" GOOD ",\"targetMaxFragmentLength\":\"9\"}",
         "\"targetMaxFragmentLength\" must be a whole number from 1 to 1000000000."},
        {"{" GOOD ",\"prior\":\"x\"}", "\"prior\" must be one of m, c, j, s, n."},
        {"{" GOOD ",\"prior\":\"\\u0000\"}", "\"prior\" must be one of m, c, j, s, n."},
        {"{" GOOD ",\"prior\":\"mc\"}", "\"prior\" must be one of m, c, j, s, n."},
        {"{" GOOD ",\"baseUrl\":7}", "\"baseUrl\" must be a string."},
        {"{" GOOD ",\"baseUrl\":\"example.org\"}",
         "\"baseUrl\" must be an absolute URL, such as https://example.org/."},
        {"{" GOOD ",\"label\":false}", "\"label\" must be a string."},
        {"{\"artifact\":[]}", "\"artifact\" must be an object."},
        {"{\"artifact\":{\"content\":\"x\"}}",
         "\"artifact.kind\" must be one of markdown, code, diff, csv, json."},
        {"{\"artifact\":{\"kind\":\"html\",\"content\":\"x\"}}",
         "\"artifact.kind\" must be one of markdown, code, diff, csv, json."},
        {"{\"artifact\":{\"kind\":\"csv\"}}", "\"artifact.content\" must be given, a string."},
        {"{\"artifact\":{\"kind\":\"csv\",\"content\":5}}",
         "\"artifact.content\" must be a string."},
        {"{\"artifact\":{\"kind\":\"csv\",\"content\":\"x\",\"title\":5}}",
         "\"artifact.title\" must be a string."},
        {"{\"artifact\":{\"kind\":\"diff\",\"oldContent\":\"x\"}}",
         "A diff needs \"artifact.patch\", or both \"artifact.oldContent\" and "
         "\"artifact.newContent\"."},
        {"{\"artifact\":{\"kind\":\"diff\",\"patch\":\"x\",\"view\":\"both\"}}",
         "\"artifact.view\" must be unified or split."},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        expect_refusal(rows[i].json, ARX_REQUEST_INVALID, rows[i].text);
    }
}

static void test_refused_envelopes(void **state) {
    (void)state;
    static const char shape[] = "The decoded JSON did not match the payload envelope.";
    expect_refusal("{\"envelope\":5}", ARX_REQUEST_ENVELOPE, shape);
    expect_refusal("{\"envelope\":{\"v\":2}}", ARX_REQUEST_ENVELOPE, shape);
    expect_refusal("{\"envelope\":{\"v\":1,\"codec\":\"plain\",\"artifacts\":["
                   "{\"id\":\"a\",\"kind\":\"csv\",\"content\":\"\"},"
                   "{\"id\":\"a\",\"kind\":\"csv\",\"content\":\"\"}]}}",
                   ARX_REQUEST_ENVELOPE,
                   "Duplicate artifact id \"a\" is not allowed in a payload bundle.");
    expect_refusal("{\"envelope\":{\"v\":1,\"codec\":\"plain\",\"artifacts\":["
                   "{\"id\":\"d\",\"kind\":\"diff\",\"patch\":\"\"}]}}",
                   ARX_REQUEST_ENVELOPE,
                   "Diff artifact \"d\" must include a patch or an old/new content pair.");
    expect_refusal("{\"artifact\":{\"kind\":\"markdown\",\"content\":\" \\u00a0\\n\"}}",
                   ARX_REQUEST_ENVELOPE, "Paste some content before generating a link.");
    expect_refusal("{\"artifact\":{\"kind\":\"diff\",\"patch\":\"\"}}", ARX_REQUEST_ENVELOPE,
                   "Paste a diff patch before generating a link.");
}

static void expect_envelope(const char *json, const char *expected) {
    arx_json_doc *doc;
    arx_encode_request request;
    arx_buf text;
    arx_buf message;
    arx_buf_init(&text, 0);
    arx_buf_init(&message, 0);
    assert_int_equal(read_body(json, &doc, &request, &message), ARX_REQUEST_OK);
    arx_json_write(request.envelope, &text);
    arx_buf_append_byte(&text, 0);
    assert_string_equal((const char *)text.data, expected);
    arx_buf_free(&text);
    arx_buf_free(&message);
    arx_json_doc_free(doc);
}

static void test_envelopes(void **state) {
    (void)state;
    expect_envelope(
        "{\"envelope\":{\"p\":1,\"v\":1,\"c\":\"lz\",\"a\":\"b\",\"r\":["
        "{\"i\":\"a\",\"k\":\"csv\",\"c\":\"1\"},{\"i\":\"b\",\"k\":\"csv\",\"c\":\"2\"}]}}",
        "{\"v\":1,\"codec\":\"lz\",\"activeArtifactId\":\"b\",\"artifacts\":["
        "{\"id\":\"a\",\"kind\":\"csv\",\"content\":\"1\"},"
        "{\"id\":\"b\",\"kind\":\"csv\",\"content\":\"2\"}]}");
    expect_envelope(
        "{\"artifact\":{\"kind\":\"code\",\"filename\":\" x.ts \",\"content\":\"let a\","
        "\"language\":\" ts \",\"title\":null}}",
        "{\"v\":1,\"codec\":\"plain\",\"title\":\"x.ts\",\"activeArtifactId\":\"x\","
        "\"artifacts\":[{\"id\":\"x\",\"kind\":\"code\",\"filename\":\"x.ts\","
        "\"content\":\"let a\",\"language\":\"ts\"}]}");
    expect_envelope("{\"artifact\":{\"kind\":\"diff\",\"content\":\"+a\",\"view\":\"split\"}}",
                    "{\"v\":1,\"codec\":\"plain\",\"title\":\"Untitled diff\","
                    "\"activeArtifactId\":\"diff\",\"artifacts\":[{\"id\":\"diff\","
                    "\"kind\":\"diff\",\"patch\":\"+a\",\"view\":\"split\"}]}");
    expect_envelope("{\"artifact\":{\"kind\":\"diff\",\"oldContent\":\"\",\"newContent\":\"b\","
                    "\"language\":\"c\",\"diffView\":\"unified\"}}",
                    "{\"v\":1,\"codec\":\"plain\",\"title\":\"Untitled diff\","
                    "\"activeArtifactId\":\"diff\",\"artifacts\":[{\"id\":\"diff\","
                    "\"kind\":\"diff\",\"oldContent\":\"\",\"newContent\":\"b\","
                    "\"language\":\"c\",\"view\":\"unified\"}]}");
}

static void test_options(void **state) {
    (void)state;
    arx_json_doc *doc;
    arx_encode_request request;
    arx_buf message;
    arx_buf_init(&message, 0);
    assert_int_equal(read_body("{" GOOD "}", &doc, &request, &message), ARX_REQUEST_OK);
    assert_false(request.options.has_codec);
    assert_false(request.options.has_priority);
    assert_true(request.options.prefer_packed);
    assert_true(request.options.prefer_compressed);
    assert_int_equal(request.options.target_units, 0);
    assert_int_equal(request.options.prior, '\0');
    assert_null(request.base_url);
    assert_null(request.label);
    arx_json_doc_free(doc);

    assert_int_equal(
        read_body("{" GOOD ",\"codec\":\"arx5\",\"codecPriority\":[\"lz\",\"plain\",\"lz\"],"
                  "\"preferPacked\":false,\"preferCompressed\":false,\"budgetByTransport\":true,"
                  "\"targetMaxFragmentLength\":1e3,\"prior\":\"n\",\"baseUrl\":\"\",\"label\":\"\","
                  "\"store\":true,\"async\":\"whatever\"}",
                  &doc, &request, &message),
        ARX_REQUEST_OK);
    assert_true(request.options.has_codec);
    assert_int_equal(request.options.codec, ARX_CODEC_ARX5);
    assert_int_equal(request.options.priority_count, 2);
    assert_int_equal(request.options.priority[0], ARX_CODEC_LZ);
    assert_int_equal(request.options.priority[1], ARX_CODEC_PLAIN);
    assert_false(request.options.prefer_packed);
    assert_false(request.options.prefer_compressed);
    assert_true(request.options.budget_by_transport);
    assert_int_equal(request.options.target_units, 1000);
    assert_int_equal(request.options.prior, 'n');
    assert_non_null(request.base_url);
    assert_int_equal(request.base_url_len, 0);
    assert_non_null(request.label);
    arx_json_doc_free(doc);
    arx_buf_free(&message);
}

/* ---- the answer ---- */

/* Encodes a body and parses what the result says. Caller frees the document. */
static arx_json *result_of(const char *body, arx_json_doc **result_doc) {
    static const char *const warnings[] = {"one", "\"two\""};
    arx_json_doc *doc;
    arx_encode_request request;
    arx_link link;
    arx_buf message;
    arx_buf out;
    arx_json *root;
    arx_coder *coder = new_coder();
    arx_buf_init(&message, 0);
    arx_buf_init(&out, 0);
    assert_int_equal(read_body(body, &doc, &request, &message), ARX_REQUEST_OK);
    arx_encoded encoded = encode(coder, vector_test_assets(), request.envelope, &request.options);
    assert_int_equal(arx_link_create(request.envelope, &encoded, request.base_url,
                                     request.base_url_len, request.label, request.label_len, &link),
                     ARX_OK);
    const arx_encode_result result = {&encoded, &link, "0011223344556677", warnings, 2};
    arx_buf_append_byte(&out, '{');
    arx_encode_result_write(&result, &out);
    arx_buf_append_byte(&out, '}');
    assert_int_equal(arx_json_parse(out.data, out.len, 0, result_doc, &root), ARX_OK);
    arx_link_free(&link);
    arx_encoded_free(&encoded);
    arx_json_doc_free(doc);
    arx_coder_free(coder);
    arx_buf_free(&message);
    arx_buf_free(&out);
    return root;
}

static void expect_members(const arx_json *object, const char *const *names, size_t count) {
    assert_int_equal(object->as.list.count, count);
    const arx_json *member = object->as.list.first;
    for (size_t i = 0; i < count; i++, member = member->next) {
        assert_int_equal(member->key_len, strlen(names[i]));
        assert_memory_equal(member->key, names[i], member->key_len);
    }
}

static const char *const result_members[] = {"codec",
                                             "wire",
                                             "prior",
                                             "packed",
                                             "fragment",
                                             "url",
                                             "hash",
                                             "markdownUrl",
                                             "markdownLink",
                                             "markdownLinkLength",
                                             "discordMarkdownLinkWarning",
                                             "visibleLength",
                                             "transportLength",
                                             "fitsFragmentBudget",
                                             "fitsTarget",
                                             "assetSet",
                                             "candidates",
                                             "warnings",
                                             "hint"};

static void test_result(void **state) {
    (void)state;
    static const char *const candidate_members[] = {"codec", "packed", "wire", "visibleLength",
                                                    "transportLength"};
    arx_json_doc *doc;
    arx_json *root = result_of("{" GOOD ",\"baseUrl\":\"https://h/x#y\",\"label\":\"L\","
                               "\"targetMaxFragmentLength\":5}",
                               &doc);
    expect_members(root, result_members, 18);
    const arx_json *url = arx_json_get_string(root, "url");
    const arx_json *fragment = arx_json_get_string(root, "fragment");
    assert_int_equal(url->as.string.len, fragment->as.string.len + strlen("https://h/x#"));
    assert_memory_equal(url->as.string.data, "https://h/x#", strlen("https://h/x#"));
    assert_true(arx_json_is(arx_json_get(root, "fitsFragmentBudget"), ARX_JSON_TRUE));
    assert_true(arx_json_is(arx_json_get(root, "fitsTarget"), ARX_JSON_FALSE));
    assert_true(arx_json_is(arx_json_get(root, "discordMarkdownLinkWarning"), ARX_JSON_NULL));
    assert_true(arx_json_string_is(arx_json_get(root, "assetSet"), "0011223344556677"));
    assert_true(arx_json_string_is(arx_json_at(arx_json_get(root, "warnings"), 1), "\"two\""));
    const arx_json *candidates = arx_json_get(root, "candidates");
    assert_int_equal(candidates->as.list.count, 10);
    expect_members(arx_json_at(candidates, 0), candidate_members, 5);
    assert_true(arx_json_string_is(arx_json_get(arx_json_at(candidates, 0), "wire"), "base64url"));
    assert_true(arx_json_is(arx_json_get(arx_json_at(candidates, 9), "wire"), ARX_JSON_NULL));
    arx_json_doc_free(doc);
}

static void test_result_over_budget(void **state) {
    (void)state;
    arx_buf body;
    arx_json_doc *doc;
    arx_buf_init(&body, 0);
    arx_buf_append_str(&body, "{\"codec\":\"plain\",\"artifact\":{\"kind\":\"csv\",\"content\":\"");
    for (int i = 0; i < 9000; i++) {
        arx_buf_append_byte(&body, 'x');
    }
    arx_buf_append_str(&body, "\"}}");
    arx_buf_append_byte(&body, 0);
    arx_json *root = result_of((const char *)body.data, &doc);
    expect_members(root, result_members, 19);
    assert_true(arx_json_is(arx_json_get(root, "fitsFragmentBudget"), ARX_JSON_FALSE));
    assert_true(arx_json_is(arx_json_get(root, "wire"), ARX_JSON_NULL));
    assert_true(arx_json_is(arx_json_get(root, "prior"), ARX_JSON_NULL));
    assert_non_null(arx_json_get_string(root, "discordMarkdownLinkWarning"));
    const arx_json *hint = arx_json_get_string(root, "hint");
    assert_non_null(memmem(hint->as.string.data, hint->as.string.len, "\"store\": true", 13));
    arx_json_doc_free(doc);
    arx_buf_free(&body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused_options), cmocka_unit_test(test_refused_envelopes),
        cmocka_unit_test(test_envelopes),       cmocka_unit_test(test_options),
        cmocka_unit_test(test_result),          cmocka_unit_test(test_result_over_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
