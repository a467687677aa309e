/*
 * approvals_http.c - approvals as JSON: an agent asks and looks, an approver's tool looks, decides
 * and grants. The page for people is approvals_page.c.
 *
 *     POST /oui/approvals              ask               -> 201 the approval
 *     GET  /oui/approvals/ID           look              -> 200 how it stands
 *     POST /oui/approvals/ID/decide    approver: decide  -> 200 the grant
 *     POST /oui/grants                 approver: grant   -> 201 the grant
 */
#include "approvals_http.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "action_gate.h"
#include "api.h"
#include "clock.h"
#include "oui/canonical.h"
#include "visit.h"

/* ---- waiting ---- */

static void stepped(http_request *request) {
    approval_wait *self = http_state(request);
    approval_wait_for(request, approval_step(&self->work), self->next);
}

void approval_wait_for(http_request *request, store_op *op, http_handler *next) {
    approval_wait *self = http_state(request);
    self->next = next;
    if (op != NULL) {
        store_wait(request, op, stepped);
    } else {
        next(request);
    }
}

api_result approval_result(const approval_work *work) {
    switch (work->outcome) {
    case APPROVAL_DONE:
    case APPROVAL_NEEDED:
        return API_OK;
    case APPROVAL_UNKNOWN:
        return API_NO_APPROVAL;
    case APPROVAL_DECIDED:
        return API_APPROVAL_DECIDED;
    case APPROVAL_OVER:
        return API_APPROVAL_OVER;
    case APPROVAL_FAULT:
        break;
    }
    return work->op.result == STORE_NOT_FOUND ? API_INTERNAL : store_outcome(&work->op);
}

/* ---- one request ---- */

typedef struct state {
    approval_wait wait; /* first, as it asks */
    body body;
    arx_buf params; /* as JSON */
    char args_hash[OUI_ARGS_HASH_CHARS + 1];
    bool approver;
} state;

static void free_state(void *opaque) {
    state *self = opaque;
    approval_work_free(&self->wait.work);
    body_free(&self->body);
    arx_buf_free(&self->params);
    free(self);
}

/* NULL with the reply made. */
static state *new_state(http_request *request) {
    state *self = calloc(1, sizeof *self);
    if (self == NULL) {
        reply_error(request, API_INTERNAL);
    } else {
        http_set_state(request, self, free_state);
    }
    return self;
}

/* The body, an object without lone surrogates; NULL with the reply made. */
static const arx_json *read_body(http_request *request, state *self) {
    size_t len;
    const uint8_t *bytes = http_body(request, &len);
    body_result parsed = body_parse(bytes, len, &self->body);
    arx_json *root = parsed == BODY_OK ? body_codec_value(&self->body) : NULL;
    if (parsed == BODY_NO_MEMORY || (parsed == BODY_OK && root == NULL)) {
        reply_error(request, API_INTERNAL);
        return NULL;
    }
    if (parsed != BODY_OK || self->body.mended > 0 || !arx_json_is(root, ARX_JSON_OBJECT)) {
        reply_error(request, API_INVALID_BODY);
        return NULL;
    }
    return root;
}

/* A string member as text. False when it is absent, too long or holds a NUL. */
static bool take_text(const arx_json *root, const char *name, char *text, size_t size) {
    const arx_json *value = arx_json_get_string(root, name);
    if (value == NULL || value->as.string.len >= size ||
        memchr(value->as.string.data, '\0', value->as.string.len) != NULL) {
        return false;
    }
    memcpy(text, value->as.string.data, value->as.string.len);
    text[value->as.string.len] = '\0';
    return true;
}

static void reply_approval(http_request *request, unsigned status) {
    const state *self = http_state(request);
    arx_buf out;
    arx_buf_init(&out, 0);
    fields_begin(&out);
    approval_write_fields(&self->wait.work.found, http_origin(request), &out);
    fields_end(&out);
    reply_json(request, status, &out);
}

/* ---- POST /oui/approvals ---- */

