/* request.c - see request.h. */
#include "request.h"

#include "clock.h"
#include "visit.h"

static void store_done(store_op *op) {
    http_wake(op->owner);
}

void store_wait(http_request *request, store_op *op, http_handler *next) {
    const service *self = http_service(request);
    op->done = store_done;
    op->owner = request;
    http_wait(request, next);
    if (store_submit(self->store, op)) {
        http_wake(request);
    }
}

api_result store_outcome(const store_op *op) {
    switch (op->result) {
    case STORE_OK:
        return API_OK;
    case STORE_NOT_FOUND:
        return op->kind == STORE_DELETE ? API_NOTHING_TO_DELETE : API_NO_ARTIFACT;
    case STORE_GONE:
        return API_ARTIFACT_GONE;
    case STORE_CONFLICT:
        return API_REQUEST_KEY_USED;
    case STORE_BUSY:
        return API_BUSY;
    case STORE_FAILED:
        return op->kind == STORE_READ || op->kind == STORE_VIEW || op->kind == STORE_RECALL
                   ? API_LOAD_FAILED
                   : API_STORE_FAILED;
    case STORE_FULL:
        return API_STORAGE_FULL;
    case STORE_MAKER_FULL:
        return API_TOKEN_FULL;
    case STORE_NO_MEMORY:
        break;
    }
    return API_INTERNAL;
}

job_outcome job_outcome_of(api_result result) {
    return result == API_OK         ? JOB_SUCCEEDED
           : result == API_BUSY     ? JOB_REFUSED
           : result == API_DEADLINE ? JOB_LATE
           : result == API_STOPPING ? JOB_STOPPED
                                    : JOB_FAILED;
}

static void run_task(void *arg, size_t i, arx_coder *coder) {
    const request_job *waiting = arg;
    waiting->run(waiting->arg, i, coder);
}

/* On a worker or the canceller's thread. The request may end right behind the wake, `arg` with it.
 */
static void job_finished(void *arg, job *finished) {
    request_job *waiting = arg;
    visit_of(waiting->request)->worked_us += job_worked_us(finished);
    if (job_state_of(finished) == JOB_DONE) {
        waiting->result = API_OK;
    } else {
        bool late = clock_monotonic_ms() >= waiting->deadline_ms;
        waiting->result = late ? API_DEADLINE : API_STOPPING;
    }
    http_wake(waiting->request);
}

api_result job_wait(http_request *request, request_job *waiting, http_handler *next) {
    const service *self = http_service(request);
    waiting->request = request;
    waiting->deadline_ms = http_started_ms(request) + (int64_t)self->config->encode_deadline_ms;
    /* No free_arg: the request owns what the tasks work on, and outlives them. */
    const job_spec spec = {
        .tasks = waiting->tasks,
        .run = run_task,
        .finished = job_finished,
        .arg = waiting,
        .deadline_ms = waiting->deadline_ms,
    };
    http_wait(request, next);
    job *submitted = jobs_submit(self->jobs, &spec);
    if (submitted == NULL) {
        http_unwait(request);
        return API_BUSY;
    }
    if (waiting->keep) {
        waiting->job = submitted;
    } else {
        job_release(submitted);
    }
    return API_OK;
}
