/*
 * envelope.c - names and tables of the envelope, and access to what is in one. See envelope.h.
 */
#include "envelope_internal.h"

#include <string.h>

static const struct {
    const char *name;
    char tag;
} codecs[ARX_CODEC_COUNT] = {
    [ARX_CODEC_PLAIN] = {"plain", 'p'},     [ARX_CODEC_LZ] = {"lz", 'l'},
    [ARX_CODEC_DEFLATE] = {"deflate", 'd'}, [ARX_CODEC_ARX] = {"arx", 'a'},
    [ARX_CODEC_ARX2] = {"arx2", 'b'},       [ARX_CODEC_ARX3] = {"arx3", 'c'},
    [ARX_CODEC_ARX4] = {"arx4", 'e'},       [ARX_CODEC_ARX5] = {"arx5", 'f'},
};

/* clang-format off */
#define TEXT_FIELDS {"id", "i"}, {"kind", "k"}, {"title", "t"}, {"filename", "f"}, {"content", "c"}
#define TEXT_TUPLE  "id", "content", "title", "filename"

const arx_kind_form arx_kind_forms[ARX_KIND_COUNT] = {
    [ARX_KIND_MARKDOWN] = {"markdown", 'm', {TEXT_FIELDS}, {TEXT_TUPLE}},
    [ARX_KIND_CODE] = {"code", 'c', {TEXT_FIELDS, {"language", "l"}},
        {"id", "content", "language", "title", "filename"}},
    [ARX_KIND_DIFF] = {"diff", 'd',
        {{"id", "i"}, {"kind", "k"}, {"title", "t"}, {"filename", "f"}, {"patch", "p"},
         {"oldContent", "o"}, {"newContent", "n"}, {"language", "l"}, {"view", "w"}},
        {"id", "patch", "oldContent", "newContent", "language", "view", "title", "filename"}},
    [ARX_KIND_CSV] = {"csv", 's', {TEXT_FIELDS}, {TEXT_TUPLE}},
    [ARX_KIND_JSON] = {"json", 'j', {TEXT_FIELDS}, {TEXT_TUPLE}},
};
/* clang-format on */

static bool text_is(const uint8_t *text, size_t len, const char *str) {
    return len == strlen(str) && memcmp(text, str, len) == 0;
}

const char *arx_codec_name(arx_codec codec) {
    return codecs[codec].name;
}

char arx_codec_tag(arx_codec codec) {
    return codecs[codec].tag;
}

bool arx_codec_from_name(const uint8_t *name, size_t len, arx_codec *codec) {
    for (int i = 0; i < ARX_CODEC_COUNT; i++) {
        if (text_is(name, len, codecs[i].name)) {
            *codec = (arx_codec)i;
            return true;
        }
    }
    return false;
}

bool arx_codec_from_tag(uint8_t tag, arx_codec *codec) {
    for (int i = 0; i < ARX_CODEC_COUNT; i++) {
        if (tag == (uint8_t)codecs[i].tag) {
            *codec = (arx_codec)i;
            return true;
        }
    }
    return false;
}

const char *arx_kind_name(arx_kind kind) {
    return arx_kind_forms[kind].name;
}

bool arx_kind_from_name(const uint8_t *name, size_t len, arx_kind *kind) {
    for (int i = 0; i < ARX_KIND_COUNT; i++) {
        if (text_is(name, len, arx_kind_forms[i].name)) {
            *kind = (arx_kind)i;
            return true;
        }
    }
    return false;
}

arx_result arx_envelope_add(arx_json *object, const char *key, arx_json *value) {
    if (value == NULL) {
        return ARX_NO_MEMORY;
    }
    value->key = (const uint8_t *)key;
    value->key_len = (uint32_t)strlen(key);
    arx_json_append(object, value);
    return ARX_OK;
}

arx_result arx_envelope_add_copy(arx_json_doc *doc, arx_json *object, const char *key,
                                 const arx_json *value) {
    return value == NULL ? ARX_OK : arx_envelope_add(object, key, arx_json_alias(doc, value));
}

arx_json *arx_envelope_literal(arx_json_doc *doc, const char *text) {
    arx_json *value = arx_json_new(doc, ARX_JSON_STRING);
    if (value != NULL) {
        value->as.string.data = (const uint8_t *)text;
        value->as.string.len = strlen(text);
    }
    return value;
}

bool arx_envelope_has_text(const arx_json *value) {
    return arx_json_is(value, ARX_JSON_STRING) && value->as.string.len != 0;
}

bool arx_envelope_has_pair(const arx_json *diff, const char *old_key, const char *new_key) {
    return arx_json_get_string(diff, old_key) != NULL && arx_json_get_string(diff, new_key) != NULL;
}

static arx_json *first_artifact(const arx_json *envelope) {
    const arx_json *artifacts = arx_json_get(envelope, "artifacts");
    return arx_json_is(artifacts, ARX_JSON_ARRAY) ? artifacts->as.list.first : NULL;
}

arx_json *arx_envelope_find(const arx_json *envelope, const uint8_t *id, size_t id_len) {
    for (arx_json *artifact = first_artifact(envelope); artifact != NULL;
         artifact = artifact->next) {
        const arx_json *its = arx_json_get_string(artifact, "id");
        if (its != NULL && its->as.string.len == id_len &&
            memcmp(its->as.string.data, id, id_len) == 0) {
            return artifact;
        }
    }
    return NULL;
}

arx_json *arx_envelope_active(const arx_json *envelope) {
    const arx_json *id = arx_json_get_string(envelope, "activeArtifactId");
    arx_json *active =
        id != NULL ? arx_envelope_find(envelope, id->as.string.data, id->as.string.len) : NULL;
    return active != NULL ? active : first_artifact(envelope);
}

arx_kind arx_artifact_kind(const arx_json *artifact) {
    const arx_json *name = arx_json_get_string(artifact, "kind");
    arx_kind kind = ARX_KIND_MARKDOWN;
    if (name != NULL) {
        (void)arx_kind_from_name(name->as.string.data, name->as.string.len, &kind);
    }
    return kind;
}

static void append_string(const arx_json *value, arx_buf *out) {
    if (arx_json_is(value, ARX_JSON_STRING)) {
        arx_buf_append(out, value->as.string.data, value->as.string.len);
    }
}

void arx_artifact_body(const arx_json *artifact, arx_buf *out) {
    if (arx_artifact_kind(artifact) != ARX_KIND_DIFF) {
        append_string(arx_json_get(artifact, "content"), out);
        return;
    }
    const arx_json *patch = arx_json_get(artifact, "patch");
    if (arx_envelope_has_text(patch)) {
        append_string(patch, out);
        return;
    }
    const arx_json *old = arx_json_get(artifact, "oldContent");
    append_string(old, out);
    if (arx_envelope_has_text(old) && old->as.string.data[old->as.string.len - 1] != '\n') {
        arx_buf_append_byte(out, '\n');
    }
    arx_buf_append_str(out, "---\n");
    append_string(arx_json_get(artifact, "newContent"), out);
}
