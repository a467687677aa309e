/*
 * filetype.h - what a file's name says of its content: the kind, and for code the language.
 *
 * For those who take files: the tool and /share. Pure.
 */
#ifndef ARX_FILETYPE_H
#define ARX_FILETYPE_H

#include "envelope.h"

typedef struct arx_filetype {
    arx_kind kind;
    const char *language; /* of code, else NULL */
} arx_filetype;

/* False, and `type` untouched, when the name says nothing. name: with or without folders. */
bool arx_filetype_of(const uint8_t *name, size_t len, arx_filetype *type);

/* Narrows a path to what follows its last slash or backslash. */
void arx_file_basename(const uint8_t **path, size_t *len);

#endif
