/*
 * test_wire_memory.c - wires, dictionaries and the lz stream survive the failure of any one
 * allocation, lose nothing, and hold no more memory than they may.
 */
#include "heap.h"
#include "vectors.h"

#include <stdlib.h>
#include <string.h>

/* Something to do whose every allocation fails once. */
typedef arx_result task(const uint8_t *text, size_t len, arx_buf *out);

static void survive_every_failure(task *run, const uint8_t *text, size_t len) {
    for (size_t k = 1;; k++) {
        assert_true(k < 10000);
        arx_buf out;
        arx_buf_init(&out, 0);
        size_t before = heap_bytes();
        heap_refuse(k, false);
        arx_result result = run(text, len, &out);
        bool was_failed = heap_relent();
        arx_buf_free(&out);
        assert_int_equal(heap_bytes(), before);
        assert_int_equal(result, was_failed ? ARX_NO_MEMORY : ARX_OK);
        if (!was_failed) {
            assert_true(k > 2);
            return;
        }
    }
}

static arx_result through_a_wire(arx_wire wire, const uint8_t *bytes, size_t len, arx_buf *out) {
    arx_buf text;
    arx_buf_init(&text, 0);
    arx_result result = arx_wire_encode(wire, bytes, len, &text);
    if (result == ARX_OK) {
        size_t marker = 0;
        (void)arx_wire_detect(text.data, text.len, &marker);
        result = arx_wire_decode(wire, text.data + marker, text.len - marker, out);
    }
    arx_buf_free(&text);
    return result;
}

static arx_result through_base76(const uint8_t *bytes, size_t len, arx_buf *out) {
    return through_a_wire(ARX_WIRE_BASE76, bytes, len, out);
}

static arx_result through_base1k(const uint8_t *bytes, size_t len, arx_buf *out) {
    return through_a_wire(ARX_WIRE_BASE1K, bytes, len, out);
}

static arx_result through_basebmp(const uint8_t *bytes, size_t len, arx_buf *out) {
    return through_a_wire(ARX_WIRE_BASEBMP, bytes, len, out);
}

static arx_result through_base64url(const uint8_t *bytes, size_t len, arx_buf *out) {
    return through_a_wire(ARX_WIRE_BASE64URL, bytes, len, out);
}

/* With bounds at which base76 is given up early, converted in vain, and converted to win. */
static arx_result below_a_bound(const uint8_t *bytes, size_t len, arx_buf *out) {
    arx_result result = ARX_OK;
    for (unsigned eighths = 10; eighths <= 14 && result == ARX_OK; eighths++) {
        bool won;
        arx_buf_free(out);
        result = arx_wire_encode_below(ARX_WIRE_BASE76, bytes, len, len * eighths / 8, out, &won);
    }
    return result;
}

static arx_result through_lz(const uint8_t *text, size_t len, arx_buf *out) {
    arx_buf stream;
    arx_buf_init(&stream, 0);
    arx_result result = arx_lz_compress(text, len, &stream);
    if (result == ARX_OK) {
        result = arx_lz_decompress(stream.data, stream.len, len, out);
    }
    arx_buf_free(&stream);
    return result;
}

static arx_json *asset;

static arx_result through_a_dictionary(const uint8_t *text, size_t len, arx_buf *out) {
    arx_dictionary *dictionary;
    arx_result result = arx_dictionary_create(ARX_DICTIONARY_BASE, asset, &dictionary);
    if (result != ARX_OK) {
        return result;
    }
    arx_buf coded;
    arx_buf_init(&coded, 0);
    arx_dictionary_encode(dictionary, text, len, &coded);
    result = arx_buf_result(&coded);
    if (result == ARX_OK) {
        result = arx_dictionary_decode(dictionary, coded.data, coded.len, len, out);
    }
    arx_buf_free(&coded);
    arx_dictionary_free(dictionary);
    return result;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    static uint8_t bytes[4000];
    static uint8_t text[4000];
    uint64_t s = 1;
    for (size_t i = 0; i < sizeof bytes; i++) {
        s = s * 6364136223846793005u + 1442695040888963407u;
        bytes[i] = (uint8_t)(s >> 56);
        text[i] = (uint8_t)("etaoin the "[bytes[i] % 11]);
    }
    survive_every_failure(through_base76, bytes, sizeof bytes);
    survive_every_failure(through_base1k, bytes, sizeof bytes);
    survive_every_failure(through_basebmp, bytes, sizeof bytes);
    survive_every_failure(through_base64url, bytes, sizeof bytes);
    survive_every_failure(below_a_bound, bytes, sizeof bytes);
    survive_every_failure(through_lz, text, sizeof text);

    const char json[] = "{\"version\":1,\"singleByteSlots\":[\"the \",\"e\"],"
                        "\"extendedSlots\":[\"tao\",\"in\"]}";
    arx_json_doc *doc;
    assert_int_equal(arx_json_parse((const uint8_t *)json, sizeof json - 1, 0, &doc, &asset),
                     ARX_OK);
    survive_every_failure(through_a_dictionary, text, sizeof text);
    arx_json_doc_free(doc);
}

/* Peak beyond what was held before. */
static size_t peak_of(task *run, const uint8_t *text, size_t len, size_t out_max) {
    arx_buf out;
    arx_buf_init(&out, out_max);
    heap_mark();
    arx_result result = run(text, len, &out);
    assert_true(result == ARX_OK || result == ARX_OVER_LIMIT);
    size_t most = heap_peak();
    arx_buf_free(&out);
    return most;
}

static arx_result compress(const uint8_t *text, size_t len, arx_buf *out) {
    return arx_lz_compress(text, len, out);
}

static arx_result decompress(const uint8_t *stream, size_t len, arx_buf *out) {
    return arx_lz_decompress(stream, len, 200000, out);
}

static void lz_stays_within_its_means(void **state) {
    (void)state;
    size_t len = 800000;
    uint8_t *text = malloc(len);
    assert_non_null(text);
    uint64_t s = 1;
    for (size_t i = 0; i < len; i++) {
        s = s * 6364136223846793005u + 1442695040888963407u;
        text[i] = (uint8_t)(' ' + (s >> 57) % 95);
    }
    assert_true(peak_of(compress, text, len, 0) < 16u << 20);
    /* The stream of that text, cut off by the limit; and one of nothing but new units. */
    arx_buf stream;
    arx_buf_init(&stream, 0);
    assert_int_equal(arx_lz_compress(text, len, &stream), ARX_OK);
    assert_true(peak_of(decompress, stream.data, stream.len, 0) < 8u << 20);
    arx_buf_free(&stream);
    memset(text, 'A', len);
    assert_true(peak_of(decompress, text, len, 0) < 16u << 20);
    free(text);
}

static arx_result decode_base76(const uint8_t *text, size_t len, arx_buf *out) {
    return arx_wire_decode(ARX_WIRE_BASE76, text, len, out);
}

/* A few digits that claim everything allowed, and as many digits as go into a large request. */
static void wires_stay_within_their_means(void **state) {
    (void)state;
    const char claim[] = "=EB5'vBCDEFG";
    assert_true(peak_of(decode_base76, (const uint8_t *)claim, sizeof claim - 1, 0) < 1u << 20);
    size_t len = 500000;
    uint8_t *digits = malloc(len);
    assert_non_null(digits);
    memset(digits, '/', len);
    memcpy(digits, "AF", 2);
    assert_true(peak_of(decode_base76, digits, len, 0) < 16u << 20);
    free(digits);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(lz_stays_within_its_means),
        cmocka_unit_test(wires_stay_within_their_means),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
