/*
 * radix.h - big integers from bytes to digits and back (format.md section 6), below wire.c.
 *
 * A byte string is one big-endian integer; its digits in base 77, 1774 or 61864 are given most
 * significant first. Both ways are divide and conquer over Karatsuba products, about n^1.6, so the
 * largest input allowed costs a fraction of a second.
 *
 * Pure functions without state; any thread. Not part of the public interface.
 */
#ifndef ARX_RADIX_H
#define ARX_RADIX_H

#include <stddef.h>
#include <stdint.h>

#include "result.h"

/* The bases there are. */
#define ARX_RADIX_BASE76  77u
#define ARX_RADIX_BASE1K  1774u
#define ARX_RADIX_BASEBMP 61864u

/* Longest byte string, and most digits, a conversion takes; more is ARX_OVER_LIMIT. */
#define ARX_RADIX_MAX_BYTES  800000u
#define ARX_RADIX_MAX_DIGITS (1u << 26)

/*
 * The digits of `bytes`: as few as hold the integer, none for zero. `*digits` is the caller's to
 * free (NULL for none).
 */
arx_result arx_radix_to_digits(uint32_t base, const uint8_t *bytes, size_t len, uint16_t **digits,
                               size_t *count) ARX_MUST_CHECK;

/*
 * The low `len` bytes of the integer that `count` digits (each below the base) make: higher bytes
 * are dropped, missing ones are zero. Work is bounded by the digits really there.
 */
arx_result arx_radix_to_bytes(uint32_t base, const uint16_t *digits, size_t count, uint8_t *bytes,
                              size_t len) ARX_MUST_CHECK;

/* A number of digits that `bytes` has at least; at most two below the true one. */
size_t arx_radix_least_digits(uint32_t base, const uint8_t *bytes, size_t len);

/*
 * The first `*count` of the `*total` digits of `bytes`, at a fraction of the cost of all of them.
 * Those given are exact. `*count` is about `wanted` or more, but 0 (and `*digits` NULL) where that
 * many are not worth it or cannot be told for certain: then take all of them. Caller frees.
 */
arx_result arx_radix_first_digits(uint32_t base, const uint8_t *bytes, size_t len, size_t wanted,
                                  uint16_t **digits, size_t *count, size_t *total) ARX_MUST_CHECK;

#endif
