/*
 * test_wire_roundtrip.c - every wire gives back what it was given, survives being cut at every
 * byte, and mends or refuses what it cannot read.
 */
#include "radix_reference.h"

static uint8_t payload[30000];

static void expect_round_trip(arx_wire wire, const uint8_t *bytes, size_t len) {
    uint8_t *guarded = guard_copy(bytes, len);
    arx_buf text;
    arx_buf_init(&text, 0);
    arx_buf_append_str(&text, "x"); /* wires append */
    assert_int_equal(arx_wire_encode(wire, guarded, len, &text), ARX_OK);
    guard_free(guarded, len);

    size_t text_len = text.len - 1;
    uint8_t *guarded_text = guard_copy(text.data + 1, text_len);
    size_t marker = 0;
    if (wire == ARX_WIRE_BASE64URL) {
        marker = 2;
    } else if (wire == ARX_WIRE_BASEBMP && text_len > 0) {
        marker = 3;
    }
    arx_buf back;
    arx_buf_init(&back, 0);
    arx_buf_append_str(&back, "y");
    assert_int_equal(arx_wire_decode(wire, guarded_text + marker, text_len - marker, &back),
                     ARX_OK);
    assert_int_equal(back.len, len + 1);
    if (len > 0) {
        assert_memory_equal(back.data + 1, bytes, len);
    }
    assert_int_equal(back.data[0], 'y');
    guard_free(guarded_text, text_len);
    arx_buf_free(&back);
    arx_buf_free(&text);
}

static void every_length(void **state) {
    (void)state;
    for (unsigned w = 0; w < ARX_WIRE_COUNT; w++) {
        for (size_t len = 0; len <= 600; len++) {
            reference_random(payload, len, len * 4 + w);
            expect_round_trip((arx_wire)w, payload, len);
            memset(payload, 0, len / 2); /* leading zeros are in the length alone */
            expect_round_trip((arx_wire)w, payload, len);
        }
    }
}

static void longer_lengths(void **state) {
    (void)state;
    /* 5928 and 5929: the two forms of base76's length. */
    static const size_t lens[] = {1000, 1774, 3547, 5928, 5929, 6000, 9999, 17001, 30000};
    for (unsigned w = 0; w < ARX_WIRE_COUNT; w++) {
        for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
            reference_random(payload, lens[i], lens[i]);
            expect_round_trip((arx_wire)w, payload, lens[i]);
        }
    }
}

/* Any part of a text decodes to something, or is refused; never more than it claims. */
static void cut_at_every_byte(void **state) {
    (void)state;
    static const size_t lens[] = {1, 30, 200};
    for (unsigned w = 0; w < ARX_WIRE_COUNT; w++) {
        for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
            reference_random(payload, lens[i], w + 1);
            arx_buf text;
            arx_buf_init(&text, 0);
            assert_int_equal(arx_wire_encode((arx_wire)w, payload, lens[i], &text), ARX_OK);
            for (size_t cut = 0; cut <= text.len; cut++) {
                uint8_t *guarded = guard_copy(text.data, cut);
                for (unsigned as = 0; as < ARX_WIRE_COUNT; as++) {
                    arx_buf out;
                    arx_buf_init(&out, 0);
                    size_t marker;
                    (void)arx_wire_detect(guarded, cut, &marker);
                    assert_true(marker <= cut);
                    arx_result result = arx_wire_decode((arx_wire)as, guarded, cut, &out);
                    assert_true(result == ARX_OK || result == ARX_MALFORMED ||
                                result == ARX_OVER_LIMIT);
                    assert_true(result == ARX_OK || out.len == 0);
                    assert_true(out.len <= ARX_WIRE_MAX_BYTES);
                    arx_buf_free(&out);
                }
                guard_free(guarded, cut);
            }
            arx_buf_free(&text);
        }
    }
}

static arx_result decode(arx_wire wire, const char *text, size_t len, arx_buf *out) {
    arx_buf_init(out, 0);
    uint8_t *guarded = guard_copy(text, len);
    arx_result result = arx_wire_decode(wire, guarded, len, out);
    guard_free(guarded, len);
    return result;
}

static void expect_hex(arx_wire wire, const char *text, const char *bytes, size_t len) {
    arx_buf out;
    assert_int_equal(decode(wire, text, strlen(text), &out), ARX_OK);
    assert_int_equal(out.len, len);
    if (len > 0) {
        assert_memory_equal(out.data, bytes, len);
    }
    arx_buf_free(&out);
}

static void expect_error(arx_wire wire, const char *text, arx_result expected) {
    arx_buf out;
    assert_int_equal(decode(wire, text, strlen(text), &out), expected);
    assert_int_equal(out.len, 0);
    arx_buf_free(&out);
}

static void units_are_counted_not_bytes(void **state) {
    (void)state;
    /* One character beyond U+FFFF is two units, so it is a length of its own: of 0 bytes, ... */
    expect_hex(ARX_WIRE_BASE1K, "\xF0\x9F\x9A\xA2", "", 0);
    /* ... and two digits 0: 1, 0, 0 in base 1774 is 3147076. */
    expect_hex(ARX_WIRE_BASE1K, "\xC2\xA1\xC2\xA4\xC2\xA2\xF0\x9F\x9A\xA2", "\x30\x05\x44", 3);
    expect_hex(ARX_WIRE_BASEBMP, "\xC2\xA1\xC2\xA3\xF0\x9F\x9A\xA2\xC2\xA3", "\0\2", 2);
    /* base76 knows no such length. */
    expect_error(ARX_WIRE_BASE76, "\xF0\x9F\x9A\xA2", ARX_OVER_LIMIT);
    expect_error(ARX_WIRE_BASE76, "\xC3\xA9", ARX_OK);
    /* A lone surrogate is a unit like another. */
    expect_hex(ARX_WIRE_BASE1K, "\xC2\xA1\xC2\xA2\xED\xA0\x80\xC2\xA3", "\x02", 1);
}

