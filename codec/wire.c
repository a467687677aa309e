/* wire.c - see wire.h. */
#include "wire.h"

#include <stdlib.h>
#include <string.h>

#include "radix.h"
#include "text.h"
#include "wire_alphabet.h"

#define BASEBMP_MARKER       0xFFF0u
#define BASEBMP_MARKER_BYTES 3u
#define BASE64URL_MARKER     "B."
#define BASE64URL_MARKER_LEN 2u

/* Above this base76 writes its length in the extended form: "=", number of digits, digits. */
#define BASE76_SHORT_MAX 5928u
#define BASE76_EXTENDED  '='

static const char *const names[ARX_WIRE_COUNT] = {"base76", "base1k", "baseBMP", "base64url"};

/* 0 for the wire that is no radix conversion. */
static const uint32_t bases[ARX_WIRE_COUNT] = {ARX_RADIX_BASE76, ARX_RADIX_BASE1K,
                                               ARX_RADIX_BASEBMP, 0};

const char *arx_wire_name(arx_wire wire) {
    return names[wire];
}

bool arx_wire_from_name(const char *name, arx_wire *wire) {
    for (unsigned i = 0; i < ARX_WIRE_COUNT; i++) {
        if (strcmp(name, names[i]) == 0) {
            *wire = (arx_wire)i;
            return true;
        }
    }
    return false;
}

/* ---- encoding ---- */

/* Digits become code points in place, then UTF-8 at the end of `out`. */
static void write_digits(uint32_t base, uint16_t *digits, size_t count, arx_buf *out) {
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        digits[i] = (uint16_t)arx_alphabet_symbol(base, digits[i]);
        bytes += digits[i] < 0x80 ? 1 : digits[i] < 0x800 ? 2 : 3;
    }
    uint8_t *at = arx_buf_extend(out, bytes);
    if (at == NULL) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        unsigned code = digits[i];
        if (code < 0x80) {
            *at++ = (uint8_t)code;
        } else if (code < 0x800) {
            *at++ = (uint8_t)(0xC0 | code >> 6);
            *at++ = (uint8_t)(0x80 | (code & 0x3F));
        } else {
            *at++ = (uint8_t)(0xE0 | code >> 12);
            *at++ = (uint8_t)(0x80 | (code >> 6 & 0x3F));
            *at++ = (uint8_t)(0x80 | (code & 0x3F));
        }
    }
}

/* The marker and the byte count that precede the digits of `len` (not 0) bytes. */
static void write_prefix(arx_wire wire, size_t len, arx_buf *out) {
    uint32_t base = bases[wire];
    if (wire == ARX_WIRE_BASEBMP) {
        arx_text_append(out, BASEBMP_MARKER);
    }
    if (wire == ARX_WIRE_BASE76 && len > BASE76_SHORT_MAX) {
        uint16_t digits[8]; /* the largest length has four digits */
        size_t at = sizeof digits / sizeof digits[0];
        for (size_t rest = len; rest != 0; rest /= base) {
            digits[--at] = (uint16_t)(rest % base);
        }
        size_t count = sizeof digits / sizeof digits[0] - at;
        digits[--at] = (uint16_t)count;
        arx_buf_append_byte(out, BASE76_EXTENDED);
        write_digits(base, digits + at, count + 1, out);
    } else {
        uint16_t digits[2] = {(uint16_t)(len / base), (uint16_t)(len % base)};
        write_digits(base, digits, 2, out);
    }
}

arx_result arx_wire_encode(arx_wire wire, const uint8_t *bytes, size_t len, arx_buf *out) {
    if (wire == ARX_WIRE_BASE64URL) {
        arx_buf_append_str(out, BASE64URL_MARKER);
        arx_base64url_encode(bytes, len, out);
        return arx_buf_result(out);
    }
    if (len > ARX_WIRE_MAX_BYTES) {
        return ARX_OVER_LIMIT;
    }
    if (len == 0) {
        return arx_buf_result(out);
    }
    uint16_t *digits = NULL;
    size_t count = 0;
    arx_result result = arx_radix_to_digits(bases[wire], bytes, len, &digits, &count);
    if (result == ARX_OK) {
        write_prefix(wire, len, out);
        write_digits(bases[wire], digits, count, out);
        result = arx_buf_result(out);
    }
    free(digits);
    return result;
}

/* ---- encoding against a bound ---- */

static size_t square_root(size_t n) {
    size_t root = 0;
    while ((root + 1) * (root + 1) <= n) {
        root++;
    }
    return root;
}

