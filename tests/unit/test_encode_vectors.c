/*
 * test_encode_vectors.c - explicit codecs give the fragments of the golden vectors.
 *
 * Brotli streams of libbrotli differ from those of the vectors' encoder for some inputs
 * (brotli-c.json says which), and zlib's deflate for nearly all: there lengths are compared, and
 * the fragment has to decode.
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

static const arx_assets *upstream(void) {
    const arx_assets *assets = vector_upstream_assets();
    if (assets == NULL) {
        print_message("needs ARX_UPSTREAM_ASSETS\n");
        skip();
    }
    return assets;
}

/* ---- plain, lz, deflate ---- */

static size_t check_simple(const arx_json *row, arx_codec codec, size_t *recorded) {
    const arx_assets *assets = vector_test_assets();
    const arx_json *envelope = vector_envelope(name_of(row));
    const arx_json *expected = arx_json_get(row, arx_codec_name(codec));
    size_t wrong = 0;
    for (int packed = 1; packed >= 0; packed--) {
        arx_encode_options options = with_codec(codec);
        options.prefer_packed = packed;
        arx_encoded encoded = encode(coder, assets, envelope, &options);
        const arx_json *form =
            arx_json_get(expected, encoded.winner.packed ? "packed" : "unpacked");
        bool chosen = arx_json_is(arx_json_get(expected, "chosenPacked"), ARX_JSON_TRUE);
        assert_int_equal(encoded.candidate_count, packed ? 2 : 1);
        assert_false(encoded.winner.has_wire);
        assert_null(encoded.url_fragment);
        if (codec == ARX_CODEC_DEFLATE) {
            assert_true(
                goes_round(coder, assets, envelope, encoded.fragment, encoded.fragment_len));
            *recorded += number_of(form, "visible");
        } else {
            assert_int_equal(encoded.winner.packed, packed && chosen);
            if (packed) {
                wrong += !vector_matches(arx_json_get(expected, "fragment"), encoded.fragment,
                                         encoded.fragment_len, name_of(row));
            }
            wrong += !vector_matches(form, encoded.fragment, encoded.fragment_len, name_of(row));
            wrong += encoded.winner.transport_units != number_of(form, "transport");
            wrong += encoded.winner.visible_units != number_of(form, "visible");
        }
        *recorded -= codec == ARX_CODEC_DEFLATE ? encoded.winner.visible_units : 0;
        arx_encoded_free(&encoded);
    }
    return wrong;
}

static void test_plain_and_lz(void **state) {
    (void)state;
    size_t wrong = 0;
    size_t unused = 0;
    for (const arx_json *row = vector_list("sync.json", "rows"); row != NULL; row = row->next) {
        wrong += check_simple(row, ARX_CODEC_PLAIN, &unused);
        wrong += check_simple(row, ARX_CODEC_LZ, &unused);
    }
    assert_int_equal(wrong, 0);
}

/* zlib's fragments are not longer in total than the recorded ones. */
static void test_deflate(void **state) {
    (void)state;
    size_t saved = 0; /* wraps below 0 if they are */
    for (const arx_json *row = vector_list("sync.json", "rows"); row != NULL; row = row->next) {
        check_simple(row, ARX_CODEC_DEFLATE, &saved);
    }
    print_message("deflate: %td characters saved\n", (ptrdiff_t)saved);
    assert_true((ptrdiff_t)saved >= 0);
}

/* ---- arx, arx2, arx3 ---- */

static bool check_brotli(const arx_assets *assets, const arx_json *row, arx_codec codec,
                         const char *member, bool same_streams) {
    const arx_json *envelope = vector_envelope(name_of(row));
    const arx_json *expected = arx_json_get(row, member);
    arx_encode_options options = with_codec(codec);
    arx_encoded encoded = encode(coder, assets, envelope, &options);
    bool right = encoded.winner.has_wire;
    if (same_streams) {
        bool packed = arx_json_is(arx_json_get(expected, "packed"), ARX_JSON_TRUE);
        right = right && encoded.winner.packed == packed &&
                same_fragment(expected, &encoded.winner, encoded.fragment, encoded.fragment_len,
                              name_of(row));
    } else {
        /* "a few bytes either way" */
        double ratio =
            (double)encoded.winner.score /
            (double)number_of(expected, codec == ARX_CODEC_ARX3 ? "visible" : "transport");
        right = right && ratio > 0.99 && ratio < 1.01 &&
                goes_round(coder, assets, envelope, encoded.fragment, encoded.fragment_len);
    }
    arx_encoded_free(&encoded);
    return right;
}