static void base76_prefixes(void **state) {
    (void)state;
    expect_error(ARX_WIRE_BASE76,
                 "=\xC3\xA9"
                 "AAAA",
                 ARX_MALFORMED);
    expect_error(ARX_WIRE_BASE76, "=BA\xC3\xA9", ARX_MALFORMED);
    expect_error(ARX_WIRE_BASE76,
                 "=B\xC3\xA9"
                 "A",
                 ARX_OVER_LIMIT);
    expect_hex(ARX_WIRE_BASE76, "=C\xC3\xA9", "", 0); /* too short comes first */
    expect_error(ARX_WIRE_BASE76, "A\xC3\xA9", ARX_OVER_LIMIT);
    /* 800000 is allowed, 800001 is not: 1, 57, 71 and 47 or 48 in base 77. */
    expect_error(ARX_WIRE_BASE76, "=EB5'wB", ARX_OVER_LIMIT);
    arx_buf out;
    const char allowed[] = "=EB5'vB";
    assert_int_equal(decode(ARX_WIRE_BASE76, allowed, sizeof allowed - 1, &out), ARX_OK);
    assert_int_equal(out.len, 800000);
    assert_int_equal(out.data[out.len - 1], 1);
    assert_int_equal(out.data[0], 0);
    arx_buf_free(&out);
}

static void lengths_at_the_limit(void **state) {
    (void)state;
    static uint8_t bytes[ARX_WIRE_MAX_BYTES + 1];
    bytes[sizeof bytes - 2] = 7; /* the last byte of the longest, so the digits are few */
    for (unsigned w = 0; w < ARX_WIRE_BASE64URL; w++) {
        expect_round_trip((arx_wire)w, bytes, ARX_WIRE_MAX_BYTES);
        arx_buf out;
        arx_buf_init(&out, 0);
        assert_int_equal(arx_wire_encode((arx_wire)w, bytes, sizeof bytes, &out), ARX_OVER_LIMIT);
        bool won = true;
        assert_int_equal(
            arx_wire_encode_below((arx_wire)w, bytes, sizeof bytes, SIZE_MAX, &out, &won), ARX_OK);
        assert_false(won);
        arx_buf_free(&out);
    }
}

/* Many digits and a small claim, and the other way round: neither may take long or grow. */
static void digits_and_claims_that_differ(void **state) {
    (void)state;
    size_t count = 500000;
    char *text = malloc(count + 8);
    assert_non_null(text);
    memcpy(text, "AF", 2);
    for (size_t i = 2; i < count; i++) {
        text[i] = (char)('B' + i % 20);
    }
    arx_buf out;
    assert_int_equal(decode(ARX_WIRE_BASE76, text, count, &out), ARX_OK);
    assert_int_equal(out.len, 5);
    /* The low five bytes by Horner's rule, which 64 bits hold modulo 2^40. */
    uint64_t value = 0;
    for (size_t i = 2; i < count; i++) {
        value = (value * 77 + 1 + i % 20) & 0xFFFFFFFFFF;
    }
    uint64_t got = 0;
    for (size_t i = 0; i < 5; i++) {
        got = got << 8 | out.data[i];
    }
    assert_true(got == value);
    arx_buf_free(&out);
    free(text);
}

static void output_limits_hold(void **state) {
    (void)state;
    reference_random(payload, 100, 5);
    for (unsigned w = 0; w < ARX_WIRE_COUNT; w++) {
        arx_buf text;
        arx_buf_init(&text, 50);
        assert_int_equal(arx_wire_encode((arx_wire)w, payload, 100, &text), ARX_OVER_LIMIT);
        arx_buf_free(&text);
        arx_buf_init(&text, 0);
        assert_int_equal(arx_wire_encode((arx_wire)w, payload, 100, &text), ARX_OK);
        size_t marker = w == ARX_WIRE_BASE64URL ? 2 : w == ARX_WIRE_BASEBMP ? 3 : 0;
        arx_buf bytes;
        arx_buf_init(&bytes, 99);
        assert_int_equal(
            arx_wire_decode((arx_wire)w, text.data + marker, text.len - marker, &bytes),
            ARX_OVER_LIMIT);
        arx_buf_free(&bytes);
        arx_buf_free(&text);
    }
}

static void names(void **state) {
    (void)state;
    for (unsigned w = 0; w < ARX_WIRE_COUNT; w++) {
        arx_wire wire;
        assert_true(arx_wire_from_name(arx_wire_name((arx_wire)w), &wire));
        assert_int_equal(wire, w);
    }
    arx_wire wire;
    assert_false(arx_wire_from_name("base64", &wire));
    assert_false(arx_wire_from_name("", &wire));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length),
        cmocka_unit_test(longer_lengths),
        cmocka_unit_test(cut_at_every_byte),
        cmocka_unit_test(units_are_counted_not_bytes),
        cmocka_unit_test(base76_prefixes),
        cmocka_unit_test(lengths_at_the_limit),
        cmocka_unit_test(digits_and_claims_that_differ),
        cmocka_unit_test(output_limits_hold),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
