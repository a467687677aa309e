/* link_work.c - see link_work.h. */
#include "link_work.h"

#include <stddef.h>

#include "artifact_reply.h"
#include "ids.h"
#include "visit.h"

static void done(http_request *request, api_result result) {
    link_work *work = http_state(request);
    work->result = result;
    work->next(request);
}

/* The record is at hand, or is known not to be there. */
static void recalled(http_request *request) {
    link_work *work = http_state(request);
    arx_buf_clear(&work->answer);
    api_result result = idempotency_recalled(&work->same, &work->op, &work->status, &work->answer);
    store_op_clear(&work->op);
    done(request, result);
}

void link_work_begin(http_request *request, bool makes_link, http_handler *next) {
    link_work *work = http_state(request);
    work->next = next;
    work->caller = visit_of(request)->caller;
    api_result result = makes_link ? auth_create(request, &work->caller) : API_OK;
    if (result == API_OK && makes_link) {
        result = visit_draw(request, 1u << BUCKET_WRITE);
    }
    if (result == API_OK) {
        result = idempotency_init(request, &work->caller, &work->same);
    }
    if (result == API_OK && work->same.key != NULL) {
        idempotency_recall(request, &work->same, &work->op, recalled);
    } else {
        done(request, result);
    }
}

api_result link_row_init(store_op *op, const auth_caller *caller, const link_options *options,
                         char edit_key[EDIT_KEY_CHARS + 1]) {
    store_artifact *row = &op->artifact;
    op->kind = STORE_INSERT;
    if (!id_generate(row->id) || !secret_edit_key(edit_key)) {
        return API_INTERNAL;
    }
    row->has_edit_key = true;
    secret_hash(edit_key, EDIT_KEY_CHARS, row->edit_key_hash);
    auth_sign(caller, row);
    link_options_apply(options, op);
    return API_OK;
}

static void write_answer(link_work *work) {
    arx_buf_clear(&work->answer);
    artifact_write_created(&work->op.artifact, work->edit_key, work->origin, work->warning,
                           &work->answer);
}

/* On the store's thread, within the transaction: the event thread waits meanwhile. */
static bool record_answer(store_op *op) {
    link_work *work = (link_work *)(void *)((char *)op - offsetof(link_work, op));
    write_answer(work);
    return idempotency_record(&work->same, 201, &work->answer, op);
}

/* The same request, sent twice at once, was faster on its other connection. */
static void recall_instead(http_request *request) {
    link_work *work = http_state(request);
    work->op.recorded = false;
    store_op_clear(&work->op);
    idempotency_recall(request, &work->same, &work->op, recalled);
}

static void inserted(http_request *request) {
    link_work *work = http_state(request);
    if (work->op.result == STORE_CONFLICT) {
        recall_instead(request);
        return;
    }
    api_result result = store_outcome(&work->op);
    if (result == API_OK && !work->op.recorded) {
        write_answer(work);
    }
    if (result == API_OK && arx_buf_result(&work->answer) != ARX_OK) {
        result = API_INTERNAL;
    }
    done(request, result);
}

void link_work_insert(http_request *request, const link_options *options, const char *warning,
                      http_handler *next) {
    link_work *work = http_state(request);
    work->next = next;
    work->warning = warning;
    work->origin = http_origin(request);
    api_result result = link_row_init(&work->op, &work->caller, options, work->edit_key);
    if (result != API_OK || work->origin == NULL) {
        done(request, API_INTERNAL);
        return;
    }
    if (work->same.key != NULL) {
        idempotency_attach(&work->same, &work->op);
        work->op.render = record_answer;
    }
    store_wait(request, &work->op, inserted);
}

static void remembered(http_request *request) {
    link_work *work = http_state(request);
    if (work->op.result == STORE_CONFLICT) {
        recall_instead(request);
    } else {
        done(request, store_outcome(&work->op));
    }
}

void link_work_remember(http_request *request, unsigned status, http_handler *next) {
    link_work *work = http_state(request);
    work->next = next;
    if (work->same.key == NULL && !work->op.noted) {
        done(request, API_OK);
        return;
    }
    work->op.kind = work->same.key != NULL ? STORE_REMEMBER : STORE_NOTE_PUT;
    if (work->same.key == NULL ||
        idempotency_record(&work->same, status, &work->answer, &work->op)) {
        store_wait(request, &work->op, remembered);
    } else {
        done(request, API_INTERNAL);
    }
}

bool link_work_member(const link_work *work, const char *name, arx_buf *out) {
    arx_json_doc *doc;
    arx_json *answer;
    if (arx_json_parse(work->answer.data, work->answer.len, 0, &doc, &answer) != ARX_OK) {
        return false;
    }
    const arx_json *member = arx_json_get_string(answer, name);
    if (member != NULL) {
        arx_buf_append(out, member->as.string.data, member->as.string.len);
    }
    arx_json_doc_free(doc);
    return member != NULL;
}

void link_work_reply(http_request *request) {
    link_work *work = http_state(request);
    if (work->result != API_OK) {
        reply_error(request, work->result);
    } else {
        reply_json(request, 201, &work->answer);
    }
}

void link_work_free(link_work *work) {
    store_op_clear(&work->op);
    arx_buf_free(&work->answer);
}
