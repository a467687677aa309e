/* inspect_result.c - see inspect_result.h. */
#include "inspect_result.h"

#include <string.h>

#include "link.h" /* the limit alone */
#include "text.h"

static void key(const char *name, arx_buf *out) {
    arx_buf_append_str(out, ",\"");
    arx_buf_append_str(out, name);
    arx_buf_append_str(out, "\":");
}

/* A text, or null for NULL. */
static void member_str(const char *name, const char *str, arx_buf *out) {
    key(name, out);
    if (str != NULL) {
        arx_json_write_string((const uint8_t *)str, strlen(str), out);
    } else {
        arx_buf_append_str(out, "null");
    }
}

static void member_number(const char *name, size_t number, arx_buf *out) {
    key(name, out);
    arx_buf_append_u64(out, number);
}

static void member_bool(const char *name, bool value, arx_buf *out) {
    key(name, out);
    arx_buf_append_str(out, value ? "true" : "false");
}

void arx_carried_write(const arx_decoded *decoded, arx_buf *out) {
    const char prior[] = {decoded->prior, '\0'};
    const bool has_wire = decoded->codec >= ARX_CODEC_ARX;
    member_str("wire", has_wire ? arx_wire_name(decoded->wire) : NULL, out);
    member_str("prior", decoded->prior != '\0' ? prior : NULL, out);
    member_bool("packed", decoded->packed, out);
}

static void artifacts(const arx_json *envelope, arx_buf *out) {
    const arx_json *list = arx_json_get(envelope, "artifacts");
    key("artifacts", out);
    arx_buf_append_byte(out, '[');
    for (const arx_json *a = list->as.list.first; a != NULL; a = a->next) {
        arx_buf body;
        arx_buf_init(&body, 0);
        arx_artifact_body(a, &body);
        arx_buf_append_str(out, a == list->as.list.first ? "{\"id\":" : ",{\"id\":");
        arx_json_write(arx_json_get_string(a, "id"), out);
        member_str("kind", arx_kind_name(arx_artifact_kind(a)), out);
        member_number("length", arx_text_units(body.data, body.len), out);
        arx_buf_append_byte(out, '}');
        if (arx_buf_result(&body) != ARX_OK) {
            out->status = ARX_NO_MEMORY;
        }
        arx_buf_free(&body);
    }
    arx_buf_append_byte(out, ']');
}

void arx_inspection_write(const arx_inspection *inspection, arx_buf *out) {
    const arx_decoded *decoded = inspection->decoded;
    arx_buf_append_str(out, "\"codec\":\"");
    arx_buf_append_str(out, arx_codec_name(decoded->codec));
    arx_buf_append_byte(out, '"');
    member_bool("legacy", inspection->legacy, out);
    arx_carried_write(decoded, out);
    member_str("assetSet", inspection->asset_set, out);
    member_number("visibleLength", decoded->visible_units, out);
    member_number("transportLength", inspection->transport_units, out);
    member_number("codedBytes", decoded->coded_bytes, out);
    member_number("decodedLength", decoded->decoded_units, out);
    member_bool("fitsFragmentBudget", decoded->visible_units <= ARX_FRAGMENT_BUDGET_UNITS, out);
    member_number("markdownLinkLength", inspection->markdown_units, out);
    member_bool("fitsDiscord", inspection->markdown_units <= ARX_DISCORD_MAX_UNITS, out);
    artifacts(decoded->envelope, out);
}
