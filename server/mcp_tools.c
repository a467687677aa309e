/* mcp_tools.c - see mcp_tools.h. */
#include "mcp_tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "embedded.h"
#include "fields.h"
#include "oui/hash.h"

/* The runtime's own. */
static const struct {
    const char *id;
    mcp_tool_kind kind;
} OWN[] = {
    {"snapshot", MCP_TOOL_SNAPSHOT},
    {"read", MCP_TOOL_READ},
    {"result", MCP_TOOL_RESULT},
};
#define OWN_COUNT   (sizeof OWN / sizeof OWN[0])
#define OWN_SURFACE "oui"

struct mcp_tools {
    const actions *actions;
    arx_json_doc *own; /* the definitions, which the schemas borrow from */
    schema *inputs[OWN_COUNT];
    arx_buf list;
};

/* ---- one tool ---- */

static void append_string(const arx_json *text, arx_buf *out) {
    if (arx_json_is(text, ARX_JSON_STRING)) {
        arx_buf_append(out, text->as.string.data, text->as.string.len);
    }
}

static void append_sentences(const arx_json *more, arx_buf *text) {
    bool list = arx_json_is(more, ARX_JSON_ARRAY);
    const arx_json *one = list ? more->as.list.first : more;
    for (; one != NULL; one = list ? one->next : NULL) {
        arx_buf_append_byte(text, ' ');
        append_string(one, text);
    }
}

/* The description, with usage and preconditions as further sentences. */
static void write_description(const arx_json *definition, arx_buf *out) {
    arx_buf text;
    arx_buf_init(&text, 0);
    append_string(arx_json_get(definition, "description"), &text);
    append_sentences(arx_json_get(definition, "usage"), &text);
    append_sentences(arx_json_get(definition, "preconditions"), &text);
    field_string(out, "description", text.data, text.len);
    if (arx_buf_result(&text) != ARX_OK) {
        out->status = ARX_NO_MEMORY;
    }
    arx_buf_free(&text);
}

static bool has_tag(const arx_json *definition, const char *tag) {
    const arx_json *tags = arx_json_get(definition, "tags");
    const arx_json *one = arx_json_is(tags, ARX_JSON_ARRAY) ? tags->as.list.first : NULL;
    while (one != NULL && !arx_json_string_is(one, tag)) {
        one = one->next;
    }
    return one != NULL;
}

static bool is_true(const arx_json *definition, const char *name) {
    return arx_json_is(arx_json_get(definition, name), ARX_JSON_TRUE);
}

arx_result mcp_tool_write(const arx_json *surface_id, const arx_json *definition, arx_buf *out) {
    const arx_json *id = arx_json_get(definition, "id");
    const arx_json *title = arx_json_get(definition, "title");
    const arx_json *effect = arx_json_get(definition, "effect");
    const arx_json *output = arx_json_get(definition, "output");
    char hash[OUI_DEFINITION_HASH_CHARS + 1];
    arx_result hashed = oui_definition_hash(definition, hash);
    if (hashed != ARX_OK) {
        return hashed;
    }
    arx_buf name;
    arx_buf_init(&name, 0);
    append_string(surface_id, &name);
    arx_buf_append_byte(&name, '_');
    append_string(id, &name);
    fields_begin(out);
    field_string(out, "name", name.data, name.len);
    if (arx_buf_result(&name) != ARX_OK) {
        out->status = ARX_NO_MEMORY;
    }
    arx_buf_free(&name);
    if (title != NULL) {
        field_json(out, "title", title);
    }
    write_description(definition, out);
    field_json(out, "inputSchema", arx_json_get(definition, "input"));
    /* What an async action returns may still be a handle. */
    if (arx_json_string_is(arx_json_get(output, "type"), "object") &&
        !is_true(definition, "async")) {
        field_json(out, "outputSchema", output);
    }
    field_name(out, "annotations");
    fields_begin(out);
    field_bool(out, "readOnlyHint", oui_effect_access(effect) == OUI_ACCESS_READ);
    field_bool(out, "destructiveHint", is_true(definition, "confirm"));
    field_bool(out, "idempotentHint", has_tag(definition, "idempotent"));
    field_bool(out, "openWorldHint", false);
    fields_end(out);
    field_name(out, "_meta");
    fields_begin(out);
    field_name(out, "arxd/oui");
    fields_begin(out);
    field_json(out, "surface", surface_id);
    field_json(out, "action", id);
    if (effect != NULL) {
        field_json(out, "effect", effect);
    }
    field_text(out, "definitionHash", hash);
    field_bool(out, "requiresApproval",
               oui_requires_approval(effect, is_true(definition, "confirm")));
    fields_end(out);
    fields_end(out);
    fields_end(out);
    return arx_buf_result(out);
}

