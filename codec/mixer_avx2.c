/*
 * mixer_avx2.c - the bit steps with AVX2: eight slots side by side, all products of a bit in one
 * register. The results are the portable kernel's, bit for bit.
 *
 * Every function carries the target attribute, so the file builds with the flags of the rest, and
 * runs only where arx_kernel_best() has found the instructions.
 */
#include "mixer_kernel.h"

#if ARX_HAVE_AVX2

#include "mixer_tables.h"

#include <immintrin.h>
#include <string.h>

#define LOOP_FUNCTION __attribute__((target("avx2")))
#define LOOP_INLINE   LOOP_FUNCTION static inline __attribute__((always_inline))

/* Rows by bit; a row is one register. */
typedef struct loop_byte {
    _Alignas(32) uint32_t base[ARX_LANES];
    uint32_t address[8][ARX_LANES];
    uint32_t index[8][ARX_LANES]; /* the addresses without their tags */
    uint32_t value[8][ARX_LANES]; /* slots as found, 0 where the tag is another's */
    uint32_t p[8][ARX_LANES];     /* their probabilities */
    int16_t inputs[8][ARX_WEIGHTS];
    uint16_t probabilities[8];
    bool column;
    uint32_t predicted;
    uint32_t match_inputs; /* both, 16 bits each */
} loop_byte;

LOOP_INLINE __m256i load(const void *aligned) {
    return _mm256_load_si256((const __m256i *)aligned);
}

LOOP_INLINE void store(void *aligned, __m256i value) {
    _mm256_store_si256((__m256i *)aligned, value);
}

LOOP_INLINE void loop_begin(loop_byte *b, const arx_step *step, arx_undo *undo) {
#define A(low) ARX_PLACE_ADDS(low)
    const __m256i adds_low = _mm256_setr_epi32(A(0), A(1), A(2), A(3), A(4), A(5), A(6), A(7));
    const __m256i adds_high =
        _mm256_setr_epi32(A(8), A(9), A(10), A(11), A(12), A(13), A(14), A(15));
#undef A
    __m256i z = _mm256_mullo_epi32(load(step->hash), _mm256_set1_epi32((int32_t)ARX_HASH_K1));
    __m256i index = _mm256_srli_epi32(z, 12);
    /* A table of sixteen in two registers: chosen by the low three bits, then by the fourth. */
    __m256i adds = _mm256_castps_si256(
        _mm256_blendv_ps(_mm256_castsi256_ps(_mm256_permutevar8x32_epi32(adds_low, index)),
                         _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(adds_high, index)),
                         _mm256_castsi256_ps(_mm256_slli_epi32(index, 28))));
    __m256i lanes = _mm256_slli_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), 20);
    __m256i base = _mm256_or_si256(_mm256_xor_si256(index, adds),
                                   _mm256_or_si256(lanes, _mm256_slli_epi32(z, ARX_ADDRESS_TAG)));
    store(b->base, base);
    store(undo->base, base);
    undo->column = step->column;
    b->column = step->column;
    b->predicted = step->predicted;
    b->match_inputs = (uint32_t)step->match_inputs[0] | (uint32_t)step->match_inputs[1] << 16;
}

LOOP_INLINE void loop_find(loop_byte *b, unsigned i, uint32_t c0) {
    __m256i address =
        _mm256_xor_si256(load(b->base), _mm256_set1_epi32((int32_t)arx_model_bit_address[c0]));
    store(b->address[i], address);
    store(b->index[i], _mm256_and_si256(address, _mm256_set1_epi32(ARX_SLOT_MASK)));
}

LOOP_INLINE void loop_fetch(const loop_byte *b, const arx_model *model, unsigned i) {
    for (unsigned lane = 0; lane < ARX_LANE_COLUMN; lane++) {
        __builtin_prefetch(&model->slots[b->index[i][lane]], 1);
    }
    if (b->column) {
        __builtin_prefetch(&model->slots[b->index[i][ARX_LANE_COLUMN]], 1);
    }
}

LOOP_INLINE __m256i join(__m128i low, __m128i high) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

/* Reads the slots and leaves value and p. */
LOOP_INLINE void read_slots(loop_byte *b, const arx_model *model, unsigned i, arx_undo *undo) {
    const uint32_t *slots = model->slots;
    const uint32_t *index = b->index[i];
    __m128i low = _mm_cvtsi32_si128((int32_t)slots[index[0]]);
    __m128i high = _mm_cvtsi32_si128((int32_t)slots[index[4]]);
    low = _mm_insert_epi32(low, (int32_t)slots[index[1]], 1);
    high = _mm_insert_epi32(high, (int32_t)slots[index[5]], 1);
    low = _mm_insert_epi32(low, (int32_t)slots[index[2]], 2);
    high = _mm_insert_epi32(high, (int32_t)slots[index[6]], 2);
    low = _mm_insert_epi32(low, (int32_t)slots[index[3]], 3);
    if (b->column) {
        high = _mm_insert_epi32(high, (int32_t)slots[index[7]], 3);
    }
    __m256i raw = join(low, high);
    __m256i other = _mm256_srli_epi32(_mm256_xor_si256(raw, load(b->address[i])), ARX_ADDRESS_TAG);
    __m256i value = _mm256_and_si256(raw, _mm256_cmpeq_epi32(other, _mm256_setzero_si256()));
    __m256i p = _mm256_xor_si256(_mm256_and_si256(value, _mm256_set1_epi32(0xFFF)),
                                 _mm256_set1_epi32(ARX_SLOT_HALF));
    store(undo->old[i], raw);
    store(b->value[i], value);
    store(b->p[i], p);
}

