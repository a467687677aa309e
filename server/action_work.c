/* action_work.c - see action_work.h. */
#include "action_work.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void action_work_free(void *state) {
    action_work *self = state;
    store_op_clear(&self->op);
    free(self);
}

void *action_work_new(http_request *work, action_call *call, size_t size,
                      void (*free_state)(void *)) {
    action_work *self = calloc(1, size);
    if (self == NULL) {
        action_fail_result(call, API_INTERNAL, NULL);
        return NULL;
    }
    self->call = call;
    http_set_state(work, self, free_state);
    return self;
}

/* On the store's thread, within the transaction; nothing else touches the call meanwhile. */
static bool record_outcome(store_op *op) {
    action_work *self = (action_work *)(void *)((char *)op - offsetof(action_work, op));
    action_call *call = self->call;
    arx_buf outcome;
    arx_buf_init(&outcome, 0);
    arx_buf_clear(&call->data);
    self->write(self);
    action_write_outcome(call, call->action->async, false, &outcome);
    bool recorded = idempotency_record(&call->same, 200, &outcome, op);
    arx_buf_free(&outcome);
    return recorded;
}

static void written(http_request *work) {
    action_work *self = http_state(work);
    action_call *call = self->call;
    api_result result = store_outcome(&self->op);
    if (self->op.result == STORE_CONFLICT) {
        call->repeated = self->op.recorded; /* or the row has changed: the record will tell */
        action_fail(call, "app:conflict", "The link has changed since then: read it again.");
    } else if (result != API_OK) {
        action_fail_result(call, result, NULL);
    } else if (self->op.recorded) {
        call->recorded = true;
    } else {
        self->write(self);
    }
}

void action_work_write(http_request *work) {
    action_work *self = http_state(work);
    if (self->call->same.key != NULL) {
        idempotency_attach(&self->call->same, &self->op);
        self->op.render = record_outcome;
    }
    store_wait(work, &self->op, written);
}

static void remembered(http_request *work) {
    action_work *self = http_state(work);
    self->call->recorded = self->op.result == STORE_OK;
    if (!self->call->recorded) {
        arx_buf_clear(&self->call->data);
        self->write(self);
    }
}

void action_work_remember(http_request *work) {
    action_work *self = http_state(work);
    if (self->call->same.key == NULL) {
        self->write(self);
        return;
    }
    self->op.kind = STORE_REMEMBER;
    idempotency_attach(&self->call->same, &self->op);
    self->op.render = record_outcome;
    store_wait(work, &self->op, remembered);
}

static void waited(http_request *work) {
    action_work *self = http_state(work);
    api_result result = store_outcome(&self->op);
    if (result != API_OK) {
        action_fail_result(self->call, result, NULL);
    } else {
        self->next(work);
    }
}

void action_work_wait(http_request *work, http_handler *next) {
    action_work *self = http_state(work);
    self->next = next;
    store_wait(work, &self->op, waited);
}

/* ---- failures ---- */

/* What a result of REST is called here; those that are not in it are INTERNAL_ERROR. */
static const struct {
    api_result result;
    const char *code;
} codes[] = {
    {API_NO_ARTIFACT, "app:link_not_found"},
    {API_NOTHING_TO_DELETE, "app:link_not_found"},
    {API_UNAUTHORIZED, "app:link_not_found"}, /* another's link is not there */
    {API_ARTIFACT_GONE, "app:expired"},
    {API_NO_SUCH_ARTIFACT, "NOT_FOUND"},
    {API_BUSY, "app:busy"},
    {API_STOPPING, "app:busy"},
    {API_DEADLINE, "TIMEOUT"},
    {API_PAYLOAD_TOO_LONG, "app:too_large"},
    {API_UNDECODABLE_TOO_LARGE, "app:too_large"},
    {API_UNDECODABLE_DECODED_TOO_LARGE, "app:too_large"},
    {API_ASSET_UNAVAILABLE, "app:unsupported_codec"},
    {API_INVALID_BODY, "VALIDATION_ERROR"},
    {API_INVALID_OPTION, "VALIDATION_ERROR"},
    {API_NO_SUCH_SET, "VALIDATION_ERROR"},
    {API_PAYLOAD_NOT_STRING, "VALIDATION_ERROR"},
    {API_PAYLOAD_EMPTY, "VALIDATION_ERROR"},
    {API_UNDECODABLE_EMPTY, "VALIDATION_ERROR"},
    {API_UNDECODABLE_MISSING_KEY, "VALIDATION_ERROR"},
    {API_UNDECODABLE_FORMAT, "VALIDATION_ERROR"},
    {API_UNDECODABLE_JSON, "VALIDATION_ERROR"},
    {API_INVALID_ENVELOPE, "VALIDATION_ERROR"},
    {API_NO_CANDIDATES, "VALIDATION_ERROR"},
    {API_INTERNAL, "ACTION_EXECUTION_ERROR"},
    {API_STORE_FAILED, "ACTION_EXECUTION_ERROR"},
    {API_LOAD_FAILED, "ACTION_EXECUTION_ERROR"},
};

void action_fail(action_call *call, const char *code, const char *sentence) {
    call->code = code;
    arx_buf_clear(&call->data);
    arx_buf_clear(&call->message);
    arx_buf_clear(&call->details);
    arx_buf_append_str(&call->message, sentence);
}

void action_fail_result(action_call *call, api_result result, const arx_buf *message) {
    const api_row *row = api_row_of(result);
    const char *code = "INTERNAL_ERROR";
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        code = codes[i].result == result ? codes[i].code : code;
    }
    bool says = message != NULL && message->len > 0;
    action_fail(call, code, says ? "" : row->text != NULL ? row->text : row->code);
    if (says) {
        arx_buf_append(&call->message, message->data, message->len);
    }
    if (row->retry_after_s > 0) {
        fields_begin(&call->details);
        field_count(&call->details, "retry_after_ms", (uint64_t)row->retry_after_s * 1000);
        fields_end(&call->details);
    }
}

void action_fail_codec(action_call *call, api_result result, const arx_error *error) {
    action_fail_result(call, result, error->code != ARX_CODE_OK ? &error->message : NULL);
    if (error->code == ARX_CODE_DECODED_TOO_LARGE || error->code == ARX_CODE_TOO_LARGE) {
        fields_begin(&call->details);
        field_count(&call->details, "limit",
                    error->code == ARX_CODE_TOO_LARGE ? ARX_FRAGMENT_BUDGET_UNITS
                                                      : ARX_DECODED_MAX_UNITS);
        fields_end(&call->details);
    }
}

void action_fail_invalid(action_call *call, const char *path, const char *sentence) {
    action_fail(call, "VALIDATION_ERROR", sentence);
    fields_begin(&call->details);
    field_text(&call->details, "path", path);
    fields_end(&call->details);
}

void action_fail_large(action_call *call, size_t limit, size_t actual, const char *sentence) {
    action_fail(call, "app:too_large", sentence);
    fields_begin(&call->details);
    field_count(&call->details, "limit", limit);
    field_count(&call->details, "actual", actual);
    fields_end(&call->details);
}
