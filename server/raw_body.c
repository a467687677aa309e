/* raw_body.c - see raw_body.h. */
#include "raw_body.h"

#include <stdlib.h>
#include <string.h>

#include "disposition.h"
#include "text.h"

/* What the cache keeps. */
typedef struct raw_body {
    arx_buf text;
    char *filename;
} raw_body;

static void free_raw_body(void *value) {
    raw_body *body = value;
    arx_buf_free(&body->text);
    free(body->filename);
    free(body);
}

/* NULL without memory. */
static raw_body *make_body(const arx_json *artifact) {
    raw_body *body = calloc(1, sizeof *body);
    if (body == NULL) {
        return NULL;
    }
    arx_buf_init(&body->text, 0);
    arx_artifact_body(artifact, &body->text);
    arx_text_mend_surrogates(body->text.data, body->text.len);
    body->filename = disposition_filename(artifact);
    if (arx_buf_result(&body->text) != ARX_OK || body->filename == NULL) {
        free_raw_body(body);
        return NULL;
    }
    return body;
}

raw_entry *raw_body_find(raw_cache *cache, const store_artifact *row, const char *part) {
    return raw_cache_get(cache, row->id, row->updated_at_ms, part);
}

api_result raw_body_make(raw_cache *cache, const store_artifact *row, const char *part,
                         const arx_json *envelope, raw_entry **entry) {
    const arx_json *artifact =
        part[0] == '\0' ? arx_envelope_active(envelope)
                        : arx_envelope_find(envelope, (const uint8_t *)part, strlen(part));
    if (artifact == NULL) {
        return API_NO_SUCH_ARTIFACT;
    }
    raw_body *body = make_body(artifact);
    if (body == NULL) {
        return API_INTERNAL;
    }
    size_t bytes = sizeof *body + body->text.cap + strlen(body->filename) + 1;
    *entry = raw_cache_put(cache, row->id, row->updated_at_ms, part, body, bytes, free_raw_body);
    if (*entry == NULL) {
        free_raw_body(body);
        return API_INTERNAL;
    }
    return API_OK;
}

void raw_body_send(http_request *request, const raw_entry *entry, const char *content_type) {
    const raw_body *body = raw_entry_value(entry);
    arx_buf disposition;
    arx_buf_init(&disposition, 0);
    disposition_write(body->filename, http_query(request, "download") != NULL, &disposition);
    size_t len;
    char *value = (char *)arx_buf_take(&disposition, &len);
    if (value == NULL) {
        reply_error_plain(request, API_INTERNAL);
        return;
    }
    http_add_header(request, "Content-Disposition", value);
    http_add_header(request, "Content-Security-Policy", "sandbox; default-src 'none'");
    free(value);
    const http_part part = {body->text.data, body->text.len};
    http_send_parts(request, 200, content_type, &part, 1, NULL);
}
