/*
 * request.h - how a handler waits for the store and for the worker pool.
 *
 * Both hand the work over and return; `next` runs on the event thread when it is done. What they
 * are given (an op, a request_job) must live until then: keep it in the request's state. Since a
 * request never ends while it waits, nothing more is needed against use after its end.
 */
#ifndef ARXD_REQUEST_H
#define ARXD_REQUEST_H

#include "jobs.h"
#include "metrics.h"
#include "reply.h"
#include "service.h"
#include "store.h"

/* Submits `op`; its `done` and `owner` are overwritten. In `next`, see op->result. */
void store_wait(http_request *request, store_op *op, http_handler *next);

/* What a finished op means as an answer; API_OK for STORE_OK. */
api_result store_outcome(const store_op *op);

/* How a job that ended with this result is counted. */
job_outcome job_outcome_of(api_result result);

typedef struct request_job {
    /* In: the tasks. */
    size_t tasks;
    void (*run)(void *arg, size_t i, arx_coder *coder);
    void *arg;
    bool keep; /* wants `job` */
    /* Out, once job_wait() has answered API_OK: a reference, the caller's to release. */
    job *job;
    /* Out, in `next`: API_OK, or API_DEADLINE or API_STOPPING when not every task has run. */
    api_result result;
    /* Its own. */
    http_request *request;
    int64_t deadline_ms;
} request_job;

/*
 * Gives the tasks to the worker pool, with --encode-deadline counted from the request's head.
 * API_OK: the request waits. API_BUSY: the queue is full, and the handler replies. No task runs
 * any more once `next` is called.
 */
api_result job_wait(http_request *request, request_job *waiting, http_handler *next);

#endif
