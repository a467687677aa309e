/*
 * assets.c - the asset sets' files over HTTP: the right variant, or 304 when the client has it.
 */
#include <string.h>

#include "api.h"
#include "asset_table.h"
#include "conditional.h"
#include "reply.h"
#include "service.h"

static void send_asset(http_request *request, const served_asset *asset, content_encoding fixed) {
    if (asset == NULL) {
        reply_error_plain(request, API_NOT_FOUND);
        return;
    }
    if (asset->available != 1u << ENCODING_IDENTITY) {
        http_add_header(request, "Vary", "Accept-Encoding");
    }
    content_encoding chosen =
        fixed != ENCODING_NONE
            ? fixed
            : negotiate_encoding(http_header(request, "Accept-Encoding"), asset->available);
    if (chosen == ENCODING_NONE) {
        reply_error_plain(request, API_NOT_ACCEPTABLE);
        return;
    }
    const asset_variant *variant = &asset->variants[chosen];
    http_add_header(request, "ETag", variant->etag);
    http_add_header(request, "Last-Modified", asset->last_modified);
    if (not_modified(http_header(request, "If-None-Match"),
                     http_header(request, "If-Modified-Since"), variant->etag,
                     asset->last_modified)) {
        http_send_static(request, 304, NULL, "", 0);
        return;
    }
    if (encoding_name(chosen) != NULL) {
        http_add_header(request, "Content-Encoding", encoding_name(chosen));
    }
    http_send_static(request, 200, asset->content_type, variant->data, variant->len);
}

/* /<file> of the active set, or /assets/<set>/<file>. */
void asset_file(http_request *request) {
    const service *self = http_service(request);
    size_t count = http_segment_count(request);
    const char *set = count == 3 ? http_segment(request, 1) : NULL;
    content_encoding fixed = ENCODING_NONE;
    const served_asset *asset =
        asset_table_find(self->assets, set, http_segment(request, count - 1), &fixed);
    send_asset(request, asset, fixed);
}

void asset_index(http_request *request) {
    const service *self = http_service(request);
    send_asset(request, asset_table_index(self->assets), ENCODING_NONE);
}
