/*
 * radix.c - see radix.h.
 *
 * Converting from source limbs in base S means evaluating a polynomial in S by arithmetic in a ring
 * of the target base (radix_limbs.h), so no long division is needed in either direction:
 *
 *   leaves     up to LEAF source limbs at a time, as products with a table of S^0 .. S^(LEAF-1)
 *   levels     neighbours are joined as high * S^(their source limbs) + low; each level squares the
 *              power of the one before. All slots of a level have one size, so every product is
 *              n by n limbs and halves evenly down to a leaf
 */
#include "radix.h"

#include <stdlib.h>
#include <string.h>

#include "radix_limbs.h"

/* Source limbs in a leaf, and ring limbs they fill (at most 36: 24-bit slices in base 1774). */
#define LEAF      16u
#define LEAF_SLOT 40u

typedef struct conversion {
    ring to;
    unsigned leaf;   /* source limbs in a leaf */
    unsigned levels; /* 2^levels leaves */
    limb *source;    /* leaf << levels limbs, zeroed: filled before conversion_run() */
    limb *value;     /* afterwards: `slot` limbs */
    limb *spare;
    limb *power; /* S to the number of source limbs in a slot */
    limb *power_spare;
    wide *columns;
    wide *scratch;
    size_t slot;
    size_t slot_of_leaf;
    void *memory;
    limb table[LEAF + 1][LEAF_SLOT]; /* S^i */
    size_t table_len[LEAF + 1];
} conversion;

/* S^0 .. S^leaf, each with its length. */
static void conversion_table(conversion *c, limb source_base) {
    c->table[0][0] = 1;
    c->table_len[0] = 1;
    for (unsigned i = 1; i <= c->leaf; i++) {
        wide columns[LEAF_SLOT] = {0};
        size_t len = c->table_len[i - 1];
        for (size_t k = 0; k < len; k++) {
            columns[k] = (wide)c->table[i - 1][k] * source_base;
        }
        len = len + 3 < LEAF_SLOT ? len + 3 : LEAF_SLOT; /* one source limb fills at most three */
        arx_limbs_settle(&c->to, c->table[i], columns, len, NULL, 0);
        while (c->table[i][len - 1] == 0) {
            len--;
        }
        c->table_len[i] = len;
    }
}

/* Splits n > 0 source limbs evenly into leaves. */
static void conversion_shape(conversion *c, size_t n) {
    c->levels = 0;
    while ((n - 1) >> c->levels >= LEAF) {
        c->levels++;
    }
    c->leaf = (unsigned)(((n - 1) >> c->levels) + 1);
}

/*
 * Prepares for leaf << levels source limbs below `source_base`, to become digits of `base`.
 * Products go up to slots of all source limbs with `square_all`, else of half of them.
 */
static arx_result conversion_begin(conversion *c, uint32_t base, limb source_base,
                                   bool square_all) {
    size_t sources = (size_t)c->leaf << c->levels;
    size_t values;
    size_t widest;
    unsigned digits = arx_packing_of(base)->most;
    for (;;) {
        c->to = arx_ring_of(base, digits);
        conversion_table(c, source_base);
        c->slot_of_leaf = c->table_len[c->leaf];
        values = c->slot_of_leaf << c->levels;
        widest = square_all ? values : values / 2;
        if (digits == 1 || arx_ring_holds(&c->to, widest)) {
            break;
        }
        digits--;
    }
    widest = widest < LEAF_SLOT ? LEAF_SLOT : widest;
    size_t wides = 5 * widest;
    size_t limbs = sources + 2 * values + 4 * widest;
    wide *memory = malloc(wides * sizeof(wide) + limbs * sizeof(limb));
    if (memory == NULL) {
        return ARX_NO_MEMORY;
    }
    c->memory = memory;
    c->columns = memory;
    c->scratch = c->columns + 2 * widest;
    c->value = (limb *)(memory + wides);
    c->spare = c->value + values;
    c->power = c->spare + values;
    c->power_spare = c->power + 2 * widest;
    c->source = c->power_spare + 2 * widest;
    memset(c->source, 0, sources * sizeof(limb));
    return ARX_OK;
}

static void swap(limb **a, limb **b) {
    limb *t = *a;
    *a = *b;
    *b = t;
}