/* Stretches what read_slots() left, adds the match, and answers inputs * weights in pairs. */
LOOP_INLINE __m256i multiply(loop_byte *b, const arx_model *model, unsigned i, uint32_t c0) {
    const uint32_t *p = b->p[i];
    const int16_t *st = arx_mixer_st;
    __m128i low = _mm_cvtsi32_si128(st[p[0]]);
    __m128i high = _mm_cvtsi32_si128(st[p[4]]);
    low = _mm_insert_epi16(low, st[p[1]], 1);
    high = _mm_insert_epi16(high, st[p[5]], 1);
    low = _mm_insert_epi16(low, st[p[2]], 2);
    high = _mm_insert_epi16(high, st[p[6]], 2);
    low = _mm_insert_epi16(low, st[p[3]], 3);
    if (b->column) {
        high = _mm_insert_epi16(high, st[p[7]], 3);
    } else {
        high = _mm_insert_epi16(high, 0, 3);
    }
    __m256i inputs =
        join(_mm_unpacklo_epi64(low, high),
             _mm_cvtsi32_si128((int32_t)arx_match_inputs(b->predicted, b->match_inputs, i, c0)));
    store(b->inputs[i], inputs);
    return _mm256_madd_epi16(inputs, load(model->weights[c0]));
}

LOOP_INLINE uint32_t loop_predict(loop_byte *b, const arx_model *model, unsigned i, uint32_t c0,
                                  arx_undo *undo) {
    read_slots(b, model, i, undo);
    __m256i products = multiply(b, model, i, c0);
    __m128i sum =
        _mm_add_epi32(_mm256_castsi256_si128(products), _mm256_extracti128_si256(products, 1));
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4E));
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xB1));
    b->probabilities[i] = (uint16_t)arx_mixer_probability(_mm_cvtsi128_si32(sum));
    return b->probabilities[i];
}

LOOP_INLINE void loop_predict_all(loop_byte *b, const arx_model *model, uint8_t byte,
                                  arx_undo *undo) {
    for (unsigned i = 0; i < 8; i++) {
        read_slots(b, model, i, undo);
    }
    __m256i products[8];
    for (unsigned i = 0; i < 8; i++) {
        products[i] = multiply(b, model, i, (256u | byte) >> (8 - i));
    }
    /* Eight sums of eight at once. */
    __m256i a = _mm256_hadd_epi32(_mm256_hadd_epi32(products[0], products[1]),
                                  _mm256_hadd_epi32(products[2], products[3]));
    __m256i c = _mm256_hadd_epi32(_mm256_hadd_epi32(products[4], products[5]),
                                  _mm256_hadd_epi32(products[6], products[7]));
    __m256i dots = _mm256_add_epi32(_mm256_permute2x128_si256(a, c, 0x20),
                                    _mm256_permute2x128_si256(a, c, 0x31));
    __m256i t = _mm256_add_epi32(dots, _mm256_srai_epi32(dots, 31));
    t = _mm256_srai_epi32(_mm256_add_epi32(t, _mm256_set1_epi32(2048)), 12);
    t = _mm256_max_epi32(t, _mm256_set1_epi32(-2048));
    t = _mm256_min_epi32(t, _mm256_set1_epi32(2048));
    _Alignas(32) int32_t at[8];
    store(at, t);
    for (unsigned i = 0; i < 8; i++) {
        b->probabilities[i] = (uint16_t)arx_mixer_sq[at[i] + ARX_MIXER_SQ_BIAS];
    }
}

LOOP_INLINE __m256i clamp16(__m256i value, int16_t limit) {
    value = _mm256_max_epi16(value, _mm256_set1_epi16((int16_t)-limit));
    return _mm256_min_epi16(value, _mm256_set1_epi16(limit));
}

/*
 * The size of input * error / 25600 is (|input| * |error| / 512 + 25) / 50, rounded down each time
 * (test_mixer_exact_avx2.c). factor: |error| * 16 in every 16 bits; sign: the error.
 */
LOOP_INLINE __m256i learn_weights(__m256i weights, __m256i inputs, __m256i factor, __m256i sign) {
    __m256i size = _mm256_slli_epi16(_mm256_abs_epi16(inputs), 3);
    __m256i product = _mm256_mulhi_epu16(size, factor);
    product = _mm256_add_epi16(product, _mm256_set1_epi16(25));
    __m256i delta =
        _mm256_srli_epi16(_mm256_mulhi_epu16(product, _mm256_set1_epi16((int16_t)41944)), 5);
    delta = _mm256_sign_epi16(_mm256_sign_epi16(delta, inputs), sign);
    return clamp16(_mm256_add_epi16(weights, delta), ARX_WEIGHT_LIMIT);
}

