/*
 * copy.h - a piece of text as a string. strndup() looks for a NUL behind the piece, where nobody
 * promises one.
 */
#ifndef ARXD_COPY_H
#define ARXD_COPY_H

#include <stdlib.h>
#include <string.h>

/* A NUL-terminated copy of `len` bytes, or NULL without memory. Caller frees. */
static inline char *copy_string(const void *bytes, size_t len) {
    char *copy = malloc(len + 1);
    if (copy != NULL) {
        if (len > 0) {
            memcpy(copy, bytes, len);
        }
        copy[len] = '\0';
    }
    return copy;
}

#endif
