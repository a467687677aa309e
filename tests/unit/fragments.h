/*
 * fragments.h - what the fragment programs share: a coder, one-call decoding, comparing with what a
 * vector says.
 */
#ifndef TEST_FRAGMENTS_H
#define TEST_FRAGMENTS_H

#include "vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One decode's outcome. */
typedef struct outcome {
    arx_code code;
    arx_decoded decoded; /* when code is ARX_CODE_OK */
    arx_error error;
} outcome;

static inline outcome decode(arx_coder *coder, const arx_assets *assets, const void *fragment,
                             size_t len, bool skip_budget) {
    outcome o = {0};
    uint8_t *copy = guard_copy(fragment, len);
    o.code = arx_decode(coder, assets, copy, len, skip_budget, &o.decoded, &o.error);
    guard_free(copy, len);
    if (o.code != ARX_CODE_OK) {
        assert_int_equal(o.error.code, o.code);
        assert_true(o.error.message.len > 0);
        assert_null(o.decoded.doc);
    }
    return o;
}

static inline void outcome_free(outcome *o) {
    arx_decoded_free(&o->decoded);
    arx_error_free(&o->error);
}

static inline arx_coder *new_coder(void) {
    arx_coder *coder = arx_coder_create(&arx_entropy_native, NULL);
    assert_non_null(coder);
    return coder;
}

/* A set without priors made from two dictionary files of a folder. */
static inline arx_assets *assets_without_priors(const char *folder) {
    char path[4096];
    arx_asset_files files = {0};
    assert_true(snprintf(path, sizeof path, "%s/arx-dictionary.json", folder) < (int)sizeof path);
    uint8_t *base = vector_read_file(path, &files.dictionary_len);
    assert_true(snprintf(path, sizeof path, "%s/arx2-dictionary.json", folder) < (int)sizeof path);
    uint8_t *overlay = vector_read_file(path, &files.overlay_len);
    files.dictionary = base;
    files.overlay = overlay;
    arx_assets *assets;
    assert_int_equal(arx_assets_create(&files, "0123456789abcdef", &assets, NULL), ARX_OK);
    free(base);
    free(overlay);
    return assets;
}

/* Equal values, whatever the order of keys. */
static inline bool same_value(const arx_json *a, const arx_json *b) {
    if (a->type != b->type) {
        return false;
    }
    switch (a->type) {
    case ARX_JSON_NUMBER:
        return a->as.number == b->as.number;
    case ARX_JSON_STRING:
        return arx_json_strings_equal(a, b);
    case ARX_JSON_ARRAY:
    case ARX_JSON_OBJECT:
        if (a->as.list.count != b->as.list.count) {
            return false;
        }
        const arx_json *y = b->as.list.first;
        for (const arx_json *x = a->as.list.first; x != NULL; x = x->next) {
            if (a->type == ARX_JSON_OBJECT) {
                for (y = b->as.list.first; y != NULL; y = y->next) {
                    if (x->key_len == y->key_len && memcmp(x->key, y->key, x->key_len) == 0) {
                        break;
                    }
                }
            }
            if (y == NULL || !same_value(x, y)) {
                return false;
            }
            y = y->next;
        }
        return true;
    default:
        return true;
    }
}

static inline void print_value(const char *what, const arx_json *value) {
    arx_buf text = {0};
    arx_json_write(value, &text);
    print_error("  %s %.*s\n", what, (int)(text.len > 600 ? 600 : text.len), text.data);
    arx_buf_free(&text);
}

/* A string value as text for messages. */
static inline const char *label_of(const arx_json *value) {
    static char text[128];
    size_t len = value == NULL ? 0 : value->as.string.len;
    len = len < sizeof text ? len : sizeof text - 1;
    if (len > 0) {
        memcpy(text, value->as.string.data, len);
    }
    text[len] = '\0';
    return text;
}

/*
 * The fragment that carries `text` (JSON, or a tuple) in a codec: not another encoder to test, only
 * the stages one after the other, so that any text can be sent. wire and prior as the codec has
 * them.
 */
static inline void make_fragment(arx_coder *coder, const arx_assets *assets, arx_codec codec,
                                 arx_wire wire, char prior, const void *text, size_t len,
                                 arx_buf *out) {
    arx_buf_append_byte(out, (uint8_t)arx_codec_tag(codec));
    if (codec == ARX_CODEC_LZ) {
        assert_int_equal(arx_lz_compress(text, len, out), ARX_OK);
        return;
    }
    if (codec == ARX_CODEC_PLAIN) {
        arx_base64url_encode(text, len, out);
        return;
    }
    arx_buf stage = {0};
    arx_buf coded = {0};
    if (codec == ARX_CODEC_DEFLATE) {
        assert_int_equal(arx_entropy_native.deflate_compress(text, len, &coded), ARX_OK);
        arx_base64url_encode(coded.data, coded.len, out);
        arx_buf_free(&coded);
        return;
    }
    if (codec == ARX_CODEC_ARX) {
        arx_dictionary_encode(arx_assets_base(assets), text, len, &stage);
    } else {
        arx_buf tuple = {0};
        arx_dictionary_encode(arx_assets_overlay(assets), text, len, &tuple);
        arx_dictionary_encode(arx_assets_base(assets), tuple.data, tuple.len, &stage);
        arx_buf_free(&tuple);
    }
    if (codec >= ARX_CODEC_ARX4) {
        arx_mixer *mixer;
        assert_int_equal(arx_coder_mixer(coder, assets, prior, &mixer), ARX_OK);
        assert_int_equal(arx_mixer_encode(mixer, stage.data, stage.len, &coded), ARX_OK);
        arx_buf_append_byte(out, (uint8_t)prior);
    } else {
        assert_int_equal(arx_entropy_native.brotli_compress(stage.data, stage.len, &coded), ARX_OK);
    }
    assert_int_equal(arx_wire_encode(wire, coded.data, coded.len, out), ARX_OK);
    arx_buf_free(&coded);
    arx_buf_free(&stage);
}

/* Does the outcome equal `{ok, envelope, rawLength}` or `{ok: false, code, message}`? */
static inline bool outcome_is(const outcome *o, const arx_json *expected, const char *label) {
    if (!arx_json_is(arx_json_get(expected, "ok"), ARX_JSON_TRUE)) {
        const arx_json *message = arx_json_get(expected, "message");
        if (o->code == ARX_CODE_OK ||
            !arx_json_string_is(arx_json_get(expected, "code"), arx_code_name(o->code)) ||
            !vector_matches(message, o->error.message.data, o->error.message.len, label)) {
            print_error("%s: got code %s\n", label, arx_code_name(o->code));
            return false;
        }
        return true;
    }
    if (o->code != ARX_CODE_OK) {
        print_error("%s: got code %s: %.*s\n", label, arx_code_name(o->code),
                    (int)o->error.message.len, (const char *)o->error.message.data);
        return false;
    }
    const arx_json *envelope = arx_json_get(expected, "envelope");
    if (envelope != NULL && !same_value(o->decoded.envelope, envelope)) {
        print_error("%s: another envelope\n", label);
        print_value("expected", envelope);
        print_value("got     ", o->decoded.envelope);
        return false;
    }
    size_t raw_length = (size_t)arx_json_get(expected, "rawLength")->as.number;
    if (o->decoded.visible_units != raw_length) {
        print_error("%s: visible length %zu, expected %zu\n", label, o->decoded.visible_units,
                    raw_length);
        return false;
    }
    return true;
}

#endif
