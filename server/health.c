/* health.c - GET /health: does the database answer? For load balancers and container runtimes. */
#include <stdlib.h>

#include "api.h"
#include "request.h"

static void answer(http_request *request) {
    const store_op *ping = http_state(request);
    bool well = ping != NULL && ping->result == STORE_OK;
    arx_buf body;
    arx_buf_init(&body, 0);
    fields_begin(&body);
    field_text(&body, "status", well ? "ok" : "error");
    fields_end(&body);
    reply_json(request, well ? 200 : 503, &body);
}

void health(http_request *request) {
    store_op *ping = calloc(1, sizeof *ping);
    http_set_state(request, ping, free);
    if (ping == NULL) {
        answer(request);
        return;
    }
    ping->kind = STORE_PING;
    store_wait(request, ping, answer);
}
