/* test_mixer_kernels.c - the kernels are the same function: same bytes, same model behind them. */
#include "mixers.h"

static void skip_without_two(void) {
    arx_kernel kernels[2];
    if (mixer_kernels(kernels) < 2) {
        print_message("only the portable kernel runs here\n");
        skip();
    }
}

static void priming_gives_the_same_model(void **state) {
    (void)state;
    skip_without_two();
    for (unsigned kind = 0; kind < MIXER_TEXTS; kind++) {
        uint8_t *text = mixer_text(kind, 20000, kind + 1);
        arx_image *portable = arx_image_create(ARX_KERNEL_PORTABLE, text, 20000);
        arx_image *fast = arx_image_create(arx_kernel_best(), text, 20000);
        assert_non_null(portable);
        assert_non_null(fast);
        assert_true(mixer_models_equal(portable->model, fast->model));
        arx_image_free(portable);
        arx_image_free(fast);
        free(text);
    }
}

/* Codes with each kernel and decodes with the other; lengths around those where anything changes.
 */
static void coding_gives_the_same_bytes(void **state) {
    (void)state;
    skip_without_two();
    static const size_t lengths[] = {0,   1,   2,    6,    7,     8,     33,   127,
                                     128, 129, 1000, 5000, 16384, 16385, 30000};
    uint8_t *prior = mixer_text(MIXER_SEVERAL, 4000, 99);
    arx_image *image = arx_image_create(ARX_KERNEL_PORTABLE, prior, 4000);
    assert_non_null(image);
    arx_mixer *portable = mixer_on(ARX_KERNEL_PORTABLE, image);
    arx_mixer *fast = mixer_on(arx_kernel_best(), image);
    for (unsigned kind = 0; kind < MIXER_TEXTS; kind++) {
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
            size_t len = lengths[i];
            uint8_t *text = mixer_text(kind, len, (uint32_t)(i * 7 + kind));
            arx_buf a;
            arx_buf b;
            arx_buf back;
            arx_buf_init(&a, 0);
            arx_buf_init(&b, 0);
            arx_buf_init(&back, 0);
            assert_int_equal(arx_mixer_encode(portable, text, len, &a), ARX_OK);
            assert_int_equal(arx_mixer_encode(fast, text, len, &b), ARX_OK);
            assert_int_equal(a.len, b.len);
            assert_memory_equal(a.data, b.data, a.len);
            assert_int_equal(arx_mixer_decode(portable, b.data, b.len, &back), ARX_OK);
            assert_int_equal(arx_mixer_decode(fast, a.data, a.len, &back), ARX_OK);
            assert_int_equal(back.len, 2 * len);
            if (len > 0) {
                assert_memory_equal(back.data, text, len);
                assert_memory_equal(back.data + len, text, len);
            }
            arx_buf_free(&a);
            arx_buf_free(&b);
            arx_buf_free(&back);
            free(text);
        }
    }
    arx_mixer_free(portable);
    arx_mixer_free(fast);
    arx_image_free(image);
    free(prior);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(priming_gives_the_same_model),
        cmocka_unit_test(coding_gives_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
