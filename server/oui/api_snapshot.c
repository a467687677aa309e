/* api_snapshot.c - GET /oui/snapshot: the surfaces in one of two forms, and the observations. */
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "conditional.h"
#include "oui/binding.h"

#define ETAG_SIZE 24

static void send(http_request *request) {
    const service *server = http_service(request);
    const oui_request *self = http_state(request);
    const oui_page *page = actions_page(server->actions);
    arx_buf out;
    arx_buf_init(&out, 0);
    if (oui_snapshot(page, self->form, self->observations, OUI_SNAPSHOT_BYTES, &out) != ARX_OK) {
        arx_buf_free(&out);
        reply_error(request, API_INTERNAL);
        return;
    }
    char etag[ETAG_SIZE];
    (void)snprintf(etag, sizeof etag, "W/\"%016llx\"",
                   (unsigned long long)oui_fnv1a64(out.data, out.len));
    http_add_header(request, "ETag", etag);
    http_add_header(request, "OUI-Surfaces-Hash", page->offers[self->form].hash);
    if (not_modified(http_header(request, "If-None-Match"), NULL, etag + 2, NULL)) {
        arx_buf_free(&out);
        http_send_static(request, 304, NULL, "", 0);
    } else {
        reply_json(request, 200, &out);
    }
}

void oui_snapshot_get(http_request *request) {
    oui_request *self = oui_request_new(request);
    if (self == NULL || !oui_request_options(request, self)) {
        return;
    }
    dispatch_result may = dispatch_may(request, false);
    if (may != DISPATCH_OK) {
        oui_refuse(request, may);
    } else {
        oui_observe(request, send);
    }
}
