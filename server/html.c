/* html.c - see html.h. */
#include "html.h"

#include <string.h>

/*
 * The entity of a byte, or NULL. CR would be normalised to LF by the parser (and NUL replaced), so
 * it is written as a reference too.
 */
static const char *entity(uint8_t byte) {
    switch (byte) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case '\r':
        return "&#13;";
    default:
        return NULL;
    }
}

void html_escape(const uint8_t *text, size_t len, arx_buf *out) {
    size_t start = 0;
    for (size_t i = 0; i < len; i++) {
        const char *replacement = entity(text[i]);
        if (replacement != NULL) {
            arx_buf_append(out, text + start, i - start);
            arx_buf_append_str(out, replacement);
            start = i + 1;
        }
    }
    arx_buf_append(out, text + start, len - start);
}

void html_escape_str(const char *text, arx_buf *out) {
    html_escape((const uint8_t *)text, strlen(text), out);
}

bool html_needs_escape(const uint8_t *text, size_t len) {
    for (size_t i = 0; i < len; i++) {
        if (entity(text[i]) != NULL) {
            return true;
        }
    }
    return false;
}

void html_write_title(const char *title, arx_buf *out) {
    arx_buf_append_str(out, "<title>");
    html_escape_str(title, out);
    arx_buf_append_str(out, " &ndash; arxd</title>\n");
}
