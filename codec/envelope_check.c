/*
 * envelope_check.c - the shape check and normalisation (format.md section 10).
 */
#include "envelope_internal.h"
#include "json_index.h"

static bool artifact_is_well_shaped(const arx_json *artifact) {
    const arx_json *name = arx_json_get_string(artifact, "kind");
    arx_kind kind;
    if (arx_json_get_string(artifact, "id") == NULL || name == NULL ||
        !arx_kind_from_name(name->as.string.data, name->as.string.len, &kind)) {
        return false;
    }
    if (kind != ARX_KIND_DIFF) {
        return arx_json_get_string(artifact, "content") != NULL;
    }
    const arx_json *view = arx_json_get(artifact, "view");
    return (arx_json_get_string(artifact, "patch") != NULL ||
            arx_envelope_has_pair(artifact, "oldContent", "newContent")) &&
           (view == NULL || arx_json_string_is(view, "unified") ||
            arx_json_string_is(view, "split"));
}

static bool is_well_shaped(const arx_json *envelope) {
    const arx_json *version = arx_json_get(envelope, "v");
    const arx_json *name = arx_json_get_string(envelope, "codec");
    const arx_json *artifacts = arx_json_get(envelope, "artifacts");
    arx_codec codec;
    if (!arx_json_is(version, ARX_JSON_NUMBER) || version->as.number != 1 || name == NULL ||
        !arx_codec_from_name(name->as.string.data, name->as.string.len, &codec) ||
        !arx_json_is(artifacts, ARX_JSON_ARRAY) || artifacts->as.list.first == NULL) {
        return false;
    }
    for (const arx_json *artifact = artifacts->as.list.first; artifact != NULL;
         artifact = artifact->next) {
        if (!artifact_is_well_shaped(artifact)) {
            return false;
        }
    }
    return true;
}

static bool diff_rule_holds(const arx_json *artifact) {
    return arx_artifact_kind(artifact) != ARX_KIND_DIFF ||
           arx_envelope_has_text(arx_json_get(artifact, "patch")) ||
           arx_envelope_has_pair(artifact, "oldContent", "newContent");
}

/*
 * Walks the artifacts of a well-shaped envelope. On ARX_ENVELOPE_OK `*active` is the id to open
 * with, else `*active` is the offending one.
 */
static arx_envelope_result check_artifacts(const arx_json *envelope, const arx_json **active) {
    const arx_json *first = arx_json_get(envelope, "artifacts")->as.list.first;
    const arx_json *asked = arx_json_get(envelope, "activeArtifactId");
    arx_envelope_result result = ARX_ENVELOPE_OK;
    arx_json_index ids;
    arx_json_index_init(&ids, ARX_JSON_BY_STRING);
    for (const arx_json *artifact = first; artifact != NULL; artifact = artifact->next) {
        arx_json *id = arx_json_get(artifact, "id");
        arx_json *same;
        *active = id;
        if (arx_json_index_add(&ids, id, &same) != ARX_OK) {
            result = ARX_ENVELOPE_NO_MEMORY;
            goto out;
        }
        if (same != NULL) {
            result = ARX_ENVELOPE_DUPLICATE;
            goto out;
        }
        if (!diff_rule_holds(artifact)) {
            result = ARX_ENVELOPE_DIFF;
            goto out;
        }
    }
    *active = arx_json_get(first, "id");
    if (arx_envelope_has_text(asked)) {
        const arx_json *named =
            arx_json_index_find(&ids, asked->as.string.data, asked->as.string.len);
        if (named != NULL) {
            *active = named;
        }
    }
out:
    arx_json_index_free(&ids);
    return result;
}

arx_envelope_result arx_envelope_normalise(arx_json_doc *doc, arx_json *value, arx_json **envelope,
                                           const arx_json **id) {
    arx_json *expanded;
    if (arx_envelope_expand(doc, value, &expanded) != ARX_OK) {
        return ARX_ENVELOPE_NO_MEMORY;
    }
    if (!is_well_shaped(expanded)) {
        return ARX_ENVELOPE_SHAPE;
    }
    const arx_json *named;
    arx_envelope_result result = check_artifacts(expanded, &named);
    if (result != ARX_ENVELOPE_OK) {
        if (result != ARX_ENVELOPE_NO_MEMORY) {
            *id = named;
        }
        return result;
    }
    if (arx_json_set(expanded, "activeArtifactId", arx_json_alias(doc, named)) != ARX_OK) {
        return ARX_ENVELOPE_NO_MEMORY;
    }
    *envelope = expanded;
    return ARX_ENVELOPE_OK;
}

void arx_envelope_message(arx_envelope_result result, const arx_json *id, arx_buf *out) {
    static const struct {
        const char *before_id;
        const char *behind_id; /* NULL where no id is named */
    } messages[] = {
        [ARX_ENVELOPE_OK] = {"The envelope is valid.", NULL},
        [ARX_ENVELOPE_NO_MEMORY] = {"Out of memory.", NULL},
        [ARX_ENVELOPE_SHAPE] = {"The decoded JSON did not match the payload envelope.", NULL},
        [ARX_ENVELOPE_DUPLICATE] = {"Duplicate artifact id \"",
                                    "\" is not allowed in a payload bundle."},
        [ARX_ENVELOPE_DIFF] = {"Diff artifact \"",
                               "\" must include a patch or an old/new content pair."},
    };
    arx_buf_append_str(out, messages[result].before_id);
    if (messages[result].behind_id != NULL) {
        if (arx_json_is(id, ARX_JSON_STRING)) {
            arx_buf_append(out, id->as.string.data, id->as.string.len);
        }
        arx_buf_append_str(out, messages[result].behind_id);
    }
}
