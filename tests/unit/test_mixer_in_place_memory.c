/*
 * test_mixer_in_place_memory.c - a mixer that primes itself says the same as one on an image, goes
 * back as exactly, and admits where it cannot; also without memory.
 */
#include "heap.h"
#include "mixers.h"

static arx_buf encode(arx_mixer *mixer, const uint8_t *text, size_t len) {
    arx_buf out;
    arx_buf_init(&out, 0);
    assert_int_equal(arx_mixer_encode(mixer, text, len, &out), ARX_OK);
    return out;
}

/* Both mixers code the text, and decode it again; the one in place may need its prior again. */
static void expect_same(arx_mixer *in_place, arx_mixer *on_image, const uint8_t *prior,
                        size_t prior_len, const uint8_t *text, size_t len) {
    assert_int_equal(arx_mixer_prime(in_place, prior, prior_len), ARX_OK);
    arx_buf one = encode(in_place, text, len);
    arx_buf two = encode(on_image, text, len);
    assert_int_equal(one.len, two.len);
    assert_memory_equal(one.data, two.data, two.len);
    arx_buf back;
    arx_buf_init(&back, 0);
    assert_int_equal(arx_mixer_prime(in_place, prior, prior_len), ARX_OK);
    assert_int_equal(arx_mixer_decode(in_place, one.data, one.len, &back), ARX_OK);
    assert_int_equal(back.len, len);
    if (len > 0) {
        assert_memory_equal(back.data, text, len);
    }
    arx_buf_free(&one);
    arx_buf_free(&two);
    arx_buf_free(&back);
}

enum { PRIOR_BYTES = 6000, SHORT_BYTES = 9000, LONG_BYTES = 40000 };

static void same_as_on_an_image(void **state) {
    (void)state;
    const size_t lengths[] = {0, 1, 300, SHORT_BYTES, LONG_BYTES, 2};
    uint8_t *prior = mixer_text(MIXER_SEVERAL, PRIOR_BYTES, 1);
    uint8_t *text = mixer_text(MIXER_SEVERAL, LONG_BYTES, 2);
    arx_kernel kernels[2];
    unsigned count = mixer_kernels(kernels);
    for (unsigned k = 0; k < count; k++) {
        arx_image *image = arx_image_create(kernels[k], prior, PRIOR_BYTES);
        arx_mixer *in_place = arx_mixer_create(kernels[k]);
        arx_mixer *on_image = arx_mixer_create(kernels[k]);
        assert_non_null(image);
        assert_int_equal(arx_mixer_base(on_image, image), ARX_OK);
        for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
            expect_same(in_place, on_image, prior, PRIOR_BYTES, text, lengths[i]);
        }
        arx_mixer_free(on_image);
        arx_mixer_free(in_place);
        arx_image_free(image);
    }
    free(prior);
    free(text);
}

/* After a short text every byte of the model is as it was primed. */
static void goes_back_exactly(void **state) {
    (void)state;
    uint8_t *prior = mixer_text(MIXER_TABLE, PRIOR_BYTES, 3);
    uint8_t *text = mixer_text(MIXER_SEVERAL, SHORT_BYTES, 4);
    arx_image *image = arx_image_create(arx_kernel_best(), prior, PRIOR_BYTES);
    arx_mixer *mixer = arx_mixer_create(arx_kernel_best());
    assert_int_equal(arx_mixer_prime(mixer, prior, PRIOR_BYTES), ARX_OK);
    arx_buf coded = encode(mixer, text, SHORT_BYTES);
    assert_true(arx_mixer_has_base(mixer));
    assert_memory_equal(mixer->model->slots, image->model->slots, sizeof image->model->slots);
    assert_memory_equal(mixer->model->weights, image->model->weights, sizeof image->model->weights);
    assert_memory_equal(mixer->model->match, image->model->match, sizeof image->model->match);
    assert_memory_equal(mixer->model->ring, image->model->ring, sizeof image->model->ring);
    assert_true(mixer_contexts_equal(mixer->model, image->model));

    /* A stream that breaks off leaves it there, too. */
    arx_buf back;
    arx_buf_init(&back, 0);
    assert_int_equal(arx_mixer_decode(mixer, coded.data, coded.len / 2, &back), ARX_MALFORMED);
    assert_true(arx_mixer_has_base(mixer));
    assert_memory_equal(mixer->model->slots, image->model->slots, sizeof image->model->slots);
    assert_memory_equal(mixer->model->ring, image->model->ring, sizeof image->model->ring);
    arx_buf_free(&back);
    arx_buf_free(&coded);
    arx_mixer_free(mixer);
    arx_image_free(image);
    free(prior);
    free(text);
}

