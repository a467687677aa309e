/*
 * opened.c - a link is opened: GET /api/artifacts/:id, GET /<uuid> in the form the client accepts,
 * GET /<uuid>/raw[/<artifactId>], POST /<uuid>/view.
 *
 *     read the row -> [decode it, unless the body is cached] -> [count the view] -> send
 *
 * Views of a row without max_views are counted by the read, lazily. With max_views a view counts
 * for good and is counted last, when what it shows is at hand; the page never counts: it shows a
 * button instead. HEAD goes the same way and counts nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "artifact_reply.h"
#include "decode_work.h"
#include "describe.h"
#include "ids.h"
#include "negotiate.h"
#include "page.h"
#include "raw_body.h"

typedef struct opened opened;

/* A form in which a link is shown. */
typedef struct form {
    bool decoded; /* needs the envelope */
    void (*send)(http_request *request, opened *self);
    void (*refuse)(http_request *request, api_result result);
    void (*refuse_decode)(http_request *request, const decode_work *work, api_result result);
} form;

struct opened {
    const form *form;
    const char *text_type; /* Content-Type of the body as text */
    const char *part;      /* the artifact asked for; "" for the active one */
    bool is_page;          /* GET /<uuid>: shows no row that counts its views */
    bool is_view;          /* POST /<uuid>/view: shows no other */
    store_op op;
    decode_work work;
    raw_entry *body;
};

static void free_state(void *state) {
    opened *self = state;
    raw_entry_release(self->body);
    decode_work_free(&self->work);
    store_op_clear(&self->op);
    free(self);
}

/* ---- the forms ---- */

static void send_row(http_request *request, opened *self) {
    arx_buf out;
    arx_buf_init(&out, 0);
    artifact_write_row(&self->op.artifact, &out);
    reply_json(request, 200, &out);
}

static void send_page(http_request *request, opened *self) {
    page_send(request, &self->op.artifact);
}

static void send_text(http_request *request, opened *self) {
    raw_body_send(request, self->body, self->text_type);
}

static void send_envelope(http_request *request, opened *self) {
    arx_buf out;
    arx_buf_init(&out, 0);
    arx_json_write(self->work.decoded.envelope, &out);
    reply_json(request, 200, &out);
}

static const form row_form = {false, send_row, reply_error, decode_work_refuse};
static const form page_form = {false, send_page, reply_error_page, NULL};
static const form text_form = {true, send_text, reply_error_plain, decode_work_refuse_plain};
static const form envelope_form = {true, send_envelope, reply_error, decode_work_refuse};

/* ---- the steps, last to first ---- */

static void counted(http_request *request) {
    opened *self = http_state(request);
    api_result result = store_outcome(&self->op);
    if (result != API_OK) {
        self->form->refuse(request, result);
    } else {
        self->form->send(request, self);
    }
}

static void count_and_send(http_request *request, opened *self) {
    if (self->op.artifact.max_views == 0 || http_method_of(request) == HTTP_HEAD) {
        self->form->send(request, self);
        return;
    }
    uint8_t id[STORE_ID_BYTES];
    memcpy(id, self->op.artifact.id, sizeof id);
    store_op_clear(&self->op);
    memcpy(self->op.artifact.id, id, sizeof id);
    self->op.kind = STORE_VIEW;
    store_wait(request, &self->op, counted);
}

static void free_description(store_op *op) {
    store_op_clear(op);
    free(op);
}

/*
 * The first decode of a ready payload tells what it holds: kept with the row, for the page's title.
 * Nobody waits for it, and nothing is lost if it fails.
 */
static void keep_description(const service *server, const opened *self) {
    const store_artifact *row = &self->op.artifact;
    store_op *op = row->kind == NULL ? calloc(1, sizeof *op) : NULL;
    if (op == NULL) {
        return;
    }
    op->kind = STORE_DESCRIBE;
    op->done = free_description;
    memcpy(op->artifact.id, row->id, sizeof row->id);
    op->artifact.updated_at_ms = row->updated_at_ms;
    op->artifact.codec = strdup(arx_codec_name(self->work.decoded.codec));
    if (op->artifact.codec == NULL ||
        !describe_envelope(self->work.decoded.envelope, &op->artifact) ||
        store_submit(server->store, op)) {
        free_description(op);
    }
}

