/* What a fragment says of itself, and the exact texts of section 11; needs no asset set. */
#include "fragments.h"

#define BUDGET "This payload exceeds the supported fragment budget of 8,192 characters."
#define LEGACY "The fragment format is invalid. Expected v1.<codec>.<payload>."
#define COMPACT                                                                                    \
    "The fragment format is invalid. Expected #agent-render=... or a codec tag followed by a "     \
    "payload."
#define UNSUPPORTED(name)                                                                          \
    "Unsupported codec \"" name                                                                    \
    "\". Supported codecs are plain, lz, deflate, arx, arx2, arx3, arx4, arx5."

static arx_code parse(const void *fragment, size_t len, bool skip_budget, arx_fragment_head *head,
                      arx_error *error) {
    uint8_t *copy = guard_copy(fragment, len);
    arx_code code = arx_fragment_head_parse(copy, len, skip_budget, head, error);
    if (code == ARX_CODE_OK) {
        /* As an offset, which outlives the copy. */
        head->payload = (const uint8_t *)fragment + (head->payload - copy);
    }
    guard_free(copy, len);
    return code;
}

static void refused_forms(void **state) {
    (void)state;
    static const struct {
        const char *fragment;
        arx_code code;
        const char *message;
    } rows[] = {
        {"", ARX_CODE_EMPTY, "Add a fragment payload to start rendering artifacts."},
        {"#", ARX_CODE_EMPTY, "Add a fragment payload to start rendering artifacts."},
        {"##", ARX_CODE_INVALID_FORMAT, COMPACT},
        {"##pAA", ARX_CODE_INVALID_FORMAT, COMPACT},
        {"p", ARX_CODE_INVALID_FORMAT, COMPACT},
        {"#f", ARX_CODE_INVALID_FORMAT, COMPACT},
        {"#PAA", ARX_CODE_INVALID_FORMAT, COMPACT},
        {"#gAA", ARX_CODE_INVALID_FORMAT, COMPACT}, /* no codec past arx5: no container to read */
        {"#%70AA", ARX_CODE_INVALID_FORMAT, COMPACT},
        {"\xF0\x9F\x98\x80", ARX_CODE_INVALID_FORMAT, COMPACT},
        {"\xED\xA0\x80x", ARX_CODE_INVALID_FORMAT, COMPACT},
        {"#Agent-render=v1.plain.x", ARX_CODE_INVALID_FORMAT, COMPACT},
        {"#agent-render=", ARX_CODE_MISSING_KEY,
         "Expected a fragment starting with #agent-render=..."},
        {"#agent-render=x", ARX_CODE_INVALID_FORMAT, LEGACY},
        {"#agent-render=.", ARX_CODE_INVALID_FORMAT, LEGACY},
        {"#agent-render=..", ARX_CODE_INVALID_FORMAT, LEGACY},
        {"#agent-render=...", ARX_CODE_INVALID_FORMAT, LEGACY},
        {"#agent-render=v1.", ARX_CODE_INVALID_FORMAT, LEGACY},
        {"#agent-render=v1.plain", ARX_CODE_INVALID_FORMAT, LEGACY},
        {"#agent-render=v1.plain.", ARX_CODE_INVALID_FORMAT, LEGACY},
        {"#agent-render=v1..x", ARX_CODE_INVALID_FORMAT, LEGACY},
        {"#agent-render=.plain.x", ARX_CODE_INVALID_FORMAT, LEGACY},
        {"#agent-render=V1.plain.x", ARX_CODE_INVALID_FORMAT, LEGACY},
        {"#agent-render=v1 .plain.x", ARX_CODE_INVALID_FORMAT, LEGACY},
        {"#agent-render=v2.nope.x", ARX_CODE_INVALID_FORMAT, LEGACY},
        {"#agent-render=v1.nope.x", ARX_CODE_INVALID_FORMAT, UNSUPPORTED("nope")},
        {"#agent-render=v1.ARX.x", ARX_CODE_INVALID_FORMAT, UNSUPPORTED("ARX")},
        {"#agent-render=v1.p\"q.x", ARX_CODE_INVALID_FORMAT, UNSUPPORTED("p\"q")},
        {"#agent-render=v1.%70.x", ARX_CODE_INVALID_FORMAT, UNSUPPORTED("%70")},
        {"#agent-render=v1.\xED\xA0\x80.x", ARX_CODE_INVALID_FORMAT, UNSUPPORTED("\xED\xA0\x80")},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        arx_fragment_head head = {0};
        arx_error error;
        arx_code code =
            parse(rows[i].fragment, strlen(rows[i].fragment), i % 2 == 0, &head, &error);
        assert_int_equal(code, rows[i].code);
        assert_int_equal(error.code, rows[i].code);
        assert_int_equal(error.message.len, strlen(rows[i].message));
        assert_memory_equal(error.message.data, rows[i].message, error.message.len);
        assert_null(head.payload); /* set only on success */
        arx_error_free(&error);
    }
}

