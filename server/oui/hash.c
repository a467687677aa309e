/* hash.c - see hash.h. */
#include "hash.h"

#include <string.h>

#include "canonical.h"
#include "text.h"

#define FNV_OFFSET UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME  UINT64_C(0x100000001b3)

uint64_t oui_fnv1a64(const uint8_t *text, size_t len) {
    uint64_t hash = FNV_OFFSET;
    size_t pos = 0;
    while (pos < len) {
        uint32_t code = arx_text_next(text, len, &pos) & ~ARX_TEXT_BAD;
        if (code > 0xFFFF) {
            hash = (hash ^ (0xD800u + ((code - 0x10000u) >> 10))) * FNV_PRIME;
            code = 0xDC00u + ((code - 0x10000u) & 0x3FFu);
        }
        hash = (hash ^ code) * FNV_PRIME;
    }
    return hash;
}

static void write_hex(uint64_t number, char text[17]) {
    for (int i = 15; i >= 0; i--) {
        text[i] = "0123456789abcdef"[number & 15];
        number >>= 4;
    }
    text[16] = '\0';
}

arx_result oui_definition_hash(const arx_json *action, char hash[OUI_DEFINITION_HASH_CHARS + 1]) {
    arx_buf text;
    arx_buf_init(&text, 0);
    arx_result result = oui_sorted_json(action, &text);
    if (result == ARX_OK) {
        write_hex(oui_fnv1a64(text.data, text.len), hash);
    }
    arx_buf_free(&text);
    return result;
}

arx_result oui_surfaces_hash(const arx_json *surfaces, char hash[OUI_SURFACES_HASH_CHARS + 1]) {
    static const char prefix[] = "fnv1a64:";
    memcpy(hash, prefix, sizeof prefix - 1);
    return oui_definition_hash(surfaces, hash + sizeof prefix - 1);
}

arx_result oui_json_bytes(const arx_json *value, size_t *bytes) {
    arx_buf text;
    arx_buf_init(&text, 0);
    if (value != NULL) {
        arx_json_write(value, &text);
    }
    arx_result result = arx_buf_result(&text);
    *bytes = text.len;
    arx_buf_free(&text);
    return result;
}
