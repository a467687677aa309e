/*
 * The set that is compiled in as the default: it is the one that was released, teaches what
 * payloads look like, and stays within what a browser and a start can afford.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asset_files.h"
#include "vectors.h"

/*
 * Links are read by the set that made them, so the sources of a released set never change: what is
 * better is a new set, put before this one in the Makefile.
 */
#define RELEASED_ID "ef9622c2134b1fbe"

/* What the lines of words are made of. */
#define WORD_BYTES " ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$'"

enum {
    DOWNLOAD_BYTES = 40 * 1000, /* the three files in Brotli */
    PRIOR_BYTES = 120 * 1024, /* what priming reads: two thirds of a second, roughly, per 60 MB/h */
    FEWEST_LINES = 60,        /* artifacts in a block */
};

static arx_assets *load_default(void) {
    char why[256];
    arx_assets *assets = asset_builtin_make(&builtin_sets[0], why, sizeof why);
    if (assets == NULL) {
        fail_msg("%s", why);
    }
    return assets;
}

static void the_id_is_the_released_one(void **state) {
    (void)state;
    assert_string_equal(builtin_sets[0].id, RELEASED_ID);
    const uint8_t *data[BUILTIN_FILES];
    size_t len[BUILTIN_FILES];
    for (int i = 0; i < BUILTIN_FILES; i++) {
        data[i] = builtin_sets[0].files[i].identity;
        len[i] = builtin_sets[0].files[i].identity_len;
    }
    char id[ARX_ASSET_ID_CHARS + 1];
    asset_files_id(data, len, id);
    assert_string_equal(id, RELEASED_ID);
}

static void it_loads_with_every_prior(void **state) {
    (void)state;
    arx_assets *assets = load_default();
    assert_true(arx_assets_has_priors(assets));
    for (const char *id = ARX_PRIOR_IDS; *id != '\0'; id++) {
        assert_true(arx_assets_has_prior(assets, *id));
    }
    arx_assets_free(assets);
}

static void it_is_small(void **state) {
    (void)state;
    size_t download = 0;
    for (int i = 0; i < BUILTIN_FILES; i++) {
        download += builtin_sets[0].files[i].brotli_len;
    }
    assert_true(download > 0 && download <= DOWNLOAD_BYTES);
    arx_assets *assets = load_default();
    for (const char *id = "mcj"; *id != '\0'; id++) {
        const uint8_t *prior;
        size_t len;
        assert_int_equal(arx_assets_prior(assets, *id, &prior, &len), ARX_OK);
        assert_true(len <= PRIOR_BYTES && len <= ARX_PRIOR_MAX_BYTES);
    }
    arx_assets_free(assets);
}

/* The text of a line feed in JSON has U+0000 U+000A as its code, which the mixer reads as a line.
 */
static void a_line_feed_is_coded_with_a_line_feed(void **state) {
    (void)state;
    arx_assets *assets = load_default();
    arx_buf out;
    arx_buf_init(&out, 0);
    arx_dictionary_encode(arx_assets_base(assets), (const uint8_t *)"a\\nb", 4, &out);
    assert_int_equal(out.len, 4);
    assert_memory_equal(out.data, "a\0\nb", 4);
    arx_buf_free(&out);
    arx_assets_free(assets);
}

/* ---- lines ---- */

static bool is_word_byte(uint8_t byte) {
    return byte != '\0' && strchr(WORD_BYTES, byte) != NULL;
}

/* The next line of a prior, without the LF that ends it; an LF after U+0000 is part of a code. */
static size_t line_length(const uint8_t *text, size_t len) {
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\n' && (i == 0 || text[i - 1] != '\0')) {
            return i;
        }
    }
    fail_msg("a block must end with a line feed");
    return 0;
}