/* A long text takes the base away: nothing is coded from a state that nobody asked for. */
static void has_no_base_after_a_long_text(void **state) {
    (void)state;
    uint8_t *text = mixer_text(MIXER_WORDS, LONG_BYTES, 5);
    arx_mixer *mixer = arx_mixer_create(arx_kernel_best());
    arx_buf out;
    arx_buf_init(&out, 0);
    assert_int_equal(arx_mixer_encode(mixer, text, 10, &out), ARX_UNAVAILABLE);
    assert_int_equal(arx_mixer_prime(mixer, text, 100), ARX_OK);
    arx_buf coded = encode(mixer, text, LONG_BYTES);
    assert_false(arx_mixer_has_base(mixer));
    assert_int_equal(arx_mixer_encode(mixer, text, 10, &out), ARX_UNAVAILABLE);
    assert_int_equal(arx_mixer_decode(mixer, coded.data, coded.len, &out), ARX_UNAVAILABLE);

    /* An image takes over, and gives way again. */
    arx_image *image = arx_image_create(arx_kernel_best(), text, 100);
    assert_int_equal(arx_mixer_base(mixer, image), ARX_OK);
    arx_buf one = encode(mixer, text, 500);
    assert_int_equal(arx_mixer_prime(mixer, text, 100), ARX_OK);
    arx_image_free(image);
    arx_buf two = encode(mixer, text, 500);
    assert_int_equal(one.len, two.len);
    assert_memory_equal(one.data, two.data, two.len);
    arx_buf_free(&one);
    arx_buf_free(&two);
    arx_buf_free(&coded);
    arx_buf_free(&out);
    arx_mixer_free(mixer);
    free(text);
}

/* A prior that nearly fills the ring leaves no room for a log; one that overfills it is refused. */
static void priors_as_long_as_the_ring(void **state) {
    (void)state;
    uint8_t *prior = mixer_text(MIXER_ZEROS, ARX_RING_BYTES + 1, 6);
    arx_mixer *mixer = arx_mixer_create(arx_kernel_best());
    assert_int_equal(arx_mixer_prime(mixer, prior, ARX_RING_BYTES + 1), ARX_OVER_LIMIT);
    assert_int_equal(arx_mixer_prime(mixer, prior, ARX_RING_BYTES - 10), ARX_OK);
    arx_buf coded = encode(mixer, prior, 10);
    assert_true(arx_mixer_has_base(mixer));
    arx_buf_free(&coded);
    coded = encode(mixer, prior, 11);
    assert_false(arx_mixer_has_base(mixer));
    arx_buf_free(&coded);
    arx_mixer_free(mixer);
    free(prior);
}

/* A small coder, over vectors of the invented set: all its priors in turn. */
static void small_coder(void **state) {
    (void)state;
    arx_assets *assets = vector_test_assets();
    arx_coder *small = arx_coder_create_small(&arx_entropy_native);
    arx_coder *usual = arx_coder_create(&arx_entropy_native, NULL);
    const uint8_t text[] = "# A heading\n\nSome text | and a table | of sorts\n";
    for (unsigned i = 0; i < 2 * sizeof ARX_PRIOR_IDS - 2; i++) {
        char prior = ARX_PRIOR_IDS[i % (sizeof ARX_PRIOR_IDS - 1)];
        arx_mixer *one;
        arx_mixer *two;
        assert_int_equal(arx_coder_mixer(small, assets, prior, &one), ARX_OK);
        assert_int_equal(arx_coder_mixer(usual, assets, prior, &two), ARX_OK);
        arx_buf a = encode(one, text, sizeof text - 1);
        arx_buf b = encode(two, text, sizeof text - 1);
        assert_int_equal(a.len, b.len);
        assert_memory_equal(a.data, b.data, b.len);
        arx_buf_free(&a);
        arx_buf_free(&b);
    }
    arx_coder_free(small);
    arx_coder_free(usual);
}

static void without_memory(void **state) {
    (void)state;
    const uint8_t prior[] = "a prior";
    const uint8_t text[] = "a text and another";
    size_t before = heap_blocks();
    arx_result rc = ARX_NO_MEMORY;
    unsigned failures = 0;
    for (size_t k = 1; rc != ARX_OK; k++) {
        arx_buf out;
        arx_buf_init(&out, 0);
        heap_refuse(k, false);
        arx_mixer *mixer = arx_mixer_create(arx_kernel_best());
        rc = mixer == NULL ? ARX_NO_MEMORY : arx_mixer_prime(mixer, prior, sizeof prior - 1);
        if (rc == ARX_OK) {
            rc = arx_mixer_encode(mixer, text, sizeof text - 1, &out);
        }
        if (rc == ARX_OK && !arx_mixer_has_base(mixer)) {
            rc = ARX_NO_MEMORY; /* of the log: it worked, and has to be primed again */
            assert_int_equal(arx_mixer_prime(mixer, prior, sizeof prior - 1), ARX_OK);
        }
        (void)heap_relent();
        failures += rc != ARX_OK;
        arx_mixer_free(mixer);
        arx_buf_free(&out);
        assert_int_equal(heap_blocks(), before);
    }
    assert_true(failures >= 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_on_an_image),
        cmocka_unit_test(goes_back_exactly),
        cmocka_unit_test(has_no_base_after_a_long_text),
        cmocka_unit_test(priors_as_long_as_the_ring),
        cmocka_unit_test(small_coder),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
