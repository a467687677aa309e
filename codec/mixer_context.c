/*
 * mixer_context.c - from one byte to the next: match, history, word, column
 * (format.md 7.2.3, 7.2.4).
 *
 * Frozen: changing any hash or rule breaks existing links.
 */
#include "mixer_model.h"

#define FNV_BASIS 0x811C9DC5u
#define FNV_PRIME 0x01000193u

#define CONTEXT_ORDER0  0x243F6A88u
#define CONTEXT_NO_WORD 0x9E3779B9u
#define COLUMN_SALT     0x54u
#define NOTHING_ABOVE   256u

#define WORD_MAX    255u
#define MATCH_MAX   255u
#define MATCH_MIN   7u  /* bytes that must agree before a match is followed */
#define MATCH_FULL  32u /* a longer one is trusted no more */
#define MATCH_SHORT 11u /* up to this length the second match input stays 0 */
#define MATCH_GAIN  64u

#define LANE_WORD 6
#define HISTORY   6 /* bytes the longest order looks back */

/* c0 * K2 as the part of a slot address that the bits decide. */
#define BITS1(c)                                                                                   \
    (((uint32_t)(c)*ARX_HASH_K2 & 255u) << ARX_ADDRESS_TAG |                                       \
     ARX_PLACE((uint32_t)(c)*ARX_HASH_K2 >> 12))
#define BITS4(c)  BITS1(c), BITS1((c) + 1), BITS1((c) + 2), BITS1((c) + 3)
#define BITS16(c) BITS4(c), BITS4((c) + 4), BITS4((c) + 8), BITS4((c) + 12)
#define BITS64(c) BITS16(c), BITS16((c) + 16), BITS16((c) + 32), BITS16((c) + 48)

_Alignas(64) const uint32_t arx_model_bit_address[256] = {BITS64(0), BITS64(64), BITS64(128),
                                                          BITS64(192)};

static inline uint32_t fnv(uint32_t hash, uint32_t value) {
    return (hash ^ value) * FNV_PRIME;
}

/* The byte `back` places behind the latest. */
static inline uint32_t past(uint64_t history, unsigned back) {
    return (uint32_t)(history >> (8 * back)) & 255u;
}

/* Where the match table keeps the last six bytes and this one. */
static inline uint32_t match_slot(const arx_context *context, uint8_t byte) {
    return fnv(context->match_hash, byte) >> 14;
}

/* Step a of 7.2.4, and what it predicts for the next byte. */
static void advance_match(arx_model *model, uint8_t byte, arx_undo *undo) {
    arx_context *context = &model->context;
    const uint32_t mask = ARX_RING_BYTES - 1;
    uint8_t *ring = model->ring;

    /* A wrong bit ends a match (7.2.4, 4): it lives on when the whole byte was as predicted. */
    bool had = context->step.predicted == (256u | byte);
    if (had) {
        context->match_position++;
        if (context->match_length < MATCH_MAX) {
            context->match_length++;
        }
    }
    uint32_t end = context->count;
    ring[end & mask] = byte;
    context->count = end + 1;
    bool matching = had;
    if (context->count < MATCH_MIN) {
        undo->match_slot = 0;
        undo->match_old = model->match[0];
    } else {
        uint32_t slot = match_slot(context, byte);
        uint32_t entry = model->match[slot]; /* position + 1: the first byte behind it */
        undo->match_slot = slot;
        undo->match_old = entry;
        model->match[slot] = end + 1;
        if (!had && entry >= MATCH_MIN && context->count - entry <= ARX_RING_BYTES) {
            uint32_t agree = 0;
            while (agree < MATCH_MIN &&
                   ring[(entry - 1 - agree) & mask] == ring[(end - agree) & mask]) {
                agree++;
            }
            if (agree == MATCH_MIN) {
                matching = true;
                context->match_position = entry;
                context->match_length = MATCH_MIN;
            }
        }
    }

    /* A followed match keeps its distance, so it never leaves the ring. */
    arx_step *step = &context->step;
    if (matching) {
        uint32_t length = context->match_length < MATCH_FULL ? context->match_length : MATCH_FULL;
        step->predicted = 256u | ring[context->match_position & mask];
        step->match_inputs[0] = (int32_t)(length * MATCH_GAIN);
        step->match_inputs[1] =
            length > MATCH_SHORT ? (int32_t)((length - MATCH_SHORT) * MATCH_GAIN) : 0;
    } else {
        step->predicted = 0;
        step->match_inputs[0] = 0;
        step->match_inputs[1] = 0;
    }
}

/* 1 for 0-9 A-Z a-z and `_`, by bits of the byte. */
static inline uint32_t is_word_byte(uint8_t byte) {
    static const uint64_t set[4] = {0x03FF000000000000u, 0x07FFFFFE87FFFFFEu, 0, 0};
    return (uint32_t)(set[byte >> 6] >> (byte & 63)) & 1u;
}

/* Without branches: where words end is the least predictable thing in a text. */
static void advance_word(arx_context *context, uint8_t byte) {
    uint32_t in = 0u - is_word_byte(byte);
    uint32_t hash = context->word_length == 0 ? FNV_BASIS : context->word_hash;
    uint32_t length = context->word_length + (context->word_length < WORD_MAX);
    context->word_hash = fnv(hash, byte) & in;
    context->word_length = length & in;
}

