/*
 * decode_work.h - a decode on the worker pool, with the asset set the fragment names or, where it
 * names none, with each known set in turn.
 *
 * Embedded in a handler's state, which must stay where it is until `next` runs.
 */
#ifndef ARXD_DECODE_WORK_H
#define ARXD_DECODE_WORK_H

#include "decode_sets.h"
#include "request.h"

typedef struct decode_work {
    request_job job;
    const uint8_t *fragment; /* borrowed until the work has ended */
    size_t fragment_len;
    bool skip_budget;
    const arx_assets *named; /* the one set to use, or NULL */
    const arx_assets *const *sets;
    size_t set_count;
    /* Out, in `next` */
    arx_code code;
    size_t used; /* index in sets */
    arx_decoded decoded;
    arx_error error;
} decode_work;

/*
 * Queues the decode of `fragment`. set: a set's id, or "" or NULL for none. API_OK: the request
 * waits for `next`; API_NO_SUCH_SET; else the pool's answer.
 */
api_result decode_work_start(http_request *request, decode_work *work, const uint8_t *fragment,
                             size_t len, const char *set, bool skip_budget, http_handler *next);
/* In `next`: API_OK when `decoded` is filled. */
api_result decode_work_finish(const decode_work *work);
/* Replies for a result other than API_OK of either, as JSON or as a line of text. */
void decode_work_refuse(http_request *request, const decode_work *work, api_result result);
void decode_work_refuse_plain(http_request *request, const decode_work *work, api_result result);
void decode_work_free(decode_work *work);

#endif
