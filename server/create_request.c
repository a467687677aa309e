/* create_request.c - see create_request.h. */
#include "create_request.h"

#include <string.h>

static api_result invalid(arx_buf *message, const char *text) {
    arx_buf_append_str(message, text);
    return API_INVALID_OPTION;
}

static api_result read_payload(const json_t *value, const body *from, create_request *request) {
    if (!json_is_string(value)) {
        return API_PAYLOAD_NOT_STRING;
    }
    request->payload = json_string_value(value);
    request->payload_len = json_string_length(value);
    /* What is stored is what was sent, or nothing. */
    if (from->mended > 0 || memchr(request->payload, '\0', request->payload_len) != NULL) {
        return API_INVALID_BODY;
    }
    if (request->payload[0] == '#') {
        request->payload++;
        request->payload_len--;
    }
    if (request->payload_len == 0) {
        return API_PAYLOAD_EMPTY;
    }
    bool too_long = arx_text_units_exceed((const uint8_t *)request->payload, request->payload_len,
                                          PAYLOAD_MAX_UNITS);
    return too_long ? API_PAYLOAD_TOO_LONG : API_OK;
}

/* An envelope, or an artifact to be wrapped in one, and options: by the readers /encode uses. */
static api_result read_envelope(body *from, const char *member, create_request *request,
                                arx_buf *message) {
    const arx_json *value = body_codec_value(from);
    if (value == NULL) {
        return API_INTERNAL;
    }
    arx_json *given = arx_json_get(value, member);
    arx_json *envelope;
    arx_request_result result = strcmp(member, "envelope") == 0
                                    ? arx_envelope_read(from->doc, given, &envelope, message)
                                    : arx_draft_read(from->doc, given, &envelope, message);
    if (result == ARX_REQUEST_OK) {
        request->envelope = envelope;
        result = arx_encode_options_read(value, &request->options, message);
    }
    return api_result_of_request(result);
}

static bool is_given(const json_t *root, const char *name) {
    const json_t *value = json_object_get(root, name);
    return value != NULL && !json_is_null(value);
}

api_result create_request_read(const server_config *config, body *from, create_request *request,
                               arx_buf *message) {
    const json_t *root = from->root;
    const json_t *payload = json_object_get(root, "payload");
    bool envelope = is_given(root, "envelope");
    bool artifact = is_given(root, "artifact");
    *request = (create_request){0};
    arx_encode_options_init(&request->options);
    if ((payload != NULL) + envelope + artifact > 1) {
        return invalid(message,
                       "Give one of \"payload\", \"envelope\" and \"artifact\", not more.");
    }
    api_result result = API_OK;
    if (envelope || artifact) {
        result = read_envelope(from, envelope ? "envelope" : "artifact", request, message);
    } else {
        result = read_payload(payload, from, request);
    }
    if (result == API_OK) {
        result = link_options_read(config, root, &request->link, message);
    }
    if (result == API_OK) {
        result = link_options_read_flag(root, "validate", &request->validate, message);
    }
    return result;
}