static void test_brotli_codecs(void **state) {
    (void)state;
    const arx_assets *assets = upstream();
    size_t wrong = 0;
    size_t compared = 0;
    for (const arx_json *row = vector_list("arx.json", "rows"); row != NULL; row = row->next) {
        const char *name = name_of(row);
        bool same = same_brotli(name, "arxPacked") && same_brotli(name, "arxUnpacked");
        bool same_tuple = same_brotli(name, "arx2");
        compared += same + 2u * same_tuple;
        wrong += !check_brotli(assets, row, ARX_CODEC_ARX, "arxFragment", same);
        wrong += !check_brotli(assets, row, ARX_CODEC_ARX2, "arx2Fragment", same_tuple);
        wrong += !check_brotli(assets, row, ARX_CODEC_ARX3, "arx3Fragment", same_tuple);
    }
    print_message("%zu of 165 fragments compared byte by byte\n", compared);
    assert_true(compared > 100);
    assert_int_equal(wrong, 0);
}

/* ---- arx4, arx5 ---- */

/* All four wires of one coded text, listed with their lengths. */
static size_t check_wires(const arx_json *row, arx_codec codec, const arx_encoded *encoded) {
    const arx_json *expected = arx_json_get(row, arx_codec_name(codec));
    size_t wrong = encoded->candidate_count != ARX_WIRE_COUNT;
    for (size_t i = 0; i < encoded->candidate_count; i++) {
        const arx_candidate *c = &encoded->candidates[i];
        const arx_json *wire = arx_json_get(expected, arx_wire_name(c->wire));
        wrong += c->wire != (arx_wire)i || c->transport_units != number_of(wire, "transport") ||
                 c->visible_units != number_of(wire, "visible") ||
                 c->coded_bytes != number_of(row, "codedBytes");
    }
    return wrong;
}

static size_t check_arx5(const arx_assets *assets, const arx_json *row) {
    arx_encode_options options = with_codec(ARX_CODEC_ARX5);
    options.all_wires = true;
    arx_encoded encoded = encode(coder, assets, vector_envelope(name_of(row)), &options);
    size_t wrong = check_wires(row, ARX_CODEC_ARX5, &encoded);
    wrong += !same_fragment(arx_json_get(row, "arx5Fragment"), &encoded.winner, encoded.fragment,
                            encoded.fragment_len, name_of(row));
    wrong += !arx_json_string_is(arx_json_get(row, "prior"), (char[]){encoded.winner.prior, '\0'});
    wrong += encoded.url_fragment != NULL;
    arx_encoded_free(&encoded);
    return wrong;
}

static size_t check_arx4(const arx_assets *assets, const arx_json *row) {
    const arx_json *url = arx_json_get(row, "arx4UrlSerialized");
    arx_encode_options options = with_codec(ARX_CODEC_ARX4);
    options.all_wires = true;
    arx_encoded encoded = encode(coder, assets, vector_envelope(name_of(row)), &options);
    size_t wrong = check_wires(row, ARX_CODEC_ARX4, &encoded);
    bool two = encoded.url_fragment != NULL;
    wrong += !same_fragment(arx_json_get(row, "arx4Fragment"), &encoded.winner, encoded.fragment,
                            encoded.fragment_len, name_of(row));
    wrong += !same_fragment(url, &encoded.url_winner, two ? encoded.url_fragment : encoded.fragment,
                            two ? encoded.url_fragment_len : encoded.fragment_len, name_of(row));
    arx_encoded_free(&encoded);
    return wrong;
}

