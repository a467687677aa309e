/* test_assets.c - what makes an asset set, what does not, and what a refusal says. */
#include "vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID "0123456789abcdef"

#define DICTIONARY "{\"version\":1,\"singleByteSlots\":[\"the \",\"\"],\"extendedSlots\":[\"and\"]}"
#define OVERLAY    "{\"extendedSlots\":[],\"singleByteSlots\":[\"[3\"],\"version\":1.0,\"x\":null}"
#define PRIORS     "{\"version\":1,\"kinds\":{\"markdown\":\"# A\",\"code\":\"int\",\"json\":\"{}\"}}"

static arx_result make(const char *dictionary, const char *overlay, const char *priors,
                       arx_assets **assets, arx_buf *why) {
    /* Heap copies of the exact size: the files need not be terminated. */
    size_t len[3] = {strlen(dictionary), strlen(overlay), priors != NULL ? strlen(priors) : 0};
    uint8_t *copy[3] = {guard_copy(dictionary, len[0]), guard_copy(overlay, len[1]),
                        guard_copy(priors != NULL ? priors : "", len[2])};
    arx_asset_files files = {.dictionary = copy[0],
                             .dictionary_len = len[0],
                             .overlay = copy[1],
                             .overlay_len = len[1],
                             .priors = priors != NULL ? copy[2] : NULL,
                             .priors_len = len[2]};
    arx_result rc = arx_assets_create(&files, ID "and more", assets, why);
    for (unsigned i = 0; i < 3; i++) {
        guard_free(copy[i], len[i]);
    }
    return rc;
}

static void expect_prior(const arx_assets *assets, char id, const char *wanted) {
    arx_buf out;
    arx_buf_init(&out, 0);
    assert_int_equal(arx_assets_write_prior(assets, id, &out), ARX_OK);
    assert_int_equal(out.len, strlen(wanted));
    if (out.len > 0) {
        assert_memory_equal(out.data, wanted, out.len);
    }
    arx_buf_free(&out);
}

static void a_whole_set(void **state) {
    (void)state;
    arx_assets *assets;
    arx_buf why;
    arx_buf_init(&why, 0);
    assert_int_equal(make(DICTIONARY, OVERLAY, PRIORS, &assets, &why), ARX_OK);
    assert_int_equal(why.len, 0);
    assert_string_equal(arx_assets_id(assets), ID);
    assert_true(arx_dictionary_version(arx_assets_base(assets)) == 1);
    assert_int_equal(arx_dictionary_slots(arx_assets_base(assets)), 3);
    assert_int_equal(arx_dictionary_slots(arx_assets_overlay(assets)), 1);
    assert_true(arx_assets_has_priors(assets));
    assert_int_equal(arx_assets_kernel(assets), arx_kernel_best());
    arx_assets_set_kernel(assets, ARX_KERNEL_PORTABLE);
    assert_int_equal(arx_assets_kernel(assets), ARX_KERNEL_PORTABLE);
    expect_prior(assets, 's', "the \n\nand\n[3");
    expect_prior(assets, 'm', "the \n\nand\n[3\n# A");
    expect_prior(assets, 'c', "the \n\nand\n[3\nint");
    expect_prior(assets, 'j', "the \n\nand\n[3\n{}");
    expect_prior(assets, 'n', "");
    arx_assets_free(assets);
    arx_buf_free(&why);
    arx_assets_free(NULL);
}

static void prior_ids(void **state) {
    (void)state;
    for (int id = 0; id < 256; id++) {
        bool known = id == 'm' || id == 'c' || id == 'j' || id == 's' || id == 'n';
        assert_true(arx_prior_known((char)id) == known);
    }
}

/* Without a priors file m, c and j are not there; s and n are. */
static void a_set_without_priors(void **state) {
    (void)state;
    arx_assets *assets;
    assert_int_equal(make(DICTIONARY, OVERLAY, NULL, &assets, NULL), ARX_OK);
    assert_false(arx_assets_has_priors(assets));
    for (const char *id = ARX_PRIOR_IDS "x"; *id != '\0'; id++) {
        bool there = *id == 's' || *id == 'n';
        arx_buf out;
        arx_image *image = NULL;
        arx_buf_init(&out, 0);
        assert_true(arx_assets_has_prior(assets, *id) == there);
        assert_int_equal(arx_assets_write_prior(assets, *id, &out),
                         there ? ARX_OK : ARX_UNAVAILABLE);
        assert_int_equal(arx_assets_prime(assets, *id, &image), there ? ARX_OK : ARX_UNAVAILABLE);
        assert_true((image != NULL) == there);
        arx_image_free(image);
        arx_buf_free(&out);
    }
    arx_assets_free(assets);
}

/* Slots that are no UTF-8 by themselves: a prior is. A BOM in front of a file is dropped. */
static void priors_are_utf8(void **state) {
    (void)state;
    arx_assets *assets;
    assert_int_equal(make("\xEF\xBB\xBF{\"version\":1,\"singleByteSlots\":[\"\\ud800\"],"
                          "\"extendedSlots\":[\"\\udc00\\u00e9\"]}",
                          "{\"version\":1,\"singleByteSlots\":[],\"extendedSlots\":[]}", NULL,
                          &assets, NULL),
                     ARX_OK);
    expect_prior(assets, 's', "\xEF\xBF\xBD\n\xEF\xBF\xBD\xC3\xA9");
    arx_assets_free(assets);
    assert_int_equal(make("{\"version\":1,\"singleByteSlots\":[],\"extendedSlots\":[]}",
                          "{\"version\":1,\"singleByteSlots\":[],\"extendedSlots\":[]}", PRIORS,
                          &assets, NULL),
                     ARX_OK);
    expect_prior(assets, 's', "");
    expect_prior(assets, 'c', "\nint");
    arx_assets_free(assets);
}

