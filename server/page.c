/* page.c - see page.h. */
#include "page.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "html.h"
#include "ids.h"
#include "notice.h"
#include "page_table.h"
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

static const char *title_of(const store_artifact *artifact) {
    return artifact->title != NULL ? artifact->title : "Artifact";
}

/* What previews read, behind the title. */
static void write_metas(const store_artifact *artifact, arx_buf *out) {
    const char *description = description_of(artifact);
    arx_buf_append_str(out, "<meta name=\"description\" content=\"");
    html_escape_str(description, out);
    arx_buf_append_str(out, "\">\n<meta property=\"og:type\" content=\"website\">\n"
                            "<meta property=\"og:title\" content=\"");
    html_escape_str(title_of(artifact), out);
    arx_buf_append_str(out, "\">\n<meta property=\"og:description\" content=\"");
    html_escape_str(description, out);
    arx_buf_append_str(out, "\">");
}

/* The path of a link as the browser has it, with the tail behind it. */
static void write_path(http_request *request, const store_artifact *artifact, const char *tail,
                       arx_buf *out) {
    const service *server = http_service(request);
    char id[ID_LONG_CHARS + 1];
    id_format_long(artifact->id, id);
    html_escape_str(config_base_path(server->config), out);
    arx_buf_append_byte(out, '/');
    arx_buf_append_str(out, id);
    arx_buf_append_str(out, tail);
}

/* Text is not to be had where reading it would count as a view. */
static bool has_raw(const store_artifact *artifact) {
    return artifact->max_views == 0;
}

static void write_viewer_head(http_request *request, const store_artifact *artifact, arx_buf *out) {
    html_write_title(title_of(artifact), out);
    arx_buf_append_str(out, "<meta name=\"robots\" content=\"noindex\">\n");
    write_metas(artifact, out);
    if (has_raw(artifact)) {
        arx_buf_append_str(out, "\n<noscript><meta http-equiv=\"refresh\" content=\"0; url=");
        write_path(request, artifact, "/raw", out);
        arx_buf_append_str(out, "\"></noscript>");
    }
}

/* The element that carries the payload, up to it. */
static void write_payload_start(http_request *request, const store_artifact *artifact,
                                arx_buf *out) {
    char expires[CLOCK_ISO_SIZE];
    clock_iso(artifact->expires_at_ms, expires);
    arx_buf_append_str(out, "<div id=\"artifact\" hidden data-url=\"");
    write_path(request, artifact, "", out);
    arx_buf_append_str(out, "\" data-expires=\"");
    arx_buf_append_str(out, expires);
    if (artifact->asset_set[0] != '\0') {
        arx_buf_append_str(out, "\" data-asset-set=\"");
        arx_buf_append_str(out, artifact->asset_set);
    }
    arx_buf_append_str(out, has_raw(artifact) ? "\"" : "\" data-limited");
    arx_buf_append_str(out, " data-payload=\"");
}

/* What follows the payload: also for who is not sent on by the head. */
static void write_payload_end(http_request *request, const store_artifact *artifact, arx_buf *out) {
    arx_buf_append_str(out, "\"></div>");
    if (has_raw(artifact)) {
        arx_buf_append_str(out, "\n<noscript><p><a href=\"");
        write_path(request, artifact, "/raw", out);
        arx_buf_append_str(out, "\">Read it as plain text</a></p></noscript>");
    }
}

void page_send(http_request *request, const store_artifact *artifact) {
    const service *server = http_service(request);
    const page_bytes *pieces = page_table_viewer(server->page)->pieces;
    const uint8_t *payload = (const uint8_t *)artifact->payload;
    size_t payload_len = artifact->payload_len;
    arx_buf written;
    arx_buf_init(&written, 0);
    write_viewer_head(request, artifact, &written);
    size_t start_at = written.len;
    write_payload_start(request, artifact, &written);
    if (html_needs_escape(payload, payload_len)) {
        html_escape(payload, payload_len, &written);
        payload_len = 0;
    }
    size_t end_at = written.len;
    write_payload_end(request, artifact, &written);
    size_t written_len;
    uint8_t *owned = arx_buf_take(&written, &written_len);
    if (owned == NULL) {
        reply_error_page(request, API_INTERNAL);
        return;
    }
    /*
     * The page goes out from the program's own memory, and the payload from the row, which the
     * request holds until it has been sent.
     */
    const http_part parts[] = {
        {pieces[VIEWER_BEFORE_TITLE].data, pieces[VIEWER_BEFORE_TITLE].len},
        {owned, start_at},
        {pieces[VIEWER_BEFORE_PAYLOAD].data, pieces[VIEWER_BEFORE_PAYLOAD].len},
        {owned + start_at, end_at - start_at},
        {payload, payload_len},
        {owned + end_at, written_len - end_at},
        {pieces[VIEWER_REST].data, pieces[VIEWER_REST].len},
    };
    http_send_parts(request, 200, CONTENT_HTML, parts, sizeof parts / sizeof parts[0], owned);
}

void page_send_limited(http_request *request, const store_artifact *artifact) {
    uint64_t left = artifact->views_left > 0 ? (uint64_t)artifact->views_left : 0;
    arx_buf out;
    arx_buf_init(&out, 0);
    notice_begin(request, title_of(artifact), &out);
    write_metas(artifact, &out);
    notice_body(request, title_of(artifact), &out);
    arx_buf_append_str(&out, "<p>This link can be opened ");
    if (left == 1) {
        arx_buf_append_str(&out, "once more");
    } else {
        arx_buf_append_u64(&out, left);
        arx_buf_append_str(&out, " more times");
    }
    arx_buf_append_str(&out, ". Opening it counts.</p>\n<form method=\"post\" action=\"");
    write_path(request, artifact, "/view", &out);
    arx_buf_append_str(&out, "\"><button>Open</button></form>");
    notice_end(request, &out);
    reply_bytes(request, 200, CONTENT_HTML, &out);
}
