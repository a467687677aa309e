/*
 * assets.c - files in memory over HTTP, those of the asset sets and those of the page: the right
 * variant, or 304 when the client has it.
 */
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "asset_table.h"
#include "conditional.h"
#include "page_table.h"
#include "reply.h"
#include "service.h"

#define PAGE_PATH_SIZE 128 /* longer ones name nothing */

static void send_file(http_request *request, const served_file *file, content_encoding fixed) {
    if (file == NULL) {
        reply_error_plain(request, API_NOT_FOUND);
        return;
    }
    if (file->available != 1u << ENCODING_IDENTITY) {
        http_add_header(request, "Vary", "Accept-Encoding");
    }
    content_encoding chosen =
        fixed != ENCODING_NONE
            ? fixed
            : negotiate_encoding(http_header(request, "Accept-Encoding"), file->available);
    if (chosen == ENCODING_NONE) {
        reply_error_plain(request, API_NOT_ACCEPTABLE);
        return;
    }
    const served_variant *variant = &file->variants[chosen];
    http_add_header(request, "ETag", variant->etag);
    http_add_header(request, "Last-Modified", file->last_modified);
    if (not_modified(http_header(request, "If-None-Match"),
                     http_header(request, "If-Modified-Since"), variant->etag,
                     file->last_modified)) {
        http_send_static(request, 304, NULL, "", 0);
        return;
    }
    if (encoding_name(chosen) != NULL) {
        http_add_header(request, "Content-Encoding", encoding_name(chosen));
    }
    http_send_static(request, 200, file->content_type, variant->data, variant->len);
}

/* /<file> of the active set, or /assets/<set>/<file>. */
void asset_file(http_request *request) {
    const service *self = http_service(request);
    size_t count = http_segment_count(request);
    const char *set = count == 3 ? http_segment(request, 1) : NULL;
    content_encoding fixed = ENCODING_NONE;
    const served_file *file =
        asset_table_find(self->assets, set, http_segment(request, count - 1), &fixed);
    send_file(request, file, fixed);
}

void asset_index(http_request *request) {
    const service *self = http_service(request);
    send_file(request, asset_table_index(self->assets), ENCODING_NONE);
}

/* Where agents find what else there is. */
#define HOME_LINKS                                                                                 \
    "</.well-known/api-catalog>; rel=\"api-catalog\", </openapi.json>; rel=\"service-desc\", "     \
    "</llms.txt>; rel=\"service-doc\""

/*
 * A script that is started as a worker is bound by the policy it came with, not by its page's: it
 * may load its parts, compile WebAssembly and fetch asset sets.
 */
#define SCRIPT_CSP                                                                                 \
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; "               \
    "require-trusted-types-for 'script'; trusted-types 'none'"

static void add_headers(http_request *request, const char *path, const served_file *file) {
    if (strcmp(path, "/") == 0) {
        http_add_header(request, "Link", HOME_LINKS);
    }
    if (strncmp(file->content_type, "text/javascript", 15) == 0) {
        http_add_header(request, "Content-Security-Policy", SCRIPT_CSP);
    }
    if (strncmp(path, "/page/", 6) == 0) {
        /* The frame in which diagrams are drawn is sandboxed: it has no origin. */
        http_add_header(request, "Access-Control-Allow-Origin", "*");
    }
}

/* "/", /<name> or /page/<name>. */
void page_static(http_request *request) {
    const service *self = http_service(request);
    char path[PAGE_PATH_SIZE] = "/";
    size_t len = 0;
    for (size_t i = 0; i < http_segment_count(request); i++) {
        int wrote = snprintf(path + len, sizeof path - len, "/%s", http_segment(request, i));
        if (wrote < 0 || (size_t)wrote >= sizeof path - len) {
            reply_error_plain(request, API_NOT_FOUND);
            return;
        }
        len += (size_t)wrote;
    }
    const served_file *file = page_table_find(self->page, path);
    if (file != NULL) {
        add_headers(request, path, file);
    }
    send_file(request, file, ENCODING_NONE);
}
