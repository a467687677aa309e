/* test_mixer_state.c - whatever happens to a text, the mixer is back at its primed state. */
#include "mixers.h"

typedef struct bench {
    arx_image *image;
    arx_mixer *mixer;
} bench;

static bench set_up(arx_kernel kernel, unsigned kind, size_t prior_len) {
    uint8_t *prior = mixer_text(kind, prior_len, 5);
    bench b;
    b.image = arx_image_create(kernel, prior, prior_len);
    assert_non_null(b.image);
    b.mixer = mixer_on(kernel, b.image);
    free(prior);
    return b;
}

static void tear_down(bench *b) {
    arx_mixer_free(b->mixer);
    arx_image_free(b->image);
}

static void expect_primed(const bench *b) {
    assert_true(mixer_is_primed(b->mixer));
}

static void for_each_kernel(void (*check)(arx_kernel kernel)) {
    arx_kernel kernels[2];
    for (unsigned k = mixer_kernels(kernels); k-- > 0;) {
        check(kernels[k]);
    }
}

/* Lengths on both sides of where the log gives way to a copy. */
static void code_texts(arx_kernel kernel) {
    static const size_t lengths[] = {0, 1, 9, 3000, 16384, 16385, 40000};
    bench b = set_up(kernel, MIXER_SEVERAL, 9000);
    for (unsigned kind = 0; kind < MIXER_TEXTS; kind++) {
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
            uint8_t *text = mixer_text(kind, lengths[i], 3);
            arx_buf coded;
            arx_buf back;
            arx_buf_init(&coded, 0);
            arx_buf_init(&back, 0);
            assert_int_equal(arx_mixer_encode(b.mixer, text, lengths[i], &coded), ARX_OK);
            expect_primed(&b);
            assert_int_equal(arx_mixer_decode(b.mixer, coded.data, coded.len, &back), ARX_OK);
            expect_primed(&b);
            arx_buf_free(&coded);
            arx_buf_free(&back);
            free(text);
        }
    }
    tear_down(&b);
}

static void after_whole_texts(void **state) {
    (void)state;
    for_each_kernel(code_texts);
}

/* Text after text, each must code as if it were the first. */
static void many_texts(arx_kernel kernel) {
    bench b = set_up(kernel, MIXER_WORDS, 3000);
    arx_buf first[3];
    for (unsigned round = 0; round < 120; round++) {
        unsigned which = round % 3;
        /* The same contexts again and again: what stayed of older texts would show. */
        uint8_t *text = mixer_text(MIXER_WORDS, 900, which);
        arx_buf coded;
        arx_buf back;
        arx_buf_init(&coded, 0);
        arx_buf_init(&back, 0);
        assert_int_equal(arx_mixer_encode(b.mixer, text, 900, &coded), ARX_OK);
        assert_int_equal(arx_mixer_decode(b.mixer, coded.data, coded.len, &back), ARX_OK);
        assert_int_equal(back.len, 900);
        assert_memory_equal(back.data, text, 900);
        if (round % 31 == 0) {
            expect_primed(&b);
        }
        if (round < 3) {
            first[which] = coded;
        } else {
            assert_int_equal(coded.len, first[which].len);
            assert_memory_equal(coded.data, first[which].data, coded.len);
            arx_buf_free(&coded);
        }
        arx_buf_free(&back);
        free(text);
    }
    for (unsigned i = 0; i < 3; i++) {
        arx_buf_free(&first[i]);
    }
    tear_down(&b);
}

static void after_many_texts(void **state) {
    (void)state;
    for_each_kernel(many_texts);
}

/* A stream cut anywhere, also in the middle of a byte's bits; and one that claims too much. */
static void cut_streams(arx_kernel kernel) {
    bench b = set_up(kernel, MIXER_WORDS, 3000);
    uint8_t *text = mixer_text(MIXER_SEVERAL, 1500, 8);
    arx_buf coded;
    arx_buf back;
    arx_buf_init(&coded, 0);
    arx_buf_init(&back, 0);
    assert_int_equal(arx_mixer_encode(b.mixer, text, 1500, &coded), ARX_OK);
    for (size_t len = 0; len < coded.len; len += 1 + len / 40) {
        uint8_t *cut = guard_copy(coded.data, len);
        arx_buf_clear(&back);
        assert_int_equal(arx_mixer_decode(b.mixer, cut, len, &back), ARX_MALFORMED);
        assert_true(back.len < 1500);
        guard_free(cut, len);
        expect_primed(&b);
    }
    arx_buf_free(&coded);
    arx_buf_free(&back);
    free(text);
    tear_down(&b);
}

static void after_cut_streams(void **state) {
    (void)state;
    for_each_kernel(cut_streams);
}

