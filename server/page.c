/* page.c - GET /<uuid>: a page that says what the link holds and carries its payload as data. */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "html.h"
#include "ids.h"
#include "request.h"

typedef struct page_state {
    store_op op;
    char id[ID_LONG_CHARS + 1];
} page_state;

static void free_state(void *state) {
    page_state *self = state;
    store_op_clear(&self->op);
    free(self);
}

static const char page_end[] = "\"></div>\n</html>\n";

/* Everything before the payload. Title and kind are escaped, the rest is ours. */
static void write_start(const page_state *self, arx_buf *out) {
    const store_artifact *artifact = &self->op.artifact;
    const char *title = artifact->title != NULL ? artifact->title : "Artifact";
    arx_buf_append_str(out, "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
                            "<meta name=\"viewport\" content=\"width=device-width\">\n"
                            "<meta name=\"robots\" content=\"noindex\">\n<title>");
    html_escape_str(title, out);
    arx_buf_append_str(out, " &ndash; arxd</title>\n<meta property=\"og:title\" content=\"");
    html_escape_str(title, out);
    arx_buf_append_str(out, "\">\n<h1>");
    html_escape_str(title, out);
    arx_buf_append_str(out, "</h1>\n<p>");
    if (artifact->kind != NULL) {
        arx_buf_append_str(out, "Kind: ");
        html_escape_str(artifact->kind, out);
        arx_buf_append_str(out, ". ");
    }
    arx_buf_append_str(out, "<a href=\"/");
    arx_buf_append_str(out, self->id);
    arx_buf_append_str(out, "/raw\">Read it as plain text</a>.</p>\n<div id=\"artifact\" hidden");
    if (artifact->asset_set[0] != '\0') {
        arx_buf_append_str(out, " data-asset-set=\"");
        arx_buf_append_str(out, artifact->asset_set);
        arx_buf_append_byte(out, '"');
    }
    arx_buf_append_str(out, " data-payload=\"");
}

static void answer(http_request *request) {
    page_state *self = http_state(request);
    api_result result = store_outcome(&self->op);
    if (result != API_OK) {
        reply_error_page(request, result);
        return;
    }
    const uint8_t *payload = (const uint8_t *)self->op.artifact.payload;
    size_t payload_len = self->op.artifact.payload_len;
    arx_buf start;
    arx_buf_init(&start, 0);
    write_start(self, &start);
    size_t escaped_at = start.len;
    if (html_needs_escape(payload, payload_len)) {
        html_escape(payload, payload_len, &start);
        payload_len = 0;
    }
    size_t start_len;
    uint8_t *owned = arx_buf_take(&start, &start_len);
    if (owned == NULL) {
        reply_error_page(request, API_INTERNAL);
        return;
    }
    /* The payload goes out from the row itself, which the request holds until it has been sent. */
    const http_part parts[] = {
        {owned, escaped_at},
        {payload_len > 0 ? payload : owned + escaped_at,
         payload_len > 0 ? payload_len : start_len - escaped_at},
        {page_end, sizeof page_end - 1},
    };
    http_send_parts(request, 200, CONTENT_HTML, parts, sizeof parts / sizeof parts[0], owned);
}

void page_artifact(http_request *request) {
    page_state *self = calloc(1, sizeof *self);
    if (self == NULL) {
        reply_error_page(request, API_INTERNAL);
        return;
    }
    http_set_state(request, self, free_state);
    if (!id_parse(http_segment(request, 0), self->op.artifact.id)) {
        reply_error_page(request, API_NO_ARTIFACT);
        return;
    }
    id_format_long(self->op.artifact.id, self->id);
    self->op.kind = STORE_READ;
    self->op.touch = http_method_of(request) != HTTP_HEAD;
    store_wait(request, &self->op, answer);
}
