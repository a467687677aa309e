/* The tokens file: what its lines may be, who is found in it, and `arxd token`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vectors.h"

#include "auth.h"
#include "tokens.h"

#define A "0000000000000000000000000000000000000000000000000000000000000001"
#define B "0000000000000000000000000000000000000000000000000000000000000002"

/* Parses from a copy that ends at an unmapped page. */
static bool parse(const char *text, token_row **rows, size_t *count, size_t *line) {
    const char *wrong;
    size_t len = strlen(text);
    uint8_t *copy = guard_copy(text, len);
    bool good = tokens_parse((const char *)copy, len, rows, count, line, &wrong);
    assert_true(good == (wrong == NULL));
    guard_free(copy, len);
    return good;
}

static void good_files(void **state) {
    (void)state;
    token_row *rows;
    size_t count;
    size_t line;
    static const char *const empty[] = {"", "\n", "# nobody\n\n  \t\r\n#", " "};
    for (size_t i = 0; i < 4; i++) {
        assert_true(parse(empty[i], &rows, &count, &line));
        assert_int_equal(count, 0);
        free(rows);
    }
    assert_true(parse("#\nci.robot-2_x create " A "\r\n\t person\tapprove  " B " 2027-01-31 ",
                      &rows, &count, &line));
    assert_int_equal(count, 2);
    assert_string_equal(rows[0].name, "ci.robot-2_x");
    assert_int_equal(rows[0].scopes, TOKEN_CREATE);
    assert_int_equal(rows[0].hash[31], 1);
    assert_true(rows[0].expires_at_ms == INT64_MAX);
    assert_int_equal(rows[1].scopes, TOKEN_APPROVE);
    assert_true(rows[1].expires_at_ms == 1801353600000);
    free(rows);
    assert_true(parse("a read,admin,create " A " 2027-01-31T12:00:00Z", &rows, &count, &line));
    assert_int_equal(rows[0].scopes, TOKEN_READ | TOKEN_ADMIN | TOKEN_CREATE);
    assert_true(rows[0].expires_at_ms == 1801353600000 + 12 * 3600 * 1000);
    free(rows);
}

static void wrong_files(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t line;
    } cases[] = {
        {"a", 1},
        {"a create", 1},
        {"a create ", 1},
        {"a create 12", 1},
        {"a create " A "0", 1},
        {"a  " A, 1},
        {"a write " A, 1},
        {"a ,create " A, 1},
        {"a create, " A, 1},
        {"a create,,read " A, 1},
        {"a create,create " A, 1},
        {"a approve,read " A, 1},
        {"a/b create " A, 1},
        {"\xC3\xA4 create " A, 1},
        {"a create " A " soon", 1},
        {"a create " A " 2027-01-32", 1},
        {"a create " A " 2027-01-31 x", 1},
        {"a create " A "\na read " B, 2},
        {"a create " A "\n\n#\nb read " A "\n", 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        token_row *rows = NULL;
        size_t count;
        size_t line;
        if (parse(cases[i].text, &rows, &count, &line) || rows != NULL || line != cases[i].line) {
            fail_msg("case %zu: line %zu", i, line);
        }
    }
}

static void write_file(const char *path, const char *text) {
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static void tokens_are_found_until_they_expire(void **state) {
    (void)state;
    char path[] = "/tmp/arxd-tokens-XXXXXX";
    char why[300];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)close(fd);
    write_file(path, "a create " A "\nb read " B " 2027-01-31\n");
    tokens *file = tokens_open(path, true, why, sizeof why);
    assert_non_null(file);

    uint8_t hash[SECRET_HASH_BYTES] = {0};
    token_row found;
    assert_false(tokens_find(file, hash, 0, &found));
    hash[31] = 1;
    assert_true(tokens_find(file, hash, INT64_MAX - 1, &found));
    assert_string_equal(found.name, "a");
    hash[31] = 2;
    assert_true(tokens_find(file, hash, 1801353599999, &found));
    assert_int_equal(found.scopes, TOKEN_READ);
    assert_false(tokens_find(file, hash, 1801353600000, &found));

    /* A file that became wrong changes nothing; one that is right again, everything. */
    write_file(path, "a create " A "\nbroken\n");
    assert_false(tokens_reload(file, why, sizeof why));
    assert_non_null(strstr(why, path));
    assert_non_null(strstr(why, "line 2"));
    assert_true(tokens_find(file, hash, 0, &found));
    write_file(path, "");
    assert_true(tokens_reload(file, why, sizeof why));
    assert_false(tokens_find(file, hash, 0, &found));
    assert_int_equal(unlink(path), 0);
    assert_false(tokens_reload(file, why, sizeof why));
    tokens_free(file);
    assert_null(tokens_open(path, true, why, sizeof why));
    assert_non_null(strstr(why, path));
}

/* Counts, by the linker's --wrap. */
static size_t compared;
bool __real_secret_equal(const uint8_t a[SECRET_HASH_BYTES], const uint8_t b[SECRET_HASH_BYTES]);
bool __wrap_secret_equal(const uint8_t a[SECRET_HASH_BYTES], const uint8_t b[SECRET_HASH_BYTES]);
bool __wrap_secret_equal(const uint8_t a[SECRET_HASH_BYTES], const uint8_t b[SECRET_HASH_BYTES]) {
    compared++;
    return __real_secret_equal(a, b);
}

