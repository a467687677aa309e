/* notice.c - see notice.h. */
#include "notice.h"

#include "html.h"
#include "page_table.h"
#include "service.h"

static void append_piece(http_request *request, size_t i, arx_buf *out) {
    const service *server = http_service(request);
    const page_bytes *piece = &page_table_notice(server->page)->pieces[i];
    arx_buf_append(out, piece->data, piece->len);
}

void notice_begin(http_request *request, const char *title, arx_buf *out) {
    append_piece(request, NOTICE_BEFORE_TITLE, out);
    html_write_title(title, out);
}

void notice_body(http_request *request, const char *title, arx_buf *out) {
    append_piece(request, NOTICE_BEFORE_HEADING, out);
    arx_buf_append_str(out, "<h1>");
    html_escape_str(title, out);
    arx_buf_append_str(out, "</h1>");
    append_piece(request, NOTICE_BEFORE_TEXT, out);
}

void notice_end(http_request *request, arx_buf *out) {
    append_piece(request, NOTICE_REST, out);
}