/*
 * Can base76 not get below `bound`, with a prefix that costs `prefix` and at least `least` digits?
 * A digit in seven costs two more than the others, and where those stand is only known by
 * converting: so many of the first digits are made as will most likely settle it.
 */
static arx_result base76_hopeless(const uint8_t *bytes, size_t len, size_t bound, size_t prefix,
                                  size_t least, bool *hopeless) {
    size_t needed = (bound - prefix - least + 1) / 2; /* dear symbols that would reach the bound */
    if (needed > len) {
        return ARX_OK; /* three times as many as there will be */
    }
    /* The mean, and two and a half deviations on top. */
    size_t wanted = 7 * needed + 16 * square_root(needed) + 16;
    uint16_t *digits = NULL;
    size_t count = 0;
    size_t total = 0;
    arx_result result =
        arx_radix_first_digits(ARX_RADIX_BASE76, bytes, len, wanted, &digits, &count, &total);
    if (result == ARX_OK && count > 0) {
        uint8_t costs[ARX_RADIX_BASE76];
        for (uint32_t i = 0; i < ARX_RADIX_BASE76; i++) {
            uint8_t symbol = (uint8_t)arx_alphabet_symbol(ARX_RADIX_BASE76, i);
            costs[i] = (uint8_t)arx_text_transport(&symbol, 1);
        }
        size_t cost = prefix + (total - count); /* the digits not made cost 1 at least */
        for (size_t i = 0; i < count; i++) {
            cost += costs[digits[i]];
        }
        *hopeless = cost >= bound;
    }
    free(digits);
    return result;
}

arx_result arx_wire_encode_below(arx_wire wire, const uint8_t *bytes, size_t len, size_t bound,
                                 arx_buf *out, bool *won) {
    size_t mark = out->len;
    *won = false;
    if (wire == ARX_WIRE_BASE64URL) {
        size_t cost = BASE64URL_MARKER_LEN + len / 3 * 4 + (len % 3 == 0 ? 0 : len % 3 + 1);
        if (cost >= bound) {
            return ARX_OK;
        }
    } else if (len > ARX_WIRE_MAX_BYTES) {
        return ARX_OK;
    } else if (len > 0) {
        write_prefix(wire, len, out);
        arx_result result = arx_buf_result(out);
        if (result != ARX_OK) {
            return result;
        }
        size_t prefix = arx_text_transport(out->data + mark, out->len - mark);
        out->len = mark;
        /* Symbols of the two Unicode wires cost 6 or 9. */
        size_t each = wire == ARX_WIRE_BASE76 ? 1 : 6;
        size_t least = arx_radix_least_digits(bases[wire], bytes, len);
        bool hopeless = prefix + each * least >= bound;
        if (!hopeless && wire == ARX_WIRE_BASE76) {
            result = base76_hopeless(bytes, len, bound, prefix, least, &hopeless);
            if (result != ARX_OK) {
                return result;
            }
        }
        if (hopeless) {
            return ARX_OK;
        }
    }
    arx_result result = arx_wire_encode(wire, bytes, len, out);
    if (result != ARX_OK) {
        return result;
    }
    if (arx_text_transport(out->data + mark, out->len - mark) < bound) {
        *won = true;
    } else {
        out->len = mark;
    }
    return ARX_OK;
}

/* ---- decoding ---- */

/* Reads a text digit by digit, one for every UTF-16 unit. */
typedef struct reader {
    uint32_t base;
    const uint8_t *text;
    size_t len;
    size_t pos;
    bool low_surrogate; /* the second unit of a code point above U+FFFF comes next */
} reader;

/* False at the end. The digit may be ARX_NO_DIGIT. */
static bool next_digit(reader *r, uint16_t *digit) {
    if (r->low_surrogate) {
        r->low_surrogate = false;
        *digit = ARX_NO_DIGIT;
        return true;
    }
    if (r->pos == r->len) {
        return false;
    }
    uint32_t code = arx_text_next(r->text, r->len, &r->pos);
    r->low_surrogate = code > 0xFFFF && code <= 0x10FFFF;
    *digit = (uint16_t)arx_alphabet_digit(r->base, code);
    return true;
}

/* What a digit that is none counts as: 0, but base76 has no place for it (format.md 6.2). */
static bool mend_digit(const reader *r, uint16_t *digit) {
    if (*digit == ARX_NO_DIGIT) {
        if (r->base == ARX_RADIX_BASE76) {
            return false;
        }
        *digit = 0;
    }
    return true;
}