/* The time a look-up takes tells nothing of which token is there, or how much of one was right. */
static void every_token_is_compared_whatever_matches(void **state) {
    (void)state;
    const char *path = "build/test-tokens-compared";
    char why[300] = "";
    char text[1024] = "";
    for (unsigned i = 0; i < 7; i++) {
        size_t len = strlen(text);
        (void)snprintf(text + len, sizeof text - len, "n%u create %064x%s\n", i, i,
                       i == 3 ? " 2020-01-01" : "");
    }
    write_file(path, text);
    tokens *file = tokens_open(path, true, why, sizeof why);
    assert_non_null(file);
    for (unsigned i = 0; i < 9; i++) {
        uint8_t hash[SECRET_HASH_BYTES] = {0};
        hash[SECRET_HASH_BYTES - 1] = (uint8_t)i;
        token_row found;
        uint64_t rows;
        uint64_t bytes;
        compared = 0;
        bool is_good = tokens_find(file, hash, INT64_C(4000000000000), &found);
        assert_int_equal(is_good, i < 7 && i != 3);
        assert_int_equal(compared, 7);
        tokens_quota(file, hash, &rows, &bytes);
        assert_int_equal(compared, 14);
    }
    tokens_free(file);
    assert_int_equal(unlink(path), 0);
}

static void quotas_stand_with_the_rates(void **state) {
    (void)state;
    const char *path = "build/test-tokens-quotas";
    char why[300] = "";
    char text[400];
    uint8_t hash[SECRET_HASH_BYTES] = {0};
    uint64_t rows = 1;
    uint64_t bytes = 1;
    (void)snprintf(text, sizeof text,
                   "a create %064x\nb create %064x 2020-01-01 rows=10,bytes=2m,write=5/s\n", 1, 2);
    write_file(path, text);
    tokens *file = tokens_open(path, true, why, sizeof why);
    assert_non_null(file);
    for (unsigned i = 0; i < 2; i++) { /* none, and one that is not there */
        hash[SECRET_HASH_BYTES - 1] = (uint8_t)i;
        tokens_quota(file, hash, &rows, &bytes);
        assert_int_equal(rows, 0);
        assert_int_equal(bytes, 0);
    }
    hash[SECRET_HASH_BYTES - 1] = 2;
    tokens_quota(file, hash, &rows, &bytes);
    assert_int_equal(rows, 10);
    assert_int_equal(bytes, 2 << 20);
    tokens_free(file);
    assert_null(tokens_open(path, false, why, sizeof why));
    assert_non_null(strstr(why, "token b"));
    assert_int_equal(unlink(path), 0);
}

static void many_tokens(void **state) {
    (void)state;
    arx_buf text;
    arx_buf_init(&text, 0);
    for (unsigned i = 0; i < 1000; i++) {
        char line[120];
        (void)snprintf(line, sizeof line, "n%u create %064x\n", i, i);
        arx_buf_append_str(&text, line);
    }
    token_row *rows;
    size_t count;
    size_t line;
    const char *wrong;
    assert_true(tokens_parse((const char *)text.data, text.len, &rows, &count, &line, &wrong));
    assert_int_equal(count, 1000);
    assert_string_equal(rows[999].name, "n999");
    free(rows);
    arx_buf_free(&text);
}

static void a_token_that_is_made_is_the_one_its_line_says(void **state) {
    (void)state;
    char why[300] = "";
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    assert_true(tokens_make("ci", "create,read", "2030-01-01", out, why, sizeof why));
    assert_int_equal(fclose(out), 0);
    char *line = strchr(text, '\n');
    assert_non_null(line);
    *line++ = '\0';
    token_row *rows;
    size_t count;
    size_t at;
    assert_true(parse(line, &rows, &count, &at));
    assert_int_equal(count, 1);
    uint8_t hash[SECRET_HASH_BYTES];
    secret_hash(text, strlen(text), hash);
    assert_memory_equal(hash, rows[0].hash, sizeof hash);
    free(rows);
    free(text);
    FILE *null = fopen("/dev/full", "w");
    assert_non_null(null);
    assert_false(tokens_make("ci", "create", NULL, null, why, sizeof why));
    (void)fclose(null);
    assert_false(tokens_make("c i", "create", NULL, stderr, why, sizeof why));
    assert_false(tokens_make("ci", "creates", NULL, stderr, why, sizeof why));
    assert_false(tokens_make("ci", "create", "2030", stderr, why, sizeof why));
}

static void authorization_headers(void **state) {
    (void)state;
    static const struct {
        const char *header;
        const char *token; /* NULL: none */
    } cases[] = {
        {NULL, NULL},
        {"", NULL},
        {"Bearer", NULL},
        {"Bearer ", NULL},
        {"Bearer  \t", NULL},
        {"Bearerabc", NULL},
        {"Basic abc", NULL},
        {"Bearer abc", "abc"},
        {"bearer   abc  ", "abc"},
        {"BEARER a-b_c.d~e+f/g==", "a-b_c.d~e+f/g=="},
        {"Bearer abc def", NULL},
        {"Bearer abc,", NULL},
        {"Bearer abc, Bearer def", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t len = 0;
        const char *token = auth_bearer(cases[i].header, &len);
        if ((token != NULL) != (cases[i].token != NULL) ||
            (token != NULL &&
             (len != strlen(cases[i].token) || memcmp(token, cases[i].token, len) != 0))) {
            fail_msg("case %zu", i);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_files),
        cmocka_unit_test(wrong_files),
        cmocka_unit_test(tokens_are_found_until_they_expire),
        cmocka_unit_test(every_token_is_compared_whatever_matches),
        cmocka_unit_test(quotas_stand_with_the_rates),
        cmocka_unit_test(many_tokens),
        cmocka_unit_test(a_token_that_is_made_is_the_one_its_line_says),
        cmocka_unit_test(authorization_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
