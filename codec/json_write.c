/*
 * json_write.c - JSON.stringify (format.md 1.3). See json.h.
 *
 * Frozen: the codecs compress this text, so changing it breaks the bytes of new links.
 */
#include "json_internal.h"

#include <string.h>

#define ONES 0x0101010101010101u
#define TOPS 0x8080808080808080u

/* Non-zero when any of eight bytes is 0. */
static uint64_t zero_bytes(uint64_t word) {
    return (word - ONES) & ~word & TOPS;
}

static bool is_plain(uint8_t byte) {
    return byte >= 0x20 && byte != '"' && byte != '\\' && byte != 0xED;
}

/* How many of the first bytes need no thought: no escape, and not the first byte of a surrogate. */
static size_t plain_run(const uint8_t *text, size_t len) {
    size_t run = 0;
    while (len - run >= 8) {
        uint64_t word;
        memcpy(&word, text + run, sizeof word);
        uint64_t special = zero_bytes(word ^ ONES * '"') | zero_bytes(word ^ ONES * '\\') |
                           zero_bytes(word ^ ONES * 0xED) | ((word - ONES * 0x20) & ~word & TOPS);
        if (special != 0) {
            break;
        }
        run += 8;
    }
    while (run < len && is_plain(text[run])) {
        run++;
    }
    return run;
}

static const char hex_digit[] = "0123456789abcdef";

static void write_unit_escape(uint32_t unit, arx_buf *out) {
    uint8_t escape[6] = {'\\',
                         'u',
                         (uint8_t)hex_digit[unit >> 12 & 15],
                         (uint8_t)hex_digit[unit >> 8 & 15],
                         (uint8_t)hex_digit[unit >> 4 & 15],
                         (uint8_t)hex_digit[unit & 15]};
    arx_buf_append(out, escape, sizeof escape);
}

/* The letter of a two-character escape, or 0. */
static char short_escape(uint8_t byte) {
    switch (byte) {
    case '"':
    case '\\':
        return (char)byte;
    case '\b':
        return 'b';
    case '\t':
        return 't';
    case '\n':
        return 'n';
    case '\f':
        return 'f';
    case '\r':
        return 'r';
    default:
        return 0;
    }
}

void arx_json_write_string(const uint8_t *text, size_t len, arx_buf *out) {
    arx_buf_append_byte(out, '"');
    size_t pos = 0;
    while (pos < len) {
        size_t run = plain_run(text + pos, len - pos);
        arx_buf_append(out, text + pos, run);
        pos += run;
        if (pos == len) {
            break;
        }
        uint8_t byte = text[pos];
        if (byte == 0xED) {
            /* In WTF-8 a surrogate that is written at all is a lone one. */
            if (len - pos >= 3 && text[pos + 1] >= 0xA0) {
                uint32_t unit = 0xD000u | (text[pos + 1] & 0x3Fu) << 6 | (text[pos + 2] & 0x3Fu);
                write_unit_escape(unit, out);
                pos += 3;
            } else {
                arx_buf_append_byte(out, byte);
                pos++;
            }
            continue;
        }
        char letter = short_escape(byte);
        if (letter != 0) {
            uint8_t escape[2] = {'\\', (uint8_t)letter};
            arx_buf_append(out, escape, sizeof escape);
        } else {
            write_unit_escape(byte, out);
        }
        pos++;
    }
    arx_buf_append_byte(out, '"');
}

static void write_scalar(const arx_json *value, arx_buf *out) {
    switch (value->type) {
    case ARX_JSON_FALSE:
        arx_buf_append(out, "false", 5);
        break;
    case ARX_JSON_TRUE:
        arx_buf_append(out, "true", 4);
        break;
    case ARX_JSON_NUMBER:
        arx_json_write_number(value->as.number, out);
        break;
    case ARX_JSON_STRING:
        arx_json_write_string(value->as.string.data, value->as.string.len, out);
        break;
    case ARX_JSON_NULL:
    case ARX_JSON_ARRAY:
    case ARX_JSON_OBJECT:
        arx_buf_append(out, "null", 4);
        break;
    }
}

static bool is_list(const arx_json *value) {
    return value->type == ARX_JSON_ARRAY || value->type == ARX_JSON_OBJECT;
}

void arx_json_write(const arx_json *value, arx_buf *out) {
    /* `list` is the innermost open list; the pointers to those around it are kept as bytes. */
    arx_buf around;
    arx_buf_init(&around, 0);
    const arx_json *list = NULL;
    const arx_json *node = value;
    while (out->status == ARX_OK) {
        if (list != NULL && list->type == ARX_JSON_OBJECT) {
            arx_json_write_string(node->key, node->key_len, out);
            arx_buf_append_byte(out, ':');
        }
        if (is_list(node) && node->as.list.first != NULL) {
            arx_buf_append(&around, &list, sizeof list);
            if (arx_buf_result(&around) != ARX_OK) {
                out->status = ARX_NO_MEMORY;
                break;
            }
            arx_buf_append_byte(out, node->type == ARX_JSON_ARRAY ? '[' : '{');
            list = node;
            node = node->as.list.first;
            continue;
        }
        if (is_list(node)) {
            arx_buf_append(out, node->type == ARX_JSON_ARRAY ? "[]" : "{}", 2);
        } else {
            write_scalar(node, out);
        }
        while (list != NULL && node->next == NULL) {
            arx_buf_append_byte(out, list->type == ARX_JSON_ARRAY ? ']' : '}');
            node = list;
            around.len -= sizeof list;
            memcpy(&list, around.data + around.len, sizeof list);
        }
        if (list == NULL) {
            break;
        }
        node = node->next;
        arx_buf_append_byte(out, ',');
    }
    arx_buf_free(&around);
}