static void conversion_leaf(const conversion *c, const limb *source, limb *out) {
    wide columns[LEAF_SLOT] = {0};
    for (size_t i = 0; i < c->leaf; i++) {
        for (size_t k = 0; k < c->table_len[i]; k++) {
            columns[k] += (wide)c->table[i][k] * source[i];
        }
    }
    arx_limbs_settle(&c->to, out, columns, c->slot_of_leaf, NULL, 0);
}

static void conversion_square_power(conversion *c) {
    arx_limbs_multiply(c->columns, c->power, c->power, c->slot, c->scratch);
    arx_limbs_settle(&c->to, c->power_spare, c->columns, 2 * c->slot, NULL, 0);
    swap(&c->power, &c->power_spare);
}

/*
 * From c->source to c->value, modulo R^enough or a higher power of R: levels end when a slot has
 * `enough` limbs, and what is above is folded in from the top. want_power: leave the power of all
 * source limbs behind (enough must not cut the levels short then).
 */
static void conversion_run(conversion *c, size_t enough, bool want_power) {
    size_t blocks = (size_t)1 << c->levels;
    c->slot = c->slot_of_leaf;
    memset(c->power, 0, c->slot * sizeof(limb));
    memcpy(c->power, c->table[c->leaf], c->table_len[c->leaf] * sizeof(limb));
    for (size_t j = 0; j < blocks; j++) {
        conversion_leaf(c, c->source + j * c->leaf, c->value + j * c->slot);
    }
    while (blocks > 1 && c->slot < enough) {
        for (size_t j = 0; j < blocks; j += 2) {
            const limb *low = c->value + j * c->slot;
            arx_limbs_multiply(c->columns, low + c->slot, c->power, c->slot, c->scratch);
            arx_limbs_settle(&c->to, c->spare + j * c->slot, c->columns, 2 * c->slot, low, c->slot);
        }
        swap(&c->value, &c->spare);
        blocks /= 2;
        if (blocks > 1 || want_power) {
            conversion_square_power(c);
        }
        c->slot *= 2;
    }
    limb *above = c->value + (blocks - 1) * c->slot;
    while (blocks-- > 1) {
        arx_limbs_multiply(c->columns, above, c->power, c->slot, c->scratch);
        arx_limbs_settle(&c->to, c->spare, c->columns, c->slot, c->value + (blocks - 1) * c->slot,
                         c->slot);
        above = c->spare;
    }
    c->value = above;
}

/* ---- bytes in, digits out ---- */

static void strip_zeros(const uint8_t **bytes, size_t *len) {
    while (*len > 0 && **bytes == 0) {
        (*bytes)++;
        (*len)--;
    }
}

/* Bits of an integer whose first byte is not zero. */
static size_t bit_length(const uint8_t *bytes, size_t len) {
    size_t bits = 8 * len;
    for (uint8_t top = bytes[0]; top < 0x80; top = (uint8_t)(top << 1)) {
        bits--;
    }
    return bits;
}

/* Fills c->source with the bits from `from` up (0 is the lowest), `width` to a limb. */
static void load_bits(conversion *c, const uint8_t *bytes, size_t len, size_t from,
                      unsigned width) {
    size_t sources = (size_t)c->leaf << c->levels;
    for (size_t i = 0; i < sources && from < 8 * len; i++, from += width) {
        size_t low = from / 8; /* counted from the end */
        size_t high = (from + width + 7) / 8;
        uint64_t window = 0;
        for (size_t k = high < len ? high : len; k > low; k--) {
            window = window << 8 | bytes[len - k];
        }
        window >>= from % 8;
        c->source[i] = (limb)(window & (((uint64_t)1 << width) - 1));
    }
}

static inline void split_by(limb value, uint16_t *out, unsigned count, uint32_t base) {
    while (count-- > 0) {
        out[count] = (uint16_t)(value % base);
        value /= base;
    }
}

/* The digits of one limb; the bases are spelt out so that each divides by a constant. */
static void split_limb(uint32_t base, limb value, uint16_t *out, unsigned count) {
    if (base == ARX_RADIX_BASE76) {
        split_by(value, out, count, ARX_RADIX_BASE76);
    } else if (base == ARX_RADIX_BASE1K) {
        split_by(value, out, count, ARX_RADIX_BASE1K);
    } else {
        split_by(value, out, count, ARX_RADIX_BASEBMP);
    }
}

/*
 * Digits of the limbs value[end-1] down to value[start], without leading zeros; `*count` is below
 * (end - start) * digits of a limb by the zeros cut off the first. NULL without memory.
 */