/* Splits the line just finished (its first ARX_LINE_BYTES) into the fields of the row above. */
static void split_row(arx_column *column, uint32_t stored) {
    uint32_t field = 0;
    uint32_t length = 0;
    for (uint32_t i = 0; i < stored; i++) {
        if (column->line[i] == column->delimiter) {
            column->above_length[field++] = (uint8_t)length;
            length = 0;
            if (field == ARX_ROW_FIELDS) {
                column->above_count = field;
                return;
            }
        } else if (length < ARX_FIELD_BYTES) {
            column->above[field][length++] = column->line[i];
        }
    }
    column->above_length[field++] = (uint8_t)length;
    column->above_count = field;
}

static void finish_line(arx_column *column) {
    column->last[1] = column->last[0];
    column->last[0] = column->current;
    column->current = (arx_line){0};
    column->active = false;
    column->field = 0;
    column->offset = 0;
    column->above_count = 0;

    const arx_line *above = &column->last[0];
    const arx_line *before = &column->last[1];
    if (above->length == 0 || before->length == 0) {
        return;
    }
    if (above->pipes == before->pipes && above->pipes >= 2) {
        column->delimiter = '|';
    } else if (above->commas == before->commas && above->commas >= 2) {
        column->delimiter = ',';
    } else {
        return;
    }
    column->active = true;
    split_row(column, above->length < ARX_LINE_BYTES ? above->length : ARX_LINE_BYTES);
}

static void advance_column(arx_column *column, uint8_t byte) {
    if (byte == '\n') {
        finish_line(column);
        return;
    }
    arx_line *line = &column->current;
    if (line->length < ARX_LINE_BYTES) {
        column->line[line->length] = byte;
    }
    line->length++;
    line->pipes += byte == '|';
    line->commas += byte == ',';
    if (column->active && byte == column->delimiter) {
        column->field++;
        column->offset = 0;
    } else if (column->active) {
        column->offset++;
    }
}

/* Never 0, which 7.2.3 keeps for "no column". */
static uint32_t column_hash(const arx_column *column) {
    uint32_t field = column->field < ARX_ROW_FIELDS ? column->field : ARX_ROW_FIELDS - 1;
    uint32_t offset = column->offset < ARX_FIELD_BYTES ? column->offset : ARX_FIELD_BYTES - 1;
    uint32_t above = NOTHING_ABOVE;
    if (field < column->above_count && offset < column->above_length[field]) {
        above = column->above[field][offset];
    }
    uint32_t hash = fnv(FNV_BASIS, COLUMN_SALT);
    hash = fnv(hash, field + 1);
    hash = fnv(hash, offset + 1);
    hash = fnv(hash, above + 1);
    return hash != 0 ? hash : 1;
}

/* The hash of the last `order` bytes. known: bytes there are, at most 6. */
static inline uint32_t order_hash(uint64_t history, uint32_t known, uint32_t order) {
    uint32_t hash = FNV_BASIS ^ order ^ known << 24;
    for (uint32_t i = 0; i < order; i++) {
        uint32_t value = i < known ? past(history, i) + 1 : 0;
        hash = fnv(hash, value ^ i << 8);
    }
    return hash;
}

static inline void order_hashes(uint64_t history, uint32_t known, uint32_t *hash) {
    hash[1] = order_hash(history, known, 1);
    hash[2] = order_hash(history, known, 2);
    hash[3] = order_hash(history, known, 3);
    hash[4] = order_hash(history, known, 4);
    hash[5] = order_hash(history, known, 6);
}

/* The hashes of all contexts as they stand, into the step. */
static void set_step(arx_context *context) {
    uint32_t *hash = context->step.hash;
    hash[0] = CONTEXT_ORDER0;
    if (context->count >= HISTORY) {
        order_hashes(context->history, HISTORY, hash); /* a constant: unrolled without tests */
    } else {
        order_hashes(context->history, context->count, hash);
    }
    uint32_t recent = FNV_BASIS;
    for (unsigned back = MATCH_MIN - 1; back-- > 0;) {
        recent = fnv(recent, past(context->history, back));
    }
    context->match_hash = recent;
    uint32_t length = context->word_length;
    hash[LANE_WORD] = length == 0 ? CONTEXT_NO_WORD : context->word_hash ^ length * ARX_HASH_K2;
    context->step.column = context->column.active;
    if (context->step.column) {
        hash[ARX_LANE_COLUMN] = column_hash(&context->column);
    }
}

/* By three bytes: lane 3. */
static inline uint32_t guess_index(const arx_step *step) {
    return step->hash[3] >> 16;
}

uint8_t arx_model_guess(const arx_model *model) {
    const arx_step *step = &model->context.step;
    return step->predicted != 0 ? (uint8_t)step->predicted : model->guesses[guess_index(step)];
}

void arx_model_expect(const arx_model *model, uint8_t byte) {
    __builtin_prefetch(&model->match[match_slot(&model->context, byte)], 1);
}

void arx_model_advance(arx_model *model, uint8_t byte, arx_undo *undo) {
    arx_context *context = &model->context;
    undo->byte = byte;
    model->guesses[guess_index(&context->step)] = byte;
    context->history = context->history << 8 | byte;
    advance_match(model, byte, undo);
    advance_word(context, byte);
    advance_column(&context->column, byte);
    set_step(context);
}

void arx_model_init(arx_model *model) {
    for (unsigned c0 = 1; c0 < 256; c0++) {
        int16_t *weights = model->weights[c0];
        for (unsigned i = 0; i < ARX_LANES; i++) {
            weights[i] = ARX_WEIGHT_DIRECT;
        }
        weights[ARX_INPUT_MATCH] = ARX_WEIGHT_PREDICTED;
        weights[ARX_INPUT_MATCH + 1] = ARX_WEIGHT_PREDICTED;
    }
    set_step(&model->context);
}