static void small_outputs(arx_kernel kernel) {
    bench b = set_up(kernel, MIXER_WORDS, 3000);
    static const size_t lengths[] = {5000, 50000};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        uint8_t *text = mixer_text(MIXER_NOISE, lengths[i], 8);
        arx_buf out;
        arx_buf_init(&out, 1200);
        assert_int_equal(arx_mixer_encode(b.mixer, text, lengths[i], &out), ARX_OVER_LIMIT);
        expect_primed(&b);
        arx_buf_free(&out);
        arx_buf coded;
        arx_buf_init(&coded, 0);
        assert_int_equal(arx_mixer_encode(b.mixer, text, lengths[i], &coded), ARX_OK);
        assert_int_equal(arx_mixer_decode(b.mixer, coded.data, coded.len, &out), ARX_OVER_LIMIT);
        expect_primed(&b);
        arx_buf_free(&coded);
        arx_buf_free(&out);
        free(text);
    }
    tear_down(&b);
}

static void after_outputs_that_did_not_fit(void **state) {
    (void)state;
    for_each_kernel(small_outputs);
}

/* The payload wraps the ring, which then holds the prior's end and the payload's beginning. */
static void wrap_ring(arx_kernel kernel) {
    bench b = set_up(kernel, MIXER_WORDS, ARX_RING_BYTES - 100);
    uint8_t *text = mixer_text(MIXER_WORDS, 6000, 2);
    arx_buf first;
    arx_buf second;
    arx_buf_init(&first, 0);
    arx_buf_init(&second, 0);
    assert_int_equal(arx_mixer_encode(b.mixer, text, 6000, &first), ARX_OK);
    expect_primed(&b);
    assert_int_equal(arx_mixer_encode(b.mixer, text, 6000, &second), ARX_OK);
    assert_int_equal(first.len, second.len);
    assert_memory_equal(first.data, second.data, first.len);
    arx_buf_free(&first);
    arx_buf_free(&second);
    free(text);
    tear_down(&b);
}

static void after_the_ring_wrapped(void **state) {
    (void)state;
    for_each_kernel(wrap_ring);
}

/* Images that come and go, likely at the same address: the mixer must follow the content. */
static void a_freed_image_is_not_mistaken(void **state) {
    (void)state;
    arx_kernel kernel = arx_kernel_best();
    arx_mixer *mixer = arx_mixer_create(kernel);
    assert_non_null(mixer);
    uint8_t *text = mixer_text(MIXER_WORDS, 700, 1);
    arx_buf wanted[2];
    for (unsigned round = 0; round < 6; round++) {
        unsigned which = round % 2;
        uint8_t *prior = mixer_text(which == 0 ? MIXER_WORDS : MIXER_TABLE, 2000, 4);
        arx_image *image = arx_image_create(kernel, prior, 2000);
        assert_non_null(image);
        assert_int_equal(arx_mixer_base(mixer, image), ARX_OK);
        assert_true(mixer_models_equal(mixer->model, image->model));
        arx_buf out;
        arx_buf_init(&out, 0);
        assert_int_equal(arx_mixer_encode(mixer, text, 700, &out), ARX_OK);
        if (round < 2) {
            wanted[which] = out;
        } else {
            assert_int_equal(out.len, wanted[which].len);
            assert_memory_equal(out.data, wanted[which].data, out.len);
            arx_buf_free(&out);
        }
        /* Gone while the mixer's memory still holds its state. */
        arx_image_free(image);
        free(prior);
    }
    assert_true(wanted[0].len != wanted[1].len ||
                memcmp(wanted[0].data, wanted[1].data, wanted[0].len) != 0);
    arx_buf_free(&wanted[0]);
    arx_buf_free(&wanted[1]);
    free(text);
    arx_mixer_free(mixer);
}

static void priors_longer_than_the_ring_are_copied(void **state) {
    (void)state;
    arx_kernel kernel = arx_kernel_best();
    size_t len = ARX_RING_BYTES + 5000;
    uint8_t *prior = mixer_text(MIXER_WORDS, len, 4);
    arx_image *one = arx_image_create(kernel, prior, len);
    prior[0] ^= 1; /* out of the ring by the prior's end */
    arx_image *two = arx_image_create(kernel, prior, len);
    assert_non_null(one);
    assert_non_null(two);
    arx_mixer *mixer = mixer_on(kernel, one);
    assert_true(mixer_models_equal(mixer->model, one->model));
    assert_int_equal(arx_mixer_base(mixer, two), ARX_OK);
    assert_true(mixer_models_equal(mixer->model, two->model));
    assert_false(mixer_models_equal(one->model, two->model));
    arx_mixer_free(mixer);
    arx_image_free(one);
    arx_image_free(two);
    free(prior);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_whole_texts),
        cmocka_unit_test(after_many_texts),
        cmocka_unit_test(after_cut_streams),
        cmocka_unit_test(after_outputs_that_did_not_fit),
        cmocka_unit_test(after_the_ring_wrapped),
        cmocka_unit_test(a_freed_image_is_not_mistaken),
        cmocka_unit_test(priors_longer_than_the_ring_are_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