LOOP_INLINE __m256i learn_slots(__m256i value, __m256i p, __m256i address, __m256i target) {
    __m256i count = _mm256_and_si256(_mm256_srli_epi32(value, ARX_COUNT_SHIFT),
                                     _mm256_set1_epi32(ARX_COUNT_MAX));
    __m256i last = _mm256_cmpeq_epi32(count, _mm256_set1_epi32(ARX_COUNT_MAX));
    __m256i next = _mm256_add_epi32(count, _mm256_set1_epi32(1));
    /* Twice the distance over 2 * count + 3, whose half is count + 1; at the last count over 64. */
    __m256i distance = _mm256_sub_epi32(target, p);
    __m256i dividend =
        _mm256_add_epi32(_mm256_abs_epi32(_mm256_add_epi32(distance, distance)), next);
    __m256i divisor = _mm256_add_epi32(_mm256_add_epi32(next, next),
                                       _mm256_add_epi32(last, _mm256_set1_epi32(1)));
    /* Exact: both are small, so no quotient is rounded up to a whole number. */
    __m256i change = _mm256_cvttps_epi32(
        _mm256_div_ps(_mm256_cvtepi32_ps(dividend), _mm256_cvtepi32_ps(divisor)));
    p = _mm256_add_epi32(p, _mm256_sign_epi32(change, distance));
    p = _mm256_max_epi32(p, _mm256_set1_epi32(1));
    p = _mm256_min_epi32(p, _mm256_set1_epi32(4095));
    next = _mm256_slli_epi32(_mm256_add_epi32(next, last), ARX_COUNT_SHIFT);
    return _mm256_or_si256(
        _mm256_or_si256(_mm256_andnot_si256(_mm256_set1_epi32(ARX_SLOT_MASK), address), next),
        _mm256_xor_si256(p, _mm256_set1_epi32(ARX_SLOT_HALF)));
}

LOOP_INLINE void loop_learn(const loop_byte *b, arx_model *model, uint8_t byte,
                            const loop_byte *ahead) {
    /* Targets and errors of the eight bits at once, laid out for broadcasting. */
    _Alignas(32) uint32_t targets[8];
    _Alignas(32) uint32_t factors[8];
    _Alignas(32) uint32_t signs[8];
    const uint16_t *q = b->probabilities;
    __m256i masks = _mm256_setr_epi32(128, 64, 32, 16, 8, 4, 2, 1);
    __m256i set = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(byte), masks), masks);
    __m256i target = _mm256_and_si256(set, _mm256_set1_epi32(4096));
    __m256i error =
        _mm256_sub_epi32(target, _mm256_setr_epi32(q[0], q[1], q[2], q[3], q[4], q[5], q[6], q[7]));
    store(targets, target);
    __m256i both = _mm256_blend_epi16(error, _mm256_slli_epi32(error, 16), 0xAA);
    store(signs, both);
    store(factors, _mm256_slli_epi16(_mm256_abs_epi16(both), 4));

    for (unsigned i = 0; i < 8; i++) {
        if (ahead != NULL) {
            loop_fetch(ahead, model, i);
        }
        int16_t *weights = model->weights[(256u | byte) >> (8 - i)];
        store(weights, learn_weights(load(weights), load(b->inputs[i]),
                                     _mm256_set1_epi32((int32_t)factors[i]),
                                     _mm256_set1_epi32((int32_t)signs[i])));

        __m256i slots = learn_slots(load(b->value[i]), load(b->p[i]), load(b->address[i]),
                                    _mm256_set1_epi32((int32_t)targets[i]));
        __m128i low = _mm256_castsi256_si128(slots);
        __m128i high = _mm256_extracti128_si256(slots, 1);
        const uint32_t *index = b->index[i];
        model->slots[index[0]] = (uint32_t)_mm_cvtsi128_si32(low);
        model->slots[index[1]] = (uint32_t)_mm_extract_epi32(low, 1);
        model->slots[index[2]] = (uint32_t)_mm_extract_epi32(low, 2);
        model->slots[index[3]] = (uint32_t)_mm_extract_epi32(low, 3);
        model->slots[index[4]] = (uint32_t)_mm_cvtsi128_si32(high);
        model->slots[index[5]] = (uint32_t)_mm_extract_epi32(high, 1);
        model->slots[index[6]] = (uint32_t)_mm_extract_epi32(high, 2);
        if (b->column) {
            model->slots[index[7]] = (uint32_t)_mm_extract_epi32(high, 3);
        }
    }
}

#include "mixer_loop.h"

const arx_mixer_functions arx_mixer_avx2 = {
    .prime = run_prime, .encode = run_encode, .decode = run_decode};

#else
typedef int arx_mixer_avx2_absent; /* an empty translation unit is not C */
#endif
