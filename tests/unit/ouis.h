/* ouis.h - the OUI vectors, and JSON texts inside them. Include behind vectors.h. */
#ifndef TEST_OUIS_H
#define TEST_OUIS_H

#include <stdlib.h>
#include <string.h>

#include "json.h"

/* A text parsed; the caller frees the document. */
static inline arx_json *oui_parse(const arx_json *text, arx_json_doc **doc) {
    arx_json *root;
    assert_true(arx_json_is(text, ARX_JSON_STRING));
    assert_int_equal(arx_json_parse(text->as.string.data, text->as.string.len, 0, doc, &root),
                     ARX_OK);
    return root;
}

/* Equal to a vector's string; says which case is not. */
static inline void oui_expect(const arx_json *expected, const arx_buf *got, const arx_json *of) {
    assert_int_equal(arx_buf_result(got), ARX_OK);
    if (!vector_matches(expected, got->data, got->len, "text")) {
        arx_buf text;
        arx_buf_init(&text, 0);
        arx_json_write(of, &text);
        fail_msg("in %.*s", (int)(text.len < 600 ? text.len : 600), (const char *)text.data);
    }
}

static inline size_t oui_number(const arx_json *of, const char *name) {
    const arx_json *value = arx_json_get(of, name);
    assert_true(arx_json_is(value, ARX_JSON_NUMBER));
    return (size_t)value->as.number;
}

static inline bool oui_flag(const arx_json *of, const char *name) {
    return arx_json_is(arx_json_get(of, name), ARX_JSON_TRUE);
}

/* The first item of a list; fails the test where there is none. */
static inline const arx_json *oui_first(const arx_json *list) {
    assert_non_null(list);
    assert_non_null(list->as.list.first);
    return list->as.list.first;
}

/* clang-format off */
#define OUI_EACH(item, of) for (const arx_json *item = oui_first(of); item != NULL; item = item->next)
/* clang-format on */

#endif
