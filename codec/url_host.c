/*
 * url_host.c - the host of a URL: domain, IPv4, IPv6 or opaque (WHATWG URL standard, section 3.5).
 *
 * The two address families are read by hand, as the standard accepts more spellings than any
 * library.
 */
#include <string.h>

#include "text.h"
#include "url.h"
#include "url_domain.h"

/* Code points no host may hold, and those no domain may hold besides (controls apart). */
#define FORBIDDEN_HOST   "\t\n\r #/:<>?@[\\]^|"
#define FORBIDDEN_DOMAIN FORBIDDEN_HOST "%\x7F"

static bool is_digit(uint8_t c) {
    return c >= '0' && c <= '9';
}

static int hex_value(uint8_t c) {
    if (is_digit(c)) {
        return c - '0';
    }
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* ---- IPv6 ---- */

typedef struct reader {
    const uint8_t *text;
    size_t len;
    size_t at;
} reader;

/* The code at the reader, or -1 at the end. */
static int peek(const reader *in) {
    return in->at < in->len ? in->text[in->at] : -1;
}

/* "1.2.3.4" as the last two of the eight pieces. */
static arx_result parse_ipv4_tail(reader *in, uint16_t pieces[8], size_t *count) {
    if (*count > 6) {
        return ARX_MALFORMED;
    }
    for (int part = 0; part < 4; part++) {
        if (part > 0) {
            if (peek(in) != '.') {
                return ARX_MALFORMED;
            }
            in->at++;
        }
        int value = -1;
        while (peek(in) >= '0' && peek(in) <= '9') {
            int digit = peek(in) - '0';
            if (value == 0) {
                return ARX_MALFORMED; /* a leading zero */
            }
            value = value < 0 ? digit : value * 10 + digit;
            if (value > 255) {
                return ARX_MALFORMED;
            }
            in->at++;
        }
        if (value < 0) {
            return ARX_MALFORMED;
        }
        pieces[*count] = (uint16_t)(pieces[*count] * 256 + value);
        if (part == 1 || part == 3) {
            ++*count;
        }
    }
    return peek(in) < 0 ? ARX_OK : ARX_MALFORMED;
}

static arx_result parse_ipv6(const uint8_t *text, size_t len, uint16_t pieces[8]) {
    reader in = {text, len, 0};
    size_t count = 0;
    size_t compress = SIZE_MAX; /* the piece "::" stands before */
    memset(pieces, 0, 8 * sizeof *pieces);
    if (peek(&in) == ':') {
        if (len < 2 || text[1] != ':') {
            return ARX_MALFORMED;
        }
        in.at = 2;
        compress = 0;
    }
    while (peek(&in) >= 0) {
        if (count == 8) {
            return ARX_MALFORMED;
        }
        if (peek(&in) == ':') {
            if (compress != SIZE_MAX) {
                return ARX_MALFORMED;
            }
            in.at++;
            compress = count;
            continue;
        }
        size_t start = in.at;
        unsigned value = 0;
        while (in.at - start < 4 && peek(&in) >= 0 && hex_value((uint8_t)peek(&in)) >= 0) {
            value = value * 16 + (unsigned)hex_value((uint8_t)peek(&in));
            in.at++;
        }
        if (peek(&in) == '.') {
            if (in.at == start) {
                return ARX_MALFORMED;
            }
            in.at = start;
            arx_result rc = parse_ipv4_tail(&in, pieces, &count);
            if (rc != ARX_OK) {
                return rc;
            }
            break;
        }
        if (peek(&in) == ':') {
            in.at++;
            if (peek(&in) < 0) {
                return ARX_MALFORMED;
            }
        } else if (peek(&in) >= 0) {
            return ARX_MALFORMED;
        }
        pieces[count++] = (uint16_t)value;
    }
    if (compress != SIZE_MAX) {
        size_t tail = count - compress;
        memmove(pieces + 8 - tail, pieces + compress, tail * sizeof *pieces);
        memset(pieces + compress, 0, (8 - tail - compress) * sizeof *pieces);
        return ARX_OK;
    }
    return count == 8 ? ARX_OK : ARX_MALFORMED;
}

/* The longest run of two or more zero pieces is written "::", the first one on ties. */
static void write_ipv6(const uint16_t pieces[8], arx_buf *out) {
    static const char digits[] = "0123456789abcdef";
    size_t best = 8;
    size_t best_len = 1;
    for (size_t i = 0; i < 8;) {
        size_t run = 0;
        while (i + run < 8 && pieces[i + run] == 0) {
            run++;
        }
        if (run > best_len) {
            best = i;
            best_len = run;
        }
        i += run + 1;
    }
    arx_buf_append_byte(out, '[');
    for (size_t i = 0; i < 8; i++) {
        if (i == best) {
            arx_buf_append_str(out, i == 0 ? "::" : ":");
            i += best_len - 1;
            continue;
        }
        for (unsigned shift = 16; shift > 0; shift -= 4) {
            if (shift == 4 || pieces[i] >> (shift - 4) != 0) {
                arx_buf_append_byte(out, (uint8_t)digits[(pieces[i] >> (shift - 4)) & 15]);
            }
        }
        if (i < 7) {
            arx_buf_append_byte(out, ':');
        }
    }
    arx_buf_append_byte(out, ']');
}

/* ---- IPv4 ---- */

/* One part in decimal, octal (0) or hex (0x). Values past 2^32 saturate. */
static bool parse_ipv4_number(const uint8_t *text, size_t len, uint64_t *number) {
    uint64_t value = 0;
    unsigned radix = 10;
    if (len == 0) {
        return false;
    }
    if (len >= 2 && text[0] == '0') {
        radix = (text[1] | 0x20) == 'x' ? 16 : 8;
        text += radix == 16 ? 2 : 1;
        len -= radix == 16 ? 2 : 1;
    }
    for (size_t i = 0; i < len; i++) {
        int digit = hex_value(text[i]);
        if (digit < 0 || (unsigned)digit >= radix) {
            return false;
        }
        if (value <= UINT32_MAX) {
            value = value * radix + (unsigned)digit;
        }
    }
    *number = value;
    return true;
}

/* Does the last label make the domain an IPv4 address, a good one or not? */
static bool ends_in_number(const uint8_t *text, size_t len) {
    if (len > 0 && text[len - 1] == '.') {
        len--;
    }
    size_t start = len;
    while (start > 0 && text[start - 1] != '.') {
        start--;
    }
    const uint8_t *label = text + start;
    size_t label_len = len - start;
    bool all_digits = label_len > 0;
    for (size_t i = 0; i < label_len; i++) {
        all_digits = all_digits && is_digit(label[i]);
    }
    uint64_t number;
    return all_digits || parse_ipv4_number(label, label_len, &number);
}

static arx_result write_ipv4(const uint8_t *text, size_t len, arx_buf *out) {
    uint64_t numbers[4];
    size_t count = 0;
    if (len > 0 && text[len - 1] == '.') {
        len--;
    }
    for (size_t start = 0; start <= len;) {
        size_t end = start;
        while (end < len && text[end] != '.') {
            end++;
        }
        if (count == 4 || !parse_ipv4_number(text + start, end - start, &numbers[count])) {
            return ARX_MALFORMED;
        }
        count++;
        start = end + 1;
    }
    uint64_t address = numbers[count - 1];
    if (address >= (uint64_t)1 << (8 * (5 - count))) {
        return ARX_MALFORMED;
    }
    for (size_t i = 0; i + 1 < count; i++) {
        if (numbers[i] > 255) {
            return ARX_MALFORMED;
        }
        address += numbers[i] << (8 * (3 - i));
    }
    for (int shift = 24; shift >= 0; shift -= 8) {
        arx_buf_append_u64(out, (address >> shift) & 255);
        if (shift > 0) {
            arx_buf_append_byte(out, '.');
        }
    }
    return ARX_OK;
}

/* ---- domains ---- */

/* Percent-decodes; what is no escape stays. */
static void percent_decode(const uint8_t *text, size_t len, arx_buf *out) {
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '%' && len - i >= 3 && hex_value(text[i + 1]) >= 0 &&
            hex_value(text[i + 2]) >= 0) {
            arx_buf_append_byte(out,
                                (uint8_t)(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2])));
            i += 2;
        } else {
            arx_buf_append_byte(out, text[i]);
        }
    }
}

