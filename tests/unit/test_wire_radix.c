/*
 * test_wire_radix.c - the divide and conquer conversion equals schoolbook long division, in both
 * directions, for every length and for numbers on the edges; so do the first digits alone.
 */
#include "radix_reference.h"

#include "radix.h"

#define LENGTHS 600

static uint8_t number[40000];
static uint16_t digits[80000];
static uint8_t bytes[40000];

/* Lengths past the small ones are taken in growing steps. */
static size_t next_length(size_t len) {
    return len < LENGTHS ? len + 1 : len + len / 7;
}

/* A digit made of two bytes of noise. */
static uint16_t digit_of(const uint8_t *noise, uint32_t base) {
    uint32_t value = (uint32_t)noise[0] << 8 | noise[1];
    return (uint16_t)(value % base);
}

static void expect_both_ways(uint32_t base, size_t len) {
    size_t count = reference_digits(base, number, len, digits);
    uint8_t *guarded = guard_copy(number, len);
    uint16_t *got;
    size_t got_count;
    assert_int_equal(arx_radix_to_digits(base, guarded, len, &got, &got_count), ARX_OK);
    assert_int_equal(got_count, count);
    if (count > 0) {
        assert_memory_equal(got, digits, count * sizeof *digits);
    }
    size_t least = arx_radix_least_digits(base, guarded, len);
    assert_true(least <= count && least + 2 >= count);
    guard_free(guarded, len);

    uint16_t *guarded_digits = (uint16_t *)(void *)guard_copy(digits, count * sizeof *digits);
    assert_int_equal(arx_radix_to_bytes(base, guarded_digits, count, bytes, len), ARX_OK);
    assert_memory_equal(bytes, number, len);
    guard_free((uint8_t *)guarded_digits, count * sizeof *digits);
    free(got);
}

static void every_length(void **state) {
    (void)state;
    for (size_t b = 0; b < 3; b++) {
        for (size_t len = 0; len <= LENGTHS; len++) {
            reference_number(0, radix_bases[b], number, len);
            expect_both_ways(radix_bases[b], len);
        }
    }
}

static void numbers_on_the_edges(void **state) {
    (void)state;
    for (size_t b = 0; b < 3; b++) {
        for (unsigned kind = 1; kind < REFERENCE_KINDS; kind++) {
            for (size_t len = 1; len < 1500; len = len + len / 5 + 1) {
                reference_number(kind, radix_bases[b], number, len);
                expect_both_ways(radix_bases[b], len);
            }
        }
    }
}

/* Without the reference, which would take too long: there and back, and some digits by remainders.
 */
static void long_numbers(void **state) {
    (void)state;
    for (size_t b = 0; b < 3; b++) {
        uint32_t base = radix_bases[b];
        for (size_t len = LENGTHS; len <= 30000; len = next_length(len)) {
            reference_number(0, base, number, len);
            uint16_t *got;
            size_t count;
            assert_int_equal(arx_radix_to_digits(base, number, len, &got, &count), ARX_OK);
            uint32_t rest = 0;
            for (size_t i = 0; i < len; i++) {
                rest = (rest << 8 | number[i]) % base;
            }
            assert_int_equal(got[count - 1], rest);
            assert_int_equal(arx_radix_to_bytes(base, got, count, bytes, len), ARX_OK);
            assert_memory_equal(bytes, number, len);
            free(got);
        }
    }
}

/* Digits that make more bytes than are wanted, or fewer. */
static void other_lengths_than_the_digits(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 2, 5, 17, 100, 333, 1000, 2500};
    static uint8_t want[4000];
    for (size_t b = 0; b < 3; b++) {
        uint32_t base = radix_bases[b];
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            uint8_t noise[10000];
            reference_random(noise, sizeof noise, c + base);
            for (size_t i = 0; i < counts[c]; i++) {
                digits[i] = digit_of(noise + 2 * i, base);
            }
            for (size_t len = 0; len <= 4000; len = len * 2 + len / 3 + 1) {
                reference_bytes(base, digits, counts[c], want, len);
                assert_int_equal(arx_radix_to_bytes(base, digits, counts[c], bytes, len), ARX_OK);
                assert_memory_equal(bytes, want, len);
            }
        }
    }
}

