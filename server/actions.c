/* actions.c - see actions.h. */
#include "actions.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action_work.h"
#include "clock.h"

#define ID_MIN        2
#define ID_MAX        64
#define TOOL_NAME_MAX 64 /* model APIs take no more: surface, "_", action */

/* Which function does what. Each definition has one, each function a definition. */
static const struct {
    const char *surface;
    const char *action;
    action_handler *run;
} handlers[] = {
    {"artifacts", "create_link", action_create_link}, {"artifacts", "read", action_read},
    {"artifacts", "list_links", action_list_links},   {"artifacts", "encode", action_encode},
    {"artifacts", "decode", action_decode},           {"artifacts", "update", action_update},
    {"artifacts", "replace", action_replace},         {"artifacts", "delete", action_delete},
    {"artifacts", "cleanup", action_cleanup},         {"service", "get_stats", action_get_stats},
    {"service", "get_limits", action_get_limits},
};

#define HANDLERS (sizeof handlers / sizeof handlers[0])

struct actions {
    oui_page page;
    action list[HANDLERS];
    size_t count;
};

/* ---- reading the definitions ---- */

typedef struct reading {
    actions *self;
    char *why;
    size_t why_size;
} reading;

__attribute__((format(printf, 2, 3))) static bool say(const reading *r, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(r->why, r->why_size, format, arguments);
    va_end(arguments);
    return false;
}

/* ^[a-z][a-z0-9?]*[a-z0-9]$ of 2 to 64 characters, `joint` being the ? */
static bool id_fits(const arx_json *id, char joint) {
    if (!arx_json_is(id, ARX_JSON_STRING) || id->as.string.len < ID_MIN ||
        id->as.string.len > ID_MAX) {
        return false;
    }
    const uint8_t *text = id->as.string.data;
    size_t last = id->as.string.len - 1;
    for (size_t i = 0; i <= last; i++) {
        bool letter = text[i] >= 'a' && text[i] <= 'z';
        bool digit = text[i] >= '0' && text[i] <= '9';
        bool between = i > 0 && i < last && text[i] == (uint8_t)joint;
        if (!letter && !(i > 0 && digit) && !between) {
            return false;
        }
    }
    return true;
}

/* Keys whose order or hash JavaScript and others do not agree on. */
static bool keys_are_plain(const arx_json *value) {
    if (value->type != ARX_JSON_ARRAY && value->type != ARX_JSON_OBJECT) {
        return true;
    }
    for (const arx_json *one = value->as.list.first; one != NULL; one = one->next) {
        bool object = value->type == ARX_JSON_OBJECT;
        bool index = object && one->key_len > 0 && one->key[0] >= '0' && one->key[0] <= '9';
        bool proto = object && one->key_len == 9 && memcmp(one->key, "__proto__", 9) == 0;
        if (index || proto || !keys_are_plain(one)) {
            return false;
        }
    }
    return true;
}

static const char *id_of(const arx_json *definition) {
    return (const char *)arx_json_get(definition, "id")->as.string.data;
}

static bool is_among(const arx_json *list, const arx_json *definition, const arx_json *until) {
    const arx_json *one = arx_json_is(list, ARX_JSON_ARRAY) ? list->as.list.first : NULL;
    for (; one != NULL && one != until; one = one->next) {
        if (arx_json_strings_equal(arx_json_get(one, "id"), arx_json_get(definition, "id"))) {
            return true;
        }
    }
    return false;
}

