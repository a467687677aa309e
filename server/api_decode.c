/* api_decode.c - POST /decode: a fragment back to its envelope. */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "body.h"
#include "decode_work.h"

typedef struct decode_state {
    body body;
    decode_work work;
} decode_state;

static void free_state(void *state) {
    decode_state *self = state;
    decode_work_free(&self->work);
    body_free(&self->body);
    free(self);
}

static void answer(http_request *request) {
    const decode_state *self = http_state(request);
    const decode_work *work = &self->work;
    api_result result = decode_work_finish(work);
    if (result != API_OK) {
        decode_work_refuse(request, work, result);
        return;
    }
    arx_buf out;
    arx_buf_init(&out, 0);
    fields_begin(&out);
    arx_decode_result_write(&work->decoded, work->sets, work->set_count, work->used, &out);
    fields_end(&out);
    reply_json(request, 200, &out);
}

/* Starts the decode a checked body asks for, or replies why not. */
static void start(http_request *request, decode_state *self) {
    const json_t *root = self->body.root;
    const json_t *fragment = json_object_get(root, "fragment");
    const json_t *skip = json_object_get(root, "skipFragmentBudget");
    const json_t *set = json_object_get(root, "assetSet");
    if (!json_is_string(fragment)) {
        reply_invalid(request, "\"fragment\" must be a string: what follows the # of a link.");
    } else if (self->body.mended > 0) {
        reply_error(request, API_INVALID_BODY); /* not the fragment that was sent */
    } else if (skip != NULL && !json_is_null(skip) && !json_is_boolean(skip)) {
        reply_invalid(request, "\"skipFragmentBudget\" must be true or false.");
    } else if (set != NULL && !json_is_null(set) && !json_is_string(set)) {
        reply_invalid(request, "\"assetSet\" must be the id of a set in /assets/index.json.");
    } else {
        api_result started = decode_work_start(
            request, &self->work, (const uint8_t *)json_string_value(fragment),
            json_string_length(fragment), json_string_value(set), json_is_true(skip), answer);
        if (started != API_OK) {
            decode_work_refuse(request, &self->work, started);
        }
    }
}

void api_decode(http_request *request) {
    decode_state *self = calloc(1, sizeof *self);
    if (self == NULL) {
        reply_error(request, API_INTERNAL);
        return;
    }
    http_set_state(request, self, free_state);
    size_t len;
    const uint8_t *bytes = http_body(request, &len);
    body_result parsed = body_parse(bytes, len, &self->body);
    if (parsed != BODY_OK) {
        reply_error(request, parsed == BODY_INVALID ? API_INVALID_BODY : API_INTERNAL);
        return;
    }
    start(request, self);
}
