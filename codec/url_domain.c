/*
 * url_domain.c - see url_domain.h.
 *
 * libidn2 maps, normalises and checks each label, but by IDNA2008's rules it refuses what browsers
 * accept: signs, emoji, ASCII punctuation and hyphens in odd places beside other scripts. Labels
 * with such code points go through it with a stand-in for each, an ideograph that mapping leaves
 * alone; then the stand-ins are turned back and the label is encoded (Punycode, RFC 3492) here.
 */
#include "url_domain.h"

#include <idn2.h>
#include <string.h>

#include "text.h"

enum { LABEL_MAX = 256 }; /* code points of a label; libidn2 stops far below */

typedef struct label {
    uint32_t points[LABEL_MAX];
    size_t count;
} label;

/* ---- Punycode ---- */

enum {
    BASE = 36,
    T_MIN = 1,
    T_MAX = 26,
    SKEW = 38,
    DAMP = 700,
    FIRST_BIAS = 72,
    FIRST_POINT = 128
};

static uint32_t adapt(uint32_t delta, uint32_t points, bool first) {
    uint32_t k = 0;
    delta = first ? delta / DAMP : delta / 2;
    delta += delta / points;
    while (delta > (BASE - T_MIN) * T_MAX / 2) {
        delta /= BASE - T_MIN;
        k += BASE;
    }
    return k + (BASE - T_MIN + 1) * delta / (delta + SKEW);
}

static uint32_t threshold(uint32_t k, uint32_t bias) {
    return k <= bias ? T_MIN : k >= bias + T_MAX ? T_MAX : k - bias;
}

/* 0..35, or BASE for what is no digit. */
static uint32_t digit_value(uint8_t c) {
    if (c >= '0' && c <= '9') {
        return (uint32_t)(c - '0' + 26);
    }
    c |= 0x20;
    return c >= 'a' && c <= 'z' ? (uint32_t)(c - 'a') : BASE;
}

/* What follows "xn--" as code points. */
static bool punycode_decode(const uint8_t *text, size_t len, label *out) {
    size_t at = 0;
    out->count = 0;
    for (size_t i = len; i > 0; i--) {
        if (text[i - 1] == '-') {
            at = i;
            break;
        }
    }
    if (at > LABEL_MAX) {
        return false;
    }
    for (size_t i = 0; at > 0 && i < at - 1; i++) {
        uint8_t c = text[i];
        out->points[out->count++] = c >= 'A' && c <= 'Z' ? c | 0x20u : c;
    }
    uint32_t point = FIRST_POINT;
    uint32_t bias = FIRST_BIAS;
    uint64_t i = 0;
    while (at < len) {
        uint64_t before = i;
        uint64_t weight = 1;
        for (uint32_t k = BASE;; k += BASE) {
            uint32_t digit = at < len ? digit_value(text[at++]) : BASE;
            if (digit == BASE || weight > UINT32_MAX) {
                return false;
            }
            i += digit * weight;
            uint32_t t = threshold(k, bias);
            if (digit < t) {
                break;
            }
            weight *= BASE - t;
        }
        uint64_t length = out->count + 1;
        if (i > UINT32_MAX || out->count == LABEL_MAX || i / length > 0x10FFFF - point) {
            return false;
        }
        bias = adapt((uint32_t)(i - before), (uint32_t)length, before == 0);
        point += (uint32_t)(i / length);
        i %= length;
        memmove(out->points + i + 1, out->points + i, (out->count - i) * sizeof *out->points);
        out->points[i++] = point;
        out->count++;
    }
    return true;
}

static void append_digit(uint32_t digit, arx_buf *out) {
    arx_buf_append_byte(out, (uint8_t)(digit < 26 ? 'a' + digit : '0' + digit - 26));
}

static void append_delta(uint32_t delta, uint32_t bias, arx_buf *out) {
    for (uint32_t k = BASE;; k += BASE) {
        uint32_t t = threshold(k, bias);
        if (delta < t) {
            append_digit(delta, out);
            return;
        }
        append_digit(t + (delta - t) % (BASE - t), out);
        delta = (delta - t) / (BASE - t);
    }
}

