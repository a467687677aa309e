/*
 * test_url.c - bases are parsed and written as the WHATWG URL standard says.
 *
 * The fragment of an input is dropped, as a base has none.
 */
#include "vectors.h"

#include <string.h>

#include "url.h"

typedef struct url_case {
    const char *input;
    const char *href; /* NULL: not an absolute URL */
} url_case;

static const url_case cases[] = {
    /* schemes and slashes */
    {"http://example.org", "http://example.org/"},
    {"HTTP://EXAMPLE.ORG/", "http://example.org/"},
    {"https:example.org", "https://example.org/"},
    {"http:/example.org", "http://example.org/"},
    {"http:///example.org///x", "http://example.org///x"},
    {"http:\\\\x:y@h\\a\\b", "http://x:y@h/a/b"},
    {"ht tp://x", NULL},
    {"1http://x", NULL},
    {"a+b-c.d:x", "a+b-c.d:x"},
    {"://x", NULL},
    {"not a url", NULL},
    {"", NULL},
    {"http", NULL},
    {"javascript:alert(1)", "javascript:alert(1)"},
    {"mailto:a@b.example?subject=hi there", "mailto:a@b.example?subject=hi%20there"},
    {"data:text/plain, a b ", "data:text/plain, a b"},
    {"data:x?\001", "data:x?"},
    {"foo:", "foo:"},
    {"foo:/", "foo:/"},
    {"foo:bar/../baz", "foo:bar/../baz"},
    {"foo:/bar/../baz", "foo:/baz"},
    {"foo:/a\\b", "foo:/a\\b"},
    {"foo:///x", "foo:///x"},
    {"foo://h", "foo://h"},
    {"foo:/.//x", "foo:/.//x"},
    {"web+demo:/.//not-a-host/", "web+demo:/.//not-a-host/"},
    /* controls, spaces and fragments */
    {"  \001 http://h/x \037 ", "http://h/x"},
    {"ht\012tp:\011//h\015/a\011b", "http://h/ab"},
    {"http://h/a#b#c", "http://h/a"},
    {"http://h/?q#", "http://h/?q"},
    {"http://h/#", "http://h/"},
    {"data:a b#c", "data:a b"},
    {"http://h/a b", "http://h/a%20b"},
    {"http://h/\303\251?\303\251", "http://h/%C3%A9?%C3%A9"},
    {"http://h/\177?\177", "http://h/%7F?%7F"},
    {"http://h/\360\237\232\200", "http://h/%F0%9F%9A%80"},
    /* credentials */
    {"http://u:p@h/", "http://u:p@h/"},
    {"http://u@h/", "http://u@h/"},
    {"http://:p@h/", "http://:p@h/"},
    {"http://:@h/", "http://h/"},
    {"http://@h/", "http://h/"},
    {"http://u:@h/", "http://u@h/"},
    {"http://a@b@c/", "http://a%40b@c/"},
    {"http://a:b:c@h/", "http://a:b%3Ac@h/"},
    {"http://u s:p|w@h/", "http://u%20s:p%7Cw@h/"},
    {"http://@/", NULL},
    {"http://u@/x", NULL},
    {"foo://u:p@h:1/x", "foo://u:p@h:1/x"},
    {"ftp://me:\303\274@h/", "ftp://me:%C3%BC@h/"},
    /* ports */
    {"http://h:80/", "http://h/"},
    {"https://h:443/", "https://h/"},
    {"http://h:443/", "http://h:443/"},
    {"ws://h:80/", "ws://h/"},
    {"wss://h:443/", "wss://h/"},
    {"ftp://h:21/", "ftp://h/"},
    {"http://h:/", "http://h/"},
    {"http://h:0/", "http://h:0/"},
    {"http://h:00080/", "http://h/"},
    {"http://h:65535/", "http://h:65535/"},
    {"http://h:65536/", NULL},
    {"http://h:8a/", NULL},
    {"http://h:-1/", NULL},
    {"http://:80/", NULL},
    {"foo://h:80/", "foo://h:80/"},
    {"foo://:80/", NULL},
    /* queries */
    {"http://h?a=b", "http://h/?a=b"},
    {"http://h/?", "http://h/?"},
    {"foo://h/?'\"<>", "foo://h/?'%22%3C%3E"},
    {"http://h/?'\"<>`{}|\\", "http://h/?%27%22%3C%3E`{}|\\"},
    {"http://h?a?b", "http://h/?a?b"},
    {"http://h/?%zz%20", "http://h/?%zz%20"},
    /* paths */
    {"http://h", "http://h/"},
    {"http://h/.", "http://h/"},
    {"http://h/..", "http://h/"},
    {"http://h/a/../../b", "http://h/b"},
    {"http://h/a/./b/.", "http://h/a/b/"},
    {"http://h/a/%2e%2E/b", "http://h/b"},
    {"http://h/a/.%2e", "http://h/"},
    {"http://h/%2e./x", "http://h/x"},
    {"http://h/...", "http://h/..."},
    {"http://h/a//b//", "http://h/a//b//"},
    {"http://h/a/..//", "http://h//"},
    {"http://h\\a\\..\\b?\\", "http://h/b?\\"},
    {"http://h/\"<>`{}|~'()*", "http://h/%22%3C%3E%60%7B%7D|~'()*"},
    {"http://h/%zz%7f", "http://h/%zz%7f"},
    /* files */
    {"file:", "file:///"},
    {"file:///", "file:///"},
    {"file:///etc/passwd", "file:///etc/passwd"},
    {"file:/etc/passwd", "file:///etc/passwd"},
    {"file:etc/passwd", "file:///etc/passwd"},
    {"file://localhost/x", "file:///x"},
    {"file://LOCALHOST/x", "file:///x"},
    {"file://host/x", "file://host/x"},
    {"file:///C|/a", "file:///C:/a"},
    {"file:///C:/..", "file:///C:/"},
    {"file:///C:/../../a", "file:///C:/a"},
    {"file://C:/a", "file:///C:/a"},
    {"file:C|/a", "file:///C:/a"},
    {"file:///c:", "file:///c:"},
    {"file:\\\\h\\x", "file://h/x"},
    {"file:////a", "file:////a"},
    {"file://h/C|/a", "file://h/C:/a"},
    {"file://u@h/", NULL},
    {"file://h:80/", NULL},
    {"file:///%43:/x", "file:///%43:/x"},
    {"file:///a/../..//b", "file:////b"},
    /* IPv4 */
    {"http://127.0.0.1/", "http://127.0.0.1/"},
    {"http://127.1/", "http://127.0.0.1/"},
    {"http://2130706433/", "http://127.0.0.1/"},
    {"http://0x7f.1/", "http://127.0.0.1/"},
    {"http://0177.0.0.1/", "http://127.0.0.1/"},
    {"http://0x/", "http://0.0.0.0/"},
    {"http://1.2.3.4./", "http://1.2.3.4/"},
    {"http://1.2.3.4.5/", NULL},
    {"http://256.1.1.1/", NULL},
    {"http://1.2.3.256/", NULL},
    {"http://1.2.65536/", NULL},
    {"http://4294967296/", NULL},
    {"http://1.2.3.08/", NULL},
    {"http://1..2/", NULL},
    {"http://1.2.3.4x/", "http://1.2.3.4x/"},
    {"http://a.1/", NULL},
    {"http://a.0x1/", NULL},
    {"http://1.a/", "http://1.a/"},
    {"http://\357\274\221.\357\274\222.3.4/", "http://1.2.3.4/"},
    {"foo://127.1/", "foo://127.1/"},
    /* IPv6 */
    {"http://[::1]/", "http://[::1]/"},
    {"http://[1:2:3:4:5:6:7:8]:8080/", "http://[1:2:3:4:5:6:7:8]:8080/"},
    {"http://[2001:DB8::0:0:1]/", "http://[2001:db8::1]/"},
    {"http://[1:0:0:2:0:0:0:3]/", "http://[1:0:0:2::3]/"},
    {"http://[0:0:1:1:1:1:0:0]/", "http://[::1:1:1:1:0:0]/"},
    {"http://[::ffff:192.168.0.1]/", "http://[::ffff:c0a8:1]/"},
    {"http://[::1.2.3]/", NULL},
    {"http://[::1.2.3.04]/", NULL},
    {"http://[::1.2.3.256]/", NULL},
    {"http://[1:2:3:4:5:6:7:1.2.3.4]/", NULL},
    {"http://[1::2::3]/", NULL},
    {"http://[:1]/", NULL},
    {"http://[1:]/", NULL},
    {"http://[12345::]/", NULL},
    {"http://[1:2:3:4:5:6:7]/", NULL},
    {"http://[::1/", NULL},
    {"http://::1]/", NULL},
    {"http://[]/", NULL},
    {"http://[::g]/", NULL},
    {"http://[::1%25eth0]/", NULL},
    {"foo://[::1]/", "foo://[::1]/"},
    /* domains */
    {"http://EXAMPLE.\303\205.org/", "http://example.xn--5ca.org/"},
    {"http://ex\303\244mple.invalid/", "http://xn--exmple-cua.invalid/"},
    {"http://fa\303\237.example/", "http://xn--fa-hia.example/"},
    {"http://xn--fa-hia.example/", "http://xn--fa-hia.example/"},
    {"http://XN--FA-HIA.example/", "http://xn--fa-hia.example/"},
    {"http://xn--/", NULL},
    {"http://xn--zz\303\274/", NULL},
    {"http://\342\230\203.example/", "http://xn--n3h.example/"},
    {"http://\360\237\232\200.example/", "http://xn--158h.example/"},
    {"http://xn--158h.example/", "http://xn--158h.example/"},
    {"http://ab--c.example/", "http://ab--c.example/"},
    {"http://\303\274b--c.example/", "http://xn--b--c-zra.example/"},
    {"http://-\303\274-.example/", "http://xn-----xka.example/"},
    {"http://a_\303\274+b.example/", "http://xn--a_+b-1ra.example/"},
    {"http://a\343\200\202b\357\274\216c\357\275\241d/", "http://a.b.c.d/"},
    {"http://\357\274\247\357\275\217.example/", "http://go.example/"},
    {"http://a%41%2e%62/", "http://aa.b/"},
    {"http://%e2%98%83.example/", "http://xn--n3h.example/"},
    {"http://a%00b/", NULL},
    {"http://a%20b/", NULL},
    {"http://a%25b/", NULL},
    {"http://a b/", NULL},
    {"http://a<b/", NULL},
    {"http://a|b/", NULL},
    {"http://a^b/", NULL},
    {"http://a%7fb/", NULL},
    {"http://\302\255/", NULL},
    {"http://a\342\200\213b.example/", "http://ab.example/"},
    {"http://x\342\200\215.example/", NULL},
    {"http://\327\220x.example/", NULL},
    {"http://./", "http://./"},
    {"http://a../", "http://a../"},
    {"http://!$&'()*+,;=_~.example/", "http://!$&'()*+,;=_~.example/"},
    {"http://\357\277\275.example/", NULL},
    {"http://%ff.example/", NULL},
    /* opaque hosts */
    {"foo://H\303\244/", "foo://H%C3%A4/"},
    {"foo://a%zz/", "foo://a%zz/"},
    {"foo://a b/", NULL},
    {"foo://a<b/", NULL},
    {"foo://a^b/", NULL},
    {"foo://a|b/", NULL},
    {"foo:///", "foo:///"},
    {"foo://", "foo://"},
    /* what the standard has changed or settled in recent years */
    {"http://h/^?^", "http://h/%5E?^"},
    {"data:a  #x", "data:a %20"},
    {"data:a ?b", "data:a%20?b"},
    {"foo:/..", "foo:/"},
    {"foo://h/..", "foo://h/"},
    {"http://xn--a-/", NULL},
    {"http://\302\255xn--a\303\274/", NULL},
    /* a lone surrogate counts as U+FFFD */
    {"http://h/\355\240\200", "http://h/%EF%BF%BD"},
};