static void decoded(http_request *request) {
    const service *server = http_service(request);
    opened *self = http_state(request);
    api_result result = decode_work_finish(&self->work);
    if (result != API_OK) {
        self->form->refuse_decode(request, &self->work, result);
        return;
    }
    keep_description(server, self);
    if (self->form == &text_form) {
        result = raw_body_make(server->raw_cache, &self->op.artifact, self->part,
                               self->work.decoded.envelope, &self->body);
    }
    if (result != API_OK) {
        self->form->refuse(request, result);
    } else {
        count_and_send(request, self);
    }
}

static void have_row(http_request *request) {
    const service *server = http_service(request);
    opened *self = http_state(request);
    const store_artifact *row = &self->op.artifact;
    api_result result = store_outcome(&self->op);
    if (result == API_OK && self->is_view && row->max_views == 0) {
        result = API_NOT_COUNTED;
    }
    if (result != API_OK) {
        self->form->refuse(request, result);
        return;
    }
    if (self->is_page && row->max_views > 0) {
        page_send_limited(request, row);
        return;
    }
    if (self->form == &text_form) {
        self->body = raw_body_find(server->raw_cache, row, self->part);
    }
    if (!self->form->decoded || self->body != NULL) {
        count_and_send(request, self);
        return;
    }
    result = decode_work_start(request, &self->work, (const uint8_t *)row->payload,
                               row->payload_len, row->asset_set, true, decoded);
    if (result != API_OK) {
        self->form->refuse_decode(request, &self->work, result);
    }
}

/* ---- the routes ---- */

/* segment: where the path has the link's id. */
static void open_link(http_request *request, const opened *wanted, size_t segment) {
    opened *self = malloc(sizeof *self);
    if (self == NULL) {
        wanted->form->refuse(request, API_INTERNAL);
        return;
    }
    *self = *wanted;
    http_set_state(request, self, free_state);
    if (!id_parse(http_segment(request, segment), self->op.artifact.id)) {
        self->form->refuse(request, API_NO_ARTIFACT);
        return;
    }
    self->op.kind = STORE_READ;
    self->op.touch = http_method_of(request) == HTTP_GET;
    store_wait(request, &self->op, have_row);
}

/* Fills in the form the client accepts. json: what JSON gives. */
static void negotiate(http_request *request, const form *json, opened *wanted) {
    static const char *const types[] = {"text/html", "text/markdown", "text/plain",
                                        "application/json"};
    http_add_header(request, "Vary", "Accept");
    int chosen = negotiate_type(http_header(request, "Accept"), types, 4);
    const form *const forms[] = {&page_form, &text_form, &text_form, json};
    wanted->form = forms[chosen < 0 ? 0 : chosen];
    wanted->text_type = chosen == 1 ? "text/markdown; charset=utf-8" : CONTENT_TEXT;
    wanted->part = "";
}

void api_artifacts_get(http_request *request) {
    const opened wanted = {.form = &row_form};
    open_link(request, &wanted, 2);
}

void page_artifact(http_request *request) {
    opened wanted = {.is_page = true};
    negotiate(request, &envelope_form, &wanted);
    open_link(request, &wanted, 0);
}

void page_view(http_request *request) {
    opened wanted = {.is_view = true};
    negotiate(request, &row_form, &wanted);
    open_link(request, &wanted, 0);
}

void page_raw(http_request *request) {
    const opened wanted = {
        .form = &text_form,
        .text_type = CONTENT_TEXT,
        .part = http_segment_count(request) > 2 ? http_segment(request, 2) : "",
    };
    open_link(request, &wanted, 0);
}