static void test_mixer_codecs(void **state) {
    (void)state;
    const arx_assets *assets = upstream();
    size_t wrong = 0;
    for (const arx_json *row = vector_list("arx5.json", "rows"); row != NULL; row = row->next) {
        wrong += check_arx5(assets, row);
        wrong += check_arx4(assets, row);
    }
    assert_int_equal(wrong, 0);
}

static void test_explicit_priors(void **state) {
    (void)state;
    const arx_assets *assets = upstream();
    size_t wrong = 0;
    size_t compared = 0;
    for (const arx_json *row = vector_list("arx5.json", "rows"); row != NULL; row = row->next) {
        const arx_json *priors = arx_json_get(row, "priors");
        for (const char *id = ARX_PRIOR_IDS; priors != NULL && *id != '\0'; id++) {
            arx_encode_options options = with_codec(ARX_CODEC_ARX5);
            options.prior = *id;
            arx_encoded encoded = encode(coder, assets, vector_envelope(name_of(row)), &options);
            const arx_json *expected =
                arx_json_get(arx_json_get(priors, (char[]){*id, '\0'}), "base64url");
            assert_int_equal(encoded.winner.prior, *id);
            if (encoded.winner.wire == ARX_WIRE_BASE64URL) {
                /* the vector's wire text starts with the prior and has no tag */
                wrong += !vector_matches(expected, encoded.fragment + 1, encoded.fragment_len - 1,
                                         name_of(row));
                compared++;
            }
            arx_encoded_free(&encoded);
        }
    }
    print_message("%zu fragments compared\n", compared);
    assert_true(compared >= 60);
    assert_int_equal(wrong, 0);
}

/* ---- the automatic choice ---- */

/* [tag, packed, score] in candidate order; deflate's scores are another encoder's. */
static size_t check_pool(const arx_json *row, const arx_encoded *encoded) {
    const arx_json *pool = arx_json_get(arx_json_get(row, "auto"), "pool");
    size_t wrong = encoded->candidate_count != pool->as.list.count;
    const arx_json *entry = pool->as.list.first;
    for (size_t i = 0; i < encoded->candidate_count && entry != NULL; i++, entry = entry->next) {
        const arx_candidate *c = &encoded->candidates[i];
        const char tag[] = {arx_codec_tag(c->codec), '\0'};
        const char *stream = c->codec == ARX_CODEC_ARX2 ? "arx2"
                             : c->packed                ? "arxPacked"
                                                        : "arxUnpacked";
        bool exact = c->codec != ARX_CODEC_DEFLATE &&
                     ((c->codec != ARX_CODEC_ARX && c->codec != ARX_CODEC_ARX2) ||
                      same_brotli(name_of(row), stream));
        wrong += !arx_json_string_is(arx_json_at(entry, 0), tag) ||
                 c->packed != (arx_json_at(entry, 1)->as.number == 1) ||
                 (exact && (double)c->score != arx_json_at(entry, 2)->as.number);
    }
    if (wrong > 0) {
        print_error("%s: the pool differs\n", name_of(row));
    }
    return wrong;
}

static void test_automatic_choice(void **state) {
    (void)state;
    const arx_assets *assets = upstream();
    size_t wrong = 0;
    for (const arx_json *row = vector_list("arx5.json", "rows"); row != NULL; row = row->next) {
        const arx_json *expected = arx_json_get(row, "auto");
        arx_encode_options options = automatic();
        options.all_wires = true;
        arx_encoded encoded = encode(coder, assets, vector_envelope(name_of(row)), &options);
        wrong += !arx_json_string_is(arx_json_get(expected, "codec"),
                                     arx_codec_name(encoded.winner.codec));
        wrong += !same_fragment(expected, &encoded.winner, encoded.fragment, encoded.fragment_len,
                                name_of(row));
        wrong += check_pool(row, &encoded);
        arx_encoded_free(&encoded);
    }
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_and_lz),    cmocka_unit_test(test_deflate),
        cmocka_unit_test(test_brotli_codecs),   cmocka_unit_test(test_mixer_codecs),
        cmocka_unit_test(test_explicit_priors), cmocka_unit_test(test_automatic_choice),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
