/* approval_html.c - see approval_html.h. */
#include "approval_html.h"

#include <stdio.h>
#include <string.h>

#include "html.h"

#define PLACE_MAX 1024

static void begin(const char *title, arx_buf *out) {
    arx_buf_append_str(out,
                       "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<meta name=\"robots\" content=\"noindex\">\n<title>");
    arx_buf_append_str(out, title);
    arx_buf_append_str(
        out,
        " &ndash; arxd</title>\n<style>\n"
        ":root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}\n"
        "body{max-width:46rem;margin:2rem auto;padding:0 1rem}\n"
        "table{border-collapse:collapse;width:100%}\n"
        "th,td{border:1px solid #8886;padding:.4rem .6rem;text-align:left;vertical-align:top}\n"
        "th{font-weight:600;width:12rem;overflow-wrap:anywhere}\n"
        "pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;max-height:30rem;overflow:auto}\n"
        "button,input{font:inherit;padding:.5rem 1rem;margin-right:.5rem}\n"
        "mark{font-size:.8em}\n"
        "</style>\n<h1>");
    arx_buf_append_str(out, title);
    arx_buf_append_str(out, "</h1>\n");
}

static void end(arx_buf *out) {
    arx_buf_append_str(out, "</html>\n");
}

void approval_html_sign_in(bool failed, arx_buf *out) {
    begin("Approval", out);
    if (failed) {
        arx_buf_append_str(out, "<p role=\"alert\">That is not an approver's token of this "
                                "server.</p>\n");
    }
    arx_buf_append_str(out,
                       "<p>An agent asks for something that a person must approve. Sign in with an "
                       "approver's token to see what it is.</p>\n<form method=\"post\">\n"
                       "<label>Token <input type=\"password\" name=\"" APPROVAL_FIELD_TOKEN
                       "\" autocomplete=\"current-password\" required autofocus></label>\n"
                       "<button>Sign in</button>\n</form>\n");
    end(out);
}

/* ---- text ---- */

/* Is it one that shows nothing, or changes how its neighbours show? */
static bool is_hidden(uint32_t c) {
    static const struct {
        uint32_t first;
        uint32_t last;
    } RANGES[] = {
        {0x00, 0x08},     {0x0B, 0x0C},     {0x0E, 0x1F},     {0x7F, 0x9F},       {0xAD, 0xAD},
        {0x61C, 0x61C},   {0x115F, 0x1160}, {0x17B4, 0x17B5}, {0x180B, 0x180F},   {0x200B, 0x200F},
        {0x2028, 0x202E}, {0x2060, 0x206F}, {0x3164, 0x3164}, {0xD800, 0xDFFF},   {0xFE00, 0xFE0F},
        {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB}, {0xE0000, 0xE0FFF},
    };
    for (size_t i = 0; i < sizeof RANGES / sizeof RANGES[0]; i++) {
        if (c >= RANGES[i].first && c <= RANGES[i].last) {
            return true;
        }
    }
    return false;
}

/* One character of WTF-8: its length, 1 for a byte that begins none. */
static size_t character(const uint8_t *text, size_t len, uint32_t *c) {
    size_t size = text[0] < 0xC0 ? 1 : text[0] < 0xE0 ? 2 : text[0] < 0xF0 ? 3 : 4;
    if (size > len) {
        size = 1;
    }
    *c = size == 1 ? text[0] : (uint32_t)text[0] & (0x7Fu >> size);
    for (size_t i = 1; i < size; i++) {
        *c = *c << 6 | (text[i] & 0x3Fu);
    }
    return size;
}

static void write_text(const uint8_t *text, size_t len, arx_buf *out) {
    size_t start = 0;
    for (size_t i = 0; i < len;) {
        uint32_t c;
        size_t size = character(text + i, len - i, &c);
        if (is_hidden(c)) {
            char name[32];
            (void)snprintf(name, sizeof name, "<mark>U+%04X</mark>", (unsigned)c);
            html_escape(text + start, i - start, out);
            arx_buf_append_str(out, name);
            start = i + size;
        }
        i += size;
    }
    html_escape(text + start, len - start, out);
}

/* ---- params ---- */

static void write_row(const char *place, const arx_json *leaf, arx_buf *out) {
    arx_buf text;
    arx_buf_init(&text, 0);
    arx_buf_append_str(out, "<tr><th scope=\"row\">");
    write_text((const uint8_t *)place, strlen(place), out);
    arx_buf_append_str(out, "</th><td><pre>\n");
    if (leaf->type == ARX_JSON_STRING) {
        write_text(leaf->as.string.data, leaf->as.string.len, out);
    } else {
        arx_json_write(leaf, &text);
        write_text(text.data, text.len, out);
        if (arx_buf_result(&text) != ARX_OK) {
            out->status = ARX_NO_MEMORY;
        }
    }
    arx_buf_append_str(out, "</pre></td></tr>\n");
    arx_buf_free(&text);
}

