/*
 * json_index.h - finds JSON nodes by a string: members by name, or string values by content.
 *
 * A crit-bit tree. A look-up costs at most nine steps a byte of the string looked up, whatever was
 * put in before, so no choice of names makes reading a document more than linear in its length.
 * (A hash without a secret could not promise that, and a library without I/O has no secret.)
 *
 * The index borrows the nodes. One thread at a time.
 */
#ifndef ARX_JSON_INDEX_H
#define ARX_JSON_INDEX_H

#include "json.h"

typedef enum arx_json_index_by {
    ARX_JSON_BY_KEY,   /* node->key */
    ARX_JSON_BY_STRING /* node->as.string; only string nodes may be put in */
} arx_json_index_by;

typedef struct arx_json_index {
    arx_json_index_by by;
    uint32_t root; /* a reference, see json_index.c */
    size_t count;
    size_t cap;
    struct arx_json_index_entry *entries;
} arx_json_index;

/* An empty index. Allocates nothing. */
void arx_json_index_init(arx_json_index *index, arx_json_index_by by);
void arx_json_index_free(arx_json_index *index);
/* Forgets the nodes, keeps the allocation. */
void arx_json_index_clear(arx_json_index *index);

/* The node put in with this string, or NULL. */
arx_json *arx_json_index_find(const arx_json_index *index, const uint8_t *text, size_t len);

/*
 * Puts a node in. When one with the same string is there already, nothing changes and `*found` is
 * that one; else `*found` is NULL.
 */
arx_result arx_json_index_add(arx_json_index *index, arx_json *node,
                              arx_json **found) ARX_MUST_CHECK;

#endif
