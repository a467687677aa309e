/* decode_work.c - see decode_work.h. */
#include "decode_work.h"

#include "asset_sets.h"

static void run_decode(void *arg, size_t i, arx_coder *coder) {
    (void)i;
    decode_work *work = arg;
    work->code =
        arx_decode_sets(coder, work->sets, work->set_count, work->fragment, work->fragment_len,
                        work->skip_budget, &work->used, &work->decoded, &work->error);
}

api_result decode_work_start(http_request *request, decode_work *work, const uint8_t *fragment,
                             size_t len, const char *set, bool skip_budget, http_handler *next) {
    const service *self = http_service(request);
    work->fragment = fragment;
    work->fragment_len = len;
    work->skip_budget = skip_budget;
    if (set != NULL && *set != '\0') {
        work->named = asset_sets_find(self->sets, set);
        if (work->named == NULL) {
            return API_NO_SUCH_SET;
        }
        work->sets = &work->named;
        work->set_count = 1;
    } else {
        work->sets = asset_sets_all(self->sets, &work->set_count);
    }
    work->job = (request_job){.tasks = 1, .run = run_decode, .arg = work};
    api_result result = job_wait(request, &work->job, next);
    if (result != API_OK) {
        metrics_job(JOB_DECODE, METRICS_CODECS, job_outcome_of(result));
    }
    return result;
}

api_result decode_work_finish(const decode_work *work) {
    api_result result =
        work->job.result != API_OK ? work->job.result : api_result_of_code(work->code);
    metrics_job(JOB_DECODE, result == API_OK ? (size_t)work->decoded.codec : METRICS_CODECS,
                job_outcome_of(result));
    return result;
}

void decode_work_refuse(http_request *request, const decode_work *work, api_result result) {
    if (work->error.code != ARX_CODE_OK) {
        reply_codec_error(request, &work->error);
    } else {
        reply_error(request, result);
    }
}

void decode_work_refuse_plain(http_request *request, const decode_work *work, api_result result) {
    if (work->error.code != ARX_CODE_OK) {
        reply_codec_error_plain(request, &work->error);
    } else {
        reply_error_plain(request, result);
    }
}

void decode_work_free(decode_work *work) {
    arx_decoded_free(&work->decoded);
    arx_error_free(&work->error);
}
