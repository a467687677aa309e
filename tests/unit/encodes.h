/*
 * encodes.h - what the encode programs share: one-call encoding, comparing a winner with a vector.
 */
#ifndef TEST_ENCODES_H
#define TEST_ENCODES_H

#include "fragments.h"

/* A list in a vector file, which is read once. */
static inline const arx_json *vector_list(const char *file, const char *member) {
    static struct {
        char file[32];
        const arx_json *root;
    } cache[8];
    for (size_t i = 0; i < sizeof cache / sizeof cache[0]; i++) {
        if (cache[i].root == NULL) {
            assert_true(strlen(file) < sizeof cache[i].file);
            memcpy(cache[i].file, file, strlen(file));
            cache[i].root = vector_load(file);
        }
        if (strcmp(cache[i].file, file) == 0) {
            const arx_json *list = arx_json_get(cache[i].root, member);
            assert_true(arx_json_is(list, ARX_JSON_ARRAY) && list->as.list.count > 0);
            return list->as.list.first;
        }
    }
    fail_msg("too many vector files");
    return NULL;
}

/* Encodes, and fails the test if that fails. Free with arx_encoded_free(). */
static inline arx_encoded encode(arx_coder *coder, const arx_assets *assets,
                                 const arx_json *envelope, const arx_encode_options *options) {
    arx_encoded encoded;
    arx_error error = {0};
    arx_code code = arx_encode(coder, assets, envelope, options, &encoded, &error);
    if (code != ARX_CODE_OK) {
        fail_msg("%s: %.*s", arx_code_name(code), (int)error.message.len,
                 (const char *)error.message.data);
    }
    return encoded;
}

static inline arx_encode_options with_codec(arx_codec codec) {
    arx_encode_options options;
    arx_encode_options_init(&options);
    options.has_codec = true;
    options.codec = codec;
    return options;
}

static inline arx_encode_options automatic(void) {
    arx_encode_options options;
    arx_encode_options_init(&options);
    return options;
}

static inline size_t number_of(const arx_json *object, const char *key) {
    const arx_json *value = arx_json_get(object, key);
    assert_true(arx_json_is(value, ARX_JSON_NUMBER));
    return (size_t)value->as.number;
}

/* The row's name, until the next call. */
static inline const char *name_of(const arx_json *row) {
    static char text[64];
    const arx_json *name = arx_json_get_string(row, "name");
    assert_non_null(name);
    assert_true(name->as.string.len < sizeof text);
    memcpy(text, name->as.string.data, name->as.string.len);
    text[name->as.string.len] = '\0';
    return text;
}

/* Is a fragment what `{fragment, transport, visible, utf16}` says? */
static inline bool same_fragment(const arx_json *expected, const arx_candidate *candidate,
                                 const uint8_t *fragment, size_t len, const char *what) {
    bool same = vector_matches(arx_json_get(expected, "fragment"), fragment, len, what);
    if (candidate->transport_units != number_of(expected, "transport") ||
        candidate->visible_units != number_of(expected, "visible") ||
        arx_text_units(fragment, len) != number_of(expected, "utf16")) {
        print_error("%s: transport %zu, visible %zu\n", what, candidate->transport_units,
                    candidate->visible_units);
        same = false;
    }
    const arx_json *wire = arx_json_get_string(expected, "wire");
    if (wire != NULL && !arx_json_string_is(wire, arx_wire_name(candidate->wire))) {
        print_error("%s: wire %s\n", what, arx_wire_name(candidate->wire));
        same = false;
    }
    return same;
}

/* Does the fragment decode to what the envelope normalises to, but for the codec's name? */
static inline bool goes_round(arx_coder *coder, const arx_assets *assets, const arx_json *envelope,
                              const uint8_t *fragment, size_t len) {
    arx_buf text;
    arx_json_doc *doc;
    arx_json *copy;
    arx_json *normal;
    const arx_json *id;
    arx_buf_init(&text, 0);
    arx_json_write(envelope, &text);
    assert_int_equal(arx_json_parse(text.data, text.len, 0, &doc, &copy), ARX_OK);
    assert_int_equal(arx_envelope_normalise(doc, copy, &normal, &id), ARX_ENVELOPE_OK);
    outcome o = decode(coder, assets, fragment, len, true);
    bool same = o.code == ARX_CODE_OK;
    if (same) {
        assert_int_equal(arx_json_set(normal, "codec", arx_json_new(doc, ARX_JSON_NULL)), ARX_OK);
        assert_int_equal(
            arx_json_set(o.decoded.envelope, "codec", arx_json_new(o.decoded.doc, ARX_JSON_NULL)),
            ARX_OK);
        same = same_value(normal, o.decoded.envelope);
    }
    outcome_free(&o);
    arx_json_doc_free(doc);
    arx_buf_free(&text);
    return same;
}

/* Does C's Brotli give the same bytes as the encoder the vectors were made with? */
static inline bool same_brotli(const char *name, const char *stream) {
    for (const arx_json *row = vector_list("brotli-c.json", "rows"); row != NULL; row = row->next) {
        if (arx_json_string_is(arx_json_get(row, "name"), name)) {
            return arx_json_is(arx_json_get(arx_json_get(row, stream), "same"), ARX_JSON_TRUE);
        }
    }
    fail_msg("no row %s", name);
    return false;
}

#endif
