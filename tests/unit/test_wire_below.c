/*
 * test_wire_below.c - arx_wire_encode_below() says "won" exactly when the whole text is cheaper
 * than the bound, and gives that text then and nothing otherwise.
 */
#include "radix_reference.h"

static uint8_t payload[30000];

static void expect_at(arx_wire wire, size_t len, size_t bound, const arx_buf *whole, size_t cost) {
    uint8_t *guarded = guard_copy(payload, len);
    arx_buf out;
    arx_buf_init(&out, 0);
    arx_buf_append_str(&out, "tag"); /* what is there stays */
    bool won;
    assert_int_equal(arx_wire_encode_below(wire, guarded, len, bound, &out, &won), ARX_OK);
    guard_free(guarded, len);
    assert_int_equal(won, cost < bound);
    assert_int_equal(out.len, won ? 3 + whole->len : 3);
    assert_memory_equal(out.data, "tag", 3);
    if (won && whole->len > 0) {
        assert_memory_equal(out.data + 3, whole->data, whole->len);
    }
    arx_buf_free(&out);
}

static void expect_around(arx_wire wire, size_t len) {
    arx_buf whole;
    arx_buf_init(&whole, 0);
    assert_int_equal(arx_wire_encode(wire, payload, len, &whole), ARX_OK);
    size_t cost = arx_text_transport(whole.data, whole.len);
    for (size_t bound = cost > 4 ? cost - 4 : 0; bound <= cost + 4; bound++) {
        expect_at(wire, len, bound, &whole, cost);
    }
    /* From hopeless to certain, and the bound that base64url sets. */
    size_t base64url = 2 + (4 * len + 2) / 3;
    const size_t bounds[] = {
        0,
        1,
        cost / 2,
        cost - cost / 4,
        cost - cost / 8,
        cost - cost / 30,
        cost + cost / 8,
        2 * cost + 1,
        SIZE_MAX / 2,
        base64url,
        base64url + 1,
    };
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        expect_at(wire, len, bounds[i], &whole, cost);
    }
    arx_buf_free(&whole);
}

static void small_payloads(void **state) {
    (void)state;
    for (unsigned w = 0; w < ARX_WIRE_COUNT; w++) {
        for (size_t len = 0; len < 400; len = len < 40 ? len + 1 : len + 23) {
            reference_random(payload, len, len + w);
            expect_around((arx_wire)w, len);
        }
    }
}

static void longer_payloads(void **state) {
    (void)state;
    static const size_t lens[] = {512, 700, 1500, 2500, 5928, 5929, 11000, 25000};
    for (unsigned w = 0; w < ARX_WIRE_COUNT; w++) {
        for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
            reference_random(payload, lens[i], lens[i] + w);
            expect_around((arx_wire)w, lens[i]);
        }
    }
}

/* Payloads whose base76 digits are all cheap, or all dear, and those with next to no digits. */
static void lopsided_payloads(void **state) {
    (void)state;
    static uint16_t digits[4000];
    for (size_t len = 600; len <= 3000; len += 600) {
        size_t count = len * 5 / 4;
        for (unsigned dear = 0; dear < 3; dear++) {
            for (size_t i = 0; i < count; i++) {
                /* 0..65 cost 1, 66..76 cost 3; the third kind is cheap first and dear then. */
                bool is_dear = dear == 1 || (dear == 2 && i > count / 2);
                digits[i] = (uint16_t)(is_dear ? 66 + i % 11 : 1 + i % 60);
            }
            reference_bytes(77, digits, count, payload, len);
            for (unsigned w = 0; w < ARX_WIRE_COUNT; w++) {
                expect_around((arx_wire)w, len);
            }
        }
        memset(payload, 0, len);
        payload[len - 1] = 200;
        for (unsigned w = 0; w < ARX_WIRE_COUNT; w++) {
            expect_around((arx_wire)w, len);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_payloads),
        cmocka_unit_test(longer_payloads),
        cmocka_unit_test(lopsided_payloads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
