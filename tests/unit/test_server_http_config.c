/* Settings: flag over variable over default, ranges, and one line that says what is wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vectors.h"

#include "config.h"

/* "NAME=value" pairs a test sets. */
static const char *const *variables;

static const char *lookup(const char *name) {
    size_t len = strlen(name);
    for (const char *const *at = variables; at != NULL && *at != NULL; at++) {
        if (strncmp(*at, name, len) == 0 && (*at)[len] == '=') {
            return *at + len + 1;
        }
    }
    return NULL;
}

static char why[300];

static config_action parse(server_config *config, const char *const *environment,
                           const char *const *flags) {
    const char *argv[20] = {"arxd"};
    int argc = 1;
    for (; flags != NULL && *flags != NULL; flags++) {
        argv[argc++] = *flags;
    }
    variables = environment;
    why[0] = '\0';
    return config_parse(config, argc, (char *const *)(uintptr_t)argv, lookup, why, sizeof why);
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_defaults(void **state) {
    (void)state;
    server_config config;
    assert_int_equal(parse(&config, NULL, NULL), CONFIG_RUN);
    assert_string_equal(config.host, "127.0.0.1");
    assert_int_equal(config.port, 3000);
    assert_string_equal(config.db, "./data/arxd.db");
    assert_null(config.assets);
    assert_int_equal(config.compat_count, 0);
    assert_null(config.public_url);
    assert_int_equal(config.ttl_hours, 24);
    assert_int_equal(config.max_ttl_hours, 8760);
    assert_int_equal(config.max_body_bytes, 4194304);
    assert_true(config.threads >= 1 && config.threads <= 64);
    assert_int_equal(config.workers, config.threads);
    assert_int_equal(config.queue, 64);
    assert_int_equal(config.encode_deadline_ms, 30000);
    assert_int_equal(config.image_mb, 256);
    assert_int_equal(config.raw_cache_mb, 32);
    assert_null(config.tokens_file);
    assert_false(config.open);
    assert_false(config.open_writes);
    assert_false(config.gone);
    assert_int_equal(config.trusted_hops, 0);
    assert_int_equal(config.max_connections, 4096);
    assert_int_equal(config.max_per_address, 256);
    assert_int_equal(config.log_format, LOG_TEXT);
    assert_int_equal(config.log_level, LOG_INFO);
    assert_int_equal(config.shutdown_grace_ms, 5000);
    config_clear(&config);
}

static void test_order(void **state) {
    (void)state;
    server_config config;
    assert_int_equal(parse(&config, LIST("PORT=4000", "ARXD_QUEUE=", "ARXD_LOG=json:debug"), NULL),
                     CONFIG_RUN);
    assert_int_equal(config.port, 4000);
    assert_int_equal(config.queue, 64); /* empty counts as not set */
    assert_int_equal(config.log_format, LOG_JSON);
    assert_int_equal(config.log_level, LOG_DEBUG);
    config_clear(&config);

    assert_int_equal(parse(&config, LIST("PORT=4000"), LIST("--port", "5000", "--queue=7")),
                     CONFIG_RUN);
    assert_int_equal(config.port, 5000);
    assert_int_equal(config.queue, 7);
    config_clear(&config);

    /* A variable that a flag overrides is not even looked at. */
    assert_int_equal(parse(&config, LIST("PORT=wrong"), LIST("--port=1")), CONFIG_RUN);
    assert_int_equal(config.port, 1);
    config_clear(&config);
}

static void test_lists_and_urls(void **state) {
    (void)state;
    server_config config;
    assert_int_equal(parse(&config, LIST("ARXD_COMPAT_ASSETS=/a:/b"), NULL), CONFIG_RUN);
    assert_int_equal(config.compat_count, 2);
    assert_string_equal(config.compat[1], "/b");
    config_clear(&config);

    assert_int_equal(parse(&config, LIST("ARXD_COMPAT_ASSETS=/a:/b"),
                           LIST("--compat", "/c", "--compat=/d", "--compat", "/e")),
                     CONFIG_RUN);
    assert_int_equal(config.compat_count, 3);
    assert_string_equal(config.compat[0], "/c");
    assert_string_equal(config.compat[2], "/e");
    config_clear(&config);

    static const char *const urls[][2] = {
        {"https://a.example", "https://a.example"},
        {"https://a.example///", "https://a.example"},
        {"http://[::1]:3000/", "http://[::1]:3000"},
        {"https://a.example/links/", "https://a.example/links"},
    };
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(parse(&config, NULL, LIST("--public-url", urls[i][0])), CONFIG_RUN);
        assert_string_equal(config.public_url, urls[i][1]);
        config_clear(&config);
    }
}

