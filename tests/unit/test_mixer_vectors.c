/* test_mixer_vectors.c - the mixer alone on raw bytes, both ways, with every kernel. */
#include "mixers.h"

#include <stdio.h>

static void check_coded(arx_mixer *mixer, const uint8_t *text, size_t len, const arx_json *coded,
                        const char *what) {
    uint8_t *guarded = guard_copy(text, len);
    arx_buf out;
    arx_buf back;
    arx_buf_init(&out, 0);
    arx_buf_init(&back, 0);
    assert_int_equal(arx_mixer_encode(mixer, guarded, len, &out), ARX_OK);
    assert_true(vector_matches(coded, out.data, out.len, what));
    guard_free(guarded, len);
    guarded = guard_copy(out.data, out.len);
    assert_int_equal(arx_mixer_decode(mixer, guarded, out.len, &back), ARX_OK);
    assert_int_equal(back.len, len);
    if (len > 0) {
        assert_memory_equal(back.data, text, len);
    }
    guard_free(guarded, out.len);
    arx_buf_free(&out);
    arx_buf_free(&back);
}

/* The row that is too long to be stored: its generator, as the vectors describe it. */
static void generate_big(arx_buf *text) {
    uint32_t x = 12345;
    uint8_t *b = arx_buf_extend(text, 700000);
    assert_non_null(b);
    for (uint32_t i = 0; i < 700000; i++) {
        x = x * 1103515245u + 12345u;
        b[i] = (uint8_t)(i % 5000 < 2500 ? 97 + i % 26 : 32 + (x >> 16) % 90);
        if (i >= 524288 && i < 560000) {
            b[i] = b[i - 524288];
        }
        if (i >= 600000 && i < 640000) {
            b[i] = b[i - 524290];
        }
    }
}

static size_t check_rows(const arx_assets *assets, char prior, arx_kernel kernel) {
    const uint8_t *bytes = NULL;
    size_t bytes_len = 0;
    if (prior != 'n') {
        assert_int_equal(arx_assets_prior(assets, prior, &bytes, &bytes_len), ARX_OK);
    }
    arx_image *image = arx_image_create(kernel, bytes, bytes_len);
    assert_non_null(image);
    arx_mixer *mixer = mixer_on(kernel, image);
    const char key[2] = {prior, '\0'};
    size_t rows = 0;
    const arx_json *list = arx_json_get(vector_load("mixer.json"), "rows");
    for (const arx_json *row = list->as.list.first; row != NULL; row = row->next) {
        const arx_json *coded = arx_json_get(arx_json_get(row, "coded"), key);
        if (coded == NULL) {
            continue;
        }
        arx_buf text;
        arx_buf_init(&text, 0);
        const arx_json *input = arx_json_get(row, "input");
        if (input != NULL) {
            vector_unhex(arx_json_get(input, "hex"), &text);
        } else {
            generate_big(&text);
        }
        char what[80];
        snprintf(what, sizeof what, "kernel %d, prior %c, row %zu", (int)kernel, prior, rows);
        check_coded(mixer, text.data, text.len, coded, what);
        arx_buf_free(&text);
        rows++;
    }
    arx_mixer_free(mixer);
    arx_image_free(image);
    return rows;
}

static void raw_bytes_without_a_prior(void **state) {
    (void)state;
    arx_kernel kernels[2];
    for (unsigned k = mixer_kernels(kernels); k-- > 0;) {
        assert_int_equal(check_rows(NULL, 'n', kernels[k]), 20);
    }
}

static void raw_bytes_behind_a_prior(void **state) {
    (void)state;
    const arx_assets *assets = vector_upstream_assets();
    if (assets == NULL) {
        skip();
    }
    arx_kernel kernels[2];
    for (unsigned k = mixer_kernels(kernels); k-- > 0;) {
        assert_true(check_rows(assets, 's', kernels[k]) >= 3);
        assert_true(check_rows(assets, 'm', kernels[k]) >= 5);
        assert_true(check_rows(assets, 'c', kernels[k]) >= 2);
        assert_true(check_rows(assets, 'j', kernels[k]) >= 3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raw_bytes_without_a_prior),
        cmocka_unit_test(raw_bytes_behind_a_prior),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
