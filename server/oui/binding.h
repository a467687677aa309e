/*
 * binding.h - OUI over HTTP: what its handlers share. The routes are in routes.c.
 *
 *     GET  /oui/snapshot?form=                     what there is, and how things stand
 *     POST /oui/dispatch?waitMs=&form=&maxBytes=   an action request; the 2xx is its receipt
 *     GET  /oui/results/{id}?final=&waitMs=&...    its answer, for who asks later or again
 *     POST /oui/results/{id}/ack                   it was received, or refused: then less of it
 *     GET  /oui/events?surface=&announce=          events.h
 *
 * An answer is framed for its receiver when it is first sent (frame.h) and kept so: whoever asks
 * again gets the same bytes. What cannot be a result is an error as everywhere (reply.h), with `ok`
 * false and a `reason` beside it.
 */
#ifndef ARXD_OUI_BINDING_H
#define ARXD_OUI_BINDING_H

#include "dispatch.h"
#include "request.h"

#define OUI_VERSION         "0.7.0"
#define OUI_WAIT_MAX_MS     30000
#define OUI_WAIT_DEFAULT_MS 25000
#define OUI_RECENT_LINKS    20
#define OUI_REQUEST_ID_MAX  200
/* In an exchange's form, beside the oui_form: a call of surface `oui`, answered without the page.
 */
#define OUI_OWN_ANSWER 2u

/* The state of every handler of the binding. */
typedef struct oui_request {
    dispatch dispatch; /* first, as it asks */
    body body;
    char *id; /* request id */
    /* Options of the query. */
    oui_form form;
    bool has_known; /* the receiver holds this form already */
    int64_t wait_ms;
    uint64_t max_bytes; /* 0: no limit */
    exchange_part part; /* which answer is asked for */
    /* What oui_observe() found. */
    store_op list;
    arx_json_doc *observed;
    arx_json *observations;
    http_handler *next;
} oui_request;

/* A zeroed state, the request's from here on. NULL with the reply made. */
oui_request *oui_request_new(http_request *request);
/* Frees what it holds, for states that have one as their first member. */
void oui_request_clear(oui_request *self);
/* Reads form, waitMs, maxBytes and final of the query. False with the reply made. */
bool oui_request_options(http_request *request, oui_request *self);

/* Gathers the observations the caller may see, as one object; `next` then finds them. */
void oui_observe(http_request *request, http_handler *next);
/* The two halves, for events: what one key sees, and what everybody does. As JSON objects. */
void oui_write_service(const service *server, arx_buf *out);
void oui_write_links(const store_op *list, const char *origin, arx_buf *out);
void oui_write_jobs(const service *server, const uint8_t owner[SECRET_HASH_BYTES], arx_buf *out);

/* Replies for a dispatch that did not begin. */
void oui_refuse(http_request *request, dispatch_result result);
/*
 * Sends the exchange's answer, if it is there; else what the wait came to (202 or 204). Frames it
 * first, if it is sent for the first time.
 */
void oui_send_answer(http_request *request);

#endif
