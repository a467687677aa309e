/*
 * api_jobs.c - GET and DELETE /encode/jobs/:id: how an encode nobody waited for stands, on
 * whichever node it runs.
 *
 *     here, and ended -> show          what this node knows is all there is
 *     else            -> [note] -> show the note if the job has ended there, else the entry here,
 *                                  else the note
 *     DELETE          -> cancel here; or put "cancelled" into the note, again if it changed
 * meanwhile
 */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "clock.h"
#include "job_note.h"
#include "jobs_table.h"
#include "reply.h"
#include "request.h"
#include "service.h"

typedef struct jobs_state {
    store_op op;
    uint8_t id[ID_BYTES];
    job_entry *entry; /* of a job of this node's, or NULL */
    bool cancel;
    arx_buf result; /* the note's */
} jobs_state;

static void free_state(void *opaque) {
    jobs_state *self = opaque;
    store_op_clear(&self->op);
    job_entry_release(self->entry);
    arx_buf_free(&self->result);
    free(self);
}

/* {"job", "status", "progress"} and, behind it, the result or the error. */
static void show(http_request *request, const job_view *view) {
    const jobs_state *self = http_state(request);
    char id[ID_LONG_CHARS + 1];
    id_format_long(self->id, id);
    arx_buf head;
    arx_buf_init(&head, 0);
    fields_begin(&head);
    field_text(&head, "job", id);
    field_text(&head, "status", job_status_name(view->status));
    if (view->status == JOB_STATUS_RUNNING || view->status == JOB_STATUS_DONE) {
        field_count(&head, "progress", view->progress);
    }
    if (view->status == JOB_STATUS_DONE) {
        field_name(&head, "result");
    } else if (view->result != NULL) {
        arx_buf_append_byte(&head, ',');
    }
    size_t len;
    uint8_t *owned = arx_buf_take(&head, &len);
    if (owned == NULL) {
        reply_error(request, API_INTERNAL);
        return;
    }
    /* The result is sent from the entry or the state, which the request holds. */
    const http_part parts[] = {{owned, len}, {view->result, view->result_len}, {"}", 1}};
    http_send_parts(request, 200, CONTENT_JSON, parts, sizeof parts / sizeof parts[0], owned);
}

static void show_entry(http_request *request) {
    const jobs_state *self = http_state(request);
    job_view view;
    job_entry_look(self->entry, &view);
    show(request, &view);
}

static void show_note(http_request *request, job_status status) {
    const jobs_state *self = http_state(request);
    bool bare = self->result.len == 0;
    if (status == JOB_STATUS_DONE && bare) {
        reply_error(request, API_BUSY); /* too large for a note: the node that has it will answer */
        return;
    }
    show(request, &(job_view){
                      .status = status,
                      .progress = status == JOB_STATUS_DONE ? 100 : 0,
                      .result = bare ? NULL : self->result.data,
                      .result_len = self->result.len,
                  });
}

/* The store could not be asked. */
static void refuse(http_request *request) {
    const jobs_state *self = http_state(request);
    reply_error(request, self->op.result == STORE_BUSY ? API_BUSY : API_INTERNAL);
}

static void look(http_request *request);

static void cancelled(http_request *request) {
    jobs_state *self = http_state(request);
    if (self->op.result == STORE_CONFLICT) {
        look(request); /* it has ended, or was cancelled, in between */
    } else if (self->op.result != STORE_OK) {
        refuse(request);
    } else {
        show_note(request, JOB_STATUS_CANCELLED);
    }
}

static void cancel(http_request *request) {
    jobs_state *self = http_state(request);
    int64_t version = self->op.note.version;
    store_op_clear(&self->op);
    self->op = (store_op){.kind = STORE_NOTE_PUT};
    if (job_note_put(&self->op, self->id, version, JOB_STATUS_CANCELLED, NULL, 0,
                     clock_unix_ms() + JOBS_TABLE_KEPT_MS)) {
        store_wait(request, &self->op, cancelled);
    } else {
        reply_error(request, API_INTERNAL);
    }
}

static void looked(http_request *request) {
    jobs_state *self = http_state(request);
    job_status status = JOB_STATUS_QUEUED;
    arx_buf_free(&self->result);
    bool noted =
        self->op.result == STORE_OK && job_note_read(&self->op, self->id, &status, &self->result);
    if (arx_buf_result(&self->result) != ARX_OK) {
        reply_error(request, API_INTERNAL);
    } else if (noted && status == JOB_STATUS_CANCELLED && self->entry != NULL) {
        job_entry_cancel(self->entry, clock_monotonic_ms()); /* another node was asked to */
        show_note(request, status);
    } else if (self->entry != NULL) {
        show_entry(request);
    } else if (noted && self->cancel && status < JOB_STATUS_DONE) {
        cancel(request);
    } else if (noted) {
        show_note(request, status);
    } else if (self->op.result == STORE_OK || self->op.result == STORE_NOT_FOUND) {
        reply_error(request, API_NO_JOB);
    } else {
        refuse(request);
    }
}

static void look(http_request *request) {
    jobs_state *self = http_state(request);
    store_op_clear(&self->op);
    self->op = (store_op){0};
    job_note_get(&self->op, self->id);
    store_wait(request, &self->op, looked);
}

static bool has_ended(job_entry *entry) {
    job_view view;
    job_entry_look(entry, &view);
    return view.status >= JOB_STATUS_DONE;
}

static void begin(http_request *request, bool cancels) {
    const service *server = http_service(request);
    jobs_state *self = calloc(1, sizeof *self);
    if (self == NULL) {
        reply_error(request, API_INTERNAL);
        return;
    }
    http_set_state(request, self, free_state);
    self->cancel = cancels;
    if (!id_parse(http_segment(request, 2), self->id)) {
        reply_error(request, API_NO_JOB);
        return;
    }
    self->entry = jobs_table_find(server->encodes, self->id, clock_monotonic_ms());
    if (self->entry != NULL && cancels) {
        job_entry_cancel(self->entry, clock_monotonic_ms());
    }
    if (self->entry != NULL && (cancels || has_ended(self->entry))) {
        show_entry(request);
    } else {
        look(request);
    }
}

void api_jobs_get(http_request *request) {
    begin(request, false);
}

void api_jobs_cancel(http_request *request) {
    begin(request, true);
}
