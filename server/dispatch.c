/* dispatch.c - see dispatch.h. */
#include "dispatch.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "oui/observer.h"
#include "visit.h"

/* What an exchange's `done` and `accepted` need once the request may be gone. */
typedef struct running {
    const service *server;
    exchange *exchange;
    char *key; /* what the call's `same` borrows */
} running;

static void go_on(http_request *request, dispatch_result result) {
    dispatch *self = http_state(request);
    self->result = result;
    self->next(request);
}

/* ---- who may ---- */

dispatch_result dispatch_may(http_request *request, bool write) {
    const service *server = http_service(request);
    const auth_caller *caller = &visit_of(request)->caller;
    unsigned agent = TOKEN_CREATE | TOKEN_ADMIN | (write ? 0 : TOKEN_READ);
    if (server->tokens == NULL) {
        return DISPATCH_OK;
    }
    if (!caller->has_token) {
        return DISPATCH_UNAUTHORIZED;
    }
    return (caller->scopes & agent) != 0 ? DISPATCH_OK : DISPATCH_FORBIDDEN;
}

/* ---- names ---- */

static void name_scope(http_request *request, dispatch *self) {
    static const char purpose[] = "arxd agent request";
    const auth_caller *caller = &visit_of(request)->caller;
    const secret_piece pieces[] = {
        {purpose, sizeof purpose - 1},
        {caller->hash, caller->has_token ? sizeof caller->hash : 0},
        {self->id, strlen(self->id)},
    };
    secret_hash_pieces(pieces, sizeof pieces / sizeof pieces[0], self->same.scope);
    self->same.key = self->id;
}

/* Of surface, action and params, and the params' own. False without memory, or for what is not
 * I-JSON. */
static bool name_request(dispatch *self) {
    arx_buf text;
    arx_buf_init(&text, 0);
    arx_json_write(self->params, &self->params_text);
    bool named = oui_canonical_json(self->params, &text, NULL) == ARX_OK &&
                 arx_buf_result(&self->params_text) == ARX_OK;
    if (named) {
        const secret_piece pieces[] = {
            {self->surface->as.string.data, self->surface->as.string.len},
            {self->action->as.string.data, self->action->as.string.len},
            {text.data, text.len},
        };
        uint8_t digest[SECRET_HASH_BYTES];
        secret_hash_pieces(pieces, sizeof pieces / sizeof pieces[0], self->same.body_hash);
        secret_hash(text.data, text.len, digest);
        secret_hex(digest, self->args_hash);
    }
    arx_buf_free(&text);
    return named;
}

/* ---- answers ---- */

static exchange_end end_of(const char *code) {
    return code == NULL                   ? EXCHANGE_DONE
           : strcmp(code, "TIMEOUT") == 0 ? EXCHANGE_TIMEOUT
                                          : EXCHANGE_FAILED;
}

void dispatch_say(http_request *request, const char *code, const char *message,
                  const arx_buf *data) {
    dispatch *self = http_state(request);
    action_call said = {.request_id = (char *)(uintptr_t)self->id,
                        .code = code,
                        .started_ms = http_started_ms(request)};
    arx_buf outcome;
    arx_buf_init(&outcome, 0);
    if (message != NULL) {
        arx_buf_append_str(&said.message, message);
    }
    if (data != NULL) {
        arx_buf_append(code == NULL ? &said.data : &said.details, data->data, data->len);
    }
    action_write_outcome(&said, false, false, &outcome);
    (void)exchange_answer(self->exchange, &outcome, false, end_of(code), clock_monotonic_ms());
    arx_buf_free(&said.message);
    arx_buf_free(&said.data);
    arx_buf_free(&said.details);
}

static void answer_call(const action_call *call) {
    const running *of = call->owner;
    arx_buf outcome;
    arx_buf_init(&outcome, 0);
    exchange_view view;
    exchange_look(of->exchange, EXCHANGE_FIRST, &view);
    action_write_outcome(call, view.more, false, &outcome);
    (void)exchange_answer(of->exchange, &outcome, false, end_of(call->code), clock_monotonic_ms());
    if (call->caller.has_token && call->action->access == OUI_ACCESS_WRITE) {
        oui_observe_key(of->server, call->caller.hash);
    }
    if (view.more) {
        oui_observe_result(of->server, of->exchange);
    }
}

