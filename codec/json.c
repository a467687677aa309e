/*
 * json.c - the document: memory, building and access. See json.h.
 */
#include "json_internal.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_MIN_BYTES 1024u
#define CHUNK_MAX_BYTES (64u * 1024u)

struct arx_json_chunk {
    struct arx_json_chunk *next;
    size_t cap;
    size_t used;
    _Alignas(arx_json) uint8_t data[];
};

static struct arx_json_chunk *chunk_create(arx_json_arena *arena, size_t cap) {
    if (cap > SIZE_MAX / 2) {
        return NULL;
    }
    struct arx_json_chunk *chunk = malloc(sizeof *chunk + cap);
    if (chunk == NULL) {
        return NULL;
    }
    chunk->next = NULL;
    chunk->cap = cap;
    chunk->used = 0;
    arena->total += cap;
    return chunk;
}

static void *arena_get(arx_json_arena *arena, size_t size) {
    struct arx_json_chunk *head = arena->head;
    if (head != NULL && size <= head->cap - head->used) {
        void *piece = head->data + head->used;
        head->used += size;
        return piece;
    }
    size_t usual = arena->total / 4;
    if (usual < CHUNK_MIN_BYTES) {
        usual = CHUNK_MIN_BYTES;
    } else if (usual > CHUNK_MAX_BYTES) {
        usual = CHUNK_MAX_BYTES;
    }
    if (head != NULL && size > usual / 4) {
        /* Behind the head, whose remaining room stays in use. */
        struct arx_json_chunk *own = chunk_create(arena, size);
        if (own == NULL) {
            return NULL;
        }
        own->used = size;
        own->next = head->next;
        head->next = own;
        return own->data;
    }
    struct arx_json_chunk *chunk = chunk_create(arena, size > usual ? size : usual);
    if (chunk == NULL) {
        return NULL;
    }
    chunk->used = size;
    chunk->next = head;
    arena->head = chunk;
    return chunk->data;
}

static void arena_free(arx_json_arena *arena) {
    struct arx_json_chunk *chunk = arena->head;
    while (chunk != NULL) {
        struct arx_json_chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
}

arx_json_doc *arx_json_doc_create(void) {
    return calloc(1, sizeof(arx_json_doc));
}

void arx_json_doc_free(arx_json_doc *doc) {
    if (doc == NULL) {
        return;
    }
    arena_free(&doc->nodes);
    arena_free(&doc->strings);
    free(doc);
}

uint8_t *arx_json_doc_bytes(arx_json_doc *doc, size_t size) {
    return arena_get(&doc->strings, size != 0 ? size : 1);
}

void arx_json_doc_unbytes(arx_json_doc *doc, const uint8_t *piece, size_t size) {
    struct arx_json_chunk *head = doc->strings.head;
    if (size != 0 && head->used >= size && piece == head->data + (head->used - size)) {
        head->used -= size;
    }
}

void arx_json_doc_recycle(arx_json_doc *doc, arx_json *list) {
    while (list != NULL) {
        arx_json *node = list;
        list = node->next;
        if ((node->type == ARX_JSON_ARRAY || node->type == ARX_JSON_OBJECT) &&
            node->as.list.first != NULL) {
            node->as.list.last->next = list;
            list = node->as.list.first;
        }
        node->next = doc->unused;
        doc->unused = node;
        doc->live--;
    }
}

arx_json *arx_json_new(arx_json_doc *doc, arx_json_type type) {
    arx_json *node = doc->unused;
    if (node != NULL) {
        doc->unused = node->next;
    } else {
        node = arena_get(&doc->nodes, sizeof *node);
        if (node == NULL) {
            return NULL;
        }
    }
    *node = (arx_json){.type = type};
    doc->live++;
    return node;
}

arx_json *arx_json_new_number(arx_json_doc *doc, double number) {
    arx_json *node = arx_json_new(doc, ARX_JSON_NUMBER);
    if (node != NULL) {
        node->as.number = number;
    }
    return node;
}

arx_json *arx_json_new_string(arx_json_doc *doc, const uint8_t *text, size_t len) {
    uint8_t *copy = arx_json_doc_bytes(doc, len);
    if (copy == NULL) {
        return NULL;
    }
    arx_json *node = arx_json_new(doc, ARX_JSON_STRING);
    if (node == NULL) {
        return NULL;
    }
    if (len != 0) {
        memcpy(copy, text, len);
    }
    node->as.string.data = copy;
    node->as.string.len = len;
    return node;
}

arx_json *arx_json_alias(arx_json_doc *doc, const arx_json *value) {
    arx_json *node = arx_json_new(doc, value->type);
    if (node != NULL) {
        node->as = value->as;
    }
    return node;
}

void arx_json_append(arx_json *array, arx_json *value) {
    value->next = NULL;
    if (array->as.list.last != NULL) {
        array->as.list.last->next = value;
    } else {
        array->as.list.first = value;
    }
    array->as.list.last = value;
    array->as.list.count++;
}

static bool key_is(const arx_json *member, const char *key, size_t key_len) {
    return member->key_len == key_len && memcmp(member->key, key, key_len) == 0;
}

arx_result arx_json_set(arx_json *object, const char *key, arx_json *value) {
    if (value == NULL) {
        return ARX_NO_MEMORY;
    }
    size_t key_len = strlen(key);
    value->key = (const uint8_t *)key;
    value->key_len = (uint32_t)key_len;
    arx_json *before = NULL;
    for (arx_json *member = object->as.list.first; member != NULL; member = member->next) {
        if (key_is(member, key, key_len)) {
            value->next = member->next;
            if (before != NULL) {
                before->next = value;
            } else {
                object->as.list.first = value;
            }
            if (object->as.list.last == member) {
                object->as.list.last = value;
            }
            return ARX_OK;
        }
        before = member;
    }
    arx_json_append(object, value);
    return ARX_OK;
}

arx_json *arx_json_get(const arx_json *object, const char *key) {
    if (!arx_json_is(object, ARX_JSON_OBJECT)) {
        return NULL;
    }
    size_t key_len = strlen(key);
    for (arx_json *member = object->as.list.first; member != NULL; member = member->next) {
        if (key_is(member, key, key_len)) {
            return member;
        }
    }
    return NULL;
}

arx_json *arx_json_get_string(const arx_json *object, const char *key) {
    arx_json *value = arx_json_get(object, key);
    return arx_json_is(value, ARX_JSON_STRING) ? value : NULL;
}

arx_json *arx_json_at(const arx_json *array, size_t index) {
    if (!arx_json_is(array, ARX_JSON_ARRAY) || index >= array->as.list.count) {
        return NULL;
    }
    arx_json *element = array->as.list.first;
    while (index-- > 0) {
        element = element->next;
    }
    return element;
}

bool arx_json_is(const arx_json *value, arx_json_type type) {
    return value != NULL && value->type == type;
}

bool arx_json_string_is(const arx_json *value, const char *str) {
    return arx_json_is(value, ARX_JSON_STRING) && value->as.string.len == strlen(str) &&
           memcmp(value->as.string.data, str, value->as.string.len) == 0;
}

bool arx_json_strings_equal(const arx_json *a, const arx_json *b) {
    return arx_json_is(a, ARX_JSON_STRING) && arx_json_is(b, ARX_JSON_STRING) &&
           a->as.string.len == b->as.string.len &&
           memcmp(a->as.string.data, b->as.string.data, a->as.string.len) == 0;
}
