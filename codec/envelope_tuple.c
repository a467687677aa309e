/*
 * envelope_tuple.c - the form that is an array: tuple text (format.md section 4).
 */
#include "envelope_internal.h"

#include <string.h>

/* The number an envelope tuple starts with. */
#define TUPLE_BUNDLE 2
#define TUPLE_SINGLE 3

/* ---- writing ---- */

/*
 * Elements that may be absent: those before a present one are written as null, those behind the
 * last present one not at all. So an absent one is only counted until it is known which.
 */
typedef struct optional_writer {
    arx_buf *out;
    size_t owed;
} optional_writer;

static void owe_or_pay(optional_writer *w, bool present) {
    if (!present) {
        w->owed++;
        return;
    }
    for (; w->owed > 0; w->owed--) {
        arx_buf_append_str(w->out, ",null");
    }
    arx_buf_append_byte(w->out, ',');
}

static void write_optional(optional_writer *w, const arx_json *value) {
    owe_or_pay(w, value != NULL);
    if (value != NULL) {
        arx_json_write(value, w->out);
    }
}

static void write_artifact(const arx_json *artifact, arx_buf *out) {
    const arx_kind_form *form = &arx_kind_forms[arx_artifact_kind(artifact)];
    const uint8_t head[] = {'[', '"', (uint8_t)form->tuple_code, '"'};
    arx_buf_append(out, head, sizeof head);
    optional_writer w = {.out = out};
    for (const char *const *name = form->tuple; *name != NULL; name++) {
        write_optional(&w, arx_json_get(artifact, *name));
    }
    arx_buf_append_byte(out, ']');
}

/* Index of the last artifact with the active id; 0 when there is none. */
static size_t active_index(const arx_json *envelope, const arx_json *artifacts) {
    const arx_json *active = arx_json_get(envelope, "activeArtifactId");
    size_t found = 0;
    size_t index = 0;
    for (const arx_json *artifact = artifacts->as.list.first; artifact != NULL;
         artifact = artifact->next) {
        if (arx_json_strings_equal(arx_json_get(artifact, "id"), active)) {
            found = index;
        }
        index++;
    }
    return found;
}

/* Replaces each raw U+007F behind `start` by its escape; it is a dictionary's control code. */
static void escape_delete(arx_buf *out, size_t start) {
    static const char escape[] = "\\u007f";
    const size_t grows_by = sizeof escape - 2;
    if (out->status != ARX_OK || out->len == start ||
        memchr(out->data + start, 0x7F, out->len - start) == NULL) {
        return;
    }
    size_t count = 0;
    for (size_t i = start; i < out->len; i++) {
        count += out->data[i] == 0x7F;
    }
    size_t from = out->len;
    if (count > SIZE_MAX / grows_by || arx_buf_extend(out, count * grows_by) == NULL) {
        return;
    }
    size_t to = out->len;
    while (from < to) {
        uint8_t byte = out->data[--from];
        if (byte == 0x7F) {
            to -= sizeof escape - 1;
            memcpy(out->data + to, escape, sizeof escape - 1);
        } else {
            out->data[--to] = byte;
        }
    }
}

void arx_envelope_write_tuple(const arx_json *envelope, arx_buf *out) {
    static const arx_json none = {.type = ARX_JSON_ARRAY};
    const size_t start = out->len;
    const arx_json *artifacts = arx_json_get(envelope, "artifacts");
    if (!arx_json_is(artifacts, ARX_JSON_ARRAY)) {
        artifacts = &none;
    }
    const bool single = artifacts->as.list.count == 1;
    arx_buf_append_byte(out, '[');
    arx_buf_append_u64(out, single ? TUPLE_SINGLE : TUPLE_BUNDLE);
    arx_buf_append_str(out, single ? "," : ",[");
    for (const arx_json *artifact = artifacts->as.list.first; artifact != NULL;
         artifact = artifact->next) {
        write_artifact(artifact, out);
        if (artifact->next != NULL) {
            arx_buf_append_byte(out, ',');
        }
    }
    if (!single) {
        arx_buf_append_byte(out, ']');
    }
    optional_writer w = {.out = out};
    write_optional(&w, arx_json_get(envelope, "title"));
    const size_t active = single ? 0 : active_index(envelope, artifacts);
    if (active > 0) {
        owe_or_pay(&w, true);
        arx_buf_append_u64(out, active);
    }
    arx_buf_append_byte(out, ']');
    escape_delete(out, start);
}

/* ---- reading ---- */

