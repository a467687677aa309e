/*
 * actions.h - what agents can do: one table from surface and action to the definition
 * (actions.json), the check of its params, and the function that does it. OUI and MCP are adapters
 * over it; what the functions do they do with the same pieces as the REST handlers.
 *
 * A call:
 *
 *     const action *what = actions_find(server->actions, surface, action);
 *     action_call *call = action_call_create(what, caller, request_id, params);  checks the params
 *     if (call->code == NULL) ... the gate (approvals.h), where what->needs_approval ...
 *     call->done = ...; call->owner = ...;
 *     action_run(call, request);
 *     ... then, on any thread, call->done(call): call->code is NULL and call->data the JSON of its
 *     output, or call->code, message and details say why not. Then action_call_free(call).
 *
 * It runs in the background (http_background()), so neither `request` nor its client is needed once
 * it has begun. Actions that need a person's approval are not told from others here: the gate
 * stands before (approvals.h), and `what->needs_approval` says where.
 */
#ifndef ARXD_ACTIONS_H
#define ARXD_ACTIONS_H

#include "auth.h"
#include "body.h"
#include "idempotency.h"
#include "jobs.h"
#include "oui/frame.h"
#include "oui/index.h"
#include "schema.h"

typedef struct actions actions;
typedef struct action_call action_call;

/*
 * Begins a call, on a background request whose state is the handler's to set. It ends, as every
 * background request does, when a handler returns without waiting; by then the call holds its
 * outcome (action_succeed() or action_fail()).
 */
typedef void action_handler(http_request *work, action_call *call);

typedef struct action {
    const char *surface; /* ids, NUL-terminated */
    const char *id;
    const arx_json *surface_definition;
    const arx_json *definition; /* in the page */
    schema *input;
    oui_access access;
    bool needs_approval;
    bool async;              /* answers twice: when accepted, and when it has ended */
    int64_t max_duration_ms; /* of an async one */
    action_handler *run;
} action;

/*
 * Reads the definitions and binds them to their handlers. NULL with one line in `why` where the two
 * do not agree, or a definition is not what this server can serve: an id of another pattern, the
 * surface `oui`, an unknown effect, an input that is no object or uses a keyword nobody checks, a
 * tool name over 64 characters, an array-index or __proto__ key.
 */
actions *actions_open(const uint8_t *text, size_t len, char *why, size_t why_size);
void actions_free(actions *self); /* NULL is fine */

const oui_page *actions_page(const actions *self);
size_t actions_count(const actions *self);
/* In the order of the definitions. */
const action *actions_at(const actions *self, size_t i);
const action *actions_find(const actions *self, const char *surface, const char *id);
/* By ids that came from outside; NULL for what is no string. */
const action *actions_like(const actions *self, const arx_json *surface, const arx_json *id);

/* ---- calls ---- */

struct action_call {
    /* In; by action_call_create(), but for `same`, `accepted`, `done` and `owner`. */
    const action *action;
    auth_caller caller;
    char *request_id; /* owned; what outcomes and job handles say */
    body params;      /* owned; as codec/json writes them, so 60.0 is 60 */
    /*
     * Where the call's success is recorded together with what it writes, so that it is done once
     * even if the server is killed. key NULL: nowhere. The key is borrowed until `done`.
     */
    idempotency same;
    /*
     * An async action was accepted: `data` is the handle of its job, to be taken now. Once, before
     * `done`, on whichever thread. May be NULL.
     */
    void (*accepted)(action_call *call);
    void (*done)(action_call *call); /* once, on whichever thread */
    void *owner;                     /* the caller's */

    /* Out, in `done`. */
    const char *code;   /* NULL: it succeeded */
    arx_buf data;       /* JSON; of a failure empty */
    arx_buf message;    /* of a failure: a sentence */
    arx_buf details;    /* of a failure: JSON, or empty */
    bool recorded;      /* its outcome was recorded */
    bool repeated;      /* nothing was written: if there is a record by now, that is the outcome */
    int64_t started_ms; /* monotonic */

    /* In `accepted`: the job and its tasks, for whoever wants to follow it (job_hold()). */
    job *job;
    size_t tasks;
};

/*
 * Checks params (any JSON value, of any document; borrowed for the call's making only) against the
 * action's input. NULL without memory. A call whose params do not fit holds its failure,
 * VALIDATION_ERROR, already: action_run() then does nothing but call `done`.
 */
action_call *action_call_create(const action *what, const auth_caller *caller,
                                const char *request_id, const arx_json *params);
void action_call_free(action_call *call); /* NULL is fine */

/* Begins. `done` may be called before this returns. */
void action_run(action_call *call, http_request *from);

/*
 * The outcome as OUI sends it: {"requestId", "success", "interim"?, "durationMs", "timestamp",
 * "settled": true, "data"} or, in place of data, "error": {"code", "message", "details"?}. twice:
 * of an action that answers twice, so that `interim` is there.
 */
void action_write_outcome(const action_call *call, bool twice, bool interim, arx_buf *out);
/* The last member alone, as the value of "error". */
void action_write_error(const char *code, const arx_buf *message, const arx_buf *details,
                        arx_buf *out);

#endif
