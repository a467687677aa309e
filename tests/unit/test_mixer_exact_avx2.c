/*
 * test_mixer_exact_avx2.c - the AVX2 kernel's arithmetic shortcuts against 7.2.2's division, over
 * every input there is.
 */
#include "vectors.h"

#include "mixer_avx2.c" /* for its static functions */

#if ARX_HAVE_AVX2

static int32_t divide_round(int32_t a, int32_t b) {
    int32_t size = a < 0 ? -a : a;
    int32_t quotient = (size + b / 2) / b;
    return a < 0 ? -quotient : quotient;
}

LOOP_FUNCTION static void check_slots(uint32_t count, uint32_t value, int32_t p) {
    _Alignas(32) uint32_t slots[ARX_LANES];
    _Alignas(32) uint32_t got[ARX_LANES];
    for (int32_t lane = 0; lane < ARX_LANES; lane++) {
        int32_t q = p + lane < 4096 ? p + lane : 4095;
        slots[lane] = count << ARX_COUNT_SHIFT | ((uint32_t)q ^ ARX_SLOT_HALF);
    }
    __m256i found = load(slots);
    __m256i ps = _mm256_xor_si256(_mm256_and_si256(found, _mm256_set1_epi32(0xFFF)),
                                  _mm256_set1_epi32(ARX_SLOT_HALF));
    store(got, learn_slots(found, ps, _mm256_set1_epi32((int32_t)0xAB123456),
                           _mm256_set1_epi32((int32_t)value * 4096)));
    for (int32_t lane = 0; lane < ARX_LANES; lane++) {
        int32_t q = p + lane < 4096 ? p + lane : 4095;
        int32_t away = (int32_t)value * 4096 - q;
        int32_t wanted = q + (count == 31 ? divide_round(away, 32)
                                          : divide_round(2 * away, 2 * (int32_t)count + 3));
        wanted = wanted < 1 ? 1 : wanted > 4095 ? 4095 : wanted;
        assert_int_equal((got[lane] & 0xFFF) ^ ARX_SLOT_HALF, wanted);
        assert_int_equal(got[lane] >> ARX_COUNT_SHIFT & 0xFFF, count < 31 ? count + 1 : count);
        assert_int_equal(got[lane] >> ARX_ADDRESS_TAG, 0xAB);
    }
}

static void slots_learn_exactly(void **state) {
    (void)state;
    if (!__builtin_cpu_supports("avx2")) {
        skip();
    }
    for (uint32_t value = 0; value < 2; value++) {
        for (uint32_t count = 0; count <= ARX_COUNT_MAX; count++) {
            for (int32_t p = 1; p < 4096; p += ARX_LANES) {
                check_slots(count, value, p);
            }
        }
    }
}

LOOP_FUNCTION static void check_weights(int32_t error, int32_t input, int16_t start) {
    _Alignas(32) int16_t inputs[ARX_WEIGHTS];
    _Alignas(32) int16_t got[ARX_WEIGHTS];
    for (int32_t k = 0; k < ARX_WEIGHTS; k++) {
        inputs[k] = (int16_t)(input + k);
    }
    int32_t size = error < 0 ? -error : error;
    store(got, learn_weights(_mm256_set1_epi16(start), load(inputs),
                             _mm256_set1_epi16((int16_t)(size * 16)),
                             _mm256_set1_epi16((int16_t)error)));
    for (int32_t k = 0; k < ARX_WEIGHTS; k++) {
        int32_t wanted = start + divide_round(error * inputs[k], 25600);
        wanted = wanted < -16384 ? -16384 : wanted > 16384 ? 16384 : wanted;
        if (got[k] != wanted) {
            fail_msg("error %d input %d", error, inputs[k]);
        }
    }
}

static void weights_learn_exactly(void **state) {
    (void)state;
    if (!__builtin_cpu_supports("avx2")) {
        skip();
    }
    static const int16_t starts[] = {0, ARX_WEIGHT_LIMIT, -ARX_WEIGHT_LIMIT, 585, 16200, -16200};
    for (int32_t error = -4095; error <= 4095; error++) {
        for (int32_t input = -2144; input <= 2144; input += ARX_WEIGHTS) {
            check_weights(error, input, starts[(uint32_t)(error + input / 16 + 8192) % 6]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_learn_exactly),
        cmocka_unit_test(weights_learn_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void no_avx2_on_this_architecture(void **state) {
    (void)state;
    skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_avx2_on_this_architecture)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
