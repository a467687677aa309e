/* body.c - see body.h. */
#include "body.h"

#include <stdlib.h>
#include <string.h>

/*
 * Without memory jansson answers as to malformed text, or drops characters of a string and goes on.
 * So its allocator notes when it refused, for the thread that asked.
 */
static _Thread_local bool refused;

static void *allocate(size_t size) {
    void *block = malloc(size);
    refused |= block == NULL;
    return block;
}

__attribute__((constructor)) static void watch_allocations(void) {
    json_set_alloc_funcs(allocate, free);
}

/* The code unit of a \uXXXX at `at`, or -1. */
static int escaped_unit(const char *at, size_t left) {
    if (left < 6 || at[0] != '\\' || at[1] != 'u') {
        return -1;
    }
    int unit = 0;
    for (size_t i = 2; i < 6; i++) {
        char c = at[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0) {
            return -1;
        }
        unit = unit << 4 | digit;
    }
    return unit;
}

/*
 * Looks at the escape at `at`. Returns how many characters it takes; a surrogate without its other
 * half is overwritten by the escape of U+FFFD, which is as long.
 */
static size_t mend_escape(char *at, size_t left, size_t *mended) {
    int unit = escaped_unit(at, left);
    if (unit < 0) {
        return left < 2 ? left : 2;
    }
    if (unit < 0xD800 || unit > 0xDFFF) {
        return 6;
    }
    if (unit <= 0xDBFF) {
        int low = escaped_unit(at + 6, left - 6);
        if (low >= 0xDC00 && low <= 0xDFFF) {
            return 12;
        }
    }
    memcpy(at, "\\uFFFD", 6);
    *mended += 1;
    return 6;
}

size_t body_mend(char *text, size_t len, size_t *depth) {
    size_t mended = 0;
    size_t open = 0;
    bool in_string = false;
    *depth = 0;
    for (size_t i = 0; i < len;) {
        char c = text[i];
        if (in_string && c == '\\') {
            i += mend_escape(text + i, len - i, &mended);
            continue;
        }
        if (c == '"') {
            in_string = !in_string;
        } else if (!in_string && (c == '[' || c == '{')) {
            open++;
            *depth = open > *depth ? open : *depth;
        } else if (!in_string && (c == ']' || c == '}') && open > 0) {
            open--;
        }
        i++;
    }
    return mended;
}

body_result body_parse(const uint8_t *bytes, size_t len, body *out) {
    *out = (body){.len = len};
    out->text = malloc(len + 1);
    if (out->text == NULL) {
        return BODY_NO_MEMORY;
    }
    if (len > 0) {
        memcpy(out->text, bytes, len);
    }
    out->text[len] = '\0';
    size_t depth;
    out->mended = body_mend(out->text, len, &depth);
    refused = false;
    /* JSON has no NUL but in escapes; jansson takes one behind a number for white space. */
    bool has_nul = len > 0 && memchr(bytes, '\0', len) != NULL;
    if (depth <= BODY_MAX_DEPTH && !has_nul) {
        out->root = json_loadb(out->text, len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    }
    if (out->root == NULL || refused) {
        body_free(out);
        return refused ? BODY_NO_MEMORY : BODY_INVALID;
    }
    return BODY_OK;
}

arx_json *body_codec_value(body *b) {
    if (b->doc == NULL &&
        arx_json_parse((const uint8_t *)b->text, b->len, 0, &b->doc, &b->value) != ARX_OK) {
        return NULL; /* the text is valid: jansson read it. So this is want of memory. */
    }
    return b->value;
}

void body_free(body *b) {
    json_decref(b->root);
    free(b->text);
    arx_json_doc_free(b->doc);
    *b = (body){0};
}
