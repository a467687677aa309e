/*
 * action_work.h - what the handlers of actions share: how they fail, and how they write.
 *
 * An action_work is the first member of a handler's state, as link_work is of REST's.
 */
#ifndef ARXD_ACTION_WORK_H
#define ARXD_ACTION_WORK_H

#include "actions.h"
#include "decode_work.h"
#include "encode_work.h"
#include "request.h"
#include "service.h"

typedef struct action_work {
    action_call *call;
    store_op op;
    /* Writes the output, once `op` is done, or, when it is recorded, within its transaction. */
    void (*write)(struct action_work *work);
    http_handler *next;
} action_work;

/* For states that are an action_work and nothing else that is owned. */
void action_work_free(void *state);
/* A zeroed state of `size` bytes, the request's from here on. NULL: the call has failed. */
void *action_work_new(http_request *work, action_call *call, size_t size,
                      void (*free_state)(void *));

/*
 * Submits `op`, recorded if the call is to be. The call then has its output, or its failure: there
 * is no further handler.
 */
void action_work_write(http_request *work);
/* For an output that no row is written with: records it, if the call is to be; fails in no way. */
void action_work_remember(http_request *work);
/* Submits `op`; `next` is called only if it went well. */
void action_work_wait(http_request *work, http_handler *next);

/* ---- failures ---- */

/* code: one of OUI's, or of ours, a literal. */
void action_fail(action_call *call, const char *code, const char *sentence);
void action_fail_result(action_call *call, api_result result, const arx_buf *message);
/* The codec's words, if it had any. */
void action_fail_codec(action_call *call, api_result result, const arx_error *error);
/* VALIDATION_ERROR with details that name the place. */
void action_fail_invalid(action_call *call, const char *path, const char *sentence);
/* app:too_large */
void action_fail_large(action_call *call, size_t limit, size_t actual, const char *sentence);

/* An item of a list of links. whole: with kind, title and updated_at. */
void action_write_link(const store_artifact *row, const char *origin, bool whole, arx_buf *out);
/* The service's totals, limits and pool, as objects: observations. */
void action_write_stats(const service *server, arx_buf *out);
void action_write_limits(const service *server, arx_buf *out);
void action_write_encoder(const service *server, arx_buf *out);

/* ---- handlers; see the table in actions.c ---- */

/* action_links.c */
action_handler action_create_link;
action_handler action_update;
action_handler action_replace;
action_handler action_delete;
action_handler action_cleanup;
action_handler action_list_links;

/* action_read.c */
action_handler action_read;

/* action_codec.c */
action_handler action_encode;
action_handler action_decode;

/* action_service.c */
action_handler action_get_stats;
action_handler action_get_limits;

#endif
