/*
 * link_work.h - the one way a link is made: who asks, whether they asked before, the row with its
 * edit key, and the 201's object.
 *
 *     link_work_begin(request, next)      may they? have they been answered already?
 *     ... the handler fills in payload, codec, asset_set, kind and title of op.artifact ...
 *     link_work_insert(request, ..., next)
 *
 * Must be the first member of the request's state. In each `next`, `result` tells how it went; once
 * there is a link, `answer` holds its object. After link_work_begin() that is so when the request
 * is a repeated one: then the same is answered again, with the status in `status`.
 */
#ifndef ARXD_LINK_WORK_H
#define ARXD_LINK_WORK_H

#include "idempotency.h"
#include "link_options.h"

typedef struct link_work {
    auth_caller caller;
    idempotency same;
    store_op op;
    api_result result;
    unsigned status; /* of a recorded answer; 0: there is none */
    arx_buf answer;
    /* Its own. */
    char edit_key[EDIT_KEY_CHARS + 1];
    const char *origin;
    const char *warning;
    http_handler *next;
} link_work;

/* makes_link: false for a request that only wants to be answered once. */
void link_work_begin(http_request *request, bool makes_link, http_handler *next);
/* warning: for the maker, a literal or NULL. */
void link_work_insert(http_request *request, const link_options *options, const char *warning,
                      http_handler *next);
/*
 * For a request that makes no link at once: records `answer` with that status, if the request has a
 * key, and puts op.note, if op.noted. `next` looks at `result`, and at `status`, which is not 0 if
 * another was faster with the same request: then `answer` is what that one was told.
 */
void link_work_remember(http_request *request, unsigned status, http_handler *next);
/* A text member of `answer`, appended to `out`. False when there is none. */
bool link_work_member(const link_work *work, const char *name, arx_buf *out);
/* Sends `answer` as a 201, or the error in `result`. */
void link_work_reply(http_request *request);
void link_work_free(link_work *work);

/*
 * The row's own part, for those who insert without a request: id, edit key, maker, lifetime. The
 * edit key is in `edit_key` and nowhere else. API_OK or API_INTERNAL.
 */
api_result link_row_init(store_op *op, const auth_caller *caller, const link_options *options,
                         char edit_key[EDIT_KEY_CHARS + 1]);

#endif
