/* payload_work.c - see payload_work.h. */
#include "payload_work.h"

#include <stdlib.h>
#include <string.h>

#include "asset_sets.h"
#include "describe.h"

api_result payload_work_start(http_request *request, payload_work *work,
                              const create_request *wanted, http_handler *next) {
    const service *server = http_service(request);
    const char *set = wanted->link.asset_set;
    work->wanted = wanted;
    work->assets =
        set != NULL ? asset_sets_find(server->sets, set) : asset_sets_active(server->sets);
    if (work->assets == NULL) {
        return API_NO_SUCH_SET;
    }
    if (wanted->envelope != NULL) {
        return encode_work_start(request, &work->encode, work->assets, wanted->envelope,
                                 &wanted->options, next);
    }
    if (wanted->validate) {
        work->checked = true;
        return decode_work_start(request, &work->decode, (const uint8_t *)wanted->payload,
                                 wanted->payload_len, set, true, next);
    }
    next(request);
    return API_OK;
}

/* False without memory. */
static bool put_payload(store_artifact *row, const char *payload, size_t len, const char *codec,
                        const char *set) {
    row->payload = malloc(len + 1);
    row->codec = codec != NULL ? strdup(codec) : NULL;
    if (row->payload == NULL || (codec != NULL && row->codec == NULL)) {
        return false;
    }
    memcpy(row->payload, payload, len);
    row->payload[len] = '\0';
    row->payload_len = len;
    if (set != NULL) {
        memcpy(row->asset_set, set, STORE_SET_CHARS);
    }
    return true;
}

api_result payload_take_encoded(encode_work *encode, store_artifact *row) {
    if (encode->too_long) {
        return api_result_of_code(arx_error_set(&encode->error, ARX_CODE_DECODED_TOO_LARGE, NULL));
    }
    arx_codec codec = encode->encoded.winner.codec;
    bool taken = describe_envelope(encode->envelope, row) &&
                 put_payload(row, (const char *)encode->encoded.fragment,
                             encode->encoded.fragment_len, arx_codec_name(codec),
                             describe_codec_uses_set(codec) ? arx_assets_id(encode->assets) : NULL);
    return taken ? API_OK : API_INTERNAL;
}

/* A ready payload: its codec is told by its head, its set only by the request. */
static bool take_payload(const create_request *wanted, store_artifact *row) {
    arx_fragment_head head;
    arx_error error = {0};
    bool readable = arx_fragment_head_parse((const uint8_t *)wanted->payload, wanted->payload_len,
                                            true, &head, &error) == ARX_CODE_OK;
    bool names_set = readable && describe_codec_uses_set(head.codec);
    arx_error_free(&error);
    return put_payload(row, wanted->payload, wanted->payload_len,
                       readable ? arx_codec_name(head.codec) : NULL,
                       names_set ? wanted->link.asset_set : NULL);
}

api_result payload_work_finish(payload_work *work, store_artifact *row) {
    const create_request *wanted = work->wanted;
    if (wanted->envelope != NULL) {
        api_result result = encode_work_finish(&work->encode);
        return result == API_OK ? payload_take_encoded(&work->encode, row) : result;
    }
    if (work->checked) {
        api_result result = decode_work_finish(&work->decode);
        if (result != API_OK) {
            return result;
        }
        if (!describe_envelope(work->decode.decoded.envelope, row)) {
            return API_INTERNAL;
        }
    }
    return take_payload(wanted, row) ? API_OK : API_INTERNAL;
}

void payload_work_refuse(http_request *request, const payload_work *work, api_result result) {
    if (work->checked) {
        decode_work_refuse(request, &work->decode, result);
    } else {
        encode_work_refuse(request, &work->encode, result);
    }
}

void payload_work_free(payload_work *work) {
    encode_work_free(&work->encode);
    decode_work_free(&work->decode);
}
