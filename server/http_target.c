/* http_target.c - see http_target.h. */
#include "http_target.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

static int hex_value(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return c - 'A' + 10;
    }
    return -1;
}

/* The byte `%xy` at `text` stands for, or -1 when it is no escape. */
static int escaped_byte(const char *text) {
    int high = text[0] == '%' ? hex_value(text[1]) : -1;
    int low = high >= 0 ? hex_value(text[2]) : -1;
    return low >= 0 ? high * 16 + low : -1;
}

static bool is_dots_or_nothing(const char *piece, size_t len) {
    return len == 0 || (len == 1 && piece[0] == '.') ||
           (len == 2 && piece[0] == '.' && piece[1] == '.');
}

/* Decodes one segment in place. False for what no resource's name can hold. */
static bool decode_segment(char *segment) {
    char *out = segment;
    for (const char *in = segment; *in != '\0';) {
        char byte = *in;
        if (byte == '%') {
            int value = escaped_byte(in);
            if (value <= 0) {
                return false;
            }
            byte = (char)value;
            in += 3;
        } else {
            in++;
        }
        if (byte == '\\') {
            return false;
        }
        *out++ = byte;
    }
    *out = '\0';

    /* An escaped slash may be part of a name, but must not smuggle in what a plain one could not.
     */
    const char *piece = segment;
    for (;;) {
        size_t len = strcspn(piece, "/");
        if (is_dots_or_nothing(piece, len)) {
            return false;
        }
        if (piece[len] == '\0') {
            return true;
        }
        piece += len + 1;
    }
}

/* Skips `http://authority` of an absolute form. NULL for a form that has no path. */
static char *path_of(char *target) {
    if (target[0] == '/') {
        return target;
    }
    size_t scheme = 0;
    if (strncasecmp(target, "http://", 7) == 0) {
        scheme = 7;
    } else if (strncasecmp(target, "https://", 8) == 0) {
        scheme = 8;
    }
    char *authority = target + scheme;
    size_t len = strcspn(authority, "/?");
    if (scheme == 0 || len == 0) {
        return NULL;
    }
    return authority + len;
}

http_target_result http_target_split(char *target, http_path *path) {
    *path = (http_path){0};
    char *at = path_of(target);
    if (at == NULL) {
        return HTTP_TARGET_BAD;
    }
    path->query = strchr(at, '?');
    if (path->query != NULL) {
        *path->query++ = '\0';
    }
    size_t len = strlen(at);
    while (len > 0 && at[len - 1] == '/') {
        at[--len] = '\0';
    }
    /* Now it is empty, for the root, or starts with the slash before the first segment. */
    char *rest = *at == '/' ? at + 1 : NULL;
    while (rest != NULL) {
        char *segment = rest;
        rest = strchr(segment, '/');
        if (rest != NULL) {
            *rest++ = '\0';
        }
        if (path->count == HTTP_MAX_SEGMENTS || !decode_segment(segment)) {
            path->count = 0;
            return HTTP_TARGET_NOTHING;
        }
        path->segments[path->count++] = segment;
    }
    return HTTP_TARGET_OK;
}

static void decode_query_text(char *text) {
    char *out = text;
    for (const char *in = text; *in != '\0';) {
        int value = escaped_byte(in);
        if (value > 0) {
            *out++ = (char)value;
            in += 3;
        } else {
            *out++ = *in == '+' ? ' ' : *in;
            in++;
        }
    }
    *out = '\0';
}

size_t http_query_split(char *query, http_parameter *parameters) {
    size_t count = 0;
    char *rest = query;
    while (rest != NULL && count < HTTP_MAX_PARAMETERS) {
        char *name = rest;
        rest = strchr(name, '&');
        if (rest != NULL) {
            *rest++ = '\0';
        }
        if (*name == '\0') {
            continue;
        }
        char *value = strchr(name, '=');
        if (value != NULL) {
            *value++ = '\0';
            decode_query_text(value);
        }
        decode_query_text(name);
        parameters[count++] = (http_parameter){name, value != NULL ? value : ""};
    }
    return count;
}
