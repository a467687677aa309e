/*
 * api_artifacts.c - making, changing and removing links: POST /api/artifacts, PUT and DELETE of a
 * row, POST /api/cleanup.
 *
 *     create   who asks -> body -> payload -> insert                     -> 201
 *     update   body -> payload -> read the row -> may they? -> update    -> the row
 *     delete   read the row -> may they? -> delete                       -> {"deleted": true}
 */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "artifact_reply.h"
#include "ids.h"
#include "link_work.h"
#include "payload_work.h"
#include "visit.h"

/* A create or an update. */
typedef struct write_state {
    link_work link; /* first, as it asks; an update uses its op and caller */
    uint8_t id[STORE_ID_BYTES];
    body body;
    create_request wanted; /* borrows from body */
    payload_work payload;
    store_op row; /* what an update found */
} write_state;

static void free_write(void *state) {
    write_state *self = state;
    link_work_free(&self->link);
    payload_work_free(&self->payload);
    store_op_clear(&self->row);
    body_free(&self->body);
    free(self);
}

/* NULL with the reply made. */
static write_state *new_write(http_request *request) {
    write_state *self = calloc(1, sizeof *self);
    if (self == NULL) {
        reply_error(request, API_INTERNAL);
    } else {
        http_set_state(request, self, free_write);
    }
    return self;
}

/* Reads the body and sets out to make the payload it wants. */
static void start_payload(http_request *request, http_handler *next) {
    const service *server = http_service(request);
    write_state *self = http_state(request);
    size_t len;
    const uint8_t *bytes = http_body(request, &len);
    body_result parsed = body_parse(bytes, len, &self->body);
    if (parsed != BODY_OK) {
        reply_error(request, parsed == BODY_INVALID ? API_INVALID_BODY : API_INTERNAL);
        return;
    }
    arx_buf message;
    arx_buf_init(&message, 0);
    api_result result = create_request_read(server->config, &self->body, &self->wanted, &message);
    if (result != API_OK) {
        reply_error_message(request, result, &message);
    } else {
        result = payload_work_start(request, &self->payload, &self->wanted, next);
        if (result != API_OK) {
            payload_work_refuse(request, &self->payload, result);
        }
    }
    arx_buf_free(&message);
}

/* Moves the finished payload into the row to be written. False with the reply made. */
static bool take_payload(http_request *request) {
    write_state *self = http_state(request);
    api_result result = payload_work_finish(&self->payload, &self->link.op.artifact);
    if (result != API_OK) {
        payload_work_refuse(request, &self->payload, result);
    }
    return result == API_OK;
}

/* ---- POST /api/artifacts ---- */

static void insert(http_request *request) {
    const write_state *self = http_state(request);
    if (take_payload(request)) {
        link_work_insert(request, &self->wanted.link,
                         self->body.mended > 0 ? BODY_MENDED_WARNING : NULL, link_work_reply);
    }
}

static void create(http_request *request) {
    const write_state *self = http_state(request);
    if (self->link.result != API_OK || self->link.status != 0) {
        link_work_reply(request);
    } else {
        start_payload(request, insert);
    }
}

void api_artifacts_create(http_request *request) {
    if (new_write(request) != NULL) {
        link_work_begin(request, true, create);
    }
}

/* ---- a row that is there, and whether it may be touched ---- */

/* Starts reading the row of the path. */
static void read_row(http_request *request, store_op *row, bool expired_too, http_handler *next) {
    if (!id_parse(http_segment(request, 2), row->artifact.id)) {
        reply_error(request, API_NO_ARTIFACT);
        return;
    }
    row->kind = STORE_READ;
    row->expired_too = expired_too;
    store_wait(request, row, next);
}

/* Makes `op` one on the row that was read, if the caller may. False with the reply made. */
static bool may_change(http_request *request, const store_op *row, store_op *op, store_kind kind) {
    op->kind = kind;
    api_result result = store_outcome(row);
    if (kind == STORE_DELETE && (result == API_NO_ARTIFACT || result == API_ARTIFACT_GONE)) {
        result = API_NOTHING_TO_DELETE;
    }
    if (result == API_OK) {
        result = auth_change(request, &visit_of(request)->caller, &row->artifact);
    }
    if (result != API_OK) {
        reply_error(request, result);
        return false;
    }
    store_op_guard(op, &row->artifact);
    return true;
}

/* ---- PUT /api/artifacts/:id ---- */

static void updated(http_request *request) {
    const write_state *self = http_state(request);
    api_result result = store_outcome(&self->link.op);
    if (result != API_OK) {
        reply_error(request, result);
        return;
    }
    arx_buf out;
    arx_buf_init(&out, 0);
    artifact_write_row(&self->link.op.artifact, &out);
    reply_json(request, 200, &out);
}

static void update(http_request *request) {
    write_state *self = http_state(request);
    if (may_change(request, &self->row, &self->link.op, STORE_UPDATE)) {
        link_options_apply(&self->wanted.link, &self->link.op);
        store_wait(request, &self->link.op, updated);
    }
}

static void find(http_request *request) {
    write_state *self = http_state(request);
    if (take_payload(request)) {
        read_row(request, &self->row, false, update);
    }
}

void api_artifacts_update(http_request *request) {
    if (new_write(request) != NULL) {
        start_payload(request, find);
    }
}

/* ---- DELETE /api/artifacts/:id ---- */

typedef struct delete_state {
    store_op row;
    store_op op;
} delete_state;

static void free_delete(void *state) {
    delete_state *self = state;
    store_op_clear(&self->row);
    store_op_clear(&self->op);
    free(self);
}

static void deleted(http_request *request) {
    const delete_state *self = http_state(request);
    api_result result = store_outcome(&self->op);
    if (result != API_OK) {
        reply_error(request, result);
        return;
    }
    arx_buf out;
    arx_buf_init(&out, 0);
    fields_begin(&out);
    field_bool(&out, "deleted", true);
    fields_end(&out);
    reply_json(request, 200, &out);
}

static void delete (http_request *request) {
    delete_state *self = http_state(request);
    if (may_change(request, &self->row, &self->op, STORE_DELETE)) {
        store_wait(request, &self->op, deleted);
    }
}

void api_artifacts_delete(http_request *request) {
    delete_state *self = calloc(1, sizeof *self);
    if (self == NULL) {
        reply_error(request, API_INTERNAL);
        return;
    }
    http_set_state(request, self, free_delete);
    read_row(request, &self->row, true, delete);
}

/* ---- POST /api/cleanup ---- */

static void swept(http_request *request) {
    const store_op *op = http_state(request);
    api_result result = store_outcome(op);
    if (result != API_OK) {
        reply_error(request, result);
        return;
    }
    arx_buf out;
    arx_buf_init(&out, 0);
    fields_begin(&out);
    field_count(&out, "deleted", op->count);
    fields_end(&out);
    reply_json(request, 200, &out);
}

void api_cleanup(http_request *request) {
    store_op *op = calloc(1, sizeof *op);
    http_set_state(request, op, free);
    if (op == NULL) {
        reply_error(request, API_INTERNAL);
        return;
    }
    op->kind = STORE_SWEEP;
    store_wait(request, op, swept);
}
