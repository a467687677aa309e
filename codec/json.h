/*
 * json.h - JSON by ECMAScript's rules: JSON.parse and JSON.stringify without indentation.
 *
 * Reader: strict grammar; doubles, Infinity for what is too large; object keys keep their order as
 * JavaScript keeps it (integer keys first, ascending; a repeated key keeps its first place and its
 * last value); \u escapes may leave lone surrogates, kept as WTF-8 (text.h). Iterative: depth is
 * bounded by memory only. Time is linear in the text, whatever its keys; memory is 48 bytes a value
 * (64-bit), the strings, and for the time of reading 24 bytes a key of open objects.
 * Writer: the only one in the project; format.md 1.3. Iterative too.
 *
 * A document owns every node and string in it; nodes are freed with the document, never alone.
 * Nodes may be linked into another place of the same document. One thread at a time; writing and
 * looking up only read, so any number of threads may do that at once.
 */
#ifndef ARX_JSON_H
#define ARX_JSON_H

#include "buffer.h"

typedef enum arx_json_type {
    ARX_JSON_NULL,
    ARX_JSON_FALSE,
    ARX_JSON_TRUE,
    ARX_JSON_NUMBER,
    ARX_JSON_STRING,
    ARX_JSON_ARRAY,
    ARX_JSON_OBJECT,
} arx_json_type;

typedef struct arx_json {
    arx_json_type type;
    uint32_t key_len;      /* bytes; 0 outside objects */
    const uint8_t *key;    /* member name, or NULL outside objects */
    struct arx_json *next; /* next element or member, or NULL */
    union {
        double number;
        struct {
            const uint8_t *data; /* WTF-8, owned by the document */
            size_t len;
        } string;
        struct {
            struct arx_json *first;
            struct arx_json *last;
            size_t count;
        } list; /* arrays and objects */
    } as;
} arx_json;

typedef struct arx_json_doc arx_json_doc;

/* An empty document to build values in. NULL without memory. */
arx_json_doc *arx_json_doc_create(void);
void arx_json_doc_free(arx_json_doc *doc); /* NULL is fine */

/*
 * Reads one JSON text. text: WTF-8, need not outlive the call. max_nodes: most values alive at any
 * moment (0: no limit), where the earlier value of a repeated key dies when the key comes again.
 * Text that is valid but holds more answers ARX_OVER_LIMIT, invalid text is always ARX_MALFORMED.
 * On ARX_OK `*root` is borrowed from `*doc`, which the caller frees; else both are left alone.
 */
arx_result arx_json_parse(const uint8_t *text, size_t len, size_t max_nodes, arx_json_doc **doc,
                          arx_json **root) ARX_MUST_CHECK;

/* Appends JSON.stringify(value). Failure shows in the buffer. */
void arx_json_write(const arx_json *value, arx_buf *out);

/* One string as a JSON literal, quotes included; and one number. For writers of fixed shapes. */
void arx_json_write_string(const uint8_t *text, size_t len, arx_buf *out);
void arx_json_write_number(double number, arx_buf *out);

/* Member by name, or NULL (also for a NULL or non-object value). */
arx_json *arx_json_get(const arx_json *object, const char *key);
/* The same, but NULL unless it is a string. */
arx_json *arx_json_get_string(const arx_json *object, const char *key);
/* Element by index, or NULL. Walks the list. */
arx_json *arx_json_at(const arx_json *array, size_t index);
bool arx_json_is(const arx_json *value, arx_json_type type); /* false for NULL */
bool arx_json_string_is(const arx_json *value, const char *str);
bool arx_json_strings_equal(const arx_json *a, const arx_json *b);

/* New values in the document; the string's bytes are copied. NULL without memory. */
arx_json *arx_json_new(arx_json_doc *doc, arx_json_type type);
arx_json *arx_json_new_number(arx_json_doc *doc, double number);
arx_json *arx_json_new_string(arx_json_doc *doc, const uint8_t *text, size_t len);
/* A copy of the node alone, sharing its string or list: for placing one value in two objects. */
arx_json *arx_json_alias(arx_json_doc *doc, const arx_json *value);

/* Appends `value` (not in any list yet) to an array. */
void arx_json_append(arx_json *array, arx_json *value);
/*
 * Sets a member: an existing one is replaced in its place, a new one goes last. `key` is borrowed:
 * it must outlive the document (a literal) and be no integer. Passing value NULL does nothing and
 * answers ARX_NO_MEMORY, so calls can be chained around arx_json_new_string().
 */
arx_result arx_json_set(arx_json *object, const char *key, arx_json *value) ARX_MUST_CHECK;

#endif
