/*
 * test_encode_memory.c - every allocation of an encode may fail, from the request to the answer:
 * the outcome is "no memory" or the usual answer, and nothing is left behind.
 */
#include "encodes.h"

#include "encode_request.h"
#include "encode_result.h"
#include "heap.h"

static arx_coder *coder;
static const arx_assets *assets;

/* libbrotli's encoder may end the process when it gets no memory: here it gets what it wants. */
static arx_result brotli_compress(const uint8_t *bytes, size_t len, arx_buf *out) {
    heap_pause(true);
    arx_result rc = arx_entropy_native.brotli_compress(bytes, len, out);
    heap_pause(false);
    return rc;
}

static arx_entropy entropy;

/* From a body to an answer in `out`. False when memory was short; anything else fails the test. */
static bool answer(const char *body, arx_buf *out) {
    arx_json_doc *doc = NULL;
    arx_json *root;
    arx_encode_request request;
    arx_encoded encoded;
    arx_link link;
    arx_error error = {0};
    arx_buf message;
    bool done = false;
    arx_buf_init(&message, 0);
    arx_result parsed = arx_json_parse((const uint8_t *)body, strlen(body), 0, &doc, &root);
    if (parsed != ARX_OK) {
        assert_int_equal(parsed, ARX_NO_MEMORY);
        return false;
    }
    arx_request_result read = arx_encode_request_read(doc, root, &request, &message);
    if (read != ARX_REQUEST_OK) {
        assert_int_equal(read, ARX_REQUEST_NO_MEMORY);
        goto out;
    }
    arx_code code = arx_encode(coder, assets, request.envelope, &request.options, &encoded, &error);
    if (code != ARX_CODE_OK) {
        assert_int_equal(code, ARX_CODE_NO_MEMORY);
        arx_error_free(&error);
        goto out;
    }
    arx_result linked =
        arx_link_create(request.envelope, &encoded, request.base_url, request.base_url_len,
                        request.label, request.label_len, &link);
    if (linked == ARX_OK) {
        const arx_encode_result result = {
            .encoded = &encoded, .link = &link, .asset_set = arx_assets_id(assets)};
        arx_encode_result_write(&result, out);
        done = arx_buf_result(out) == ARX_OK;
        arx_link_free(&link);
    } else {
        assert_int_equal(linked, ARX_NO_MEMORY);
    }
    arx_encoded_free(&encoded);
out:
    arx_json_doc_free(doc);
    arx_buf_free(&message);
    return done;
}

static void fail_each(const char *body, bool and_later) {
    arx_buf want;
    arx_buf_init(&want, 0);
    assert_true(answer(body, &want));
    for (size_t k = 1;; k++) {
        arx_buf got;
        arx_buf_init(&got, 0);
        size_t before = heap_blocks();
        heap_refuse(k, and_later);
        bool done = answer(body, &got);
        bool reached = heap_relent();
        if (done) {
            assert_int_equal(got.len, want.len);
            assert_memory_equal(got.data, want.data, want.len);
        }
        arx_buf_free(&got);
        assert_int_equal(heap_blocks(), before);
        if (!reached) {
            assert_true(done);
            assert_true(k > 20);
            break;
        }
    }
    arx_buf_free(&want);
}

static const char *const bodies[] = {
    "{\"artifact\":{\"kind\":\"markdown\",\"title\":\"T\",\"filename\":\"x.md\",\"content\":\"# "
    "hi\"},"
    "\"codecPriority\":[\"arx5\",\"deflate\",\"lz\",\"plain\"],"
    "\"baseUrl\":\"https://u:p@\303\274.example/a?b\",\"label\":\"[x]\"}",
    "{\"envelope\":{\"p\":1,\"v\":1,\"c\":\"lz\",\"r\":[{\"i\":\"a\",\"k\":\"csv\",\"c\":\"1\"},"
    "{\"i\":\"b\",\"k\":\"csv\",\"c\":\"2\"}]},\"codec\":\"arx4\"}",
    "{\"artifact\":{\"kind\":\"csv\",\"content\":\"a,b\"},\"codec\":\"arx3\"}",
    "{\"artifact\":{\"kind\":\"csv\",\"content\":\"a,b\"},\"codecPriority\":[\"plain\"],"
    "\"baseUrl\":\"https://\342\230\203.xn--158h.example\"}",
};

static void test_one_allocation_fails(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        fail_each(bodies[i], false);
    }
}

static void test_memory_runs_out(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        fail_each(bodies[i], true);
    }
}

/* The last request's own refusal must not be lost to a failing allocation either. */
static void test_refusal(void **state) {
    (void)state;
    const char body[] = "{\"artifact\":{\"kind\":\"csv\",\"content\":\" \"}}";
    for (size_t k = 1;; k++) {
        arx_json_doc *doc;
        arx_json *root;
        arx_encode_request request;
        arx_buf message;
        arx_buf_init(&message, 0);
        assert_int_equal(arx_json_parse((const uint8_t *)body, sizeof body - 1, 0, &doc, &root),
                         ARX_OK);
        heap_refuse(k, true);
        arx_request_result read = arx_encode_request_read(doc, root, &request, &message);
        bool reached = heap_relent();
        assert_true(read == ARX_REQUEST_NO_MEMORY || read == ARX_REQUEST_ENVELOPE);
        assert_true(read == ARX_REQUEST_NO_MEMORY || message.len > 0);
        arx_buf_free(&message);
        arx_json_doc_free(doc);
        if (!reached) {
            assert_int_equal(read, ARX_REQUEST_ENVELOPE);
            break;
        }
    }
}

static int setup(void **state) {
    (void)state;
    assets = vector_test_assets();
    entropy = arx_entropy_native;
    entropy.brotli_compress = brotli_compress;
    coder = arx_coder_create(&entropy, NULL);
    assert_non_null(coder);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    arx_coder_free(coder);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_allocation_fails),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_refusal),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
