/*
 * envelope_internal.h - what the files of the envelope module share. Nobody else includes it.
 */
#ifndef ARX_ENVELOPE_INTERNAL_H
#define ARX_ENVELOPE_INTERNAL_H

#include "envelope.h"

/* A field of an envelope or artifact: its key in an unpacked and in a packed envelope. */
typedef struct arx_field {
    const char *name;
    const char *packed;
} arx_field;

#define ARX_FIELDS_MAX 9

/* How artifacts of one kind are written. The lists end with a NULL name. */
typedef struct arx_kind_form {
    const char *name;
    char tuple_code;
    arx_field fields[ARX_FIELDS_MAX + 1];  /* in the order of sections 1.1 and 1.2 */
    const char *tuple[ARX_FIELDS_MAX + 1]; /* behind the kind code, in the order of section 4 */
} arx_kind_form;

extern const arx_kind_form arx_kind_forms[ARX_KIND_COUNT];

/*
 * Appends a member that is known to be new: arx_json_set() without looking for the key. A NULL
 * value answers ARX_NO_MEMORY.
 */
arx_result arx_envelope_add(arx_json *object, const char *key, arx_json *value) ARX_MUST_CHECK;
/* The same for a copy of `value`, which may be NULL: then nothing is added. */
arx_result arx_envelope_add_copy(arx_json_doc *doc, arx_json *object, const char *key,
                                 const arx_json *value) ARX_MUST_CHECK;
/* A string value whose text is a literal; it is not copied. NULL without memory. */
arx_json *arx_envelope_literal(arx_json_doc *doc, const char *text);

/* A string that is not empty. */
bool arx_envelope_has_text(const arx_json *value);
/* Both texts of a diff's old/new pair are strings. */
bool arx_envelope_has_pair(const arx_json *diff, const char *old_key, const char *new_key);

/*
 * Expands a packed value (section 10). `*envelope` is the expanded one, or `value` itself where
 * that is not packed.
 */
arx_result arx_envelope_expand(arx_json_doc *doc, arx_json *value,
                               arx_json **envelope) ARX_MUST_CHECK;

#endif
