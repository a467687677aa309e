/* ids.c - see ids.h. */
#include "ids.h"

#include <string.h>
#include <uuid/uuid.h>

static const char base64url[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool hyphen_at(size_t i) {
    return i == 8 || i == 13 || i == 18 || i == 23;
}

static bool parse_long(const char *text, uint8_t *id) {
    size_t digits = 0;
    for (size_t i = 0; i < ID_LONG_CHARS; i++) {
        if (hyphen_at(i)) {
            if (text[i] != '-') {
                return false;
            }
            continue;
        }
        int digit = hex_digit(text[i]);
        if (digit < 0) {
            return false;
        }
        uint8_t *byte = &id[digits / 2];
        *byte = (uint8_t)(digits % 2 == 0 ? digit << 4 : *byte | digit);
        digits++;
    }
    return true;
}

static bool parse_short(const char *text, uint8_t *id) {
    unsigned bits = 0;
    unsigned held = 0;
    size_t bytes = 0;
    for (size_t i = 0; i < ID_SHORT_CHARS; i++) {
        const char *at = strchr(base64url, text[i]);
        if (at == NULL) {
            return false;
        }
        held = held << 6 | (unsigned)(at - base64url);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            id[bytes++] = (uint8_t)(held >> bits);
            held &= (1u << bits) - 1;
        }
    }
    return held == 0; /* the 4 bits left over: any other value spells the same bytes again */
}

bool id_parse(const char *text, uint8_t id[ID_BYTES]) {
    switch (strlen(text)) {
    case ID_LONG_CHARS:
        return parse_long(text, id);
    case ID_SHORT_CHARS:
        return parse_short(text, id);
    default:
        return false;
    }
}

void id_format_long(const uint8_t id[ID_BYTES], char text[ID_LONG_CHARS + 1]) {
    static const char hex[] = "0123456789abcdef";
    size_t digits = 0;
    for (size_t i = 0; i < ID_LONG_CHARS; i++) {
        if (hyphen_at(i)) {
            text[i] = '-';
            continue;
        }
        unsigned byte = id[digits / 2];
        text[i] = hex[digits % 2 == 0 ? byte >> 4 : byte & 15];
        digits++;
    }
    text[ID_LONG_CHARS] = '\0';
}

void id_format_short(const uint8_t id[ID_BYTES], char text[ID_SHORT_CHARS + 1]) {
    unsigned bits = 0;
    unsigned held = 0;
    size_t bytes = 0;
    for (size_t i = 0; i < ID_SHORT_CHARS; i++) {
        if (bits < 6) {
            held = held << 8 | (bytes < ID_BYTES ? id[bytes] : 0u);
            bytes++;
            bits += 8;
        }
        bits -= 6;
        text[i] = base64url[held >> bits & 63];
        held &= (1u << bits) - 1;
    }
    text[ID_SHORT_CHARS] = '\0';
}

bool id_generate(uint8_t id[ID_BYTES]) {
    uuid_t uuid;
    uuid_generate_random(uuid);
    memcpy(id, uuid, ID_BYTES);
    return (id[6] & 0xf0) == 0x40 && (id[8] & 0xc0) == 0x80;
}
