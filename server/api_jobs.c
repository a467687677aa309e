/* api_jobs.c - GET and DELETE /encode/jobs/:id: how an encode nobody waited for stands. */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "clock.h"
#include "jobs_table.h"
#include "reply.h"
#include "service.h"

static void release_entry(void *entry) {
    job_entry_release(entry);
}

/* {"job", "status", "progress"} and, behind it, the result or the error. */
static void show(http_request *request, job_entry *entry) {
    job_view view;
    char id[ID_LONG_CHARS + 1];
    job_entry_look(entry, &view);
    id_format_long(job_entry_id(entry), id);
    arx_buf head;
    arx_buf_init(&head, 0);
    fields_begin(&head);
    field_text(&head, "job", id);
    field_text(&head, "status", job_status_name(view.status));
    if (view.status == JOB_STATUS_RUNNING || view.status == JOB_STATUS_DONE) {
        field_count(&head, "progress", view.progress);
    }
    if (view.status == JOB_STATUS_DONE) {
        field_name(&head, "result");
    } else if (view.result != NULL) {
        arx_buf_append_byte(&head, ',');
    }
    size_t len;
    uint8_t *owned = arx_buf_take(&head, &len);
    if (owned == NULL) {
        reply_error(request, API_INTERNAL);
        return;
    }
    /* The result is sent from the entry, which the request holds. */
    const http_part parts[] = {{owned, len}, {view.result, view.result_len}, {"}", 1}};
    http_send_parts(request, 200, CONTENT_JSON, parts, sizeof parts / sizeof parts[0], owned);
}

/* The path's entry, held by the request from here on. NULL with the reply made. */
static job_entry *find(http_request *request) {
    const service *server = http_service(request);
    uint8_t id[ID_BYTES];
    job_entry *entry = NULL;
    if (id_parse(http_segment(request, 2), id)) {
        entry = jobs_table_find(server->encodes, id, clock_monotonic_ms());
    }
    if (entry == NULL) {
        reply_error(request, API_NO_JOB);
    } else {
        http_set_state(request, entry, release_entry);
    }
    return entry;
}

void api_jobs_get(http_request *request) {
    job_entry *entry = find(request);
    if (entry != NULL) {
        show(request, entry);
    }
}

void api_jobs_cancel(http_request *request) {
    job_entry *entry = find(request);
    if (entry != NULL) {
        job_entry_cancel(entry, clock_monotonic_ms());
        show(request, entry);
    }
}
