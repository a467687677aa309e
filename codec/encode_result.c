/* encode_result.c - see encode_result.h. */
#include "encode_result.h"

#include <string.h>

/* ---- members: each starts with its comma, but for the first ---- */

static void key(const char *name, arx_buf *out) {
    arx_buf_append_str(out, ",\"");
    arx_buf_append_str(out, name);
    arx_buf_append_str(out, "\":");
}

static void string(const char *str, arx_buf *out) {
    arx_json_write_string((const uint8_t *)str, strlen(str), out);
}

static void member_text(const char *name, const uint8_t *text, size_t len, arx_buf *out) {
    key(name, out);
    arx_json_write_string(text, len, out);
}

static void member_buf(const char *name, const arx_buf *text, arx_buf *out) {
    member_text(name, text->data, text->len, out);
}

static void member_number(const char *name, size_t number, arx_buf *out) {
    key(name, out);
    arx_buf_append_u64(out, number);
}

static void member_bool(const char *name, bool value, arx_buf *out) {
    key(name, out);
    arx_buf_append_str(out, value ? "true" : "false");
}

static void member_wire(const arx_candidate *candidate, arx_buf *out) {
    key("wire", out);
    if (candidate->has_wire) {
        string(arx_wire_name(candidate->wire), out);
    } else {
        arx_buf_append_str(out, "null");
    }
}

static void member_prior(const arx_candidate *candidate, arx_buf *out) {
    key("prior", out);
    if (candidate->prior != '\0') {
        arx_json_write_string((const uint8_t *)&candidate->prior, 1, out);
    } else {
        arx_buf_append_str(out, "null");
    }
}

static void candidates(const arx_encoded *encoded, arx_buf *out) {
    key("candidates", out);
    arx_buf_append_byte(out, '[');
    for (size_t i = 0; i < encoded->candidate_count; i++) {
        const arx_candidate *candidate = &encoded->candidates[i];
        arx_buf_append_str(out, i == 0 ? "{\"codec\":" : ",{\"codec\":");
        string(arx_codec_name(candidate->codec), out);
        member_bool("packed", candidate->packed, out);
        member_wire(candidate, out);
        member_number("visibleLength", candidate->visible_units, out);
        member_number("transportLength", candidate->transport_units, out);
        arx_buf_append_byte(out, '}');
    }
    arx_buf_append_byte(out, ']');
}

static void warnings(const arx_encode_result *result, arx_buf *out) {
    key("warnings", out);
    arx_buf_append_byte(out, '[');
    for (size_t i = 0; i < result->warning_count; i++) {
        if (i > 0) {
            arx_buf_append_byte(out, ',');
        }
        string(result->warnings[i], out);
    }
    arx_buf_append_byte(out, ']');
}

/* What to do with a fragment that is too long for a link. */
static void hint(const arx_encoded *encoded, arx_buf *out) {
    arx_buf text;
    arx_buf_init(&text, 0);
    arx_budget_warning(encoded->winner.visible_units, &text);
    arx_buf_append_str(&text, " Send the same request to the server with \"store\": true to get a "
                              "short link instead.");
    member_buf("hint", &text, out);
    if (arx_buf_result(&text) != ARX_OK) {
        out->status = ARX_NO_MEMORY;
    }
    arx_buf_free(&text);
}

void arx_encode_result_write(const arx_encode_result *result, arx_buf *out) {
    const arx_encoded *encoded = result->encoded;
    const arx_link *link = result->link;
    arx_buf_append_str(out, "\"codec\":");
    string(arx_codec_name(encoded->winner.codec), out);
    member_wire(&encoded->winner, out);
    member_prior(&encoded->winner, out);
    member_bool("packed", encoded->winner.packed, out);
    member_text("fragment", encoded->fragment, encoded->fragment_len, out);
    member_buf("url", &link->url, out);
    member_buf("hash", &link->hash, out);
    member_buf("markdownUrl", &link->markdown_url, out);
    member_buf("markdownLink", &link->markdown_link, out);
    member_number("markdownLinkLength", link->markdown_link_units, out);
    if (link->discord_warning.len > 0) {
        member_buf("discordMarkdownLinkWarning", &link->discord_warning, out);
    } else {
        key("discordMarkdownLinkWarning", out);
        arx_buf_append_str(out, "null");
    }
    member_number("visibleLength", encoded->winner.visible_units, out);
    member_number("transportLength", encoded->winner.transport_units, out);
    member_bool("fitsFragmentBudget", encoded->fits_budget, out);
    member_bool("fitsTarget", encoded->fits_target, out);
    key("assetSet", out);
    string(result->asset_set, out);
    candidates(encoded, out);
    warnings(result, out);
    if (!encoded->fits_budget) {
        hint(encoded, out);
    }
}