static void test_wrong(void **state) {
    (void)state;
    static const struct {
        const char *flag;
        const char *value;
        const char *allowed; /* part of the line */
    } cases[] = {
        {"--port", "65536", "from 0 to 65535"},
        {"--port", "-1", "from 0 to 65535"},
        {"--port", "3000x", "from 0 to 65535"},
        {"--port", " 3000", "from 0 to 65535"},
        {"--port", "99999999999999999999", "from 0 to 65535"},
        {"--port", "", "is not a value"},
        {"--host", "example.org", "an IPv4 or IPv6 address"},
        {"--ttl-hours", "0", "from 1 to 87600"},
        {"--max-body", "65535", "from 65536 to 67108864"},
        {"--max-body", "67108865", "from 65536 to 67108864"},
        {"--threads", "65", "from 1 to 64"},
        {"--workers", "0", "from 1 to 64"},
        {"--public-url", "example.org", "http:// or https:// URL"},
        {"--public-url", "https://", "http:// or https:// URL"},
        {"--public-url", "https:///x", "http:// or https:// URL"},
        {"--public-url", "https://a?b", "http:// or https:// URL"},
        {"--public-url", "https://a/#b", "http:// or https:// URL"},
        {"--public-url", "https://a\"b", "http:// or https:// URL"},
        {"--public-url", "https://u@a", "http:// or https:// URL"},
        {"--log", "xml", "text or json"},
        {"--log", "text:loud", "text or json"},
        {"--log", "text:", "text or json"},
        {"--compat", "/a::/b", "a list of folders"},
        {"--ttl-hours", "9000", "--max-ttl-hours"},
        {"--host", "0.0.0.0", "--open"},
        {"--host", "::", "--open"},
        {"--host", "192.168.1.1", "--open"},
    };
    server_config config;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(parse(&config, NULL, LIST(cases[i].flag, cases[i].value)), CONFIG_WRONG);
        if (strstr(why, cases[i].flag) == NULL || strstr(why, cases[i].value) == NULL ||
            strstr(why, cases[i].allowed) == NULL || strchr(why, '\n') != NULL) {
            fail_msg("%s %s: %s", cases[i].flag, cases[i].value, why);
        }
        config_clear(&config);
    }
    assert_int_equal(parse(&config, LIST("ARXD_OPEN=maybe"), NULL), CONFIG_WRONG);
    assert_string_equal(why, "ARXD_OPEN: \"maybe\" is not on or off");
    config_clear(&config);
    assert_int_equal(parse(&config, NULL, LIST("--nope")), CONFIG_WRONG);
    assert_non_null(strstr(why, "--nope"));
    config_clear(&config);
    assert_int_equal(parse(&config, NULL, LIST("serve")), CONFIG_WRONG);
    config_clear(&config);
    assert_int_equal(parse(&config, NULL, LIST("--port")), CONFIG_WRONG);
    assert_non_null(strstr(why, "missing"));
    config_clear(&config);
}

static void test_open(void **state) {
    (void)state;
    server_config config;
    assert_int_equal(parse(&config, LIST("HOST=0.0.0.0", "ARXD_OPEN=1"), NULL), CONFIG_RUN);
    config_clear(&config);
    assert_int_equal(parse(&config, LIST("HOST=::"), LIST("--open")), CONFIG_RUN);
    config_clear(&config);
    assert_int_equal(parse(&config, LIST("HOST=::"), LIST("--tokens", "file")), CONFIG_RUN);
    assert_string_equal(config.tokens_file, "file");
    config_clear(&config);
    static const char *const loopback[] = {"127.0.0.1", "127.1.2.3", "::1", "localhost"};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(parse(&config, NULL, LIST("--host", loopback[i])), CONFIG_RUN);
        config_clear(&config);
    }
    assert_false(config_is_loopback("128.0.0.1"));
    assert_false(config_is_loopback("::2"));
}

