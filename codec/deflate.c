/*
 * deflate.c - the deflate stage by zlib (format.md 3.2). See entropy_native.h.
 *
 * Raw streams; a zlib wrapper is taken off by hand, because the format checks less of it than zlib
 * does. The library allocates through the two functions below, so that whoever replaces malloc sees
 * it too.
 */
#include "entropy_native.h"

#include <stdlib.h>
#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

enum { CHUNK_BYTES = 16 * 1024, RAW_WINDOW = -15 };

static void *allocate(void *opaque, unsigned items, unsigned size) {
    (void)opaque;
    return calloc(items, size);
}

static void release(void *opaque, void *address) {
    (void)opaque;
    free(address);
}

arx_result arx_deflate_compress(const uint8_t *bytes, size_t len, arx_buf *out) {
    if (len > UINT32_MAX) {
        return ARX_OVER_LIMIT;
    }
    z_stream z = {.next_in = bytes, .avail_in = (uInt)len, .zalloc = allocate, .zfree = release};
    if (deflateInit2(&z, 9, Z_DEFLATED, RAW_WINDOW, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
        return ARX_NO_MEMORY;
    }
    const size_t start = out->len;
    uint8_t chunk[CHUNK_BYTES];
    int status;
    do {
        z.next_out = chunk;
        z.avail_out = CHUNK_BYTES;
        status = deflate(&z, Z_FINISH);
        arx_buf_append(out, chunk, CHUNK_BYTES - z.avail_out);
    } while (status == Z_OK);
    (void)deflateEnd(&z);
    if (arx_buf_result(out) != ARX_OK) {
        out->len = out->len > start ? start : out->len;
    }
    return arx_buf_result(out);
}

/* A raw stream being read, and the copy of it that may be written to (NULL until it is needed). */
typedef struct raw {
    z_stream z;
    const uint8_t *stream;
    size_t len;
    uint8_t *copy;
} raw;

static unsigned bit_at(const uint8_t *stream, size_t bit) {
    return (unsigned)stream[bit / 8] >> (bit % 8) & 1u;
}

/*
 * zlib refuses a stored block whose length does not stand there twice, the format reads on. So
 * where such a block begins (at `bit` of the stream), the second length is mended in a copy.
 */
static arx_result mend_stored_block(raw *r, size_t bit) {
    if (bit + 3 > r->len * 8 || bit_at(r->stream, bit + 1) != 0 ||
        bit_at(r->stream, bit + 2) != 0) {
        return ARX_OK;
    }
    size_t at = (bit + 3 + 7) / 8;
    if (at + 4 > r->len) {
        return ARX_OK; /* cut short, as inflate() will find */
    }
    const uint8_t *lengths = r->stream + at;
    if ((lengths[0] ^ lengths[2]) == 0xFF && (lengths[1] ^ lengths[3]) == 0xFF) {
        return ARX_OK;
    }
    if (r->copy == NULL) {
        r->copy = malloc(r->len);
        if (r->copy == NULL) {
            return ARX_NO_MEMORY;
        }
        memcpy(r->copy, r->stream, r->len);
        r->z.next_in = r->copy + (r->z.next_in - r->stream);
    }
    r->copy[at + 2] = lengths[0] ^ 0xFF;
    r->copy[at + 3] = lengths[1] ^ 0xFF;
    return ARX_OK;
}

/* Appends what a raw stream holds, at most `max` bytes. */
static arx_result inflate_raw(const uint8_t *stream, size_t len, size_t max, arx_buf *out) {
    raw r = {.stream = stream, .len = len};
    r.z =
        (z_stream){.next_in = stream, .avail_in = (uInt)len, .zalloc = allocate, .zfree = release};
    if (inflateInit2(&r.z, RAW_WINDOW) != Z_OK) {
        return ARX_NO_MEMORY;
    }
    const size_t start = out->len;
    uint8_t chunk[CHUNK_BYTES];
    arx_result result = mend_stored_block(&r, 0);
    while (result == ARX_OK) {
        r.z.next_out = chunk;
        r.z.avail_out = CHUNK_BYTES;
        int status = inflate(&r.z, Z_BLOCK);
        size_t got = CHUNK_BYTES - r.z.avail_out;
        if (got > max - (out->len - start)) {
            result = ARX_OVER_LIMIT;
            break;
        }
        arx_buf_append(out, chunk, got);
        result = arx_buf_result(out);
        if (result != ARX_OK || status == Z_STREAM_END) {
            break;
        }
        if (status != Z_OK) {
            /* Z_BUF_ERROR is "no progress": the stream is cut short. */
            result = status == Z_MEM_ERROR ? ARX_NO_MEMORY : ARX_MALFORMED;
            break;
        }
        /* 128: behind a block (64: the last one); the low bits count what is left of a byte. */
        if ((r.z.data_type & (128 | 64)) == 128) {
            size_t taken = len - r.z.avail_in;
            result = mend_stored_block(&r, taken * 8 - (size_t)(r.z.data_type & 7));
        }
    }
    (void)inflateEnd(&r.z);
    free(r.copy);
    if (result != ARX_OK && out->len > start) {
        out->len = start;
    }
    return result;
}

/* RFC 1950's two bytes, without a preset dictionary. */
static bool has_zlib_header(const uint8_t *stream, size_t len) {
    return len >= 2 && (stream[0] & 15) == 8 && stream[0] >> 4 <= 7 &&
           (stream[0] * 256 + stream[1]) % 31 == 0 && (stream[1] & 0x20) == 0;
}

arx_result arx_deflate_decompress(const uint8_t *stream, size_t len, size_t max, arx_buf *out) {
    if (len > UINT32_MAX) {
        return ARX_OVER_LIMIT;
    }
    arx_result result = inflate_raw(stream, len, max, out);
    if (result != ARX_MALFORMED || !has_zlib_header(stream, len)) {
        return result;
    }
    /* The last four bytes are the checksum's place, whatever stands there. */
    return len < 6 ? ARX_MALFORMED : inflate_raw(stream + 2, len - 6, max, out);
}
