/* Fragments made to do harm: cut, changed, exploding, deep, not even text. */
#include "fragments.h"

#include <time.h>

/* Under a sanitizer everything takes ten times as long. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { MUTATIONS = 250 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { MUTATIONS = 250 };
#else
enum { MUTATIONS = 2000 };
#endif
#else
enum { MUTATIONS = 2000 };
#endif

static arx_coder *coder;

static int make_coder(void **state) {
    (void)state;
    coder = new_coder();
    return 0;
}

static int free_coder(void **state) {
    (void)state;
    arx_coder_free(coder);
    return 0;
}

/* Decodes; whatever comes out must be whole: a known code with a text, or a sound envelope. */
static arx_code survives(const void *fragment, size_t len, bool skip_budget) {
    outcome o = decode(coder, vector_test_assets(), fragment, len, skip_budget);
    arx_code code = o.code;
    assert_int_not_equal(code, ARX_CODE_NO_MEMORY);
    if (code == ARX_CODE_OK) {
        arx_json *again;
        const arx_json *id = NULL;
        assert_int_equal(arx_envelope_normalise(o.decoded.doc, o.decoded.envelope, &again, &id),
                         ARX_ENVELOPE_OK);
        arx_buf text = {0};
        arx_json_write(o.decoded.envelope, &text);
        assert_int_equal(arx_buf_result(&text), ARX_OK);
        arx_buf_free(&text);
    }
    outcome_free(&o);
    return code;
}

static arx_code survives_text(arx_codec codec, const arx_buf *text) {
    arx_buf fragment = {0};
    make_fragment(coder, vector_test_assets(), codec, ARX_WIRE_BASE64URL, 'n', text->data,
                  text->len, &fragment);
    arx_code code = survives(fragment.data, fragment.len, true);
    arx_buf_free(&fragment);
    return code;
}

/* The named envelope as a fragment. */
static void fragment_of(const char *name, arx_codec codec, arx_wire wire, char prior,
                        arx_buf *out) {
    arx_buf text = {0};
    if (codec >= ARX_CODEC_ARX2) {
        arx_envelope_write_tuple(vector_envelope(name), &text);
    } else {
        arx_envelope_write_packed(vector_envelope(name), codec, &text);
    }
    make_fragment(coder, vector_test_assets(), codec, wire, prior, text.data, text.len, out);
    arx_buf_free(&text);
}

/* Calls `use` with a fragment of every codec and wire. */
static void each_form(const char *name, void (*use)(const uint8_t *, size_t)) {
    for (arx_codec codec = 0; codec < ARX_CODEC_COUNT; codec++) {
        for (arx_wire wire = 0; wire < ARX_WIRE_COUNT; wire++) {
            if (codec < ARX_CODEC_ARX && wire > 0) {
                break;
            }
            arx_buf fragment = {0};
            fragment_of(name, codec, wire, 'm', &fragment);
            assert_int_equal(survives(fragment.data, fragment.len, false), ARX_CODE_OK);
            use(fragment.data, fragment.len);
            arx_buf_free(&fragment);
        }
    }
}

static void cut_everywhere(const uint8_t *fragment, size_t len) {
    for (size_t cut = 0; cut < len; cut++) {
        arx_code code = survives(fragment, cut, false);
        if (cut < 2) {
            assert_true(code == ARX_CODE_EMPTY || code == ARX_CODE_INVALID_FORMAT);
        }
    }
}

/* The end of every form taken off, byte by byte, also amid a character. */
static void truncation(void **state) {
    (void)state;
    each_form("md-short", cut_everywhere);
    each_form("bundle-2-first", cut_everywhere);
}

static uint32_t random_state;

static uint32_t random_below(uint32_t limit) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state % limit;
}

/* Bytes that mean something to some stage. */
static const char interesting[] = "#pldabcef.B%=0123456789AZaz-_~!$*()',;:@/ +mcjsn\xC2\xA1\xDF\xBF"
                                  "\xEF\xBF\xB0\xED\xA0\x80\xF0\x9F\x98\x80\xFF\x00\x7F";