static void test_table(void **state) {
    (void)state;
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t len = strlen(cases[i].input);
        uint8_t *input = guard_copy(cases[i].input, len);
        arx_buf out;
        arx_buf_init(&out, 0);
        arx_result rc = arx_url_base(input, len, &out);
        const char *href = cases[i].href;
        bool right = href == NULL ? rc == ARX_MALFORMED && out.len == 0
                                  : rc == ARX_OK && out.len == strlen(href) &&
                                        memcmp(out.data, href, out.len) == 0;
        if (!right) {
            print_error("%s -> %.*s, not %s\n", cases[i].input, (int)out.len,
                        out.data == NULL ? "" : (const char *)out.data, href ? href : "a failure");
            wrong++;
        }
        arx_buf_free(&out);
        guard_free(input, len);
    }
    assert_int_equal(wrong, 0);
}

/* What came out goes in again unchanged. */
static void test_serialisation_is_stable(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        arx_buf out;
        if (cases[i].href == NULL) {
            continue;
        }
        arx_buf_init(&out, 0);
        assert_int_equal(arx_url_base((const uint8_t *)cases[i].href, strlen(cases[i].href), &out),
                         ARX_OK);
        assert_int_equal(out.len, strlen(cases[i].href));
        assert_memory_equal(out.data, cases[i].href, out.len);
        arx_buf_free(&out);
    }
}

