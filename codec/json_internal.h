/*
 * json_internal.h - what the files of the JSON module share. Nobody else includes it.
 */
#ifndef ARX_JSON_INTERNAL_H
#define ARX_JSON_INTERNAL_H

#include "json.h"

/*
 * An arena: chunks that are only ever freed together. Small pieces share chunks whose size grows
 * with the arena, so that a document of three values costs little and one of 100,000 wastes little;
 * a large piece gets a chunk of its own size.
 */
typedef struct arx_json_arena {
    struct arx_json_chunk *head;
    size_t total; /* bytes of all chunks */
} arx_json_arena;

struct arx_json_doc {
    arx_json_arena nodes;
    arx_json_arena strings;
    arx_json *unused; /* nodes given back, linked by `next` */
    size_t live;      /* nodes handed out and not given back */
};

/* `size` bytes of the document's strings, at least one so that the pointer is never NULL on
 * success. */
uint8_t *arx_json_doc_bytes(arx_json_doc *doc, size_t size);
/* Gives back the piece handed out last; does nothing when it lies in a chunk of its own. */
void arx_json_doc_unbytes(arx_json_doc *doc, const uint8_t *piece, size_t size);
/* Makes a list of nodes, with all below them, available to arx_json_new() again. */
void arx_json_doc_recycle(arx_json_doc *doc, arx_json *list);

/* The double nearest to a number of the JSON grammar, which `text` must be. Infinity for 1e999. */
double arx_json_number_value(const uint8_t *text, size_t len);

/*
 * Checks a string literal whose opening quote stands before `*pos`, and moves `*pos` behind its
 * closing one. `*raw_len` counts the bytes between the quotes, `*escaped` says whether a backslash
 * is among them. False for what is no literal; then the outputs mean nothing.
 */
bool arx_json_scan_string(const uint8_t *text, size_t len, size_t *pos, size_t *raw_len,
                          bool *escaped) ARX_MUST_CHECK;
/* Writes the value of a checked literal to `out` (NULL: only counts). Returns its length in bytes.
 */
size_t arx_json_unescape(const uint8_t *raw, size_t len, uint8_t *out);

/* Moves members with integer names to the front, ascending, as JavaScript keeps them. */
void arx_json_order_members(arx_json *object);

#endif
