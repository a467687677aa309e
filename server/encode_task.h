/*
 * encode_task.h - one POST /encode: what its body asks for, the work, and the answer.
 *
 * The members of arx_encode_request and, ours, `store` with link_options.h's, and `async`. Pure but
 * for the work inside; made on an event thread, it may be finished on another.
 */
#ifndef ARXD_ENCODE_TASK_H
#define ARXD_ENCODE_TASK_H

#include "body.h"
#include "encode_work.h"
#include "link_options.h"

typedef struct encode_task {
    body body;
    arx_encode_request wanted; /* nodes of body.doc */
    bool store;
    bool async;
    link_options link; /* with `store` */
    encode_work work;
} encode_task;

/* Reads a body. API_OK, or what to answer; `message` as for reply_error_message(). */
api_result encode_task_read(const server_config *config, const uint8_t *bytes, size_t len,
                            encode_task *task, arx_buf *message);
/* NULL is fine; frees the struct too. */
void encode_task_free(encode_task *task);

/* What its maker is told of text that was mended, or NULL. */
const char *encode_task_warning(const encode_task *task);

/*
 * Appends the answer, once the work has been gathered. origin: for links, unless the body names a
 * base. artifact: the 201's object of the link that was stored, or NULL.
 */
void encode_task_answer(const encode_task *task, const char *origin, const arx_buf *artifact,
                        arx_buf *out);

#endif
