/*
 * encode_work.h - an encode on the worker pool: one task a candidate codec, the longest first.
 *
 * Embedded in a handler's state, which must stay where it is until `next` runs.
 */
#ifndef ARXD_ENCODE_WORK_H
#define ARXD_ENCODE_WORK_H

#include "request.h"
#include "select.h"

typedef struct encode_work {
    request_job job;
    arx_plan *plan;
    size_t order[ARX_CODEC_COUNT]; /* tasks by falling cost */
    const arx_assets *assets;
    const arx_json *envelope;
    /* Out, after encode_work_finish() */
    arx_encoded encoded;
    bool too_long; /* no decoder takes a text of that length: the fragment is one nobody can open */
    arx_error error;
} encode_work;

/*
 * Plans without queueing, for those who run the tasks otherwise than for a waiting request. The
 * envelope and what it points to are read until the work has ended.
 */
api_result encode_work_plan(encode_work *work, const arx_assets *assets, const arx_json *envelope,
                            const arx_encode_options *options);
size_t encode_work_tasks(const encode_work *work);
/* Runs task `i` of an encode_work: a job's `run`. */
void encode_work_run(void *work, size_t i, arx_coder *coder);
/* After every task has run: gathers the result. API_OK: `encoded` is filled. */
api_result encode_work_gather(encode_work *work);
/* For those who queue by themselves: counts a job that came to no encode_work_gather(). */
void encode_work_count(const encode_work *work, api_result result);

/*
 * Plans and queues. The envelope and what it points to are read until the work has ended. API_OK:
 * the request waits for `next`. Else the handler replies with encode_work_refuse().
 */
api_result encode_work_start(http_request *request, encode_work *work, const arx_assets *assets,
                             const arx_json *envelope, const arx_encode_options *options,
                             http_handler *next);
/* In `next`: the pool's answer, or encode_work_gather()'s. */
api_result encode_work_finish(encode_work *work);
/* Replies for a result other than API_OK of either. */
void encode_work_refuse(http_request *request, const encode_work *work, api_result result);
void encode_work_free(encode_work *work);

#endif
