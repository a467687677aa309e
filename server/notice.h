/*
 * notice.h - pages of a few lines, on the page's notice.html: errors, and the button of a link that
 * counts its views. No script runs in them. Event thread.
 */
#ifndef ARXD_NOTICE_H
#define ARXD_NOTICE_H

#include "buffer.h"
#include "http.h"

/*
 *     notice_begin(request, title, &out);   then metas, if any
 *     notice_body(request, title, &out);    then HTML to be read
 *     notice_end(request, &out);
 *
 * title: text, escaped here.
 */
void notice_begin(http_request *request, const char *title, arx_buf *out);
void notice_body(http_request *request, const char *title, arx_buf *out);
void notice_end(http_request *request, arx_buf *out);

#endif