static void change(const uint8_t *fragment, size_t len) {
    uint8_t copy[4096];
    assert_true(len + 8 < sizeof copy);
    for (int n = 0; n < MUTATIONS / 20; n++) {
        memcpy(copy, fragment, len);
        size_t now = len;
        for (uint32_t edits = 1 + random_below(4); edits > 0; edits--) {
            size_t at = random_below((uint32_t)now);
            switch (random_below(4)) {
            case 0:
                copy[at] ^= (uint8_t)(1u << random_below(8));
                break;
            case 1:
                copy[at] = (uint8_t)interesting[random_below(sizeof interesting - 1)];
                break;
            case 2:
                memmove(copy + at + 1, copy + at, now - at);
                copy[at] = (uint8_t)interesting[random_below(sizeof interesting - 1)];
                now++;
                break;
            default:
                if (now > 1) {
                    memmove(copy + at, copy + at + 1, now - at - 1);
                    now--;
                }
            }
        }
        (void)survives(copy, now, random_below(2) == 0);
    }
}

static void mutations(void **state) {
    (void)state;
    random_state = 20240229u;
    each_form("md-short", change);
    each_form("diff-oldnew", change);
    each_form("bundle-2", change);
}

static void fill(arx_buf *text, const char *unit, size_t times) {
    for (size_t i = 0; i < times; i++) {
        arx_buf_append_str(text, unit);
    }
}

static void markdown_text(arx_codec codec, const char *unit, size_t times, arx_buf *text) {
    arx_buf_append_str(text,
                       codec >= ARX_CODEC_ARX2
                           ? "[3,[\"m\",\"a\",\""
                           : "{\"v\":1,\"codec\":\"plain\",\"activeArtifactId\":\"a\","
                             "\"artifacts\":[{\"id\":\"a\",\"kind\":\"markdown\",\"content\":\"");
    fill(text, unit, times);
    arx_buf_append_str(text, codec >= ARX_CODEC_ARX2 ? "\"]]" : "\"}]}");
}

/* arx3 and arx4 decode as arx2 and arx5 do: costly tests leave them out. */
static bool is_repeat(arx_codec codec) {
    return codec == ARX_CODEC_ARX3 || codec == ARX_CODEC_ARX4;
}

/* The limit on the text to the unit, in every codec and for units of one to four bytes. */
static void exact_limit(void **state) {
    (void)state;
    static const struct {
        const char *unit;
        size_t units;
    } units[] = {{"x", 1}, {"\xC3\xA9", 1}, {"\xE4\xB8\x80", 1}, {"\xF0\x9F\x98\x80", 2}};
    for (arx_codec codec = 0; codec < ARX_CODEC_COUNT; codec++) {
        for (size_t i = 0; i < sizeof units / sizeof units[0] && !is_repeat(codec); i++) {
            arx_buf text = {0};
            markdown_text(codec, "", 0, &text);
            size_t around = text.len;
            arx_buf_clear(&text);
            /* An even frame, so that pairs can fill the rest exactly. */
            const char *odd = around % 2 == 1 ? "x" : "";
            arx_buf filling = {0};
            arx_buf_append_str(&filling, odd);
            fill(&filling, units[i].unit,
                 (ARX_DECODED_MAX_UNITS - around - strlen(odd)) / units[i].units);
            arx_buf_append_byte(&filling, '\0');
            markdown_text(codec, (const char *)filling.data, 1, &text);
            assert_int_equal(arx_text_units(text.data, text.len), ARX_DECODED_MAX_UNITS);
            assert_int_equal(survives_text(codec, &text), ARX_CODE_OK);

            filling.data[filling.len - 1] = 'y';
            arx_buf_append_byte(&filling, '\0');
            arx_buf_clear(&text);
            markdown_text(codec, (const char *)filling.data, 1, &text);
            assert_int_equal(survives_text(codec, &text), ARX_CODE_DECODED_TOO_LARGE);
            arx_buf_free(&filling);
            arx_buf_free(&text);
        }
    }
}

/* Fragments of a few characters that claim or hold megabytes. */
static void bombs(void **state) {
    (void)state;
    for (arx_codec codec = ARX_CODEC_LZ; codec < ARX_CODEC_COUNT; codec++) {
        if (is_repeat(codec)) {
            continue;
        }
        arx_buf text = {0};
        markdown_text(codec, "a", 780000, &text);
        assert_int_equal(survives_text(codec, &text), ARX_CODE_DECODED_TOO_LARGE);
        arx_buf_free(&text);
    }
    for (int stage = 0; stage < 2; stage++) {
        arx_codec codec = stage == 0 ? ARX_CODEC_DEFLATE : ARX_CODEC_ARX2;
        arx_buf text = {0};
        fill(&text, "aaaaaaaaaaaaaaaa", 1000000);
        assert_int_equal(survives_text(codec, &text), ARX_CODE_DECODED_TOO_LARGE);
        arx_buf_free(&text);
    }
    static const char *const claims[] = {
        "#a\xEF\xBF\xB0\xEF\xBF\xAF\xEF\xBF\xAF\xE4\xB8\x80", /* baseBMP, 61863 * 61865 bytes */
        "#b\xDF\xBF\xDF\xBF\xC2\xA2",                         /* base1k, 1773 * 1775 */
        "#c=F/////AAA",                                       /* base76, 77^5 - 1 */
        "#fn=I////////AAA",
        "#fnB.geowAQIDBA", /* the mixer's length, 800001 */
    };
    for (size_t i = 0; i < sizeof claims / sizeof claims[0]; i++) {
        assert_int_equal(survives(claims[i], strlen(claims[i]), false), ARX_CODE_DECODED_TOO_LARGE);
    }
}

