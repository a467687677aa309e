/* From where the agent interface may be called: hosts and origins, one by one. */
#include "vectors.h"

#include "guard.h"

static const guard_site LOCAL = {"127.0.0.1", NULL};
static const guard_site LOCAL6 = {"::1", NULL};
static const guard_site BEHIND = {"localhost", "https://links.example.com/arxd"};
static const guard_site OPEN = {"0.0.0.0", "https://links.example.com"};
static const guard_site NAMELESS = {"192.0.2.7", NULL};

static void hosts(void **state) {
    (void)state;
    static const char *const own[] = {"127.0.0.1",      "127.0.0.1:3000",  "localhost",
                                      "localhost:3000", "LocalHost:65535", "127.8.9.10:1",
                                      "[::1]",          "[::1]:3000"};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        assert_true(guard_host(&LOCAL, own[i]));
        assert_true(guard_host(&LOCAL6, own[i]));
        assert_true(guard_host(&BEHIND, own[i]));
    }
    static const char *const foreign[] = {"evil.example",
                                          "evil.example:3000",
                                          "localhost.evil.example",
                                          "127.0.0.1.evil.test",
                                          "localhost:3000x",
                                          "localhost:1234567",
                                          "[::1].evil.example",
                                          "[::1",
                                          "[::2]",
                                          "10.0.0.1",
                                          "0.0.0.0",
                                          "128.0.0.1",
                                          "::1:80",
                                          "",
                                          "[",
                                          "]",
                                          ":",
                                          "localhost@evil.test",
                                          "127.1",
                                          "[127.0.0.1]x"};
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        assert_false(guard_host(&LOCAL, foreign[i]));
        assert_false(guard_host(&BEHIND, foreign[i]));
        assert_true(guard_host(&OPEN, foreign[i]));
    }
    assert_false(guard_host(&LOCAL, NULL));
    assert_false(guard_host(&LOCAL, "links.example.com"));
    assert_true(guard_host(&BEHIND, "links.example.com"));
    assert_true(guard_host(&BEHIND, "Links.Example.COM"));
    assert_false(guard_host(&BEHIND, "links.example.com:8443"));
}

static void origins(void **state) {
    (void)state;
    assert_true(guard_origin(&LOCAL, "127.0.0.1:3000", NULL));
    assert_true(guard_origin(&LOCAL, "127.0.0.1:3000", "http://127.0.0.1:3000"));
    assert_true(guard_origin(&LOCAL, "127.0.0.1:3000", "http://localhost:6274"));
    assert_true(guard_origin(&LOCAL, "127.0.0.1:3000", "https://[::1]:6274"));
    assert_true(guard_origin(&OPEN, "links.example.com", "https://links.example.com"));
    assert_true(guard_origin(&OPEN, "10.0.0.1", "https://links.example.com"));
    assert_true(guard_origin(&NAMELESS, "192.0.2.7:3000", "http://192.0.2.7:3000"));
    static const char *const foreign[] = {"null",
                                          "",
                                          "http://",
                                          "https://evil.example",
                                          "http://localhost.evil.example",
                                          "http://192.0.2.7",
                                          "file://localhost",
                                          "chrome-extension://abc",
                                          "https://links.example.com.evil.example",
                                          "https://evil.example/?links.example.com"};
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        assert_false(guard_origin(&LOCAL, "127.0.0.1:3000", foreign[i]));
        assert_false(guard_origin(&OPEN, "links.example.com", foreign[i]));
        assert_false(guard_origin(&NAMELESS, "192.0.2.7:3000", foreign[i]));
    }
    assert_false(guard_origin(&OPEN, "links.example.com", "http://localhost:6274"));
    assert_false(guard_origin(&LOCAL, NULL, "https://links.example.com"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts),
        cmocka_unit_test(origins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
