/* encode_task.c - see encode_task.h. */
#include "encode_task.h"

#include <stdlib.h>
#include <string.h>

#include "encode_result.h"

#define TOO_LONG_WARNING                                                                           \
    "The fragment decodes to more than 200,000 characters, which no viewer opens."

api_result encode_task_read(const server_config *config, const uint8_t *bytes, size_t len,
                            encode_task *task, arx_buf *message) {
    body_result parsed = body_parse(bytes, len, &task->body);
    const arx_json *value = parsed == BODY_OK ? body_codec_value(&task->body) : NULL;
    if (value == NULL) {
        return parsed == BODY_INVALID ? API_INVALID_BODY : API_INTERNAL;
    }
    api_result result = api_result_of_request(
        arx_encode_request_read(task->body.doc, value, &task->wanted, message));
    const json_t *root = task->body.root;
    if (result == API_OK) {
        result = link_options_read_flag(root, "store", &task->store, message);
    }
    if (result == API_OK) {
        result = link_options_read_flag(root, "async", &task->async, message);
    }
    if (result == API_OK && task->store) {
        result = link_options_read(config, root, &task->link, message);
    }
    return result;
}

void encode_task_free(encode_task *task) {
    if (task != NULL) {
        encode_work_free(&task->work);
        body_free(&task->body);
        free(task);
    }
}

const char *encode_task_warning(const encode_task *task) {
    return task->body.mended > 0 ? BODY_MENDED_WARNING : NULL;
}

void encode_task_answer(const encode_task *task, const char *origin, const arx_buf *artifact,
                        arx_buf *out) {
    const arx_encode_request *wanted = &task->wanted;
    const char *warnings[2];
    size_t warning_count = 0;
    if (encode_task_warning(task) != NULL) {
        warnings[warning_count++] = encode_task_warning(task);
    }
    if (task->work.too_long) {
        warnings[warning_count++] = TOO_LONG_WARNING;
    }
    const uint8_t *base = wanted->base_url;
    size_t base_len = wanted->base_url_len;
    if (base == NULL) {
        base = (const uint8_t *)origin;
        base_len = strlen(origin);
    }
    arx_link link = {0};
    if (arx_link_create(wanted->envelope, &task->work.encoded, base, base_len, wanted->label,
                        wanted->label_len, &link) != ARX_OK) {
        out->status = ARX_NO_MEMORY; /* the base was checked when it was read */
        return;
    }
    const arx_encode_result written = {
        .encoded = &task->work.encoded,
        .link = &link,
        .asset_set = arx_assets_id(task->work.assets),
        .warnings = warnings,
        .warning_count = warning_count,
    };
    fields_begin(out);
    arx_encode_result_write(&written, out);
    if (artifact != NULL) {
        field_name(out, "artifact");
        arx_buf_append(out, artifact->data, artifact->len);
    }
    fields_end(out);
    arx_link_free(&link);
}
