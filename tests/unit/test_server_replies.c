/* test_server_replies.c - the small texts of a reply: 304, file names, HTML, what a row is told. */
#include "vectors.h"

#include <stdlib.h>
#include <string.h>

#include "conditional.h"
#include "describe.h"
#include "disposition.h"
#include "html.h"

static void entity_tags_are_compared_one_by_one(void **state) {
    (void)state;
    static const char etag[] = "\"abc\"";
    static const char date[] = "Sun, 06 Nov 1994 08:49:37 GMT";
    static const struct {
        const char *if_none_match;
        const char *if_modified_since;
        bool same;
    } rows[] = {
        {NULL, NULL, false},
        {"\"abc\"", NULL, true},
        {"W/\"abc\"", NULL, true},
        {"*", NULL, true},
        {"\"x\", \"abc\"", NULL, true},
        {"\"x\",W/\"y\" , \"abc\"", NULL, true},
        {"\"abcd\"", NULL, false},
        {"\"ab", NULL, false},
        {"abc", NULL, false},
        {"", NULL, false},
        {"\"a,\\\"abc\"", NULL, false},
        {NULL, date, true},
        {NULL, "Sun, 06 Nov 1994 08:49:38 GMT", false},
        {"\"x\"", date, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (not_modified(rows[i].if_none_match, rows[i].if_modified_since, etag, date) !=
            rows[i].same) {
            fail_msg("row %zu", i);
        }
    }
}

static void file_names_are_made_safe(void **state) {
    (void)state;
    static const struct {
        const char *artifact;
        const char *name;
        const char *header;
    } rows[] = {
        {"{\"id\":\"a\",\"kind\":\"markdown\",\"filename\":\"notes.md\"}", "notes.md",
         "inline; filename=\"notes.md\""},
        {"{\"id\":\"a b\",\"kind\":\"csv\"}", "a b.csv", "inline; filename=\"a b.csv\""},
        {"{\"id\":\"d\",\"kind\":\"diff\",\"filename\":\"\"}", "d.patch",
         "inline; filename=\"d.patch\""},
        {"{\"id\":\"x\",\"kind\":\"code\",\"filename\":\"../../etc/passwd\"}", "_._.._etc_passwd",
         "inline; filename=\"_._.._etc_passwd\""},
        {"{\"id\":\"x\",\"kind\":\"json\",\"filename\":\"a\\\"\\r\\nSet-Cookie: b\"}",
         "a___Set-Cookie_ b", "inline; filename=\"a___Set-Cookie_ b\""},
        {"{\"id\":\"x\",\"kind\":\"json\",\"filename\":\"\\u00e4 \\ud83d\\udea2.json\"}",
         "\xC3\xA4 \xF0\x9F\x9A\xA2.json",
         "inline; filename=\"_ _.json\"; filename*=UTF-8''%C3%A4%20%F0%9F%9A%A2.json"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        arx_json_doc *doc;
        arx_json *artifact;
        assert_int_equal(arx_json_parse((const uint8_t *)rows[i].artifact, strlen(rows[i].artifact),
                                        0, &doc, &artifact),
                         ARX_OK);
        char *name = disposition_filename(artifact);
        assert_string_equal(name, rows[i].name);
        arx_buf header;
        arx_buf_init(&header, 0);
        disposition_write(name, false, &header);
        size_t len;
        char *text = (char *)arx_buf_take(&header, &len);
        assert_string_equal(text, rows[i].header);
        free(text);
        free(name);
        arx_json_doc_free(doc);
    }
}

static void html_text_cannot_leave_its_place(void **state) {
    (void)state;
    static const char hostile[] = "</script><!-- \"x\" 'y' & $& $` \xE2\x80\xA8 \r\n \x7F";
    arx_buf out;
    arx_buf_init(&out, 0);
    html_escape_str(hostile, &out);
    size_t len;
    char *text = (char *)arx_buf_take(&out, &len);
    assert_string_equal(text, "&lt;/script&gt;&lt;!-- &quot;x&quot; &#39;y&#39; &amp; $&amp; $` "
                              "\xE2\x80\xA8 &#13;\n \x7F");
    free(text);
    assert_true(html_needs_escape((const uint8_t *)"a&", 2));
    assert_false(html_needs_escape((const uint8_t *)"B.x-_~", 6));
}

static void a_bundle_is_described_by_its_active_artifact(void **state) {
    (void)state;
    static const struct {
        const char *envelope;
        const char *kind;
        const char *title;
    } rows[] = {
        {"{\"title\":\"Bundle\",\"activeArtifactId\":\"b\",\"artifacts\":[{\"id\":\"a\",\"kind\":"
         "\"csv\",\"title\":\"A\"},{\"id\":\"b\",\"kind\":\"json\",\"title\":\"B\"}]}",
         "json", "B"},
        {"{\"title\":\"Bundle\",\"artifacts\":[{\"id\":\"a\",\"kind\":\"csv\"}]}", "csv", "Bundle"},
        {"{\"artifacts\":[{\"id\":\"a\",\"kind\":\"diff\",\"filename\":\"x.patch\"}]}", "diff",
         "x.patch"},
        {"{\"title\":7,\"artifacts\":[{\"id\":\"a\",\"kind\":\"code\"}]}", "code", NULL},
        {"{\"artifacts\":[{\"id\":\"a\",\"kind\":\"code\",\"title\":\"a\\u0000\\ud800z\"}]}",
         "code", "a\xEF\xBF\xBD\xEF\xBF\xBDz"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        arx_json_doc *doc;
        arx_json *envelope;
        assert_int_equal(arx_json_parse((const uint8_t *)rows[i].envelope, strlen(rows[i].envelope),
                                        0, &doc, &envelope),
                         ARX_OK);
        store_artifact row = {0};
        assert_true(describe_envelope(envelope, &row));
        assert_string_equal(row.kind, rows[i].kind);
        if (rows[i].title == NULL) {
            assert_null(row.title);
        } else {
            assert_string_equal(row.title, rows[i].title);
        }
        store_artifact_clear(&row);
        arx_json_doc_free(doc);
    }
}

static void long_titles_are_cut_between_characters(void **state) {
    (void)state;
    static const char ships[] = "\xF0\x9F\x9A\xA2\xF0\x9F\x9A\xA2\xF0\x9F\x9A\xA2";
    char *cut = describe_copy((const uint8_t *)ships, sizeof ships - 1, 10);
    assert_int_equal(strlen(cut), 8);
    free(cut);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entity_tags_are_compared_one_by_one),
        cmocka_unit_test(file_names_are_made_safe),
        cmocka_unit_test(html_text_cannot_leave_its_place),
        cmocka_unit_test(a_bundle_is_described_by_its_active_artifact),
        cmocka_unit_test(long_titles_are_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
