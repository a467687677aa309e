/* reply.c - see reply.h. */
#include "reply.h"

#include <stdio.h>
#include <string.h>

#include "notice.h"

static const api_row rows[API_RESULT_COUNT] = {
    [API_OK] = {200, "ok", "OK.", 0, NULL, NULL},

    [API_BAD_REQUEST] = {400, "bad-request", "Bad request.", 0, NULL, NULL},
    [API_INVALID_BODY] = {400, "invalid-body", "Invalid request body.", 0, NULL, NULL},
    [API_PAYLOAD_NOT_STRING] = {400, "payload-not-string", "Payload must be a string.", 0, NULL,
                                NULL},
    [API_PAYLOAD_EMPTY] = {400, "payload-empty", "Payload must not be empty.", 0, NULL, NULL},
    [API_PAYLOAD_TOO_LONG] = {400, "payload-too-long",
                              "Payload exceeds the maximum allowed length of 500,000 characters.",
                              0, NULL, NULL},
    [API_INVALID_OPTION] = {400, "invalid-request", NULL, 0, NULL, NULL},
    [API_NO_SUCH_SET] = {400, "unknown-asset-set",
                         "No such asset set is loaded; /assets/index.json lists those that are.", 0,
                         NULL, NULL},
    [API_TEXT_NOT_UTF8] = {400, "invalid-text", "The text must be UTF-8.", 0, NULL, NULL},
    [API_REQUEST_KEY] = {400, "invalid-idempotency-key",
                         "An Idempotency-Key has 16 to 255 characters, or 1 to 255 with a token.",
                         0, NULL, NULL},

    [API_UNAUTHORIZED] = {401, "unauthorized", "Unauthorized.", 0, NULL, NULL},
    [API_FORBIDDEN] = {403, "forbidden", "The token's scopes do not allow this.", 0, NULL, NULL},

    [API_FOREIGN] = {403, "foreign-origin",
                     "The Host or Origin is not this server's; see --public-url.", 0, NULL, NULL},

    [API_NOT_FOUND] = {404, "not-found", "Not found.", 0, "Not found", NULL},
    [API_NO_ARTIFACT] = {404, "artifact-not-found", "Artifact not found or expired.", 0,
                         "Artifact not found", "This artifact has expired or does not exist."},
    [API_NOTHING_TO_DELETE] = {404, "nothing-to-delete", "Artifact not found.", 0, NULL, NULL},
    [API_NO_SUCH_ARTIFACT] = {404, "no-such-artifact", "The bundle has no artifact with that id.",
                              0, "Artifact not found", NULL},
    [API_NO_JOB] = {404, "job-not-found", "Job not found or no longer kept.", 0, NULL, NULL},
    [API_NO_APPROVAL] = {404, "approval-not-found", "Approval not found or no longer kept.", 0,
                         "Approval not found", NULL},
    [API_NO_RESULT] = {404, "result-not-found",
                       "No such request is known, or its result is no longer kept.", 0, NULL, NULL},
    [API_METHOD_NOT_ALLOWED] = {405, "method-not-allowed", "Method not allowed.", 0, NULL, NULL},
    [API_NOT_ACCEPTABLE] = {406, "not-acceptable",
                            "None of the forms the request accepts is available.", 0, NULL, NULL},
    [API_REQUEST_ID_USED] = {409, "request-id-used", "The requestId was used for another request.",
                             0, NULL, NULL},
    [API_REQUEST_KEY_USED] = {409, "idempotency-key-used",
                              "The Idempotency-Key was used for another request.", 0, NULL, NULL},
    [API_NOT_COUNTED] = {409, "views-not-limited",
                         "The link may be opened any number of times; GET it instead.", 0,
                         "Not a limited link", NULL},
    [API_APPROVAL_DECIDED] = {409, "approval-decided", "The approval was decided before.", 0, NULL,
                              NULL},
    [API_APPROVAL_OVER] = {410, "approval-over", "The approval was used or has lapsed.", 0, NULL,
                           NULL},
    [API_ARTIFACT_GONE] = {410, "artifact-gone", "Artifact not found or expired.", 0,
                           "Artifact not found", "This artifact has expired or does not exist."},
    [API_BODY_TOO_LARGE] = {413, "body-too-large", "Request body too large.", 0, NULL, NULL},
    [API_TEXT_TOO_LONG] = {413, "text-too-long",
                           "The text exceeds the supported limit of 200,000 characters.", 0, NULL,
                           NULL},
    [API_RATE_LIMITED] = {429, "rate-limited", "Too many requests. Try again later.", 1,
                          "Too many requests", NULL},

    [API_UNDECODABLE_EMPTY] = {422, "empty", NULL, 0, NULL, NULL},
    [API_UNDECODABLE_TOO_LARGE] = {422, "too-large", NULL, 0, NULL, NULL},
    [API_UNDECODABLE_MISSING_KEY] = {422, "missing-key", NULL, 0, NULL, NULL},
    [API_UNDECODABLE_FORMAT] = {422, "invalid-format", NULL, 0, NULL, NULL},
    [API_UNDECODABLE_JSON] = {422, "invalid-json", NULL, 0, NULL, NULL},
    [API_UNDECODABLE_DECODED_TOO_LARGE] = {422, "decoded-too-large", NULL, 0, NULL, NULL},
    [API_INVALID_ENVELOPE] = {422, "invalid-envelope", NULL, 0, NULL, NULL},
    [API_ASSET_UNAVAILABLE] = {422, "asset-unavailable", NULL, 0, NULL, NULL},
    [API_NO_CANDIDATES] = {422, "no-candidates", NULL, 0, NULL, NULL},

    [API_INTERNAL] = {500, "internal", "Internal server error.", 0, "Server error",
                      "The server failed to answer. Try again later."},
    [API_STORE_FAILED] = {500, "store-failed", "Failed to store artifact.", 0, "Server error",
                          NULL},
    [API_LOAD_FAILED] = {500, "load-failed", "Failed to load artifact.", 0, "Server error",
                         "Failed to render the artifact viewer."},
    [API_NOT_IMPLEMENTED] = {501, "not-implemented", "Method not implemented.", 0, NULL, NULL},
    [API_BUSY] = {503, "busy", "The server is busy. Try again shortly.", 1, "Busy", NULL},
    [API_STOPPING] = {503, "stopping", "The server is stopping. Try again shortly.", 2, "Busy",
                      NULL},
    [API_DEADLINE] = {504, "deadline", "The request took too long and was given up.", 0,
                      "Took too long", NULL},
    [API_STORAGE_FULL] =
        {507, "storage-full",
         "The server keeps as many links as its operator allows. Delete some, or try "
         "again when others have expired.",
         0, "No room", NULL},
    [API_TOKEN_FULL] =
        {507, "token-full",
         "The token that makes this link has as much stored as it may have. Delete some of its "
         "links, or try again when others have expired.",
         0, "No room", NULL},
};

