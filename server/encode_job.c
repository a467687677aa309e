/*
 * encode_job.c - see encode_job.h.
 *
 * Threads: made on an event thread; the tasks and `finished` run on workers (or whoever cancels);
 * `stored` and `ended` on the store's. One after the other, never two at a time.
 */
#include "encode_job.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "artifact_reply.h"
#include "clock.h"
#include "job_note.h"
#include "link_work.h"
#include "payload_work.h"
#include "visit.h"

/* Between a job's deadline and the moment when a note that still says "queued" is over. */
#define NOTE_SLACK_MS 60000

typedef struct encode_job {
    struct store *store;
    encode_task *task;
    job_entry *entry;
    auth_caller caller;
    visit_account account;
    char *origin;
    int64_t deadline_ms;
    int64_t noted; /* version of the job's note */
    int64_t note_end_ms;
    /* While the link or the note is written. */
    store_op op;
    char edit_key[EDIT_KEY_CHARS + 1];
    job *held;
    /* How it ended, until every node may know. */
    job_status status;
    arx_buf result;
} encode_job;

static void free_job(void *arg) {
    encode_job *self = arg;
    encode_task_free(self->task);
    job_entry_release(self->entry);
    store_op_clear(&self->op);
    arx_buf_free(&self->result);
    free(self->origin);
    free(self);
}

/* The note is written, or cannot be: then at least this node tells how it ended. */
static void ended(store_op *op) {
    encode_job *self = (encode_job *)(void *)((char *)op - offsetof(encode_job, op));
    job *held = self->held;
    bool cancelled = op->result == STORE_CONFLICT; /* on another node, and first */
    bool bare = cancelled || self->status == JOB_STATUS_CANCELLED;
    job_entry_end(self->entry, cancelled ? JOB_STATUS_CANCELLED : self->status,
                  bare ? NULL : &self->result, clock_monotonic_ms());
    job_release(held); /* perhaps the last that held `self` */
}

/* `result`: taken. `work` is held until the note is there. */
static void end(encode_job *self, job_status status, arx_buf *result) {
    self->status = status;
    if (result != NULL) {
        arx_buf_free(&self->result);
        self->result = *result;
        arx_buf_init(result, 0);
    }
    store_op_clear(&self->op);
    self->op = (store_op){.kind = STORE_NOTE_PUT, .done = ended};
    /* A result that no note can hold is told by this node alone; the others say when to ask again.
     */
    bool fits = self->result.len < STORE_NOTE_MAX_BYTES - 1024;
    if (!job_note_put(&self->op, job_entry_id(self->entry), self->noted, status, self->result.data,
                      fits ? self->result.len : 0, clock_unix_ms() + JOBS_TABLE_KEPT_MS)) {
        self->op.result = STORE_NO_MEMORY;
        ended(&self->op);
    } else if (store_submit(self->store, &self->op)) {
        ended(&self->op);
    }
}

static void fail(encode_job *self, api_result result, const arx_buf *message) {
    arx_buf text;
    arx_buf_init(&text, 0);
    error_fields(&text, result, message);
    end(self, JOB_STATUS_FAILED, &text);
}

static void succeed(encode_job *self, const arx_buf *artifact) {
    arx_buf answer;
    arx_buf_init(&answer, 0);
    encode_task_answer(self->task, self->origin, artifact, &answer);
    if (arx_buf_result(&answer) == ARX_OK) {
        end(self, JOB_STATUS_DONE, &answer);
    } else {
        arx_buf_free(&answer);
        fail(self, API_INTERNAL, NULL);
    }
}

static void stored(store_op *op) {
    encode_job *self = (encode_job *)(void *)((char *)op - offsetof(encode_job, op));
    if (op->result == STORE_CONFLICT) {
        ended(op);
        return;
    }
    api_result result = store_outcome(op);
    arx_buf artifact;
    arx_buf_init(&artifact, 0);
    self->noted = op->note.version;
    if (result == API_OK) {
        artifact_write_created(&op->artifact, self->edit_key, self->origin,
                               encode_task_warning(self->task), &artifact);
        result = arx_buf_result(&artifact) == ARX_OK ? API_OK : API_INTERNAL;
    }
    if (result == API_OK) {
        succeed(self, &artifact);
    } else {
        fail(self, result, NULL);
    }
    arx_buf_free(&artifact);
}

/* The reason is in the work's error, or the result says it all. */
static void fail_encode(encode_job *self, api_result result) {
    const arx_error *error = &self->task->work.error;
    fail(self, result, error->code != ARX_CODE_OK ? &error->message : NULL);
}

static void store_link(encode_job *self) {
    encode_task *task = self->task;
    api_result result = payload_take_encoded(&task->work, &self->op.artifact);
    if (result == API_OK) {
        result = link_row_init(&self->op, &self->caller, &task->link, self->edit_key);
    }
    if (result == API_OK && !job_note_put(&self->op, job_entry_id(self->entry), self->noted,
                                          JOB_STATUS_RUNNING, NULL, 0, self->note_end_ms)) {
        result = API_INTERNAL;
    }
    if (result != API_OK) {
        fail_encode(self, result);
        return;
    }
    self->op.done = stored;
    if (store_submit(self->store, &self->op)) {
        stored(&self->op);
    }
}

static void finished(void *arg, job *work) {
    encode_job *self = arg;
    visit_settle(&self->account, job_worked_us(work));
    self->held = job_hold(work); /* until ended() */
    if (job_state_of(work) == JOB_CANCELLED) {
        bool late = clock_monotonic_ms() >= self->deadline_ms;
        encode_work_count(&self->task->work, late ? API_DEADLINE : API_STOPPING);
        if (late) {
            fail(self, API_DEADLINE, NULL);
        } else {
            end(self, JOB_STATUS_CANCELLED, NULL);
        }
        return;
    }
    api_result result = encode_work_gather(&self->task->work);
    if (result != API_OK) {
        fail_encode(self, result);
    } else if (self->task->store) {
        store_link(self);
    } else {
        succeed(self, NULL);
    }
}

static void run(void *arg, size_t i, arx_coder *coder) {
    encode_job *self = arg;
    encode_work_run(&self->task->work, i, coder);
}

int64_t encode_job_note_end(const service *server) {
    return clock_unix_ms() + (int64_t)server->config->encode_deadline_ms + NOTE_SLACK_MS;
}

api_result encode_job_start(const service *server, job_entry *entry, encode_task *task,
                            const auth_caller *caller, visit_account *account, const char *origin,
                            int64_t noted) {
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
    self->noted = noted;
    self->note_end_ms = encode_job_note_end(server);
    arx_buf_init(&self->result, 0);
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
        encode_work_count(&task->work, API_BUSY);
        self->task = NULL;
        free_job(self);
        return API_BUSY;
    }
    account->deposit_us = 0; /* the job's copy has it now, and may have settled it already */
    job_entry_watch(entry, work, tasks);
    job_release(work);
    return API_OK;
}
