/*
 * vectors.h - golden vectors for the unit programs.
 *
 * Files are found in tests/vectors (programs run from the repository's root). Long values in them
 * are kept as a hash: vector_matches() knows both forms.
 */
#ifndef TEST_VECTORS_H
#define TEST_VECTORS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include "arx.h"

/* Reads tests/vectors/codec/<name> (or fails the test). The document lives until the program ends.
 */
arx_json *vector_load(const char *name);

/* The whole of a file; fails the test if it cannot be read. Caller frees. */
uint8_t *vector_read_file(const char *path, size_t *len);

/*
 * Does `got` equal what a vector says: {"text"}, {"hex"}, a bare string, or {"sha256", "length",
 * "head"} (length in units for text, bytes for hex). Prints both on a mismatch, with `what`.
 */
bool vector_matches(const arx_json *expected, const uint8_t *got, size_t len, const char *what);

/* Appends the bytes of a hex string. */
void vector_unhex(const arx_json *hex, arx_buf *out);

/* The envelope of that name in envelopes.json, or fails the test. */
arx_json *vector_envelope(const char *name);

/* The set in tests/vectors/assets; upstream's from $ARX_UPSTREAM_ASSETS, or NULL where that is
 * unset. */
arx_assets *vector_test_assets(void);
arx_assets *vector_upstream_assets(void);

/*
 * Copies `len` bytes so that the byte behind the last is an unmapped page: reads past the end
 * crash. Release with guard_free().
 */
uint8_t *guard_copy(const void *bytes, size_t len);
void guard_free(uint8_t *bytes, size_t len);

#endif