static void test_actions(void **state) {
    (void)state;
    server_config config;
    assert_int_equal(parse(&config, NULL, LIST("--help")), CONFIG_HELP);
    config_clear(&config);
    assert_int_equal(parse(&config, NULL, LIST("--port", "1", "--version")), CONFIG_VERSION);
    config_clear(&config);
    assert_int_equal(parse(&config, NULL, LIST("--healthcheck", "--port", "81")),
                     CONFIG_HEALTHCHECK);
    assert_int_equal(config.port, 81);
    config_clear(&config);
}

static void test_commands(void **state) {
    (void)state;
    server_config config;
    assert_int_equal(parse(&config, NULL, LIST("token", "ci", "create")), CONFIG_TOKEN);
    assert_string_equal(config.operands[0], "ci");
    assert_string_equal(config.operands[1], "create");
    assert_null(config.operands[2]);
    config_clear(&config);
    assert_int_equal(parse(&config, NULL, LIST("token", "ci", "create", "2030-01-01")),
                     CONFIG_TOKEN);
    assert_string_equal(config.operands[2], "2030-01-01");
    config_clear(&config);
    /* Flags may stand anywhere; an id may begin with a hyphen. */
    assert_int_equal(parse(&config, NULL, LIST("--db", "x.db", "delete", "-abc", "--gone")),
                     CONFIG_DELETE);
    assert_string_equal(config.operands[0], "-abc");
    assert_string_equal(config.db, "x.db");
    config_clear(&config);
    /* What only matters to a server is no trouble to a command. */
    assert_int_equal(parse(&config, NULL, LIST("delete", "x", "--host", "0.0.0.0")), CONFIG_DELETE);
    config_clear(&config);
    const char *const *const wrong[] = {
        LIST("token"),
        LIST("token", "ci"),
        LIST("token", "a", "b", "c", "d"),
        LIST("delete"),
        LIST("delete", "a", "b"),
        LIST("remove", "a"),
        LIST("a", "b", "c", "d", "e"),
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        if (parse(&config, NULL, wrong[i]) != CONFIG_WRONG || why[0] == '\0') {
            fail_msg("case %zu", i);
        }
        config_clear(&config);
    }
}

/* Every setting with its variable is in the help. */
static void test_help(void **state) {
    (void)state;
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    config_print_help(out);
    assert_int_equal(fclose(out), 0);
    static const char *const names[] = {
        "--port N",
        "PORT",
        "--host ADDRESS",
        "HOST",
        "--db",
        "DB_PATH",
        "--assets",
        "ARX_ASSETS",
        "--compat",
        "ARXD_COMPAT_ASSETS",
        "--public-url",
        "ARXD_PUBLIC_URL",
        "--ttl-hours",
        "ARXD_TTL_HOURS",
        "--max-ttl-hours",
        "ARXD_MAX_TTL_HOURS",
        "--max-body",
        "ARXD_MAX_BODY",
        "--threads",
        "ARXD_THREADS",
        "--workers",
        "ARXD_WORKERS",
        "--queue",
        "ARXD_QUEUE",
        "--encode-deadline",
        "ARXD_ENCODE_DEADLINE_MS",
        "--image-mb",
        "ARXD_IMAGE_MB",
        "--raw-cache-mb",
        "ARXD_RAW_CACHE_MB",
        "--tokens PATH",
        "ARXD_TOKENS_FILE",
        "--open",
        "ARXD_OPEN",
        "--open-writes",
        "ARXD_OPEN_WRITES",
        "--gone",
        "ARXD_GONE",
        "token NAME SCOPES [EXPIRES]",
        "delete ID",
        "--trust-proxy",
        "ARXD_TRUST_PROXY",
        "--max-connections",
        "ARXD_MAX_CONNECTIONS",
        "--max-per-address",
        "ARXD_MAX_PER_ADDRESS",
        "--log",
        "ARXD_LOG",
        "--shutdown-grace",
        "SHUTDOWN_GRACE_MS",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strstr(text, names[i]) == NULL) {
            fail_msg("not in the help: %s", names[i]);
        }
    }
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),       cmocka_unit_test(test_order),
        cmocka_unit_test(test_lists_and_urls), cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_open),           cmocka_unit_test(test_actions),
        cmocka_unit_test(test_commands),       cmocka_unit_test(test_help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
