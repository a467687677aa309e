/*
 * action_codec.c - the actions that encode and decode and store nothing.
 *
 * encode answers twice: when it has its place in the queue, with the handle of its job, and when it
 * has run.
 */
#include <stdlib.h>
#include <string.h>

#include "action_work.h"
#include "asset_sets.h"
#include "encode_request.h"
#include "link.h"
#include "text.h"

/* ---- encode ---- */

typedef struct encode_state {
    action_work work; /* first, as it asks */
    arx_encode_request wanted;
    encode_work encode;
    arx_link link;
} encode_state;

static void free_encode(void *state) {
    encode_state *self = state;
    job_release(self->encode.job.job);
    encode_work_free(&self->encode);
    arx_link_free(&self->link);
    action_work_free(self);
}

static void field_buf(arx_buf *out, const char *name, const arx_buf *text) {
    field_string(out, name, text->len > 0 ? text->data : (const uint8_t *)"", text->len);
}

static void write_encoded(action_work *work) {
    encode_state *self = (encode_state *)work;
    const arx_encoded *encoded = &self->encode.encoded;
    arx_buf *out = &work->call->data;
    arx_buf warning;
    arx_buf_init(&warning, 0);
    arx_budget_warning(encoded->winner.visible_units, &warning);
    if (warning.len == 0) {
        arx_buf_append(&warning, self->link.discord_warning.data, self->link.discord_warning.len);
    }
    fields_begin(out);
    field_text(out, "codec", arx_codec_name(encoded->winner.codec));
    field_string(out, "payload", encoded->fragment, encoded->fragment_len);
    field_count(out, "chars", encoded->winner.visible_units);
    field_count(out, "transport_length", encoded->winner.transport_units);
    field_bool(out, "fits", encoded->fits_target);
    field_buf(out, "url", &self->link.url);
    field_buf(out, "markdown_link", &self->link.markdown_link);
    field_count(out, "markdown_link_length", self->link.markdown_link_units);
    if (warning.len > 0) {
        field_buf(out, "warning", &warning);
    } else {
        field_null(out, "warning");
    }
    fields_end(out);
    arx_buf_free(&warning);
}

static void encoded(http_request *request) {
    encode_state *self = http_state(request);
    action_call *call = self->work.call;
    api_result result = encode_work_finish(&self->encode);
    if (result == API_OK) {
        const char *origin = http_origin(request);
        arx_result linked = arx_link_create(
            self->wanted.envelope, &self->encode.encoded, (const uint8_t *)origin, strlen(origin),
            self->wanted.label, self->wanted.label_len, &self->link);
        result = linked == ARX_OK ? API_OK : API_INTERNAL;
    }
    if (result != API_OK) {
        action_fail_codec(call, result, &self->encode.error);
        return;
    }
    arx_buf_clear(&call->data);
    self->work.write = write_encoded;
    action_work_remember(request);
}

/* The handle, for those who do not wait. */
static void accept(action_call *call, const encode_state *self) {
    fields_begin(&call->data);
    field_text(&call->data, "requestId", call->request_id);
    field_text(&call->data, "status", "queued");
    fields_end(&call->data);
    call->job = self->encode.job.job;
    call->tasks = self->encode.job.tasks;
    if (call->accepted != NULL) {
        call->accepted(call);
    }
    arx_buf_clear(&call->data);
    call->job = NULL;
}

void action_encode(http_request *request, action_call *call) {
    const service *server = http_service(request);
    encode_state *self = action_work_new(request, call, sizeof *self, free_encode);
    const arx_json *value = self != NULL ? body_codec_value(&call->params) : NULL;
    if (value == NULL) {
        action_fail_result(call, API_INTERNAL, NULL);
        return;
    }
    if ((arx_json_get(value, "artifact") != NULL) == (arx_json_get(value, "envelope") != NULL)) {
        action_fail_invalid(call, "", "Give exactly one of artifact and envelope.");
        return;
    }
    const arx_json *max = arx_json_get(value, "max_chars");
    arx_buf message;
    arx_buf_init(&message, 0);
    api_result result = api_result_of_request(
        arx_encode_request_read(call->params.doc, value, &self->wanted, &message));
    self->wanted.options.target_units =
        max != NULL ? (size_t)max->as.number : ARX_FRAGMENT_BUDGET_UNITS;
    if (result != API_OK) {
        action_fail_result(call, result, &message);
    }
    arx_buf_free(&message);
    if (result != API_OK) {
        return;
    }
    result = encode_work_plan(&self->encode, asset_sets_active(server->sets), self->wanted.envelope,
                              &self->wanted.options);
    if (result == API_OK) {
        self->encode.job = (request_job){.tasks = encode_work_tasks(&self->encode),
                                         .run = encode_work_run,
                                         .arg = &self->encode,
                                         .keep = true};
        result = job_wait(request, &self->encode.job, encoded);
    }
    if (result == API_OK) {
        accept(call, self);
    } else {
        action_fail_codec(call, result, &self->encode.error);
    }
}

/* ---- decode ---- */

typedef struct decode_state {
    action_work work; /* first, as it asks */
    decode_work decode;
} decode_state;

static void free_decode(void *state) {
    decode_state *self = state;
    decode_work_free(&self->decode);
    action_work_free(self);
}

static void decoded(http_request *request) {
    decode_state *self = http_state(request);
    action_call *call = self->work.call;
    api_result result = decode_work_finish(&self->decode);
    if (result != API_OK) {
        action_fail_codec(call, result, &self->decode.error);
        return;
    }
    fields_begin(&call->data);
    field_text(&call->data, "codec", arx_codec_name(self->decode.decoded.codec));
    field_json(&call->data, "envelope", self->decode.decoded.envelope);
    fields_end(&call->data);
}

void action_decode(http_request *request, action_call *call) {
    decode_state *self = action_work_new(request, call, sizeof *self, free_decode);
    if (self == NULL) {
        return;
    }
    const json_t *payload = json_object_get(call->params.root, "payload");
    const json_t *set = json_object_get(call->params.root, "asset_set");
    api_result result =
        decode_work_start(request, &self->decode, (const uint8_t *)json_string_value(payload),
                          json_string_length(payload), json_string_value(set), true, decoded);
    if (result != API_OK) {
        action_fail_codec(call, result, &self->decode.error);
    }
}