/* The A-label, or the label as it is when it is ASCII. */
static void punycode_encode(const label *in, arx_buf *out) {
    uint32_t basic = 0;
    for (size_t i = 0; i < in->count; i++) {
        basic += in->points[i] < 0x80;
    }
    if (basic < in->count) {
        arx_buf_append_str(out, "xn--");
    }
    for (size_t i = 0; i < in->count; i++) {
        if (in->points[i] < 0x80) {
            arx_buf_append_byte(out, (uint8_t)in->points[i]);
        }
    }
    if (basic > 0 && basic < in->count) {
        arx_buf_append_byte(out, '-');
    }
    uint32_t point = FIRST_POINT;
    uint32_t bias = FIRST_BIAS;
    uint32_t delta = 0;
    for (uint32_t done = basic; done < in->count;) {
        uint32_t next = UINT32_MAX;
        for (size_t i = 0; i < in->count; i++) {
            if (in->points[i] >= point && in->points[i] < next) {
                next = in->points[i];
            }
        }
        delta += (next - point) * (done + 1); /* below 2^21 * 2^8 */
        point = next;
        for (size_t i = 0; i < in->count; i++) {
            if (in->points[i] < point) {
                delta++;
            } else if (in->points[i] == point) {
                append_delta(delta, bias, out);
                bias = adapt(delta, done + 1, done == basic);
                delta = 0;
                done++;
            }
        }
        delta++;
        point++;
    }
}

/* ---- labels ---- */