static void expect_refusal(const char *dictionary, const char *overlay, const char *priors,
                           const char *sentence) {
    arx_assets *assets = NULL;
    arx_buf why;
    arx_buf_init(&why, 0);
    assert_int_equal(make(dictionary, overlay, priors, &assets, &why), ARX_MALFORMED);
    assert_null(assets);
    size_t len = strlen(sentence);
    if (why.len != len || memcmp(why.data, sentence, len) != 0) {
        fail_msg("wanted \"%s\", got \"%.*s\"", sentence, (int)why.len, (const char *)why.data);
    }
    arx_buf_free(&why);
    assert_int_equal(make(dictionary, overlay, priors, &assets, NULL), ARX_MALFORMED);
}

#define NO_DICTIONARY                                                                              \
    " is no dictionary: it needs a number \"version\" and arrays of strings \"singleByteSlots\" "  \
    "and \"extendedSlots\""
#define NO_KINDS                                                                                   \
    "arx4-priors.json needs non-empty strings \"markdown\", \"code\" and \"json\" in \"kinds\""

static void refusals_name_the_file(void **state) {
    (void)state;
    expect_refusal("", OVERLAY, PRIORS, "arx-dictionary.json is not JSON");
    expect_refusal(DICTIONARY, "{", PRIORS, "arx2-dictionary.json is not JSON");
    expect_refusal(DICTIONARY, OVERLAY, "nul", "arx4-priors.json is not JSON");
    expect_refusal("[]", OVERLAY, PRIORS, "arx-dictionary.json" NO_DICTIONARY);
    expect_refusal(DICTIONARY, "{\"version\":1,\"singleByteSlots\":[1],\"extendedSlots\":[]}", NULL,
                   "arx2-dictionary.json" NO_DICTIONARY);
    expect_refusal(DICTIONARY, "{\"version\":\"1\",\"singleByteSlots\":[],\"extendedSlots\":[]}",
                   NULL, "arx2-dictionary.json" NO_DICTIONARY);
}

static void refusals_name_the_version(void **state) {
    (void)state;
    expect_refusal("{\"version\":2,\"singleByteSlots\":[],\"extendedSlots\":[]}", OVERLAY, PRIORS,
                   "arx-dictionary.json has version 2; this build reads version 1");
    expect_refusal(DICTIONARY, "{\"version\":0,\"singleByteSlots\":[],\"extendedSlots\":[]}",
                   PRIORS, "arx2-dictionary.json has version 0; this build reads version 1");
    expect_refusal(DICTIONARY, "{\"version\":1.5,\"singleByteSlots\":[],\"extendedSlots\":[]}",
                   PRIORS, "arx2-dictionary.json has version 1.5; this build reads version 1");
    expect_refusal(DICTIONARY, OVERLAY, "{\"version\":3,\"kinds\":{}}",
                   "arx4-priors.json has version 3; this build reads version 1");
}

static void refusals_of_priors(void **state) {
    (void)state;
    expect_refusal(DICTIONARY, OVERLAY, "[]",
                   "arx4-priors.json needs a number \"version\" and an object \"kinds\"");
    expect_refusal(DICTIONARY, OVERLAY, "{\"version\":1}",
                   "arx4-priors.json needs a number \"version\" and an object \"kinds\"");
    expect_refusal(DICTIONARY, OVERLAY, "{\"version\":1,\"kinds\":{\"markdown\":\"a\"}}", NO_KINDS);
    expect_refusal(DICTIONARY, OVERLAY,
                   "{\"version\":1,\"kinds\":{\"markdown\":\"a\",\"code\":\"\",\"json\":\"b\"}}",
                   NO_KINDS);
    expect_refusal(DICTIONARY, OVERLAY,
                   "{\"version\":1,\"kinds\":{\"markdown\":\"a\",\"code\":[],\"json\":\"b\"}}",
                   NO_KINDS);
}

/* A block may have 256 KiB, counted as UTF-8. */
static void blocks_have_a_limit(void **state) {
    (void)state;
    static const char head[] =
        "{\"version\":1,\"kinds\":{\"markdown\":\"a\",\"code\":\"b\",\"json\":\"";
    for (size_t extra = 0; extra < 2; extra++) {
        arx_buf text;
        arx_buf_init(&text, 0);
        arx_buf_append_str(&text, head);
        for (size_t i = 0; i < ARX_PRIOR_MAX_BYTES / 2; i++) {
            arx_buf_append_str(&text, "\xC3\xA9");
        }
        arx_buf_append_str(&text, extra != 0 ? "x\"}}" : "\"}}");
        size_t len;
        char *priors = (char *)arx_buf_take(&text, &len);
        assert_non_null(priors);
        if (extra == 0) {
            arx_assets *assets;
            assert_int_equal(make(DICTIONARY, OVERLAY, priors, &assets, NULL), ARX_OK);
            arx_assets_free(assets);
        } else {
            expect_refusal(DICTIONARY, OVERLAY, priors,
                           "arx4-priors.json: the block \"json\" is longer than 262144 bytes");
        }
        free(priors);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_set),
        cmocka_unit_test(prior_ids),
        cmocka_unit_test(a_set_without_priors),
        cmocka_unit_test(priors_are_utf8),
        cmocka_unit_test(refusals_name_the_file),
        cmocka_unit_test(refusals_name_the_version),
        cmocka_unit_test(refusals_of_priors),
        cmocka_unit_test(blocks_have_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
