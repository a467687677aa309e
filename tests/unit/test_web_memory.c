/*
 * test_web_memory.c - the calls of the page's module (static/viewer/wasm/web.h), built for this
 * machine: every allocation fails once. The answer is then the right one or "no-memory", nothing
 * leaks, and the next call works.
 */
#include "vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "entropy_native.h"
#include "heap.h"

/* The module's own files: they are no part of the library. */
#include "../../static/viewer/wasm/call.c"
#include "../../static/viewer/wasm/host.c"
#include "../../static/viewer/wasm/sets.c"
#include "../../static/viewer/wasm/web.c"

/* ---- a host ---- */

static unsigned loaded; /* modules, one bit each */

int host_has(web_module module) {
    return (int)(loaded >> module & 1u);
}

int host_brotli_compress(const uint8_t *bytes, size_t len, arx_buf *out) {
    return (int)arx_brotli_compress(bytes, len, out);
}

int host_brotli_decompress(const uint8_t *stream, size_t len, size_t max, arx_buf *out) {
    return (int)arx_brotli_decompress(stream, len, max, out);
}

int host_deflate_compress(const uint8_t *bytes, size_t len, arx_buf *out) {
    return (int)arx_deflate_compress(bytes, len, out);
}

int host_deflate_decompress(const uint8_t *stream, size_t len, size_t max, arx_buf *out) {
    return (int)arx_deflate_decompress(stream, len, max, out);
}

int host_url(const uint8_t *text, size_t len, arx_buf *out) {
    arx_buf_append(out, text, len);
    return (int)arx_buf_result(out);
}

void host_progress(size_t done, size_t total) {
    assert_true(done <= total);
}

/* ---- calls ---- */

#define SET   "0123456789abcdef"
#define OTHER "fedcba9876543210"

typedef web_outcome entry(uint8_t *json, size_t len);

static web_outcome run(entry *function, const char *json) {
    size_t len = strlen(json);
    uint8_t *block = web_alloc(len);
    if (block == NULL) {
        return WEB_NEEDS; /* the host's affair: it gives up */
    }
    memcpy(block, json, len);
    return function(block, len);
}

/* Hands over the invented set under a name; false when the answer is an error. */
static bool hand_over(const char *id) {
    static const char *const names[] = {"arx-dictionary.json", "arx2-dictionary.json",
                                        "arx4-priors.json"};
    size_t lengths[3];
    uint8_t *files[3];
    size_t total = ARX_ASSET_ID_CHARS;
    for (unsigned i = 0; i < 3; i++) {
        char path[64] = "tests/vectors/assets/";
        memcpy(path + strlen(path), names[i], strlen(names[i]) + 1);
        files[i] = vector_read_file(path, &lengths[i]);
        total += lengths[i];
    }
    uint8_t *block = web_alloc(total);
    assert_non_null(block);
    memcpy(block, id, ARX_ASSET_ID_CHARS);
    for (size_t i = 0, at = ARX_ASSET_ID_CHARS; i < 3; at += lengths[i], i++) {
        memcpy(block + at, files[i], lengths[i]);
        free(files[i]);
    }
    (void)web_set(block, lengths[0], lengths[1], lengths[2], 1);
    return web_answer_len() > 10 && memcmp(web_answer(), "{\"ok\":true", 10) == 0;
}

static bool answers(const char *start) {
    return web_answer_len() >= strlen(start) && memcmp(web_answer(), start, strlen(start)) == 0;
}

/* Fails the k-th allocation of a call, for every k until none is left to fail. */
static void fail_each(entry *function, const char *json, const char *right) {
    /* Twice: what is kept from call to call has its size now. */
    assert_int_equal(run(function, json), WEB_DONE);
    assert_int_equal(run(function, json), WEB_DONE);
    assert_true(answers(right));
    size_t before = heap_blocks();
    unsigned failures = 0;
    bool whole = false;
    for (size_t k = 2; !whole; k++) { /* 1 is the block of the call itself */
        heap_refuse(k, false);
        web_outcome outcome = run(function, json);
        whole = !heap_relent();
        assert_int_equal(outcome, WEB_DONE);
        if (!answers(right)) {
            assert_false(whole);
            assert_true(answers("{\"ok\":false,\"code\":\"no-memory\""));
            failures++;
        }
        /* The way back for the model may have been lost; the next call primes it. */
        assert_int_equal(run(function, json), WEB_DONE);
        assert_true(answers(right));
        assert_true(heap_blocks() <= before);
    }
    assert_true(failures > 3);
}