/* Ids end where their strings do: the table's are compared, and kept. */
static bool read_action(const reading *r, const arx_json *surface, const arx_json *definition) {
    const arx_json *id = arx_json_get(definition, "id");
    const arx_json *actions_list = arx_json_get(surface, "actions");
    if (!id_fits(id, '_') || is_among(actions_list, definition, definition)) {
        return say(r, "an action's id is missing, used twice or not [a-z][a-z0-9_]*[a-z0-9]");
    }
    size_t i = 0;
    while (i < HANDLERS && !(arx_json_string_is(arx_json_get(surface, "id"), handlers[i].surface) &&
                             arx_json_string_is(id, handlers[i].action))) {
        i++;
    }
    if (i == HANDLERS) {
        return say(r, "nothing here does action %.*s", (int)id->as.string.len, id_of(definition));
    }
    const char *name = handlers[i].action;
    const arx_json *input = arx_json_get(definition, "input");
    const arx_json *effect = arx_json_get(definition, "effect");
    const arx_json *polling = arx_json_get(definition, "polling");
    const arx_json *longest = arx_json_get(polling, "maxDurationMs");
    char wrong[200];
    action *row = &r->self->list[r->self->count];
    *row = (action){
        .surface = handlers[i].surface,
        .id = name,
        .surface_definition = surface,
        .definition = definition,
        .access = oui_effect_access(effect),
        .needs_approval = oui_requires_approval(
            effect, arx_json_is(arx_json_get(definition, "confirm"), ARX_JSON_TRUE)),
        .async = arx_json_is(arx_json_get(definition, "async"), ARX_JSON_TRUE),
        .max_duration_ms = arx_json_is(longest, ARX_JSON_NUMBER) ? (int64_t)longest->as.number : 0,
        .run = handlers[i].run,
    };
    if (row->access == OUI_ACCESS_NONE) {
        return say(r, "action %s has an effect that is not known", name);
    }
    if (!arx_json_string_is(arx_json_get(input, "type"), "object")) {
        return say(r, "the input of action %s is no object", name);
    }
    if (row->async && row->max_duration_ms <= 0) {
        return say(r, "the async action %s says no polling.maxDurationMs", name);
    }
    if (strlen(row->surface) + 1 + strlen(name) > TOOL_NAME_MAX) {
        return say(r, "the tool name of action %s has over %d characters", name, TOOL_NAME_MAX);
    }
    row->input = schema_open(input, wrong, sizeof wrong);
    if (row->input == NULL) {
        return say(r, "the input of action %s: %s", name, wrong);
    }
    r->self->count++;
    return true;
}

static bool read_surface(const reading *r, const arx_json *surface) {
    const arx_json *id = arx_json_get(surface, "id");
    if (!id_fits(id, '-') || arx_json_string_is(id, "oui") ||
        is_among(r->self->page.surfaces, surface, surface)) {
        return say(r, "a surface's id is missing, used twice, `oui`, or not "
                      "[a-z][a-z0-9-]*[a-z0-9]");
    }
    const arx_json *list = arx_json_get(surface, "actions");
    if (!arx_json_is(list, ARX_JSON_ARRAY) || list->as.list.count == 0) {
        return say(r, "a surface has no action");
    }
    for (const arx_json *one = list->as.list.first; one != NULL; one = one->next) {
        if (r->self->count == HANDLERS) {
            return say(r, "there are more actions than handlers");
        }
        if (!read_action(r, surface, one)) {
            return false;
        }
    }
    const arx_json *observations = arx_json_get(surface, "observations");
    const arx_json *one =
        arx_json_is(observations, ARX_JSON_ARRAY) ? observations->as.list.first : NULL;
    for (; one != NULL; one = one->next) {
        if (!id_fits(arx_json_get(one, "id"), '_') || is_among(observations, one, one) ||
            is_among(list, one, NULL)) {
            return say(r, "an observation's id is missing, used twice, or not "
                          "[a-z][a-z0-9_]*[a-z0-9]");
        }
    }
    return true;
}

actions *actions_open(const uint8_t *text, size_t len, char *why, size_t why_size) {
    actions *self = calloc(1, sizeof *self);
    const reading r = {self, why, why_size};
    if (self == NULL) {
        (void)say(&r, "no memory for the actions");
        return NULL;
    }
    bool sound = oui_page_open(text, len, &self->page) == ARX_OK;
    if (!sound) {
        (void)say(&r, "the definitions of the actions are no array of surfaces");
    } else if (!keys_are_plain(self->page.surfaces)) {
        sound = say(&r, "a definition has a member named __proto__ or like a number");
    }
    const arx_json *surface = sound ? self->page.surfaces->as.list.first : NULL;
    for (; sound && surface != NULL; surface = surface->next) {
        sound = read_surface(&r, surface);
    }
    if (sound && self->count < HANDLERS) {
        sound = say(&r, "%zu actions have no definition", HANDLERS - self->count);
    }
    if (!sound) {
        actions_free(self);
        return NULL;
    }
    return self;
}

void actions_free(actions *self) {
    if (self != NULL) {
        for (size_t i = 0; i < self->count; i++) {
            schema_free(self->list[i].input);
        }
        oui_page_close(&self->page);
        free(self);
    }
}

const oui_page *actions_page(const actions *self) {
    return &self->page;
}

size_t actions_count(const actions *self) {
    return self->count;
}

const action *actions_at(const actions *self, size_t i) {
    return &self->list[i];
}

const action *actions_find(const actions *self, const char *surface, const char *id) {
    for (size_t i = 0; i < self->count; i++) {
        if (strcmp(self->list[i].surface, surface) == 0 && strcmp(self->list[i].id, id) == 0) {
            return &self->list[i];
        }
    }
    return NULL;
}