static void asked(http_request *request) {
    const state *self = http_state(request);
    const approval_work *work = &self->wait.work;
    api_result result = approval_result(work);
    if (result != API_OK) {
        reply_error(request, result);
    } else if (work->found.id[0] != '\0') {
        reply_approval(request, 201);
    } else {
        arx_buf message;
        arx_buf_init(&message, 0);
        approval_write_refusal(work, &message);
        reply_error_message(request, API_INVALID_OPTION, &message);
        arx_buf_free(&message);
    }
}

/* Do the params fit the action? False with the reply made. */
static bool check_params(http_request *request, const action *what, const arx_json *params) {
    action_call *call = action_call_create(what, &visit_of(request)->caller, "approval", params);
    bool fit = call != NULL && call->code == NULL;
    if (call == NULL) {
        reply_error(request, API_INTERNAL);
    } else if (!fit) {
        reply_error_message(request, API_INVALID_OPTION, &call->message);
    }
    action_call_free(call);
    return fit;
}

void approvals_ask(http_request *request) {
    static const uint8_t none[] = "{}";
    const service *server = http_service(request);
    char surface[APPROVAL_NAME_MAX + 1] = "";
    char id[APPROVAL_NAME_MAX + 1] = "";
    state *self = new_state(request);
    const arx_json *root = self == NULL ? NULL : read_body(request, self);
    if (root == NULL) {
        return;
    }
    if (auth_decide(&visit_of(request)->caller) == API_OK) {
        reply_error(request, API_FORBIDDEN); /* who decides does not ask */
        return;
    }
    const action *what = NULL;
    if (take_text(root, "surfaceId", surface, sizeof surface) &&
        take_text(root, "actionId", id, sizeof id)) {
        what = actions_find(server->actions, surface, id);
    }
    if (what == NULL) {
        reply_invalid(request, "surfaceId and actionId must name an action of /oui/snapshot.");
        return;
    }
    if (!what->needs_approval) {
        reply_invalid(request, "That action needs no approval.");
        return;
    }
    arx_json_doc *doc = NULL;
    arx_json *empty = NULL;
    const arx_json *params = arx_json_get(root, "params");
    if (params == NULL || arx_json_is(params, ARX_JSON_NULL)) {
        if (arx_json_parse(none, sizeof none - 1, 0, &doc, &empty) != ARX_OK) {
            reply_error(request, API_INTERNAL);
            return;
        }
        params = empty;
    }
    if (check_params(request, what, params)) {
        arx_json_write(params, &self->params);
        if (oui_args_hash(params, self->args_hash, NULL) != ARX_OK ||
            arx_buf_result(&self->params) != ARX_OK) {
            reply_error(request, API_INTERNAL);
        } else {
            approval_ask ask =
                action_gate_ask(request, what, self->args_hash, &self->params, APPROVAL_ASK);
            approval_wait_for(request, approval_gate(&self->wait.work, &ask), asked);
        }
    }
    arx_json_doc_free(doc);
}

/* ---- GET /oui/approvals/ID ---- */

static bool may_see(const auth_caller *caller, const approval *found) {
    static const uint8_t nobody[STORE_HASH_BYTES];
    return caller->has_token ? secret_equal(caller->hash, found->agent)
                             : secret_equal(nobody, found->agent);
}

static void looked(http_request *request) {
    const state *self = http_state(request);
    const approval_work *work = &self->wait.work;
    const approval *found = &work->found;
    api_result result = approval_result(work);
    if (result == API_OK && !self->approver && !may_see(&visit_of(request)->caller, found)) {
        result = API_NO_APPROVAL;
    }
    if (result != API_OK) {
        reply_error(request, result);
        return;
    }
    arx_buf out;
    arx_buf_init(&out, 0);
    fields_begin(&out);
    approval_write_fields(found, http_origin(request), &out);
    field_text(&out, "surfaceId", found->surface);
    field_text(&out, "actionId", found->action);
    if (self->approver) {
        field_text(&out, "title", found->title[0] != '\0' ? found->title : NULL);
        field_text(&out, "effect", found->effect[0] != '\0' ? found->effect : NULL);
        field_text(&out, "agent", found->agent_name[0] != '\0' ? found->agent_name : NULL);
        field_name(&out, "params");
        if (work->params.len > 0) {
            arx_buf_append(&out, work->params.data, work->params.len);
        } else {
            arx_buf_append_str(&out, "null");
        }
    }
    fields_end(&out);
    reply_json(request, 200, &out);
}

