/* test_coder.c - where a coder's images come from and that each one goes back. */
#include "mixers.h"

/* A source that counts and can refuse. */
typedef struct source {
    arx_image_source table;
    arx_image *images[8];
    char priors[8];
    unsigned count;
    unsigned out[8]; /* references held by coders, by image */
    arx_result refuse;
} source;

static arx_result acquire(void *opaque, const arx_assets *assets, char prior,
                          const arx_image **image) {
    source *s = opaque;
    if (s->refuse != ARX_OK) {
        return s->refuse;
    }
    unsigned i = 0;
    while (i < s->count && s->priors[i] != prior) {
        i++;
    }
    if (i == s->count) {
        arx_result rc = arx_assets_prime(assets, prior, &s->images[i]);
        if (rc != ARX_OK) {
            return rc;
        }
        s->priors[i] = prior;
        s->count++;
    }
    s->out[i]++;
    *image = s->images[i];
    return ARX_OK;
}

static void release(void *opaque, const arx_image *image) {
    source *s = opaque;
    unsigned i = 0;
    while (s->images[i] != image) {
        i++;
        assert_true(i < s->count);
    }
    assert_true(s->out[i] > 0);
    s->out[i]--;
}

static unsigned lent(const source *s) {
    unsigned sum = 0;
    for (unsigned i = 0; i < s->count; i++) {
        sum += s->out[i];
    }
    return sum;
}

static void encode(arx_mixer *mixer, arx_buf *out) {
    static const uint8_t text[] = "Some text, some more text, and | a table | of | things.";
    arx_buf_clear(out);
    assert_int_equal(arx_mixer_encode(mixer, text, sizeof text - 1, out), ARX_OK);
}

static void borrowed_images_go_back(void **state) {
    (void)state;
    source s = {.table = {acquire, release, NULL}};
    s.table.opaque = &s;
    const arx_assets *assets = vector_test_assets();
    arx_coder *coder = arx_coder_create(&arx_entropy_native, &s.table);
    assert_non_null(coder);
    assert_ptr_equal(arx_coder_entropy(coder), &arx_entropy_native);
    arx_mixer *mixer;

    s.refuse = ARX_NO_MEMORY;
    assert_int_equal(arx_coder_mixer(coder, assets, 'm', &mixer), ARX_NO_MEMORY);
    assert_int_equal(lent(&s), 0);
    s.refuse = ARX_OK;
    assert_int_equal(arx_coder_mixer(coder, assets, 'x', &mixer), ARX_UNAVAILABLE);
    assert_int_equal(lent(&s), 0);

    for (const char *id = "mmcmjjnsm"; *id != '\0'; id++) {
        assert_int_equal(arx_coder_mixer(coder, assets, *id, &mixer), ARX_OK);
        /* One reference: to the image the mixer stands on. */
        assert_int_equal(lent(&s), 1);
        for (unsigned i = 0; i < s.count; i++) {
            assert_int_equal(s.out[i], s.priors[i] == *id ? 1 : 0);
        }
    }
    /* A refusal leaves the mixer where it was, with its image. */
    arx_buf before;
    arx_buf after;
    arx_buf_init(&before, 0);
    arx_buf_init(&after, 0);
    encode(mixer, &before);
    s.refuse = ARX_UNAVAILABLE;
    arx_mixer *other = mixer;
    assert_int_equal(arx_coder_mixer(coder, assets, 'c', &other), ARX_UNAVAILABLE);
    assert_int_equal(lent(&s), 1);
    encode(mixer, &after);
    assert_int_equal(before.len, after.len);
    assert_memory_equal(before.data, after.data, before.len);

    arx_coder_free(coder);
    assert_int_equal(lent(&s), 0);
    for (unsigned i = 0; i < s.count; i++) {
        arx_image_free(s.images[i]);
    }
    arx_buf_free(&before);
    arx_buf_free(&after);
}

/* More priors and sets than a coder keeps images: the bytes stay what fresh images give. */
static void own_images_come_and_go(void **state) {
    (void)state;
    arx_assets *assets = vector_test_assets();
    arx_buf wanted[5];
    for (unsigned i = 0; i < 5; i++) {
        arx_image *image;
        assert_int_equal(arx_assets_prime(assets, ARX_PRIOR_IDS[i], &image), ARX_OK);
        arx_mixer *mixer = mixer_on(arx_kernel_best(), image);
        arx_buf_init(&wanted[i], 0);
        encode(mixer, &wanted[i]);
        arx_mixer_free(mixer);
        arx_image_free(image);
    }
    arx_coder *coder = arx_coder_create(&arx_entropy_native, NULL);
    assert_non_null(coder);
    arx_buf out;
    arx_buf_init(&out, 0);
    uint32_t roll = 9;
    for (unsigned round = 0; round < 40; round++) {
        unsigned i = (mixer_roll(&roll) >> 8) % 5;
        arx_mixer *mixer;
        arx_assets_set_kernel(assets, round % 3 == 0 ? ARX_KERNEL_PORTABLE : arx_kernel_best());
        assert_int_equal(arx_coder_mixer(coder, assets, 'x', &mixer), ARX_UNAVAILABLE);
        assert_int_equal(arx_coder_mixer(coder, assets, ARX_PRIOR_IDS[i], &mixer), ARX_OK);
        encode(mixer, &out);
        assert_int_equal(out.len, wanted[i].len);
        assert_memory_equal(out.data, wanted[i].data, out.len);
    }
    arx_assets_set_kernel(assets, arx_kernel_best());
    arx_coder_free(coder);
    for (unsigned i = 0; i < 5; i++) {
        arx_buf_free(&wanted[i]);
    }
    arx_buf_free(&out);
    arx_coder_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(borrowed_images_go_back),
        cmocka_unit_test(own_images_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