const action *actions_like(const actions *self, const arx_json *surface, const arx_json *id) {
    for (size_t i = 0; i < self->count; i++) {
        if (arx_json_string_is(surface, self->list[i].surface) &&
            arx_json_string_is(id, self->list[i].id)) {
            return &self->list[i];
        }
    }
    return NULL;
}

/* ---- calls ---- */

static void refuse_params(action_call *call, const schema_fault *fault) {
    action_fail(call, "VALIDATION_ERROR", "");
    arx_buf_append(&call->message, fault->message.data, fault->message.len);
    fields_begin(&call->details);
    field_string(&call->details, "path",
                 fault->path.data != NULL ? fault->path.data : (const uint8_t *)"",
                 fault->path.len);
    field_text(&call->details, "rule", fault->rule);
    fields_end(&call->details);
}

/* False without memory. */
static bool take_params(action_call *call, const arx_json *params) {
    arx_buf text;
    arx_buf_init(&text, 0);
    arx_json_write(params, &text);
    bool whole = arx_buf_result(&text) == ARX_OK;
    body_result parsed = whole ? body_parse(text.data, text.len, &call->params) : BODY_NO_MEMORY;
    arx_buf_free(&text);
    if (parsed == BODY_INVALID) {
        action_fail_invalid(call, "", "The params hold what no request may.");
    }
    return parsed != BODY_NO_MEMORY;
}

action_call *action_call_create(const action *what, const auth_caller *caller,
                                const char *request_id, const arx_json *params) {
    action_call *call = calloc(1, sizeof *call);
    if (call == NULL) {
        return NULL;
    }
    call->action = what;
    call->caller = *caller;
    call->request_id = strdup(request_id);
    call->started_ms = clock_monotonic_ms();
    schema_fault fault;
    schema_result checked = schema_check(what->input, params, &fault);
    bool made = call->request_id != NULL && checked != SCHEMA_NO_MEMORY;
    if (checked == SCHEMA_INVALID) {
        refuse_params(call, &fault);
        schema_fault_free(&fault);
    } else if (made) {
        made = take_params(call, params);
    }
    if (!made) {
        action_call_free(call);
        return NULL;
    }
    return call;
}

void action_call_free(action_call *call) {
    if (call != NULL) {
        body_free(&call->params);
        arx_buf_free(&call->data);
        arx_buf_free(&call->message);
        arx_buf_free(&call->details);
        free(call->request_id);
        free(call);
    }
}

static void end(action_call *call) {
    if (arx_buf_result(&call->data) != ARX_OK || arx_buf_result(&call->message) != ARX_OK ||
        arx_buf_result(&call->details) != ARX_OK) {
        arx_buf_free(&call->details);
        action_fail(call, "ACTION_EXECUTION_ERROR", "");
    }
    call->done(call);
}

static void begin(http_request *work) {
    action_call *call = http_state(work);
    http_set_state(work, NULL, NULL);
    call->action->run(work, call);
}

static void ended(void *call) {
    end(call);
}

void action_run(action_call *call, http_request *from) {
    if (call->code != NULL) {
        end(call);
        return;
    }
    http_request *work = http_background(from);
    if (work == NULL) {
        action_fail_result(call, API_INTERNAL, NULL);
        end(call);
        return;
    }
    http_set_state(work, call, NULL);
    http_background_run(work, begin, ended, call);
}

void action_write_error(const char *code, const arx_buf *message, const arx_buf *details,
                        arx_buf *out) {
    fields_begin(out);
    field_text(out, "code", code);
    field_string(out, "message", message->len > 0 ? message->data : (const uint8_t *)"",
                 message->len);
    if (details->len > 0) {
        field_name(out, "details");
        arx_buf_append(out, details->data, details->len);
    }
    fields_end(out);
}

void action_write_outcome(const action_call *call, bool twice, bool interim, arx_buf *out) {
    fields_begin(out);
    field_text(out, "requestId", call->request_id);
    field_bool(out, "success", call->code == NULL);
    if (twice) {
        field_bool(out, "interim", interim);
    }
    field_count(out, "durationMs", (uint64_t)(clock_monotonic_ms() - call->started_ms));
    field_count(out, "timestamp", (uint64_t)clock_unix_ms());
    field_bool(out, "settled", true);
    if (call->code != NULL) {
        field_name(out, "error");
        action_write_error(call->code, &call->message, &call->details, out);
    } else {
        field_name(out, "data");
        arx_buf_append(out, call->data.data, call->data.len);
    }
    fields_end(out);
}
