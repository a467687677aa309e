/* text.c - see text.h. */
#include "text.h"

#include <string.h>

enum { REPLACEMENT = 0xFFFD };

static bool is_low(uint32_t c) {
    return c >= 0xDC00 && c <= 0xDFFF;
}

/*
 * How a lead byte goes on: number of continuation bytes and the range of the first of them (RFC
 * 3629 section 4). The range keeps out overlong forms, surrogates and code points past U+10FFFF.
 */
typedef struct lead {
    uint8_t more; /* 0 for a byte that leads nothing */
    uint8_t low;
    uint8_t high;
} lead;

static lead lead_of(uint8_t byte) {
    if (byte >= 0xC2 && byte <= 0xDF) {
        return (lead){1, 0x80, 0xBF};
    }
    if (byte >= 0xE0 && byte <= 0xEF) {
        return (lead){2, byte == 0xE0 ? 0xA0 : 0x80, byte == 0xED ? 0x9F : 0xBF};
    }
    if (byte >= 0xF0 && byte <= 0xF4) {
        return (lead){3, byte == 0xF0 ? 0x90 : 0x80, byte == 0xF4 ? 0x8F : 0xBF};
    }
    return (lead){0, 0, 0};
}

/*
 * Reads one multi-byte code point at the start of `bytes`. Returns its length; or 0 with `*bad` the
 * length of the maximal subpart that has to be replaced.
 */
static size_t multibyte(const uint8_t *bytes, size_t len, bool surrogates, uint32_t *code_point,
                        size_t *bad) {
    lead form = lead_of(bytes[0]);
    *bad = 1;
    if (form.more == 0) {
        return 0;
    }
    if (surrogates && bytes[0] == 0xED) {
        form.high = 0xBF;
    }
    uint32_t c = bytes[0] & (0x3Fu >> form.more);
    for (size_t i = 1; i <= form.more; i++) {
        uint8_t low = i == 1 ? form.low : 0x80;
        uint8_t high = i == 1 ? form.high : 0xBF;
        if (i >= len || bytes[i] < low || bytes[i] > high) {
            *bad = i;
            return 0;
        }
        c = c << 6 | (bytes[i] & 0x3Fu);
    }
    *code_point = c;
    return form.more + 1u;
}

uint32_t arx_text_next(const uint8_t *text, size_t len, size_t *pos) {
    const uint8_t *at = text + *pos;
    if (*at < 0x80) {
        *pos += 1;
        return *at;
    }
    uint32_t c;
    size_t bad;
    size_t n = multibyte(at, len - *pos, true, &c, &bad);
    if (n == 0) {
        *pos += 1;
        return *at | ARX_TEXT_BAD;
    }
    *pos += n;
    return c;
}

void arx_text_append(arx_buf *out, uint32_t c) {
    if (c < 0x80) {
        arx_buf_append_byte(out, (uint8_t)c);
        return;
    }
    if (is_low(c) && out->len >= 3 && out->status == ARX_OK) {
        const uint8_t *end = out->data + out->len - 3;
        if (end[0] == 0xED && end[1] >= 0xA0 && end[1] <= 0xAF) {
            uint32_t high = 0xD000u | (uint32_t)(end[1] & 0x3F) << 6 | (end[2] & 0x3Fu);
            out->len -= 3;
            c = 0x10000 + ((high - 0xD800) << 10) + (c - 0xDC00);
        }
    }
    uint8_t bytes[4];
    size_t n;
    if (c < 0x800) {
        bytes[0] = (uint8_t)(0xC0 | c >> 6);
        n = 2;
    } else if (c < 0x10000) {
        bytes[0] = (uint8_t)(0xE0 | c >> 12);
        n = 3;
    } else {
        bytes[0] = (uint8_t)(0xF0 | c >> 18);
        n = 4;
    }
    for (size_t i = 1; i < n; i++) {
        bytes[i] = (uint8_t)(0x80 | (c >> (6 * (n - 1 - i)) & 0x3F));
    }
    arx_buf_append(out, bytes, n);
}

/* Units that a byte of well-formed text stands for: one a lead byte, two for four-byte forms. */
static size_t units_of_byte(uint8_t byte) {
    return (size_t)((byte & 0xC0) != 0x80) + (size_t)(byte >= 0xF0);
}