static uint16_t *unload_digits(const ring *r, uint32_t base, const limb *value, size_t start,
                               size_t end, size_t *count) {
    uint16_t first[16];
    unsigned zeros = 0;
    split_limb(base, value[end - 1], first, r->digits);
    while (first[zeros] == 0) {
        zeros++;
    }
    uint16_t *digits = malloc((end - start) * r->digits * sizeof *digits);
    if (digits == NULL) {
        return NULL;
    }
    unsigned rest = r->digits - zeros;
    memcpy(digits, first + zeros, rest * sizeof *digits);
    uint16_t *at = digits + rest;
    for (size_t i = end - 1; i-- > start;) {
        split_limb(base, value[i], at, r->digits);
        at += r->digits;
    }
    *count = (size_t)(at - digits);
    return digits;
}

arx_result arx_radix_to_digits(uint32_t base, const uint8_t *bytes, size_t len, uint16_t **digits,
                               size_t *count) {
    *digits = NULL;
    *count = 0;
    strip_zeros(&bytes, &len);
    if (len > ARX_RADIX_MAX_BYTES) {
        return ARX_OVER_LIMIT;
    }
    if (len == 0) {
        return ARX_OK;
    }
    conversion c;
    conversion_shape(&c, (8 * len + SLICE_BITS - 1) / SLICE_BITS);
    arx_result result = conversion_begin(&c, base, (limb)((uint64_t)1 << SLICE_BITS), false);
    if (result != ARX_OK) {
        return result;
    }
    load_bits(&c, bytes, len, 0, SLICE_BITS);
    conversion_run(&c, SIZE_MAX, false);
    size_t end = c.slot;
    while (c.value[end - 1] == 0) {
        end--;
    }
    *digits = unload_digits(&c.to, base, c.value, 0, end, count);
    free(c.memory);
    return *digits == NULL ? ARX_NO_MEMORY : ARX_OK;
}

size_t arx_radix_least_digits(uint32_t base, const uint8_t *bytes, size_t len) {
    strip_zeros(&bytes, &len);
    if (len == 0) {
        return 0;
    }
    /* The integer is at least 2^(bits - 1). The divisor is the logarithm rounded up. */
    uint64_t bits = bit_length(bytes, len);
    return (size_t)(((bits - 1) << 16) / (arx_packing_of(base)->log2 + 1u)) + 1;
}

/* ---- the first digits ---- */

/*
 * How the first digits are had: N is cut into its top part H and the Q * times * width bits below
 * (Q source limbs of `width` bits fit H). H is converted exactly, which also gives S^Q; squaring
 * that, cut to its top limbs each time, gives (S^Q)^times to the same relative precision; and the
 * product of the two starts with N's digits.
 */
typedef struct first_plan {
    unsigned squarings; /* times == 2^squarings */
    unsigned width;
    size_t below; /* bits not in H */
} first_plan;

#define FIRST_MOST_SQUARINGS 6

/* The cheapest plan whose H holds `wanted_bits`; also shapes `c`. False: there is none. */
static bool first_plan_make(conversion *c, first_plan *plan, size_t bits, size_t wanted_bits) {
    for (unsigned squarings = FIRST_MOST_SQUARINGS + 1; squarings-- > 0;) {
        size_t parts = ((size_t)1 << squarings) + 1;
        conversion_shape(c, bits / (parts * SLICE_BITS) + 1);
        size_t sources = (size_t)c->leaf << c->levels;
        size_t width = (bits - 1) / (sources * parts) + 1;
        size_t below = sources * (parts - 1) * width;
        if (below < bits && bits - below >= wanted_bits) {
            *plan = (first_plan){squarings, (unsigned)width, below};
            return true;
        }
    }
    return false;
}

/* Squares c->power, keeping its top c->slot limbs; returns how many below them were dropped. */
static size_t first_square(conversion *c) {
    size_t n = c->slot;
    conversion_square_power(c);
    size_t end = 2 * n;
    while (c->power[end - 1] == 0) {
        end--;
    }
    size_t dropped = end > n ? end - n : 0;
    memmove(c->power, c->power + dropped, n * sizeof(limb));
    return dropped;
}

