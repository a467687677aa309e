/*
 * raw.c - GET /<uuid>/raw[/<artifactId>]: one artifact of a link as plain text.
 *
 *     read the row -> cached body | decode on a worker -> reply
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "decode_work.h"
#include "describe.h"
#include "disposition.h"
#include "ids.h"
#include "raw_cache.h"

/* What the cache keeps: the body and the name it would be saved under. */
typedef struct raw_body {
    arx_buf text;
    char *filename;
} raw_body;

static void free_raw_body(void *value) {
    raw_body *body = value;
    arx_buf_free(&body->text);
    free(body->filename);
    free(body);
}

typedef struct raw_state {
    store_op op;
    decode_work work;
    raw_entry *entry;
    const char *part; /* the artifact asked for; "" for the active one */
} raw_state;

static void free_state(void *state) {
    raw_state *self = state;
    raw_entry_release(self->entry);
    decode_work_free(&self->work);
    store_op_clear(&self->op);
    free(self);
}

/* Sends the body, which the request holds by its reference until it has been sent. */
static void send_body(http_request *request, const raw_state *self) {
    const raw_body *body = raw_entry_value(self->entry);
    arx_buf disposition;
    arx_buf_init(&disposition, 0);
    disposition_write(body->filename, http_query(request, "download") != NULL, &disposition);
    size_t len;
    char *value = (char *)arx_buf_take(&disposition, &len);
    if (value == NULL) {
        reply_error_plain(request, API_INTERNAL);
        return;
    }
    http_add_header(request, "Content-Disposition", value);
    http_add_header(request, "Content-Security-Policy", "sandbox; default-src 'none'");
    free(value);
    const http_part part = {body->text.data, body->text.len};
    http_send_parts(request, 200, CONTENT_TEXT, &part, 1, NULL);
}

/* Makes the value for the cache, or NULL without memory. */
static raw_body *make_body(const arx_json *artifact) {
    raw_body *body = calloc(1, sizeof *body);
    if (body == NULL) {
        return NULL;
    }
    arx_buf_init(&body->text, 0);
    arx_artifact_body(artifact, &body->text);
    arx_text_mend_surrogates(body->text.data, body->text.len);
    body->filename = disposition_filename(artifact);
    if (arx_buf_result(&body->text) != ARX_OK || body->filename == NULL) {
        free_raw_body(body);
        return NULL;
    }
    return body;
}

static void free_description(store_op *op) {
    store_op_clear(op);
    free(op);
}

/*
 * The first decode of a ready payload tells what it holds: kept with the row, for the page's title.
 * Nobody waits for it, and nothing is lost if it fails.
 */
static void keep_description(const service *server, const raw_state *self) {
    const store_artifact *row = &self->op.artifact;
    store_op *op = calloc(1, sizeof *op);
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
    raw_state *self = http_state(request);
    api_result result = decode_work_finish(&self->work);
    if (result != API_OK) {
        decode_work_refuse_plain(request, &self->work, result);
        return;
    }
    const arx_json *envelope = self->work.decoded.envelope;
    const arx_json *artifact =
        self->part[0] == '\0'
            ? arx_envelope_active(envelope)
            : arx_envelope_find(envelope, (const uint8_t *)self->part, strlen(self->part));
    if (artifact == NULL) {
        reply_error_plain(request, API_NO_SUCH_ARTIFACT);
        return;
    }
    if (self->op.artifact.kind == NULL) {
        keep_description(server, self);
    }
    raw_body *body = make_body(artifact);
    if (body != NULL) {
        size_t bytes = sizeof *body + body->text.cap + strlen(body->filename) + 1;
        self->entry =
            raw_cache_put(server->raw_cache, self->op.artifact.id, self->op.artifact.updated_at_ms,
                          self->part, body, bytes, free_raw_body);
        if (self->entry == NULL) {
            free_raw_body(body);
        }
    }
    if (self->entry == NULL) {
        reply_error_plain(request, API_INTERNAL);
        return;
    }
    send_body(request, self);
}

static void have_row(http_request *request) {
    const service *server = http_service(request);
    raw_state *self = http_state(request);
    api_result result = store_outcome(&self->op);
    if (result != API_OK) {
        reply_error_plain(request, result);
        return;
    }
    const store_artifact *row = &self->op.artifact;
    self->entry = raw_cache_get(server->raw_cache, row->id, row->updated_at_ms, self->part);
    if (self->entry != NULL) {
        send_body(request, self);
        return;
    }
    api_result started = decode_work_start(request, &self->work, (const uint8_t *)row->payload,
                                           row->payload_len, row->asset_set, true, decoded);
    if (started != API_OK) {
        decode_work_refuse_plain(request, &self->work, started);
    }
}

void page_raw(http_request *request) {
    raw_state *self = calloc(1, sizeof *self);
    if (self == NULL) {
        reply_error_plain(request, API_INTERNAL);
        return;
    }
    http_set_state(request, self, free_state);
    self->part = http_segment_count(request) > 2 ? http_segment(request, 2) : "";
    if (!id_parse(http_segment(request, 0), self->op.artifact.id)) {
        reply_error_plain(request, API_NO_ARTIFACT);
        return;
    }
    self->op.kind = STORE_READ;
    self->op.touch = http_method_of(request) != HTTP_HEAD;
    store_wait(request, &self->op, have_row);
}