static bool kind_from_tuple_code(const arx_json *code, arx_kind *kind) {
    if (!arx_json_is(code, ARX_JSON_STRING) || code->as.string.len != 1) {
        return false;
    }
    for (int i = 0; i < ARX_KIND_COUNT; i++) {
        if (code->as.string.data[0] == (uint8_t)arx_kind_forms[i].tuple_code) {
            *kind = (arx_kind)i;
            return true;
        }
    }
    return false;
}

/* Absent, null or one of the two views. */
static bool view_is_allowed(const arx_json *view) {
    return view == NULL || view->type == ARX_JSON_NULL || arx_json_string_is(view, "unified") ||
           arx_json_string_is(view, "split");
}

static arx_result read_artifact(arx_json_doc *doc, const arx_json *tuple, arx_json **artifact) {
    const arx_json *code = arx_json_at(tuple, 0);
    arx_kind kind;
    if (!kind_from_tuple_code(code, &kind)) {
        return ARX_MALFORMED;
    }
    const arx_kind_form *form = &arx_kind_forms[kind];
    arx_json *object = arx_json_new(doc, ARX_JSON_OBJECT);
    if (object == NULL) {
        return ARX_NO_MEMORY;
    }
    const arx_json *element = code->next;
    for (size_t i = 0; form->tuple[i] != NULL; i++) {
        const bool required = i == 0 || (i == 1 && kind != ARX_KIND_DIFF);
        const bool present = arx_json_is(element, ARX_JSON_STRING);
        if (required && !present) {
            return ARX_MALFORMED;
        }
        if (strcmp(form->tuple[i], "view") == 0 && !view_is_allowed(element)) {
            return ARX_MALFORMED;
        }
        arx_result result =
            arx_envelope_add_copy(doc, object, form->tuple[i], present ? element : NULL);
        if (result == ARX_OK && i == 0) {
            result = arx_envelope_add(object, "kind", arx_envelope_literal(doc, form->name));
        }
        if (result != ARX_OK) {
            return result;
        }
        element = element != NULL ? element->next : NULL;
    }
    *artifact = object;
    return ARX_OK;
}

/* The artifact at the index a bundle states, else the first. */
static const arx_json *stated_active(const arx_json *artifacts, const arx_json *index) {
    if (arx_json_is(index, ARX_JSON_NUMBER) && index->as.number > 0 &&
        index->as.number < (double)artifacts->as.list.count &&
        index->as.number == (double)(size_t)index->as.number) {
        return arx_json_at(artifacts, (size_t)index->as.number);
    }
    return artifacts->as.list.first;
}

arx_result arx_envelope_from_tuple(arx_json_doc *doc, const arx_json *tuple, arx_codec codec,
                                   arx_json **envelope) {
    const arx_json *form = arx_json_at(tuple, 0);
    const arx_json *body = arx_json_at(tuple, 1);
    if (!arx_json_is(form, ARX_JSON_NUMBER) || body == NULL) {
        return ARX_MALFORMED;
    }
    const bool single = form->as.number == TUPLE_SINGLE;
    if (!single && (form->as.number != TUPLE_BUNDLE || body->type != ARX_JSON_ARRAY ||
                    body->as.list.first == NULL)) {
        return ARX_MALFORMED;
    }

    arx_json *artifacts = arx_json_new(doc, ARX_JSON_ARRAY);
    if (artifacts == NULL) {
        return ARX_NO_MEMORY;
    }
    const arx_json *element = single ? body : body->as.list.first;
    while (element != NULL) {
        arx_json *artifact;
        arx_result result = read_artifact(doc, element, &artifact);
        if (result != ARX_OK) {
            return result;
        }
        arx_json_append(artifacts, artifact);
        element = single ? NULL : element->next;
    }
    const arx_json *title = arx_json_at(tuple, 2);
    const arx_json *active = stated_active(artifacts, single ? NULL : arx_json_at(tuple, 3));

    arx_json *object = arx_json_new(doc, ARX_JSON_OBJECT);
    if (object == NULL) {
        return ARX_NO_MEMORY;
    }
    arx_result result = arx_envelope_add(object, "v", arx_json_new_number(doc, 1));
    if (result == ARX_OK) {
        result =
            arx_envelope_add(object, "codec", arx_envelope_literal(doc, arx_codec_name(codec)));
    }
    if (result == ARX_OK) {
        result = arx_envelope_add_copy(doc, object, "title",
                                       arx_json_is(title, ARX_JSON_STRING) ? title : NULL);
    }
    if (result == ARX_OK) {
        result = arx_envelope_add_copy(doc, object, "activeArtifactId", arx_json_get(active, "id"));
    }
    if (result == ARX_OK) {
        result = arx_envelope_add(object, "artifacts", artifacts);
    }
    if (result == ARX_OK) {
        *envelope = object;
    }
    return result;
}