static void end_running(action_call *call) {
    running *of = call->owner;
    exchange_release(of->exchange);
    free(of->key);
    free(of);
    action_call_free(call);
}

static void accepted(action_call *call) {
    const running *of = call->owner;
    arx_buf outcome;
    arx_buf_init(&outcome, 0);
    exchange_follow(of->exchange, call->job, call->tasks, clock_monotonic_ms());
    action_write_outcome(call, true, true, &outcome);
    (void)exchange_answer(of->exchange, &outcome, true, EXCHANGE_DONE, clock_monotonic_ms());
    oui_observe_key(of->server, call->caller.hash);
}

/*
 * A recorded call that found itself on record: another node, or this one before it was killed, was
 * faster. What that one answered is the answer.
 */
typedef struct recalling {
    store_op op;
    action_call *call;
} recalling;

static bool answer_record(exchange *of, const idempotency *same, const store_op *op,
                          api_result *result) {
    unsigned status;
    arx_buf outcome;
    arx_buf_init(&outcome, 0);
    *result = idempotency_recalled(same, op, &status, &outcome);
    bool found = *result == API_OK && status != 0;
    if (found) {
        (void)exchange_answer(of, &outcome, false, EXCHANGE_DONE, clock_monotonic_ms());
    }
    arx_buf_free(&outcome);
    return found;
}

static void recalled_late(store_op *op) {
    recalling *self = op->owner;
    const running *of = self->call->owner;
    api_result result;
    if (!answer_record(of->exchange, &self->call->same, op, &result)) {
        answer_call(self->call); /* its own failure: the row had changed */
    }
    end_running(self->call);
    store_op_clear(&self->op);
    free(self);
}

static void done(action_call *call) {
    const running *of = call->owner;
    recalling *self = call->repeated ? calloc(1, sizeof *self) : NULL;
    if (self == NULL) {
        answer_call(call);
        end_running(call);
        return;
    }
    self->call = call;
    self->op = (store_op){.kind = STORE_RECALL, .done = recalled_late, .owner = self};
    memcpy(self->op.record.scope, call->same.scope, sizeof self->op.record.scope);
    if (store_submit(of->server->store, &self->op)) {
        recalled_late(&self->op);
    }
}

/* ---- the steps, last to first ---- */

static void run(http_request *request) {
    const service *server = http_service(request);
    dispatch *self = http_state(request);
    action_call *call = self->call;
    running *of = calloc(1, sizeof *of);
    char *key = strdup(self->id);
    if (of == NULL || key == NULL) {
        free(of);
        free(key);
        exchanges_drop(server->exchanges, self->exchange);
        go_on(request, DISPATCH_NO_MEMORY);
        return;
    }
    of->server = server;
    of->exchange = exchange_hold(self->exchange);
    of->key = key;
    call->owner = of;
    call->accepted = accepted;
    call->done = done;
    if (call->action->access == OUI_ACCESS_WRITE) {
        call->same = self->same;
        call->same.key = key;
    }
    self->call = NULL;
    action_run(call, request);
    go_on(request, DISPATCH_OK);
}

/* APPROVAL_REQUIRED, with what a person is asked. */
static void refuse_consent(http_request *request) {
    dispatch *self = http_state(request);
    arx_buf message;
    arx_buf details;
    arx_buf_init(&message, 0);
    arx_buf_init(&details, 0);
    approval_write_refusal(&self->gate, &message);
    arx_buf_append_byte(&message, '\0');
    if (self->gate.found.id[0] != '\0') {
        fields_begin(&details);
        approval_write_fields(&self->gate.found, http_origin(request), &details);
        fields_end(&details);
    }
    dispatch_say(request, "APPROVAL_REQUIRED",
                 arx_buf_result(&message) == ARX_OK ? (const char *)message.data : "", &details);
    arx_buf_free(&message);
    arx_buf_free(&details);
    go_on(request, DISPATCH_OK);
}

static void step_gate(http_request *request, store_op *op);

static void gate_stepped(http_request *request) {
    dispatch *self = http_state(request);
    step_gate(request, approval_step(&self->gate));
}

