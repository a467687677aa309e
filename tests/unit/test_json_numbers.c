/*
 * test_json_numbers.c - numbers are read as the nearest double and written as ECMAScript's
 * Number::toString writes them: the fewest digits that read back, in its choice of notation.
 */
#include "vectors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double read_number(const char *text) {
    arx_json_doc *doc;
    arx_json *root;
    uint8_t *copy = guard_copy(text, strlen(text));
    if (arx_json_parse(copy, strlen(text), 0, &doc, &root) != ARX_OK) {
        fail_msg("refused: %s", text);
    }
    guard_free(copy, strlen(text));
    assert_true(arx_json_is(root, ARX_JSON_NUMBER));
    double value = root->as.number;
    arx_json_doc_free(doc);
    return value;
}

static void write_number(double value, char *text, size_t size) {
    arx_buf out;
    arx_buf_init(&out, 0);
    arx_json_write_number(value, &out);
    assert_true(out.len < size);
    memcpy(text, out.data, out.len);
    text[out.len] = '\0';
    arx_buf_free(&out);
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double of_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void known_numbers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *want;
    } rows[] = {
        {"0", "0"},
        {"-0", "0"},
        {"-0.0e5", "0"},
        {"1.0", "1"},
        {"1e0", "1"},
        {"10e-1", "1"},
        {"-1", "-1"},
        {"0.1", "0.1"},
        {"12.50", "12.5"},
        {"100", "100"},
        {"1E2", "100"},
        {"1e+2", "100"},
        {"123456789012", "123456789012"},
        {"9007199254740991", "9007199254740991"},
        {"9007199254740992", "9007199254740992"},
        {"9007199254740993", "9007199254740992"},
        {"9007199254740993.0000000000000000000000000001", "9007199254740994"},
        {"123456789012345680000", "123456789012345680000"},
        {"100000000000000000000", "100000000000000000000"},
        {"999999999999999900000", "999999999999999900000"},
        {"1e21", "1e+21"},
        {"1000000000000000000000", "1e+21"},
        {"-1.5e21", "-1.5e+21"},
        {"1.7976931348623157e308", "1.7976931348623157e+308"},
        {"1.7976931348623158e308", "1.7976931348623157e+308"},
        {"0.001", "0.001"},
        {"0.000001", "0.000001"},
        {"0.00000123", "0.00000123"},
        {"1e-7", "1e-7"},
        {"0.0000001", "1e-7"},
        {"-1.5e-7", "-1.5e-7"},
        {"5e-324", "5e-324"},
        {"4.9406564584124654e-324", "5e-324"},
        {"2.2250738585072014e-308", "2.2250738585072014e-308"},
        {"2.2250738585072011e-308", "2.225073858507201e-308"},
        {"2.225073858507201e-308", "2.225073858507201e-308"},
        {"2.4703282292062327e-324", "0"},
        {"2.4703282292062328e-324", "5e-324"},
        {"1e-400", "0"},
        {"-1e-400", "0"},
        {"1e400", "null"},
        {"-1e999", "null"},
        {"1e99999999999999999999", "null"},
        {"1e-99999999999999999999", "0"},
        {"0e99999999999999999999", "0"},
        {"1.7976931348623159e308", "null"},
        {"0.30000000000000004", "0.30000000000000004"},
        {"4.35", "4.35"},
        {"4.349999999999999644728632", "4.35"},
        {"2.98023223876953125e-8", "2.9802322387695312e-8"},
        {"1e23", "1e+23"},
        {"9.999999999999999e22", "1e+23"},
        {"8.5e22", "8.5e+22"},
        {"5.684341886080801e-14", "5.684341886080801e-14"},
        {"9.5367431640625e-7", "9.5367431640625e-7"},
        {"123456.789e-10", "0.0000123456789"},
        {"333333333.33333329", "333333333.3333333"},
        {"1e22", "1e+22"},
        {"0.000000000000000000000000000000000000000000000001e48", "1"},
        {"1000000000000000000000000000000000000000000000000e-48", "1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[64];
        write_number(read_number(rows[i].text), text, sizeof text);
        if (strcmp(text, rows[i].want) != 0) {
            fail_msg("%s: got %s, want %s", rows[i].text, text, rows[i].want);
        }
    }
    assert_true(signbit(read_number("-0")));
    assert_true(signbit(read_number("-1e-999")));
    assert_true(isinf(read_number("1e309")));
    char text[64];
    write_number((double)NAN, text, sizeof text);
    assert_string_equal(text, "null");
}

static uint64_t random_state = 88172645463325252u;

