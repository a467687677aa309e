/* artifact_reply.c - see artifact_reply.h. */
#include "artifact_reply.h"

#include <string.h>

#include "ids.h"
#include "link.h"

static void field_set(arx_buf *out, const store_artifact *artifact) {
    field_text(out, "asset_set", artifact->asset_set[0] != '\0' ? artifact->asset_set : NULL);
}

void artifact_write_row(const store_artifact *artifact, arx_buf *out) {
    char id[ID_LONG_CHARS + 1];
    id_format_long(artifact->id, id);
    fields_begin(out);
    field_text(out, "id", id);
    field_string(out, "payload", (const uint8_t *)artifact->payload, artifact->payload_len);
    field_time(out, "created_at", artifact->created_at_ms);
    field_time(out, "updated_at", artifact->updated_at_ms);
    field_time(out, "last_viewed_at", artifact->last_viewed_at_ms);
    field_time(out, "expires_at", artifact->expires_at_ms);
    field_text(out, "codec", artifact->codec);
    field_set(out, artifact);
    field_text(out, "kind", artifact->kind);
    field_text(out, "title", artifact->title);
    field_count(out, "ttl_seconds", (uint64_t)(artifact->ttl_ms / 1000));
    field_count(out, "views", (uint64_t)artifact->views);
    fields_end(out);
}

/* Appends a member whose value is a URL: the origin, a slash, the id in one of its forms, a tail.
 */
static void field_url(arx_buf *out, const char *name, const char *origin, const char *id,
                      const char *tail) {
    arx_buf url;
    arx_buf_init(&url, 0);
    arx_buf_append_str(&url, origin);
    arx_buf_append_byte(&url, '/');
    arx_buf_append_str(&url, id);
    arx_buf_append_str(&url, tail);
    if (arx_buf_result(&url) == ARX_OK) {
        field_string(out, name, url.data, url.len);
    } else {
        out->status = ARX_NO_MEMORY;
    }
    arx_buf_free(&url);
}

/* `[title](url)`; without a title the URL stands for it. */
static void field_markdown(arx_buf *out, const char *title, const char *origin, const char *id) {
    arx_buf url;
    arx_buf link;
    arx_buf_init(&url, 0);
    arx_buf_init(&link, 0);
    arx_buf_append_str(&url, origin);
    arx_buf_append_byte(&url, '/');
    arx_buf_append_str(&url, id);
    if (arx_buf_result(&url) == ARX_OK) {
        arx_markdown_link((const uint8_t *)title, title != NULL ? strlen(title) : 0, url.data,
                          url.len, &link);
    }
    if (arx_buf_result(&url) == ARX_OK && arx_buf_result(&link) == ARX_OK) {
        field_string(out, "markdown_link", link.data, link.len);
    } else {
        out->status = ARX_NO_MEMORY;
    }
    arx_buf_free(&link);
    arx_buf_free(&url);
}

void artifact_write_raw_url(const store_artifact *artifact, const char *origin, arx_buf *out) {
    char id[ID_LONG_CHARS + 1];
    id_format_long(artifact->id, id);
    field_url(out, "raw_url", origin, id, "/raw");
}

void artifact_write_urls(const store_artifact *artifact, const char *origin, arx_buf *out) {
    char id[ID_LONG_CHARS + 1];
    char short_id[ID_SHORT_CHARS + 1];
    id_format_long(artifact->id, id);
    id_format_short(artifact->id, short_id);
    field_url(out, "url", origin, id, "");
    field_url(out, "short_url", origin, short_id, "");
    artifact_write_raw_url(artifact, origin, out);
    field_markdown(out, artifact->title, origin, id);
}

void artifact_write_created(const store_artifact *artifact, const char *edit_key,
                            const char *origin, const char *warning, arx_buf *out) {
    char id[ID_LONG_CHARS + 1];
    id_format_long(artifact->id, id);
    fields_begin(out);
    field_text(out, "id", id);
    field_time(out, "expires_at", artifact->expires_at_ms);
    artifact_write_urls(artifact, origin, out);
    field_text(out, "codec", artifact->codec);
    field_text(out, "edit_key", edit_key);
    field_name(out, "warnings");
    list_begin(out);
    if (warning != NULL) {
        list_item(out);
        arx_json_write_string((const uint8_t *)warning, strlen(warning), out);
    }
    list_end(out);
    fields_end(out);
}
