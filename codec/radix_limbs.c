/* radix_limbs.c - see radix_limbs.h. */
#include "radix_limbs.h"

#include <string.h>

#include "radix.h"

/* Up to so many limbs the schoolbook product is the faster one; 12 to 32 hardly differ. */
#define SCHOOL 24u

static const packing packings[] = {
#if LIMB_BITS == 64
    {256, 6, 7, 524288},
    {ARX_RADIX_BASE76, 9, 8, 410700},
    {ARX_RADIX_BASE1K, 5, 5, 707316},
    {ARX_RADIX_BASEBMP, 3, 3, 1043124},
#else
    {256, 3, 3, 524288},
    {ARX_RADIX_BASE76, 4, 4, 410700},
    {ARX_RADIX_BASE1K, 2, 2, 707316},
    {ARX_RADIX_BASEBMP, 1, 1, 1043124},
#endif
};

const packing *arx_packing_of(uint32_t base) {
    const packing *p = packings;
    while (p->base != base) {
        p++;
    }
    return p;
}

limb arx_limb_power(uint32_t base, unsigned exponent) {
    limb power = 1;
    while (exponent-- > 0) {
        power *= (limb)base;
    }
    return power;
}

ring arx_ring_of(uint32_t base, unsigned digits) {
    const packing *p = arx_packing_of(base);
    ring r = {.digits = digits, .binary = base == 256};
    r.base = arx_limb_power(base, r.digits);
    r.log2 = r.digits * p->log2;
    while (r.bits < LIMB_BITS && (r.base - 1) >> r.bits != 0) {
        r.bits++;
    }
#if RECIPROCAL
    if (!r.binary) {
        r.reciprocal = (limb)(((wide)1 << (63 + r.bits)) / r.base);
    }
#endif
    return r;
}

bool arx_ring_holds(const ring *r, size_t n) {
    unsigned halvings = 0;
    for (size_t part = n; part > SCHOOL && part % 2 == 0; part /= 2) {
        halvings++;
    }
    if (r->base - 1 > (limb)-1 >> halvings) {
        return false;
    }
    /* One more than n leaves room for the carry and for what is added. */
    if ((wide)n + 1 > (wide)-1 / r->base / r->base) {
        return false;
    }
    /* The quotients of arx_limbs_settle() are below (n + 1) * R. */
    return r->binary || !RECIPROCAL || (wide)n + 1 < ((wide)1 << 63) / r->base;
}

/* Four rows at a time: three of the four columns they meet in stay in registers. */
static void multiply_school(wide *out, const limb *a, const limb *b, size_t n) {
    memset(out, 0, 2 * n * sizeof *out);
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        wide *at = out + i;
        wide c0 = at[0];
        wide c1 = at[1];
        wide c2 = at[2];
        for (size_t j = 0; j < n; j++) {
            wide c3 = at[j + 3];
            at[j] = c0 + (wide)a[i] * b[j];
            c0 = c1 + (wide)a[i + 1] * b[j];
            c1 = c2 + (wide)a[i + 2] * b[j];
            c2 = c3 + (wide)a[i + 3] * b[j];
        }
        at[n] = c0;
        at[n + 1] = c1;
        at[n + 2] = c2;
    }
    for (; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            out[i + j] += (wide)a[i] * b[j];
        }
    }
}

static void square_school(wide *out, const limb *a, size_t n) {
    for (size_t c = 0; c < 2 * n - 1; c++) {
        wide sum = 0;
        size_t i = c < n ? 0 : c - n + 1;
        size_t j = c - i;
        for (; i < j; i++, j--) {
            sum += (wide)a[i] * a[j];
        }
        sum += sum;
        if (i == j) {
            sum += (wide)a[i] * a[i];
        }
        out[c] = sum;
    }
    out[2 * n - 1] = 0;
}

void arx_limbs_multiply(wide *out, const limb *a, const limb *b, size_t n, wide *scratch) {
    if (n <= SCHOOL || n % 2 != 0) {
        if (a == b) {
            square_school(out, a, n);
        } else {
            multiply_school(out, a, b, n);
        }
        return;
    }
    size_t half = n / 2;
    wide *middle = scratch;
    limb *sum_a = (limb *)(scratch + n);
    limb *sum_b = a == b ? sum_a : sum_a + half;
    arx_limbs_multiply(out, a, b, half, scratch);
    arx_limbs_multiply(out + n, a + half, b + half, half, scratch);
    for (size_t i = 0; i < half; i++) {
        sum_a[i] = a[i] + a[half + i];
    }
    if (a != b) {
        for (size_t i = 0; i < half; i++) {
            sum_b[i] = b[i] + b[half + i];
        }
    }
    arx_limbs_multiply(middle, sum_a, sum_b, half, scratch + n + half);
    /* out is low | high; the middle's share goes between them, over both inner halves at once. */
    for (size_t i = 0; i < half; i++) {
        wide low = out[i];
        wide low_top = out[half + i];
        wide high = out[n + i];
        wide high_top = out[n + half + i];
        out[half + i] = low_top + middle[i] - low - high;
        out[n + i] = high + middle[half + i] - low_top - high_top;
    }
}

void arx_limbs_settle(const ring *r, limb *out, const wide *columns, size_t n, const limb *add,
                      size_t add_len) {
    wide carry = 0;
    for (size_t c = 0; c < n; c++) {
        wide value = columns[c] + carry;
        if (c < add_len) {
            value += add[c];
        }
        if (r->binary) {
            out[c] = (limb)value & (r->base - 1);
            carry = value >> r->bits;
            continue;
        }
#if RECIPROCAL
        /* The quotient below 2^64 is at most 2 too small: both factors were rounded down. */
        limb quotient = (limb)(((wide)(limb)(value >> (r->bits - 1)) * r->reciprocal) >> 64);
        limb rest = (limb)value - quotient * r->base;
        for (int i = 0; i < 2; i++) {
            limb over = (limb)(rest >= r->base);
            rest -= r->base & (0 - over);
            quotient += over;
        }
        carry = quotient;
        out[c] = rest;
#else
        carry = value / r->base;
        out[c] = (limb)(value - carry * r->base);
#endif
    }
}
