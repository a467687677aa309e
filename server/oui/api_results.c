/*
 * api_results.c - GET /oui/results/{id} and POST /oui/results/{id}/ack: the answer for who asks
 * later, and less of it for who could not take it.
 */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "oui/binding.h"

/* The path's id, into the dispatch. False with the reply made. */
static bool read_id(http_request *request, oui_request *self) {
    self->id = strdup(http_segment(request, 2));
    if (self->id == NULL) {
        reply_error(request, API_INTERNAL);
        return false;
    }
    self->dispatch.id = self->id;
    self->dispatch.form = self->form;
    return true;
}

/* ---- GET ---- */

static void found(http_request *request) {
    oui_request *self = http_state(request);
    dispatch *to = &self->dispatch;
    if (to->result != DISPATCH_OK) {
        oui_refuse(request, to->result);
    } else if (to->exchange == NULL) {
        reply_error(request, API_NO_RESULT);
    } else {
        dispatch_wait(request, to, self->part, self->wait_ms, oui_send_answer);
    }
}

void oui_results_get(http_request *request) {
    oui_request *self = oui_request_new(request);
    if (self != NULL && oui_request_options(request, self) && read_id(request, self)) {
        dispatch_find(request, &self->dispatch, found);
    }
}

/* ---- POST .../ack ---- */

/* `{"ok": true}`, or `{"ok": false}` with a reason; anything else is no acknowledgment. */
static bool read_ack(http_request *request, oui_request *self, bool *took,
                     const arx_json **reason) {
    size_t len;
    const uint8_t *bytes = http_body(request, &len);
    body_result parsed = body_parse(bytes, len, &self->body);
    const arx_json *root = parsed == BODY_OK ? body_codec_value(&self->body) : NULL;
    const arx_json *ok = arx_json_get(root, "ok");
    if (self->body.mended > 0 ||
        !(arx_json_is(ok, ARX_JSON_TRUE) || arx_json_is(ok, ARX_JSON_FALSE))) {
        reply_invalid(request,
                      "An acknowledgment is {\"ok\": true}, or {\"ok\": false, \"reason\"}.");
        return false;
    }
    *took = ok->type == ARX_JSON_TRUE;
    *reason = arx_json_get_string(root, "reason");
    if (*reason == NULL) {
        *reason = arx_json_get_string(root, "error");
    }
    return true;
}

static void send_trimmed(http_request *request, const exchange_view *view, unsigned step,
                         const arx_json *reason) {
    static const uint8_t refused[] = "refused";
    const oui_request *self = http_state(request);
    arx_json_doc *doc;
    arx_json *whole;
    arx_buf out;
    arx_buf_init(&out, 0);
    arx_result result = arx_json_parse(view->sent, view->sent_len, 0, &doc, &whole);
    if (result == ARX_OK) {
        result =
            oui_trim(whole, (oui_form)(exchange_form(self->dispatch.exchange) & ~OUI_OWN_ANSWER),
                     step, reason != NULL ? reason->as.string.data : refused,
                     reason != NULL ? reason->as.string.len : sizeof refused - 1, &out);
        arx_json_doc_free(doc);
    }
    if (result != ARX_OK) {
        arx_buf_free(&out);
        reply_error(request, API_INTERNAL);
    } else {
        reply_json(request, 200, &out);
    }
}

static void acknowledge(http_request *request) {
    oui_request *self = http_state(request);
    dispatch *to = &self->dispatch;
    bool took;
    const arx_json *reason;
    if (to->result != DISPATCH_OK) {
        oui_refuse(request, to->result);
        return;
    }
    exchange_view view = {0};
    if (to->exchange != NULL) { /* what was sent last: the final answer, if that was */
        exchange_look(to->exchange, EXCHANGE_FINAL, &view);
        if (view.sent == NULL) {
            exchange_look(to->exchange, EXCHANGE_FIRST, &view);
        }
    }
    if (view.sent == NULL) {
        reply_error(request, API_NO_RESULT);
        return;
    }
    if (!read_ack(request, self, &took, &reason)) {
        return;
    }
    unsigned step = took ? 0 : exchange_refused(to->exchange, view.part, OUI_TRIM_STEPS);
    if (took) {
        exchange_received(to->exchange, view.part);
    }
    if (step == 0) {
        reply_no_content(request);
    } else {
        send_trimmed(request, &view, step, reason);
    }
}

void oui_results_ack(http_request *request) {
    oui_request *self = oui_request_new(request);
    if (self != NULL && read_id(request, self)) {
        dispatch_find(request, &self->dispatch, acknowledge);
    }
}
