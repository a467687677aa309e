/*
 * envelope_packed.c - the two forms that are objects: unpacked and packed (format.md 1.1, 1.2, 10).
 */
#include "envelope_internal.h"

#include <string.h>

static void write_codec(arx_codec codec, arx_buf *out) {
    const char *name = arx_codec_name(codec);
    arx_json_write_string((const uint8_t *)name, strlen(name), out);
}

void arx_envelope_write_unpacked(const arx_json *envelope, arx_codec codec, arx_buf *out) {
    static const uint8_t codec_key[] = {'c', 'o', 'd', 'e', 'c'};
    bool written = false;
    arx_buf_append_byte(out, '{');
    if (arx_json_is(envelope, ARX_JSON_OBJECT)) {
        for (const arx_json *member = envelope->as.list.first; member != NULL;
             member = member->next) {
            arx_json_write_string(member->key, member->key_len, out);
            arx_buf_append_byte(out, ':');
            if (member->key_len == sizeof codec_key &&
                memcmp(member->key, codec_key, sizeof codec_key) == 0) {
                write_codec(codec, out);
                written = true;
            } else {
                arx_json_write(member, out);
            }
            if (member->next != NULL || !written) {
                arx_buf_append_byte(out, ',');
            }
        }
    }
    if (!written) {
        arx_buf_append_str(out, "\"codec\":");
        write_codec(codec, out);
    }
    arx_buf_append_byte(out, '}');
}

/* `,"key":value` for a member that is there; without the comma for the first of an object. */
static void write_member(const arx_json *object, arx_field field, bool *first, arx_buf *out) {
    const arx_json *value = arx_json_get(object, field.name);
    if (value == NULL) {
        return;
    }
    arx_buf_append_str(out, *first ? "\"" : ",\"");
    arx_buf_append_str(out, field.packed);
    arx_buf_append_str(out, "\":");
    arx_json_write(value, out);
    *first = false;
}

static void write_packed_artifact(const arx_json *artifact, arx_buf *out) {
    bool first = true;
    arx_buf_append_byte(out, '{');
    for (const arx_field *field = arx_kind_forms[arx_artifact_kind(artifact)].fields;
         field->name != NULL; field++) {
        write_member(artifact, *field, &first, out);
    }
    arx_buf_append_byte(out, '}');
}

void arx_envelope_write_packed(const arx_json *envelope, arx_codec codec, arx_buf *out) {
    bool first = false;
    arx_buf_append_str(out, "{\"p\":1");
    write_member(envelope, (arx_field){"v", "v"}, &first, out);
    arx_buf_append_str(out, ",\"c\":");
    write_codec(codec, out);
    write_member(envelope, (arx_field){"title", "t"}, &first, out);
    write_member(envelope, (arx_field){"activeArtifactId", "a"}, &first, out);
    arx_buf_append_str(out, ",\"r\":[");
    const arx_json *artifacts = arx_json_get(envelope, "artifacts");
    if (arx_json_is(artifacts, ARX_JSON_ARRAY)) {
        for (const arx_json *artifact = artifacts->as.list.first; artifact != NULL;
             artifact = artifact->next) {
            write_packed_artifact(artifact, out);
            if (artifact->next != NULL) {
                arx_buf_append_byte(out, ',');
            }
        }
    }
    arx_buf_append_str(out, "]}");
}

static bool is_one(const arx_json *value) {
    return arx_json_is(value, ARX_JSON_NUMBER) && value->as.number == 1;
}

static bool packed_kind(const arx_json *artifact, arx_kind *kind) {
    const arx_json *name = arx_json_get_string(artifact, "k");
    return name != NULL && arx_kind_from_name(name->as.string.data, name->as.string.len, kind);
}

static bool looks_packed(const arx_json *artifact) {
    arx_kind kind;
    if (arx_json_get_string(artifact, "i") == NULL || !packed_kind(artifact, &kind)) {
        return false;
    }
    if (kind != ARX_KIND_DIFF) {
        return arx_json_get_string(artifact, "c") != NULL;
    }
    return arx_json_get_string(artifact, "p") != NULL || arx_envelope_has_pair(artifact, "o", "n");
}

static bool is_packed(const arx_json *value) {
    const arx_json *artifacts = arx_json_get(value, "r");
    if (!is_one(arx_json_get(value, "p")) || !is_one(arx_json_get(value, "v")) ||
        arx_json_get_string(value, "c") == NULL || !arx_json_is(artifacts, ARX_JSON_ARRAY) ||
        artifacts->as.list.first == NULL) {
        return false;
    }
    for (const arx_json *artifact = artifacts->as.list.first; artifact != NULL;
         artifact = artifact->next) {
        if (!looks_packed(artifact)) {
            return false;
        }
    }
    return true;
}

static arx_json *expand_artifact(arx_json_doc *doc, const arx_json *packed) {
    arx_json *artifact = arx_json_new(doc, ARX_JSON_OBJECT);
    if (artifact == NULL) {
        return NULL;
    }
    arx_kind kind = ARX_KIND_MARKDOWN;
    (void)packed_kind(packed, &kind); /* is_packed() has seen it */
    for (const arx_field *field = arx_kind_forms[kind].fields; field->name != NULL; field++) {
        if (arx_envelope_add_copy(doc, artifact, field->name,
                                  arx_json_get(packed, field->packed)) != ARX_OK) {
            return NULL;
        }
    }
    return artifact;
}

arx_result arx_envelope_expand(arx_json_doc *doc, arx_json *value, arx_json **envelope) {
    if (!is_packed(value)) {
        *envelope = value;
        return ARX_OK;
    }
    arx_json *expanded = arx_json_new(doc, ARX_JSON_OBJECT);
    arx_json *artifacts = arx_json_new(doc, ARX_JSON_ARRAY);
    if (expanded == NULL || artifacts == NULL) {
        return ARX_NO_MEMORY;
    }
    for (const arx_json *packed = arx_json_get(value, "r")->as.list.first; packed != NULL;
         packed = packed->next) {
        arx_json *artifact = expand_artifact(doc, packed);
        if (artifact == NULL) {
            return ARX_NO_MEMORY;
        }
        arx_json_append(artifacts, artifact);
    }
    /* The active id has its place even when none is given; the normaliser fills it. */
    const arx_json *active = arx_json_get_string(value, "a");
    arx_result result = arx_envelope_add_copy(doc, expanded, "v", arx_json_get(value, "v"));
    if (result == ARX_OK) {
        result = arx_envelope_add_copy(doc, expanded, "codec", arx_json_get(value, "c"));
    }
    if (result == ARX_OK) {
        result = arx_envelope_add_copy(doc, expanded, "title", arx_json_get_string(value, "t"));
    }
    if (result == ARX_OK) {
        result = arx_envelope_add(expanded, "activeArtifactId",
                                  active != NULL ? arx_json_alias(doc, active)
                                                 : arx_json_new(doc, ARX_JSON_NULL));
    }
    if (result == ARX_OK) {
        result = arx_envelope_add(expanded, "artifacts", artifacts);
    }
    if (result == ARX_OK) {
        *envelope = expanded;
    }
    return result;
}