static uint64_t random_u64(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* How many significant digits a number's text has. */
static int digits_in(const char *text) {
    char digits[64];
    int count = 0;
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text >= '0' && *text <= '9' && (count > 0 || *text != '0')) {
            digits[count++] = *text;
        }
    }
    while (count > 0 && digits[count - 1] == '0') {
        count--;
    }
    return count;
}

static void assert_shortest(double value) {
    char text[64];
    write_number(value, text, sizeof text);
    if (bits_of(strtod(text, NULL)) != bits_of(value) ||
        bits_of(read_number(text)) != bits_of(value)) {
        fail_msg("%.17g is written as %s", value, text);
    }
    /* One digit less, rounded either way, must be another number. */
    int digits = digits_in(text);
    assert_in_range(digits, 1, 17);
    if (digits > 1) {
        char shorter[64];
        snprintf(shorter, sizeof shorter, "%.*e", digits - 2, value);
        if (bits_of(strtod(shorter, NULL)) == bits_of(value)) {
            fail_msg("%s is written as %s", shorter, text);
        }
    }
    /* Among texts of that length it is the nearest, where the nearest reads back at all. */
    char nearest[64];
    snprintf(nearest, sizeof nearest, "%.*e", digits - 1, value);
    if (bits_of(strtod(nearest, NULL)) == bits_of(value)) {
        char ours[64];
        snprintf(ours, sizeof ours, "%.*e", digits - 1, strtod(text, NULL));
        assert_string_equal(ours, nearest);
    }
}

static void the_fewest_digits_that_read_back(void **state) {
    (void)state;
    for (int i = 0; i < 20000; i++) {
        double value = of_bits(random_u64() & 0x7FFFFFFFFFFFFFFFu);
        if (isfinite(value) && value != 0) {
            assert_shortest(value);
        }
        assert_shortest((double)(random_u64() % 1000000007 + 1) / 1000);
        assert_shortest((double)(random_u64() >> random_u64() % 60) + 1);
    }
    for (int power = -1074; power < 1024; power++) {
        double value = ldexp(1, power);
        assert_shortest(value);
        assert_shortest(nextafter(value, HUGE_VAL));
        if (power > -1074) {
            assert_shortest(nextafter(value, 0));
        }
    }
}

/*
 * Numbers exactly between two doubles, and just off: the case in which every digit counts. The
 * C library's printf writes exact digits and its strtod is the oracle.
 */
static void ties_and_long_digits_round_right(void **state) {
    (void)state;
    for (int i = 0; i < 2000; i++) {
        uint64_t bits = random_u64() & 0x7FFFFFFFFFFFFFFFu;
        if (i % 5 == 0) {
            bits &= 0x000FFFFFFFFFFFFFu; /* subnormal */
        }
        double low = of_bits(bits);
        double high = of_bits(bits + 1);
        if (!isfinite(high)) {
            continue;
        }
        /* low + (high - low) / 2 has one bit more than a double; long double has it. */
        long double middle = (long double)low + ((long double)high - (long double)low) / 2;
        char text[1200];
        int len = snprintf(text, sizeof text - 8, "%.780Le", middle);
        assert_in_range(len, 1, (int)sizeof text - 9);
        assert_true(bits_of(read_number(text)) == bits_of(strtod(text, NULL)));
        char longer[1200];
        char *e = strchr(text, 'e');
        snprintf(longer, sizeof longer, "%.*s0000000000000000000000000000000000001%s",
                 (int)(e - text), text, e);
        assert_true(bits_of(read_number(longer)) == bits_of(strtod(longer, NULL)));
    }
    /* No number of digits is too many, before the point or behind it. */
    arx_buf text;
    arx_buf_init(&text, 0);
    arx_buf_append_str(&text, "9007199254740993.");
    for (int i = 0; i < 100000; i++) {
        arx_buf_append_byte(&text, '0');
    }
    arx_buf_append_str(&text, "1");
    arx_buf_append_byte(&text, 0);
    assert_true(read_number((const char *)text.data) == 9007199254740994.0);
    arx_buf_clear(&text);
    arx_buf_append_byte(&text, '1');
    for (int i = 0; i < 100000; i++) {
        arx_buf_append_byte(&text, '0');
    }
    arx_buf_append_str(&text, "e-99990");
    arx_buf_append_byte(&text, 0);
    assert_true(read_number((const char *)text.data) == 1e10);
    arx_buf_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_numbers),
        cmocka_unit_test(the_fewest_digits_that_read_back),
        cmocka_unit_test(ties_and_long_digits_round_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