/*
 * The largest text under the limits of the mixer costs the most time: 800,000 bytes that it
 * predicts almost surely.
 */
static void mixer_time_is_bounded(void **state) {
    (void)state;
    arx_buf text = {0};
    fill(&text, "a", ARX_STAGE_MAX);
    clock_t start = clock();
    assert_int_equal(survives_text(ARX_CODEC_ARX5, &text), ARX_CODE_INVALID_JSON);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    print_message("800,000 bytes through the mixer, both ways: %.2f s\n", seconds);
    arx_buf_free(&text);
}

/* Values inside values, and more values than may be kept. */
static void deep_and_wide(void **state) {
    (void)state;
    for (arx_codec codec = 0; codec < ARX_CODEC_COUNT; codec++) {
        const bool tuple = codec >= ARX_CODEC_ARX2;
        arx_buf text = {0};
        if (is_repeat(codec)) {
            continue;
        }
        fill(&text, "[", 100000);
        assert_int_equal(survives_text(codec, &text), ARX_CODE_INVALID_JSON);
        fill(&text, "]", 100000);
        /* 200,000 units in 100,000 values: within every limit, and neither envelope nor tuple. */
        assert_int_equal(survives_text(codec, &text),
                         tuple ? ARX_CODE_INVALID_JSON : ARX_CODE_INVALID_ENVELOPE);
        arx_buf_clear(&text);
        fill(&text, "[", 100001);
        fill(&text, "]", 100001);
        assert_int_equal(survives_text(codec, &text), ARX_CODE_DECODED_TOO_LARGE);
        arx_buf_clear(&text);
        fill(&text, "[",
             100001); /* longer than the limit, but no JSON: the tuple codecs see that */
        fill(&text, "]", 100000);
        assert_int_equal(survives_text(codec, &text),
                         tuple ? ARX_CODE_INVALID_JSON : ARX_CODE_DECODED_TOO_LARGE);
        arx_buf_clear(&text);
        arx_buf_append_str(&text, "[0");
        fill(&text, ",0", 390000);
        arx_buf_append_str(&text, "]");
        assert_int_equal(survives_text(codec, &text), ARX_CODE_DECODED_TOO_LARGE);
        /* Spaces do not count once the tuple is written again. */
        arx_buf_clear(&text);
        markdown_text(codec, "x", 1, &text);
        fill(&text, "          ", 50000);
        assert_int_equal(survives_text(codec, &text),
                         tuple ? ARX_CODE_OK : ARX_CODE_DECODED_TOO_LARGE);
        /* Nor do values of a key that is given again. */
        arx_buf_clear(&text);
        arx_buf_append_str(&text, tuple ? "[3,[\"m\",\"a\",\"x\"],{\"k\":0" : "{\"k\":0");
        fill(&text, ",\"k\":0", tuple ? 130000 : 30000);
        arx_buf_append_str(&text, tuple ? "}]"
                                        : ",\"v\":1,\"codec\":\"plain\",\"artifacts\":[{\"id\":"
                                          "\"a\",\"kind\":\"csv\",\"content\":\"\"}]}");
        assert_int_equal(survives_text(codec, &text), ARX_CODE_OK);
        arx_buf_free(&text);
    }
}

/* As many artifacts as the limit lets through. */
static void many_artifacts(void **state) {
    (void)state;
    for (arx_codec codec = ARX_CODEC_ARX; codec <= ARX_CODEC_ARX2; codec++) {
        arx_buf text = {0};
        arx_buf_append_str(&text, codec == ARX_CODEC_ARX ? "{\"p\":1,\"v\":1,\"c\":\"arx\",\"r\":["
                                                         : "[2,[");
        for (uint64_t i = 0; i < 6000; i++) {
            arx_buf_append_str(&text, i == 0 ? "" : ",");
            arx_buf_append_str(&text, codec == ARX_CODEC_ARX ? "{\"i\":\"" : "[\"s\",\"");
            arx_buf_append_u64(&text, i);
            arx_buf_append_str(&text, codec == ARX_CODEC_ARX ? "\",\"k\":\"csv\",\"c\":\"\"}"
                                                             : "\",\"\"]");
        }
        arx_buf_append_str(&text, codec == ARX_CODEC_ARX ? "]}" : "]]");
        assert_int_equal(survives_text(codec, &text), ARX_CODE_OK);
        arx_buf_free(&text);
    }
}

