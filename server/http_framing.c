/* http_framing.c - see http_framing.h. RFC 9110 (names, values), RFC 9112 section 6 (length). */
#include "http_framing.h"

#include <string.h>
#include <strings.h>

/* Most white space between a header's colon and its value, with the colon. */
#define SPACES_MAX 64

static bool is_alnum(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool all_of(const char *text, size_t len, const char *others) {
    for (size_t i = 0; i < len; i++) {
        if (!is_alnum(text[i]) && (text[i] == '\0' || strchr(others, text[i]) == NULL)) {
            return false;
        }
    }
    return true;
}

static bool is_token(const char *text, size_t len) {
    return len > 0 && all_of(text, len, "!#$%&'*+-.^_`|~");
}

static bool is_field_value(const char *text, size_t len) {
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f) {
            return false;
        }
    }
    return true;
}

static bool text_is(const char *text, size_t len, const char *literal) {
    return len == strlen(literal) && strncasecmp(text, literal, len) == 0;
}

/* A length every reader takes for the same number: digits and nothing else. */
static bool read_length(const char *text, size_t len, uint64_t *length) {
    *length = 0;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return false;
        }
        unsigned digit = (unsigned)(text[i] - '0');
        *length = *length > (UINT64_MAX - digit) / 10 ? UINT64_MAX : *length * 10 + digit;
    }
    return len > 0;
}

/* Notes that a header which must not be repeated is there. */
static void once(http_framing *framing, bool *seen) {
    framing->broken |= *seen;
    *seen = true;
}

/* Notes that `text` must come next, `min` to `max` bytes behind what came before. */
static void follow(http_framing *framing, const char *text, size_t len, size_t min, size_t max) {
    uintptr_t at = (uintptr_t)text;
    framing->broken |= at < framing->end + min || at > framing->end + max;
    framing->end = at + len;
}

void http_framing_line(http_framing *framing, const char *method, const char *target,
                       size_t target_len, const char *version) {
    framing->end = (uintptr_t)method + strlen(method);
    follow(framing, target, target_len, 1, 1);
    follow(framing, version, strlen(version), 1, 1);
}

void http_framing_end(http_framing *framing, const char *end) {
    follow(framing, end, 0, 2, 4); /* two line ends, each LF or CR LF */
}

void http_framing_add(http_framing *framing, const char *name, size_t name_len, const char *value,
                      size_t value_len) {
    if (framing->end != 0) {
        follow(framing, name, name_len, 1, 2);
        follow(framing, value, value_len, 1, SPACES_MAX);
    }
    if (!is_token(name, name_len) || !is_field_value(value, value_len)) {
        framing->broken = true;
    } else if (text_is(name, name_len, "Content-Length")) {
        once(framing, &framing->has_length);
        framing->broken |= !read_length(value, value_len, &framing->length);
    } else if (text_is(name, name_len, "Transfer-Encoding")) {
        once(framing, &framing->has_encoding);
        framing->broken |= !text_is(value, value_len, "chunked");
    } else if (text_is(name, name_len, "Host")) {
        once(framing, &framing->has_host);
        /* Links are built from it: nothing that could end a URL's authority or a quoted text. */
        framing->broken |= !all_of(value, value_len, "-._~:[]%");
    } else if (text_is(name, name_len, "Authorization")) {
        once(framing, &framing->has_authorization);
    } else if (text_is(name, name_len, "Expect")) {
        framing->expects |= text_is(value, value_len, "100-continue");
    }
}

bool http_framing_sound(const http_framing *framing, bool version_1_0) {
    if (framing->broken || (framing->has_length && framing->has_encoding)) {
        return false;
    }
    /* HTTP/1.0 knows no chunks: an intermediary would take them for the body. */
    return version_1_0 ? !framing->has_encoding : framing->has_host;
}
