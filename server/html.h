/*
 * html.h - text as HTML: the one place that escapes.
 */
#ifndef ARXD_HTML_H
#define ARXD_HTML_H

#include "buffer.h"

/* Appends `text` so that it is inert both between tags and inside a quoted attribute. */
void html_escape(const uint8_t *text, size_t len, arx_buf *out);
void html_escape_str(const char *text, arx_buf *out);
/* Would html_escape() change anything? */
bool html_needs_escape(const uint8_t *text, size_t len);
/* A page's <title>, which ends with the service's name. */
void html_write_title(const char *title, arx_buf *out);

#endif
