/* test_priors.c - texts coded behind primed models, with every golden asset set and prior. */
#include "mixers.h"

#include <nettle/sha2.h>
#include <stdio.h>

/* Codes through a coder with images of its own, and back. */
static void check_coded(arx_coder *coder, const arx_assets *assets, char prior, const arx_buf *text,
                        const arx_json *wanted, const char *name) {
    char what[100];
    snprintf(what, sizeof what, "%s, prior %c", name, prior);
    arx_mixer *mixer;
    arx_buf coded;
    arx_buf back;
    arx_buf_init(&coded, 0);
    arx_buf_init(&back, 0);
    assert_int_equal(arx_coder_mixer(coder, assets, prior, &mixer), ARX_OK);
    assert_int_equal(arx_mixer_encode(mixer, text->data, text->len, &coded), ARX_OK);
    assert_true(vector_matches(wanted, coded.data, coded.len, what));
    assert_int_equal(arx_mixer_decode(mixer, coded.data, coded.len, &back), ARX_OK);
    assert_int_equal(back.len, text->len);
    if (text->len > 0) {
        assert_memory_equal(back.data, text->data, text->len);
    }
    arx_buf_free(&coded);
    arx_buf_free(&back);
}

/* The text a row coded: given, or (where only its hash is) made from the envelope. */
static void row_text(const arx_assets *assets, const arx_json *given, const char *name,
                     arx_buf *text) {
    const arx_json *hex = arx_json_get(given, "hex");
    if (hex != NULL) {
        vector_unhex(hex, text);
        return;
    }
    arx_buf tuple;
    arx_buf overlaid;
    arx_buf_init(&tuple, 0);
    arx_buf_init(&overlaid, 0);
    arx_envelope_write_tuple(vector_envelope(name), &tuple);
    arx_dictionary_encode(arx_assets_overlay(assets), tuple.data, tuple.len, &overlaid);
    arx_dictionary_encode(arx_assets_base(assets), overlaid.data, overlaid.len, text);
    assert_int_equal(arx_buf_result(text), ARX_OK);
    assert_true(vector_matches(given, text->data, text->len, name));
    arx_buf_free(&tuple);
    arx_buf_free(&overlaid);
}

typedef struct row_shape {
    const char *text;   /* member with the substituted text */
    const char *within; /* of this member, or NULL */
    const char *priors; /* member with an object of coded bytes by prior */
    bool by_default;    /* the row also names its prior, with the bytes in `coded` */
} row_shape;

static size_t check_rows(const arx_assets *assets, const arx_json *rows, row_shape shape) {
    arx_coder *coder = arx_coder_create(&arx_entropy_native, NULL);
    assert_non_null(coder);
    size_t checked = 0;
    assert_true(arx_json_is(rows, ARX_JSON_ARRAY));
    for (const arx_json *row = rows->as.list.first; row != NULL; row = row->next) {
        char name[64];
        const arx_json *named = arx_json_get_string(row, "name");
        snprintf(name, sizeof name, "%.*s", (int)named->as.string.len,
                 (const char *)named->as.string.data);
        const arx_json *holder = shape.within != NULL ? arx_json_get(row, shape.within) : row;
        arx_buf text;
        arx_buf_init(&text, 0);
        row_text(assets, arx_json_get(holder, shape.text), name, &text);
        if (shape.by_default) {
            char prior = (char)arx_json_get_string(row, "prior")->as.string.data[0];
            check_coded(coder, assets, prior, &text, arx_json_get(row, "coded"), name);
            checked++;
        }
        const arx_json *priors = arx_json_get(row, shape.priors);
        const arx_json *coded = arx_json_is(priors, ARX_JSON_OBJECT) ? priors->as.list.first : NULL;
        for (; coded != NULL; coded = coded->next) {
            check_coded(coder, assets, (char)coded->key[0], &text, coded, name);
            checked++;
        }
        arx_buf_free(&text);
    }
    arx_coder_free(coder);
    return checked;
}

