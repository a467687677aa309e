/* own_actions.c - see own_actions.h. */
#include "own_actions.h"

#include <math.h>
#include <string.h>

#include "fields.h"
#include "fit.h"
#include "pointer.h"

#define READ_ROWS 50.0

static oui_own_result say(oui_own_result result, arx_buf *message, const char *text) {
    arx_buf_append_str(message, text);
    return result;
}

static oui_own_result ended(const arx_buf *data) {
    return arx_buf_result(data) == ARX_OK ? OUI_OWN_OK : OUI_OWN_NO_MEMORY;
}

/* ---- oui.describe ---- */

typedef enum answer { DEFINITION, MISSING, DEFERRED, ANSWER_COUNT } answer;

typedef struct describing {
    const oui_page *page;
    size_t limit;
    size_t bytes; /* of the definitions taken */
    arx_buf lists[ANSWER_COUNT];
    size_t counts[ANSWER_COUNT];
} describing;

static arx_result describe_one(describing *self, const arx_json *item) {
    const arx_json *surface_id = arx_json_get(item, "surface");
    const arx_json *action_id = arx_json_get(item, "action");
    const arx_json *definition =
        oui_surface_action(oui_page_surface(self->page, surface_id), action_id);
    size_t bytes;
    arx_result result = oui_json_bytes(definition, &bytes);
    answer where = MISSING;
    if (definition != NULL) {
        bool room = self->counts[DEFINITION] == 0 || self->bytes + bytes <= self->limit;
        where = room ? DEFINITION : DEFERRED;
        self->bytes += room ? bytes : 0;
    }
    arx_buf *list = &self->lists[where];
    list_item(list);
    fields_begin(list);
    field_json(list, "surface", surface_id);
    field_json(list, "action", where == DEFINITION ? definition : action_id);
    fields_end(list);
    self->counts[where]++;
    return result;
}

oui_own_result oui_describe(const oui_page *page, const arx_json *params, size_t budget,
                            arx_buf *data, arx_buf *message) {
    static const char *const names[] = {"definitions", "missing", "deferred"};
    const arx_json *actions = arx_json_get(params, "actions");
    bool sound = arx_json_is(actions, ARX_JSON_ARRAY) && actions->as.list.count > 0;
    const arx_json *item = sound ? actions->as.list.first : NULL;
    for (; item != NULL; item = item->next) {
        sound = sound && arx_json_get_string(item, "surface") != NULL &&
                arx_json_get_string(item, "action") != NULL;
    }
    if (!sound) {
        return say(
            OUI_OWN_INVALID, message,
            "oui.describe takes {\"actions\": [{\"surface\", \"action\"}, ...]}: at least one, "
            "each with two strings.");
    }
    describing self = {
        .page = page,
        .limit = budget > OUI_OBSERVATION_FLOOR ? budget - OUI_OBSERVATION_FLOOR : 0,
    };
    arx_result result = ARX_OK;
    for (size_t i = 0; i < ANSWER_COUNT; i++) {
        list_begin(&self.lists[i]);
    }
    for (item = actions->as.list.first; result == ARX_OK && item != NULL; item = item->next) {
        result = describe_one(&self, item);
    }
    fields_begin(data);
    for (size_t i = 0; i < ANSWER_COUNT; i++) {
        list_end(&self.lists[i]);
        if (result == ARX_OK) {
            result = arx_buf_result(&self.lists[i]);
        }
        if (i == DEFINITION || self.counts[i] > 0) {
            field_name(data, names[i]);
            arx_buf_append(data, self.lists[i].data, self.lists[i].len);
        }
        arx_buf_free(&self.lists[i]);
    }
    fields_end(data);
    return result == ARX_OK ? ended(data) : OUI_OWN_NO_MEMORY;
}

/* ---- oui.read ---- */

/* A member that is absent, or a whole number of at least `min`. */
static bool read_whole(const arx_json *params, const char *name, double min, double *number) {
    const arx_json *value = arx_json_get(params, name);
    if (value == NULL) {
        return true;
    }
    if (value->type != ARX_JSON_NUMBER || !(value->as.number >= min) ||
        !isfinite(value->as.number) || value->as.number > floor(value->as.number)) {
        return false;
    }
    *number = value->as.number;
    return true;
}

static arx_json *member_named(const arx_json *object, const arx_json *name) {
    arx_json *member = arx_json_is(object, ARX_JSON_OBJECT) ? object->as.list.first : NULL;
    while (member != NULL && !(member->key_len == name->as.string.len &&
                               memcmp(member->key, name->as.string.data, member->key_len) == 0)) {
        member = member->next;
    }
    return member;
}

