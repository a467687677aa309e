/*
 * entropy.h - where Brotli and deflate enter the core: a small table of functions.
 *
 * The core links against neither. The service and the tool hand it arx_entropy_native (brotli.c,
 * deflate.c); the page hands its own. Functions are pure and may run on any thread.
 */
#ifndef ARX_ENTROPY_H
#define ARX_ENTROPY_H

#include "buffer.h"

typedef struct arx_entropy {
    /* Appends `bytes` at quality 11, window 22. */
    arx_result (*brotli_compress)(const uint8_t *bytes, size_t len, arx_buf *out);
    /*
     * Appends what `stream` holds. ARX_OVER_LIMIT once more than `max` bytes would come out;
     * ARX_MALFORMED when it does not end properly; bytes behind the end are ignored.
     */
    arx_result (*brotli_decompress)(const uint8_t *stream, size_t len, size_t max, arx_buf *out);
    /* Raw DEFLATE, level 9. */
    arx_result (*deflate_compress)(const uint8_t *bytes, size_t len, arx_buf *out);
    /* Raw DEFLATE, else zlib with neither dictionary nor Adler check (format.md 3.2). */
    arx_result (*deflate_decompress)(const uint8_t *stream, size_t len, size_t max, arx_buf *out);
} arx_entropy;

#endif