arx_result arx_radix_first_digits(uint32_t base, const uint8_t *bytes, size_t len, size_t wanted,
                                  uint16_t **digits, size_t *count, size_t *total) {
    *digits = NULL;
    *count = 0;
    *total = 0;
    strip_zeros(&bytes, &len);
    if (len > ARX_RADIX_MAX_BYTES) {
        return ARX_OVER_LIMIT;
    }
    /* Below, the power and the product would cost what they save. */
    if (len < 512 || wanted > 8 * len) {
        return ARX_OK;
    }
    conversion c;
    first_plan plan;
    size_t bits = bit_length(bytes, len);
    /* Four limbs go to rounding, as shown below. */
    size_t wanted_bits =
        (size_t)((wanted * (uint64_t)arx_packing_of(base)->log2) >> 16) + 4 * LIMB_BITS;
    if (!first_plan_make(&c, &plan, bits, wanted_bits)) {
        return ARX_OK;
    }
    arx_result result = conversion_begin(&c, base, (limb)((uint64_t)1 << plan.width), true);
    if (result != ARX_OK) {
        return result;
    }
    const ring to = c.to;
    load_bits(&c, bytes, len, plan.below, plan.width);
    conversion_run(&c, SIZE_MAX, true);
    size_t n = c.slot;
    size_t exponent = 0; /* N is about (the product) * R^exponent */
    for (unsigned i = 0; i < plan.squarings; i++) {
        exponent = 2 * exponent + first_square(&c);
    }
    arx_limbs_multiply(c.columns, c.value, c.power, n, c.scratch);
    limb *product = c.power_spare;
    arx_limbs_settle(&to, product, c.columns, 2 * n, NULL, 0);
    size_t end = 2 * n;
    while (product[end - 1] == 0) {
        end--;
    }
    /*
     * N lies above the product by a relative error of at most 2^-safe: cutting N to H is an error
     * below 2^-(bits of H - 1); a cut to n limbs is one below R^-(n-1), and doubles with every
     * squaring after it; two more bits hold both and what their products add. With R^exact <=
     * 2^safe that is less than R^start, so at most a carry of 1 is missing in limb `start`; unless
     * that limb is R-1 the carry ends there, and the limbs above it are N's.
     */
    size_t of_high = bits - plan.below - 1;
    size_t of_cuts = (size_t)(((uint64_t)(n - 1) * to.log2) >> 16) - plan.squarings;
    size_t safe = (of_high < of_cuts ? of_high : of_cuts) - 2;
    size_t exact = (size_t)(((uint64_t)safe << 16) / (to.log2 + to.digits));
    if (exact > end) {
        exact = end;
    }
    size_t start = end - exact;
    if (exact > 1 && product[start] != to.base - 1) {
        *digits = unload_digits(&to, base, product, start + 1, end, count);
        result = *digits == NULL ? ARX_NO_MEMORY : ARX_OK;
        *total = *count + (start + 1 + exponent) * to.digits;
    }
    free(c.memory);
    return result;
}

/* ---- digits in, bytes out ---- */

static void load_digits(conversion *c, uint32_t base, const uint16_t *digits, size_t count,
                        unsigned each) {
    for (size_t i = 0; count > 0; i++) {
        size_t take = count < each ? count : each;
        limb value = 0;
        for (size_t k = count - take; k < count; k++) {
            value = value * (limb)base + digits[k];
        }
        c->source[i] = value;
        count -= take;
    }
}

static void unload_bytes(const conversion *c, uint8_t *bytes, size_t len) {
    size_t at = len;
    for (size_t i = 0; i < c->slot; i++) {
        limb value = c->value[i];
        for (unsigned k = 0; k < c->to.digits; k++) {
            if (at == 0) {
                return;
            }
            bytes[--at] = (uint8_t)value;
            value >>= 8;
        }
    }
    memset(bytes, 0, at);
}

arx_result arx_radix_to_bytes(uint32_t base, const uint16_t *digits, size_t count, uint8_t *bytes,
                              size_t len) {
    if (len > ARX_RADIX_MAX_BYTES || count > ARX_RADIX_MAX_DIGITS) {
        return ARX_OVER_LIMIT;
    }
    while (count > 0 && *digits == 0) {
        digits++;
        count--;
    }
    if (count == 0 || len == 0) {
        memset(bytes, 0, len);
        return ARX_OK;
    }
    const packing *p = arx_packing_of(base);
    conversion c;
    conversion_shape(&c, (count + p->source - 1) / p->source);
    arx_result result = conversion_begin(&c, 256, arx_limb_power(base, p->source), false);
    if (result != ARX_OK) {
        return result;
    }
    load_digits(&c, base, digits, count, p->source);
    conversion_run(&c, (len + c.to.digits - 1) / c.to.digits, false);
    unload_bytes(&c, bytes, len);
    free(c.memory);
    return ARX_OK;
}
