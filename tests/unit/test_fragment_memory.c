/*
 * What a decode allocates: never more than it promises, all of it given back, and every allocation
 * that fails is an ordinary answer.
 * Brotli and zlib allocate through the library.
 */
#include "fragments.h"

#include "entropy_native.h"
#include "heap.h"

/* Primed images, made once and lent for ever: they are no part of a decode's memory. */
static arx_image *images[2];
static const char image_priors[] = "ns";

static arx_result acquire(void *opaque, const arx_assets *assets, char prior,
                          const arx_image **image) {
    (void)opaque;
    (void)assets;
    const char *at = strchr(image_priors, prior);
    if (at == NULL || prior == '\0') {
        return ARX_UNAVAILABLE;
    }
    *image = images[at - image_priors];
    return ARX_OK;
}

static void release(void *opaque, const arx_image *image) {
    (void)opaque;
    (void)image;
}

static const arx_image_source source = {acquire, release, NULL};
static arx_coder *coder;
static const arx_assets *assets;

static int set_up(void **state) {
    (void)state;
    assets = vector_test_assets();
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(arx_assets_prime(assets, image_priors[i], &images[i]), ARX_OK);
    }
    coder = arx_coder_create(&arx_entropy_native, &source);
    assert_non_null(coder);
    (void)vector_envelope("md-short");
    /* The mixer's own memory: a long text brings it to its full size. */
    arx_mixer *mixer;
    assert_int_equal(arx_coder_mixer(coder, assets, 's', &mixer), ARX_OK);
    uint8_t *text = calloc(1, 100000);
    arx_buf coded = {0};
    assert_int_equal(arx_mixer_encode(mixer, text, 100000, &coded), ARX_OK);
    arx_buf_free(&coded);
    assert_int_equal(arx_mixer_encode(mixer, text, 3000, &coded), ARX_OK);
    arx_buf_free(&coded);
    free(text);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    arx_coder_free(coder);
    arx_image_free(images[0]);
    arx_image_free(images[1]);
    return 0;
}

static arx_code decode_counted(const arx_buf *fragment, size_t *peak, arx_decoded *decoded,
                               arx_error *error) {
    heap_mark();
    *decoded = (arx_decoded){0};
    arx_code code = arx_decode(coder, assets, fragment->data, fragment->len, true, decoded, error);
    *peak = heap_peak();
    return code;
}

/* ---- the bound ---- */

static size_t worst;

static arx_code bounded(const char *what, const arx_buf *fragment) {
    assert_int_equal(arx_buf_result(fragment), ARX_OK);
    size_t base = heap_bytes();
    size_t peak;
    arx_decoded decoded;
    arx_error error;
    arx_code code = decode_counted(fragment, &peak, &decoded, &error);
    arx_decoded_free(&decoded);
    arx_error_free(&error);
    assert_int_equal(heap_bytes(), base);
    worst = peak > worst ? peak : worst;
    print_message("%9zu bytes, %-17s %s\n", peak, arx_code_name(code), what);
    if (peak > ARX_DECODE_MAX_BYTES) {
        fail_msg("%s: %zu bytes", what, peak);
    }
    return code;
}

static void repeat(arx_buf *out, const char *unit, size_t times) {
    for (size_t i = 0; i < times; i++) {
        arx_buf_append_str(out, unit);
    }
}

/* A text sent in each codec, or in those from `first` on. */
static void in_codecs(const char *what, arx_codec first, const arx_buf *text) {
    for (arx_codec codec = first; codec < ARX_CODEC_COUNT; codec++) {
        if (codec == ARX_CODEC_ARX3 || codec == ARX_CODEC_ARX4) {
            continue; /* the same as arx2 and arx5 */
        }
        char label[100];
        assert_true(snprintf(label, sizeof label, "%s: %s", arx_codec_name(codec), what) <
                    (int)sizeof label);
        arx_buf fragment = {0};
        make_fragment(coder, assets, codec, ARX_WIRE_BASE64URL, 'n', text->data, text->len,
                      &fragment);
        (void)bounded(label, &fragment);
        arx_buf_free(&fragment);
    }
}

