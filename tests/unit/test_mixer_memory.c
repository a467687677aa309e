/*
 * test_mixer_memory.c - every allocation of mixer, assets and coder fails once: nothing leaks, the
 * answer says so, and where there is a way without the memory the result is the same.
 */
#include "heap.h"
#include "mixers.h"

static const char dictionary[] =
    "{\"version\":1,\"singleByteSlots\":[\"the \"],\"extendedSlots\":[\"and\"]}";
static const char priors[] =
    "{\"version\":1,\"kinds\":{\"markdown\":\"# A\",\"code\":\"int\",\"json\":\"{}\"}}";

static const arx_asset_files files = {.dictionary = (const uint8_t *)dictionary,
                                      .dictionary_len = sizeof dictionary - 1,
                                      .overlay = (const uint8_t *)dictionary,
                                      .overlay_len = sizeof dictionary - 1,
                                      .priors = (const uint8_t *)priors,
                                      .priors_len = sizeof priors - 1};

static void sets_without_memory(void **state) {
    (void)state;
    size_t before = heap_blocks();
    arx_result rc = ARX_NO_MEMORY;
    unsigned failures = 0;
    for (size_t k = 1; rc != ARX_OK; k++) {
        arx_assets *assets = NULL;
        heap_refuse(k, false);
        rc = arx_assets_create(&files, "0123456789abcdef", &assets, NULL);
        bool refused = heap_relent();
        if (rc == ARX_OK) {
            assert_false(refused);
            arx_assets_free(assets);
        } else {
            assert_int_equal(rc, ARX_NO_MEMORY);
            assert_null(assets);
            failures++;
        }
        assert_int_equal(heap_blocks(), before);
    }
    assert_true(failures > 8);
}

static const uint8_t text[] = "A line of text and a line of text, and the end of it.";

/* One whole use of a coder: two priors, encode and decode, with the k-th allocation refused. */
static arx_result use_coder(const arx_assets *assets, arx_buf *coded) {
    arx_result rc = ARX_NO_MEMORY;
    arx_buf back;
    arx_mixer *mixer;
    arx_buf_init(&back, 0);
    arx_coder *coder = arx_coder_create(&arx_entropy_native, NULL);
    if (coder == NULL) {
        goto out;
    }
    rc = arx_coder_mixer(coder, assets, 'm', &mixer);
    if (rc == ARX_OK) {
        rc = arx_coder_mixer(coder, assets, 'c', &mixer);
    }
    if (rc == ARX_OK) {
        rc = arx_mixer_encode(mixer, text, sizeof text - 1, coded);
    }
    if (rc == ARX_OK) {
        rc = arx_mixer_decode(mixer, coded->data, coded->len, &back);
    }
    if (rc == ARX_OK) {
        assert_int_equal(back.len, sizeof text - 1);
        assert_memory_equal(back.data, text, back.len);
    }
out:
    arx_coder_free(coder);
    arx_buf_free(&back);
    return rc;
}

static void coders_without_memory(void **state) {
    (void)state;
    arx_assets *assets;
    arx_buf wanted;
    arx_buf_init(&wanted, 0);
    assert_int_equal(arx_assets_create(&files, "0123456789abcdef", &assets, NULL), ARX_OK);
    assert_int_equal(use_coder(assets, &wanted), ARX_OK);
    size_t before = heap_blocks();
    bool done = false;
    unsigned failures = 0;
    unsigned detours = 0;
    for (size_t k = 1; !done; k++) {
        arx_buf coded;
        arx_buf_init(&coded, 0);
        heap_refuse(k, false);
        arx_result rc = use_coder(assets, &coded);
        bool refused = heap_relent();
        if (rc == ARX_OK) {
            /* The undo log is the one thing that can be done without. */
            assert_int_equal(coded.len, wanted.len);
            assert_memory_equal(coded.data, wanted.data, coded.len);
            detours += refused;
            done = !refused;
        } else {
            assert_int_equal(rc, ARX_NO_MEMORY);
            failures++;
        }
        arx_buf_free(&coded);
        assert_int_equal(heap_blocks(), before);
    }
    assert_true(failures >= 8);
    assert_int_equal(detours, 1);
    arx_buf_free(&wanted);
    arx_assets_free(assets);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_without_memory),
        cmocka_unit_test(coders_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