static void step_gate(http_request *request, store_op *op) {
    dispatch *self = http_state(request);
    if (op != NULL) {
        store_wait(request, op, gate_stepped);
    } else if (self->gate.outcome == APPROVAL_DONE) {
        run(request);
    } else if (self->gate.outcome == APPROVAL_NEEDED) {
        refuse_consent(request);
    } else {
        dispatch_say(request, "ACTION_EXECUTION_ERROR", "Approvals cannot be read now.", NULL);
        go_on(request, DISPATCH_OK);
    }
}

static void ask_consent(http_request *request) {
    dispatch *self = http_state(request);
    const action *what = self->call->action;
    if (!what->needs_approval) {
        run(request);
        return;
    }
    approval_ask ask =
        action_gate_ask(request, what, self->args_hash, &self->params_text, self->mode);
    ask.carries = self->approval_id != NULL;
    if (ask.carries) {
        ask.carried_id = self->approval_id->as.string.data;
        ask.carried_id_len = self->approval_id->as.string.len;
        ask.carried_hash = self->approval_hash->as.string.data;
        ask.carried_hash_len = self->approval_hash->as.string.len;
    }
    step_gate(request, approval_gate(&self->gate, &ask));
}

static void check_params(http_request *request) {
    dispatch *self = http_state(request);
    if (self->call->code != NULL) {
        run(request); /* which answers with the failure and does nothing */
    } else {
        ask_consent(request);
    }
}

static void recalled(http_request *request) {
    const service *server = http_service(request);
    dispatch *self = http_state(request);
    api_result result;
    if (answer_record(self->exchange, &self->same, &self->op, &result)) {
        go_on(request, DISPATCH_OK);
    } else if (result == API_OK) {
        store_op_clear(&self->op);
        check_params(request);
    } else if (result == API_REQUEST_KEY_USED) {
        exchanges_drop(server->exchanges, self->exchange);
        go_on(request, DISPATCH_OTHER);
    } else {
        dispatch_say(request, result == API_BUSY ? "app:busy" : "ACTION_EXECUTION_ERROR",
                     "The record of requests cannot be read now.", NULL);
        go_on(request, DISPATCH_OK);
    }
}

/* A name in a sentence, quoted. */
static void say_unknown(http_request *request, const char *code, const char *what,
                        const arx_json *name, const char *rest) {
    arx_buf message;
    arx_buf_init(&message, 0);
    arx_buf_append_str(&message, what);
    arx_json_write(name, &message);
    arx_buf_append_str(&message, rest);
    arx_buf_append_byte(&message, '\0');
    dispatch_say(request, code,
                 arx_buf_result(&message) == ARX_OK ? (const char *)message.data : "", NULL);
    arx_buf_free(&message);
    go_on(request, DISPATCH_OK);
}

static void say_no_surface(http_request *request, const actions *all) {
    const dispatch *self = http_state(request);
    arx_buf rest;
    arx_buf_init(&rest, 0);
    arx_buf_append_str(&rest, " here; there are: ");
    const arx_json *one = actions_page(all)->surfaces->as.list.first;
    for (; one != NULL; one = one->next) {
        const arx_json *id = arx_json_get(one, "id");
        arx_buf_append(&rest, id->as.string.data, id->as.string.len);
        arx_buf_append_str(&rest, one->next != NULL ? ", " : ".");
    }
    arx_buf_append_byte(&rest, '\0');
    say_unknown(request, "SURFACE_NOT_MOUNTED", "There is no surface ", self->surface,
                arx_buf_result(&rest) == ARX_OK ? (const char *)rest.data : ".");
    arx_buf_free(&rest);
}

static void start_new(http_request *request) {
    const service *server = http_service(request);
    dispatch *self = http_state(request);
    if (arx_json_string_is(self->surface, "oui") && self->own != NULL) {
        self->own(request);
        return;
    }
    if (oui_page_surface(actions_page(server->actions), self->surface) == NULL) {
        say_no_surface(request, server->actions);
        return;
    }
    const action *what = actions_like(server->actions, self->surface, self->action);
    if (what == NULL) {
        say_unknown(request, "ACTION_NOT_FOUND", "The surface has no action ", self->action, ".");
        return;
    }
    dispatch_result may = dispatch_may(request, what->access == OUI_ACCESS_WRITE);
    if (may != DISPATCH_OK) {
        exchanges_drop(server->exchanges, self->exchange);
        go_on(request, may);
        return;
    }
    self->call = action_call_create(what, &visit_of(request)->caller, self->id, self->params);
    if (self->call == NULL) {
        exchanges_drop(server->exchanges, self->exchange);
        go_on(request, DISPATCH_NO_MEMORY);
    } else if (what->access == OUI_ACCESS_WRITE) {
        idempotency_recall(request, &self->same, &self->op, recalled);
    } else {
        check_params(request);
    }
}

