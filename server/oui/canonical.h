/*
 * canonical.h - one text for one JSON value: canonical JSON (RFC 8785) with the args hash, and the
 * text that surface hashes are taken of.
 *
 * Both are the value as codec/json writes it with keys in another order. They differ in what they
 * do with a lone surrogate and which keys come first; see the two functions. Pure; any thread.
 * Recursive, at most OUI_MAX_DEPTH deep.
 *
 * Source: OUI 0.7.0, canonicalJson, argsHash and sortedJson. Frozen: grants and hashes that others
 * hold depend on every byte.
 */
#ifndef ARXD_OUI_CANONICAL_H
#define ARXD_OUI_CANONICAL_H

#include "json.h"

/* Deeper than any request or definition the server's readers let in (body.h). */
#define OUI_MAX_DEPTH 1000

#define OUI_ARGS_HASH_CHARS 64

/*
 * Appends canonical JSON: all keys by UTF-16 code units. ARX_MALFORMED for what is not I-JSON (a
 * lone surrogate, a number that is not finite), with the place and reason in `refusal` (may be
 * NULL). ARX_OVER_LIMIT when nested too deep. `out` is undefined then.
 */
arx_result oui_canonical_json(const arx_json *value, arx_buf *out, arx_buf *refusal) ARX_MUST_CHECK;

/* SHA-256 of canonical JSON as 64 lower-case hex digits and a NUL. Fails as the above does. */
arx_result oui_args_hash(const arx_json *params, char hash[OUI_ARGS_HASH_CHARS + 1],
                         arx_buf *refusal) ARX_MUST_CHECK;

/* 64 lower-case hex digits and nothing else. */
bool oui_args_hash_is(const uint8_t *text, size_t len);

/*
 * Appends the text of surface and definition hashes: array-index keys first, by number, then the
 * others by UTF-16 code units; a key "__proto__" is left out; lone surrogates are escaped.
 */
arx_result oui_sorted_json(const arx_json *value, arx_buf *out) ARX_MUST_CHECK;

/* Below, equal to or above 0 as JavaScript compares the two strings. WTF-8. */
int oui_compare_units(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len);

#endif
