/*
 * test_mixer_exact.c - the portable kernel's arithmetic shortcuts against 7.2.2's division, over
 * every input there is.
 */
#include "vectors.h"

#include "mixer_portable.c" /* for its static functions */

static int32_t divide_round(int32_t a, int32_t b) {
    int32_t size = a < 0 ? -a : a;
    int32_t quotient = (size + b / 2) / b;
    return a < 0 ? -quotient : quotient;
}

static void check_slots(uint32_t count, uint32_t value, int32_t p) {
    const uint32_t address = 0xAB123456;
    uint32_t ps[HALF];
    uint32_t slots[HALF];
    uint32_t got[HALF];
    for (int32_t lane = 0; lane < HALF; lane++) {
        ps[lane] = (uint32_t)(p + lane < 4096 ? p + lane : 4095);
        slots[lane] = count << ARX_COUNT_SHIFT | (ps[lane] ^ ARX_SLOT_HALF);
    }
    store_lanes(got, learn_slots(load_lanes(slots), load_lanes(ps), (u32x4){0} + address,
                                 (u32x4){0} + (value - 1)));
    for (int32_t lane = 0; lane < HALF; lane++) {
        int32_t from = (int32_t)ps[lane];
        int32_t away = (int32_t)value * 4096 - from;
        int32_t wanted = from + (count == 31 ? divide_round(away, 32)
                                             : divide_round(2 * away, 2 * (int32_t)count + 3));
        wanted = wanted < 1 ? 1 : wanted > 4095 ? 4095 : wanted;
        assert_int_equal((got[lane] & 0xFFF) ^ ARX_SLOT_HALF, wanted);
        assert_int_equal(got[lane] >> ARX_COUNT_SHIFT & 0xFFF, count < 31 ? count + 1 : count);
        assert_int_equal(got[lane] >> ARX_ADDRESS_TAG, 0xAB);
    }
}

static void slots_learn_exactly(void **state) {
    (void)state;
    for (uint32_t value = 0; value < 2; value++) {
        for (uint32_t count = 0; count <= ARX_COUNT_MAX; count++) {
            for (int32_t p = 1; p < 4096; p += HALF) {
                check_slots(count, value, p);
            }
        }
    }
}

static void weights_learn_exactly(void **state) {
    (void)state;
    static const int16_t starts[] = {0, ARX_WEIGHT_LIMIT, -ARX_WEIGHT_LIMIT, 585, 16200, -16200};
    for (int32_t error = -4095; error <= 4095; error++) {
        for (int32_t input = -2144; input <= 2144; input += HALF_WEIGHTS) {
            int16_t inputs[HALF_WEIGHTS];
            int16_t got[HALF_WEIGHTS];
            int16_t start = starts[(uint32_t)(error + input / HALF_WEIGHTS + 8192) % 6];
            for (int32_t k = 0; k < HALF_WEIGHTS; k++) {
                inputs[k] = (int16_t)(input + k);
            }
            store_weights(got,
                          learn_weights(all_weights(start), load_weights(inputs), (int16_t)error));
            for (int32_t k = 0; k < HALF_WEIGHTS; k++) {
                int32_t wanted = start + divide_round(error * inputs[k], 25600);
                wanted = wanted < -16384 ? -16384 : wanted > 16384 ? 16384 : wanted;
                if (got[k] != wanted) {
                    fail_msg("error %d input %d", error, inputs[k]);
                }
            }
        }
    }
}

/* Of the two ways to multiply, the one that this processor does not take. */
static void products_without_instructions_are_the_same(void **state) {
    (void)state;
    for (uint32_t n = 0; n < 100000; n++) {
        uint32_t z = n * ARX_HASH_K1;
        i16x8 a = (i16x8)((u32x4){0, 1, 2, 3} * ARX_HASH_K2 ^ z);
        i16x8 b = (i16x8)((u32x4){9, 8, 7, 6} * ARX_HASH_K1 ^ z >> 7);
        i32x4 sums[2] = {multiply_pairs(a, b), multiply_pairs_plain(a, b)};
        u16x8 highs[2] = {multiply_high((u16x8)a, (u16x8)b),
                          multiply_high_plain((u16x8)a, (u16x8)b)};
        assert_memory_equal(&sums[0], &sums[1], sizeof sums[0]);
        assert_memory_equal(&highs[0], &highs[1], sizeof highs[0]);
    }
}

/* What lets a byte's eight bits be learned together: no two of its c0 share a slot of a lane. */
static void bits_of_a_byte_have_slots_of_their_own(void **state) {
    (void)state;
    for (unsigned a = 1; a < 256; a++) {
        assert_int_equal(arx_model_bit_address[a] >> ARX_ADDRESS_TAG, a * ARX_HASH_K2 & 255u);
        assert_int_equal(arx_model_bit_address[a] & ARX_SLOT_MASK,
                         ARX_PLACE(a * ARX_HASH_K2 >> 12));
        for (unsigned b = 1; b < a; b++) {
            assert_int_not_equal(arx_model_bit_address[a] & ARX_SLOT_MASK,
                                 arx_model_bit_address[b] & ARX_SLOT_MASK);
        }
    }
}

/* The map of slots is a bijection that keeps XOR, as address arithmetic needs it. */
static void places_are_a_linear_bijection(void **state) {
    (void)state;
    static uint8_t seen[ARX_LANE_SLOTS];
    for (uint32_t index = 0; index < ARX_LANE_SLOTS; index++) {
        uint32_t place = ARX_PLACE(index);
        assert_true(place < ARX_LANE_SLOTS && seen[place] == 0);
        seen[place] = 1;
        uint32_t other = index * 0x9E3779B1u >> 12;
        assert_int_equal(ARX_PLACE(index ^ other), place ^ ARX_PLACE(other));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_learn_exactly),
        cmocka_unit_test(weights_learn_exactly),
        cmocka_unit_test(products_without_instructions_are_the_same),
        cmocka_unit_test(bits_of_a_byte_have_slots_of_their_own),
        cmocka_unit_test(places_are_a_linear_bijection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