/* The domain's ASCII form, in `ascii`, which may turn out to be a number. */
static arx_result domain_to_ascii(const uint8_t *host, size_t len, arx_buf *ascii) {
    arx_buf bytes;
    arx_buf domain;
    arx_buf_init(&bytes, 0);
    arx_buf_init(&domain, 0);
    percent_decode(host, len, &bytes);
    arx_result rc = arx_buf_result(&bytes);
    if (rc == ARX_OK) {
        /* Decoding is "without BOM": arx_text_from_bytes() would drop one, so give it another. */
        static const uint8_t bom[3] = {0xEF, 0xBB, 0xBF};
        bool has_bom = bytes.len >= 3 && memcmp(bytes.data, bom, 3) == 0;
        if (has_bom) {
            arx_text_append(&domain, 0xFEFF);
        }
        arx_text_from_bytes(bytes.data, bytes.len, &domain);
        rc = arx_buf_result(&domain);
    }
    if (rc == ARX_OK && domain.len == 0) {
        rc = ARX_MALFORMED;
    }
    if (rc == ARX_OK) {
        rc = arx_domain_to_ascii(domain.data, domain.len, ascii);
    }
    if (rc == ARX_OK && ascii->len == 0) {
        rc = ARX_MALFORMED;
    }
    for (size_t i = 0; rc == ARX_OK && i < ascii->len; i++) {
        if (ascii->data[i] < 0x20 || strchr(FORBIDDEN_DOMAIN, ascii->data[i]) != NULL) {
            rc = ARX_MALFORMED;
        }
    }
    arx_buf_free(&bytes);
    arx_buf_free(&domain);
    return rc;
}

arx_result arx_url_host(const uint8_t *host, size_t len, bool special, arx_buf *out) {
    if (len > 0 && host[0] == '[') {
        uint16_t pieces[8];
        if (len < 2 || host[len - 1] != ']') {
            return ARX_MALFORMED;
        }
        arx_result rc = parse_ipv6(host + 1, len - 2, pieces);
        if (rc != ARX_OK) {
            return rc;
        }
        write_ipv6(pieces, out);
        return arx_buf_result(out);
    }
    if (!special) {
        for (size_t i = 0; i < len; i++) {
            if (host[i] == 0 || strchr(FORBIDDEN_HOST, host[i]) != NULL) {
                return ARX_MALFORMED;
            }
        }
        arx_url_encode(host, len, "", out);
        return arx_buf_result(out);
    }
    arx_buf ascii;
    arx_buf_init(&ascii, 0);
    arx_result rc = domain_to_ascii(host, len, &ascii);
    if (rc == ARX_OK && ends_in_number(ascii.data, ascii.len)) {
        rc = write_ipv4(ascii.data, ascii.len, out);
    } else if (rc == ARX_OK) {
        arx_buf_append(out, ascii.data, ascii.len);
    }
    arx_buf_free(&ascii);
    return rc == ARX_OK ? arx_buf_result(out) : rc;
}
