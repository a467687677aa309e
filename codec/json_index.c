/*
 * json_index.c - see json_index.h.
 *
 * Each string is read as a row of nine-bit letters: 0x100 + byte, and 0 past its end, so no string
 * is a prefix of another. An inner node names the first bit in which the strings below it differ.
 * Every entry but the first brings one inner node with its leaf, hence one array holds both; a
 * reference is an entry's number with LEAF or without.
 */
#include "json_index.h"

#include <stdlib.h>
#include <string.h>

#define LEAF        0x80000000u
#define MAX_ENTRIES 0x7FFFFFFFu

struct arx_json_index_entry {
    arx_json *leaf;
    uint32_t child[2]; /* the inner node: references for the bit clear and set, */
    uint32_t at;       /* the letter tested */
    uint32_t mask;     /* and the bit in it */
};

static const uint8_t *text_of(const arx_json_index *index, const arx_json *node, size_t *len) {
    if (index->by == ARX_JSON_BY_KEY) {
        *len = node->key_len;
        return node->key;
    }
    *len = node->as.string.len;
    return node->as.string.data;
}

static uint32_t letter(const uint8_t *text, size_t len, size_t at) {
    return at < len ? 0x100u | text[at] : 0;
}

void arx_json_index_init(arx_json_index *index, arx_json_index_by by) {
    *index = (arx_json_index){.by = by};
}

void arx_json_index_free(arx_json_index *index) {
    free(index->entries);
    *index = (arx_json_index){.by = index->by};
}

void arx_json_index_clear(arx_json_index *index) {
    index->count = 0;
}

static int side(const struct arx_json_index_entry *inner, const uint8_t *text, size_t len) {
    return (letter(text, len, inner->at) & inner->mask) != 0;
}

/* The leaf that agrees with the text in every bit tested on the way; the index is not empty. */
static arx_json *nearest(const arx_json_index *index, const uint8_t *text, size_t len) {
    uint32_t ref = index->root;
    while ((ref & LEAF) == 0) {
        ref = index->entries[ref].child[side(&index->entries[ref], text, len)];
    }
    return index->entries[ref & ~LEAF].leaf;
}

arx_json *arx_json_index_find(const arx_json_index *index, const uint8_t *text, size_t len) {
    if (index->count == 0) {
        return NULL;
    }
    arx_json *node = nearest(index, text, len);
    size_t node_len;
    const uint8_t *node_text = text_of(index, node, &node_len);
    return node_len == len && memcmp(node_text, text, len) == 0 ? node : NULL;
}

static arx_result grow(arx_json_index *index) {
    if (index->count < index->cap) {
        return ARX_OK;
    }
    size_t cap = index->cap < 32 ? 32 : index->cap + index->cap / 2;
    if (cap > MAX_ENTRIES || cap > SIZE_MAX / sizeof *index->entries) {
        return ARX_NO_MEMORY;
    }
    struct arx_json_index_entry *entries = realloc(index->entries, cap * sizeof *index->entries);
    if (entries == NULL) {
        return ARX_NO_MEMORY;
    }
    index->entries = entries;
    index->cap = cap;
    return ARX_OK;
}

arx_result arx_json_index_add(arx_json_index *index, arx_json *node, arx_json **found) {
    arx_result result = grow(index);
    if (result != ARX_OK) {
        return result;
    }
    size_t len;
    const uint8_t *text = text_of(index, node, &len);
    uint32_t number = (uint32_t)index->count;
    struct arx_json_index_entry *entry = &index->entries[number];
    entry->leaf = node;
    if (number == 0) {
        index->root = LEAF;
        index->count = 1;
        *found = NULL;
        return ARX_OK;
    }

    arx_json *near = nearest(index, text, len);
    size_t near_len;
    const uint8_t *near_text = text_of(index, near, &near_len);
    size_t at = 0;
    size_t shorter = len < near_len ? len : near_len;
    while (at < shorter && text[at] == near_text[at]) {
        at++;
    }
    uint32_t mine = letter(text, len, at);
    uint32_t differ = mine ^ letter(near_text, near_len, at);
    if (differ == 0) {
        *found = near;
        return ARX_OK;
    }
    if ((uint32_t)at != at) {
        return ARX_NO_MEMORY; /* no string of 4 GiB gets here with memory to spare */
    }
    uint32_t mask = 0x100;
    while ((differ & mask) == 0) {
        mask >>= 1;
    }

    /* The new inner node goes above the first one that tests a later bit. */
    uint32_t *ref = &index->root;
    while ((*ref & LEAF) == 0) {
        struct arx_json_index_entry *inner = &index->entries[*ref];
        if (inner->at > at || (inner->at == at && inner->mask < mask)) {
            break;
        }
        ref = &inner->child[side(inner, text, len)];
    }
    int mine_side = (mine & mask) != 0;
    entry->at = (uint32_t)at;
    entry->mask = mask;
    entry->child[mine_side] = number | LEAF;
    entry->child[!mine_side] = *ref;
    *ref = number;
    index->count++;
    *found = NULL;
    return ARX_OK;
}
