/*
 * text.h - Unicode text as the format counts it.
 *
 * Text is held as UTF-8 that may also carry lone surrogates in their three-byte form (WTF-8), so
 * that every JavaScript string has exactly one representation. Functions called "text" expect
 * well-formed WTF-8 (a surrogate pair is always written as one four-byte sequence); bytes from
 * outside enter through arx_text_from_bytes() or arx_text_from_units().
 *
 * A "unit" is a UTF-16 code unit, the length JavaScript reports.
 */
#ifndef ARX_TEXT_H
#define ARX_TEXT_H

#include "buffer.h"

/*
 * Reads the code point at `*pos` (which must be < len) and moves `*pos` behind it. Never reads past
 * len. On ill-formed input it returns the single byte's value + ARX_TEXT_BAD and moves by one.
 */
#define ARX_TEXT_BAD 0x80000000u
uint32_t arx_text_next(const uint8_t *text, size_t len, size_t *pos);

/* Appends a code point as (W)UTF-8; a low surrogate behind a high one at the buffer's end joins it.
 */
void arx_text_append(arx_buf *out, uint32_t code_point);

/* UTF-16 units. */
size_t arx_text_units(const uint8_t *text, size_t len);

/* The same for text that may be longer than interests: stops counting past `limit`. */
bool arx_text_units_exceed(const uint8_t *text, size_t len, size_t limit);

/* Transport length T of format.md section 9: what the text costs once chat has escaped it. */
size_t arx_text_transport(const uint8_t *text, size_t len);

/* Visible length: units of decodeURIComponent(text), or of the text itself if that fails. */
size_t arx_text_visible(const uint8_t *text, size_t len);

/*
 * decodeURIComponent. ARX_MALFORMED (bad escape, escaped bytes that are no UTF-8, a lone surrogate
 * made of escapes) leaves `out` as it was.
 */
arx_result arx_text_percent_decode(const uint8_t *text, size_t len, arx_buf *out) ARX_MUST_CHECK;

/* WHATWG UTF-8 decoder in replacement mode (format.md 1.5): drops one BOM, mends to U+FFFD. */
void arx_text_from_bytes(const uint8_t *bytes, size_t len, arx_buf *out);

/* True when the bytes are UTF-8 by RFC 3629 (no surrogates, no overlongs). */
bool arx_text_is_utf8(const uint8_t *bytes, size_t len);

/* Replaces every lone surrogate by U+FFFD; returns how many there were. Lengths do not change. */
size_t arx_text_mend_surrogates(uint8_t *text, size_t len);

/* White space of ECMAScript (format.md section 12). */
bool arx_text_is_space(uint32_t code_point);

/* Narrows [*text, *text + *len) to what is left after ECMAScript's trim(). */
void arx_text_trim(const uint8_t **text, size_t *len);

/* base64url without padding (RFC 4648 section 5). */
void arx_base64url_encode(const uint8_t *bytes, size_t len, arx_buf *out);

/* The forgiving decoder of format.md 1.6. ARX_MALFORMED leaves `out` as it was. */
arx_result arx_base64url_decode(const uint8_t *text, size_t len, arx_buf *out) ARX_MUST_CHECK;

#endif
