/* index.c - see index.h. */
#include "index.h"

#include "fields.h"
#include "hash.h"
#include "summary.h"

static const struct {
    const char *effect;
    oui_access access;
} effects[] = {
    {"view", OUI_ACCESS_READ},    {"selection", OUI_ACCESS_READ}, {"navigate", OUI_ACCESS_READ},
    {"open", OUI_ACCESS_READ},    {"edit", OUI_ACCESS_WRITE},     {"file", OUI_ACCESS_WRITE},
    {"mutate", OUI_ACCESS_WRITE}, {"job", OUI_ACCESS_WRITE},      {"transaction", OUI_ACCESS_WRITE},
};

oui_access oui_effect_access(const arx_json *effect) {
    if (effect == NULL) {
        return OUI_ACCESS_WRITE;
    }
    for (size_t i = 0; i < sizeof effects / sizeof effects[0]; i++) {
        if (arx_json_string_is(effect, effects[i].effect)) {
            return effects[i].access;
        }
    }
    return OUI_ACCESS_NONE;
}

bool oui_requires_approval(const arx_json *effect, bool confirm) {
    return arx_json_string_is(effect, "transaction") ||
           (confirm && oui_effect_access(effect) == OUI_ACCESS_WRITE);
}

/* A member as it is, when it is there. */
static void copy_member(const arx_json *from, const char *name, arx_buf *out) {
    const arx_json *value = arx_json_get(from, name);
    if (value != NULL) {
        field_json(out, name, value);
    }
}

/* A text, when it is not empty. */
static void copy_text(const arx_json *from, const char *name, arx_buf *out) {
    const arx_json *value = arx_json_get_string(from, name);
    if (value != NULL && value->as.string.len > 0) {
        field_json(out, name, value);
    }
}

/* A flag, when it is set. */
static void copy_flag(const arx_json *from, const char *name, arx_buf *out) {
    if (arx_json_is(arx_json_get(from, name), ARX_JSON_TRUE)) {
        field_bool(out, name, true);
    }
}

static void field_taken(arx_buf *out, const char *name, arx_buf *text) {
    if (arx_buf_result(text) != ARX_OK) {
        out->status = ARX_NO_MEMORY;
    }
    field_string(out, name, text->data != NULL ? text->data : (const uint8_t *)"", text->len);
    arx_buf_free(text);
}

arx_result oui_index_entry(const arx_json *action, arx_buf *out) {
    char hash[OUI_DEFINITION_HASH_CHARS + 1];
    size_t bytes;
    arx_result result = oui_definition_hash(action, hash);
    if (result == ARX_OK) {
        result = oui_json_bytes(action, &bytes);
    }
    if (result != ARX_OK) {
        return result;
    }
    arx_buf description;
    arx_buf input;
    arx_buf_init(&description, 0);
    arx_buf_init(&input, 0);
    const arx_json *text = arx_json_get_string(action, "description");
    if (text != NULL) {
        oui_first_sentence(text->as.string.data, text->as.string.len, &description);
    }
    oui_input_summary(arx_json_get(action, "input"), &input);

    fields_begin(out);
    copy_member(action, "id", out);
    copy_text(action, "title", out);
    field_taken(out, "description", &description);
    copy_member(action, "effect", out);
    copy_flag(action, "confirm", out);
    copy_flag(action, "async", out);
    copy_text(action, "estimatedDuration", out);
    copy_member(arx_json_get(action, "polling"), "maxDurationMs", out);
    field_taken(out, "input", &input);
    field_text(out, "definitionHash", hash);
    field_count(out, "definitionBytes", bytes);
    fields_end(out);
    return arx_buf_result(out);
}

arx_result oui_surface_index(const arx_json *surface, arx_buf *out) {
    fields_begin(out);
    copy_member(surface, "id", out);
    copy_member(surface, "name", out);
    copy_member(surface, "description", out);
    copy_member(surface, "version", out);
    copy_member(surface, "observations", out);
    field_name(out, "index");
    list_begin(out);
    const arx_json *actions = arx_json_get(surface, "actions");
    const arx_json *action = arx_json_is(actions, ARX_JSON_ARRAY) ? actions->as.list.first : NULL;
    for (; action != NULL; action = action->next) {
        list_item(out);
        arx_result result = oui_index_entry(action, out);
        if (result != ARX_OK) {
            return result;
        }
    }
    list_end(out);
    fields_end(out);
    return arx_buf_result(out);
}

arx_result oui_surfaces_index(const arx_json *surfaces, arx_buf *out) {
    list_begin(out);
    const arx_json *surface = surfaces->as.list.first;
    for (; surface != NULL; surface = surface->next) {
        list_item(out);
        arx_result result = oui_surface_index(surface, out);
        if (result != ARX_OK) {
            return result;
        }
    }
    list_end(out);
    return arx_buf_result(out);
}
