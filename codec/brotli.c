/*
 * brotli.c - the Brotli stage by libbrotli (format.md 7.1). See entropy_native.h.
 *
 * Both directions stream into the caller's buffer: neither trusts a size the stream claims. The
 * library allocates through functions given here, so that whoever replaces malloc sees it too.
 */
#include "entropy_native.h"

#include <setjmp.h>
#include <stdalign.h>
#include <stdlib.h>

#include <brotli/decode.h>
#include <brotli/encode.h>

/*
 * The encoder's memory. libbrotlienc as distributions build it ends the process when an allocation
 * fails, so a failure never returns to it: it jumps out of the library, and what the encoder held
 * is in this list to be freed.
 */
typedef struct block {
    alignas(max_align_t) struct block *next;
    struct block *prev;
} block;

typedef struct pool {
    block head; /* of a ring */
    jmp_buf exhausted;
} pool;

static void *pool_allocate(void *opaque, size_t size) {
    pool *p = opaque;
    block *b = size > SIZE_MAX - sizeof(block) ? NULL : malloc(sizeof(block) + size);
    if (b == NULL) {
        longjmp(p->exhausted, 1);
    }
    *b = (block){.next = &p->head, .prev = p->head.prev};
    p->head.prev->next = b;
    p->head.prev = b;
    return b + 1;
}

static void pool_release(void *opaque, void *address) {
    (void)opaque;
    if (address != NULL) {
        block *b = (block *)address - 1;
        b->prev->next = b->next;
        b->next->prev = b->prev;
        free(b);
    }
}

static arx_result compress(pool *p, const uint8_t *bytes, size_t len, arx_buf *out) {
    BrotliEncoderState *encoder = BrotliEncoderCreateInstance(pool_allocate, pool_release, p);
    if (encoder == NULL) {
        return ARX_NO_MEMORY;
    }
    /* These, one shot and no size hint are what the format's other encoders use: see the vectors.
     */
    bool going = BrotliEncoderSetParameter(encoder, BROTLI_PARAM_QUALITY, 11) &&
                 BrotliEncoderSetParameter(encoder, BROTLI_PARAM_LGWIN, 22) &&
                 BrotliEncoderSetParameter(encoder, BROTLI_PARAM_MODE, BROTLI_MODE_GENERIC);
    while (going && !BrotliEncoderIsFinished(encoder)) {
        size_t no_room = 0;
        going = BrotliEncoderCompressStream(encoder, BROTLI_OPERATION_FINISH, &len, &bytes,
                                            &no_room, NULL, NULL);
        size_t got = 0;
        const uint8_t *coded = BrotliEncoderTakeOutput(encoder, &got);
        arx_buf_append(out, coded, got);
    }
    BrotliEncoderDestroyInstance(encoder);
    return going ? arx_buf_result(out) : ARX_NO_MEMORY;
}

arx_result arx_brotli_compress(const uint8_t *bytes, size_t len, arx_buf *out) {
    const size_t start = out->len;
    pool p;
    p.head = (block){.next = &p.head, .prev = &p.head};
    arx_result result;
    if (setjmp(p.exhausted) == 0) {
        result = compress(&p, bytes, len, out);
    } else {
        while (p.head.next != &p.head) {
            pool_release(&p, p.head.next + 1);
        }
        result = ARX_NO_MEMORY;
    }
    if (result != ARX_OK && out->len > start) {
        out->len = start;
    }
    return result;
}

static void *allocate(void *opaque, size_t size) {
    (void)opaque;
    return malloc(size);
}

static void release(void *opaque, void *address) {
    (void)opaque;
    free(address);
}

/*
 * The first byte of a stream, with the window it declares made no larger than `max` bytes of output
 * need. The decoder's ring is as large as the window when a block claims to be: up to 16 MiB for a
 * stream of a few bytes. A window only decides how far back a distance may reach, so nothing
 * changes before 2^bits - 16 bytes have come out, which is past `max`.
 */
static uint8_t narrow_window(uint8_t first, size_t max) {
    /* RFC 7932 section 9.1: a set bit and then three bits n > 0 declare 2^(17+n) bytes. */
    unsigned n = first >> 1 & 7;
    if ((first & 1) == 0 || n == 0) {
        return first; /* at most 2^17 */
    }
    unsigned enough = 1;
    while (enough < 7 && ((size_t)1 << (17 + enough)) - 16 <= max) {
        enough++;
    }
    return n <= enough ? first : (uint8_t)((first & 0xF1) | enough << 1);
}

static bool is_memory_error(BrotliDecoderErrorCode code) {
    return code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES &&
           code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES;
}

/* Feeds one piece of a stream. ARX_OK: its end was reached; ARX_MALFORMED also for "not yet". */
static arx_result feed(BrotliDecoderState *decoder, const uint8_t *piece, size_t len, size_t limit,
                       arx_buf *out) {
    for (;;) {
        size_t no_room = 0;
        BrotliDecoderResult status =
            BrotliDecoderDecompressStream(decoder, &len, &piece, &no_room, NULL, NULL);
        size_t got = 0;
        const uint8_t *text = BrotliDecoderTakeOutput(decoder, &got);
        if (got > limit - out->len) {
            return ARX_OVER_LIMIT;
        }
        arx_buf_append(out, text, got);
        if (status == BROTLI_DECODER_RESULT_ERROR) {
            return is_memory_error(BrotliDecoderGetErrorCode(decoder)) ? ARX_NO_MEMORY
                                                                       : ARX_MALFORMED;
        }
        if (arx_buf_result(out) != ARX_OK) {
            return arx_buf_result(out);
        }
        if (status == BROTLI_DECODER_RESULT_SUCCESS) {
            return ARX_OK;
        }
        if (status == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT) {
            return ARX_MALFORMED;
        }
    }
}

arx_result arx_brotli_decompress(const uint8_t *stream, size_t len, size_t max, arx_buf *out) {
    if (len == 0) {
        return ARX_MALFORMED;
    }
    BrotliDecoderState *decoder = BrotliDecoderCreateInstance(allocate, release, NULL);
    if (decoder == NULL) {
        return ARX_NO_MEMORY;
    }
    const size_t start = out->len;
    const size_t limit = max > SIZE_MAX - start ? SIZE_MAX : start + max;
    const uint8_t first = narrow_window(stream[0], max);
    arx_result result = feed(decoder, &first, 1, limit, out);
    if (result == ARX_MALFORMED && BrotliDecoderGetErrorCode(decoder) >= 0) {
        result = feed(decoder, stream + 1, len - 1, limit, out);
    }
    BrotliDecoderDestroyInstance(decoder);
    if (result != ARX_OK && out->len > start) {
        out->len = start;
    }
    return result;
}
