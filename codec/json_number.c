/*
 * json_number.c - doubles as ECMAScript reads and writes them.
 *
 * Both directions have a fast path for everyday numbers, in which every floating-point operation
 * is exact or correctly rounded, and an exact path in whole numbers of any length for the rest.
 * No libc function is used: theirs obey the locale.
 */
#include "json_internal.h"

#include <assert.h>
#include <float.h>
#include <string.h>

#if FLT_EVAL_METHOD != 0
#error "double arithmetic must round to double"
#endif

/* Powers of ten that a double holds exactly. */
static const double exact_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
#define EXACT_TEN_MAX 22

#define TWO_53 9007199254740992u

/* ---- whole numbers of up to LIMBS * 32 bits, least significant limb first ---- */

/*
 * The largest is the denominator of a number of KEPT_DIGITS digits near the smallest double,
 * 5^1130 or 2,625 bits, and a numerator lined up with it.
 */
#define LIMBS       96
#define KEPT_DIGITS 800

typedef struct big {
    unsigned count; /* limbs in use; the highest is not 0 */
    uint32_t limb[LIMBS];
} big;

static void big_set(big *b, uint64_t value) {
    b->count = 0;
    while (value != 0) {
        b->limb[b->count++] = (uint32_t)value;
        value >>= 32;
    }
}

/* b = b * factor + add */
static void big_muladd(big *b, uint32_t factor, uint32_t add) {
    uint64_t carry = add;
    for (unsigned i = 0; i < b->count; i++) {
        carry += (uint64_t)b->limb[i] * factor;
        b->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0) {
        assert(b->count < LIMBS);
        b->limb[b->count++] = (uint32_t)carry;
    }
}

static void big_mul_pow5(big *b, unsigned exponent) {
    for (; exponent >= 13; exponent -= 13) {
        big_muladd(b, 1220703125u, 0); /* 5^13 */
    }
    while (exponent-- > 0) {
        big_muladd(b, 5, 0);
    }
}

static void big_shl(big *b, unsigned bits) {
    if (b->count == 0 || bits == 0) {
        return;
    }
    unsigned limbs = bits / 32;
    bits %= 32;
    assert(b->count + limbs < LIMBS);
    if (bits != 0) {
        uint32_t carry = 0;
        for (unsigned i = 0; i < b->count; i++) {
            uint32_t limb = b->limb[i];
            b->limb[i] = limb << bits | carry;
            carry = limb >> (32 - bits);
        }
        if (carry != 0) {
            b->limb[b->count++] = carry;
        }
    }
    if (limbs != 0) {
        memmove(b->limb + limbs, b->limb, b->count * sizeof b->limb[0]);
        memset(b->limb, 0, limbs * sizeof b->limb[0]);
        b->count += limbs;
    }
}

static unsigned big_bits(const big *b) {
    if (b->count == 0) {
        return 0;
    }
    unsigned bits = (b->count - 1) * 32;
    for (uint32_t top = b->limb[b->count - 1]; top != 0; top >>= 1) {
        bits++;
    }
    return bits;
}

static int big_compare(const big *a, const big *b) {
    if (a->count != b->count) {
        return a->count < b->count ? -1 : 1;
    }
    for (unsigned i = a->count; i-- > 0;) {
        if (a->limb[i] != b->limb[i]) {
            return a->limb[i] < b->limb[i] ? -1 : 1;
        }
    }
    return 0;
}

/* a -= b, where a >= b */
static void big_sub(big *a, const big *b) {
    uint64_t borrow = 0;
    for (unsigned i = 0; i < a->count; i++) {
        uint64_t take = borrow + (i < b->count ? b->limb[i] : 0);
        borrow = a->limb[i] < take;
        a->limb[i] = (uint32_t)(a->limb[i] - take);
    }
    while (a->count != 0 && a->limb[a->count - 1] == 0) {
        a->count--;
    }
}

