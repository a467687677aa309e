/* POST /share: what a text is told to be, by whom, and what it may not be. */
#include <string.h>

#include "vectors.h"

#include "share_request.h"

static api_result read(const share_request *request, arx_draft *draft, arx_buf *message) {
    arx_buf_init(message, 0);
    return share_request_draft(request, draft, message);
}

static void kinds_come_from_the_query_the_name_the_type(void **state) {
    (void)state;
    static const struct {
        const char *kind;
        const char *filename;
        const char *content_type;
        const char *language;
        arx_kind expected;
        const char *expected_language;
    } cases[] = {
        {NULL, NULL, NULL, NULL, ARX_KIND_MARKDOWN, NULL},
        {NULL, NULL, "text/plain", NULL, ARX_KIND_MARKDOWN, NULL},
        {NULL, NULL, "", NULL, ARX_KIND_MARKDOWN, NULL},
        {NULL, NULL, ";", NULL, ARX_KIND_MARKDOWN, NULL},
        {NULL, NULL, "+json", NULL, ARX_KIND_MARKDOWN, NULL},
        {NULL, NULL, "a/b+JSON", NULL, ARX_KIND_JSON, NULL},
        {NULL, NULL, "TEXT/CSV;header=present", NULL, ARX_KIND_CSV, NULL},
        {NULL, NULL, "text/x-diff", NULL, ARX_KIND_DIFF, NULL},
        {NULL, NULL, "application/xml", NULL, ARX_KIND_CODE, "xml"},
        {NULL, "x.csv", "application/json", NULL, ARX_KIND_CSV, NULL},
        {NULL, "x.rs", NULL, NULL, ARX_KIND_CODE, "rust"},
        {NULL, "x.rs", NULL, "text", ARX_KIND_CODE, "text"},
        {NULL, "x.", "text/csv", NULL, ARX_KIND_CSV, NULL},
        {NULL, "", NULL, NULL, ARX_KIND_MARKDOWN, NULL},
        {"json", "x.csv", "text/markdown", NULL, ARX_KIND_JSON, NULL},
        {"code", "x.rs", NULL, NULL, ARX_KIND_CODE, "rust"},
        {"code", "x.md", NULL, NULL, ARX_KIND_CODE, NULL},
        {"code", NULL, "text/x-c", NULL, ARX_KIND_CODE, "c"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const share_request request = {
            .kind = cases[i].kind,
            .filename = cases[i].filename,
            .content_type = cases[i].content_type,
            .language = cases[i].language,
            .text = (const uint8_t *)"x",
            .text_len = 1,
        };
        arx_draft draft;
        arx_buf message;
        const char *language = cases[i].expected_language;
        if (read(&request, &draft, &message) != API_OK || draft.kind != cases[i].expected ||
            (draft.language != NULL) != (language != NULL) ||
            (language != NULL && (draft.language_len != strlen(language) ||
                                  memcmp(draft.language, language, draft.language_len) != 0))) {
            fail_msg("case %zu", i);
        }
        arx_buf_free(&message);
    }
}

static void wrong_requests(void **state) {
    (void)state;
    static uint8_t long_text[SHARE_MAX_UNITS + 1];
    memset(long_text, 'x', sizeof long_text);
    const struct {
        share_request request;
        api_result expected;
    } cases[] = {
        {{.kind = "", .text = long_text, .text_len = 1}, API_INVALID_OPTION},
        {{.kind = "Markdown", .text = long_text, .text_len = 1}, API_INVALID_OPTION},
        {{.content_type = "Multipart/form-data; boundary=x", .text = long_text, .text_len = 1},
         API_INVALID_OPTION},
        {{.text = (const uint8_t *)"\xFF", .text_len = 1}, API_TEXT_NOT_UTF8},
        {{.text = (const uint8_t *)"\xED\xA0\x80", .text_len = 3}, API_TEXT_NOT_UTF8},
        {{.title = "\x80", .text = long_text, .text_len = 1}, API_TEXT_NOT_UTF8},
        {{.filename = "\xC0\xAF", .text = long_text, .text_len = 1}, API_TEXT_NOT_UTF8},
        {{.language = "\xE2\x82", .text = long_text, .text_len = 1}, API_TEXT_NOT_UTF8},
        {{.text = long_text, .text_len = SHARE_MAX_UNITS}, API_OK},
        {{.text = long_text, .text_len = SHARE_MAX_UNITS + 1}, API_TEXT_TOO_LONG},
        {{.text = long_text, .text_len = 0}, API_OK}, /* blank: the draft's to refuse */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        arx_draft draft;
        arx_buf message;
        api_result got = read(&cases[i].request, &draft, &message);
        if (got != cases[i].expected || (got == API_INVALID_OPTION) != (message.len > 0)) {
            fail_msg("case %zu: %d", i, (int)got);
        }
        arx_buf_free(&message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_come_from_the_query_the_name_the_type),
        cmocka_unit_test(wrong_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
