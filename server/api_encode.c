/*
 * api_encode.c - POST /encode: the shortest fragment for an envelope or one artifact.
 *
 *     read -> who asks -> encode -> [insert] -> 200          the client waits
 *                     \-> [remember] -> queue -> 202         it asks for the job later: api_jobs.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "asset_sets.h"
#include "clock.h"
#include "encode_job.h"
#include "job_note.h"
#include "link_work.h"
#include "negotiate.h"
#include "payload_work.h"

typedef struct encode_state {
    link_work link; /* first, as it asks */
    encode_task *task;
    const arx_assets *assets; /* the set to encode with */
    job_entry *entry;         /* of a request that does not wait */
} encode_state;

static void free_state(void *state) {
    encode_state *self = state;
    link_work_free(&self->link);
    encode_task_free(self->task);
    job_entry_release(self->entry);
    free(self);
}

static bool prefers_async(http_request *request) {
    return prefer_holds(http_header(request, "Prefer"), "respond-async");
}

/* 202 with the job's object in `answer`. */
static void reply_accepted(http_request *request) {
    encode_state *self = http_state(request);
    arx_buf location;
    arx_buf_init(&location, 0);
    const char *origin = http_origin(request);
    arx_buf_append_str(&location, origin != NULL ? origin : "");
    arx_buf_append_str(&location, "/encode/jobs/");
    bool named = link_work_member(&self->link, "job", &location);
    arx_buf_append_byte(&location, '\0');
    if (!named || arx_buf_result(&location) != ARX_OK) {
        reply_error(request, API_INTERNAL);
    } else {
        http_add_header(request, "Location", (const char *)location.data);
        if (prefers_async(request)) {
            http_add_header(request, "Preference-Applied", "respond-async");
        }
        reply_json(request, 202, &self->link.answer);
    }
    arx_buf_free(&location);
}

/* ---- a client that waits ---- */

/* How long it took, for people; the body stays the same for the same input. */
static void add_timing(http_request *request) {
    char value[48];
    int64_t ms = clock_monotonic_ms() - http_started_ms(request);
    (void)snprintf(value, sizeof value, "encode;dur=%lld", (long long)ms);
    http_add_header(request, "Server-Timing", value);
}

static void answer(http_request *request) {
    const encode_state *self = http_state(request);
    const char *origin = http_origin(request);
    if (self->link.result != API_OK || origin == NULL) {
        reply_error(request, self->link.result != API_OK ? self->link.result : API_INTERNAL);
        return;
    }
    if (self->link.status == 202) { /* the same request was faster, and did not wait */
        reply_accepted(request);
        return;
    }
    arx_buf out;
    arx_buf_init(&out, 0);
    encode_task_answer(self->task, origin, self->task->store ? &self->link.answer : NULL, &out);
    add_timing(request);
    reply_json(request, 200, &out);
}

static void encoded(http_request *request) {
    encode_state *self = http_state(request);
    encode_task *task = self->task;
    bool keep = task->store && self->link.status == 0;
    api_result result = encode_work_finish(&task->work);
    if (result == API_OK && keep) {
        result = payload_take_encoded(&task->work, &self->link.op.artifact);
    }
    if (result != API_OK) {
        encode_work_refuse(request, &task->work, result);
    } else if (keep) {
        link_work_insert(request, &task->link, encode_task_warning(task), answer);
    } else {
        answer(request);
    }
}

static void encode(http_request *request) {
    encode_state *self = http_state(request);
    encode_task *task = self->task;
    api_result result = encode_work_start(request, &task->work, self->assets, task->wanted.envelope,
                                          &task->wanted.options, encoded);
    if (result != API_OK) {
        encode_work_refuse(request, &task->work, result);
    }
}

/* ---- a client that does not ---- */

static http_handler start;