/* Halves of characters, raw in the fragment and escaped in the text. */
static void lone_surrogates(void **state) {
    (void)state;
    static const char *const tails[] = {"\xED\xA0\x80",
                                        "\xED\xB0\x80",
                                        "\xED\xB0\x80\xED\xA0\x80",
                                        "B.\xED\xA0\x80",
                                        "1.\xED\xA0\x80",
                                        "%ED%A0%80",
                                        "m\xED\xBF\xBF",
                                        "\xEF\xBF\xB0\xED\xA0\x80\xED\xA0\x80\xED\xA0\x80"};
    for (arx_codec codec = 0; codec < ARX_CODEC_COUNT; codec++) {
        for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
            arx_buf fragment = {0};
            arx_buf_append_byte(&fragment, (uint8_t)arx_codec_tag(codec));
            arx_buf_append_str(&fragment, tails[i]);
            arx_code code = survives(fragment.data, fragment.len, false);
            assert_true(code == ARX_CODE_INVALID_JSON || code == ARX_CODE_DECODED_TOO_LARGE);
            arx_buf_free(&fragment);
        }
        arx_buf text = {0};
        markdown_text(codec, "\\ud800x\\udc00", 1, &text);
        arx_buf fragment = {0};
        make_fragment(coder, vector_test_assets(), codec, ARX_WIRE_BASEBMP, 's', text.data,
                      text.len, &fragment);
        outcome o = decode(coder, vector_test_assets(), fragment.data, fragment.len, false);
        assert_int_equal(o.code, ARX_CODE_OK);
        const arx_json *artifact = arx_envelope_active(o.decoded.envelope);
        assert_true(
            arx_json_string_is(arx_json_get(artifact, "content"), "\xED\xA0\x80x\xED\xB0\x80"));
        outcome_free(&o);
        arx_buf_free(&fragment);
        arx_buf_free(&text);
    }
}

/* Bytes that are no text at all, in front of every stage. */
static void not_even_text(void **state) {
    (void)state;
    random_state = 77u;
    for (arx_codec codec = 0; codec < ARX_CODEC_COUNT; codec++) {
        for (int n = 0; n < MUTATIONS / 8; n++) {
            uint8_t fragment[64];
            size_t len = 2 + random_below(sizeof fragment - 2);
            for (size_t i = 0; i < len; i++) {
                fragment[i] = (uint8_t)random_below(256);
            }
            fragment[0] = (uint8_t)arx_codec_tag(codec);
            if (random_below(2) == 0) {
                fragment[1] = 'n';
            }
            (void)survives(fragment, len, false);
        }
    }
}

/* Without the functions a codec needs, its fragments are refused in words; others still open. */
static void missing_entropy(void **state) {
    (void)state;
    const arx_entropy none = {0};
    arx_coder *bare = arx_coder_create(&none, NULL);
    assert_non_null(bare);
    for (arx_codec codec = 0; codec < ARX_CODEC_COUNT; codec++) {
        arx_buf fragment = {0};
        fragment_of("md-short", codec, ARX_WIRE_BASE64URL, 's', &fragment);
        outcome o = decode(bare, vector_test_assets(), fragment.data, fragment.len, false);
        bool needs = codec >= ARX_CODEC_DEFLATE && codec <= ARX_CODEC_ARX3;
        assert_int_equal(o.code, needs ? ARX_CODE_ASSET_UNAVAILABLE : ARX_CODE_OK);
        outcome_free(&o);
        arx_buf_free(&fragment);
    }
    arx_coder_free(bare);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truncation),
        cmocka_unit_test(mutations),
        cmocka_unit_test(exact_limit),
        cmocka_unit_test(bombs),
        cmocka_unit_test(mixer_time_is_bounded),
        cmocka_unit_test(deep_and_wide),
        cmocka_unit_test(many_artifacts),
        cmocka_unit_test(lone_surrogates),
        cmocka_unit_test(not_even_text),
        cmocka_unit_test(missing_entropy),
    };
    return cmocka_run_group_tests(tests, make_coder, free_coder);
}
