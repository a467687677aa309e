/*
 * radix_reference.h - radix conversion as one learns it at school, and numbers to try it on.
 *
 * Quadratic and byte by byte: nothing in common with the code under test.
 */
#ifndef TEST_RADIX_REFERENCE_H
#define TEST_RADIX_REFERENCE_H

#include "vectors.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t radix_bases[] = {77, 1774, 61864};

/* Pseudo-random bytes, the same in every run. */
static inline void reference_random(uint8_t *bytes, size_t len, uint64_t seed) {
    uint64_t s = seed * 0x9E3779B97F4A7C15u + 1;
    for (size_t i = 0; i < len; i++) {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        bytes[i] = (uint8_t)(s >> 32);
    }
}

/* Digits of a byte string, most significant first. digits: room for 2 * len. */
static inline size_t reference_digits(uint32_t base, const uint8_t *bytes, size_t len,
                                      uint16_t *digits) {
    uint8_t *work = malloc(len + 1);
    assert_non_null(work);
    if (len > 0) {
        memcpy(work, bytes, len);
    }
    size_t count = 0;
    for (size_t start = 0;;) {
        while (start < len && work[start] == 0) {
            start++;
        }
        if (start == len) {
            break;
        }
        uint32_t rest = 0;
        for (size_t i = start; i < len; i++) {
            uint32_t value = rest << 8 | work[i];
            work[i] = (uint8_t)(value / base);
            rest = value % base;
        }
        digits[count++] = (uint16_t)rest;
    }
    for (size_t i = 0; i < count / 2; i++) {
        uint16_t swapped = digits[i];
        digits[i] = digits[count - 1 - i];
        digits[count - 1 - i] = swapped;
    }
    free(work);
    return count;
}

/* The low `len` bytes of what the digits make. */
static inline void reference_bytes(uint32_t base, const uint16_t *digits, size_t count,
                                   uint8_t *bytes, size_t len) {
    memset(bytes, 0, len);
    for (size_t d = 0; d < count; d++) {
        uint32_t carry = digits[d];
        for (size_t i = len; i-- > 0;) {
            carry += bytes[i] * base;
            bytes[i] = (uint8_t)carry;
            carry >>= 8;
        }
    }
}

/* Kinds of numbers, the last ones made to sit on the edges between digits, limbs and slots. */
enum { REFERENCE_KINDS = 6 };

static inline void reference_number(unsigned kind, uint32_t base, uint8_t *bytes, size_t len) {
    switch (kind) {
    case 0:
        reference_random(bytes, len, len + base);
        break;
    case 1:
        memset(bytes, 0xFF, len);
        break;
    case 2: /* a power of two */
        memset(bytes, 0, len);
        if (len > 0) {
            bytes[len / 5] = 0x10;
        }
        break;
    case 3: /* leading zeros */
        memset(bytes, 0, len);
        reference_random(bytes + len / 3, len - len / 3, len);
        break;
    default: { /* a power of the base, and one less */
        size_t count = len / 2;
        uint16_t *digits = calloc(count + 1, sizeof *digits);
        assert_non_null(digits);
        digits[0] = 1;
        if (kind == 5) {
            digits[0] = 0;
            for (size_t i = 1; i < count; i++) {
                digits[i] = (uint16_t)(base - 1);
            }
        }
        reference_bytes(base, digits, count, bytes, len);
        free(digits);
        break;
    }
    }
}

#endif