/* The answer is on record, or nobody wants it to be: what it says must now come true. */
static void queue(http_request *request) {
    const service *server = http_service(request);
    encode_state *self = http_state(request);
    api_result result = self->link.result;
    if (result == API_OK && self->link.status != 0) {
        /* The same request was faster: this one is answered as if it had found that at once. */
        jobs_table_drop(server->encodes, self->entry);
        encode_work_free(&self->task->work);
        start(request);
        return;
    }
    if (result == API_OK) {
        result = encode_job_start(server, self->entry, self->task, &self->link.caller,
                                  &visit_of(request)->account, http_origin(request),
                                  self->link.op.note.version);
    }
    if (result == API_OK) {
        self->task = NULL;
        reply_accepted(request);
        return;
    }
    if (self->link.result == API_OK && self->link.same.key != NULL) {
        arx_buf error; /* promised, and then there was no room: the job says so */
        arx_buf_init(&error, 0);
        error_fields(&error, result, NULL);
        job_entry_end(self->entry, JOB_STATUS_FAILED, &error, clock_monotonic_ms());
        reply_accepted(request);
    } else {
        jobs_table_drop(server->encodes, self->entry);
        reply_error(request, result);
    }
}

static void write_queued(const job_entry *entry, arx_buf *out) {
    char id[ID_LONG_CHARS + 1];
    id_format_long(job_entry_id(entry), id);
    fields_begin(out);
    field_text(out, "job", id);
    field_text(out, "status", job_status_name(JOB_STATUS_QUEUED));
    fields_end(out);
}

static void encode_later(http_request *request) {
    const service *server = http_service(request);
    encode_state *self = http_state(request);
    encode_task *task = self->task;
    api_result result =
        encode_work_plan(&task->work, self->assets, task->wanted.envelope, &task->wanted.options);
    if (result != API_OK) {
        encode_work_refuse(request, &task->work, result);
        return;
    }
    if (http_origin(request) == NULL) {
        reply_error(request, API_INTERNAL);
        return;
    }
    self->entry = jobs_table_add(server->encodes, clock_monotonic_ms());
    if (self->entry == NULL) {
        reply_error(request, API_BUSY);
        return;
    }
    write_queued(self->entry, &self->link.answer);
    if (!job_note_put(&self->link.op, job_entry_id(self->entry), 0, JOB_STATUS_QUEUED, NULL, 0,
                      encode_job_note_end(server))) {
        jobs_table_drop(server->encodes, self->entry);
        reply_error(request, API_INTERNAL);
        return;
    }
    link_work_remember(request, 202, queue);
}

/* ---- */

static void start(http_request *request) {
    const service *server = http_service(request);
    encode_state *self = http_state(request);
    const encode_task *task = self->task;
    const char *set = task->link.asset_set;
    self->assets =
        set != NULL ? asset_sets_find(server->sets, set) : asset_sets_active(server->sets);
    if (self->link.result != API_OK) {
        reply_error(request, self->link.result);
    } else if (self->assets == NULL) {
        reply_error(request, API_NO_SUCH_SET);
    } else if (self->link.status == 202) {
        reply_accepted(request);
    } else if (self->link.status == 0 && task->async) {
        encode_later(request);
    } else {
        encode(request);
    }
}

void api_encode(http_request *request) {
    const service *server = http_service(request);
    encode_state *self = calloc(1, sizeof *self);
    if (self == NULL || (self->task = calloc(1, sizeof *self->task)) == NULL) {
        free(self);
        reply_error(request, API_INTERNAL);
        return;
    }
    http_set_state(request, self, free_state);
    size_t len;
    const uint8_t *bytes = http_body(request, &len);
    arx_buf message;
    arx_buf_init(&message, 0);
    api_result result = encode_task_read(server->config, bytes, len, self->task, &message);
    if (result != API_OK) {
        reply_error_message(request, result, &message);
    } else {
        encode_task *task = self->task;
        task->async = task->async || prefers_async(request);
        if (task->store || task->async) {
            link_work_begin(request, task->store, start);
        } else {
            start(request); /* the same request always has the same answer */
        }
    }
    arx_buf_free(&message);
}
