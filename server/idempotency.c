/* idempotency.c - see idempotency.h. */
#include "idempotency.h"

#include <stdlib.h>
#include <string.h>

api_result idempotency_init(http_request *request, const auth_caller *caller, idempotency *of) {
    *of = (idempotency){.key = http_header(request, "Idempotency-Key")};
    if (of->key == NULL) {
        return API_OK;
    }
    size_t len = strlen(of->key);
    if (len > REQUEST_KEY_MAX || len < (caller->has_token ? 1 : REQUEST_KEY_MIN_UNSIGNED)) {
        return API_REQUEST_KEY;
    }
    static const char purpose[] = "arxd request";
    const secret_piece asked[] = {
        {purpose, sizeof purpose - 1},
        {caller->hash, caller->has_token ? sizeof caller->hash : 0},
        {of->key, len},
    };
    secret_hash_pieces(asked, sizeof asked / sizeof asked[0], of->scope);

    size_t body_len;
    const uint8_t *body = http_body(request, &body_len);
    const char *target = http_target_text(request);
    const secret_piece said[] = {{target, strlen(target)}, {body, body_len}};
    secret_hash_pieces(said, sizeof said / sizeof said[0], of->body_hash);
    return API_OK;
}

void idempotency_recall(http_request *request, const idempotency *of, store_op *op,
                        http_handler *next) {
    op->kind = STORE_RECALL;
    memcpy(op->record.scope, of->scope, sizeof op->record.scope);
    store_wait(request, op, next);
}

api_result idempotency_recalled(const idempotency *of, const store_op *op, unsigned *status,
                                arx_buf *answer) {
    *status = 0;
    if (op->result == STORE_NOT_FOUND) {
        return API_OK;
    }
    api_result result = store_outcome(op);
    if (result != API_OK) {
        return result;
    }
    if (!secret_equal(of->body_hash, op->record.body_hash)) {
        return API_REQUEST_KEY_USED;
    }
    if (!secret_open(of->key, of->scope, (const uint8_t *)op->record.response,
                     op->record.response_len, answer) ||
        arx_buf_result(answer) != ARX_OK) {
        return API_INTERNAL;
    }
    *status = op->record.status;
    return API_OK;
}

void idempotency_attach(const idempotency *of, store_op *op) {
    op->recorded = true;
    memcpy(op->record.scope, of->scope, sizeof op->record.scope);
    memcpy(op->record.body_hash, of->body_hash, sizeof op->record.body_hash);
}

bool idempotency_record(const idempotency *of, unsigned status, const arx_buf *answer,
                        store_op *op) {
    arx_buf sealed;
    arx_buf_init(&sealed, 0);
    if (arx_buf_result(answer) != ARX_OK ||
        !secret_seal(of->key, of->scope, answer->data, answer->len, &sealed)) {
        arx_buf_free(&sealed);
        return false;
    }
    idempotency_attach(of, op);
    size_t len;
    char *response = (char *)arx_buf_take(&sealed, &len);
    if (response == NULL) {
        return false;
    }
    free(op->record.response); /* of a render() before this one */
    op->record.status = status;
    op->record.response = response;
    op->record.response_len = len;
    return true;
}
