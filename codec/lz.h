/*
 * lz.h - the lz codec's stream: lz-string's "EncodedURIComponent" variant (format.md 3.1).
 *
 * Frozen: changing these bits breaks existing links. Works on UTF-16 units of WTF-8 text.
 */
#ifndef ARX_LZ_H
#define ARX_LZ_H

#include "buffer.h"

/* Appends the compressed form of `text` (ASCII). Time and memory linear in its length. */
arx_result arx_lz_compress(const uint8_t *text, size_t len, arx_buf *out) ARX_MUST_CHECK;

/*
 * Appends the text. Stops with ARX_OVER_LIMIT once more than `max_units` would come out, so a bomb
 * costs no more than its limit. A stream that ends early or starts with "2" gives the empty string
 * and ARX_OK, as upstream's does; a broken one is ARX_MALFORMED.
 */
arx_result arx_lz_decompress(const uint8_t *stream, size_t len, size_t max_units,
                             arx_buf *out) ARX_MUST_CHECK;

#endif
