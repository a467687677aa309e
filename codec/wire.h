/*
 * wire.h - bytes as text for a fragment (format.md section 6 and appendix A).
 *
 * Frozen: changing these alphabets or prefixes breaks existing links.
 *
 * Radix conversion is divide and conquer in both directions, so 25 KB cost a fraction of the
 * compression before it. All functions are pure; texts are UTF-8.
 */
#ifndef ARX_WIRE_H
#define ARX_WIRE_H

#include "buffer.h"

/* In candidate order (section 9). */
typedef enum arx_wire {
    ARX_WIRE_BASE76,
    ARX_WIRE_BASE1K,
    ARX_WIRE_BASEBMP,
    ARX_WIRE_BASE64URL,
    ARX_WIRE_COUNT
} arx_wire;

const char *arx_wire_name(arx_wire wire); /* "base76", "base1k", "baseBMP", "base64url" */
bool arx_wire_from_name(const char *name, arx_wire *wire);

/* Largest byte count the radix wires write and accept in a length prefix. */
#define ARX_WIRE_MAX_BYTES 800000u

/*
 * Appends the text of `bytes`. ARX_OVER_LIMIT for more than ARX_WIRE_MAX_BYTES in a radix wire,
 * which nothing could decode, or past the maximum of `out`. What a failure leaves in `out` is
 * undefined.
 */
arx_result arx_wire_encode(arx_wire wire, const uint8_t *bytes, size_t len,
                           arx_buf *out) ARX_MUST_CHECK;

/*
 * The tolerant decoders of section 6.2 (base64url: text is what follows "B."; baseBMP: what follows
 * U+FFF0). ARX_OVER_LIMIT for an implausible length prefix, before any work; ARX_MALFORMED for what
 * no digit can be made of. Work is bounded by the digits really there, and a failure appends
 * nothing.
 */
arx_result arx_wire_decode(arx_wire wire, const uint8_t *text, size_t len,
                           arx_buf *out) ARX_MUST_CHECK;

/*
 * Which wire a text is in by section 6.1, and how many of its first bytes are the marker to skip.
 * For base64url the caller may have to fall back: see arx_wire_detect_after_base64url().
 */
arx_wire arx_wire_detect(const uint8_t *text, size_t len, size_t *marker_bytes);
/* What the same text is when base64url or the entropy stage behind it failed. */
arx_wire arx_wire_detect_after_base64url(const uint8_t *text, size_t len, size_t *marker_bytes);

/*
 * Appends `bytes` in `wire` only if the text's transport length is below `bound` (for base64url:
 * the exact length; for the others the conversion is given up as soon as that is proved impossible,
 * for base76 mostly after a sixth of the digits). `*won` tells; without it `out` is as it was. Used
 * when only the winner of section 9 is asked for.
 */
arx_result arx_wire_encode_below(arx_wire wire, const uint8_t *bytes, size_t len, size_t bound,
                                 arx_buf *out, bool *won) ARX_MUST_CHECK;

#endif
