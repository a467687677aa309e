/* encode_work.c - see encode_work.h. */
#include "encode_work.h"

#include "text.h"

void encode_work_run(void *arg, size_t i, arx_coder *coder) {
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

api_result encode_work_plan(encode_work *work, const arx_assets *assets, const arx_json *envelope,
                            const arx_encode_options *options) {
    work->assets = assets;
    work->envelope = envelope;
    arx_code code = arx_plan_create(assets, envelope, options, &work->plan, &work->error);
    if (code == ARX_CODE_OK) {
        sort_by_cost(work, arx_plan_tasks(work->plan));
    }
    return api_result_of_code(code);
}

size_t encode_work_tasks(const encode_work *work) {
    return arx_plan_tasks(work->plan);
}

/* Measures the text the winner decodes to. */
static arx_result measure(encode_work *work) {
    const arx_candidate *winner = &work->encoded.winner;
    arx_buf text;
    arx_buf_init(&text, 0);
    if (winner->codec >= ARX_CODEC_ARX2) {
        arx_envelope_write_tuple(work->envelope, &text);
    } else if (winner->packed) {
        arx_envelope_write_packed(work->envelope, winner->codec, &text);
    } else {
        arx_envelope_write_unpacked(work->envelope, winner->codec, &text);
    }
    arx_result result = arx_buf_result(&text);
    work->too_long = arx_text_units_exceed(text.data, text.len, ARX_DECODED_MAX_UNITS);
    arx_buf_free(&text);
    return result;
}

api_result encode_work_gather(encode_work *work) {
    arx_code code = arx_plan_finish(work->plan, &work->encoded, &work->error);
    if (code == ARX_CODE_OK && measure(work) != ARX_OK) {
        code = ARX_CODE_NO_MEMORY;
    }
    encode_work_count(work, api_result_of_code(code));
    return api_result_of_code(code);
}

void encode_work_count(const encode_work *work, api_result result) {
    metrics_job(JOB_ENCODE, result == API_OK ? (size_t)work->encoded.winner.codec : METRICS_CODECS,
                job_outcome_of(result));
}

api_result encode_work_start(http_request *request, encode_work *work, const arx_assets *assets,
                             const arx_json *envelope, const arx_encode_options *options,
                             http_handler *next) {
    api_result result = encode_work_plan(work, assets, envelope, options);
    if (result != API_OK) {
        return result;
    }
    work->job =
        (request_job){.tasks = encode_work_tasks(work), .run = encode_work_run, .arg = work};
    result = job_wait(request, &work->job, next);
    if (result != API_OK) {
        encode_work_count(work, result);
    }
    return result;
}

api_result encode_work_finish(encode_work *work) {
    if (work->job.result != API_OK) {
        encode_work_count(work, work->job.result);
        return work->job.result;
    }
    return encode_work_gather(work);
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
