/*
 * mixer_loop.h - the loops over a text, written once for both kernels. Included by mixer_portable.c
 * and mixer_avx2.c only, which define before:
 *
 *   LOOP_INLINE, LOOP_FUNCTION    attributes of inlined functions, and of the others
 *   loop_byte                     what a kernel keeps of one byte, from finding to learning
 *   loop_begin(b, step, undo)     takes over what does not depend on the bits
 *   loop_find(b, i, c0)           computes the slots of bit i (0..7) behind c0
 *   loop_fetch(b, model, i)       asks for their cache lines
 *   loop_predict(b, model, i, c0, undo)
 *                                 answers the probability (1..4095) of a 1
 *   loop_predict_all(b, model, byte, undo)
 *                                 does so for all bits of a known byte
 *   loop_learn(b, model, byte, ahead)
 *                                 learns the values of the eight bits; on its way asks for the
 *                                 lines of another byte, unless that is NULL
 *
 * Learning waits for the whole byte: no two bits of one share a slot or a weight (their c0 differ),
 * so the order is the same to the model, and the processor has eight independent bits to work on.
 * It also means that a model never stops inside a byte.
 */
#include "mixer_coder.h"

/*
 * Texts are worked on in pieces, each a call: a browser that finds a function slow swaps in a
 * better compiled one between two calls, never during one. Others lose nothing by it.
 */
#define LOOP_PIECE       LOOP_FUNCTION __attribute__((noinline))
#define LOOP_PIECE_BYTES ((size_t)512)

/* Finds the slots of a known byte, the next one to the contexts. */
LOOP_INLINE void loop_find_all(loop_byte *b, const arx_model *model, uint8_t byte, arx_undo *undo) {
    loop_begin(b, &model->context.step, undo);
    for (unsigned i = 0; i < 8; i++) {
        loop_find(b, i, (256u | byte) >> (8 - i));
    }
}

typedef struct loop_encoder {
    uint32_t lo;
    uint32_t hi;
    size_t staged;
    uint8_t stage[1024]; /* on its way to the buffer; has room for the end */
} loop_encoder;

LOOP_INLINE void encode_byte(loop_encoder *encoder, const loop_byte *b, uint8_t byte,
                             arx_buf *out) {
    if (encoder->staged > sizeof encoder->stage - ARX_CODER_BYTE_MAX - ARX_CODER_BYTES) {
        arx_buf_append(out, encoder->stage, encoder->staged);
        encoder->staged = 0;
    }
    uint32_t lo = encoder->lo;
    uint32_t hi = encoder->hi;
    size_t staged = encoder->staged;
    for (unsigned i = 0; i < 8; i++) {
        uint32_t mid = arx_coder_split(lo, hi, b->probabilities[i]);
        uint32_t one = 0u - ((uint32_t)byte >> (7 - i) & 1u);
        hi = (mid & one) | (hi & ~one);
        lo = (lo & one) | ((mid + 1) & ~one);
        while (arx_coder_settled(lo, hi)) {
            encoder->stage[staged++] = (uint8_t)(lo >> 24);
            lo <<= 8;
            hi = hi << 8 | 0xFF;
        }
    }
    encoder->lo = lo;
    encoder->hi = hi;
    encoder->staged = staged;
}

/*
 * Mixes known text; with an encoder, codes it. Three things run at a distance, so that each finds
 * its input ready: contexts and slots of the byte to come, statistics of this byte, and the coder
 * on the byte before (whether it puts out a byte cannot be foreseen: a wrong guess must not have to
 * wait for a probability, with all the mixing behind it thrown away).
 */
LOOP_INLINE void run_text(arx_model *model, const uint8_t *text, size_t len, arx_undo *undo,
                          size_t stride, loop_encoder *encoder, arx_buf *out) {
    loop_byte bytes[2];
    if (len > 0) {
        loop_find_all(&bytes[0], model, text[0], undo);
    }
    for (size_t i = 0; i < len; i++) {
        loop_byte *b = &bytes[i & 1];
        loop_byte *next = &bytes[(i + 1) & 1];
        if (encoder != NULL && i > 0) {
            encode_byte(encoder, next, text[i - 1], out);
        }
        arx_model_advance(model, text[i], undo);
        bool more = i + 1 < len;
        if (more) {
            arx_model_expect(model, text[i + 1]);
            loop_find_all(next, model, text[i + 1], undo + stride);
        }
        loop_predict_all(b, model, text[i], undo);
        loop_learn(b, model, text[i], more ? next : NULL);
        undo += stride;
    }
    if (encoder != NULL && len > 0) {
        encode_byte(encoder, &bytes[(len - 1) & 1], text[len - 1], out);
    }
}

LOOP_PIECE static void prime_piece(arx_model *model, const uint8_t *text, size_t len) {
    arx_undo sink;
    run_text(model, text, len, &sink, 0, NULL, NULL);
}

LOOP_FUNCTION static void run_prime(arx_model *model, const uint8_t *text, size_t len) {
    for (size_t at = 0; at < len; at += LOOP_PIECE_BYTES) {
        prime_piece(model, text + at, len - at < LOOP_PIECE_BYTES ? len - at : LOOP_PIECE_BYTES);
    }
}

LOOP_PIECE static void encode_piece(arx_model *model, const uint8_t *text, size_t len,
                                    arx_undo *undo, size_t stride, loop_encoder *encoder,
                                    arx_buf *out) {
    run_text(model, text, len, undo, stride, encoder, out);
}