/* ---- all of them ---- */

static arx_result write_surface(const arx_json *surface, arx_buf *out) {
    const arx_json *list = arx_json_get(surface, "actions");
    arx_result result = ARX_OK;
    for (const arx_json *one = list->as.list.first; one != NULL && result == ARX_OK;
         one = one->next) {
        list_item(out);
        result = mcp_tool_write(arx_json_get(surface, "id"), one, out);
    }
    return result;
}

static const arx_json *find_own(const arx_json *surface, const char *id) {
    const arx_json *list = arx_json_get(surface, "actions");
    const arx_json *one = list->as.list.first;
    while (one != NULL && !arx_json_string_is(arx_json_get(one, "id"), id)) {
        one = one->next;
    }
    return one;
}

static arx_result write_list(mcp_tools *self, const arx_json *own) {
    const oui_page *page = actions_page(self->actions);
    arx_result result = ARX_OK;
    list_begin(&self->list);
    for (const arx_json *surface = page->surfaces->as.list.first;
         surface != NULL && result == ARX_OK; surface = surface->next) {
        result = write_surface(surface, &self->list);
    }
    if (result == ARX_OK) {
        result = write_surface(own, &self->list);
    }
    list_end(&self->list);
    return result == ARX_OK ? arx_buf_result(&self->list) : result;
}

mcp_tools *mcp_tools_open(const actions *all, char *why, size_t why_size) {
    mcp_tools *self = calloc(1, sizeof *self);
    arx_json *root = NULL;
    if (self == NULL || arx_json_parse(embedded_own_tools, embedded_own_tools_len, 0, &self->own,
                                       &root) != ARX_OK) {
        goto fail;
    }
    self->actions = all;
    arx_buf_init(&self->list, 0);
    const arx_json *surface = root->as.list.first;
    for (size_t i = 0; i < OWN_COUNT; i++) {
        const arx_json *definition = find_own(surface, OWN[i].id);
        self->inputs[i] = schema_open(arx_json_get(definition, "input"), why, why_size);
        if (self->inputs[i] == NULL) {
            mcp_tools_free(self);
            return NULL;
        }
    }
    if (write_list(self, surface) != ARX_OK) {
        goto fail;
    }
    return self;

fail:
    mcp_tools_free(self);
    (void)snprintf(why, why_size, "no memory for the list of tools");
    return NULL;
}

void mcp_tools_free(mcp_tools *self) {
    if (self == NULL) {
        return;
    }
    for (size_t i = 0; i < OWN_COUNT; i++) {
        schema_free(self->inputs[i]);
    }
    arx_buf_free(&self->list);
    arx_json_doc_free(self->own);
    free(self);
}

const arx_buf *mcp_tools_list(const mcp_tools *self) {
    return &self->list;
}

mcp_tool_kind mcp_tools_find(const mcp_tools *self, const arx_json *name, const action **what,
                             const schema **input) {
    char text[2 * 64 + 2];
    size_t len = name->as.string.len;
    if (len >= sizeof text || memchr(name->as.string.data, '\0', len) != NULL) {
        return MCP_TOOL_NONE;
    }
    memcpy(text, name->as.string.data, len);
    text[len] = '\0';
    char *id = strchr(text, '_');
    if (id == NULL) {
        return MCP_TOOL_NONE;
    }
    *id++ = '\0';
    for (size_t i = 0; i < OWN_COUNT && strcmp(text, OWN_SURFACE) == 0; i++) {
        if (strcmp(id, OWN[i].id) == 0) {
            *input = self->inputs[i];
            return OWN[i].kind;
        }
    }
    *what = actions_find(self->actions, text, id);
    return *what != NULL ? MCP_TOOL_ACTION : MCP_TOOL_NONE;
}
