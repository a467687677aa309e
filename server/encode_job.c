/*
 * encode_job.c - see encode_job.h.
 *
 * Threads: made on an event thread; the tasks and `finished` run on workers (or whoever cancels);
 * `stored` on the store's. One after the other, never two at a time.
 */
#include "encode_job.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "artifact_reply.h"
#include "clock.h"
#include "link_work.h"
#include "payload_work.h"
#include "visit.h"

typedef struct encode_job {
    struct store *store;
    encode_task *task;
    job_entry *entry;
    auth_caller caller;
    visit_account account;
    char *origin;
    int64_t deadline_ms;
    /* While the link is written. */
    store_op op;
    char edit_key[EDIT_KEY_CHARS + 1];
    job *held;
} encode_job;

static void free_job(void *arg) {
    encode_job *self = arg;
    encode_task_free(self->task);
    job_entry_release(self->entry);
    store_op_clear(&self->op);
    free(self->origin);
    free(self);
}

static void fail(encode_job *self, api_result result, const arx_buf *message) {
    arx_buf text;
    arx_buf_init(&text, 0);
    error_fields(&text, result, message);
    job_entry_end(self->entry, JOB_STATUS_FAILED, &text, clock_monotonic_ms());
}

static void succeed(encode_job *self, const arx_buf *artifact) {
    arx_buf answer;
    arx_buf_init(&answer, 0);
    encode_task_answer(self->task, self->origin, artifact, &answer);
    if (arx_buf_result(&answer) == ARX_OK) {
        job_entry_end(self->entry, JOB_STATUS_DONE, &answer, clock_monotonic_ms());
    } else {
        arx_buf_free(&answer);
        fail(self, API_INTERNAL, NULL);
    }
}

static void stored(store_op *op) {
    encode_job *self = (encode_job *)(void *)((char *)op - offsetof(encode_job, op));
    job *held = self->held;
    api_result result = store_outcome(op);
    if (result == API_OK) {
        arx_buf artifact;
        arx_buf_init(&artifact, 0);
        artifact_write_created(&op->artifact, self->edit_key, self->origin,
                               encode_task_warning(self->task), &artifact);
        if (arx_buf_result(&artifact) == ARX_OK) {
            succeed(self, &artifact);
        } else {
            fail(self, API_INTERNAL, NULL);
        }
        arx_buf_free(&artifact);
    } else {
        fail(self, result, NULL);
    }
    job_release(held); /* perhaps the last that held `self` */
}

/* The reason is in the work's error, or the result says it all. */
static void fail_encode(encode_job *self, api_result result) {
    const arx_error *error = &self->task->work.error;
    fail(self, result, error->code != ARX_CODE_OK ? &error->message : NULL);
}

static void store_link(encode_job *self, job *finished) {
    encode_task *task = self->task;
    api_result result = payload_take_encoded(&task->work, &self->op.artifact);
    if (result == API_OK) {
        result = link_row_init(&self->op, &self->caller, &task->link, self->edit_key);
    }
    if (result != API_OK) {
        fail_encode(self, result);
        return;
    }
    self->op.done = stored;
    self->held = job_hold(finished);
    if (store_submit(self->store, &self->op)) {
        stored(&self->op);
    }
}

static void finished(void *arg, job *work) {
    encode_job *self = arg;
    visit_settle(&self->account, job_worked_us(work));
    if (job_state_of(work) == JOB_CANCELLED) {
        if (clock_monotonic_ms() >= self->deadline_ms) {
            fail(self, API_DEADLINE, NULL);
        } else {
            job_entry_end(self->entry, JOB_STATUS_CANCELLED, NULL, clock_monotonic_ms());
        }
        return;
    }
    api_result result = encode_work_gather(&self->task->work);
    if (result != API_OK) {
        fail_encode(self, result);
    } else if (self->task->store) {
        store_link(self, work);
    } else {
        succeed(self, NULL);
    }
}

static void run(void *arg, size_t i, arx_coder *coder) {
    encode_job *self = arg;
    encode_work_run(&self->task->work, i, coder);
}

api_result encode_job_start(const service *server, job_entry *entry, encode_task *task,
                            const auth_caller *caller, visit_account *account, const char *origin) {
    encode_job *self = calloc(1, sizeof *self);
    char *copy = strdup(origin);
    if (self == NULL || copy == NULL) {
        free(self);
        free(copy);
        return API_INTERNAL;
    }
    self->store = server->store;
    self->task = task;
    self->entry = job_entry_hold(entry);
    self->caller = *caller;
    self->account = *account;
    self->origin = copy;
    self->deadline_ms = clock_monotonic_ms() + (int64_t)server->config->encode_deadline_ms;
    size_t tasks = encode_work_tasks(&task->work);
    const job_spec spec = {
        .tasks = tasks,
        .run = run,
        .finished = finished,
        .free_arg = free_job,
        .arg = self,
        .deadline_ms = self->deadline_ms,
    };
    job *work = jobs_submit(server->jobs, &spec);
    if (work == NULL) {
        self->task = NULL;
        free_job(self);
        return API_BUSY;
    }
    account->deposit_us = 0; /* the job's copy has it now, and may have settled it already */
    job_entry_watch(entry, work, tasks);
    job_release(work);
    return API_OK;
}