/* As many rows as `limit` bytes hold, halved until they do; one always goes. */
static oui_own_result read_rows(const arx_json *list, double offset, double limit, size_t bytes,
                                arx_buf *data) {
    size_t total = list->as.list.count;
    size_t from = offset < (double)total ? (size_t)offset : total;
    size_t count = limit < (double)(total - from) ? (size_t)limit : total - from;
    arx_buf rows;
    arx_buf_init(&rows, 0);
    for (;;) {
        arx_buf_clear(&rows);
        list_begin(&rows);
        const arx_json *row = arx_json_at(list, from);
        for (size_t i = 0; i < count; i++, row = row->next) {
            list_item(&rows);
            arx_json_write(row, &rows);
        }
        list_end(&rows);
        if (count <= 1 || rows.len <= bytes || arx_buf_result(&rows) != ARX_OK) {
            break;
        }
        count = (count + 1) / 2;
    }
    fields_begin(data);
    field_name(data, "rows");
    arx_buf_append(data, rows.data, rows.len);
    field_count(data, "total", total);
    field_number(data, "offset", offset);
    if (offset + (double)count < (double)total) {
        field_bool(data, "more", true);
        field_number(data, "next", offset + (double)count);
    }
    fields_end(data);
    oui_own_result result = arx_buf_result(&rows) == ARX_OK ? ended(data) : OUI_OWN_NO_MEMORY;
    arx_buf_free(&rows);
    return result;
}

/* The value alone, as if it were the only observation. */
static oui_own_result read_value(const arx_json *surface, const arx_json *observation,
                                 const arx_json *value, const arx_json *path, size_t bytes,
                                 arx_buf *data) {
    arx_buf alone;
    arx_buf_init(&alone, 0);
    fields_begin(&alone);
    arx_json_write_string(surface->key, surface->key_len, &alone);
    arx_buf_append_byte(&alone, ':');
    fields_begin(&alone);
    arx_json_write_string(observation->key, observation->key_len, &alone);
    arx_buf_append_byte(&alone, ':');
    arx_json_write(value, &alone);
    fields_end(&alone);
    fields_end(&alone);
    arx_json_doc *doc = NULL;
    arx_json *root;
    oui_fitted fitted = {0};
    arx_result result = arx_buf_result(&alone);
    if (result == ARX_OK) {
        result = arx_json_parse(alone.data, alone.len, 0, &doc, &root);
    }
    if (result == ARX_OK) {
        result = oui_fit(root, bytes, &fitted);
    }
    if (result == ARX_OK) {
        fields_begin(data);
        field_json(data, "value", fitted.observations->as.list.first->as.list.first);
        if (fitted.cut_count > 0) {
            field_name(data, "fit");
            fields_begin(data);
            field_name(data, "observations");
            oui_cuts_write(&fitted, path != NULL ? path->as.string.data : (const uint8_t *)"",
                           path != NULL ? path->as.string.len : 0, data);
            fields_end(data);
        }
        fields_end(data);
    }
    oui_fitted_free(&fitted);
    arx_json_doc_free(doc);
    arx_buf_free(&alone);
    return result == ARX_OK ? ended(data) : OUI_OWN_NO_MEMORY;
}

oui_own_result oui_read(arx_json *observations, const arx_json *params, size_t budget,
                        arx_buf *data, arx_buf *message) {
    const arx_json *surface_id = arx_json_get_string(params, "surface");
    const arx_json *observation_id = arx_json_get_string(params, "observation");
    const arx_json *path = arx_json_get(params, "path");
    double offset = 0;
    double limit = READ_ROWS;
    size_t bytes = budget > OUI_OBSERVATION_FLOOR ? budget - OUI_OBSERVATION_FLOOR : 0;
    if (surface_id == NULL || observation_id == NULL ||
        (path != NULL && path->type != ARX_JSON_STRING)) {
        return say(
            OUI_OWN_INVALID, message,
            "oui.read takes strings: \"surface\", \"observation\" and, if wanted, \"path\".");
    }
    if (!read_whole(params, "offset", 0, &offset) || !read_whole(params, "limit", 1, &limit)) {
        return say(OUI_OWN_INVALID, message,
                   "\"offset\" must be a whole number of at least 0, \"limit\" one of at least 1.");
    }
    const arx_json *surface = member_named(observations, surface_id);
    arx_json *observation = surface != NULL ? member_named(surface, observation_id) : NULL;
    if (observation == NULL) {
        return say(OUI_OWN_NOT_FOUND, message,
                   "There is no observation of that name with a value.");
    }
    arx_json *value = observation;
    if (path != NULL) {
        if (!oui_pointer_is(path->as.string.data, path->as.string.len)) {
            return say(OUI_OWN_INVALID, message,
                       "\"path\" must be a JSON Pointer: empty, or starting with \"/\".");
        }
        if (oui_pointer_find(observation, path->as.string.data, path->as.string.len, &value) !=
            ARX_OK) {
            return OUI_OWN_NO_MEMORY;
        }
    }
    if (value == NULL) {
        return say(OUI_OWN_NOT_FOUND, message, "The observation has nothing at that path.");
    }
    if (value->type == ARX_JSON_ARRAY) {
        return read_rows(value, offset, limit, bytes, data);
    }
    return read_value(surface, observation, value, path, bytes, data);
}
