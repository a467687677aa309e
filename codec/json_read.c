/*
 * json_read.c - JSON.parse. See json.h.
 *
 * A state machine over the grammar, with one bit a level of nesting, that either builds a document
 * or (doc == NULL) only checks the text. Building keeps no stack: while a list is open its nodes
 * form a ring (`last->next` is the first) and its `first` points to the list around it.
 */
#include "json_index.h"
#include "json_internal.h"

#include <stdlib.h>
#include <string.h>

/* Objects with more members than this find their names through an index. */
#define SCAN_MEMBERS_MAX 8

/* The index of an open object. */
typedef struct names {
    const arx_json *object;
    arx_json_index index;
} names;

typedef struct reader {
    const uint8_t *text;
    size_t len;
    size_t pos;

    uint8_t *nesting; /* bit i: level i is an object */
    size_t nesting_cap;
    size_t depth;

    arx_json_doc *doc; /* NULL: check only */
    size_t max_nodes;
    arx_json *root;
    arx_json *open;   /* the innermost open list, or NULL */
    arx_json *member; /* in an object, between a name and the end of its value's first token */

    names *names; /* a stack; entries past names_count keep their memory for the next object */
    size_t names_count;
    size_t names_cap;
} reader;

/* ---- scalars ---- */

/* Reads a string behind its opening quote into the document. */
static arx_result read_string(reader *r, const uint8_t **data, size_t *len) {
    const uint8_t *raw = r->text + r->pos;
    size_t raw_len;
    bool escaped;
    if (!arx_json_scan_string(r->text, r->len, &r->pos, &raw_len, &escaped)) {
        return ARX_MALFORMED;
    }
    if (r->doc == NULL) {
        return ARX_OK;
    }
    size_t size = escaped ? arx_json_unescape(raw, raw_len, NULL) : raw_len;
    uint8_t *bytes = arx_json_doc_bytes(r->doc, size);
    if (bytes == NULL) {
        return ARX_NO_MEMORY;
    }
    if (escaped) {
        arx_json_unescape(raw, raw_len, bytes);
    } else {
        memcpy(bytes, raw, size);
    }
    *data = bytes;
    *len = size;
    return ARX_OK;
}

static size_t digits_at(const reader *r, size_t pos) {
    size_t start = pos;
    while (pos < r->len && r->text[pos] >= '0' && r->text[pos] <= '9') {
        pos++;
    }
    return pos - start;
}

/* Moves over a number of the grammar. */
static bool scan_number(reader *r) {
    size_t pos = r->pos;
    pos += r->text[pos] == '-';
    size_t whole = digits_at(r, pos);
    if (whole == 0 || (whole > 1 && r->text[pos] == '0')) {
        return false;
    }
    pos += whole;
    if (pos < r->len && r->text[pos] == '.') {
        size_t fraction = digits_at(r, pos + 1);
        if (fraction == 0) {
            return false;
        }
        pos += 1 + fraction;
    }
    if (pos < r->len && (r->text[pos] | 0x20) == 'e') {
        pos++;
        if (pos < r->len && (r->text[pos] == '+' || r->text[pos] == '-')) {
            pos++;
        }
        size_t exponent = digits_at(r, pos);
        if (exponent == 0) {
            return false;
        }
        pos += exponent;
    }
    r->pos = pos;
    return true;
}

static bool scan_word(reader *r, const char *word) {
    size_t len = strlen(word);
    if (r->len - r->pos < len || memcmp(r->text + r->pos, word, len) != 0) {
        return false;
    }
    r->pos += len;
    return true;
}

/* ---- building ---- */

static arx_result new_node(reader *r, arx_json **node) {
    if (r->max_nodes != 0 && r->doc->live >= r->max_nodes) {
        return ARX_OVER_LIMIT;
    }
    *node = arx_json_new(r->doc, ARX_JSON_NULL);
    return *node != NULL ? ARX_OK : ARX_NO_MEMORY;
}

/* Puts a node behind the last of the open list's ring. */
static void ring_append(arx_json *list, arx_json *node) {
    arx_json *last = list->as.list.last;
    if (last != NULL) {
        node->next = last->next;
        last->next = node;
    } else {
        node->next = node;
    }
    list->as.list.last = node;
    list->as.list.count++;
}

/* The node for a value that starts here. */
static arx_result place_value(reader *r, arx_json_type type, arx_json **node) {
    if (r->member != NULL) {
        *node = r->member;
        r->member = NULL;
    } else {
        arx_result result = new_node(r, node);
        if (result != ARX_OK) {
            return result;
        }
        if (r->open != NULL) {
            ring_append(r->open, *node);
        } else {
            r->root = *node;
        }
    }
    (*node)->type = type;
    return ARX_OK;
}

static names *names_of_open(reader *r) {
    names *top = r->names_count != 0 ? &r->names[r->names_count - 1] : NULL;
    return top != NULL && top->object == r->open ? top : NULL;
}