static void accepted_forms(void **state) {
    (void)state;
    static const struct {
        const char *fragment;
        arx_codec codec;
        bool legacy;
        const char *payload;
    } rows[] = {
        {"pA", ARX_CODEC_PLAIN, false, "A"},
        {"#lA", ARX_CODEC_LZ, false, "A"},
        {"#dA", ARX_CODEC_DEFLATE, false, "A"},
        {"#aA", ARX_CODEC_ARX, false, "A"},
        {"#bA", ARX_CODEC_ARX2, false, "A"},
        {"#cA", ARX_CODEC_ARX3, false, "A"},
        {"#eA", ARX_CODEC_ARX4, false, "A"},
        {"#fA", ARX_CODEC_ARX5, false, "A"},
        {"#a#", ARX_CODEC_ARX, false, "#"},
        {"#agent-render", ARX_CODEC_ARX, false, "gent-render"},
        {"agent-render=v1.plain.A", ARX_CODEC_PLAIN, true, "A"},
        {"#agent-render=v1.lz..", ARX_CODEC_LZ, true, "."},
        {"#agent-render=v1.arx5.1.mB.A", ARX_CODEC_ARX5, true, "1.mB.A"},
        {"#agent-render=v1.arx3.=", ARX_CODEC_ARX3, true, "="},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        arx_fragment_head head;
        arx_error error;
        size_t len = strlen(rows[i].fragment);
        assert_int_equal(parse(rows[i].fragment, len, false, &head, &error), ARX_CODE_OK);
        assert_int_equal(head.codec, rows[i].codec);
        assert_int_equal(head.legacy, rows[i].legacy);
        assert_int_equal(head.payload_len, strlen(rows[i].payload));
        assert_memory_equal(head.payload, rows[i].payload, head.payload_len);
        assert_int_equal(head.visible_units, len - (rows[i].fragment[0] == '#'));
        assert_null(error.message.data);
        arx_error_free(&error); /* harmless after success */
    }
}

