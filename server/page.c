/* page.c - see page.h. */
#include "page.h"

#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "ids.h"
#include "service.h"

/* What a preview says a link is, by its kind. */
static const struct {
    const char *kind;
    const char *says;
} descriptions[] = {
    {"markdown", "A Markdown document."},
    {"code", "A source file."},
    {"diff", "A patch."},
    {"csv", "A table."},
    {"json", "A JSON document."},
};

static const char *description_of(const store_artifact *artifact) {
    for (size_t i = 0; i < sizeof descriptions / sizeof descriptions[0]; i++) {
        if (artifact->kind != NULL && strcmp(artifact->kind, descriptions[i].kind) == 0) {
            return descriptions[i].says;
        }
    }
    return "A document.";
}

/* Everything up to the heading. Title and kind are escaped, the rest is ours. */
static void write_head(const store_artifact *artifact, arx_buf *out) {
    const char *title = artifact->title != NULL ? artifact->title : "Artifact";
    const char *description = description_of(artifact);
    arx_buf_append_str(out, "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
                            "<meta name=\"viewport\" content=\"width=device-width\">\n"
                            "<meta name=\"robots\" content=\"noindex\">\n<title>");
    html_escape_str(title, out);
    arx_buf_append_str(out, " &ndash; arxd</title>\n<meta name=\"description\" content=\"");
    html_escape_str(description, out);
    arx_buf_append_str(out, "\">\n<meta property=\"og:type\" content=\"website\">\n"
                            "<meta property=\"og:title\" content=\"");
    html_escape_str(title, out);
    arx_buf_append_str(out, "\">\n<meta property=\"og:description\" content=\"");
    html_escape_str(description, out);
    arx_buf_append_str(out, "\">\n<h1>");
    html_escape_str(title, out);
    arx_buf_append_str(out, "</h1>\n");
}

/* The path of a link as the browser has it, with the tail behind it: --public-url may have one. */
static void write_path(http_request *request, const store_artifact *artifact, const char *tail,
                       arx_buf *out) {
    const service *server = http_service(request);
    const char *url = server->config->public_url;
    const char *authority = url != NULL ? strstr(url, "://") : NULL;
    const char *path = authority != NULL ? strchr(authority + strlen("://"), '/') : NULL;
    char id[ID_LONG_CHARS + 1];
    id_format_long(artifact->id, id);
    html_escape_str(path != NULL ? path : "", out);
    arx_buf_append_byte(out, '/');
    arx_buf_append_str(out, id);
    arx_buf_append_str(out, tail);
}

static void write_payload_start(http_request *request, const store_artifact *artifact,
                                arx_buf *out) {
    write_head(artifact, out);
    arx_buf_append_str(out, "<p>");
    if (artifact->kind != NULL) {
        arx_buf_append_str(out, "Kind: ");
        html_escape_str(artifact->kind, out);
        arx_buf_append_str(out, ". ");
    }
    if (artifact->max_views == 0) {
        arx_buf_append_str(out, "<a href=\"");
        write_path(request, artifact, "/raw", out);
        arx_buf_append_str(out, "\">Read it as plain text</a>.");
    }
    arx_buf_append_str(out, "</p>\n<div id=\"artifact\" hidden");
    if (artifact->asset_set[0] != '\0') {
        arx_buf_append_str(out, " data-asset-set=\"");
        arx_buf_append_str(out, artifact->asset_set);
        arx_buf_append_byte(out, '"');
    }
    arx_buf_append_str(out, " data-payload=\"");
}

void page_send(http_request *request, const store_artifact *artifact) {
    static const char end[] = "\"></div>\n</html>\n";
    const uint8_t *payload = (const uint8_t *)artifact->payload;
    size_t payload_len = artifact->payload_len;
    arx_buf start;
    arx_buf_init(&start, 0);
    write_payload_start(request, artifact, &start);
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
        {end, sizeof end - 1},
    };
    http_send_parts(request, 200, CONTENT_HTML, parts, sizeof parts / sizeof parts[0], owned);
}

void page_send_limited(http_request *request, const store_artifact *artifact) {
    uint64_t left = artifact->views_left > 0 ? (uint64_t)artifact->views_left : 0;
    arx_buf out;
    arx_buf_init(&out, 0);
    write_head(artifact, &out);
    arx_buf_append_str(&out, "<p>This link can be opened ");
    if (left == 1) {
        arx_buf_append_str(&out, "once more");
    } else {
        arx_buf_append_u64(&out, left);
        arx_buf_append_str(&out, " more times");
    }
    arx_buf_append_str(&out, ". Opening it counts.</p>\n<form method=\"post\" action=\"");
    write_path(request, artifact, "/view", &out);
    arx_buf_append_str(&out, "\"><button>Open</button></form>\n</html>\n");
    reply_bytes(request, 200, CONTENT_HTML, &out);
}
