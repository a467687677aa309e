/* link.c - see link.h. */
#include "link.h"

#include <string.h>

#include "text.h"

/* A number with a comma before every third digit from the right. */
static void append_grouped(size_t number, arx_buf *out) {
    if (number >= 1000) {
        append_grouped(number / 1000, out); /* seven levels at most */
        arx_buf_append_byte(out, ',');
        for (size_t unit = 100; unit > 0; unit /= 10) {
            arx_buf_append_byte(out, (uint8_t)('0' + number / unit % 10));
        }
    } else {
        arx_buf_append_u64(out, number);
    }
}

void arx_discord_warning(size_t units, arx_buf *out) {
    if (units <= ARX_DISCORD_MAX_UNITS) {
        return;
    }
    arx_buf_append_str(out, "This markdown link is ");
    append_grouped(units, out);
    arx_buf_append_str(out, " characters, which exceeds Discord's ");
    append_grouped(ARX_DISCORD_MAX_UNITS, out);
    arx_buf_append_str(out,
                       " character message limit. Split the bundle into smaller artifacts and send "
                       "separate markdown links in multiple Discord messages.");
}

void arx_budget_warning(size_t units, arx_buf *out) {
    if (units <= ARX_FRAGMENT_BUDGET_UNITS) {
        return;
    }
    arx_buf_append_str(out, "This link needs ");
    append_grouped(units, out);
    arx_buf_append_str(out, " fragment characters, which is over the ");
    append_grouped(ARX_FRAGMENT_BUDGET_UNITS, out);
    arx_buf_append_str(out, " character limit.");
}

/* ---- Markdown ---- */

static bool needs_brackets(const uint8_t *url, size_t len) {
    for (size_t pos = 0; pos < len;) {
        uint32_t c = arx_text_next(url, len, &pos);
        if (c == '(' || c == ')' || arx_text_is_space(c)) {
            return true;
        }
    }
    return false;
}

static void append_destination(const uint8_t *url, size_t len, arx_buf *out) {
    if (!needs_brackets(url, len)) {
        arx_buf_append(out, url, len);
        return;
    }
    arx_buf_append_byte(out, '<');
    for (size_t i = 0; i < len; i++) {
        if (url[i] == '<') {
            arx_buf_append_str(out, "%3C");
        } else if (url[i] == '>') {
            arx_buf_append_str(out, "%3E");
        } else {
            arx_buf_append_byte(out, url[i]);
        }
    }
    arx_buf_append_byte(out, '>');
}

void arx_markdown_link(const uint8_t *label, size_t label_len, const uint8_t *url, size_t url_len,
                       arx_buf *out) {
    arx_text_trim(&label, &label_len);
    if (label_len == 0) {
        label = url;
        label_len = url_len;
    }
    arx_buf_append_byte(out, '[');
    for (size_t i = 0; i < label_len; i++) {
        if (label[i] == '\\' || label[i] == '[' || label[i] == ']') {
            arx_buf_append_byte(out, '\\');
        }
        arx_buf_append_byte(out, label[i]);
    }
    arx_buf_append_str(out, "](");
    append_destination(url, url_len, out);
    arx_buf_append_byte(out, ')');
}

/* What a link without a label of its own is called; NULL when nothing has a name. */
static const arx_json *default_label(const arx_json *envelope) {
    const arx_json *first = arx_json_at(arx_json_get(envelope, "artifacts"), 0);
    const arx_json *label = arx_json_get_string(envelope, "title");
    if (label == NULL) {
        label = arx_json_get_string(first, "title");
    }
    return label != NULL ? label : arx_json_get_string(first, "id");
}

/* ---- links ---- */

static void append_link(const arx_buf *base, const uint8_t *fragment, size_t len, arx_buf *out) {
    arx_buf_append(out, base->data, base->len);
    arx_buf_append_byte(out, '#');
    arx_buf_append(out, fragment, len);
}

void arx_link_free(arx_link *link) {
    arx_buf_free(&link->url);
    arx_buf_free(&link->hash);
    arx_buf_free(&link->markdown_url);
    arx_buf_free(&link->markdown_link);
    arx_buf_free(&link->discord_warning);
    *link = (arx_link){0};
}

arx_result arx_link_create(const arx_json *envelope, const arx_encoded *encoded,
                           const uint8_t *base, size_t base_len, const uint8_t *label,
                           size_t label_len, arx_link *link) {
    static const arx_buf no_base;
    const arx_json *named = label == NULL ? default_label(envelope) : NULL;
    arx_buf prefix;
    arx_buf_init(&prefix, 0);
    *link = (arx_link){0};
    arx_result rc = base_len > 0 ? arx_url_base(base, base_len, &prefix) : ARX_OK;
    if (rc != ARX_OK) {
        goto out;
    }

    append_link(&prefix, encoded->fragment, encoded->fragment_len, &link->url);
    append_link(&no_base, encoded->fragment, encoded->fragment_len, &link->hash);
    if (encoded->url_fragment != NULL &&
        encoded->url_winner.transport_units < encoded->winner.transport_units) {
        append_link(&prefix, encoded->url_fragment, encoded->url_fragment_len, &link->markdown_url);
    } else {
        append_link(&prefix, encoded->fragment, encoded->fragment_len, &link->markdown_url);
    }
    rc = arx_buf_result(&link->markdown_url);
    if (rc != ARX_OK) {
        goto out;
    }
    if (named != NULL) {
        label = named->as.string.data;
        label_len = named->as.string.len;
    }
    arx_markdown_link(label, label_len, link->markdown_url.data, link->markdown_url.len,
                      &link->markdown_link);
    rc = arx_buf_result(&link->markdown_link);
    if (rc != ARX_OK) {
        goto out;
    }
    link->markdown_link_units = arx_text_units(link->markdown_link.data, link->markdown_link.len);
    arx_discord_warning(link->markdown_link_units, &link->discord_warning);

    const arx_buf *parts[] = {&link->url, &link->hash, &link->discord_warning};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && rc == ARX_OK; i++) {
        rc = arx_buf_result(parts[i]);
    }
out:
    arx_buf_free(&prefix);
    if (rc != ARX_OK) {
        arx_link_free(link);
    }
    return rc;
}