/* Starts an index for the open object and puts its members in. */
static arx_result index_names(reader *r) {
    if (r->names_count == r->names_cap) {
        size_t cap = r->names_cap + r->names_cap / 2 + 4;
        if (cap > SIZE_MAX / sizeof *r->names) {
            return ARX_NO_MEMORY;
        }
        names *grown = realloc(r->names, cap * sizeof *grown);
        if (grown == NULL) {
            return ARX_NO_MEMORY;
        }
        for (size_t i = r->names_cap; i < cap; i++) {
            arx_json_index_init(&grown[i].index, ARX_JSON_BY_KEY);
        }
        r->names = grown;
        r->names_cap = cap;
    }
    names *top = &r->names[r->names_count++];
    top->object = r->open;
    arx_json_index_clear(&top->index);
    arx_json *member = r->open->as.list.last;
    for (size_t i = r->open->as.list.count; i > 0; i--) {
        member = member->next;
        arx_json *found;
        arx_result result = arx_json_index_add(&top->index, member, &found);
        if (result != ARX_OK) {
            return result;
        }
    }
    return ARX_OK;
}

static arx_json *find_member(reader *r, const uint8_t *key, size_t len) {
    names *top = names_of_open(r);
    if (top != NULL) {
        return arx_json_index_find(&top->index, key, len);
    }
    arx_json *member = r->open->as.list.last;
    for (size_t i = r->open->as.list.count; i > 0; i--) {
        member = member->next;
        if (member->key_len == len && memcmp(member->key, key, len) == 0) {
            return member;
        }
    }
    return NULL;
}

/*
 * Makes `member` the place for the value behind a name. A repeated name keeps its place; its old
 * value is given back before the new one is read, so that only values that count are held.
 */
static arx_result place_member(reader *r, const uint8_t *key, size_t len) {
    arx_json *member = find_member(r, key, len);
    if (member != NULL) {
        arx_json_doc_unbytes(r->doc, key, len);
        if (member->type == ARX_JSON_ARRAY || member->type == ARX_JSON_OBJECT) {
            arx_json_doc_recycle(r->doc, member->as.list.first);
        }
        member->type = ARX_JSON_NULL;
        r->member = member;
        return ARX_OK;
    }
    if ((uint32_t)len != len) {
        return ARX_NO_MEMORY;
    }
    arx_result result = new_node(r, &member);
    if (result != ARX_OK) {
        return result;
    }
    member->key = key;
    member->key_len = (uint32_t)len;
    ring_append(r->open, member);
    r->member = member;
    names *top = names_of_open(r);
    if (top != NULL) {
        arx_json *found;
        return arx_json_index_add(&top->index, member, &found);
    }
    return r->open->as.list.count > SCAN_MEMBERS_MAX ? index_names(r) : ARX_OK;
}

/* ---- nesting ---- */

static bool in_object(const reader *r) {
    size_t level = r->depth - 1;
    return (r->nesting[level / 8] >> (level % 8) & 1) != 0;
}

static arx_result open_list(reader *r, arx_json_type type) {
    if (r->depth / 8 >= r->nesting_cap) {
        size_t cap = r->nesting_cap < 64 ? 64 : r->nesting_cap * 2;
        uint8_t *nesting = realloc(r->nesting, cap);
        if (nesting == NULL) {
            return ARX_NO_MEMORY;
        }
        r->nesting = nesting;
        r->nesting_cap = cap;
    }
    uint8_t bit = (uint8_t)(1u << r->depth % 8);
    uint8_t *byte = &r->nesting[r->depth / 8];
    *byte = (uint8_t)(type == ARX_JSON_OBJECT ? *byte | bit : *byte & ~bit);
    r->depth++;
    r->pos++;
    if (r->doc == NULL) {
        return ARX_OK;
    }
    arx_json *node;
    arx_result result = place_value(r, type, &node);
    if (result != ARX_OK) {
        return result;
    }
    node->as.list.first = r->open;
    node->as.list.last = NULL;
    node->as.list.count = 0;
    r->open = node;
    return ARX_OK;
}

static void close_list(reader *r) {
    r->depth--;
    r->pos++;
    if (r->doc == NULL) {
        return;
    }
    arx_json *list = r->open;
    if (names_of_open(r) != NULL) {
        r->names_count--;
    }
    r->open = list->as.list.first;
    arx_json *last = list->as.list.last;
    if (last == NULL) {
        list->as.list.first = NULL;
        return;
    }
    list->as.list.first = last->next;
    last->next = NULL;
    if (list->type == ARX_JSON_OBJECT) {
        arx_json_order_members(list);
    }
}

/* ---- the machine ---- */

typedef enum expecting {
    VALUE,
    VALUE_OR_END, /* behind [ */
    NAME,
    NAME_OR_END,  /* behind { */
    COMMA_OR_END, /* behind a value; at level 0: the end of the text */
} expecting;