#define SETS "\"sets\":[\"" SET "\",\"" OTHER "\"]"
#define PLAIN                                                                                      \
    "peyJ2IjoxLCJjb2RlYyI6InBsYWluIiwiYXJ0aWZhY3RzIjpbeyJpZCI6ImEiLCJraW5kIjoibWFya2Rvd24iLCJjb2"  \
    "50ZW50IjoiaGkifV19"

static void sets_arrive(void **state) {
    (void)state;
    assert_true(hand_over(SET));
    assert_true(hand_over(OTHER));
    assert_non_null(web_sets_find(SET, true));
    assert_false(web_sets_incomplete(OTHER));
    size_t before = heap_blocks();
    assert_true(hand_over(SET)); /* again: nothing is kept twice */
    assert_int_equal(heap_blocks(), before);
}

static void a_call_says_what_it_lacks(void **state) {
    (void)state;
    const char *arx5 = "{\"request\":{\"fragment\":\"fmB.BfShcKJFVCeoLwA\"}";
    char json[200];
    loaded = 0;
    snprintf(json, sizeof json, "%s}", arx5);
    assert_int_equal(run(web_decode, json), WEB_NEEDS);
    assert_true(answers("{\"index\":true}"));
    snprintf(json, sizeof json, "%s,\"sets\":[\"1111111111111111\"]}", arx5);
    assert_int_equal(run(web_decode, json), WEB_NEEDS);
    assert_true(answers("{\"set\":\"1111111111111111\",\"priors\":true}"));
    assert_int_equal(run(web_decode, "{\"request\":{\"fragment\":\"bB.CwKAHmF_HycD\"}," SETS "}"),
                     WEB_NEEDS);
    assert_true(answers("{\"modules\":[\"brotli-decode\"]}"));
    assert_int_equal(run(web_encode, "{\"request\":{\"artifact\":{\"kind\":\"csv\",\"content\":"
                                     "\"a,b\"}}," SETS "}"),
                     WEB_NEEDS);
    assert_true(answers("{\"modules\":[\"brotli-encode\",\"deflate-encode\"]}"));
    assert_int_equal(run(web_decode, "nonsense"), WEB_DONE);
    assert_true(answers("{\"ok\":false,\"code\":\"invalid-request\""));
    loaded = 7;
}

static void decode_without_memory(void **state) {
    (void)state;
    fail_each(web_decode, "{\"request\":{\"fragment\":\"" PLAIN "\"}}", "{\"ok\":true");
    fail_each(web_decode, "{\"request\":{\"fragment\":\"fmB.BfShcKJFVCeoLwA\"}," SETS "}",
              "{\"ok\":true");
    fail_each(web_decode, "{\"request\":{\"fragment\":\"bB.CwKAHmF_HycD\"}," SETS "}",
              "{\"ok\":true");
    /* The first set's error, after the second was tried. */
    fail_each(web_decode, "{\"request\":{\"fragment\":\"fmB.BfShXKJFVCeoLwA\"}," SETS "}",
              "{\"ok\":false,\"code\":\"invalid-json\"");
}

static void encode_without_memory(void **state) {
    (void)state;
    fail_each(web_encode,
              "{\"request\":{\"artifact\":{\"kind\":\"markdown\",\"title\":\"T\",\"content\":\"# "
              "Hi\"},\"baseUrl\":\"https://example.org/\",\"codecPriority\":[\"arx5\",\"lz\","
              "\"plain\"]}," SETS "}",
              "{\"ok\":true,\"codec\":\"");
}

static void inspect_without_memory(void **state) {
    (void)state;
    fail_each(web_inspect,
              "{\"request\":{\"fragment\":\"#" PLAIN "\",\"baseUrl\":\"https://example.org/\"}}",
              "{\"ok\":true,\"codec\":\"plain\"");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_arrive),
        cmocka_unit_test(a_call_says_what_it_lacks),
        cmocka_unit_test(decode_without_memory),
        cmocka_unit_test(encode_without_memory),
        cmocka_unit_test(inspect_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