LOOP_FUNCTION static void run_encode(arx_model *model, const uint8_t *text, size_t len,
                                     arx_undo_log *log, arx_buf *out) {
    loop_encoder encoder = {.lo = 0, .hi = UINT32_MAX};
    /* Without a log all entries land on one place, so that no bit has to ask. */
    arx_undo sink;
    arx_undo *undo = log->entries != NULL ? log->entries : &sink;
    size_t stride = log->entries != NULL;
    for (size_t at = 0; at < len; at += LOOP_PIECE_BYTES) {
        encode_piece(model, text + at, len - at < LOOP_PIECE_BYTES ? len - at : LOOP_PIECE_BYTES,
                     undo + at * stride, stride, &encoder, out);
    }
    log->used = len;
    for (unsigned shift = 32; shift > 0;) {
        shift -= 8;
        encoder.stage[encoder.staged++] = (uint8_t)(encoder.lo >> shift);
    }
    arx_buf_append(out, encoder.stage, encoder.staged);
}

typedef struct loop_decoder {
    uint32_t lo;
    uint32_t hi;
    uint32_t code;
    const uint8_t *next;
    const uint8_t *end;
} loop_decoder;

/*
 * Begins the byte to come and asks for the lines along the likeliest one, which this answers: right
 * more often than not, and a whole byte early, where the branches of decode_byte() are at most a
 * few bits ahead.
 */
LOOP_INLINE uint8_t begin_guess(loop_byte *b, const arx_model *model, arx_undo *undo) {
    uint8_t guess = arx_model_guess(model);
    arx_model_expect(model, guess);
    loop_begin(b, &model->context.step, undo);
    for (unsigned i = 0; i < 8; i++) {
        loop_find(b, i, (256u | guess) >> (8 - i));
        loop_fetch(b, model, i);
    }
    return guess;
}

/*
 * Decodes one byte, or answers false when the coded bytes end in it; the model learns nothing yet.
 *
 * The value of a bit is a branch on purpose: the processor guesses it, most often rightly, and is
 * deep in the next bit's memory accesses by the time the probability is known.
 */
LOOP_INLINE bool decode_byte(loop_byte *b, const arx_model *model, loop_decoder *decoder,
                             uint8_t guess, arx_undo *undo, uint8_t *byte) {
    loop_decoder d = *decoder;
    uint32_t c0 = 1;
    for (unsigned i = 0; i < 8; i++) {
        if (i < 7 && (256u | guess) >> (8 - i) != c0) {
            /* Not the guessed byte: the lines of both values of the next bit. */
            loop_find(b, i + 1, c0 * 2);
            loop_fetch(b, model, i + 1);
            loop_find(b, i + 1, c0 * 2 + 1);
            loop_fetch(b, model, i + 1);
        }
        loop_find(b, i, c0);
        uint32_t probability = loop_predict(b, model, i, c0, undo);
        uint32_t mid = arx_coder_split(d.lo, d.hi, probability);
        c0 *= 2;
        if (d.code <= mid) {
            d.hi = mid;
            c0++;
            /* Keeps compilers from turning the branch into a selection. */
            __asm__ volatile("");
        } else {
            d.lo = mid + 1;
            __asm__ volatile("");
        }
        while (arx_coder_settled(d.lo, d.hi)) {
            if (d.next == d.end) {
                return false;
            }
            d.lo <<= 8;
            d.hi = d.hi << 8 | 0xFF;
            d.code = d.code << 8 | *d.next++;
        }
    }
    *decoder = d;
    *byte = (uint8_t)c0;
    return true;
}

/* Decodes `len` bytes, or fewer when the coded bytes end; answers how many. */
LOOP_PIECE static size_t decode_piece(arx_model *model, loop_decoder *decoder, uint8_t *text,
                                      size_t len, arx_undo *undo, size_t stride) {
    loop_byte b;
    for (size_t i = 0; i < len; i++) {
        uint8_t guess = begin_guess(&b, model, undo);
        if (!decode_byte(&b, model, decoder, guess, undo, &text[i])) {
            return i;
        }
        loop_learn(&b, model, text[i], NULL);
        arx_model_advance(model, text[i], undo);
        undo += stride;
    }
    return len;
}

LOOP_FUNCTION static bool run_decode(arx_model *model, const uint8_t *coded, size_t len,
                                     size_t text_len, arx_undo_log *log, arx_buf *out) {
    uint8_t piece[LOOP_PIECE_BYTES];
    log->used = 0;
    if (len < ARX_CODER_BYTES) {
        return false;
    }
    loop_decoder decoder = {.hi = UINT32_MAX, .next = coded, .end = coded + len};
    for (unsigned i = 0; i < ARX_CODER_BYTES; i++) {
        decoder.code = decoder.code << 8 | *decoder.next++;
    }
    arx_undo sink;
    arx_undo *undo = log->entries != NULL ? log->entries : &sink;
    size_t stride = log->entries != NULL;
    while (log->used < text_len && out->status == ARX_OK) {
        size_t want = text_len - log->used;
        want = want < sizeof piece ? want : sizeof piece;
        size_t got = decode_piece(model, &decoder, piece, want, undo + log->used * stride, stride);
        arx_buf_append(out, piece, got);
        log->used += got;
        if (got < want) {
            break;
        }
    }
    return log->used == text_len;
}