static void expect_first_digits(uint32_t base, size_t len, size_t wanted, size_t *given) {
    uint16_t *all;
    size_t all_count;
    assert_int_equal(arx_radix_to_digits(base, number, len, &all, &all_count), ARX_OK);
    uint16_t *first;
    size_t count;
    size_t total;
    assert_int_equal(arx_radix_first_digits(base, number, len, wanted, &first, &count, &total),
                     ARX_OK);
    if (count > 0) {
        assert_int_equal(total, all_count);
        assert_true(count <= total);
        assert_memory_equal(first, all, count * sizeof *first);
        *given += 1;
    } else {
        assert_null(first);
    }
    free(all);
    free(first);
}

static void first_digits_are_exact(void **state) {
    (void)state;
    for (size_t b = 0; b < 3; b++) {
        uint32_t base = radix_bases[b];
        size_t given = 0;
        size_t asked = 0;
        for (unsigned kind = 0; kind < REFERENCE_KINDS; kind++) {
            for (size_t len = 500; len < 9000; len = len + len / 6) {
                if (kind >= 4 && len > 2000) {
                    break; /* the reference makes these */
                }
                reference_number(kind, base, number, len);
                for (size_t wanted = 1; wanted < len; wanted = 2 * wanted + 11) {
                    expect_first_digits(base, len, wanted, &given);
                    asked++;
                }
            }
        }
        /* Random numbers of 500 bytes and more mostly have their first digits told. */
        assert_true(given > asked / 4);
    }
}

/* A number whose digits behind the cut are all 0, or all the highest: nothing can be told there. */
static void first_digits_at_a_carry(void **state) {
    (void)state;
    for (size_t b = 0; b < 3; b++) {
        uint32_t base = radix_bases[b];
        size_t len = 1200;
        size_t count =
            (size_t)(8.0 * 1200 / 16.0) - 2; /* fits in every base but needs not fill it */
        for (uint16_t tail = 0; tail < 2; tail++) {
            for (size_t head = 1; head < count; head += 37) {
                reference_random(bytes, 2 * head, head);
                for (size_t i = 0; i < count; i++) {
                    digits[i] =
                        i < head ? digit_of(bytes + 2 * i, base) : (uint16_t)(tail * (base - 1));
                }
                assert_int_equal(arx_radix_to_bytes(base, digits, count, number, len), ARX_OK);
                size_t given = 0;
                for (size_t wanted = 1; wanted < count; wanted *= 2) {
                    expect_first_digits(base, len, wanted, &given);
                }
            }
        }
    }
}

static void limits(void **state) {
    (void)state;
    uint8_t *big = calloc(ARX_RADIX_MAX_BYTES + 2, 1);
    assert_non_null(big);
    big[0] = 1;
    uint16_t *got;
    size_t count;
    size_t total;
    size_t len = ARX_RADIX_MAX_BYTES + 1;
    assert_int_equal(arx_radix_to_digits(77, big, len, &got, &count), ARX_OVER_LIMIT);
    assert_int_equal(arx_radix_first_digits(77, big, len, 9, &got, &count, &total), ARX_OVER_LIMIT);
    uint16_t one = 1;
    assert_int_equal(arx_radix_to_bytes(77, &one, 1, big, len), ARX_OVER_LIMIT);
    /* A claim of everything allowed from one digit costs nothing. */
    assert_int_equal(arx_radix_to_bytes(77, &one, 1, big, ARX_RADIX_MAX_BYTES), ARX_OK);
    assert_int_equal(big[ARX_RADIX_MAX_BYTES - 1], 1);
    assert_int_equal(big[0], 0);
    free(big);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length),
        cmocka_unit_test(numbers_on_the_edges),
        cmocka_unit_test(long_numbers),
        cmocka_unit_test(other_lengths_than_the_digits),
        cmocka_unit_test(first_digits_are_exact),
        cmocka_unit_test(first_digits_at_a_carry),
        cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
