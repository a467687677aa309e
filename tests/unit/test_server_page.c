/* A page is cut where its marks are, and only if each is there once. */
#include <string.h>

#include "vectors.h"

#include "page_table.h"

static page_bytes bytes(const char *text) {
    return (page_bytes){(const uint8_t *)text, strlen(text)};
}

static void assert_piece(const page_template *cut, size_t i, const char *wanted) {
    assert_int_equal(cut->pieces[i].len, strlen(wanted));
    assert_memory_equal(cut->pieces[i].data, wanted, strlen(wanted));
}

static const char *const marks[] = {"<a>", "<b>", "<c>"};

static void cut_at_marks(void **state) {
    (void)state;
    page_template cut;
    assert_null(page_template_cut(bytes("one<a>two<b>$&<c>"), marks, 3, &cut));
    assert_piece(&cut, 0, "one");
    assert_piece(&cut, 1, "two");
    assert_piece(&cut, 2, "$&");
    assert_piece(&cut, 3, "");
    assert_null(page_template_cut(bytes("<a>"), marks, 1, &cut));
    assert_piece(&cut, 0, "");
    assert_piece(&cut, 1, "");
    assert_int_equal(cut.pieces[2].len, 0);
}

static void missing_marks(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *missing;
    } cases[] = {
        {"", "<a>"},
        {"<b><c>", "<a>"},
        {"<a><c>", "<b>"},
        {"<b><a><c>", "<b>"}, /* in another order */
        {"<a><b><c", "<c>"},
        {"<a><b><a><c>", "<a>"}, /* twice */
        {"<a><b><c><c>", "<c>"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        page_template cut;
        assert_string_equal(page_template_cut(bytes(cases[i].text), marks, 3, &cut),
                            cases[i].missing);
    }
}

/* The table, at the root and below a path: every file, and what is no file. */
static void table_holds_every_file(void **state) {
    (void)state;
    static const char *const bases[] = {"", "/below/\"&"};
    for (size_t b = 0; b < 2; b++) {
        char why[200] = "";
        page_table *table = page_table_create(bases[b], why, sizeof why);
        assert_string_equal(why, "");
        assert_non_null(table);
        for (size_t i = 0; i < page_file_count; i++) {
            const served_file *file = page_table_find(table, page_files[i].path);
            assert_non_null(file);
            const served_variant *plain = &file->variants[ENCODING_IDENTITY];
            if (b == 0 || strncmp(file->content_type, "text/html", 9) != 0) {
                assert_int_equal(plain->len, page_files[i].identity.len);
                assert_ptr_equal(plain->data, page_files[i].identity.data);
            } else {
                static const char based[] = "<base href=\"/below/&quot;&amp;/\">";
                assert_non_null(memmem(plain->data, plain->len, based, strlen(based)));
                assert_true((file->available & 1u << ENCODING_BROTLI) != 0);
            }
        }
        assert_null(page_table_find(table, ""));
        assert_null(page_table_find(table, "/nope"));
        assert_null(page_table_find(table, "page/x.mjs"));
        const page_template *notice = page_table_notice(table);
        assert_true(notice->pieces[NOTICE_REST].len > 0);
        assert_true(page_table_viewer(table)->pieces[VIEWER_REST].len > 0);
        page_table_free(table);
    }
    page_table_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_at_marks),
        cmocka_unit_test(missing_marks),
        cmocka_unit_test(table_holds_every_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
