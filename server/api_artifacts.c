/*
 * api_artifacts.c - POST /api/artifacts and GET /api/artifacts/:id.
 *
 * The way of a create:
 *
 *     body -> [encode an envelope | check that a payload decodes] -> insert -> 201
 */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "artifact_reply.h"
#include "asset_sets.h"
#include "create_request.h"
#include "decode_work.h"
#include "describe.h"
#include "encode_work.h"
#include "ids.h"

typedef struct create_state {
    body body;
    create_request wanted;    /* borrows from body */
    const arx_assets *assets; /* the set to encode with */
    encode_work encode;
    decode_work decode;
    store_op op;
} create_state;

static void free_create(void *state) {
    create_state *self = state;
    store_op_clear(&self->op);
    encode_work_free(&self->encode);
    decode_work_free(&self->decode);
    body_free(&self->body);
    free(self);
}

static void created(http_request *request) {
    const create_state *self = http_state(request);
    api_result result = store_outcome(&self->op);
    if (result != API_OK) {
        reply_error(request, result);
        return;
    }
    arx_buf out;
    arx_buf_init(&out, 0);
    fields_begin(&out);
    artifact_write_created(&self->op.artifact, http_origin(request),
                           self->body.mended > 0 ? BODY_MENDED_WARNING : NULL, &out);
    fields_end(&out);
    reply_json(request, 201, &out);
}

/* Queues the row: payload and what is known of it; the store adds the times. */
static void insert(http_request *request, create_state *self, const char *payload, size_t len,
                   const char *codec, const char *set) {
    store_artifact *row = &self->op.artifact;
    row->payload = malloc(len + 1);
    row->codec = codec != NULL ? strdup(codec) : NULL;
    if (row->payload == NULL || (codec != NULL && row->codec == NULL) || !id_generate(row->id)) {
        reply_error(request, API_INTERNAL);
        return;
    }
    memcpy(row->payload, payload, len);
    row->payload[len] = '\0';
    row->payload_len = len;
    if (set != NULL) {
        memcpy(row->asset_set, set, STORE_SET_CHARS);
    }
    row->ttl_ms = self->wanted.ttl_ms;
    row->sliding = self->wanted.sliding;
    self->op.kind = STORE_INSERT;
    store_wait(request, &self->op, created);
}

static void encoded(http_request *request) {
    create_state *self = http_state(request);
    encode_work *work = &self->encode;
    api_result result = encode_work_finish(work);
    if (result != API_OK) {
        encode_work_refuse(request, work, result);
        return;
    }
    if (!describe_envelope(self->wanted.envelope, &self->op.artifact)) {
        reply_error(request, API_INTERNAL);
        return;
    }
    arx_codec codec = work->encoded.winner.codec;
    insert(request, self, (const char *)work->encoded.fragment, work->encoded.fragment_len,
           arx_codec_name(codec),
           describe_codec_uses_set(codec) ? arx_assets_id(self->assets) : NULL);
}

/* A ready payload: its codec is told by its head, its set only by the request. */
static void insert_payload(http_request *request, create_state *self) {
    const create_request *wanted = &self->wanted;
    arx_fragment_head head;
    arx_error error = {0};
    arx_code code = arx_fragment_head_parse((const uint8_t *)wanted->payload, wanted->payload_len,
                                            true, &head, &error);
    const char *codec = code == ARX_CODE_OK ? arx_codec_name(head.codec) : NULL;
    bool names_set = code == ARX_CODE_OK && describe_codec_uses_set(head.codec);
    arx_error_free(&error);
    insert(request, self, wanted->payload, wanted->payload_len, codec,
           names_set ? wanted->asset_set : NULL);
}

static void validated(http_request *request) {
    create_state *self = http_state(request);
    api_result result = decode_work_finish(&self->decode);
    if (result != API_OK) {
        decode_work_refuse(request, &self->decode, result);
    } else if (!describe_envelope(self->decode.decoded.envelope, &self->op.artifact)) {
        reply_error(request, API_INTERNAL);
    } else {
        insert_payload(request, self);
    }
}

/* Sends a checked request on its way. */
static void start(http_request *request, create_state *self) {
    const service *server = http_service(request);
    const create_request *wanted = &self->wanted;
    self->assets = wanted->asset_set != NULL ? asset_sets_find(server->sets, wanted->asset_set)
                                             : asset_sets_active(server->sets);
    if (self->assets == NULL) {
        reply_error(request, API_NO_SUCH_SET);
    } else if (wanted->envelope != NULL) {
        api_result started = encode_work_start(request, &self->encode, self->assets,
                                               wanted->envelope, &wanted->options, encoded);
        if (started != API_OK) {
            encode_work_refuse(request, &self->encode, started);
        }
    } else if (wanted->validate) {
        api_result started =
            decode_work_start(request, &self->decode, (const uint8_t *)wanted->payload,
                              wanted->payload_len, wanted->asset_set, true, validated);
        if (started != API_OK) {
            decode_work_refuse(request, &self->decode, started);
        }
    } else {
        insert_payload(request, self);
    }
}

void api_artifacts_create(http_request *request) {
    const service *server = http_service(request);
    create_state *self = calloc(1, sizeof *self);
    if (self == NULL) {
        reply_error(request, API_INTERNAL);
        return;
    }
    http_set_state(request, self, free_create);
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
    if (result == API_OK) {
        start(request, self);
    } else {
        reply_error_message(request, result, &message);
    }
    arx_buf_free(&message);
}

static void free_read(void *state) {
    store_op_clear(state);
    free(state);
}

static void show_row(http_request *request) {
    const store_op *op = http_state(request);
    api_result result = store_outcome(op);
    if (result != API_OK) {
        reply_error(request, result);
        return;
    }
    arx_buf out;
    arx_buf_init(&out, 0);
    artifact_write_row(&op->artifact, &out);
    reply_json(request, 200, &out);
}

void api_artifacts_get(http_request *request) {
    store_op *op = calloc(1, sizeof *op);
    if (op == NULL) {
        reply_error(request, API_INTERNAL);
        return;
    }
    http_set_state(request, op, free_read);
    if (!id_parse(http_segment(request, 2), op->artifact.id)) {
        reply_error(request, API_NO_ARTIFACT);
        return;
    }
    op->kind = STORE_READ;
    op->touch = http_method_of(request) != HTTP_HEAD;
    store_wait(request, op, show_row);
}