/* Payload text back to an envelope and that to the same payload text. */
static void check_line(const arx_assets *assets, const uint8_t *line, size_t len) {
    arx_buf overlaid;
    arx_buf tuple;
    arx_buf again;
    arx_buf_init(&overlaid, 0);
    arx_buf_init(&tuple, 0);
    arx_buf_init(&again, 0);
    const arx_dictionary *base = arx_assets_base(assets);
    const arx_dictionary *overlay = arx_assets_overlay(assets);
    assert_int_equal(arx_dictionary_decode(base, line, len, ARX_STAGE_MAX, &overlaid), ARX_OK);
    assert_int_equal(
        arx_dictionary_decode(overlay, overlaid.data, overlaid.len, ARX_STAGE_MAX, &tuple), ARX_OK);
    arx_json_doc *doc;
    arx_json *root;
    assert_int_equal(arx_json_parse(tuple.data, tuple.len, 0, &doc, &root), ARX_OK);
    arx_json *envelope;
    assert_int_equal(arx_envelope_from_tuple(doc, root, ARX_CODEC_ARX5, &envelope), ARX_OK);
    const arx_json *id;
    assert_int_equal(arx_envelope_normalise(doc, envelope, &envelope, &id), ARX_ENVELOPE_OK);

    arx_buf_clear(&tuple);
    arx_buf_clear(&overlaid);
    arx_envelope_write_tuple(envelope, &tuple);
    arx_dictionary_encode(overlay, tuple.data, tuple.len, &overlaid);
    arx_dictionary_encode(base, overlaid.data, overlaid.len, &again);
    assert_int_equal(again.len, len);
    assert_memory_equal(again.data, line, len);
    arx_json_doc_free(doc);
    arx_buf_free(&overlaid);
    arx_buf_free(&tuple);
    arx_buf_free(&again);
}

/* The block of a prior: what follows the s-text and its LF. */
static const uint8_t *block_of(const arx_assets *assets, char id, size_t *len) {
    const uint8_t *shared;
    const uint8_t *prior;
    size_t shared_len;
    size_t prior_len;
    assert_int_equal(arx_assets_prior(assets, 's', &shared, &shared_len), ARX_OK);
    assert_int_equal(arx_assets_prior(assets, id, &prior, &prior_len), ARX_OK);
    assert_true(prior_len > shared_len + 1 && prior[shared_len] == '\n');
    assert_memory_equal(prior, shared, shared_len);
    *len = prior_len - shared_len - 1;
    return prior + shared_len + 1;
}

static void every_line_is_payload_text_or_words(void **state) {
    (void)state;
    arx_assets *assets = load_default();
    for (const char *id = "mcj"; *id != '\0'; id++) {
        size_t len;
        const uint8_t *text = block_of(assets, *id, &len);
        int artifacts = 0;
        while (len > 0) {
            size_t line = line_length(text, len);
            if (line > 0 && !is_word_byte(text[0])) {
                check_line(assets, text, line);
                artifacts++;
            } else {
                for (size_t i = 0; i < line; i++) {
                    assert_true(is_word_byte(text[i]));
                }
            }
            text += line + 1;
            len -= line + 1;
        }
        assert_true(artifacts >= FEWEST_LINES);
    }
    arx_assets_free(assets);
}

/* The mixer counts lines at every LF byte, also those inside codes. */
static void no_table_is_open_where_the_payload_starts(void **state) {
    (void)state;
    arx_assets *assets = load_default();
    for (const char *id = "mcj"; *id != '\0'; id++) {
        size_t len;
        const uint8_t *text = block_of(assets, *id, &len);
        size_t commas[2] = {0};
        size_t pipes[2] = {0};
        assert_int_equal(text[len - 1], '\n');
        for (int line = 0; line < 2; line++) {
            for (len--; len > 0 && text[len - 1] != '\n'; len--) {
                commas[line] += text[len - 1] == ',';
                pipes[line] += text[len - 1] == '|';
            }
        }
        assert_true(commas[0] != commas[1] || commas[0] < 2);
        assert_true(pipes[0] != pipes[1] || pipes[0] < 2);
    }
    arx_assets_free(assets);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_id_is_the_released_one),
        cmocka_unit_test(it_loads_with_every_prior),
        cmocka_unit_test(it_is_small),
        cmocka_unit_test(a_line_feed_is_coded_with_a_line_feed),
        cmocka_unit_test(every_line_is_payload_text_or_words),
        cmocka_unit_test(no_table_is_open_where_the_payload_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
