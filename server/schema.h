/*
 * schema.h - JSON Schema (2020-12), as far as the action definitions use it: complete and strict
 * for that, and refusing every other word when a schema is read, so that nothing is left unchecked.
 *
 *     type (a word or several), enum, const
 *     properties, required, additionalProperties (true or false), minProperties
 *     items, minItems, maxItems
 *     minLength, maxLength (code points), pattern
 *     minimum, maximum
 *     title, description, default, x-unit: said, not checked
 *
 * A pattern is anchored at both ends and written with what ECMAScript's and POSIX's extended
 * regular expressions share: no backslash, no dot, no (?. "integer" is a number without a fraction.
 * Immutable once read; any thread.
 */
#ifndef ARXD_SCHEMA_H
#define ARXD_SCHEMA_H

#include "json.h"

typedef struct schema schema;

typedef enum schema_result {
    SCHEMA_OK = 0,
    SCHEMA_INVALID, /* the value does not fit */
    SCHEMA_NO_MEMORY,
} schema_result;

/* definition: borrowed as long as the schema lives. NULL with one line in `why`. */
schema *schema_open(const arx_json *definition, char *why, size_t why_size);
void schema_free(schema *self);

/* Why a value does not fit. */
typedef struct schema_fault {
    arx_buf path;     /* JSON Pointer to what is wrong, or to what lacks something */
    const char *rule; /* the keyword */
    arx_buf message;  /* a sentence */
} schema_fault;

void schema_fault_free(schema_fault *fault);

/* The first fault in the order of the value; `fault` is the caller's to free after SCHEMA_INVALID.
 */
schema_result schema_check(const schema *self, const arx_json *value,
                           schema_fault *fault) ARX_MUST_CHECK;

#endif