/* libidn2's answer for a NUL-terminated text, appended to `out`. */
static arx_result lookup(const uint8_t *text, arx_buf *out) {
    uint8_t *ascii = NULL;
    int rc = idn2_lookup_u8(text, &ascii, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
    if (rc == IDN2_OK) {
        arx_buf_append_str(out, (const char *)ascii);
    }
    idn2_free(ascii);
    if (rc != IDN2_OK) {
        return rc == IDN2_MALLOC ? ARX_NO_MEMORY : ARX_MALFORMED;
    }
    return arx_buf_result(out);
}

/* To be kept from libidn2? ASCII other than letters and digits, and the symbols. */
static bool is_shielded(uint32_t c) {
    if (c < 0x80) {
        return !((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'));
    }
    size_t low = 0;
    size_t high = arx_domain_symbol_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (arx_domain_symbols[middle].last < c) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < arx_domain_symbol_count && arx_domain_symbols[low].first <= c;
}

static bool contains(const label *in, uint32_t point) {
    for (size_t i = 0; i < in->count; i++) {
        if (in->points[i] == point) {
            return true;
        }
    }
    return false;
}

static bool is_a_label(const uint8_t *text, size_t len) {
    return len >= 4 && (text[0] | 0x20) == 'x' && (text[1] | 0x20) == 'n' && text[2] == '-' &&
           text[3] == '-';
}

/* Turns the stand-ins of a coded label back into what they stand for, which keeps its order. */
static void unshield(const label *in, uint32_t stand_in, label *coded) {
    size_t from = 0;
    for (size_t i = 0; i < coded->count; i++) {
        if (coded->points[i] == stand_in) {
            while (!is_shielded(in->points[from])) {
                from++;
            }
            coded->points[i] = in->points[from++];
        }
    }
}

/* A label through libidn2; with stand-ins for what it would refuse if `shield`. */
static arx_result convert(const label *in, bool shield, arx_buf *out) {
    uint32_t stand_in = 0x4E00;
    label coded;
    arx_buf text;
    arx_buf ascii;
    arx_buf_init(&text, 0);
    arx_buf_init(&ascii, 0);
    while (contains(in, stand_in)) {
        stand_in++; /* ends: a label has fewer code points than there are ideographs */
    }
    for (size_t i = 0; i < in->count; i++) {
        bool hide = shield && is_shielded(in->points[i]);
        arx_text_append(&text, hide ? stand_in : in->points[i]);
    }
    arx_buf_append_byte(&text, 0);
    arx_result rc = arx_buf_result(&text);
    if (rc == ARX_OK) {
        rc = lookup(text.data, &ascii);
    }
    if (rc == ARX_OK && shield && is_a_label(ascii.data, ascii.len)) {
        if (punycode_decode(ascii.data + 4, ascii.len - 4, &coded)) {
            unshield(in, stand_in, &coded);
            punycode_encode(&coded, out);
        } else {
            rc = ARX_MALFORMED;
        }
    } else if (rc == ARX_OK) {
        arx_buf_append(out, ascii.data, ascii.len);
    }
    arx_buf_free(&text);
    arx_buf_free(&ascii);
    return rc == ARX_OK ? arx_buf_result(out) : rc;
}

static arx_result points_to_ascii(const label *in, arx_buf *out) {
    arx_result rc = convert(in, false, out);
    return rc == ARX_MALFORMED ? convert(in, true, out) : rc;
}

static bool is_ascii(const uint8_t *text, size_t len) {
    for (size_t i = 0; i < len; i++) {
        if (text[i] >= 0x80) {
            return false;
        }
    }
    return true;
}

static void append_lower(const uint8_t *text, size_t len, arx_buf *out) {
    for (size_t i = 0; i < len; i++) {
        uint8_t c = text[i];
        arx_buf_append_byte(out, c >= 'A' && c <= 'Z' ? (uint8_t)(c | 0x20) : c);
    }
}

static bool starts_as_a_label(const label *in) {
    return in->count >= 4 && in->points[0] == 'x' && in->points[1] == 'n' && in->points[2] == '-' &&
           in->points[3] == '-';
}

/* An A-label is good when decoding and encoding give it back. */
static arx_result check_a_label(const uint8_t *text, size_t len, arx_buf *out) {
    label points;
    arx_buf again;
    arx_buf lower;
    if (!punycode_decode(text + 4, len - 4, &points) || starts_as_a_label(&points)) {
        return ARX_MALFORMED;
    }
    arx_buf_init(&again, 0);
    arx_buf_init(&lower, 0);
    append_lower(text, len, &lower);
    arx_result rc = arx_buf_result(&lower);
    if (rc == ARX_OK) {
        rc = points_to_ascii(&points, &again);
    }
    if (rc == ARX_OK &&
        (again.len != lower.len || memcmp(again.data, lower.data, lower.len) != 0)) {
        rc = ARX_MALFORMED;
    }
    if (rc == ARX_OK) {
        arx_buf_append(out, lower.data, lower.len);
    }
    arx_buf_free(&again);
    arx_buf_free(&lower);
    return rc;
}

static arx_result label_to_ascii(const uint8_t *text, size_t len, arx_buf *out) {
    if (is_ascii(text, len)) {
        if (is_a_label(text, len)) {
            return check_a_label(text, len, out);
        }
        append_lower(text, len, out);
        return ARX_OK;
    }
    label points = {.count = 0};
    for (size_t pos = 0; pos < len;) {
        if (points.count == LABEL_MAX) {
            return ARX_MALFORMED;
        }
        points.points[points.count++] = arx_text_next(text, len, &pos);
    }
    arx_buf ascii;
    arx_buf_init(&ascii, 0);
    arx_result rc = points_to_ascii(&points, &ascii);
    if (rc == ARX_OK && is_a_label(ascii.data, ascii.len)) {
        rc = check_a_label(ascii.data, ascii.len, out); /* it may have been one all along */
    } else if (rc == ARX_OK) {
        arx_buf_append(out, ascii.data, ascii.len);
    }
    arx_buf_free(&ascii);
    return rc;
}

/* Full stops: ASCII, and the three that UTS #46 maps to it. */
static bool is_stop(uint32_t c) {
    return c == '.' || c == 0x3002 || c == 0xFF0E || c == 0xFF61;
}

static arx_result labels_to_ascii(const uint8_t *domain, size_t len, arx_buf *out) {
    size_t start = 0;
    for (size_t pos = 0; pos < len;) {
        size_t before = pos;
        if (is_stop(arx_text_next(domain, len, &pos))) {
            arx_result rc = label_to_ascii(domain + start, before - start, out);
            if (rc != ARX_OK) {
                return rc;
            }
            arx_buf_append_byte(out, '.');
            start = pos;
        }
    }
    return label_to_ascii(domain + start, len - start, out);
}

/* ---- domains ---- */

/* ASCII without an A-label: lower-casing is all that IDNA would do. */
static bool is_plain(const uint8_t *text, size_t len) {
    for (size_t start = 0; start < len; start++) {
        if ((start == 0 || text[start - 1] == '.') && is_a_label(text + start, len - start)) {
            return false;
        }
    }
    return is_ascii(text, len);
}

arx_result arx_domain_to_ascii(const uint8_t *domain, size_t len, arx_buf *out) {
    if (is_plain(domain, len)) {
        append_lower(domain, len, out);
        return arx_buf_result(out);
    }
    if (memchr(domain, 0, len) != NULL) {
        return ARX_MALFORMED;
    }
    arx_result rc = labels_to_ascii(domain, len, out);
    return rc == ARX_OK ? arx_buf_result(out) : rc;
}
