/*
 * action_links.c - the actions that make, change, list and remove links.
 *
 *     create_link   params -> payload -> insert
 *     update        row -> may they? -> label, lifetime
 *     replace       params -> payload -> row -> may they? -> content
 *     delete        row -> may they? -> delete
 *
 * What REST does with the same pieces is in api_artifacts.c. Whose link it is not, to them it is
 * not there.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action_work.h"
#include "artifact_reply.h"
#include "clock.h"
#include "describe.h"
#include "ids.h"
#include "link_work.h"
#include "payload_work.h"

#define LABEL_MAX_BYTES 1024
#define LIST_DEFAULT    50
#define CLEAN_DEFAULT   1000

typedef struct link_state {
    action_work work; /* first, as it asks */
    create_request wanted;
    payload_work payload;
    store_op row; /* what is to be changed */
    char edit_key[EDIT_KEY_CHARS + 1];
    const char *origin;
} link_state;

static void free_state(void *state) {
    link_state *self = state;
    payload_work_free(&self->payload);
    store_op_clear(&self->row);
    action_work_free(self);
}

static const json_t *param(const action_call *call, const char *name) {
    return json_object_get(call->params.root, name);
}

/* A whole number, which the schema has checked; jansson holds large ones as reals. */
static int64_t number_param(const action_call *call, const char *name, int64_t otherwise) {
    const json_t *value = param(call, name);
    double number = value != NULL ? json_number_value(value) : (double)otherwise;
    return number >= 9e18 ? INT64_MAX : number <= -9e18 ? INT64_MIN : (int64_t)number;
}

static void field_id(arx_buf *out, const store_artifact *row) {
    char id[ID_LONG_CHARS + 1];
    id_format_long(row->id, id);
    field_text(out, "id", id);
}

/* ---- the payload ---- */

static void start_payload(http_request *work, http_handler *next) {
    const service *server = http_service(work);
    link_state *self = http_state(work);
    action_call *call = self->work.call;
    arx_buf message;
    arx_buf_init(&message, 0);
    int given = (param(call, "artifact") != NULL) + (param(call, "envelope") != NULL) +
                (param(call, "payload") != NULL);
    if (given != 1) {
        action_fail_invalid(call, "", "Give exactly one of artifact, envelope and payload.");
        return;
    }
    api_result result = create_request_read(server->config, &call->params, &self->wanted, &message);
    const json_t *payload = param(call, "payload");
    if (result == API_PAYLOAD_TOO_LONG) {
        action_fail_large(call, PAYLOAD_MAX_UNITS,
                          arx_text_units((const uint8_t *)json_string_value(payload),
                                         json_string_length(payload)),
                          api_row_of(result)->text);
    } else if (result != API_OK) {
        action_fail_result(call, result, &message);
    } else {
        result = payload_work_start(work, &self->payload, &self->wanted, next);
        if (result != API_OK) {
            action_fail_codec(call, result, &self->payload.encode.error);
        }
    }
    arx_buf_free(&message);
}

/* Moves the finished payload into the row to be written. False: the call has failed. */
static bool take_payload(link_state *self) {
    api_result result = payload_work_finish(&self->payload, &self->work.op.artifact);
    if (result != API_OK) {
        action_fail_codec(self->work.call, result, &self->payload.encode.error);
    }
    return result == API_OK;
}

/* Copies the label that was given. False: the call has failed. */
static bool take_label(link_state *self) {
    const json_t *label = param(self->work.call, "label");
    if (!json_is_string(label)) {
        return true;
    }
    self->work.op.artifact.label = describe_copy((const uint8_t *)json_string_value(label),
                                                 json_string_length(label), LABEL_MAX_BYTES);
    if (self->work.op.artifact.label == NULL) {
        action_fail_result(self->work.call, API_INTERNAL, NULL);
    }
    return self->work.op.artifact.label != NULL;
}

/* ---- create_link ---- */

static void write_created(action_work *work) {
    link_state *self = (link_state *)work;
    const store_artifact *row = &work->op.artifact;
    arx_buf *out = &work->call->data;
    fields_begin(out);
    field_id(out, row);
    artifact_write_urls(row, self->origin, out);
    field_text(out, "edit_key", self->edit_key);
    field_count(out, "created_at", (uint64_t)row->created_at_ms);
    field_count(out, "expires_at", (uint64_t)row->expires_at_ms);
    fields_end(out);
}

static void insert(http_request *work) {
    link_state *self = http_state(work);
    if (!take_payload(self) || !take_label(self)) {
        return;
    }
    self->origin = http_origin(work);
    api_result result =
        link_row_init(&self->work.op, &self->work.call->caller, &self->wanted.link, self->edit_key);
    if (result != API_OK) {
        action_fail_result(self->work.call, result, NULL);
        return;
    }
    self->work.write = write_created;
    action_work_write(work);
}