/* Compares a + b with c. */
static int big_compare_sum(const big *a, const big *b, const big *c) {
    const big *longer = a->count >= b->count ? a : b;
    const big *shorter = longer == a ? b : a;
    big sum;
    uint64_t carry = 0;
    for (unsigned i = 0; i < longer->count; i++) {
        carry += (uint64_t)longer->limb[i] + (i < shorter->count ? shorter->limb[i] : 0);
        sum.limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    sum.count = longer->count;
    if (carry != 0) {
        assert(sum.count < LIMBS);
        sum.limb[sum.count++] = (uint32_t)carry;
    }
    return big_compare(&sum, c);
}

/* ---- reading ---- */

static double from_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#define INFINITY_BITS 0x7FF0000000000000u

/* numerator * 10^exponent as the nearest double, ties to even. */
static double nearest_double(big *numerator, int exponent) {
    big denominator;
    big_set(&denominator, 1);
    if (exponent >= 0) {
        big_mul_pow5(numerator, (unsigned)exponent);
    } else {
        big_mul_pow5(&denominator, (unsigned)-exponent);
    }
    /* The value is numerator / denominator * 2^power. Bring the quotient into [1, 2). */
    int power = exponent;
    unsigned top = big_bits(numerator);
    unsigned bottom = big_bits(&denominator);
    if (top < bottom) {
        big_shl(numerator, bottom - top);
    } else {
        big_shl(&denominator, top - bottom);
    }
    power += (int)top - (int)bottom;
    if (big_compare(numerator, &denominator) < 0) {
        big_shl(numerator, 1);
        power--;
    }
    if (power > 1023) {
        return from_bits(INFINITY_BITS);
    }
    int precision = power >= -1022 ? 53 : 53 + power + 1022;
    if (precision < 0) {
        return 0.0;
    }
    uint64_t mantissa = 0;
    for (int i = 0; i < precision; i++) {
        mantissa <<= 1;
        if (big_compare(numerator, &denominator) >= 0) {
            big_sub(numerator, &denominator);
            mantissa |= 1;
        }
        big_shl(numerator, 1);
    }
    int half = big_compare(numerator, &denominator);
    uint64_t bits = mantissa;
    if (precision == 53) {
        bits += (uint64_t)(power + 1022) << 52; /* the leading bit adds the missing 1 */
    }
    if (half > 0 || (half == 0 && (mantissa & 1) != 0)) {
        bits++; /* may carry into the exponent, up to Infinity: as it should */
    }
    return from_bits(bits);
}

double arx_json_number_value(const uint8_t *text, size_t len) {
    size_t pos = 0;
    bool negative = text[0] == '-';
    if (negative) {
        pos++;
    }
    /*
     * Digits without leading zeros and without point; `exponent` says where the point belongs.
     * Past KEPT_DIGITS a digit only matters by not being zero: no double and no midpoint between
     * two has more than 767.
     */
    big digits;
    big_set(&digits, 0);
    uint64_t small = 0;
    uint32_t group = 0;
    uint32_t group_ten = 1;
    size_t kept = 0;
    int64_t exponent = 0;
    bool fraction = false;
    bool sticky = false;
    for (; pos < len; pos++) {
        uint8_t c = text[pos];
        if (c == '.') {
            fraction = true;
            continue;
        }
        if (c < '0' || c > '9') {
            break;
        }
        uint32_t digit = (uint32_t)(c - '0');
        exponent -= fraction;
        if (kept == 0 && digit == 0) {
            continue;
        }
        if (kept == KEPT_DIGITS) {
            sticky |= digit != 0;
            exponent++;
            continue;
        }
        kept++;
        if (kept <= 19) {
            small = small * 10 + digit;
        }
        group = group * 10 + digit;
        group_ten *= 10;
        if (group_ten == 1000000000u) {
            big_muladd(&digits, group_ten, group);
            group = 0;
            group_ten = 1;
        }
    }
    if (pos < len) {
        pos++; /* e or E */
        bool below = text[pos] == '-';
        if (below || text[pos] == '+') {
            pos++;
        }
        int64_t stated = 0;
        for (; pos < len; pos++) {
            if (stated < INT64_MAX / 100) {
                stated = stated * 10 + (text[pos] - '0');
            }
        }
        exponent += below ? -stated : stated;
    }

    double value;
    int64_t magnitude = exponent + (int64_t)kept; /* the value is below 10^magnitude */
    if (kept == 0 || magnitude < -325) {
        value = 0.0;
    } else if (magnitude > 310) {
        value = from_bits(INFINITY_BITS);
    } else if (kept <= 19 && small <= TWO_53 && exponent >= -EXACT_TEN_MAX &&
               exponent <= EXACT_TEN_MAX) {
        value = exponent < 0 ? (double)small / exact_ten[-exponent]
                             : (double)small * exact_ten[exponent];
    } else {
        big_muladd(&digits, group_ten, group);
        if (sticky) {
            big_muladd(&digits, 10, 1);
            exponent--;
        }
        value = nearest_double(&digits, (int)exponent);
    }
    return negative ? -value : value;
}

/* ---- writing ---- */

/* Digits of the shortest decimal that reads back as the value: 0.d1d2d3... * 10^point. */
typedef struct decimal {
    char digit[20];
    int count;
    int point;
} decimal;

static void decimal_from_u64(decimal *d, uint64_t value) {
    char reversed[20];
    int count = 0;
    do {
        reversed[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    d->count = count;
    d->point = count;
    for (int i = 0; i < count; i++) {
        d->digit[i] = reversed[count - 1 - i];
    }
}

/*
 * Numbers of at most 15 digits, none or few of them behind the point. A decimal of that length is
 * the only one of its length near its double, so the first that divides back exactly is the answer.
 */
static bool decimal_everyday(decimal *d, double value) {
    if (value < (double)TWO_53 && value == (double)(uint64_t)value) {
        decimal_from_u64(d, (uint64_t)value);
    } else {
        int places = 1;
        double scaled = value * 10;
        while (scaled < 1e15 && places <= EXACT_TEN_MAX) {
            uint64_t whole = (uint64_t)(scaled + 0.5);
            if ((double)whole / exact_ten[places] == value) {
                decimal_from_u64(d, whole);
                d->point -= places;
                return true;
            }
            places++;
            if (places <= EXACT_TEN_MAX) {
                scaled = value * exact_ten[places];
            }
        }
        return false;
    }
    while (d->count > 1 && d->digit[d->count - 1] == '0') {
        d->count--;
    }
    return true;
}

/*
 * The exact way (Steele and White, Dybvig): value = r / s; every decimal nearer than `down` / s
 * below and `up` / s above reads back as the value. Digits are taken until one is near enough.
 */
static void decimal_shortest(decimal *d, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t mantissa = bits & 0xFFFFFFFFFFFFFu;
    int power = (int)(bits >> 52 & 0x7FF);
    bool closer_below = mantissa == 0 && power > 1; /* the gap to the next lower double is half */
    if (power != 0) {
        mantissa |= 0x10000000000000u;
    } else {
        power = 1;
    }
    power -= 1075;
    bool even = (mantissa & 1) == 0; /* a tie would be read as an even mantissa */

    big r, s, up, down;
    unsigned extra = closer_below ? 2 : 1;
    big_set(&r, mantissa);
    big_set(&s, 1);
    big_set(&up, closer_below ? 2 : 1);
    big_set(&down, 1);
    int magnitude = power + (int)big_bits(&r) - 1; /* floor(log2(value)) */
    if (power >= 0) {
        big_shl(&r, (unsigned)power + extra);
        big_shl(&s, extra);
        big_shl(&up, (unsigned)power);
        big_shl(&down, (unsigned)power);
    } else {
        big_shl(&r, extra);
        big_shl(&s, (unsigned)-power + extra);
    }

    /* Start at or below the right power of ten, then go up to it. */
    int point = magnitude * 30103 / 100000 - 2;
    if (point >= 0) {
        big_mul_pow5(&s, (unsigned)point);
        big_shl(&s, (unsigned)point);
    } else {
        unsigned tens = (unsigned)-point;
        big_mul_pow5(&r, tens);
        big_shl(&r, tens);
        big_mul_pow5(&up, tens);
        big_shl(&up, tens);
        big_mul_pow5(&down, tens);
        big_shl(&down, tens);
    }
    for (;;) {
        int reach = big_compare_sum(&r, &up, &s);
        if (reach < 0 || (reach == 0 && !even)) {
            break;
        }
        big_muladd(&s, 10, 0);
        point++;
    }

    d->point = point;
    d->count = 0;
    for (;;) {
        big_muladd(&r, 10, 0);
        big_muladd(&up, 10, 0);
        big_muladd(&down, 10, 0);
        int digit = 0;
        while (big_compare(&r, &s) >= 0) {
            big_sub(&r, &s);
            digit++;
        }
        int below = big_compare(&r, &down);
        int above = big_compare_sum(&r, &up, &s);
        bool low = below < 0 || (below == 0 && even);
        bool high = above > 0 || (above == 0 && even);
        if (low && high) {
            int half = big_compare_sum(&r, &r, &s);
            digit += half > 0 || (half == 0 && digit % 2 != 0);
        } else if (high) {
            digit++;
        }
        d->digit[d->count++] = (char)('0' + digit);
        if (low || high) {
            return;
        }
    }
}

static void append_zeros(arx_buf *out, int count) {
    while (count-- > 0) {
        arx_buf_append_byte(out, '0');
    }
}

void arx_json_write_number(double number, arx_buf *out) {
    if (!(number >= -DBL_MAX && number <= DBL_MAX)) {
        arx_buf_append(out, "null", 4);
        return;
    }
    if (number == 0) {
        arx_buf_append_byte(out, '0'); /* -0 too */
        return;
    }
    if (number < 0) {
        arx_buf_append_byte(out, '-');
        number = -number;
    }
    decimal d;
    if (!decimal_everyday(&d, number)) {
        decimal_shortest(&d, number);
    }

    /* Number::toString of ECMAScript, radix 10. */
    if (d.count <= d.point && d.point <= 21) {
        arx_buf_append(out, d.digit, (size_t)d.count);
        append_zeros(out, d.point - d.count);
    } else if (0 < d.point && d.point <= 21) {
        arx_buf_append(out, d.digit, (size_t)d.point);
        arx_buf_append_byte(out, '.');
        arx_buf_append(out, d.digit + d.point, (size_t)(d.count - d.point));
    } else if (-6 < d.point && d.point <= 0) {
        arx_buf_append(out, "0.", 2);
        append_zeros(out, -d.point);
        arx_buf_append(out, d.digit, (size_t)d.count);
    } else {
        int exponent = d.point - 1;
        arx_buf_append_byte(out, (uint8_t)d.digit[0]);
        if (d.count > 1) {
            arx_buf_append_byte(out, '.');
            arx_buf_append(out, d.digit + 1, (size_t)(d.count - 1));
        }
        arx_buf_append(out, exponent < 0 ? "e-" : "e+", 2);
        arx_buf_append_u64(out, (uint64_t)(exponent < 0 ? -exponent : exponent));
    }
}