/*
 * The byte count in front of the digits. A text too short to have one says 0 bytes, like a text
 * that says so itself; ARX_OVER_LIMIT where it is too large or no number.
 */
static arx_result read_length(reader *r, size_t *length) {
    uint16_t digits[ARX_RADIX_BASE76];
    size_t count = 2;
    bool extended = r->base == ARX_RADIX_BASE76 && r->len > 0 && r->text[0] == BASE76_EXTENDED;
    *length = 0;
    if (extended) {
        uint16_t unused;
        uint16_t many;
        if (!next_digit(r, &unused) || !next_digit(r, &many)) {
            return ARX_OK;
        }
        if (!mend_digit(r, &many)) {
            return ARX_MALFORMED;
        }
        count = many;
    }
    for (size_t i = 0; i < count; i++) {
        if (!next_digit(r, &digits[i])) {
            return ARX_OK;
        }
    }
    size_t value = 0;
    for (size_t i = 0; i < count; i++) {
        if (!mend_digit(r, &digits[i])) {
            return ARX_OVER_LIMIT;
        }
        /* Once over the limit it stays over; stop before it overflows. */
        if (value <= ARX_WIRE_MAX_BYTES) {
            value = value * r->base + digits[i];
        }
    }
    if (value > ARX_WIRE_MAX_BYTES) {
        return ARX_OVER_LIMIT;
    }
    *length = value;
    return ARX_OK;
}

static arx_result decode_radix(arx_wire wire, const uint8_t *text, size_t len, arx_buf *out) {
    reader r = {.base = bases[wire], .text = text, .len = len};
    size_t length = 0;
    arx_result result = read_length(&r, &length);
    if (result != ARX_OK) {
        return result;
    }
    /* No text has more units than bytes. */
    size_t most = len - r.pos + 1;
    if (most > ARX_RADIX_MAX_DIGITS) {
        return ARX_OVER_LIMIT;
    }
    uint16_t *digits = malloc(most * sizeof *digits);
    if (digits == NULL) {
        return ARX_NO_MEMORY;
    }
    size_t count = 0;
    while (next_digit(&r, &digits[count])) {
        if (!mend_digit(&r, &digits[count])) {
            result = ARX_MALFORMED;
            goto out;
        }
        count++;
    }
    size_t mark = out->len;
    uint8_t *bytes = arx_buf_extend(out, length);
    result = arx_buf_result(out);
    if (result != ARX_OK) {
        goto out;
    }
    result = arx_radix_to_bytes(r.base, digits, count, bytes, length);
    if (result != ARX_OK) {
        out->len = mark;
    }
out:
    free(digits);
    return result;
}

arx_result arx_wire_decode(arx_wire wire, const uint8_t *text, size_t len, arx_buf *out) {
    return wire == ARX_WIRE_BASE64URL ? arx_base64url_decode(text, len, out)
                                      : decode_radix(wire, text, len, out);
}

/* ---- detection ---- */

static bool is_base64url(const uint8_t *text, size_t len) {
    if (len < BASE64URL_MARKER_LEN || memcmp(text, BASE64URL_MARKER, BASE64URL_MARKER_LEN) != 0) {
        return false;
    }
    for (size_t i = BASE64URL_MARKER_LEN; i < len; i++) {
        uint8_t c = text[i];
        if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
              c == '-' || c == '_')) {
            return false;
        }
    }
    return true;
}

arx_wire arx_wire_detect(const uint8_t *text, size_t len, size_t *marker_bytes) {
    if (is_base64url(text, len)) {
        *marker_bytes = BASE64URL_MARKER_LEN;
        return ARX_WIRE_BASE64URL;
    }
    return arx_wire_detect_after_base64url(text, len, marker_bytes);
}

arx_wire arx_wire_detect_after_base64url(const uint8_t *text, size_t len, size_t *marker_bytes) {
    size_t pos = 0;
    uint32_t first = len == 0 ? 0 : arx_text_next(text, len, &pos);
    *marker_bytes = 0;
    if (first == BASEBMP_MARKER) {
        *marker_bytes = BASEBMP_MARKER_BYTES;
        return ARX_WIRE_BASEBMP;
    }
    /* By range: the two gaps in the alphabet are no reason to take the text for another wire. */
    if (first >= 0x00A1 && first <= 0x07FF && pos < len) {
        return ARX_WIRE_BASE1K;
    }
    return ARX_WIRE_BASE76;
}
