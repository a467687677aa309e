/*
 * approvals_http.h - how a request waits for an approval_work. Event thread.
 */
#ifndef ARXD_APPROVALS_HTTP_H
#define ARXD_APPROVALS_HTTP_H

#include "approvals.h"
#include "request.h"

/* The first member of the request's state. */
typedef struct approval_wait {
    approval_work work;
    http_handler *next;
} approval_wait;

/* op: what the function that began the work answered. `next` finds work.outcome. */
void approval_wait_for(http_request *request, store_op *op, http_handler *next);

/* What an outcome means as an answer; API_OK for DONE and NEEDED. */
api_result approval_result(const approval_work *work);

#endif
