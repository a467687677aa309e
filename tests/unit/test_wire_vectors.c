/* test_wire_vectors.c - the four wires give and take exactly the texts of the golden vectors. */
#include "vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire_alphabet.h"

static const arx_json *string_of(const arx_json *object, const char *key) {
    const arx_json *value = arx_json_get_string(object, key);
    assert_non_null(value);
    return value;
}

static size_t number_of(const arx_json *object, const char *key) {
    const arx_json *value = arx_json_get(object, key);
    assert_true(arx_json_is(value, ARX_JSON_NUMBER));
    return (size_t)value->as.number;
}

/* The text of `bytes` in a wire, behind an optional prior id. Caller frees. */
static arx_buf encode(arx_wire wire, const char *before, const uint8_t *bytes, size_t len) {
    arx_buf out;
    arx_buf_init(&out, 0);
    arx_buf_append_str(&out, before);
    uint8_t *guarded = guard_copy(bytes, len);
    assert_int_equal(arx_wire_encode(wire, guarded, len, &out), ARX_OK);
    guard_free(guarded, len);
    return out;
}

/* A wire's text through detection and decoding has to give `bytes` again. */
static void expect_decodes(arx_wire wire, const uint8_t *text, size_t text_len,
                           const uint8_t *bytes, size_t len) {
    uint8_t *guarded = guard_copy(text, text_len);
    size_t marker;
    if (arx_wire_detect(guarded, text_len, &marker) != wire) {
        /* Only a text of base76 can be taken for another wire's, and it comes second then. */
        assert_int_equal(wire, ARX_WIRE_BASE76);
        assert_int_equal(arx_wire_detect_after_base64url(guarded, text_len, &marker), wire);
    }
    arx_buf out;
    arx_buf_init(&out, 0);
    assert_int_equal(arx_wire_decode(wire, guarded + marker, text_len - marker, &out), ARX_OK);
    assert_int_equal(out.len, len);
    if (len > 0) {
        assert_memory_equal(out.data, bytes, len);
    }
    arx_buf_free(&out);
    guard_free(guarded, text_len);
}

static void expect_wire(arx_wire wire, const char *before, const uint8_t *bytes, size_t len,
                        const arx_json *expected, const char *what) {
    arx_buf out = encode(wire, before, bytes, len);
    assert_true(vector_matches(expected, out.data, out.len, what));
    size_t skip_bytes = strlen(before);
    /* An empty text of the radix wires has no wire of its own. */
    if (out.len > skip_bytes) {
        expect_decodes(wire, out.data + skip_bytes, out.len - skip_bytes, bytes, len);
    }
    arx_buf_free(&out);
}

static void small_rows(void **state) {
    (void)state;
    const arx_json *rows = arx_json_get(vector_load("wires.json"), "rows");
    size_t seen = 0;
    for (const arx_json *row = rows->as.list.first; row != NULL; row = row->next, seen++) {
        arx_buf bytes;
        arx_buf_init(&bytes, 0);
        vector_unhex(string_of(row, "bytes"), &bytes);
        for (unsigned w = 0; w < ARX_WIRE_COUNT; w++) {
            const char *name = arx_wire_name((arx_wire)w);
            expect_wire((arx_wire)w, "", bytes.data, bytes.len, string_of(row, name), name);
            arx_buf out = encode((arx_wire)w, "", bytes.data, bytes.len);
            const arx_json *lens = arx_json_get(arx_json_get(row, "lens"), name);
            assert_int_equal(arx_text_transport(out.data, out.len), number_of(lens, "transport"));
            assert_int_equal(arx_text_units(out.data, out.len), number_of(lens, "utf16"));
            arx_buf_free(&out);
        }
        arx_buf_free(&bytes);
    }
    assert_true(seen > 60);
}

static void big_rows(void **state) {
    (void)state;
    const arx_json *rows = arx_json_get(vector_load("wires.json"), "big");
    size_t seen = 0;
    for (const arx_json *row = rows->as.list.first; row != NULL; row = row->next, seen++) {
        size_t n = number_of(row, "n");
        uint8_t *bytes = malloc(n);
        assert_non_null(bytes);
        for (size_t i = 0; i < n; i++) {
            bytes[i] = (uint8_t)((i * i * 31 + i * 7 + n) % 251);
        }
        for (unsigned w = 0; w < ARX_WIRE_COUNT; w++) {
            const char *name = arx_wire_name((arx_wire)w);
            expect_wire((arx_wire)w, "", bytes, n, arx_json_get(row, name), name);
        }
        free(bytes);
    }
    assert_int_equal(seen, 5);
}

