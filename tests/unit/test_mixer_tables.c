/* test_mixer_tables.c - stretch and squash against their definitions, the vectors and their hashes.
 */
#include "vectors.h"

#include "mixer_tables.h"

#include <nettle/sha2.h>
#include <stdio.h>

/* format.md 7.2.2, word by word. */
static int64_t divide_round(int64_t a, int64_t b) {
    int64_t size = a < 0 ? -a : a;
    int64_t quotient = (size + b / 2) / b;
    return a < 0 ? -quotient : quotient;
}

static int64_t log2_16(uint32_t v) {
    uint32_t e = 31 - (uint32_t)__builtin_clz(v);
    uint64_t y = (uint64_t)v << (31 - e);
    uint32_t f = 0;
    for (int bit = 15; bit >= 0; bit--) {
        y = (y * y) >> 31;
        if (y >= (uint64_t)1 << 32) {
            y >>= 1;
            f |= 1u << bit;
        }
    }
    return (int64_t)e * 65536 + f;
}

static void tables_are_what_their_definitions_say(void **state) {
    (void)state;
    static int64_t st[4096];
    const int16_t *stretch = arx_mixer_stretch();
    assert_int_equal(stretch[0], 0);
    for (uint32_t p = 1; p < 4096; p++) {
        st[p] = divide_round((log2_16(p) - log2_16(4096 - p)) * 45426, 1 << 24);
        assert_int_equal(stretch[p], st[p]);
    }
    const int16_t *squash = arx_mixer_squash();
    for (int t = -2048; t <= 2048; t++) {
        uint32_t a = 1;
        uint32_t b = 4095;
        while (a < b) {
            uint32_t m = (a + b) >> 1;
            if (st[m] < t) {
                a = m + 1;
            } else {
                b = m;
            }
        }
        uint32_t previous = a > 1 ? a - 1 : 1;
        int64_t below = st[previous] < t ? t - st[previous] : st[previous] - t;
        int64_t above = st[a] < t ? t - st[a] : st[a] - t;
        assert_int_equal(squash[t + 2048], below <= above ? previous : a);
    }
}

static void check_hash(const int16_t *table, size_t count, const arx_json *expected) {
    struct sha256_ctx context;
    uint8_t digest[SHA256_DIGEST_SIZE];
    char hex[2 * SHA256_DIGEST_SIZE + 1];
    sha256_init(&context);
    for (size_t i = 0; i < count; i++) {
        uint8_t bytes[2] = {(uint8_t)(uint16_t)table[i], (uint8_t)((uint16_t)table[i] >> 8)};
        sha256_update(&context, sizeof bytes, bytes);
    }
    sha256_digest(&context, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++) {
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    }
    assert_true(arx_json_string_is(expected, hex));
}

static void check_values(const int16_t *table, size_t count, const arx_json *expected) {
    assert_true(arx_json_is(expected, ARX_JSON_ARRAY));
    assert_int_equal(expected->as.list.count, count);
    size_t i = 0;
    for (const arx_json *value = expected->as.list.first; value != NULL; value = value->next) {
        assert_true(value->as.number == table[i++]);
    }
}

static void tables_are_the_vectors(void **state) {
    (void)state;
    const arx_json *vectors = vector_load("tables.json");
    check_values(arx_mixer_stretch(), 4096, arx_json_get(vectors, "stretch"));
    check_values(arx_mixer_squash(), 4097, arx_json_get(vectors, "squash"));
    check_hash(arx_mixer_stretch(), 4096, arx_json_get(vectors, "stretchSha256LE16"));
    check_hash(arx_mixer_squash(), 4097, arx_json_get(vectors, "squashSha256LE16"));
}

/* Every boundary of the rounding, and what lies far outside the table. */
static void sums_round_half_away_from_zero(void **state) {
    (void)state;
    for (int32_t t = -90000; t <= 90000; t++) {
        for (int32_t offset = -2049; offset <= 2049; offset++) {
            if (offset > -2046 && offset < 2046 && offset % 512 != 0) {
                continue;
            }
            int32_t sum = t * 4096 + offset;
            int64_t rounded = divide_round(sum, 4096);
            rounded = rounded < -2048 ? -2048 : rounded > 2048 ? 2048 : rounded;
            if (arx_mixer_probability(sum) != (uint32_t)arx_mixer_squash()[rounded + 2048]) {
                fail_msg("sum %d", sum);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_what_their_definitions_say),
        cmocka_unit_test(tables_are_the_vectors),
        cmocka_unit_test(sums_round_half_away_from_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
