/*
 * json_string.c - string literals as the reader meets them: their end, and their value.
 *
 * The value is WTF-8. A high and a low surrogate that meet are one code point, whether each came as
 * an escape or as raw bytes; all others are kept as they are.
 */
#include "json_internal.h"

#include <string.h>

#define ONES 0x0101010101010101u
#define TOPS 0x8080808080808080u

/* Length of the run before the next quote, backslash or control character. */
static size_t string_run(const uint8_t *text, size_t len) {
    size_t run = 0;
    while (len - run >= 8) {
        uint64_t word;
        memcpy(&word, text + run, sizeof word);
        uint64_t quote = word ^ ONES * '"';
        uint64_t slash = word ^ ONES * '\\';
        if ((((quote - ONES) & ~quote) | ((slash - ONES) & ~slash) |
             ((word - ONES * 0x20) & ~word)) &
            TOPS) {
            break;
        }
        run += 8;
    }
    while (run < len && text[run] >= 0x20 && text[run] != '"' && text[run] != '\\') {
        run++;
    }
    return run;
}

static int hex_value(uint8_t c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool arx_json_scan_string(const uint8_t *text, size_t len, size_t *pos, size_t *raw_len,
                          bool *escaped) {
    const size_t start = *pos;
    size_t at = start;
    *escaped = false;
    for (;;) {
        at += string_run(text + at, len - at);
        if (at == len || text[at] < 0x20) {
            return false;
        }
        if (text[at] == '"') {
            *raw_len = at - start;
            *pos = at + 1;
            return true;
        }
        *escaped = true;
        if (len - at < 2) {
            return false;
        }
        uint8_t letter = text[at + 1];
        at += 2;
        if (letter == 'u') {
            if (len - at < 4) {
                return false;
            }
            for (int i = 0; i < 4; i++) {
                if (hex_value(text[at++]) < 0) {
                    return false;
                }
            }
        } else if (letter == 0 || strchr("\"\\/bfnrt", letter) == NULL) {
            return false;
        }
    }
}

static uint8_t unescaped_letter(uint8_t letter) {
    switch (letter) {
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return letter;
    }
}

static uint32_t three_byte_value(const uint8_t *at) {
    return (at[0] & 0x0Fu) << 12 | (at[1] & 0x3Fu) << 6 | (at[2] & 0x3Fu);
}

/* `text` starts with a surrogate whose second byte is of that range: A0 for high, B0 for low. */
static bool is_surrogate(const uint8_t *text, size_t len, uint8_t range) {
    return len >= 3 && text[0] == 0xED && (text[1] & 0xF0) == range;
}

/* What unescape() has to remember of the text before. */
typedef struct unescaped {
    uint8_t *out;  /* where the bytes go, or NULL to count only */
    size_t len;    /* bytes so far */
    uint32_t high; /* the high surrogate the text ends with, or 0 */
} unescaped;

static void put(unescaped *u, const uint8_t *bytes, size_t len) {
    if (u->out != NULL) {
        memcpy(u->out + u->len, bytes, len);
    }
    u->len += len;
}

/* A UTF-16 unit. A low surrogate behind a high one replaces its three bytes by the pair's four. */
static void put_unit(unescaped *u, uint32_t unit) {
    uint8_t bytes[4];
    if (u->high != 0 && unit >= 0xDC00 && unit <= 0xDFFF) {
        uint32_t point = 0x10000u + ((u->high - 0xD800u) << 10) + (unit - 0xDC00u);
        bytes[0] = (uint8_t)(0xF0u | point >> 18);
        bytes[1] = (uint8_t)(0x80u | (point >> 12 & 0x3F));
        bytes[2] = (uint8_t)(0x80u | (point >> 6 & 0x3F));
        bytes[3] = (uint8_t)(0x80u | (point & 0x3F));
        u->len -= 3;
        put(u, bytes, 4);
        u->high = 0;
        return;
    }
    if (unit < 0x80) {
        bytes[0] = (uint8_t)unit;
        put(u, bytes, 1);
    } else if (unit < 0x800) {
        bytes[0] = (uint8_t)(0xC0u | unit >> 6);
        bytes[1] = (uint8_t)(0x80u | (unit & 0x3F));
        put(u, bytes, 2);
    } else {
        bytes[0] = (uint8_t)(0xE0u | unit >> 12);
        bytes[1] = (uint8_t)(0x80u | (unit >> 6 & 0x3F));
        bytes[2] = (uint8_t)(0x80u | (unit & 0x3F));
        put(u, bytes, 3);
    }
    u->high = unit >= 0xD800 && unit <= 0xDBFF ? unit : 0;
}

static void put_run(unescaped *u, const uint8_t *text, size_t len) {
    if (u->high != 0 && is_surrogate(text, len, 0xB0)) {
        put_unit(u, three_byte_value(text));
        text += 3;
        len -= 3;
    }
    if (len == 0) {
        return;
    }
    put(u, text, len);
    u->high =
        len >= 3 && is_surrogate(text + len - 3, 3, 0xA0) ? three_byte_value(text + len - 3) : 0;
}

size_t arx_json_unescape(const uint8_t *raw, size_t len, uint8_t *out) {
    unescaped u = {.out = out};
    size_t pos = 0;
    while (pos < len) {
        size_t run = string_run(raw + pos, len - pos);
        if (run != 0) {
            put_run(&u, raw + pos, run);
            pos += run;
            continue;
        }
        uint8_t letter = raw[pos + 1];
        pos += 2;
        if (letter != 'u') {
            put_unit(&u, unescaped_letter(letter));
            continue;
        }
        uint32_t unit = 0;
        for (int i = 0; i < 4; i++) {
            unit = unit << 4 | (uint32_t)hex_value(raw[pos++]);
        }
        put_unit(&u, unit);
    }
    return u.len;
}
