/* api_share.c - POST /share: a file as it is becomes a short link, in one call. */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "asset_sets.h"
#include "encode_work.h"
#include "link_work.h"
#include "negotiate.h"
#include "payload_work.h"
#include "share_request.h"

typedef struct share_state {
    link_work link; /* first, as it asks */
    link_options options;
    arx_json_doc *doc;
    arx_json *envelope; /* in doc */
    encode_work encode;
} share_state;

static void free_state(void *state) {
    share_state *self = state;
    link_work_free(&self->link);
    encode_work_free(&self->encode);
    arx_json_doc_free(self->doc);
    free(self);
}

/* The short URL and a line feed; the whole object for those who ask for JSON. */
static void answer(http_request *request) {
    static const char *const types[] = {"text/plain", "application/json"};
    const share_state *self = http_state(request);
    http_add_header(request, "Vary", "Accept");
    if (self->link.result != API_OK ||
        negotiate_type(http_header(request, "Accept"), types, 2) == 1) {
        link_work_reply(request);
        return;
    }
    arx_buf url;
    arx_buf_init(&url, 0);
    if (link_work_member(&self->link, "short_url", &url)) {
        arx_buf_append_byte(&url, '\n');
        reply_bytes(request, 201, CONTENT_TEXT, &url);
    } else {
        reply_error(request, API_INTERNAL);
    }
    arx_buf_free(&url);
}

static void encoded(http_request *request) {
    share_state *self = http_state(request);
    api_result result = encode_work_finish(&self->encode);
    if (result == API_OK) {
        result = payload_take_encoded(&self->encode, &self->link.op.artifact);
    }
    if (result != API_OK) {
        encode_work_refuse(request, &self->encode, result);
    } else {
        link_work_insert(request, &self->options, NULL, answer);
    }
}

/* Reads query and body into an envelope. */
static api_result read_request(http_request *request, share_state *self, arx_buf *message) {
    const service *server = http_service(request);
    share_request asked = {
        .kind = http_query(request, "kind"),
        .filename = http_query(request, "filename"),
        .title = http_query(request, "title"),
        .language = http_query(request, "language"),
        .content_type = http_header(request, "Content-Type"),
    };
    asked.text = http_body(request, &asked.text_len);
    const char *ttl = http_query(request, "ttl_seconds");
    arx_draft draft;
    link_options_init(server->config, &self->options);
    api_result result = share_request_draft(&asked, &draft, message);
    if (result == API_OK && ttl != NULL) {
        result = link_options_read_ttl(server->config, ttl, &self->options, message);
    }
    if (result != API_OK) {
        return result;
    }
    const char *blank = NULL;
    self->doc = arx_json_doc_create();
    arx_result built = self->doc != NULL
                           ? arx_draft_envelope(&draft, self->doc, &self->envelope, &blank)
                           : ARX_NO_MEMORY;
    if (built == ARX_MALFORMED) {
        arx_buf_append_str(message, blank);
        return API_INVALID_ENVELOPE;
    }
    return built == ARX_OK ? API_OK : API_INTERNAL;
}

static void share(http_request *request) {
    const service *server = http_service(request);
    share_state *self = http_state(request);
    if (self->link.result != API_OK || self->link.status != 0) {
        answer(request);
        return;
    }
    arx_buf message;
    arx_buf_init(&message, 0);
    arx_encode_options options;
    arx_encode_options_init(&options);
    api_result result = read_request(request, self, &message);
    if (result != API_OK) {
        reply_error_message(request, result, &message);
    } else {
        result = encode_work_start(request, &self->encode, asset_sets_active(server->sets),
                                   self->envelope, &options, encoded);
        if (result != API_OK) {
            encode_work_refuse(request, &self->encode, result);
        }
    }
    arx_buf_free(&message);
}

void api_share(http_request *request) {
    share_state *self = calloc(1, sizeof *self);
    if (self == NULL) {
        reply_error(request, API_INTERNAL);
        return;
    }
    http_set_state(request, self, free_state);
    link_work_begin(request, true, share);
}
