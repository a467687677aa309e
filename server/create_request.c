/* create_request.c - see create_request.h. */
#include "create_request.h"

#include <string.h>

static api_result invalid(arx_buf *message, const char *text) {
    arx_buf_append_str(message, text);
    return API_INVALID_OPTION;
}

static const json_t *option(const json_t *root, const char *name) {
    const json_t *value = json_object_get(root, name);
    return json_is_null(value) ? NULL : value;
}

static api_result read_flag(const json_t *root, const char *name, bool *flag, arx_buf *message) {
    const json_t *value = option(root, name);
    if (value == NULL) {
        return API_OK;
    }
    if (!json_is_boolean(value)) {
        arx_buf_append_byte(message, '"');
        arx_buf_append_str(message, name);
        return invalid(message, "\" must be true or false.");
    }
    *flag = json_is_true(value);
    return API_OK;
}

static api_result read_ttl(const server_config *config, const json_t *root, int64_t *ttl_ms,
                           arx_buf *message) {
    const json_t *value = option(root, "ttl_seconds");
    if (value == NULL) {
        *ttl_ms = (int64_t)config->ttl_hours * 3600 * 1000;
        return API_OK;
    }
    json_int_t max = (json_int_t)config->max_ttl_hours * 3600;
    json_int_t seconds = json_integer_value(value);
    if (!json_is_integer(value) || seconds < (json_int_t)TTL_MIN_SECONDS || seconds > max) {
        arx_buf_append_str(message, "\"ttl_seconds\" must be a whole number from ");
        arx_buf_append_u64(message, TTL_MIN_SECONDS);
        arx_buf_append_str(message, " to ");
        arx_buf_append_u64(message, (uint64_t)max);
        return invalid(message, ".");
    }
    *ttl_ms = seconds * 1000;
    return API_OK;
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

/* An envelope and its options, by the reader /encode uses. */
static api_result read_envelope(body *from, create_request *request, arx_buf *message) {
    const arx_json *value = body_codec_value(from);
    if (value == NULL) {
        return API_INTERNAL;
    }
    arx_json *envelope = arx_json_get(value, "envelope");
    arx_request_result result = arx_envelope_read(from->doc, envelope, &envelope, message);
    if (result == ARX_REQUEST_OK) {
        request->envelope = envelope;
        result = arx_encode_options_read(value, &request->options, message);
    }
    return api_result_of_request(result);
}

api_result create_request_read(const server_config *config, body *from, create_request *request,
                               arx_buf *message) {
    const json_t *root = from->root;
    const json_t *payload = json_object_get(root, "payload");
    const json_t *envelope = option(root, "envelope");
    *request = (create_request){.sliding = true};
    arx_encode_options_init(&request->options);
    if (payload != NULL && envelope != NULL) {
        return invalid(message, "Give either \"payload\" or \"envelope\", not both.");
    }
    api_result result = envelope != NULL ? read_envelope(from, request, message)
                                         : read_payload(payload, from, request);
    if (result == API_OK) {
        result = read_ttl(config, root, &request->ttl_ms, message);
    }
    if (result == API_OK) {
        result = read_flag(root, "sliding", &request->sliding, message);
    }
    if (result == API_OK) {
        result = read_flag(root, "validate", &request->validate, message);
    }
    const json_t *set = option(root, "asset_set");
    if (result == API_OK && set != NULL && !json_is_string(set)) {
        result = invalid(message, "\"asset_set\" must be the id of a set in /assets/index.json.");
    }
    request->asset_set = json_string_value(set);
    return result;
}