size_t arx_text_units(const uint8_t *text, size_t len) {
    size_t units = 0;
    for (size_t i = 0; i < len; i++) {
        units += units_of_byte(text[i]);
    }
    return units;
}

bool arx_text_units_exceed(const uint8_t *text, size_t len, size_t limit) {
    if (len <= limit) {
        return false; /* never more units than bytes */
    }
    if (len / 3 > limit) {
        return true; /* never fewer than one unit for three bytes */
    }
    return arx_text_units(text, len) > limit;
}

/* Format.md section 9: what stays one character when chat escapes a link. */
static bool is_chat_safe(uint32_t c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '#' ||
           c == '-' || c == '.' || c == '_' || c == '=' || c == '~';
}

size_t arx_text_transport(const uint8_t *text, size_t len) {
    size_t cost = 0;
    for (size_t pos = 0; pos < len;) {
        uint32_t c = arx_text_next(text, len, &pos);
        if (c < 0x80) {
            cost += is_chat_safe(c) ? 1 : 3;
        } else if (c < 0x800) {
            cost += 6;
        } else {
            cost += c < 0x10000 ? 9 : 12;
        }
    }
    return cost;
}

static int hex_value(uint8_t c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte of a %XX at `text`, or -1. */
static int escaped_byte(const uint8_t *text, size_t len) {
    if (len < 3 || text[0] != '%') {
        return -1;
    }
    int high = hex_value(text[1]);
    int low = hex_value(text[2]);
    return high < 0 || low < 0 ? -1 : high << 4 | low;
}

/*
 * Reads the escape at `text` as decodeURIComponent does: one %XX of ASCII, or as many as one UTF-8
 * sequence needs. Returns the code point and how much text it took, or false.
 */
static bool unescape(const uint8_t *text, size_t len, uint32_t *code_point, size_t *taken) {
    int byte = escaped_byte(text, len);
    if (byte < 0) {
        return false;
    }
    *taken = 3;
    *code_point = (uint32_t)byte;
    if (byte < 0x80) {
        return true;
    }
    uint8_t bytes[4];
    size_t count = 0;
    size_t want = lead_of((uint8_t)byte).more + 1u;
    while (count < want) {
        byte = escaped_byte(text + 3 * count, len - 3 * count);
        if (byte < 0) {
            return false;
        }
        bytes[count++] = (uint8_t)byte;
    }
    size_t bad;
    *taken = 3 * count;
    return multibyte(bytes, count, false, code_point, &bad) == count;
}

arx_result arx_text_percent_decode(const uint8_t *text, size_t len, arx_buf *out) {
    size_t mark = out->len;
    for (size_t pos = 0; pos < len;) {
        const uint8_t *escape = memchr(text + pos, '%', len - pos);
        size_t run = escape == NULL ? len - pos : (size_t)(escape - (text + pos));
        arx_buf_append(out, text + pos, run);
        pos += run;
        if (escape != NULL) {
            uint32_t c;
            size_t taken;
            if (!unescape(text + pos, len - pos, &c, &taken)) {
                out->len = out->len < mark ? out->len : mark;
                return ARX_MALFORMED;
            }
            arx_text_append(out, c);
            pos += taken;
        }
    }
    return arx_buf_result(out);
}

size_t arx_text_visible(const uint8_t *text, size_t len) {
    size_t units = 0;
    for (size_t pos = 0; pos < len;) {
        if (text[pos] != '%') {
            units += units_of_byte(text[pos++]);
            continue;
        }
        uint32_t c;
        size_t taken;
        if (!unescape(text + pos, len - pos, &c, &taken)) {
            return arx_text_units(text, len);
        }
        units += c >= 0x10000 ? 2 : 1;
        pos += taken;
    }
    return units;
}

void arx_text_from_bytes(const uint8_t *bytes, size_t len, arx_buf *out) {
    size_t pos = len >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    size_t start = pos;
    while (pos < len) {
        if (bytes[pos] < 0x80) {
            pos++;
            continue;
        }
        uint32_t c;
        size_t bad;
        size_t n = multibyte(bytes + pos, len - pos, false, &c, &bad);
        if (n == 0) {
            arx_buf_append(out, bytes + start, pos - start);
            arx_text_append(out, REPLACEMENT);
            pos += bad;
            start = pos;
        } else {
            pos += n;
        }
    }
    arx_buf_append(out, bytes + start, pos - start);
}

bool arx_text_is_utf8(const uint8_t *bytes, size_t len) {
    for (size_t pos = 0; pos < len;) {
        if (bytes[pos] < 0x80) {
            pos++;
            continue;
        }
        uint32_t c;
        size_t bad;
        size_t n = multibyte(bytes + pos, len - pos, false, &c, &bad);
        if (n == 0) {
            return false;
        }
        pos += n;
    }
    return true;
}

size_t arx_text_mend_surrogates(uint8_t *text, size_t len) {
    size_t mended = 0;
    for (size_t i = 0; i + 2 < len; i++) {
        /* ED A0..BF leads a surrogate; a continuation byte is never ED. */
        if (text[i] == 0xED && text[i + 1] >= 0xA0) {
            memcpy(text + i, "\xEF\xBF\xBD", 3);
            mended++;
        }
    }
    return mended;
}

bool arx_text_is_space(uint32_t c) {
    return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
           c == 0x205F || c == 0x3000 || c == 0xFEFF;
}

void arx_text_trim(const uint8_t **text, size_t *len) {
    const uint8_t *t = *text;
    size_t start = 0;
    size_t end = 0;
    for (size_t pos = 0; pos < *len;) {
        size_t before = pos;
        if (!arx_text_is_space(arx_text_next(t, *len, &pos))) {
            if (end == 0) {
                start = before;
            }
            end = pos;
        }
    }
    *text = t + start;
    *len = end - start;
}

static const char base64url_alphabet[64] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

void arx_base64url_encode(const uint8_t *bytes, size_t len, arx_buf *out) {
    if (len > SIZE_MAX / 4) {
        out->status = ARX_NO_MEMORY;
        return;
    }
    uint8_t *to = arx_buf_extend(out, len / 3 * 4 + (len % 3 == 0 ? 0 : len % 3 + 1));
    if (to == NULL) {
        return;
    }
    uint32_t bits = 0;
    unsigned count = 0;
    for (size_t i = 0; i < len; i++) {
        bits = bits << 8 | bytes[i];
        for (count += 8; count >= 6; count -= 6) {
            *to++ = (uint8_t)base64url_alphabet[bits >> (count - 6) & 63];
        }
    }
    if (count > 0) {
        *to = (uint8_t)base64url_alphabet[bits << (6 - count) & 63];
    }
}

/* Value of a base64 or base64url character, or -1. */
static int base64_value(uint8_t c) {
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    if (c == '-' || c == '+') {
        return 62;
    }
    return c == '_' || c == '/' ? 63 : -1;
}

static bool is_base64_space(uint8_t c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

arx_result arx_base64url_decode(const uint8_t *text, size_t len, arx_buf *out) {
    /* Pass 1: the characters that count, before the `=` at the end (own and appended ones). */
    size_t values = 0;
    size_t equals = (4 - len % 4) % 4; /* units are bytes here: other text is an error anyway */
    for (size_t i = 0; i < len; i++) {
        if (is_base64_space(text[i])) {
            continue;
        }
        if (text[i] == '=') {
            equals++;
        } else if (equals > (4 - len % 4) % 4 || base64_value(text[i]) < 0) {
            return ARX_MALFORMED; /* something behind an `=`, or no base64 at all */
        } else {
            values++;
        }
    }
    if ((values + equals) % 4 == 0) {
        equals = equals > 2 ? equals - 2 : 0;
    }
    if (equals != 0 || values % 4 == 1) {
        return ARX_MALFORMED;
    }
    /* Pass 2: the bytes. */
    uint8_t *to = arx_buf_extend(out, values / 4 * 3 + (values % 4 == 0 ? 0 : values % 4 - 1));
    if (to == NULL) {
        return arx_buf_result(out);
    }
    uint32_t bits = 0;
    unsigned count = 0;
    for (size_t i = 0; i < len; i++) {
        int value = base64_value(text[i]);
        if (value < 0) {
            continue;
        }
        bits = bits << 6 | (uint32_t)value;
        count += 6;
        if (count >= 8) {
            count -= 8;
            *to++ = (uint8_t)(bits >> count);
        }
    }
    return ARX_OK;
}
