/*
 * fuzz_encode.c - any bytes as the body of POST /encode.
 *
 * A body is refused with a stated result, or encoded as the daemon does. Then the answer is JSON,
 * and the fragment in it decodes to the envelope that was asked for, but for the codec's name.
 */
#include "fuzz.h"

#include "encode_task.h"

static arx_assets *assets;
static arx_coder *coder;
static server_config config;

static const char *no_variables(const char *name) {
    (void)name;
    return NULL;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    char name[] = "arxd";
    char *arguments[] = {name, NULL};
    char why[200];
    must(config_parse(&config, 1, arguments, no_variables, why, sizeof why) == CONFIG_RUN);
    assets = test_assets();
    coder = arx_coder_create(&arx_entropy_native, NULL);
    must(coder != NULL);
    return 0;
}

/* An envelope's text under another codec's name, to compare by. */
static void write_alike(const arx_json *envelope, arx_buf *out) {
    arx_envelope_write_tuple(envelope, out);
    must(arx_buf_result(out) == ARX_OK);
}

static void check_fragment(const encode_task *task, const uint8_t *fragment, size_t len) {
    arx_decoded decoded;
    arx_error error;
    arx_buf wanted = {0};
    arx_buf got = {0};
    must(arx_decode(coder, assets, fragment, len, true, &decoded, &error) == ARX_CODE_OK);
    write_alike(task->wanted.envelope, &wanted);
    write_alike(decoded.envelope, &got);
    must(same_bytes(wanted.data, wanted.len, got.data, got.len));
    arx_buf_free(&wanted);
    arx_buf_free(&got);
    arx_decoded_free(&decoded);
    arx_error_free(&error);
}

static void check_answer(const encode_task *task) {
    arx_buf answer = {0};
    arx_json_doc *doc;
    arx_json *value;
    encode_task_answer(task, "http://127.0.0.1:3000", NULL, &answer);
    must(arx_buf_result(&answer) == ARX_OK && arx_text_is_utf8(answer.data, answer.len));
    must(arx_json_parse(answer.data, answer.len, 0, &doc, &value) == ARX_OK);
    const arx_json *fragment = arx_json_get_string(value, "fragment");
    must(fragment != NULL &&
         same_bytes(fragment->as.string.data, fragment->as.string.len, task->work.encoded.fragment,
                    task->work.encoded.fragment_len));
    arx_json_doc_free(doc);
    arx_buf_free(&answer);
}

static void encode(encode_task *task) {
    encode_work *work = &task->work;
    if (encode_work_plan(work, assets, task->wanted.envelope, &task->wanted.options) != API_OK) {
        must(work->error.code != ARX_CODE_OK && work->error.code != ARX_CODE_NO_MEMORY);
        return;
    }
    for (size_t i = 0; i < encode_work_tasks(work); i++) {
        encode_work_run(work, i, coder);
    }
    if (encode_work_gather(work) != API_OK) {
        must(work->error.code == ARX_CODE_NO_CANDIDATES);
        return;
    }
    must(!work->too_long);
    check_answer(task);
    const arx_encoded *encoded = &work->encoded;
    check_fragment(task, encoded->fragment, encoded->fragment_len);
    if (encoded->url_fragment != NULL) {
        check_fragment(task, encoded->url_fragment, encoded->url_fragment_len);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    encode_task *task = calloc(1, sizeof *task);
    arx_buf message = {0};
    must(task != NULL);
    api_result result = encode_task_read(&config, data, size, task, &message);
    if (result == API_OK) {
        encode(task);
    } else {
        must(result == API_INVALID_BODY || message.len > 0);
    }
    encode_task_free(task);
    arx_buf_free(&message);
    return 0;
}