/* Visible length: percent-decoded units, or the body's own where it does not decode. */
static void budget(void **state) {
    (void)state;
    static const struct {
        const char *unit; /* repeated behind the tag */
        size_t times;
        size_t visible;
    } rows[] = {
        {"A", 8191, 8192},
        {"A", 8192, 8193},
        {"%41", 8191, 8192},
        {"%41", 8192, 8193},
        {"%4", 4095, 8191},
        {"%4", 4096, 8193},
        {"\xE4\xB8\x80", 8191, 8192},
        {"%E4%B8%80", 8191, 8192},
        {"%E4%B8%80", 8192, 8193},
        {"\xF0\x9F\x98\x80", 4095, 8191},
        {"%F0%9F%98%80", 4096, 8193},
        {"%ED%A0%80", 910, 8191}, /* an escaped surrogate is no UTF-8 */
        {"%FF", 2731, 8194},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        arx_buf fragment = {0};
        arx_buf_append_str(&fragment, "#p");
        for (size_t n = 0; n < rows[i].times; n++) {
            arx_buf_append_str(&fragment, rows[i].unit);
        }
        for (int skip_budget = 0; skip_budget < 2; skip_budget++) {
            arx_fragment_head head;
            arx_error error;
            arx_code code = parse(fragment.data, fragment.len, skip_budget == 1, &head, &error);
            if (rows[i].visible > ARX_FRAGMENT_BUDGET_UNITS && skip_budget == 0) {
                assert_int_equal(code, ARX_CODE_TOO_LARGE);
                assert_int_equal(error.message.len, strlen(BUDGET));
                assert_memory_equal(error.message.data, BUDGET, strlen(BUDGET));
            } else {
                assert_int_equal(code, ARX_CODE_OK);
                assert_int_equal(head.visible_units, rows[i].visible);
            }
            arx_error_free(&error);
        }
        arx_buf_free(&fragment);
    }
}

/* The budget is looked at before the form, and there is an end even where it is skipped. */
static void budget_comes_first(void **state) {
    (void)state;
    arx_buf fragment = {0};
    arx_buf_append_str(&fragment, "agent-render=nonsense");
    while (fragment.len <= ARX_FRAGMENT_MAX_BYTES) {
        arx_buf_append_str(&fragment, "0123456789abcdef0123456789abcdef0123456789abcdef");
    }
    arx_fragment_head head;
    arx_error error;
    assert_int_equal(parse(fragment.data, 9000, false, &head, &error), ARX_CODE_TOO_LARGE);
    arx_error_free(&error);
    assert_int_equal(parse(fragment.data, 9000, true, &head, &error), ARX_CODE_INVALID_FORMAT);
    arx_error_free(&error);
    assert_int_equal(parse(fragment.data, ARX_FRAGMENT_MAX_BYTES, true, &head, &error),
                     ARX_CODE_INVALID_FORMAT);
    arx_error_free(&error);
    assert_int_equal(parse(fragment.data, ARX_FRAGMENT_MAX_BYTES + 1, true, &head, &error),
                     ARX_CODE_TOO_LARGE);
    arx_error_free(&error);
    arx_buf_free(&fragment);
}

static void names_and_texts(void **state) {
    (void)state;
    static const char *const names[] = {"ok",
                                        "empty",
                                        "too-large",
                                        "missing-key",
                                        "invalid-format",
                                        "invalid-json",
                                        "decoded-too-large",
                                        "invalid-envelope",
                                        "asset-unavailable",
                                        "no-candidates",
                                        "no-memory"};
    for (arx_code code = ARX_CODE_OK; code <= ARX_CODE_NO_MEMORY; code++) {
        assert_string_equal(arx_code_name(code), names[code]);
    }
    arx_error error;
    assert_int_equal(arx_error_set(&error, ARX_CODE_NO_CANDIDATES, NULL), ARX_CODE_NO_CANDIDATES);
    static const char none[] = "No payload codec candidates are available.";
    assert_int_equal(error.message.len, strlen(none));
    assert_memory_equal(error.message.data, none, strlen(none));
    arx_error_free(&error);
    assert_int_equal(arx_error_set_prior(&error, 'j'), ARX_CODE_ASSET_UNAVAILABLE);
    static const char prior[] =
        "The arx4 priors asset is unavailable, so the \"j\" prior cannot be "
        "rebuilt. Reload to try again.";
    assert_int_equal(error.message.len, strlen(prior));
    assert_memory_equal(error.message.data, prior, strlen(prior));
    arx_error_free(&error);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_forms),   cmocka_unit_test(accepted_forms),
        cmocka_unit_test(budget),          cmocka_unit_test(budget_comes_first),
        cmocka_unit_test(names_and_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
