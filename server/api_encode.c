/* api_encode.c - POST /encode: the shortest fragment for an envelope or one artifact. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "asset_sets.h"
#include "body.h"
#include "clock.h"
#include "encode_request.h"
#include "encode_result.h"
#include "encode_work.h"

typedef struct encode_state {
    body body;
    arx_encode_request wanted; /* nodes of body.doc */
    encode_work work;
} encode_state;

static void free_state(void *state) {
    encode_state *self = state;
    encode_work_free(&self->work);
    body_free(&self->body);
    free(self);
}

/* How long it took, for people; the body stays the same for the same input. */
static void add_timing(http_request *request) {
    char value[48];
    int64_t ms = clock_monotonic_ms() - http_started_ms(request);
    (void)snprintf(value, sizeof value, "encode;dur=%lld", (long long)ms);
    http_add_header(request, "Server-Timing", value);
}

static void answer(http_request *request) {
    encode_state *self = http_state(request);
    api_result result = encode_work_finish(&self->work);
    if (result != API_OK) {
        encode_work_refuse(request, &self->work, result);
        return;
    }
    const arx_encode_request *wanted = &self->wanted;
    const uint8_t *base = wanted->base_url;
    size_t base_len = wanted->base_url_len;
    if (base == NULL) {
        base = (const uint8_t *)http_origin(request);
        base_len = strlen((const char *)base);
    }
    arx_link link = {0};
    arx_buf out;
    arx_buf_init(&out, 0);
    static const char *const mended[] = {BODY_MENDED_WARNING};
    if (arx_link_create(wanted->envelope, &self->work.encoded, base, base_len, wanted->label,
                        wanted->label_len, &link) == ARX_OK) {
        const arx_encode_result written = {
            .encoded = &self->work.encoded,
            .link = &link,
            .asset_set = arx_assets_id(self->work.assets),
            .warnings = mended,
            .warning_count = self->body.mended > 0 ? 1 : 0,
        };
        fields_begin(&out);
        arx_encode_result_write(&written, &out);
        fields_end(&out);
    } else {
        out.status = ARX_NO_MEMORY;
    }
    add_timing(request);
    reply_json(request, 200, &out);
    arx_link_free(&link);
}

void api_encode(http_request *request) {
    const service *server = http_service(request);
    encode_state *self = calloc(1, sizeof *self);
    if (self == NULL) {
        reply_error(request, API_INTERNAL);
        return;
    }
    http_set_state(request, self, free_state);
    size_t len;
    const uint8_t *bytes = http_body(request, &len);
    body_result parsed = body_parse(bytes, len, &self->body);
    const arx_json *value = parsed == BODY_OK ? body_codec_value(&self->body) : NULL;
    if (value == NULL) {
        reply_error(request, parsed == BODY_INVALID ? API_INVALID_BODY : API_INTERNAL);
        return;
    }
    arx_buf message;
    arx_buf_init(&message, 0);
    arx_request_result read =
        arx_encode_request_read(self->body.doc, value, &self->wanted, &message);
    if (read != ARX_REQUEST_OK) {
        reply_error_message(request, api_result_of_request(read), &message);
    } else {
        api_result started =
            encode_work_start(request, &self->work, asset_sets_active(server->sets),
                              self->wanted.envelope, &self->wanted.options, answer);
        if (started != API_OK) {
            encode_work_refuse(request, &self->work, started);
        }
    }
    arx_buf_free(&message);
}
