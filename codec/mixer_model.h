/*
 * mixer_model.h - the model's memory and its way from one byte to the next. Internal to mixer_*.
 *
 * A model is one flat block, so that going back to a primed state is a copy. It has two halves:
 *
 *   contexts    what the next byte is predicted from. They depend on the text alone and change once
 *               a byte, in arx_model_advance() (mixer_context.c). An encoder, who knows the text,
 *               runs them one byte ahead and fetches the slots of that byte while it codes this one
 *   statistics  slots and weights. They change with every bit, in the kernels (mixer_portable.c,
 *               mixer_avx2.c), whose steps are identical
 *
 * A slot packs what format.md 7.2.3 keeps of one bit in one context. The packing is ours:
 *
 *   bits 0-11   probability ^ 2048: an empty slot, 0, already reads as "2048, seen 0 times"
 *   bits 12-16  count
 *   bits 24-31  tag, the place where a slot address has it too
 *
 * A slot address is `tag << 24 | lane << 20 | place`. Tag and index of 7.2.3 are bits of
 * `contexthash * K1 ^ c0 * K2`, and `place` is the index moved by a map that is linear over XOR; so
 * an address is one XOR: a base of the context for the byte, with arx_model_bit_address[c0].
 *
 * The map keeps the low four bits (the place in a cache line of sixteen slots) and adds to the
 * others what those four select. Any bijection gives the same model; this one was searched for:
 * with it the eight slots a context needs for a byte of text lie in 5.7 cache lines on average
 * instead of 8, because the slots of two c0 differ by the same XOR in every context.
 */
#ifndef ARX_MIXER_MODEL_H
#define ARX_MIXER_MODEL_H

#include "mixer.h"

#define ARX_LANES       8 /* seven direct contexts and the column */
#define ARX_LANE_COLUMN 7
#define ARX_LANE_SLOTS  (1u << 20)
#define ARX_SLOTS       (ARX_LANES * ARX_LANE_SLOTS)
#define ARX_SLOT_MASK   0x00ffffffu

#define ARX_SLOT_HALF   2048u /* XORed to the probability */
#define ARX_COUNT_SHIFT 12
#define ARX_COUNT_MAX   31
#define ARX_ADDRESS_TAG 24

/* Weights of one c0: of the inputs, and six that stay 0. */
#define ARX_WEIGHTS          16
#define ARX_INPUTS           10 /* eight lanes, two of the match */
#define ARX_INPUT_MATCH      8
#define ARX_WEIGHT_LIMIT     16384
#define ARX_WEIGHT_DIRECT    585
#define ARX_WEIGHT_PREDICTED 4096

/* Longest prior: positions stay well inside 32 bits with any text behind it. */
#define ARX_PRIMING_MAX ((size_t)1 << 30)

#define ARX_RING_BYTES  (1u << 19)
#define ARX_MATCH_SLOTS (1u << 18)

#define ARX_GUESSES (1u << 16)

#define ARX_LINE_BYTES  1024
#define ARX_ROW_FIELDS  32
#define ARX_FIELD_BYTES 64

#define ARX_HASH_K1 0x9E3779B1u
#define ARX_HASH_K2 0x85EBCA6Bu

/* The map: what each of the low four bits adds, and both for a whole index. */
#define ARX_PLACE0 0xD2870u
#define ARX_PLACE1 0xCAF60u
#define ARX_PLACE2 0x5CBB0u
#define ARX_PLACE3 0x04090u
#define ARX_PLACE_ADDS(index)                                                                      \
    (((index)&1u) * ARX_PLACE0 ^ ((index) >> 1 & 1u) * ARX_PLACE1 ^                                \
     ((index) >> 2 & 1u) * ARX_PLACE2 ^ ((index) >> 3 & 1u) * ARX_PLACE3)
#define ARX_PLACE(index) ((index) ^ ARX_PLACE_ADDS(index))

/* What the eight bits of the next byte are predicted from. */
typedef struct arx_step {
    _Alignas(32) uint32_t hash[ARX_LANES]; /* contexts */
    bool column;                           /* the last lane counts; else its hash is not used */
    uint32_t predicted;                    /* 256 | the byte the match predicts; 0 for none */
    int32_t match_inputs[2];               /* magnitudes of inputs 7 and 8 */
} arx_step;

/* Of one finished or running line: all of it, also beyond ARX_LINE_BYTES. */
typedef struct arx_line {
    uint32_t length;
    uint32_t pipes;
    uint32_t commas;
} arx_line;

typedef struct arx_column {
    arx_line current;
    arx_line last[2]; /* the latest finished line first */
    bool active;
    uint8_t delimiter;
    uint32_t field;  /* index of the field the next byte belongs to */
    uint32_t offset; /* in that field */
    uint32_t above_count;
    uint8_t above_length[ARX_ROW_FIELDS];
    uint8_t above[ARX_ROW_FIELDS][ARX_FIELD_BYTES]; /* the previous row, split */
    uint8_t line[ARX_LINE_BYTES];                   /* the running line's start */
} arx_column;

typedef struct arx_context {
    arx_step step;
    uint32_t count;      /* bytes seen */
    uint64_t history;    /* the last eight, the latest at the bottom */
    uint32_t match_hash; /* of the last six */
    uint32_t word_hash;
    uint32_t word_length;
    uint32_t match_position;
    uint32_t match_length;
    arx_column column;
} arx_context;

typedef struct arx_model {
    _Alignas(64) uint32_t slots[ARX_SLOTS];
    _Alignas(64) int16_t weights[256][ARX_WEIGHTS];
    uint32_t match[ARX_MATCH_SLOTS]; /* position + 1, 0 for none */
    uint8_t ring[ARX_RING_BYTES];
    /*
     * The byte that followed three others last time, by their hash, for arx_model_guess(). Nothing
     * is coded from it, so what texts leave here stays.
     */
    uint8_t guesses[ARX_GUESSES];
    arx_context context;
} arx_model;

/* What the bits so far contribute to a slot address. */
extern const uint32_t arx_model_bit_address[256];

/*
 * What one byte of a coded text changed in a model, for going back: the old slots, how to find them
 * again, and the entry of the match table. Whatever else a text changes is small and copied from
 * the image.
 */
typedef struct arx_undo {
    _Alignas(32) uint32_t old[8][ARX_LANES]; /* by bit */
    uint32_t base[ARX_LANES];
    uint32_t match_slot;
    uint32_t match_old;
    bool column;
    uint8_t byte;
} arx_undo;

/* Makes zeroed memory the state before the first byte of a prior. */
void arx_model_init(arx_model *model);

/*
 * Takes in a whole byte: match, history, word, column; leaves the next byte's step. Fills the undo
 * entry's byte and match; the rest is the kernel's.
 */
void arx_model_advance(arx_model *model, uint8_t byte, arx_undo *undo);

/*
 * Asks for the memory that arx_model_advance() reads first if this byte comes next: the match
 * table is larger than the nearer caches, and what it holds decides a branch.
 */
void arx_model_expect(const arx_model *model, uint8_t byte);

/* The byte that most likely comes next. Good for fetching memory, for nothing else. */
uint8_t arx_model_guess(const arx_model *model);

#endif
