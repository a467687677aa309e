/*
 * test_encode_assets.c - fragments made with invented asset sets, and every envelope through every
 * codec and back.
 */
#include "encodes.h"

static arx_coder *coder;

static int setup(void **state) {
    (void)state;
    coder = new_coder();
    return 0;
}

static int teardown(void **state) {
    (void)state;
    arx_coder_free(coder);
    return 0;
}

/* Codecs whose bytes do not depend on which Brotli is linked. */
static size_t check_exact(const arx_assets *assets, const arx_json *row, arx_codec codec,
                          const char *member) {
    const arx_json *expected = arx_json_get(row, member);
    arx_encode_options options = with_codec(codec);
    arx_encoded encoded = encode(coder, assets, vector_envelope(name_of(row)), &options);
    bool same = vector_matches(expected, encoded.fragment, encoded.fragment_len, name_of(row)) &&
                encoded.winner.transport_units == number_of(expected, "transport") &&
                encoded.winner.visible_units == number_of(expected, "visible");
    arx_encoded_free(&encoded);
    return !same;
}

static void test_invented_set(void **state) {
    (void)state;
    const arx_assets *assets = vector_test_assets();
    const arx_json *rows = vector_list("testassets.json", "rows");
    size_t wrong = 0;
    size_t mixed = 0;
    for (const arx_json *row = rows; row != NULL; row = row->next) {
        wrong += check_exact(assets, row, ARX_CODEC_ARX5, "arx5");
        wrong += check_exact(assets, row, ARX_CODEC_ARX4, "arx4");
        /* auto: the same winner, exactly where the mixer won */
        const arx_json *expected = arx_json_get(row, "auto");
        const arx_json *text = arx_json_get_string(expected, "text");
        if (text == NULL) {
            text = arx_json_get_string(expected, "head");
        }
        arx_encode_options options = automatic();
        arx_encoded encoded = encode(coder, assets, vector_envelope(name_of(row)), &options);
        assert_non_null(text);
        if (text->as.string.data[0] == 'f') {
            wrong +=
                !vector_matches(expected, encoded.fragment, encoded.fragment_len, name_of(row));
            mixed++;
        } else {
            double ratio = (double)encoded.winner.score / (double)number_of(expected, "transport");
            wrong += encoded.fragment[0] != text->as.string.data[0] || ratio < 0.99 || ratio > 1.01;
        }
        arx_encoded_free(&encoded);
    }
    assert_true(mixed > 20);
    assert_int_equal(wrong, 0);
}

/* The set that odd-assets.json carries: duplicate, empty and non-ASCII slots, more than 126. */
static arx_assets *odd_assets(void) {
    static const char *const names[] = {"dictionary", "overlay", "priors"};
    const arx_json *set = arx_json_get(vector_load("odd-assets.json"), "assets");
    arx_buf files[3];
    arx_assets *assets;
    for (size_t i = 0; i < 3; i++) {
        arx_buf_init(&files[i], 0);
        arx_json_write(arx_json_get(set, names[i]), &files[i]);
        assert_int_equal(arx_buf_result(&files[i]), ARX_OK);
    }
    const arx_asset_files parts = {files[0].data, files[0].len,  files[1].data,
                                   files[1].len,  files[2].data, files[2].len};
    assert_int_equal(arx_assets_create(&parts, "00000000000000dd", &assets, NULL), ARX_OK);
    for (size_t i = 0; i < 3; i++) {
        arx_buf_free(&files[i]);
    }
    return assets;
}

static void test_odd_set(void **state) {
    (void)state;
    arx_assets *assets = odd_assets();
    const arx_json *rows = vector_list("odd-assets.json", "rows");
    size_t wrong = 0;
    for (const arx_json *row = rows; row != NULL; row = row->next) {
        for (arx_codec codec = ARX_CODEC_ARX; codec < ARX_CODEC_COUNT; codec++) {
            const arx_json *envelope = vector_envelope(name_of(row));
            const arx_json *expected = arx_json_get(row, arx_codec_name(codec));
            arx_encode_options options = with_codec(codec);
            arx_encoded encoded = encode(coder, assets, envelope, &options);
            if (codec >= ARX_CODEC_ARX4) {
                wrong += !same_fragment(expected, &encoded.winner, encoded.fragment,
                                        encoded.fragment_len, name_of(row));
            } else {
                ptrdiff_t off = (ptrdiff_t)encoded.winner.transport_units -
                                (ptrdiff_t)number_of(expected, "transport");
                wrong += off < -30 || off > 30; /* another Brotli */
            }
            wrong += !goes_round(coder, assets, envelope, encoded.fragment, encoded.fragment_len);
            arx_encoded_free(&encoded);
        }
    }
    arx_assets_free(assets);
    assert_int_equal(wrong, 0);
}

static void test_every_envelope_goes_round(void **state) {
    (void)state;
    const arx_assets *assets = vector_test_assets();
    const arx_json *list = vector_list("envelopes.json", "envelopes");
    size_t wrong = 0;
    for (const arx_json *row = list; row != NULL; row = row->next) {
        const arx_json *envelope = arx_json_get(row, "envelope");
        const char *name = name_of(row);
        bool long_text = strstr(name, "60k") != NULL || strstr(name, "190k") != NULL;
        for (arx_codec codec = 0; codec < ARX_CODEC_COUNT; codec++) {
            if (long_text && (codec == ARX_CODEC_ARX || codec == ARX_CODEC_ARX4)) {
                continue; /* arx3 and arx5 do the same work */
            }
            arx_encode_options options = with_codec(codec);
            arx_encoded encoded = encode(coder, assets, envelope, &options);
            bool right =
                goes_round(coder, assets, envelope, encoded.fragment, encoded.fragment_len);
            if (encoded.url_fragment != NULL) {
                right = right && goes_round(coder, assets, envelope, encoded.url_fragment,
                                            encoded.url_fragment_len);
            }
            if (!right) {
                print_error("%s does not come back from %s\n", name_of(row), arx_codec_name(codec));
                wrong++;
            }
            arx_encoded_free(&encoded);
        }
    }
    assert_int_equal(wrong, 0);
}

/* m, c and j become s in a set without priors; s and n are always there. */
static void test_set_without_priors(void **state) {
    (void)state;
    arx_assets *assets = assets_without_priors("tests/vectors/assets");
    const arx_json *envelope = vector_envelope("md-short");
    static const char asked[] = {'\0', 'm', 'c', 'j', 's', 'n'};
    for (size_t i = 0; i < sizeof asked; i++) {
        arx_encode_options options = with_codec(ARX_CODEC_ARX5);
        options.prior = asked[i];
        arx_encoded encoded = encode(coder, assets, envelope, &options);
        assert_int_equal(encoded.winner.prior, asked[i] == 'n' ? 'n' : 's');
        assert_int_equal(encoded.fragment[1], asked[i] == 'n' ? 'n' : 's');
        assert_true(goes_round(coder, assets, envelope, encoded.fragment, encoded.fragment_len));
        arx_encoded_free(&encoded);
    }
    arx_assets_free(assets);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_invented_set),
        cmocka_unit_test(test_odd_set),
        cmocka_unit_test(test_every_envelope_goes_round),
        cmocka_unit_test(test_set_without_priors),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