/* place: what stands before, `len` bytes in a buffer of PLACE_MAX. A place too long is cut. */
static void write_rows(char *place, size_t len, const arx_json *value, arx_buf *out) {
    bool object = value->type == ARX_JSON_OBJECT;
    if ((!object && value->type != ARX_JSON_ARRAY) || value->as.list.first == NULL ||
        len + 64 > PLACE_MAX) {
        write_row(len == 0 ? "params" : place, value, out);
        return;
    }
    size_t i = 0;
    for (const arx_json *one = value->as.list.first; one != NULL; one = one->next, i++) {
        size_t room = PLACE_MAX - len;
        size_t key = one->key_len < room - 8 ? one->key_len : room - 8;
        int added = object ? snprintf(place + len, room, "%s%.*s", len == 0 ? "" : ".", (int)key,
                                      (const char *)one->key)
                           : snprintf(place + len, room, "[%zu]", i);
        write_rows(place, len + (size_t)added, one, out);
        place[len] = '\0';
    }
}

void approval_html_params(const arx_json *params, arx_buf *out) {
    char place[PLACE_MAX] = "";
    write_rows(place, 0, params, out);
}

/* ---- the page ---- */

/* "in 4 minutes" */
static void write_rest(int64_t rest_ms, arx_buf *out) {
    int64_t minutes = (rest_ms + 59999) / 60000;
    arx_buf_append_str(out, "in ");
    arx_buf_append_u64(out, minutes < 1 ? 1 : (uint64_t)minutes);
    arx_buf_append_str(out, minutes > 1 ? " minutes" : " minute");
}

static void write_state(const approval *a, int64_t now_ms, arx_buf *out) {
    switch (a->status) {
    case APPROVAL_PENDING:
        arx_buf_append_str(out, "<p>Waiting for a decision. It lapses ");
        write_rest(a->expires_at_ms - now_ms, out);
        break;
    case APPROVAL_APPROVED:
        arx_buf_append_str(out, "<p role=\"status\">Approved. The agent may do this once; if it "
                                "does not, the approval lapses ");
        write_rest(a->expires_at_ms - now_ms, out);
        break;
    case APPROVAL_DECLINED:
        arx_buf_append_str(out, "<p role=\"status\">Declined. Nothing is done");
        break;
    case APPROVAL_USED:
        arx_buf_append_str(out, "<p role=\"status\">Approved and used: the agent's call ran");
        break;
    case APPROVAL_EXPIRED:
        arx_buf_append_str(out, "<p role=\"status\">Lapsed. The agent would have to ask again");
        break;
    }
    arx_buf_append_str(out, ".</p>\n");
}

static void write_fact(const char *name, const char *value, arx_buf *out) {
    arx_buf_append_str(out, "<tr><th scope=\"row\">");
    arx_buf_append_str(out, name);
    arx_buf_append_str(out, "</th><td>");
    write_text((const uint8_t *)value, strlen(value), out);
    arx_buf_append_str(out, "</td></tr>\n");
}

static void write_form(const char *csrf, arx_buf *out) {
    arx_buf_append_str(out, "<form method=\"post\">\n<input type=\"hidden\" "
                            "name=\"" APPROVAL_FIELD_CSRF "\" value=\"");
    html_escape_str(csrf, out);
    arx_buf_append_str(out, "\">\n"
                            "<button name=\"" APPROVAL_FIELD_DECISION
                            "\" value=\"approve\">Approve, once</button>\n"
                            "<button name=\"" APPROVAL_FIELD_DECISION
                            "\" value=\"decline\">Decline</button>\n</form>\n");
}

void approval_html_show(const approval *shown, const arx_buf *params, const char *csrf,
                        const char *approver, int64_t now_ms, arx_buf *out) {
    char name[2 * APPROVAL_NAME_MAX + 2];
    (void)snprintf(name, sizeof name, "%s.%s", shown->surface, shown->action);
    begin("Approval", out);
    write_state(shown, now_ms, out);
    arx_buf_append_str(out, "<table>\n");
    write_fact("Action", shown->title[0] != '\0' ? shown->title : name, out);
    write_fact("Name", name, out);
    write_fact("Effect", shown->effect[0] != '\0' ? shown->effect : "not declared", out);
    write_fact("Asked by", shown->agent_name[0] != '\0' ? shown->agent_name : "no token", out);
    write_fact("You are", approver, out);
    arx_buf_append_str(out, "</table>\n<h2>Params, exactly</h2>\n<table>\n");
    arx_json_doc *doc = NULL;
    arx_json *root = NULL;
    if (params->len > 0 && arx_json_parse(params->data, params->len, 0, &doc, &root) == ARX_OK) {
        approval_html_params(root, out);
    } else {
        write_fact("params", "not kept: only their hash is", out);
    }
    arx_json_doc_free(doc);
    write_fact("SHA-256", shown->args_hash, out);
    arx_buf_append_str(out, "</table>\n");
    if (shown->status == APPROVAL_PENDING) {
        write_form(csrf, out);
    }
    end(out);
}
