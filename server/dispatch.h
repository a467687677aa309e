/*
 * dispatch.h - a call of an agent, whichever protocol it came by: run once, answered as often as it
 * is asked for.
 *
 *     who may? -> seen before? -> on record? -> known action? -> params -> consent -> run
 *
 * A dispatch is the first member of the request's state. `next` is called when the action has
 * begun, or has been answered; from then on the exchange tells (exchange_wait(), or
 * dispatch_wait()).
 *
 *     self->id = ...; self->surface = ...; ...
 *     dispatch_start(request, &self->dispatch, next);
 *     next:   result DISPATCH_OK: dispatch_wait(request, &self->dispatch, part, wait_ms, then);
 *     then:   exchange_look(self->dispatch.exchange, ...)
 *
 * What is answered is the outcome as action_write_outcome() writes it; of an async action that was
 * accepted with `"interim": true`, and its final outcome with `"interim": false`.
 */
#ifndef ARXD_DISPATCH_H
#define ARXD_DISPATCH_H

#include "action_gate.h"
#include "exchanges.h"
#include "oui/canonical.h"

typedef enum dispatch_result {
    DISPATCH_OK = 0,
    DISPATCH_UNAUTHORIZED, /* no good token */
    DISPATCH_FORBIDDEN,    /* a good token, whose scopes do not allow it */
    DISPATCH_OTHER,        /* the id was used for another request */
    DISPATCH_FULL,         /* too many requests are being worked on */
    DISPATCH_NO_MEMORY,
} dispatch_result;

typedef struct dispatch {
    /* In; borrowed until `next`. */
    const char *id;          /* request id, not empty */
    const arx_json *surface; /* strings */
    const arx_json *action;
    const arx_json *params;
    approval_mode mode;          /* of an action that needs consent */
    const arx_json *approval_id; /* strings, with APPROVAL_CARRIED; NULL: it carries none */
    const arx_json *approval_hash;
    unsigned form; /* the adapter's own, kept with the exchange */
    /*
     * Answers a call of surface `oui` with an outcome (dispatch_say()). NULL: there is no such
     * surface.
     */
    void (*own)(http_request *request);

    /* Out. */
    dispatch_result result;
    exchange *exchange;

    /* Its own. */
    http_handler *next;
    idempotency same; /* `key` is `id` */
    action_call *call;
    store_op op;
    approval_work gate;
    char args_hash[OUI_ARGS_HASH_CHARS + 1];
    arx_buf params_text;
    exchange_waiter waiter;
} dispatch;

void dispatch_start(http_request *request, dispatch *self, http_handler *next);
/* Answers the exchange: `data` as JSON, or a failure. */
void dispatch_say(http_request *request, const char *code, const char *message,
                  const arx_buf *data);
/* Waits until the part is answered, at most so long; `then` looks what is there. */
void dispatch_wait(http_request *request, dispatch *self, exchange_part part, int64_t wait_ms,
                   http_handler *then);
/*
 * For who asks for an answer: finds the exchange by the caller and the id, in memory or on record.
 * `exchange` NULL with DISPATCH_OK: it is not known.
 */
void dispatch_find(http_request *request, dispatch *self, http_handler *next);
void dispatch_free(dispatch *self);

/* May they call at all? write: an action that changes something. */
dispatch_result dispatch_may(http_request *request, bool write);

#endif