static arx_wire wire_named(const arx_json *name) {
    char copy[16] = "";
    assert_true(name->as.string.len < sizeof copy);
    memcpy(copy, name->as.string.data, name->as.string.len);
    arx_wire wire;
    assert_true(arx_wire_from_name(copy, &wire));
    return wire;
}

/* What the errors of the vectors are called here. */
static arx_result result_of(const arx_json *error) {
    char text[100] = "";
    memcpy(text, error->as.string.data,
           error->as.string.len < sizeof text ? error->as.string.len : sizeof text - 1);
    return strncmp(text, "ArxDecodedPayloadTooLargeError", 30) == 0 ? ARX_OVER_LIMIT
                                                                    : ARX_MALFORMED;
}

static void lenient_decoding(void **state) {
    (void)state;
    const arx_json *rows = arx_json_get(vector_load("wires.json"), "decode");
    size_t seen = 0;
    for (const arx_json *row = rows->as.list.first; row != NULL; row = row->next) {
        arx_wire wire = wire_named(string_of(row, "fn"));
        const uint8_t *text = string_of(row, "input")->as.string.data;
        size_t len = string_of(row, "input")->as.string.len;
        const arx_json *error = arx_json_get_string(row, "error");
        if (wire == ARX_WIRE_BASE64URL) {
            if (len < 2 || memcmp(text, "B.", 2) != 0) {
                assert_non_null(error); /* the marker is the caller's to look for */
                continue;
            }
            text += 2;
            len -= 2;
        } else if (wire == ARX_WIRE_BASEBMP && len >= 3 && memcmp(text, "\xEF\xBF\xB0", 3) == 0) {
            text += 3;
            len -= 3;
        }
        uint8_t *guarded = guard_copy(text, len);
        arx_buf out;
        arx_buf_init(&out, 0);
        arx_result result = arx_wire_decode(wire, guarded, len, &out);
        if (error != NULL) {
            assert_int_equal(result, result_of(error));
            assert_int_equal(out.len, 0);
        } else {
            assert_int_equal(result, ARX_OK);
            arx_buf want;
            arx_buf_init(&want, 0);
            vector_unhex(string_of(row, "hex"), &want);
            /* Longer values are cut in the vectors. */
            assert_true(want.len < 200 ? out.len == want.len : out.len >= want.len);
            if (want.len > 0) {
                assert_memory_equal(out.data, want.data, want.len);
            }
            arx_buf_free(&want);
        }
        arx_buf_free(&out);
        guard_free(guarded, len);
        seen++;
    }
    assert_true(seen > 55);
}

static void detection(void **state) {
    (void)state;
    const arx_json *rows = arx_json_get(vector_load("wires.json"), "detect");
    size_t seen = 0;
    for (const arx_json *row = rows->as.list.first; row != NULL; row = row->next, seen++) {
        const arx_json *input = string_of(row, "input");
        uint8_t *guarded = guard_copy(input->as.string.data, input->as.string.len);
        size_t marker = 99;
        arx_wire wire = arx_wire_detect(guarded, input->as.string.len, &marker);
        arx_wire expected = ARX_WIRE_BASE76;
        size_t expected_marker = 0;
        if (arx_json_is(arx_json_get(row, "bmp"), ARX_JSON_TRUE)) {
            expected = ARX_WIRE_BASEBMP;
            expected_marker = 3;
        } else if (arx_json_is(arx_json_get(row, "base64url"), ARX_JSON_TRUE)) {
            expected = ARX_WIRE_BASE64URL;
            expected_marker = 2;
        } else if (arx_json_is(arx_json_get(row, "base1k"), ARX_JSON_TRUE)) {
            expected = ARX_WIRE_BASE1K;
        }
        assert_int_equal(wire, expected);
        assert_int_equal(marker, expected_marker);
        if (expected == ARX_WIRE_BASE64URL) {
            assert_int_equal(
                arx_wire_detect_after_base64url(guarded, input->as.string.len, &marker),
                ARX_WIRE_BASE76);
            assert_int_equal(marker, 0);
        }
        guard_free(guarded, input->as.string.len);
    }
    assert_true(seen > 15);
}

static void transport_lengths(void **state) {
    (void)state;
    const arx_json *rows = arx_json_get(vector_load("wires.json"), "transport");
    size_t seen = 0;
    for (const arx_json *row = rows->as.list.first; row != NULL; row = row->next, seen++) {
        const arx_json *input = string_of(row, "input");
        assert_int_equal(arx_text_transport(input->as.string.data, input->as.string.len),
                         number_of(row, "transport"));
    }
    assert_true(seen > 15);
}

static uint32_t hex4(const arx_json *value) {
    char text[5] = "";
    assert_true(arx_json_is(value, ARX_JSON_STRING) && value->as.string.len == 4);
    memcpy(text, value->as.string.data, 4);
    return (uint32_t)strtoul(text, NULL, 16);
}