void dispatch_start(http_request *request, dispatch *self, http_handler *next) {
    const service *server = http_service(request);
    const auth_caller *caller = &visit_of(request)->caller;
    self->next = next;
    dispatch_result may = dispatch_may(request, false);
    if (may != DISPATCH_OK) {
        go_on(request, may);
        return;
    }
    name_scope(request, self);
    if (!name_request(self)) {
        go_on(request, DISPATCH_NO_MEMORY);
        return;
    }
    exchange_key key = {.id = self->id, .form = self->form};
    memcpy(key.scope, self->same.scope, sizeof key.scope);
    memcpy(key.request, self->same.body_hash, sizeof key.request);
    if (caller->has_token) {
        memcpy(key.owner, caller->hash, sizeof key.owner);
    }
    switch (exchanges_open(server->exchanges, &key, clock_monotonic_ms(), &self->exchange)) {
    case EXCHANGE_NEW:
        start_new(request);
        break;
    case EXCHANGE_SAME:
        go_on(request, DISPATCH_OK);
        break;
    case EXCHANGE_OTHER:
        go_on(request, DISPATCH_OTHER);
        break;
    case EXCHANGE_NONE:
        go_on(request, DISPATCH_FULL);
        break;
    }
}

/* ---- asking for an answer ---- */

static void found_on_record(http_request *request) {
    const service *server = http_service(request);
    dispatch *self = http_state(request);
    api_result result = store_outcome(&self->op);
    if (self->op.result == STORE_NOT_FOUND) {
        go_on(request, DISPATCH_OK);
        return;
    }
    if (result != API_OK) {
        go_on(request, DISPATCH_FULL);
        return;
    }
    /* The record knows what was asked: the exchange is made as if it had been. */
    exchange_key key = {.id = self->id, .form = self->form};
    memcpy(self->same.body_hash, self->op.record.body_hash, sizeof self->same.body_hash);
    memcpy(key.scope, self->same.scope, sizeof key.scope);
    memcpy(key.request, self->same.body_hash, sizeof key.request);
    const auth_caller *caller = &visit_of(request)->caller;
    if (caller->has_token) {
        memcpy(key.owner, caller->hash, sizeof key.owner);
    }
    exchange_opened how =
        exchanges_open(server->exchanges, &key, clock_monotonic_ms(), &self->exchange);
    if (how == EXCHANGE_NEW && !answer_record(self->exchange, &self->same, &self->op, &result)) {
        exchanges_drop(server->exchanges, self->exchange);
        go_on(request, DISPATCH_NO_MEMORY);
    } else {
        go_on(request, how == EXCHANGE_NONE ? DISPATCH_FULL : DISPATCH_OK);
    }
}

void dispatch_find(http_request *request, dispatch *self, http_handler *next) {
    const service *server = http_service(request);
    self->next = next;
    dispatch_result may = dispatch_may(request, false);
    if (may != DISPATCH_OK) {
        go_on(request, may);
        return;
    }
    name_scope(request, self);
    self->exchange = exchanges_find(server->exchanges, self->same.scope, clock_monotonic_ms());
    if (self->exchange != NULL) {
        go_on(request, DISPATCH_OK);
    } else {
        idempotency_recall(request, &self->same, &self->op, found_on_record);
    }
}

/* ---- waiting ---- */

static void wake(void *request) {
    http_wake(request);
}

void dispatch_wait(http_request *request, dispatch *self, exchange_part part, int64_t wait_ms,
                   http_handler *then) {
    int64_t now_ms = clock_monotonic_ms();
    self->waiter =
        (exchange_waiter){.wake = wake, .who = request, .until_ms = now_ms + wait_ms, .part = part};
    http_wait(request, then);
    if (!exchange_wait(self->exchange, &self->waiter, now_ms)) {
        http_wake(request);
    }
}

void dispatch_free(dispatch *self) {
    exchange_release(self->exchange);
    action_call_free(self->call);
    store_op_clear(&self->op);
    approval_work_free(&self->gate);
    arx_buf_free(&self->params_text);
}