const api_row *api_row_of(api_result result) {
    return &rows[result];
}

api_result api_result_of_code(arx_code code) {
    switch (code) {
    case ARX_CODE_OK:
        return API_OK;
    case ARX_CODE_EMPTY:
        return API_UNDECODABLE_EMPTY;
    case ARX_CODE_TOO_LARGE:
        return API_UNDECODABLE_TOO_LARGE;
    case ARX_CODE_MISSING_KEY:
        return API_UNDECODABLE_MISSING_KEY;
    case ARX_CODE_INVALID_FORMAT:
        return API_UNDECODABLE_FORMAT;
    case ARX_CODE_INVALID_JSON:
        return API_UNDECODABLE_JSON;
    case ARX_CODE_DECODED_TOO_LARGE:
        return API_UNDECODABLE_DECODED_TOO_LARGE;
    case ARX_CODE_INVALID_ENVELOPE:
        return API_INVALID_ENVELOPE;
    case ARX_CODE_ASSET_UNAVAILABLE:
        return API_ASSET_UNAVAILABLE;
    case ARX_CODE_NO_CANDIDATES:
        return API_NO_CANDIDATES;
    case ARX_CODE_NO_MEMORY:
        break;
    }
    return API_INTERNAL;
}

api_result api_result_of_request(arx_request_result result) {
    switch (result) {
    case ARX_REQUEST_OK:
        return API_OK;
    case ARX_REQUEST_INVALID:
        return API_INVALID_OPTION;
    case ARX_REQUEST_ENVELOPE:
        return API_INVALID_ENVELOPE;
    case ARX_REQUEST_NO_MEMORY:
        break;
    }
    return API_INTERNAL;
}

/* Headers a result brings with it, whatever form it takes. */
static void add_result_headers(http_request *request, api_result result) {
    const api_row *row = &rows[result];
    if (row->retry_after_s > 0 && !http_has_header(request, "Retry-After")) {
        char seconds[16];
        (void)snprintf(seconds, sizeof seconds, "%u", row->retry_after_s);
        http_add_header(request, "Retry-After", seconds);
    }
    if (result == API_UNAUTHORIZED) {
        http_add_header(request, "WWW-Authenticate", "Bearer");
    } else if (result == API_FORBIDDEN) {
        http_add_header(request, "WWW-Authenticate", "Bearer error=\"insufficient_scope\"");
    }
}