/* Both directions of a ranged alphabet, over every code point there is. */
static void expect_ranges(uint32_t base, const arx_json *ranges) {
    uint32_t digit = 0;
    uint32_t code = 0;
    for (const arx_json *range = ranges->as.list.first; range != NULL; range = range->next) {
        uint32_t first = hex4(arx_json_at(range, 0));
        uint32_t last = hex4(arx_json_at(range, 1));
        for (; code < first; code++) {
            assert_int_equal(arx_alphabet_digit(base, code), ARX_NO_DIGIT);
        }
        for (; code <= last; code++, digit++) {
            assert_int_equal(arx_alphabet_digit(base, code), digit);
            assert_int_equal(arx_alphabet_symbol(base, digit), code);
        }
    }
    assert_int_equal(digit, base);
    for (; code <= 0x10FFFF; code++) {
        assert_int_equal(arx_alphabet_digit(base, code), ARX_NO_DIGIT);
    }
    assert_int_equal(arx_alphabet_digit(base, ARX_TEXT_BAD + 0xA1), ARX_NO_DIGIT);
}

static void alphabets(void **state) {
    (void)state;
    const arx_json *root = vector_load("alphabets.json");
    const arx_json *base76 = string_of(root, "base76");
    assert_int_equal(base76->as.string.len, ARX_RADIX_BASE76);
    for (uint32_t i = 0; i < ARX_RADIX_BASE76; i++) {
        assert_int_equal(arx_alphabet_symbol(ARX_RADIX_BASE76, i), base76->as.string.data[i]);
        assert_int_equal(arx_alphabet_digit(ARX_RADIX_BASE76, base76->as.string.data[i]), i);
    }
    for (uint32_t code = 0; code < 128; code++) {
        if (memchr(base76->as.string.data, (int)code, ARX_RADIX_BASE76) == NULL) {
            assert_int_equal(arx_alphabet_digit(ARX_RADIX_BASE76, code), 0);
        }
    }
    assert_int_equal(arx_alphabet_digit(ARX_RADIX_BASE76, 0x80), ARX_NO_DIGIT);
    assert_int_equal(number_of(root, "base1kCount"), ARX_RADIX_BASE1K);
    assert_int_equal(number_of(root, "baseBMPCount"), ARX_RADIX_BASEBMP);
    expect_ranges(ARX_RADIX_BASE1K, arx_json_get(root, "base1kRanges"));
    expect_ranges(ARX_RADIX_BASEBMP, arx_json_get(root, "baseBMPRanges"));
}

/* Real payloads: {hex} and the four wires of it, behind `before`. Returns how many were compared.
 */
static size_t expect_payload(const arx_json *coded, const arx_json *wires, const char *before) {
    size_t seen = 0;
    const arx_json *hex = arx_json_get_string(coded, "hex");
    if (hex == NULL) {
        return 0; /* kept as a hash only */
    }
    arx_buf bytes;
    arx_buf_init(&bytes, 0);
    vector_unhex(hex, &bytes);
    for (unsigned w = 0; w < ARX_WIRE_COUNT; w++) {
        const arx_json *wire = arx_json_get(wires, arx_wire_name((arx_wire)w));
        assert_non_null(wire);
        expect_wire((arx_wire)w, before, bytes.data, bytes.len, wire, arx_wire_name((arx_wire)w));
        seen++;
    }
    arx_buf_free(&bytes);
    return seen;
}

/* The codec's tag is in front of the lengths of these vectors, not of their texts. */
static void real_payloads(void **state) {
    (void)state;
    size_t seen = 0;
    const arx_json *rows = arx_json_get(vector_load("arx.json"), "rows");
    for (const arx_json *row = rows->as.list.first; row != NULL; row = row->next) {
        static const char *const forms[] = {"arxPacked", "arxUnpacked", "arx2"};
        for (size_t i = 0; i < 3; i++) {
            const arx_json *form = arx_json_get(row, forms[i]);
            seen += expect_payload(arx_json_get(form, "brotli"), form, "");
        }
    }
    rows = arx_json_get(vector_load("arx5.json"), "rows");
    for (const arx_json *row = rows->as.list.first; row != NULL; row = row->next) {
        char prior[2] = {(char)string_of(row, "prior")->as.string.data[0], '\0'};
        seen += expect_payload(arx_json_get(row, "coded"), arx_json_get(row, "arx5"), prior);
    }
    assert_true(seen > 500);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_rows),        cmocka_unit_test(big_rows),
        cmocka_unit_test(lenient_decoding),  cmocka_unit_test(detection),
        cmocka_unit_test(transport_lengths), cmocka_unit_test(alphabets),
        cmocka_unit_test(real_payloads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