void action_create_link(http_request *work, action_call *call) {
    if (action_work_new(work, call, sizeof(link_state), free_state) != NULL) {
        start_payload(work, insert);
    }
}

/* ---- a link that is there, and whether it may be touched ---- */

static void read_row(http_request *work, bool expired_too, http_handler *next) {
    link_state *self = http_state(work);
    if (!id_parse(json_string_value(param(self->work.call, "id")), self->row.artifact.id)) {
        action_fail_result(self->work.call, API_NO_ARTIFACT, NULL);
        return;
    }
    self->row.kind = STORE_READ;
    self->row.expired_too = expired_too;
    store_wait(work, &self->row, next);
}

/* Whoever knows a link's edit key speaks for it. */
static api_result may_change(http_request *work, const link_state *self) {
    const action_call *call = self->work.call;
    auth_caller caller = call->caller;
    api_result result = auth_change(work, &caller, &self->row.artifact);
    const json_t *key = param(call, "edit_key");
    if (result != API_OK && key != NULL) {
        caller = (auth_caller){.has_bearer = true};
        secret_hash(json_string_value(key), json_string_length(key), caller.hash);
        result = auth_change(work, &caller, &self->row.artifact);
    }
    return result;
}

/* Makes the work's op one on the row that was read, if the caller may. False: the call has failed.
 */
static bool take_row(http_request *work, store_kind kind) {
    link_state *self = http_state(work);
    api_result result = store_outcome(&self->row);
    if (result == API_OK) {
        result = may_change(work, self);
    }
    if (result != API_OK) {
        bool none = result == API_UNAUTHORIZED;
        action_fail_result(self->work.call, none ? API_NO_ARTIFACT : result, NULL);
        return false;
    }
    store_op *op = &self->work.op;
    op->kind = kind;
    store_op_guard(op, &self->row.artifact);
    return true;
}

/* ---- update ---- */

static void write_changed(action_work *work) {
    const store_artifact *row = &work->op.artifact;
    arx_buf *out = &work->call->data;
    fields_begin(out);
    field_id(out, row);
    field_count(out, "updated_at", (uint64_t)row->updated_at_ms);
    field_count(out, "expires_at", (uint64_t)row->expires_at_ms);
    fields_end(out);
}

static void update(http_request *work) {
    const service *server = http_service(work);
    link_state *self = http_state(work);
    action_call *call = self->work.call;
    arx_buf message;
    arx_buf_init(&message, 0);
    if (take_row(work, STORE_UPDATE) && take_label(self)) {
        store_op *op = &self->work.op;
        link_options options;
        api_result result =
            link_options_read(server->config, call->params.root, &options, &message);
        link_options_apply(&options, op);
        op->keep_payload = true;
        op->relabel = param(call, "label") != NULL;
        self->work.write = write_changed;
        if (result == API_OK) {
            action_work_write(work);
        } else {
            action_fail_result(call, result, &message);
        }
    }
    arx_buf_free(&message);
}

void action_update(http_request *work, action_call *call) {
    if (action_work_new(work, call, sizeof(link_state), free_state) == NULL) {
        return;
    }
    if (param(call, "label") == NULL && param(call, "ttl_seconds") == NULL) {
        action_fail_invalid(call, "", "Give a label, ttl_seconds, or both.");
    } else {
        read_row(work, false, update);
    }
}

/* ---- replace ---- */

static void replace(http_request *work) {
    link_state *self = http_state(work);
    action_call *call = self->work.call;
    if (!take_row(work, STORE_UPDATE)) {
        return;
    }
    link_options_apply(&self->wanted.link, &self->work.op);
    if (param(call, "if_updated_at") != NULL) {
        self->work.op.unchanged = true;
        self->work.op.artifact.updated_at_ms = number_param(call, "if_updated_at", 0);
    }
    self->work.write = write_changed;
    action_work_write(work);
}

static void find_replaced(http_request *work) {
    if (take_payload(http_state(work))) {
        read_row(work, false, replace);
    }
}

void action_replace(http_request *work, action_call *call) {
    if (action_work_new(work, call, sizeof(link_state), free_state) != NULL) {
        start_payload(work, find_replaced);
    }
}

/* ---- delete ---- */

static void write_deleted(action_work *work) {
    arx_buf *out = &work->call->data;
    fields_begin(out);
    field_id(out, &work->op.artifact);
    field_bool(out, "deleted", true);
    fields_end(out);
}

static void delete (http_request *work) {
    link_state *self = http_state(work);
    if (take_row(work, STORE_DELETE)) {
        self->work.write = write_deleted;
        action_work_write(work);
    }
}