static void skip_space(reader *r) {
    while (r->pos < r->len) {
        uint8_t c = r->text[r->pos];
        if (c != ' ' && c != '\n' && c != '\t' && c != '\r') {
            return;
        }
        r->pos++;
    }
}

static arx_result read_scalar(reader *r) {
    size_t start = r->pos;
    arx_json_type type;
    const uint8_t *data = NULL;
    size_t len = 0;
    arx_result result;
    switch (r->text[r->pos]) {
    case '"':
        type = ARX_JSON_STRING;
        r->pos++;
        result = read_string(r, &data, &len);
        break;
    case 't':
        type = ARX_JSON_TRUE;
        result = scan_word(r, "true") ? ARX_OK : ARX_MALFORMED;
        break;
    case 'f':
        type = ARX_JSON_FALSE;
        result = scan_word(r, "false") ? ARX_OK : ARX_MALFORMED;
        break;
    case 'n':
        type = ARX_JSON_NULL;
        result = scan_word(r, "null") ? ARX_OK : ARX_MALFORMED;
        break;
    default:
        type = ARX_JSON_NUMBER;
        result = scan_number(r) ? ARX_OK : ARX_MALFORMED;
        break;
    }
    if (result != ARX_OK || r->doc == NULL) {
        return result;
    }
    arx_json *node;
    result = place_value(r, type, &node);
    if (result != ARX_OK) {
        return result;
    }
    if (type == ARX_JSON_NUMBER) {
        node->as.number = arx_json_number_value(r->text + start, r->pos - start);
    } else if (type == ARX_JSON_STRING) {
        node->as.string.data = data;
        node->as.string.len = len;
    }
    return ARX_OK;
}

static arx_result read_name(reader *r) {
    if (r->text[r->pos] != '"') {
        return ARX_MALFORMED;
    }
    r->pos++;
    const uint8_t *key = NULL;
    size_t len = 0;
    arx_result result = read_string(r, &key, &len);
    if (result != ARX_OK) {
        return result;
    }
    skip_space(r);
    if (r->pos == r->len || r->text[r->pos] != ':') {
        return ARX_MALFORMED;
    }
    r->pos++;
    return r->doc != NULL ? place_member(r, key, len) : ARX_OK;
}

static arx_result read_text(reader *r) {
    expecting expect = VALUE;
    arx_result result = ARX_OK;
    while (result == ARX_OK) {
        skip_space(r);
        if (r->pos == r->len) {
            return expect == COMMA_OR_END && r->depth == 0 ? ARX_OK : ARX_MALFORMED;
        }
        uint8_t c = r->text[r->pos];
        if ((expect == VALUE_OR_END && c == ']') || (expect == NAME_OR_END && c == '}')) {
            close_list(r);
            expect = COMMA_OR_END;
        } else if (expect == VALUE || expect == VALUE_OR_END) {
            if (c == '[') {
                result = open_list(r, ARX_JSON_ARRAY);
                expect = VALUE_OR_END;
            } else if (c == '{') {
                result = open_list(r, ARX_JSON_OBJECT);
                expect = NAME_OR_END;
            } else {
                result = read_scalar(r);
                expect = COMMA_OR_END;
            }
        } else if (expect == NAME || expect == NAME_OR_END) {
            result = read_name(r);
            expect = VALUE;
        } else if (r->depth == 0) {
            result = ARX_MALFORMED;
        } else if (c == ',') {
            r->pos++;
            expect = in_object(r) ? NAME : VALUE;
        } else if (c == (in_object(r) ? '}' : ']')) {
            close_list(r);
        } else {
            result = ARX_MALFORMED;
        }
    }
    return result;
}

static void reader_free(reader *r) {
    for (size_t i = 0; i < r->names_cap; i++) {
        arx_json_index_free(&r->names[i].index);
    }
    free(r->names);
    free(r->nesting);
}

static arx_result check_text(const uint8_t *text, size_t len) {
    reader r = {.text = text, .len = len};
    arx_result result = read_text(&r);
    reader_free(&r);
    return result;
}

arx_result arx_json_parse(const uint8_t *text, size_t len, size_t max_nodes, arx_json_doc **doc,
                          arx_json **root) {
    reader r = {.text = text, .len = len, .max_nodes = max_nodes};
    r.doc = arx_json_doc_create();
    if (r.doc == NULL) {
        return ARX_NO_MEMORY;
    }
    arx_result result = read_text(&r);
    reader_free(&r);
    if (result == ARX_OK) {
        *doc = r.doc;
        *root = r.root;
        return ARX_OK;
    }
    arx_json_doc_free(r.doc);
    if (result == ARX_OVER_LIMIT) {
        /* Whether the text is JSON at all is still to be said; that needs no document. */
        result = check_text(text, len);
        return result == ARX_OK ? ARX_OVER_LIMIT : result;
    }
    return result;
}
