/*
 * mixer_portable.c - the bit steps (format.md 7.2.3, 7.2.4) in C with vectors of 16 bytes, an
 * extension that gcc and clang have for every target: SSE2, NEON and WebAssembly's SIMD run them
 * as they stand, and where there is nothing of the kind they become plain code.
 */
#include "mixer_kernel.h"
#include "mixer_tables.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

#define LOOP_FUNCTION
#define LOOP_INLINE static inline __attribute__((always_inline))

typedef int16_t i16x8 __attribute__((vector_size(16)));
typedef uint16_t u16x8 __attribute__((vector_size(16)));
typedef int32_t i32x4 __attribute__((vector_size(16)));
typedef uint32_t u32x4 __attribute__((vector_size(16)));
typedef float f32x4 __attribute__((vector_size(16)));

/* Rows by bit. A row of lanes or weights is two vectors, at 0 and at HALF or HALF_WEIGHTS. */
#define HALF         (ARX_LANES / 2)
#define HALF_WEIGHTS (ARX_WEIGHTS / 2)

typedef struct loop_byte {
    _Alignas(16) uint32_t base[ARX_LANES];
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

LOOP_INLINE u32x4 load_lanes(const uint32_t *row) {
    u32x4 v;
    memcpy(&v, row, sizeof v);
    return v;
}

LOOP_INLINE void store_lanes(uint32_t *row, u32x4 v) {
    memcpy(row, &v, sizeof v);
}

LOOP_INLINE i16x8 load_weights(const int16_t *row) {
    i16x8 v;
    memcpy(&v, row, sizeof v);
    return v;
}

LOOP_INLINE void store_weights(int16_t *row, i16x8 v) {
    memcpy(row, &v, sizeof v);
}

/* ---- what C has no operator for, and most processors an instruction ---- */

/* For those that have none; the others' tests still compare. */
#define PLAIN LOOP_INLINE __attribute__((unused))

/* Sums of products in pairs: of the lower and of the upper halves, extended by shifts. */
PLAIN i32x4 multiply_pairs_plain(i16x8 a, i16x8 b) {
    i32x4 low = ((i32x4)((u32x4)a << 16) >> 16) * ((i32x4)((u32x4)b << 16) >> 16);
    return low + ((i32x4)a >> 16) * ((i32x4)b >> 16);
}

LOOP_INLINE i32x4 multiply_pairs(i16x8 a, i16x8 b) {
#if defined(__SSE2__)
    return (i32x4)_mm_madd_epi16((__m128i)a, (__m128i)b);
#elif defined(__wasm_simd128__)
    return (i32x4)wasm_i32x4_dot_i16x8((v128_t)a, (v128_t)b);
#else
    return multiply_pairs_plain(a, b);
#endif
}

/* The upper halves of products. */
PLAIN u16x8 multiply_high_plain(u16x8 a, u16x8 b) {
    u32x4 low = ((u32x4)a & 0xFFFF) * ((u32x4)b & 0xFFFF);
    u32x4 high = ((u32x4)a >> 16) * ((u32x4)b >> 16);
    return (u16x8)(low >> 16 | (high & 0xFFFF0000));
}

LOOP_INLINE u16x8 multiply_high(u16x8 a, u16x8 b) {
#if defined(__SSE2__)
    return (u16x8)_mm_mulhi_epu16((__m128i)a, (__m128i)b);
#else
    return multiply_high_plain(a, b);
#endif
}

/* ---- the steps ---- */

LOOP_INLINE void loop_begin(loop_byte *b, const arx_step *step, arx_undo *undo) {
#define A(low) ARX_PLACE_ADDS(low)
    static const uint32_t adds[16] = {A(0), A(1), A(2),  A(3),  A(4),  A(5),  A(6),  A(7),
                                      A(8), A(9), A(10), A(11), A(12), A(13), A(14), A(15)};
#undef A
    for (unsigned lane = 0; lane < ARX_LANES; lane++) {
        uint32_t z = step->hash[lane] * ARX_HASH_K1;
        uint32_t place = z >> 12 ^ adds[z >> 12 & 15];
        b->base[lane] = z << ARX_ADDRESS_TAG | lane * ARX_LANE_SLOTS | place;
    }
    memcpy(undo->base, b->base, sizeof undo->base);
    undo->column = step->column;
    b->column = step->column;
    b->predicted = step->predicted;
    b->match_inputs = (uint32_t)step->match_inputs[0] | (uint32_t)step->match_inputs[1] << 16;
}

LOOP_INLINE void loop_find(loop_byte *b, unsigned i, uint32_t c0) {
    for (unsigned k = 0; k < ARX_LANES; k += HALF) {
        u32x4 address = load_lanes(&b->base[k]) ^ arx_model_bit_address[c0];
        store_lanes(&b->address[i][k], address);
        store_lanes(&b->index[i][k], address & ARX_SLOT_MASK);
    }
}

LOOP_INLINE void loop_fetch(const loop_byte *b, const arx_model *model, unsigned i) {
    for (unsigned lane = 0; lane < ARX_LANE_COLUMN; lane++) {
        __builtin_prefetch(&model->slots[b->index[i][lane]], 1);
    }
    if (b->column) {
        __builtin_prefetch(&model->slots[b->index[i][ARX_LANE_COLUMN]], 1);
    }
}

/* Four lanes of read_slots(). */
LOOP_INLINE void take_slots(loop_byte *b, unsigned i, unsigned k, u32x4 raw, arx_undo *undo) {
    u32x4 other = (raw ^ load_lanes(&b->address[i][k])) >> ARX_ADDRESS_TAG;
    u32x4 value = raw & (u32x4)(other == 0);
    store_lanes(&undo->old[i][k], raw);
    store_lanes(&b->value[i][k], value);
    store_lanes(&b->p[i][k], (value & 0xFFF) ^ ARX_SLOT_HALF);
}

/* Reads the slots and leaves value and p; of a column that does not count an empty slot. */
LOOP_INLINE void read_slots(loop_byte *b, const arx_model *model, unsigned i, arx_undo *undo) {
    const uint32_t *slots = model->slots;
    const uint32_t *index = b->index[i];
    uint32_t column = b->column ? slots[index[7]] : 0;
    take_slots(b, i, 0, (u32x4){slots[index[0]], slots[index[1]], slots[index[2]], slots[index[3]]},
               undo);
    take_slots(b, i, HALF, (u32x4){slots[index[4]], slots[index[5]], slots[index[6]], column},
               undo);
}

/* Stretches what read_slots() left, adds the match, and answers four parts of the sum. */
LOOP_INLINE i32x4 multiply(loop_byte *b, const arx_model *model, unsigned i, uint32_t c0) {
    const uint32_t *p = b->p[i];
    const int16_t *st = arx_mixer_st;
    i16x8 slots = {st[p[0]], st[p[1]], st[p[2]], st[p[3]], st[p[4]], st[p[5]], st[p[6]], st[p[7]]};
    i16x8 match = (i16x8)(u32x4){arx_match_inputs(b->predicted, b->match_inputs, i, c0), 0, 0, 0};
    store_weights(b->inputs[i], slots);
    store_weights(b->inputs[i] + HALF_WEIGHTS, match);
    const int16_t *weights = model->weights[c0];
    return multiply_pairs(slots, load_weights(weights)) +
           multiply_pairs(match, load_weights(weights + HALF_WEIGHTS));
}

LOOP_INLINE uint32_t probability_of(loop_byte *b, unsigned i, i32x4 parts) {
    uint32_t probability = arx_mixer_probability(parts[0] + parts[1] + parts[2] + parts[3]);
    b->probabilities[i] = (uint16_t)probability;
    return probability;
}

LOOP_INLINE uint32_t loop_predict(loop_byte *b, const arx_model *model, unsigned i, uint32_t c0,
                                  arx_undo *undo) {
    read_slots(b, model, i, undo);
    return probability_of(b, i, multiply(b, model, i, c0));
}

LOOP_INLINE void loop_predict_all(loop_byte *b, const arx_model *model, uint8_t byte,
                                  arx_undo *undo) {
    for (unsigned i = 0; i < 8; i++) {
        read_slots(b, model, i, undo);
    }
    i32x4 parts[8];
    for (unsigned i = 0; i < 8; i++) {
        parts[i] = multiply(b, model, i, (256u | byte) >> (8 - i));
    }
    for (unsigned i = 0; i < 8; i++) {
        (void)probability_of(b, i, parts[i]);
    }
}

LOOP_INLINE i16x8 all_weights(int16_t value) {
    return (i16x8){0} + value;
}

/*
 * Eight weights of one c0: input * error / 25600, half away from zero. The size of that is
 * (|input| * |error| / 512 + 25) / 50, rounded down each time, in 16 bits (test_mixer_exact.c).
 */
LOOP_INLINE i16x8 learn_weights(i16x8 weights, i16x8 inputs, int16_t error) {
    i16x8 input_sign = inputs >> 15;
    u16x8 input_size = (u16x8)((inputs ^ input_sign) - input_sign);
    int16_t error_size = (int16_t)(error < 0 ? -error : error);
    u16x8 product = multiply_high(input_size << 3, (u16x8)all_weights(error_size) << 4);
    i16x8 size = (i16x8)(multiply_high(product + 25, (u16x8){0} + 41944) >> 5);
    i16x8 sign = input_sign ^ all_weights(error) >> 15;
    weights += (size ^ sign) - sign;
    i16x8 limit = all_weights(ARX_WEIGHT_LIMIT);
    i16x8 above = (i16x8)(weights > limit);
    i16x8 below = (i16x8)(weights < -limit);
    return (weights & ~(above | below)) | (limit & above) | (-limit & below);
}

/*
 * Four slots. Learned is how far the probability has come from the other end, so that both values
 * of a bit are the same step. mirror: all ones where the bit was 0, whose other end is 4096.
 */
LOOP_INLINE u32x4 learn_slots(u32x4 value, u32x4 p, u32x4 address, u32x4 mirror) {
    u32x4 shift = mirror & 4097; /* 4096 - p is ~p + 4097 */
    i32x4 come = (i32x4)((p ^ mirror) + shift);
    i32x4 next = (i32x4)(value >> ARX_COUNT_SHIFT & ARX_COUNT_MAX) + 1;
    i32x4 last = (i32x4)(next > ARX_COUNT_MAX);
    /* Twice the way left over 2 * count + 3, whose half is count + 1; at the last count over 64. */
    i32x4 dividend = next + 8192 - come - come;
    i32x4 divisor = next + next + last + 1;
    f32x4 step = __builtin_convertvector(dividend, f32x4) / __builtin_convertvector(divisor, f32x4);
    /* Exact: all are small, so no sum is rounded up to a whole number. */
    come = __builtin_convertvector(__builtin_convertvector(come, f32x4) + step, i32x4);
    come += (i32x4)(come > 4095); /* never more than 4096 */
    p = ((u32x4)come ^ mirror) + shift;
    return (address & ~ARX_SLOT_MASK) | (u32x4)(next + last) << ARX_COUNT_SHIFT |
           (p ^ ARX_SLOT_HALF);
}

LOOP_INLINE void loop_learn(const loop_byte *b, arx_model *model, uint8_t byte,
                            const loop_byte *ahead) {
    for (unsigned i = 0; i < 8; i++) {
        if (ahead != NULL) {
            loop_fetch(ahead, model, i);
        }
        uint32_t bit = (uint32_t)byte >> (7 - i) & 1u;
        int16_t error = (int16_t)((int32_t)(bit << 12) - b->probabilities[i]);
        int16_t *weights = model->weights[(256u | byte) >> (8 - i)];
        for (unsigned k = 0; k < ARX_WEIGHTS; k += HALF_WEIGHTS) {
            store_weights(weights + k, learn_weights(load_weights(weights + k),
                                                     load_weights(&b->inputs[i][k]), error));
        }
        uint32_t learned[ARX_LANES];
        u32x4 mirror = (u32x4){0} + (bit - 1u);
        for (unsigned k = 0; k < ARX_LANES; k += HALF) {
            store_lanes(&learned[k],
                        learn_slots(load_lanes(&b->value[i][k]), load_lanes(&b->p[i][k]),
                                    load_lanes(&b->address[i][k]), mirror));
        }
        const uint32_t *index = b->index[i];
        for (unsigned lane = 0; lane < ARX_LANE_COLUMN; lane++) {
            model->slots[index[lane]] = learned[lane];
        }
        if (b->column) {
            model->slots[index[ARX_LANE_COLUMN]] = learned[ARX_LANE_COLUMN];
        }
    }
}

#include "mixer_loop.h"

const arx_mixer_functions arx_mixer_portable = {
    .prime = run_prime, .encode = run_encode, .decode = run_decode};