void action_delete(http_request *work, action_call *call) {
    if (action_work_new(work, call, sizeof(link_state), free_state) != NULL) {
        read_row(work, true, delete);
    }
}

/* ---- cleanup ---- */

static void write_cleaned(action_work *work) {
    arx_buf *out = &work->call->data;
    fields_begin(out);
    field_count(out, "removed", work->op.count);
    field_bool(out, "more", work->op.more);
    fields_end(out);
}

void action_cleanup(http_request *work, action_call *call) {
    action_work *self = action_work_new(work, call, sizeof *self, action_work_free);
    if (self == NULL) {
        return;
    }
    int64_t before_ms = number_param(call, "expired_before", 0);
    if (before_ms > clock_unix_ms()) {
        action_fail_invalid(call, "/expired_before", "expired_before must not be later than now.");
        return;
    }
    self->op.kind = STORE_CLEAN;
    self->op.artifact.expires_at_ms = before_ms;
    self->op.limit = (unsigned)number_param(call, "limit", CLEAN_DEFAULT);
    self->write = write_cleaned;
    action_work_write(work);
}

/* ---- list_links ---- */

/* "<created_at>-<id>": where a page ended. */
static bool read_cursor(const json_t *after, store_artifact *from) {
    const char *text = json_string_value(after);
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 15 || text[digits] != '-' ||
        !id_parse(text + digits + 1, from->id)) {
        return false;
    }
    from->created_at_ms = 0;
    for (size_t i = 0; i < digits; i++) {
        from->created_at_ms = from->created_at_ms * 10 + (text[i] - '0');
    }
    return true;
}

void action_write_link(const store_artifact *row, const char *origin, bool whole, arx_buf *out) {
    char url[ID_LONG_CHARS + 1];
    arx_buf text;
    arx_buf_init(&text, 0);
    id_format_long(row->id, url);
    arx_buf_append_str(&text, origin);
    arx_buf_append_byte(&text, '/');
    arx_buf_append_str(&text, url);
    if (arx_buf_result(&text) != ARX_OK) {
        out->status = ARX_NO_MEMORY;
    }
    fields_begin(out);
    field_id(out, row);
    field_string(out, "url", text.data, text.len);
    field_text(out, "label", row->label);
    if (whole) {
        field_text(out, "kind", row->kind);
        field_text(out, "title", row->title);
        field_count(out, "updated_at", (uint64_t)row->updated_at_ms);
    }
    field_count(out, "created_at", (uint64_t)row->created_at_ms);
    field_count(out, "expires_at", (uint64_t)row->expires_at_ms);
    field_count(out, "hits", (uint64_t)row->views);
    fields_end(out);
    arx_buf_free(&text);
}

static void listed(http_request *work) {
    link_state *self = http_state(work);
    const store_op *op = &self->work.op;
    arx_buf *out = &self->work.call->data;
    const char *origin = http_origin(work);
    fields_begin(out);
    field_name(out, "links");
    list_begin(out);
    for (uint64_t i = 0; i < op->count; i++) {
        list_item(out);
        action_write_link(&op->artifacts[i], origin, true, out);
    }
    list_end(out);
    if (op->more) {
        char id[ID_LONG_CHARS + 1];
        char cursor[ID_LONG_CHARS + 24];
        id_format_long(op->artifact.id, id);
        (void)snprintf(cursor, sizeof cursor, "%lld-%s", (long long)op->artifact.created_at_ms, id);
        field_text(out, "next", cursor);
    }
    fields_end(out);
}

static store_state state_of(const json_t *word) {
    const char *text = word != NULL ? json_string_value(word) : "live";
    return strcmp(text, "live") == 0  ? STORE_LIVE
           : strcmp(text, "any") == 0 ? STORE_ANY
                                      : STORE_EXPIRED;
}

void action_list_links(http_request *work, action_call *call) {
    link_state *self = action_work_new(work, call, sizeof *self, free_state);
    if (self == NULL) {
        return;
    }
    store_op *op = &self->work.op;
    const json_t *after = param(call, "after");
    if (after != NULL && !read_cursor(after, &op->artifact)) {
        action_fail_invalid(call, "/after", "after must be the `next` that an earlier page gave.");
    } else if (!call->caller.has_token) {
        arx_buf_append_str(&call->data, "{\"links\":[]}"); /* without a key nobody made anything */
    } else {
        op->kind = STORE_LIST;
        memcpy(op->artifact.maker, call->caller.hash, sizeof op->artifact.maker);
        op->state = state_of(param(call, "state"));
        op->limit = (unsigned)number_param(call, "limit", LIST_DEFAULT);
        action_work_wait(work, listed);
    }
}