void approvals_look(http_request *request) {
    state *self = new_state(request);
    if (self != NULL) {
        self->approver = auth_decide(&visit_of(request)->caller) == API_OK;
        approval_wait_for(
            request, approval_look(&self->wait.work, http_segment(request, 2), clock_unix_ms()),
            looked);
    }
}

/* ---- POST /oui/approvals/ID/decide ---- */

static void decided(http_request *request) {
    const state *self = http_state(request);
    const approval_work *work = &self->wait.work;
    api_result result = approval_result(work);
    visit_audit(request, "decide", http_segment(request, 2),
                result != API_OK ? "refused" : approval_status_name(work->found.status));
    if (result != API_OK) {
        reply_error(request, result);
    } else {
        reply_approval(request, 200);
    }
}

void approvals_decide_json(http_request *request) {
    state *self = new_state(request);
    const arx_json *root = self == NULL ? NULL : read_body(request, self);
    if (root == NULL) {
        return;
    }
    api_result result = auth_decide(&visit_of(request)->caller);
    const arx_json *decision = arx_json_get_string(root, "decision");
    bool approve = arx_json_string_is(decision, "approve");
    if (result != API_OK) {
        visit_audit(request, "decide", http_segment(request, 2), "refused");
        reply_error(request, result);
    } else if (!approve && !arx_json_string_is(decision, "decline")) {
        reply_invalid(request, "decision must be \"approve\" or \"decline\".");
    } else {
        approval_wait_for(request,
                          approval_decide(&self->wait.work, http_segment(request, 2),
                                          approve ? APPROVAL_APPROVED : APPROVAL_DECLINED,
                                          clock_unix_ms()),
                          decided);
    }
}

/* ---- POST /oui/grants ---- */

static void granted(http_request *request) {
    const state *self = http_state(request);
    const approval_work *work = &self->wait.work;
    api_result result = approval_result(work);
    visit_audit(request, "grant", work->found.id, result == API_OK ? "done" : "refused");
    if (result != API_OK) {
        reply_error(request, result);
    } else {
        reply_approval(request, 201);
    }
}

/* False with the reply made. */
static bool read_grant(http_request *request, const arx_json *root, approval *grant) {
    const service *server = http_service(request);
    const arx_json *hash = arx_json_get_string(root, "argsHash");
    const arx_json *end = arx_json_get(root, "expiresAt");
    *grant = (approval){0};
    if (!take_text(root, "approvalId", grant->id, sizeof grant->id) || grant->id[0] == '\0') {
        reply_invalid(request, "approvalId must be a string of 1 to 128 bytes.");
    } else if (hash == NULL || !oui_args_hash_is(hash->as.string.data, hash->as.string.len)) {
        reply_invalid(request, "argsHash must be 64 lower-case hex digits.");
    } else if (!arx_json_is(end, ARX_JSON_NUMBER) || !isfinite(end->as.number) ||
               fabs(end->as.number) > 9007199254740991.0) {
        reply_invalid(request, "expiresAt must be a time in Unix milliseconds.");
    } else if (!take_text(root, "surfaceId", grant->surface, sizeof grant->surface) ||
               !take_text(root, "actionId", grant->action, sizeof grant->action) ||
               actions_find(server->actions, grant->surface, grant->action) == NULL) {
        reply_invalid(request, "surfaceId and actionId must name an action of /oui/snapshot.");
    } else {
        memcpy(grant->args_hash, hash->as.string.data, OUI_ARGS_HASH_CHARS);
        grant->expires_at_ms = (int64_t)end->as.number;
        return true;
    }
    return false;
}

void approvals_grant(http_request *request) {
    approval grant;
    state *self = new_state(request);
    const arx_json *root = self == NULL ? NULL : read_body(request, self);
    if (root == NULL) {
        return;
    }
    api_result result = auth_decide(&visit_of(request)->caller);
    if (result != API_OK) {
        visit_audit(request, "grant", NULL, "refused");
        reply_error(request, result);
    } else if (read_grant(request, root, &grant)) {
        approval_wait_for(request, approval_grant(&self->wait.work, &grant, clock_unix_ms()),
                          granted);
    }
}
