/* share_request.c - see share_request.h. */
#include "share_request.h"

#include <string.h>
#include <strings.h>

#include "filetype.h"
#include "text.h"

/* Media types that say what a text is. Others, text/plain among them, say nothing. */
static const struct {
    const char *type;
    arx_filetype means;
} media_types[] = {
    {"text/markdown", {ARX_KIND_MARKDOWN, NULL}},
    {"text/x-markdown", {ARX_KIND_MARKDOWN, NULL}},
    {"text/csv", {ARX_KIND_CSV, NULL}},
    {"text/x-diff", {ARX_KIND_DIFF, NULL}},
    {"text/x-patch", {ARX_KIND_DIFF, NULL}},
    {"application/json", {ARX_KIND_JSON, NULL}},
    {"application/javascript", {ARX_KIND_CODE, "js"}},
    {"application/sql", {ARX_KIND_CODE, "sql"}},
    {"application/toml", {ARX_KIND_CODE, "toml"}},
    {"application/xml", {ARX_KIND_CODE, "xml"}},
    {"application/yaml", {ARX_KIND_CODE, "yaml"}},
    {"text/css", {ARX_KIND_CODE, "css"}},
    {"text/html", {ARX_KIND_CODE, "html"}},
    {"text/javascript", {ARX_KIND_CODE, "js"}},
    {"text/x-c", {ARX_KIND_CODE, "c"}},
    {"text/x-python", {ARX_KIND_CODE, "python"}},
    {"text/xml", {ARX_KIND_CODE, "xml"}},
    {"text/yaml", {ARX_KIND_CODE, "yaml"}},
};

static bool filetype_of_media_type(const char *header, arx_filetype *type) {
    size_t len = strcspn(header, "; \t");
    for (size_t i = 0; i < sizeof media_types / sizeof media_types[0]; i++) {
        if (strlen(media_types[i].type) == len &&
            strncasecmp(media_types[i].type, header, len) == 0) {
            *type = media_types[i].means;
            return true;
        }
    }
    if (len > 5 && strncasecmp(header + len - 5, "+json", 5) == 0) {
        *type = (arx_filetype){ARX_KIND_JSON, NULL};
        return true;
    }
    return false;
}

static api_result invalid(arx_buf *message, const char *text) {
    arx_buf_append_str(message, text);
    return API_INVALID_OPTION;
}

/* Kind and language. */
static api_result tell_type(const share_request *request, arx_filetype *type, arx_buf *message) {
    *type = (arx_filetype){ARX_KIND_MARKDOWN, NULL};
    bool known = request->filename != NULL && arx_filetype_of((const uint8_t *)request->filename,
                                                              strlen(request->filename), type);
    if (!known && request->content_type != NULL) {
        (void)filetype_of_media_type(request->content_type, type);
    }
    arx_kind asked;
    if (request->kind != NULL) {
        if (!arx_kind_from_name((const uint8_t *)request->kind, strlen(request->kind), &asked)) {
            return invalid(message, "\"kind\" must be one of markdown, code, diff, csv, json.");
        }
        if (asked != type->kind) {
            *type = (arx_filetype){asked, NULL};
        }
    }
    return API_OK;
}

static void put(const char *text, const uint8_t **field, size_t *len) {
    *field = (const uint8_t *)text;
    *len = text != NULL ? strlen(text) : 0;
}

api_result share_request_draft(const share_request *request, arx_draft *draft, arx_buf *message) {
    arx_filetype type;
    *draft = (arx_draft){.content = request->text, .content_len = request->text_len};
    if (request->content_type != NULL &&
        strncasecmp(request->content_type, "multipart/", strlen("multipart/")) == 0) {
        return invalid(message, "The body must be the text itself, not a form: curl --data-binary "
                                "@FILE sends it so.");
    }
    if (!arx_text_is_utf8(request->text, request->text_len)) {
        return API_TEXT_NOT_UTF8;
    }
    if (arx_text_units_exceed(request->text, request->text_len, SHARE_MAX_UNITS)) {
        return API_TEXT_TOO_LONG;
    }
    const char *const named[] = {request->filename, request->title, request->language};
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        if (named[i] != NULL && !arx_text_is_utf8((const uint8_t *)named[i], strlen(named[i]))) {
            return API_TEXT_NOT_UTF8;
        }
    }
    api_result result = tell_type(request, &type, message);
    draft->kind = type.kind;
    put(request->title, &draft->title, &draft->title_len);
    put(request->filename, &draft->filename, &draft->filename_len);
    put(request->language != NULL ? request->language : type.language, &draft->language,
        &draft->language_len);
    return result;
}
