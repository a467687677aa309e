/* The list that priors are composed by: fields, bundles, comments, and lines that are refused. */
#include <string.h>

#include "compose_list.h"
#include "vectors.h"

static void expect_field(const compose_field *field, const char *wanted) {
    assert_int_equal(field->len, strlen(wanted));
    if (field->len > 0) {
        assert_memory_equal(field->text, wanted, field->len);
    }
}

/* Parses a copy that ends at an unmapped page, and hands it to `check`. */
static bool parse(const char *text, void (*check)(const compose_list *list)) {
    size_t len = strlen(text);
    uint8_t *guarded = guard_copy(text, len);
    compose_list list;
    bool parsed = compose_list_parse(guarded, len, &list);
    if (parsed && check != NULL) {
        check(&list);
    }
    compose_list_free(&list);
    guard_free(guarded, len);
    return parsed;
}

static void check_fields(const compose_list *list) {
    assert_int_equal(list->count, 3);
    const compose_entry *e = list->entries;
    assert_false(e[0].continues);
    expect_field(&e[0].path, "code/a.ts");
    expect_field(&e[0].title, "A title");
    expect_field(&e[0].filename, "src/a.ts");
    expect_field(&e[0].language, "typescript");
    assert_int_equal(compose_folder_len(&e[0].path), 4);

    assert_true(e[1].continues);
    expect_field(&e[1].path, "diff/b.diff");
    expect_field(&e[1].title, "");
    expect_field(&e[1].filename, "b.diff");
    expect_field(&e[1].language, "");

    expect_field(&e[2].path, "csv/c.csv");
    expect_field(&e[2].title, "");
}

static void a_line_has_up_to_four_fields(void **state) {
    (void)state;
    assert_true(parse("# order matters\n"
                      "\n"
                      "  code/a.ts |A title|  src/a.ts | typescript  \n"
                      "+ diff/b.diff | | b.diff\n"
                      "csv/c.csv",
                      check_fields));
}

static void check_empty(const compose_list *list) {
    assert_int_equal(list->count, 0);
}

static void nothing_is_a_list_too(void **state) {
    (void)state;
    assert_true(parse("", check_empty));
    assert_true(parse("\n  \n# only this", check_empty));
}

static void odd_lines_are_refused(void **state) {
    (void)state;
    static const char *const lines[] = {
        "a/b | 1 | 2 | 3 | 4", "a/b|1|2|3|", "| title", "a/b\n |x", "+a/b", "# x\n\n+a/b", "+",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        if (parse(lines[i], NULL)) {
            fail_msg("accepted: %s", lines[i]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_has_up_to_four_fields),
        cmocka_unit_test(nothing_is_a_list_too),
        cmocka_unit_test(odd_lines_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
