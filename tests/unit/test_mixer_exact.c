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

static void slots_learn_exactly(void **state) {
    (void)state;
    const uint32_t address = 0xAB123456;
    for (uint32_t value = 0; value < 2; value++) {
        for (uint32_t count = 0; count <= ARX_COUNT_MAX; count++) {
            for (int32_t p = 1; p < 4096; p++) {
                int32_t target = (int32_t)value * 4096;
                int32_t wanted =
                    p + (count == 31 ? divide_round(target - p, 32)
                                     : divide_round(2 * (target - p), 2 * (int32_t)count + 3));
                wanted = wanted < 1 ? 1 : wanted > 4095 ? 4095 : wanted;
                uint32_t slot = count << ARX_COUNT_SHIFT | ((uint32_t)p ^ ARX_SLOT_HALF);
                uint32_t got = learn_slot(slot, address, target);
                assert_int_equal((got & 0xFFF) ^ ARX_SLOT_HALF, wanted);
                assert_int_equal(got >> ARX_COUNT_SHIFT & 0xFFF, count < 31 ? count + 1 : count);
                assert_int_equal(got >> ARX_ADDRESS_TAG, 0xAB);
            }
        }
    }
}

static void weights_learn_exactly(void **state) {
    (void)state;
    static const int16_t starts[] = {0, ARX_WEIGHT_LIMIT, -ARX_WEIGHT_LIMIT, 585, 16200, -16200};
    for (int32_t error = -4095; error <= 4095; error++) {
        for (int32_t input = -2140; input <= 2140; input += ARX_INPUTS) {
            int32_t inputs[ARX_INPUTS];
            int16_t weights[ARX_INPUTS];
            int16_t start = starts[(uint32_t)(error + input + 8192) % 6];
            for (int32_t k = 0; k < ARX_INPUTS; k++) {
                inputs[k] = input + k;
                weights[k] = start;
            }
            learn_weights(weights, inputs, error);
            for (int32_t k = 0; k < ARX_INPUTS; k++) {
                int32_t wanted = start + divide_round(error * inputs[k], 25600);
                wanted = wanted < -16384 ? -16384 : wanted > 16384 ? 16384 : wanted;
                if (weights[k] != wanted) {
                    fail_msg("error %d input %d", error, inputs[k]);
                }
            }
        }
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
        cmocka_unit_test(bits_of_a_byte_have_slots_of_their_own),
        cmocka_unit_test(places_are_a_linear_bijection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
