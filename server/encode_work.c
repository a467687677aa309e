/* encode_work.c - see encode_work.h. */
#include "encode_work.h"

static void run_candidate(void *arg, size_t i, arx_coder *coder) {
    const encode_work *work = arg;
    arx_plan_run(work->plan, work->order[i], coder);
}

/* By falling cost, so that the mixer does not start when everything else has finished. */
static void sort_by_cost(encode_work *work, size_t tasks) {
    for (size_t i = 0; i < tasks; i++) {
        size_t at = i;
        while (at > 0 &&
               arx_plan_cost(work->plan, work->order[at - 1]) < arx_plan_cost(work->plan, i)) {
            work->order[at] = work->order[at - 1];
            at--;
        }
        work->order[at] = i;
    }
}

api_result encode_work_start(http_request *request, encode_work *work, const arx_assets *assets,
                             const arx_json *envelope, const arx_encode_options *options,
                             http_handler *next) {
    work->assets = assets;
    arx_code code = arx_plan_create(assets, envelope, options, &work->plan, &work->error);
    if (code != ARX_CODE_OK) {
        return api_result_of_code(code);
    }
    size_t tasks = arx_plan_tasks(work->plan);
    sort_by_cost(work, tasks);
    work->job = (request_job){.tasks = tasks, .run = run_candidate, .arg = work};
    return job_wait(request, &work->job, next);
}

api_result encode_work_finish(encode_work *work) {
    if (work->job.result != API_OK) {
        return work->job.result;
    }
    return api_result_of_code(arx_plan_finish(work->plan, &work->encoded, &work->error));
}

void encode_work_refuse(http_request *request, const encode_work *work, api_result result) {
    if (work->error.code != ARX_CODE_OK) {
        reply_codec_error(request, &work->error);
    } else {
        reply_error(request, result);
    }
}

void encode_work_free(encode_work *work) {
    arx_plan_free(work->plan);
    arx_encoded_free(&work->encoded);
    arx_error_free(&work->error);
    *work = (encode_work){0};
}