static const char *text_of(api_result result) {
    return rows[result].text != NULL ? rows[result].text : rows[result].code;
}

void error_fields(arx_buf *out, api_result result, const arx_buf *message) {
    if (rows[result].text != NULL || message == NULL) {
        field_text(out, "error", text_of(result));
    } else {
        field_string(out, "error", message->data, message->len);
    }
    field_text(out, "code", rows[result].code);
}

void reply_error_text(http_request *request, api_result result, const uint8_t *text, size_t len) {
    const api_row *row = &rows[result];
    arx_buf body;
    arx_buf_init(&body, 0);
    fields_begin(&body);
    if (http_target_under(request, "/oui")) {
        field_bool(&body, "ok", false); /* a receipt: OUI's, of what is not going to be done */
        field_string(&body, "reason", text, len);
    }
    field_string(&body, "error", text, len);
    field_text(&body, "code", row->code);
    fields_end(&body);
    if (arx_buf_result(&body) == ARX_OK) {
        add_result_headers(request, result);
    }
    reply_json(request, row->status, &body);
}

void reply_error(http_request *request, api_result result) {
    const char *text = text_of(result);
    reply_error_text(request, result, (const uint8_t *)text, strlen(text));
}

void reply_error_message(http_request *request, api_result result, const arx_buf *message) {
    if (rows[result].text != NULL) {
        reply_error(request, result);
    } else if (arx_buf_result(message) != ARX_OK) {
        reply_error(request, API_INTERNAL);
    } else {
        reply_error_text(request, result, message->data, message->len);
    }
}

void reply_invalid(http_request *request, const char *sentence) {
    reply_error_text(request, API_INVALID_OPTION, (const uint8_t *)sentence, strlen(sentence));
}

void reply_codec_error(http_request *request, const arx_error *error) {
    reply_error_message(request, api_result_of_code(error->code), &error->message);
}

void reply_error_plain(http_request *request, api_result result) {
    const api_row *row = &rows[result];
    const char *text = text_of(result);
    size_t len = strlen(text);
    add_result_headers(request, result);
    http_send_static(request, row->status, CONTENT_TEXT, text,
                     text[len - 1] == '.' ? len - 1 : len);
}

void reply_codec_error_plain(http_request *request, const arx_error *error) {
    api_result result = api_result_of_code(error->code);
    if (rows[result].text != NULL || arx_buf_result(&error->message) != ARX_OK) {
        reply_error_plain(request, API_INTERNAL);
        return;
    }
    arx_buf body;
    arx_buf_init(&body, 0);
    arx_buf_append(&body, error->message.data, error->message.len);
    reply_bytes(request, rows[result].status, CONTENT_TEXT, &body);
}

void reply_error_page(http_request *request, api_result result) {
    const api_row *row = &rows[result];
    const char *title = row->page_title != NULL ? row->page_title : "Error";
    const char *text = row->page_text != NULL ? row->page_text : text_of(result);
    arx_buf body; /* every text is the table's, so nothing needs escaping */
    arx_buf_init(&body, 0);
    notice_begin(request, title, &body);
    notice_body(request, title, &body);
    arx_buf_append_str(&body, "<p>");
    arx_buf_append_str(&body, text);
    arx_buf_append_str(&body, "</p>");
    notice_end(request, &body);
    if (arx_buf_result(&body) == ARX_OK) {
        add_result_headers(request, result);
    }
    reply_bytes(request, row->status, CONTENT_HTML, &body);
}

void reply_json(http_request *request, unsigned status, arx_buf *body) {
    reply_bytes(request, status, CONTENT_JSON, body);
}

void reply_bytes(http_request *request, unsigned status, const char *content_type, arx_buf *body) {
    size_t len;
    uint8_t *bytes = arx_buf_take(body, &len);
    if (bytes == NULL) {
        /* Made without memory: there may be none for a second try. */
        static const char failed[] = "{\"error\":\"Internal server error.\",\"code\":\"internal\"}";
        http_send_static(request, rows[API_INTERNAL].status, CONTENT_JSON, failed,
                         sizeof failed - 1);
        return;
    }
    http_send(request, status, content_type, bytes, len);
}

void reply_no_content(http_request *request) {
    http_send_static(request, 204, NULL, "", 0);
}