static void test_set(void **state) {
    (void)state;
    arx_assets *assets = vector_test_assets();
    const arx_json *rows = arx_json_get(vector_load("testassets.json"), "rows");
    arx_kernel kernels[2];
    for (unsigned k = mixer_kernels(kernels); k-- > 0;) {
        arx_assets_set_kernel(assets, kernels[k]);
        assert_int_equal(check_rows(assets, rows, (row_shape){"tupleText", NULL, "priors", true}),
                         55 + 13 * 5);
    }
    arx_assets_set_kernel(assets, arx_kernel_best());
    const arx_json *extra = arx_json_get(vector_load("extra.json"), "testAssets");
    assert_int_equal(check_rows(assets, extra, (row_shape){"tupleText", NULL, "coded", false}),
                     4 * 5);
}

static void odd_set(void **state) {
    (void)state;
    const arx_json *vectors = vector_load("odd-assets.json");
    const arx_json *set = arx_json_get(vectors, "assets");
    static const char *const names[] = {"dictionary", "overlay", "priors"};
    arx_buf files[3];
    for (unsigned i = 0; i < 3; i++) {
        arx_buf_init(&files[i], 0);
        arx_json_write(arx_json_get(set, names[i]), &files[i]);
        assert_int_equal(arx_buf_result(&files[i]), ARX_OK);
    }
    arx_asset_files all = {.dictionary = files[0].data,
                           .dictionary_len = files[0].len,
                           .overlay = files[1].data,
                           .overlay_len = files[1].len,
                           .priors = files[2].data,
                           .priors_len = files[2].len};
    arx_assets *assets;
    assert_int_equal(arx_assets_create(&all, "0000000000000000", &assets, NULL), ARX_OK);
    for (unsigned i = 0; i < 3; i++) {
        arx_buf_free(&files[i]);
    }
    assert_int_equal(check_rows(assets, arx_json_get(vectors, "rows"),
                                (row_shape){"substituted", "tuple", "coded", false}),
                     8 * 5);
    arx_assets_free(assets);
}

static void check_digest(const arx_assets *assets, char prior, size_t wanted_len,
                         const char *wanted) {
    const uint8_t *bytes;
    size_t len;
    uint8_t digest[SHA256_DIGEST_SIZE];
    char hex[2 * SHA256_DIGEST_SIZE + 1];
    struct sha256_ctx context;
    assert_int_equal(arx_assets_prior(assets, prior, &bytes, &len), ARX_OK);
    assert_int_equal(len, wanted_len);
    sha256_init(&context);
    sha256_update(&context, len, bytes);
    sha256_digest(&context, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++) {
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    }
    assert_string_equal(hex, wanted);
}

static void upstream_set(void **state) {
    (void)state;
    arx_assets *assets = vector_upstream_assets();
    if (assets == NULL) {
        skip();
    }
    const uint8_t *shared;
    size_t shared_len;
    assert_int_equal(arx_assets_prior(assets, 's', &shared, &shared_len), ARX_OK);
    assert_int_equal(arx_text_units(shared, shared_len), 2202);
    check_digest(assets, 'm', 16384,
                 "90da74cfa7a7394099aefd7d8f3ba9ed2acc40237b23d58048f4b8b4dd596c9c");
    check_digest(assets, 'c', 16384,
                 "3596c70d73b7d3f95e5f978a0c3bcb4ae1d4aa8711d563f4a22f39d0123aa6af");
    check_digest(assets, 'j', 16384,
                 "37e1cfa8f8885afda7e560d63616b4e84e891a1c3a63d2ac3a139ebe6558fb18");
    const arx_json *rows = arx_json_get(vector_load("arx5.json"), "rows");
    arx_kernel kernels[2];
    for (unsigned k = mixer_kernels(kernels); k-- > 0;) {
        arx_assets_set_kernel(assets, kernels[k]);
        assert_int_equal(check_rows(assets, rows, (row_shape){"substituted", NULL, "priors", true}),
                         55 + 13 * 5);
    }
    arx_assets_set_kernel(assets, arx_kernel_best());
    const arx_json *extra = arx_json_get(vector_load("extra.json"), "upstreamAssets");
    assert_int_equal(check_rows(assets, extra, (row_shape){"tupleText", NULL, "coded", false}),
                     3 * 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set),
        cmocka_unit_test(odd_set),
        cmocka_unit_test(upstream_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
