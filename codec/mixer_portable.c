/*
 * mixer_portable.c - the bit steps in plain C (format.md 7.2.3, 7.2.4): the reference.
 */
#include "mixer_kernel.h"
#include "mixer_tables.h"

#include <string.h>

#define LOOP_FUNCTION
#define LOOP_INLINE static inline __attribute__((always_inline))

typedef struct loop_byte {
    uint32_t base[ARX_LANES];
    uint32_t address[8][ARX_LANES];
    uint32_t value[8][ARX_LANES]; /* slots as found, 0 where the tag is another's */
    int32_t inputs[8][ARX_INPUTS];
    uint16_t probabilities[8];
    unsigned lanes;
    uint32_t predicted;
    int32_t match_inputs[2];
} loop_byte;

/* ceil(2^20 / d) for the divisors 2 * count + 3, and 64 at the last count (test_mixer_exact.c). */
#define R(d) ((1u << 20) / (d) + ((1u << 20) % (d) != 0))
static const uint32_t reciprocals[ARX_COUNT_MAX + 1] = {
    R(3),  R(5),  R(7),  R(9),  R(11), R(13), R(15), R(17), R(19), R(21), R(23),
    R(25), R(27), R(29), R(31), R(33), R(35), R(37), R(39), R(41), R(43), R(45),
    R(47), R(49), R(51), R(53), R(55), R(57), R(59), R(61), R(63), R(64)};
#undef R

LOOP_INLINE void loop_begin(loop_byte *b, const arx_step *step, arx_undo *undo) {
    for (unsigned lane = 0; lane < ARX_LANES; lane++) {
        uint32_t z = step->hash[lane] * ARX_HASH_K1;
        b->base[lane] = z << ARX_ADDRESS_TAG | lane * ARX_LANE_SLOTS | ARX_PLACE(z >> 12);
    }
    memcpy(undo->base, b->base, sizeof undo->base);
    undo->column = step->column;
    b->lanes = step->column ? ARX_LANES : ARX_LANE_COLUMN;
    b->predicted = step->predicted;
    b->match_inputs[0] = step->match_inputs[0];
    b->match_inputs[1] = step->match_inputs[1];
}

LOOP_INLINE void loop_find(loop_byte *b, unsigned i, uint32_t c0) {
    for (unsigned lane = 0; lane < ARX_LANES; lane++) {
        b->address[i][lane] = b->base[lane] ^ arx_model_bit_address[c0];
    }
}

LOOP_INLINE void loop_fetch(const loop_byte *b, const arx_model *model, unsigned i) {
    for (unsigned lane = 0; lane < b->lanes; lane++) {
        __builtin_prefetch(&model->slots[b->address[i][lane] & ARX_SLOT_MASK], 1);
    }
}

LOOP_INLINE uint32_t loop_predict(loop_byte *b, const arx_model *model, unsigned i, uint32_t c0,
                                  arx_undo *undo) {
    const int16_t *weights = model->weights[c0];
    int32_t *inputs = b->inputs[i];
    int32_t dot = 0;
    inputs[ARX_LANE_COLUMN] = 0;
    for (unsigned lane = 0; lane < b->lanes; lane++) {
        uint32_t address = b->address[i][lane];
        uint32_t slot = model->slots[address & ARX_SLOT_MASK];
        undo->old[i][lane] = slot;
        slot = (slot ^ address) >> ARX_ADDRESS_TAG == 0 ? slot : 0;
        b->value[i][lane] = slot;
        inputs[lane] = arx_mixer_st[(slot & 0xFFF) ^ ARX_SLOT_HALF];
        dot += weights[lane] * inputs[lane];
    }
    /* The match: predicts while the bits so far are the predicted byte's. */
    int32_t follows = b->predicted >> (8 - i) == c0 ? 1 : 0;
    int32_t sign = follows * ((int32_t)(b->predicted >> (7 - i) & 1u) * 2 - 1);
    for (unsigned k = 0; k < 2; k++) {
        inputs[ARX_INPUT_MATCH + k] = sign * b->match_inputs[k];
        dot += weights[ARX_INPUT_MATCH + k] * inputs[ARX_INPUT_MATCH + k];
    }
    b->probabilities[i] = (uint16_t)arx_mixer_probability(dot);
    return b->probabilities[i];
}

LOOP_INLINE void loop_predict_all(loop_byte *b, const arx_model *model, uint8_t byte,
                                  arx_undo *undo) {
    for (unsigned i = 0; i < 8; i++) {
        (void)loop_predict(b, model, i, (256u | byte) >> (8 - i), undo);
    }
}

static inline int32_t clamp(int32_t value, int32_t low, int32_t high) {
    value = value < low ? low : value;
    return value > high ? high : value;
}

/* The weights of one c0: input * error / 25600, half away from zero. */
LOOP_INLINE void learn_weights(int16_t *weights, const int32_t *inputs, int32_t error) {
    for (unsigned k = 0; k < ARX_INPUTS; k++) {
        int32_t product = error * inputs[k];
        int32_t delta = (product + (product < 0 ? -12800 : 12800)) / 25600;
        weights[k] = (int16_t)clamp(weights[k] + delta, -ARX_WEIGHT_LIMIT, ARX_WEIGHT_LIMIT);
    }
}

LOOP_INLINE uint32_t learn_slot(uint32_t slot, uint32_t address, int32_t target) {
    int32_t p = (int32_t)((slot & 0xFFF) ^ ARX_SLOT_HALF);
    uint32_t count = slot >> ARX_COUNT_SHIFT & ARX_COUNT_MAX;
    int32_t distance = target - p;
    uint32_t size = (uint32_t)(distance < 0 ? -distance : distance);
    /* Twice the distance over 2 * count + 3, whose half is count + 1. */
    int32_t change = (int32_t)((2 * size + count + 1) * reciprocals[count] >> 20);
    p = clamp(p + (distance < 0 ? -change : change), 1, 4095);
    count += count < ARX_COUNT_MAX;
    return (address & ~ARX_SLOT_MASK) | count << ARX_COUNT_SHIFT | ((uint32_t)p ^ ARX_SLOT_HALF);
}

LOOP_INLINE void loop_learn(const loop_byte *b, arx_model *model, uint8_t byte,
                            const loop_byte *ahead) {
    for (unsigned i = 0; i < 8; i++) {
        if (ahead != NULL) {
            loop_fetch(ahead, model, i);
        }
        int32_t target = (byte >> (7 - i) & 1) << 12;
        learn_weights(model->weights[(256u | byte) >> (8 - i)], b->inputs[i],
                      target - b->probabilities[i]);
        for (unsigned lane = 0; lane < b->lanes; lane++) {
            uint32_t address = b->address[i][lane];
            model->slots[address & ARX_SLOT_MASK] = learn_slot(b->value[i][lane], address, target);
        }
    }
}

#include "mixer_loop.h"

const arx_mixer_functions arx_mixer_portable = {
    .prime = run_prime, .encode = run_encode, .decode = run_decode};