/* Appends behind what is there, and long inputs are no trouble. */
static void test_appends(void **state) {
    (void)state;
    arx_buf in;
    arx_buf out;
    arx_buf_init(&in, 0);
    arx_buf_init(&out, 0);
    arx_buf_append_str(&in, "http://h");
    for (int i = 0; i < 50000; i++) {
        arx_buf_append_str(&in, "/a/..");
    }
    arx_buf_append_str(&out, "<");
    assert_int_equal(arx_url_base(in.data, in.len, &out), ARX_OK);
    assert_int_equal(out.len, strlen("<http://h/"));
    assert_memory_equal(out.data, "<http://h/", out.len);
    arx_buf_free(&in);
    arx_buf_free(&out);
}

/* A label of any length is answered, and in reasonable time. */
static void test_long_labels(void **state) {
    (void)state;
    arx_buf in;
    arx_buf out;
    arx_buf_init(&in, 0);
    arx_buf_init(&out, 0);
    arx_buf_append_str(&in, "http://");
    for (int i = 0; i < 100000; i++) {
        arx_buf_append_byte(&in, 'a');
    }
    assert_int_equal(arx_url_base(in.data, in.len, &out), ARX_OK);
    assert_int_equal(out.len, in.len + 1);
    for (int i = 0; i < 1000; i++) {
        arx_buf_append_str(&in, "\303\274.xn--");
    }
    assert_int_equal(arx_url_base(in.data, in.len, &out), ARX_MALFORMED);
    arx_buf_free(&in);
    arx_buf_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_serialisation_is_stable),
        cmocka_unit_test(test_appends),
        cmocka_unit_test(test_long_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