static void long_fragments(void **state) {
    (void)state;
    static const struct {
        const char *what;
        const char *head;
        const char *unit;
    } rows[] = {
        {"4 MiB of base64", "p", "AAAA"},
        {"4 MiB of spaces", "p", "    "},
        {"4 MiB of bad UTF-8", "p", "____"},
        {"4 MiB of deflate", "d", "AAD_"},
        {"4 MiB of lz", "l", "N4Ig"},
        {"4 MiB of escapes", "a", "%41"},
        {"4 MiB, one escape", "aB.%41", "AAAA"},
        {"4 MiB with a segment", "b1.%41", "AAAA"},
        {"4 MiB of base76", "f1.n%41B", "AAAA"},
        {"4 MiB of baseBMP", "b%41\xEF\xBF\xB0\xC2\xA1\xE4\xB8\x80", "\xE4\xB8\x80"},
        {"4 MiB of baseBMP, largest length", "b\xEF\xBF\xB0\xC2\xAE\xEF\xBF\xAF", "\xEF\xBF\xAF"},
        {"4 MiB of base1k, largest length", "b\xC7\x80\xC3\x80", "\xDF\xBF"},
        {"4 MiB of escaped base76, largest", "e%6e=Db%40%40%40", "%40"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        arx_buf fragment = {0};
        arx_buf_append_str(&fragment, rows[i].head);
        size_t times = (ARX_FRAGMENT_MAX_BYTES - fragment.len) / strlen(rows[i].unit);
        repeat(&fragment, rows[i].unit, times);
        (void)bounded(rows[i].what, &fragment);
        arx_buf_free(&fragment);
    }
}

/* More digits than the length needs, with the largest length, up to the longest text. */
static void superfluous_digits(void **state) {
    (void)state;
    static const struct {
        const char *what;
        const char *head; /* prior or not, marker, length of 800,000 */
        const char *digit;
        size_t bytes;
    } rows[] = {
        {"base76", "=EB5'v", "/", 1024900},
        {"base1k", "\xC9\xA4\xDE\xB6", "\xDF\xBF", 1189900},
        {"baseBMP", "\xEF\xBF\xB0\xC2\xAE\xEE\xBD\x86", "\xEF\xBF\xAF", 1209900},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        arx_buf fragment = {0};
        arx_buf_append_str(&fragment, "b");
        arx_buf_append_str(&fragment, rows[i].head);
        repeat(&fragment, rows[i].digit, rows[i].bytes / strlen(rows[i].digit));
        arx_buf_append_str(&fragment, "%41"); /* so that the text is held twice */
        (void)bounded(rows[i].what, &fragment);
        repeat(&fragment, rows[i].digit, 10000);
        assert_int_equal(bounded("too long", &fragment), ARX_CODE_INVALID_JSON);
        arx_buf_free(&fragment);
    }
}

/* base64url has no length of its own: the bytes behind it are what is limited. */
static void full_base64url(void **state) {
    (void)state;
    static const struct {
        size_t bytes;
        arx_code code;
    } rows[] = {{ARX_STAGE_MAX, ARX_CODE_INVALID_JSON},
                {ARX_STAGE_MAX + 1, ARX_CODE_DECODED_TOO_LARGE}};
    uint8_t *noise = calloc(1, ARX_STAGE_MAX + 1);
    assert_non_null(noise);
    noise[0] = 0xFF; /* no Brotli stream */
    for (size_t i = 0; i < 2; i++) {
        arx_buf fragment = {0};
        arx_buf_append_str(&fragment, "bB%2E");
        arx_base64url_encode(noise, rows[i].bytes, &fragment);
        assert_int_equal(bounded("base64url", &fragment), rows[i].code);
        arx_buf_free(&fragment);
    }
    free(noise);
}

static void texts(void **state) {
    (void)state;
    arx_buf text = {0};

    repeat(&text, "a", ARX_STAGE_MAX);
    in_codecs("800,000 bytes", ARX_CODEC_PLAIN, &text);

    arx_buf_clear(&text);
    repeat(&text, "\xFF", ARX_STAGE_MAX);
    in_codecs("800,000 bytes of bad UTF-8", ARX_CODEC_ARX, &text);

    arx_buf_clear(&text);
    arx_buf_append_str(&text, "[3,\"");
    repeat(&text, "\xFF", ARX_STAGE_MAX - 6);
    arx_buf_append_str(&text, "\"]");
    in_codecs("a string of bad UTF-8", ARX_CODEC_ARX, &text);

    arx_buf_clear(&text);
    arx_buf_append_str(&text, "\"");
    repeat(&text, "\\uffff", 133000);
    arx_buf_append_str(&text, "\"");
    in_codecs("a string of escapes", ARX_CODEC_ARX, &text);

    arx_buf_clear(&text);
    arx_buf_append_str(&text, "[0");
    repeat(&text, ",0", 99990);
    arx_buf_append_str(&text, "]");
    in_codecs("99,991 numbers", ARX_CODEC_PLAIN, &text);

    arx_buf_clear(&text);
    arx_buf_append_str(&text, "[0");
    repeat(&text, ",0", 399990);
    arx_buf_append_str(&text, "]");
    in_codecs("399,991 numbers", ARX_CODEC_ARX, &text);

    arx_buf_clear(&text);
    repeat(&text, "[", 100000);
    repeat(&text, "]", 100000);
    in_codecs("100,000 levels", ARX_CODEC_PLAIN, &text);

    arx_buf_clear(&text);
    repeat(&text, "[", 400000);
    repeat(&text, "]", 400000);
    in_codecs("400,000 levels", ARX_CODEC_ARX, &text);

    arx_buf_clear(&text);
    arx_buf_append_str(&text, "[0");
    repeat(&text, ",{\"\":0}", 25000);
    arx_buf_append_str(&text, "]");
    in_codecs("25,000 objects", ARX_CODEC_PLAIN, &text);

    arx_buf_clear(&text);
    arx_buf_append_str(&text, "{\"k\":\"\"");
    repeat(&text, ",\"k\":\"\"", 100000);
    arx_buf_append_str(&text, "}");
    in_codecs("one key 100,001 times", ARX_CODEC_ARX2, &text);

    for (uint64_t keys = 20000; keys <= 80000; keys += 60000) {
        arx_buf_clear(&text);
        arx_buf_append_str(&text, "{\"k\":0");
        for (uint64_t i = 0; i < keys; i++) {
            arx_buf_append_str(&text, ",\"");
            arx_buf_append_u64(&text, i * 7919 % 99991);
            arx_buf_append_str(&text, "\":0");
        }
        arx_buf_append_str(&text, "}");
        in_codecs(keys == 20000 ? "20,000 keys" : "80,000 keys", ARX_CODEC_PLAIN, &text);
    }

    for (int tuple = 0; tuple < 2; tuple++) {
        arx_buf_clear(&text);
        arx_buf_append_str(&text, tuple == 1 ? "[2,[" : "{\"p\":1,\"v\":1,\"c\":\"arx\",\"r\":[");
        for (uint64_t i = 0; i < 6200; i++) {
            arx_buf_append_str(&text, i == 0 ? "" : ",");
            arx_buf_append_str(&text, tuple == 1 ? "[\"s\",\"" : "{\"i\":\"");
            arx_buf_append_u64(&text, i);
            arx_buf_append_str(&text,
                               tuple == 1 ? "\",\"\",\"\",\"\"]" : "\",\"k\":\"csv\",\"c\":\"\"}");
        }
        arx_buf_append_str(&text, tuple == 1 ? "]]" : "]}");
        in_codecs("6,200 artifacts", tuple == 1 ? ARX_CODEC_ARX2 : ARX_CODEC_PLAIN, &text);
    }

    /* The offending id stands in the message. */
    arx_buf id = {0};
    repeat(&id, "\xE4\xB8\x80", 99000);
    arx_buf_clear(&text);
    arx_buf_append_str(&text, "[2,[[\"s\",\"");
    arx_buf_append(&text, id.data, id.len);
    arx_buf_append_str(&text, "\",\"\"],[\"s\",\"");
    arx_buf_append(&text, id.data, id.len);
    arx_buf_append_str(&text, "\",\"\"]]]");
    in_codecs("an id of 99,000 characters twice", ARX_CODEC_ARX2, &text);
    arx_buf_free(&id);

    arx_buf_clear(&text);
    repeat(&text, "0123456789abcdef", 1250000);
    for (int which = 0; which < 2; which++) {
        arx_buf fragment = {0};
        make_fragment(coder, assets, which == 0 ? ARX_CODEC_DEFLATE : ARX_CODEC_ARX,
                      ARX_WIRE_BASE64URL, 'n', text.data, text.len, &fragment);
        assert_int_equal(bounded("20 MB compressed", &fragment), ARX_CODE_DECODED_TOO_LARGE);
        arx_buf_free(&fragment);
    }
    arx_buf_free(&text);
    print_message("at most %zu bytes\n", worst);
}

/* Windows of up to 16 MiB, filled or only claimed. */
static void brotli_windows(void **state) {
    (void)state;
    arx_buf text = {0};
    repeat(&text, "0123456789abcdef", 1250000);
    arx_buf stream = {0};
    assert_int_equal(arx_entropy_native.brotli_compress(text.data, text.len, &stream), ARX_OK);
    arx_buf_free(&text);
    stream.data[0] |= 0x0E; /* 24 bits */
    for (size_t cut = 0; cut < 2; cut++) {
        arx_buf fragment = {0};
        arx_buf_append_str(&fragment, "aB.");
        arx_base64url_encode(stream.data, cut == 0 ? stream.len : 12, &fragment);
        (void)bounded(cut == 0 ? "a window of 16 MiB" : "the same, cut short", &fragment);
        arx_buf_free(&fragment);
    }
    arx_buf_free(&stream);
}

/* ---- allocations that fail ---- */

static void each_failure(const char *what, const arx_buf *fragment) {
    size_t base = heap_bytes();
    size_t peak;
    arx_decoded decoded;
    arx_error error;
    arx_code normal = decode_counted(fragment, &peak, &decoded, &error);
    arx_decoded_free(&decoded);
    arx_error_free(&error);
    for (int and_later = 0; and_later < 2; and_later++) {
        for (size_t k = 1;; k++) {
            heap_refuse(k, and_later == 1);
            arx_code code = decode_counted(fragment, &peak, &decoded, &error);
            bool reached = heap_relent();
            if (!reached) {
                assert_int_equal(code, normal);
            } else if (code != ARX_CODE_NO_MEMORY) {
                fail_msg("%s: allocation %zu failed, answer %s instead of no-memory or %s", what, k,
                         arx_code_name(code), arx_code_name(normal));
            }
            assert_int_equal(code == ARX_CODE_OK, decoded.doc != NULL);
            arx_decoded_free(&decoded);
            arx_error_free(&error);
            assert_int_equal(heap_bytes(), base);
            if (!reached) {
                break;
            }
        }
    }
}

static void failing_allocations(void **state) {
    (void)state;
    static const char *const names[] = {"md-short", "bundle-2-first"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        for (arx_codec codec = 0; codec < ARX_CODEC_COUNT; codec++) {
            for (arx_wire wire = 0; wire < ARX_WIRE_COUNT; wire++) {
                if (codec < ARX_CODEC_ARX && wire > 0) {
                    break;
                }
                arx_buf text = {0};
                if (codec >= ARX_CODEC_ARX2) {
                    arx_envelope_write_tuple(vector_envelope(names[n]), &text);
                } else {
                    arx_envelope_write_packed(vector_envelope(names[n]), codec, &text);
                }
                arx_buf fragment = {0};
                make_fragment(coder, assets, codec, wire, 's', text.data, text.len, &fragment);
                each_failure(names[n], &fragment);
                arx_buf_free(&fragment);
                arx_buf_free(&text);
            }
        }
    }
}

#define TWO_OF_ONE_ID                                                                              \
    ("#peyJwIjoxLCJ2IjoxLCJjIjoicGxhaW4iLCJyIjpbeyJpIjoiYSIsImsiOiJjc3YiLCJjIjoiIn0seyJpIjoiYSIs"  \
     "ImsiOiJjc3YiLCJjIjoiIn1dfQ")

static void failing_allocations_of_errors(void **state) {
    (void)state;
    static const char *const fragments[] = {
        "",
        "#z",
        "#agent-render=v1.nope.x",
        "#p!",
        "#pMQ",
        "#dBwcHBw",
        "#d-AAAAAAA",
        "#d_wEAAABoaQ",
        "#dAQIAAABoaQ", /* a stored block to be mended */
        "#dAQIAAAB7fQ",
        "#lw",
        "#a1.B.AAAA",
        "#aB.ABCDEFG",
        "#b%42.AAAA",
        "#fx",
        "#fnB.geowAQIDBA",
        TWO_OF_ONE_ID,
    };
    for (size_t i = 0; i < sizeof fragments / sizeof fragments[0]; i++) {
        arx_buf fragment = {0};
        arx_buf_append_str(&fragment, fragments[i]);
        each_failure(fragments[i], &fragment);
        arx_buf_free(&fragment);
    }
}

/* Both directions of the stages by themselves. */
static void failing_allocations_of_stages(void **state) {
    (void)state;
    arx_buf text = {0};
    repeat(&text, "a stage of its own ", 3000);
    static arx_result (*const compress[])(const uint8_t *, size_t,
                                          arx_buf *) = {arx_brotli_compress, arx_deflate_compress};
    static arx_result (*const decompress[])(const uint8_t *, size_t, size_t, arx_buf *) = {
        arx_brotli_decompress, arx_deflate_decompress};
    for (size_t i = 0; i < 2; i++) {
        arx_buf coded = {0};
        assert_int_equal(compress[i](text.data, text.len, &coded), ARX_OK);
        for (int direction = 0; direction < 2; direction++) {
            size_t base = heap_bytes();
            for (size_t k = 1;; k++) {
                arx_buf out = {0};
                heap_refuse(k, false);
                arx_result result = direction == 0
                                        ? compress[i](text.data, text.len, &out)
                                        : decompress[i](coded.data, coded.len, 800000, &out);
                bool reached = heap_relent();
                assert_int_equal(result, reached ? ARX_NO_MEMORY : ARX_OK);
                arx_buf_free(&out);
                assert_int_equal(heap_bytes(), base);
                if (!reached) {
                    break;
                }
            }
        }
        arx_buf_free(&coded);
    }
    arx_buf_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_fragments),
        cmocka_unit_test(superfluous_digits),
        cmocka_unit_test(full_base64url),
        cmocka_unit_test(texts),
        cmocka_unit_test(brotli_windows),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(failing_allocations_of_errors),
        cmocka_unit_test(failing_allocations_of_stages),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
