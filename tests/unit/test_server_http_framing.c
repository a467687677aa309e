/* Which heads are refused because two readers could take them for different messages. */
#include <stdio.h>
#include <string.h>

#include "vectors.h"

#include "http_framing.h"

/* Feeds "Name: value" lines, each copied in front of an unmapped page. */
static http_framing read_head(const char *head) {
    http_framing framing = {0};
    while (*head != '\0') {
        size_t line = strcspn(head, "\n");
        size_t name = strcspn(head, ":");
        size_t value = line - name - 2;
        uint8_t *name_copy = guard_copy(head, name);
        uint8_t *value_copy = guard_copy(head + name + 2, value);
        http_framing_add(&framing, (char *)name_copy, name, (char *)value_copy, value);
        guard_free(name_copy, name);
        guard_free(value_copy, value);
        head += line + (head[line] != '\0');
    }
    return framing;
}

static void test_sound(void **state) {
    (void)state;
    static const struct {
        const char *head;
        bool sound;     /* in HTTP/1.1 */
        bool sound_1_0; /* in HTTP/1.0 */
    } cases[] = {
        {"Host: a", true, true},
        {"Host: a.example:8080\nContent-Length: 5", true, true},
        {"Host: [::1]:80\nAccept: */*\nAccept: text/html", true, true},
        {"Host: ", true, true},
        {"host: a\ncontent-length: 0", true, true},
        {"Host: a\nTransfer-Encoding: chunked", true, false},
        {"Host: a\nTransfer-Encoding: CHUNKED", true, false},
        {"Host: a\nAuthorization: Bearer x", true, true},
        {"Host: a\nX: tab\there \xc3\xa9", true, true},
        {"Accept: a", false, true}, /* no Host */

        {"Host: a\nContent-Length: 3\nTransfer-Encoding: chunked", false, false},
        {"Host: a\nTransfer-Encoding: chunked\nContent-Length: 3", false, false},
        {"Host: a\nContent-Length: 3\nContent-Length: 5", false, false},
        {"Host: a\nContent-Length: 3\ncontent-length: 3", false, false},
        {"Host: a\nContent-Length: 3, 3", false, false},
        {"Host: a\nContent-Length: ", false, false},
        {"Host: a\nContent-Length: +3", false, false},
        {"Host: a\nContent-Length: -3", false, false},
        {"Host: a\nContent-Length: 3 ", false, false},
        {"Host: a\nContent-Length: 0x3", false, false},
        {"Host: a\nContent-Length: 3.0", false, false},
        {"Host: a\nTransfer-Encoding: gzip", false, false},
        {"Host: a\nTransfer-Encoding: identity", false, false},
        {"Host: a\nTransfer-Encoding: gzip, chunked", false, false},
        {"Host: a\nTransfer-Encoding: chunked, chunked", false, false},
        {"Host: a\nTransfer-Encoding: chunked\nTransfer-Encoding: chunked", false, false},
        {"Host: a\nTransfer-Encoding: \x0b chunked", false, false},
        {"Host: a\nHost: a", false, false},
        {"Host: a\nHOST: b", false, false},
        {"Host: a/b", false, false},
        {"Host: a b", false, false},
        {"Host: a,b", false, false},
        {"Host: a@b", false, false},
        {"Host: \"a\"", false, false},
        {"Host: a\nAuthorization: x\nauthorization: y", false, false},
        {"Host: a\nContent-Length : 3", false, false},
        {"Host: a\n Folded: x", false, false},
        {"Host: a\nBad(Name): x", false, false},
        {"Host: a\n\x7f: x", false, false},
        {"Host: a\nX: a\rb", false, false},
        {"Host: a\nX: a\x7f", false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        http_framing framing = read_head(cases[i].head);
        if (http_framing_sound(&framing, false) != cases[i].sound ||
            http_framing_sound(&framing, true) != cases[i].sound_1_0) {
            fail_msg("judged wrongly:\n%s", cases[i].head);
        }
    }
}

static void test_nul(void **state) {
    (void)state;
    http_framing framing = {.has_host = true};
    http_framing_add(&framing, "X", 1, "a\0b", 3);
    assert_false(http_framing_sound(&framing, false));
    framing = (http_framing){.has_host = true};
    http_framing_add(&framing, "Content-Length\0", 15, "3", 1);
    assert_false(http_framing_sound(&framing, false));
    framing = (http_framing){0};
    http_framing_add(&framing, "Host", 4, "a\0b", 3);
    assert_false(http_framing_sound(&framing, false));
}

static void test_length(void **state) {
    (void)state;
    http_framing framing = read_head("Content-Length: 18446744073709551614");
    assert_true(framing.length == UINT64_MAX - 1);
    framing = read_head("Content-Length: 18446744073709551615");
    assert_true(framing.length == UINT64_MAX);
    framing = read_head("Content-Length: 18446744073709551616");
    assert_true(framing.length == UINT64_MAX);
    framing = read_head("Content-Length: 99999999999999999999999999999999");
    assert_true(framing.length == UINT64_MAX);
    framing = read_head("Content-Length: 000012");
    assert_true(framing.length == 12);
    assert_false(framing.expects);
    framing = read_head("Expect: 100-Continue");
    assert_true(framing.expects);
    framing = read_head("Expect: something");
    assert_false(framing.expects);
}

/* A head as the library leaves it in memory, and pointers that miss some of it. */
static void test_gaps(void **state) {
    (void)state;
    static const char crlf[] = "GET\0/x\0HTTP/1.1\0\0Host\0 h\0\0A\0  b\0\0\0";
    static const char lf[] = "GET\0/x\0HTTP/1.1\0Host\0h\0A\0b\0";
    static const struct {
        const char *text;
        size_t target;
        size_t target_len;
        size_t version;
        size_t host;
        size_t host_value;
        size_t host_len;
        size_t a;
        size_t a_value;
        size_t end;
        bool sound;
    } cases[] = {
        {crlf, 4, 2, 7, 17, 23, 1, 26, 30, sizeof crlf, true},
        {lf, 4, 2, 7, 16, 21, 1, 23, 25, sizeof lf, true},
        {crlf, 5, 1, 7, 17, 23, 1, 26, 30, sizeof crlf, false},     /* gap behind the method */
        {crlf, 4, 1, 7, 17, 23, 1, 26, 30, sizeof crlf, false},     /* the target was cut */
        {crlf, 4, 2, 7, 18, 23, 1, 26, 30, sizeof crlf, false},     /* a line is missing */
        {crlf, 4, 2, 7, 17, 23, 0, 26, 30, sizeof crlf, false},     /* the value was cut */
        {crlf, 4, 2, 7, 26, 30, 1, 17, 23, sizeof crlf, false},     /* out of order: moved */
        {crlf, 4, 2, 7, 17, 23, 1, 26, 30, sizeof crlf + 1, false}, /* something at the end */
        {crlf, 4, 2, 7, 17, 23, 1, 26, 30, 31, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *text = cases[i].text;
        http_framing framing = {0};
        http_framing_line(&framing, text, text + cases[i].target, cases[i].target_len,
                          text + cases[i].version);
        http_framing_add(&framing, text + cases[i].host, strlen(text + cases[i].host),
                         text + cases[i].host_value, cases[i].host_len);
        http_framing_add(&framing, text + cases[i].a, strlen(text + cases[i].a),
                         text + cases[i].a_value, 1);
        http_framing_end(&framing, text + cases[i].end);
        framing.has_host = true;
        if (http_framing_sound(&framing, false) != cases[i].sound) {
            fail_msg("case %zu judged wrongly", i);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sound),
        cmocka_unit_test(test_nul),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
