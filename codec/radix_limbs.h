/*
 * radix_limbs.h - the arithmetic below radix.c: numbers as limbs in a base of their own.
 *
 * A number is an array of limbs, least significant first, in a "ring": base R, a power of the base
 * its digits are wanted in (77^8, 256^7, ...). R is deliberately smaller than the machine word. The
 * sums of halves in Karatsuba's method need no carries then, and a column of a product (the sum of
 * all a[i] * b[c-i]) fits a double word: a product is left as columns, and arx_limbs_settle() turns
 * columns into limbs once.
 *
 * How far that goes is arx_ring_holds(): a product of n limbs with K halvings needs R * 2^K to fit
 * a limb and n * R^2 to fit a wide.
 */
#ifndef ARX_RADIX_LIMBS_H
#define ARX_RADIX_LIMBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__SIZEOF_INT128__) && !defined(__wasm__) && !defined(ARX_RADIX_NARROW)
typedef uint64_t limb;
__extension__ typedef unsigned __int128 wide;
#define RECIPROCAL 1
#define LIMB_BITS  64u
#define SLICE_BITS 48u /* of the byte string in one source limb, at most */
#else
typedef uint32_t limb;
typedef uint64_t wide;
#define RECIPROCAL 0
#define LIMB_BITS  32u
#define SLICE_BITS 24u
#endif

/* What is known of a base: 256 or one of ARX_RADIX_BASE*. */
typedef struct packing {
    uint32_t base;
    unsigned source; /* digits in a source limb */
    unsigned most;   /* digits in a limb of a ring, at most */
    uint32_t log2;   /* of the base, in 1/65536, rounded down */
} packing;

const packing *arx_packing_of(uint32_t base);

typedef struct ring {
    limb base;       /* R */
    unsigned bits;   /* R < 2^bits, or R == 2^bits for bytes */
    unsigned digits; /* digits in a limb */
    bool binary;     /* digits are bytes */
    limb reciprocal; /* floor(2^(63 + bits) / R) */
    uint32_t log2;   /* of R, in 1/65536, rounded down */
} ring;

limb arx_limb_power(uint32_t base, unsigned exponent);

/* The ring with so many digits of `base` in a limb. */
ring arx_ring_of(uint32_t base, unsigned digits);

/* True when products of n limbs are exact. A ring of one digit in a limb holds any that fits
 * memory. */
bool arx_ring_holds(const ring *r, size_t n);

/*
 * 2n columns of a * b (n > 0 limbs each; a == b squares). scratch: 3n wides. Recursion halves n, so
 * it is as deep as n has bits.
 */
void arx_limbs_multiply(wide *out, const limb *a, const limb *b, size_t n, wide *scratch);

/*
 * n columns, plus the number `add` of `add_len` limbs, become n limbs. What would go beyond them is
 * dropped.
 */
void arx_limbs_settle(const ring *r, limb *out, const wide *columns, size_t n, const limb *add,
                      size_t add_len);

#endif
