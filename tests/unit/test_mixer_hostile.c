/* test_mixer_hostile.c - streams nobody coded: every claim is checked, nothing is taken on trust.
 */
#include "mixers.h"

static arx_image *image;
static arx_mixer *mixer;

static int set_up(void **state) {
    (void)state;
    image = arx_image_create(arx_kernel_best(), NULL, 0);
    if (image == NULL) {
        return -1;
    }
    mixer = mixer_on(arx_kernel_best(), image);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    arx_mixer_free(mixer);
    arx_image_free(image);
    return 0;
}

static arx_result decode(const void *stream, size_t len, size_t *text_len, size_t *capacity) {
    uint8_t *guarded = guard_copy(stream, len);
    arx_buf out;
    arx_buf_init(&out, 0);
    arx_result rc = arx_mixer_decode(mixer, guarded, len, &out);
    *text_len = out.len;
    *capacity = out.cap;
    arx_buf_free(&out);
    guard_free(guarded, len);
    return rc;
}

static void expect(arx_result wanted, size_t wanted_len, const void *stream, size_t len) {
    size_t text_len;
    size_t capacity;
    assert_int_equal(decode(stream, len, &text_len, &capacity), wanted);
    assert_int_equal(text_len, wanted_len);
}

static void lengths_are_varints(void **state) {
    (void)state;
    expect(ARX_MALFORMED, 0, "", 0);
    expect(ARX_MALFORMED, 0, "\x80", 1);
    expect(ARX_MALFORMED, 0, "\x80\x80\x80\x80\x80\x80\x80\x80\x00\x00\x00\x00\x00", 13);
    expect(ARX_OK, 0, "\x00\x00\x00\x00\x00", 5);
    /* Longer than needed, up to eight bytes. */
    expect(ARX_OK, 0, "\x80\x80\x80\x80\x80\x80\x80\x00\x00\x00\x00\x00", 12);
    /* Bytes behind the end are ignored. */
    expect(ARX_OK, 0, "\x00\x00\x00\x00\x00 and more", 14);
    /* Fewer than the coder's four. */
    expect(ARX_MALFORMED, 0, "\x00\x00\x00\x00", 4);
    expect(ARX_MALFORMED, 0, "\x01", 1);
    /* 800,000 is a length, 800,001 and the largest varint are not. */
    expect(ARX_OVER_LIMIT, 0, "\x81\xEA\x30\x00\x00\x00\x00", 7);
    expect(ARX_OVER_LIMIT, 0, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F\x00\x00\x00\x00", 12);
    size_t text_len;
    size_t capacity;
    assert_int_equal(decode("\x80\xEA\x30\x12\x34\x56\x78", 7, &text_len, &capacity),
                     ARX_MALFORMED);
    assert_true(capacity < 4096);
}

/* A claim of 800,000 bytes over a short stream takes memory for what comes out, no more. */
static void claims_cost_nothing(void **state) {
    (void)state;
    uint32_t roll = 77;
    for (unsigned round = 0; round < 40; round++) {
        uint8_t stream[60] = {0x80, 0xEA, 0x30};
        size_t len = 3 + round;
        for (size_t i = 3; i < len; i++) {
            stream[i] = (uint8_t)(mixer_roll(&roll) >> 16);
        }
        size_t text_len;
        size_t capacity;
        assert_int_equal(decode(stream, len, &text_len, &capacity), ARX_MALFORMED);
        assert_true(capacity <= text_len + text_len / 2 + 64);
        assert_true(mixer_is_primed(mixer));
    }
}

/* What is decoded from noise codes to a stream that decodes to the same: coder and decoder agree.
 */
static void noise_is_some_text(void **state) {
    (void)state;
    uint32_t roll = 5;
    for (unsigned round = 0; round < 60; round++) {
        uint8_t stream[400];
        for (size_t i = 0; i < sizeof stream; i++) {
            stream[i] = (uint8_t)(mixer_roll(&roll) >> 16);
        }
        stream[0] = (uint8_t)(mixer_roll(&roll) >> 25); /* 0..127 bytes of text */
        arx_buf text;
        arx_buf coded;
        arx_buf again;
        arx_buf_init(&text, 0);
        arx_buf_init(&coded, 0);
        arx_buf_init(&again, 0);
        assert_int_equal(arx_mixer_decode(mixer, stream, sizeof stream, &text), ARX_OK);
        assert_int_equal(text.len, stream[0]);
        assert_int_equal(arx_mixer_encode(mixer, text.data, text.len, &coded), ARX_OK);
        assert_int_equal(arx_mixer_decode(mixer, coded.data, coded.len, &again), ARX_OK);
        assert_int_equal(again.len, text.len);
        if (text.len > 0) {
            assert_memory_equal(again.data, text.data, text.len);
        }
        arx_buf_free(&text);
        arx_buf_free(&coded);
        arx_buf_free(&again);
    }
}

static void limits_and_misuse(void **state) {
    (void)state;
    uint8_t *text = mixer_text(MIXER_ZEROS, ARX_MIXER_MAX_TEXT + 1, 1);
    arx_buf out;
    arx_buf_init(&out, 0);
    assert_int_equal(arx_mixer_encode(mixer, text, ARX_MIXER_MAX_TEXT + 1, &out), ARX_OVER_LIMIT);
    assert_int_equal(out.len, 0);
    assert_int_equal(arx_mixer_encode(mixer, text, ARX_MIXER_MAX_TEXT, &out), ARX_OK);
    size_t text_len;
    size_t capacity;
    assert_int_equal(decode(out.data, out.len, &text_len, &capacity), ARX_OK);
    assert_int_equal(text_len, ARX_MIXER_MAX_TEXT);
    arx_mixer *nowhere = arx_mixer_create(ARX_KERNEL_PORTABLE);
    assert_non_null(nowhere);
    assert_int_equal(arx_mixer_encode(nowhere, text, 1, &out), ARX_UNAVAILABLE);
    assert_int_equal(arx_mixer_decode(nowhere, text, 5, &out), ARX_UNAVAILABLE);
    arx_mixer_free(nowhere);
    arx_buf_free(&out);
    free(text);
    arx_mixer_free(NULL);
    arx_image_free(NULL);
    assert_true(arx_image_bytes() > 33000000 && arx_image_bytes() < 36000000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_are_varints),
        cmocka_unit_test(claims_cost_nothing),
        cmocka_unit_test(noise_is_some_text),
        cmocka_unit_test(limits_and_misuse),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
