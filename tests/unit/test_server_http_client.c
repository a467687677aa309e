/* Whom trusted proxies say a request comes from: entries from the right, addresses as written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "http.h"
#include "visit.h"

static void entries_are_counted_from_the_right(void **state) {
    (void)state;
    static const struct {
        const char *list;
        unsigned hops;
        const char *entry;
    } rows[] = {
        {"a", 1, "a"},         {"a, b, c", 1, "c"}, {"a, b, c", 2, "b"},
        {"a, b, c", 3, "a"},   {"a, b, c", 4, "a"}, {"a,b\t, c ", 1, "c"},
        {"a,b\t, c ", 2, "b"}, {"", 1, ""},         {"a,", 1, ""},
        {"a,", 2, "a"},        {",", 2, ""},        {"spoofed,,real", 1, "real"},
        {"  x  ", 16, "x"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t len;
        const char *entry = http_hop(rows[i].list, rows[i].hops, &len);
        assert_int_equal(len, strlen(rows[i].entry));
        assert_memory_equal(entry, rows[i].entry, len);
    }
}

static void addresses_come_with_ports_and_brackets(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *plain; /* NULL: no address */
    } rows[] = {
        {"192.0.2.1", "192.0.2.1"},
        {"192.0.2.1:8080", "192.0.2.1"},
        {"::ffff:192.0.2.1", "192.0.2.1"},
        {"2001:db8::1", "2001:db8::1"},
        {"[2001:db8::1]", "2001:db8::1"},
        {"[2001:db8::1]:443", "2001:db8::1"},
        {"::1", "::1"},
        {"", NULL},
        {":", NULL},
        {"[", NULL},
        {"[]", NULL},
        {"[192.0.2.1", NULL},
        {"unknown", NULL},
        {"_hidden", NULL},
        {"192.0.2.1.5", NULL},
        {"1.2.3", NULL},
        {"2001:db8:::1", NULL},
        {"0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        http_address address;
        char text[HTTP_ADDRESS_SIZE];
        /* Without a NUL behind it: an entry is a piece of a header. */
        char *exact = test_malloc(strlen(rows[i].text) + 1);
        memcpy(exact, rows[i].text, strlen(rows[i].text));
        bool is_address = http_address_parse(exact, strlen(rows[i].text), &address);
        test_free(exact);
        assert_int_equal(is_address, rows[i].plain != NULL);
        if (is_address) {
            http_address_format(&address, text);
            assert_string_equal(text, rows[i].plain);
        }
    }
}

static void request_ids_are_words(void **state) {
    (void)state;
    char longest[VISIT_ID_MAX + 2];
    memset(longest, 'a', sizeof longest);
    longest[VISIT_ID_MAX + 1] = '\0';
    assert_false(visit_id_is_good(longest));
    longest[VISIT_ID_MAX] = '\0';
    assert_true(visit_id_is_good(longest));
    assert_true(visit_id_is_good("Az09._-"));
    static const char *const wrong[] = {"", " ", "a b", "a\n", "a\"", "\xc3\xa9", "a,b", "a=b"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_false(visit_id_is_good(wrong[i]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_counted_from_the_right),
        cmocka_unit_test(addresses_come_with_ports_and_brackets),
        cmocka_unit_test(request_ids_are_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
