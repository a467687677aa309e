/*
 * test_wire_narrow.c - the conversion with 32-bit limbs, for machines without 128-bit products,
 * gives what the one with 64-bit limbs gives.
 *
 * The narrow code is compiled into this program under other names.
 */
#include "radix_reference.h"

#include "radix.h"

static arx_result (*const wide_to_digits)(uint32_t base, const uint8_t *bytes, size_t len,
                                          uint16_t **digits, size_t *count) = arx_radix_to_digits;

#undef ARX_RADIX_H
#define ARX_RADIX_NARROW
#define arx_radix_to_digits    narrow_to_digits
#define arx_radix_to_bytes     narrow_to_bytes
#define arx_radix_least_digits narrow_least_digits
#define arx_radix_first_digits narrow_first_digits
#define arx_packing_of         narrow_packing_of
#define arx_limb_power         narrow_limb_power
#define arx_ring_of            narrow_ring_of
#define arx_ring_holds         narrow_ring_holds
#define arx_limbs_multiply     narrow_limbs_multiply
#define arx_limbs_settle       narrow_limbs_settle
#include "../../codec/radix_limbs.c"

#include "../../codec/radix.c"

static uint8_t number[100000];
static uint8_t bytes[100000];

static void expect_same(uint32_t base, size_t len) {
    uint16_t *want;
    size_t want_count;
    uint16_t *got;
    size_t got_count;
    assert_int_equal(sizeof(limb), 4);
    assert_int_equal(wide_to_digits(base, number, len, &want, &want_count), ARX_OK);
    assert_int_equal(narrow_to_digits(base, number, len, &got, &got_count), ARX_OK);
    assert_int_equal(got_count, want_count);
    if (want_count > 0) {
        assert_memory_equal(got, want, want_count * sizeof *want);
    }
    assert_int_equal(narrow_to_bytes(base, want, want_count, bytes, len), ARX_OK);
    assert_memory_equal(bytes, number, len);
    uint16_t *first;
    size_t first_count;
    size_t total;
    assert_int_equal(
        narrow_first_digits(base, number, len, want_count / 6, &first, &first_count, &total),
        ARX_OK);
    if (first_count > 0) {
        assert_int_equal(total, want_count);
        assert_memory_equal(first, want, first_count * sizeof *first);
    }
    free(first);
    free(want);
    free(got);
}

static void every_length(void **state) {
    (void)state;
    for (size_t b = 0; b < 3; b++) {
        for (size_t len = 0; len <= 600; len++) {
            reference_number(0, radix_bases[b], number, len);
            expect_same(radix_bases[b], len);
        }
    }
}

static void numbers_on_the_edges(void **state) {
    (void)state;
    for (size_t b = 0; b < 3; b++) {
        for (unsigned kind = 1; kind < REFERENCE_KINDS; kind++) {
            for (size_t len = 1; len < 1500; len = len + len / 4 + 1) {
                reference_number(kind, radix_bases[b], number, len);
                expect_same(radix_bases[b], len);
            }
        }
    }
}

/* All bits set makes the largest sums and columns; sizes up to where limbs hold fewer digits. */
static void long_numbers(void **state) {
    (void)state;
    for (size_t b = 0; b < 3; b++) {
        for (size_t len = 700; len < sizeof number; len = 2 * len + len / 5) {
            for (unsigned kind = 0; kind < 2; kind++) {
                reference_number(kind, radix_bases[b], number, len);
                expect_same(radix_bases[b], len);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length),
        cmocka_unit_test(numbers_on_the_edges),
        cmocka_unit_test(long_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
