/*
 * api_dispatch.c - POST /oui/dispatch: an action request, and the answer if it comes while the
 * client waits.
 *
 *     read the envelope -> dispatch (dispatch.h) -> wait -> frame -> send
 */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "copy.h"
#include "oui/binding.h"
#include "oui/own_actions.h"
#include "visit.h"

/* ---- the envelope ---- */

static const arx_json *filled_string(const arx_json *of, const char *name) {
    const arx_json *value = arx_json_get_string(of, name);
    return value != NULL && value->as.string.len > 0 ? value : NULL;
}

/* The request itself, or what an event of type action:request carries. */
static const arx_json *unwrap(const arx_json *root) {
    bool event = arx_json_string_is(arx_json_get(root, "type"), "action:request");
    return event ? arx_json_get(root, "payload") : root;
}

/* False with the reply made: it is no request, gets no result, and nothing has run. */
static bool read_request(http_request *request, oui_request *self) {
    static const arx_json nothing = {.type = ARX_JSON_OBJECT};
    const service *server = http_service(request);
    const oui_page *page = actions_page(server->actions);
    size_t len;
    const uint8_t *bytes = http_body(request, &len);
    body_result parsed = body_parse(bytes, len, &self->body);
    const arx_json *root = parsed == BODY_OK ? body_codec_value(&self->body) : NULL;
    if (root == NULL || self->body.mended > 0) {
        bool bad = parsed == BODY_INVALID || root != NULL;
        reply_error(request, bad ? API_INVALID_BODY : API_INTERNAL);
        return false;
    }
    root = unwrap(root);
    const arx_json *id = filled_string(root, "requestId");
    dispatch *to = &self->dispatch;
    to->surface = arx_json_get_string(root, "surfaceId");
    to->action = arx_json_get_string(root, "actionId");
    to->params = arx_json_get(root, "params");
    if (arx_json_is(to->params, ARX_JSON_NULL) || to->params == NULL) {
        to->params = &nothing;
    }
    bool plain = id != NULL && memchr(id->as.string.data, '\0', id->as.string.len) == NULL;
    if (!plain || id->as.string.len > OUI_REQUEST_ID_MAX || to->surface == NULL ||
        to->action == NULL) {
        reply_invalid(request, "An action request has requestId (1 to 200 bytes), surfaceId and "
                               "actionId, which are strings.");
        return false;
    }
    self->id = copy_string(id->as.string.data, id->as.string.len);
    if (self->id == NULL) {
        reply_error(request, API_INTERNAL);
        return false;
    }
    to->id = self->id;
    to->mode = APPROVAL_CARRIED;
    const arx_json *consent = arx_json_get(root, "approval");
    const arx_json *approval_id = filled_string(consent, "approvalId");
    const arx_json *approval_hash = arx_json_get_string(consent, "argsHash");
    if (approval_id != NULL && approval_hash != NULL) {
        to->approval_id = approval_id;
        to->approval_hash = approval_hash;
    }
    const arx_json *known = arx_json_get(root, "knownSurfaces");
    for (int form = 0; form < OUI_FORM_COUNT; form++) {
        if (arx_json_string_is(known, page->offers[form].hash)) {
            self->has_known = true;
            self->form = (oui_form)form;
        }
    }
    to->form = self->form | (arx_json_string_is(to->surface, "oui") ? OUI_OWN_ANSWER : 0u);
    return true;
}

/* ---- surface `oui` ---- */

static void own(http_request *request) {
    const service *server = http_service(request);
    const oui_request *self = http_state(request);
    const dispatch *to = &self->dispatch;
    arx_buf data;
    arx_buf message;
    arx_buf_init(&data, 0);
    arx_buf_init(&message, 0);
    const char *code = NULL;
    oui_own_result result = OUI_OWN_OK;
    if (arx_json_string_is(to->action, "describe")) {
        result = oui_describe(actions_page(server->actions), to->params, OUI_RESULT_BYTES, &data,
                              &message);
    } else if (arx_json_string_is(to->action, "read")) {
        result = oui_read(self->observations, to->params, OUI_RESULT_BYTES, &data, &message);
    } else {
        code = "ACTION_NOT_FOUND";
        arx_buf_append_str(&message, "Surface oui has the actions describe and read.");
    }
    switch (result) {
    case OUI_OWN_OK:
        break;
    case OUI_OWN_INVALID:
        code = "INVALID_PARAMS";
        break;
    case OUI_OWN_NOT_FOUND:
        code = "NOT_FOUND";
        break;
    case OUI_OWN_NO_MEMORY:
        code = "ACTION_EXECUTION_ERROR";
        break;
    }
    arx_buf_append_byte(&message, '\0');
    dispatch_say(request, code,
                 arx_buf_result(&message) == ARX_OK ? (const char *)message.data : "", &data);
    arx_buf_free(&data);
    arx_buf_free(&message);
    to->next(request);
}

static void observe_own(http_request *request) {
    oui_observe(request, own);
}

/* ---- */

static void begun(http_request *request) {
    oui_request *self = http_state(request);
    if (self->dispatch.result != DISPATCH_OK) {
        oui_refuse(request, self->dispatch.result);
    } else {
        dispatch_wait(request, &self->dispatch, EXCHANGE_FIRST, self->wait_ms, oui_send_answer);
    }
}

void oui_dispatch(http_request *request) {
    oui_request *self = oui_request_new(request);
    if (self != NULL && oui_request_options(request, self) && read_request(request, self)) {
        self->part = EXCHANGE_FIRST;
        self->dispatch.own = observe_own;
        dispatch_start(request, &self->dispatch, begun);
    }
}
