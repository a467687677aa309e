/*
 * test_select.c - which candidates there are, which one wins, and that running order is no matter.
 */
#include "encodes.h"

#include <nettle/sha2.h>
#include <pthread.h>

#include "encode_request.h"

static arx_coder *coder;

static int setup(void **state) {
    (void)state;
    coder = new_coder();
    return 0;
}

static int teardown(void **state) {
    (void)state;
    arx_coder_free(coder);
    return 0;
}

/* ---- golden rows ---- */

static bool sha256_is(const arx_json *hex, const uint8_t *bytes, size_t len) {
    struct sha256_ctx context;
    uint8_t digest[SHA256_DIGEST_SIZE];
    arx_buf want;
    arx_buf_init(&want, 0);
    vector_unhex(hex, &want);
    sha256_init(&context);
    sha256_update(&context, len, bytes);
    sha256_digest(&context, sizeof digest, digest);
    bool same = want.len == sizeof digest && memcmp(want.data, digest, sizeof digest) == 0;
    arx_buf_free(&want);
    return same;
}

/* Are the bytes of this codec for this envelope the same as those of the vectors' encoders? */
static bool is_exact(const char *name, const arx_candidate *winner) {
    switch (winner->codec) {
    case ARX_CODEC_DEFLATE:
        return false;
    case ARX_CODEC_ARX:
        return same_brotli(name, "arxPacked") && same_brotli(name, "arxUnpacked");
    case ARX_CODEC_ARX2:
    case ARX_CODEC_ARX3:
        return same_brotli(name, "arx2");
    default:
        return true;
    }
}

/* The length of a text that a vector gives whole or as a hash. */
static size_t units_of(const arx_json *expected) {
    const arx_json *length = arx_json_get(expected, "length");
    if (length != NULL) {
        return (size_t)length->as.number;
    }
    const arx_json *text = arx_json_get_string(expected, "text");
    return arx_text_units(text->as.string.data, text->as.string.len);
}

static size_t check_pair(const arx_json *row, const arx_encoded *encoded) {
    const arx_json *pair = arx_json_get(row, "surfaces");
    if (pair == NULL) {
        return 0;
    }
    bool same = arx_json_is(arx_json_get(pair, "same"), ARX_JSON_TRUE);
    const uint8_t *url = same ? encoded->fragment : encoded->url_fragment;
    size_t url_len = same ? encoded->fragment_len : encoded->url_fragment_len;
    if (same != (encoded->url_fragment == NULL)) {
        print_error("%s: one winner or two?\n", name_of(row));
        return 1;
    }
    size_t wrong = 0;
    if (is_exact(name_of(row), &encoded->winner)) {
        wrong += !sha256_is(arx_json_get(pair, "fragmentBody"), encoded->fragment,
                            encoded->fragment_len);
    }
    if (is_exact(name_of(row), &encoded->url_winner)) {
        wrong += !sha256_is(arx_json_get(pair, "transportFragmentBody"), url, url_len);
    }
    return wrong;
}

static size_t check_row(const arx_assets *assets, const arx_json *row) {
    arx_encode_options options;
    arx_encoded encoded;
    arx_error error = {0};
    arx_buf message;
    arx_buf_init(&message, 0);
    assert_int_equal(arx_encode_options_read(arx_json_get(row, "options"), &options, &message),
                     ARX_REQUEST_OK);
    arx_buf_free(&message);
    arx_code code =
        arx_encode(coder, assets, vector_envelope(name_of(row)), &options, &encoded, &error);
    const arx_json *refusal = arx_json_get_string(row, "asyncError");
    if (refusal != NULL) {
        bool right = code == ARX_CODE_NO_CANDIDATES &&
                     vector_matches(refusal, error.message.data, error.message.len, name_of(row));
        arx_error_free(&error);
        return !right;
    }
    assert_int_equal(code, ARX_CODE_OK);
    const arx_json *expected = arx_json_get(row, "async");
    size_t wrong = check_pair(row, &encoded);
    if (is_exact(name_of(row), &encoded.winner)) {
        wrong += !vector_matches(expected, encoded.fragment, encoded.fragment_len, name_of(row));
    } else {
        size_t units = units_of(expected);
        wrong += encoded.winner.visible_units > units + 20 + units / 20;
    }
    arx_encoded_free(&encoded);
    return wrong;
}

static void test_golden_rows(void **state) {
    (void)state;
    const arx_assets *assets = vector_upstream_assets();
    if (assets == NULL) {
        print_message("needs ARX_UPSTREAM_ASSETS\n");
        skip();
    }
    size_t wrong = 0;
    const arx_json *rows = vector_list("select.json", "rows");
    for (const arx_json *row = rows; row != NULL; row = row->next) {
        wrong += check_row(assets, row);
    }
    assert_int_equal(wrong, 0);
}

/* ---- candidates ---- */

static arx_plan *plan_for(const arx_encode_options *options) {
    arx_plan *plan;
    arx_error error;
    assert_int_equal(
        arx_plan_create(vector_test_assets(), vector_envelope("md-short"), options, &plan, &error),
        ARX_CODE_OK);
    return plan;
}

static void expect_tasks(const arx_encode_options *options, const char *tags) {
    arx_plan *plan = plan_for(options);
    assert_int_equal(arx_plan_tasks(plan), strlen(tags));
    for (size_t i = 0; i < strlen(tags); i++) {
        assert_int_equal(arx_codec_tag(arx_plan_codec(plan, i)), tags[i]);
        assert_true(arx_plan_cost(plan, i) > 0);
    }
    arx_plan_free(plan);
}

static void test_candidate_codecs(void **state) {
    (void)state;
    arx_encode_options options = automatic();
    expect_tasks(&options, "fbadlp");
    options.prefer_compressed = false;
    expect_tasks(&options, "p");
    arx_encode_options_add_priority(&options, ARX_CODEC_LZ);
    expect_tasks(&options, "p"); /* preferCompressed outranks the list */
    options.prefer_compressed = true;
    arx_encode_options_add_priority(&options, ARX_CODEC_ARX3);
    arx_encode_options_add_priority(&options, ARX_CODEC_LZ);
    expect_tasks(&options, "lc");
    options.has_codec = true;
    options.codec = ARX_CODEC_ARX4;
    options.prefer_compressed = false;
    expect_tasks(&options, "e"); /* and a codec by name outranks both */
}

static void test_candidate_forms(void **state) {
    (void)state;
    const arx_assets *assets = vector_test_assets();
    const arx_json *envelope = vector_envelope("md-short");
    static const struct {
        arx_codec codec;
        bool packed;
    } all[] = {
        {ARX_CODEC_ARX5, false},  {ARX_CODEC_ARX2, false},   {ARX_CODEC_ARX, true},
        {ARX_CODEC_ARX, false},   {ARX_CODEC_DEFLATE, true}, {ARX_CODEC_DEFLATE, false},
        {ARX_CODEC_LZ, true},     {ARX_CODEC_LZ, false},     {ARX_CODEC_PLAIN, true},
        {ARX_CODEC_PLAIN, false},
    };
    for (int packing = 1; packing >= 0; packing--) {
        arx_encode_options options = automatic();
        options.prefer_packed = packing;
        arx_encoded encoded = encode(coder, assets, envelope, &options);
        size_t k = 0;
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
            if (all[i].packed && !packing) {
                continue;
            }
            assert_true(k < encoded.candidate_count);
            assert_int_equal(encoded.candidates[k].codec, all[i].codec);
            assert_int_equal(encoded.candidates[k].packed, all[i].packed);
            assert_int_equal(encoded.candidates[k].has_wire, all[i].codec >= ARX_CODEC_ARX);
            assert_true(encoded.winner.score <= encoded.candidates[k].score);
            k++;
        }
        assert_int_equal(k, encoded.candidate_count);
        arx_encoded_free(&encoded);
    }
}

static void test_no_candidates(void **state) {
    (void)state;
    arx_plan *plan;
    arx_error error;
    arx_encode_options options = automatic();
    options.has_priority = true;
    assert_int_equal(
        arx_plan_create(vector_test_assets(), vector_envelope("md-short"), &options, &plan, &error),
        ARX_CODE_NO_CANDIDATES);
    assert_int_equal(error.message.len, strlen("No payload codec candidates are available."));
    arx_error_free(&error);
    options = automatic();
    options.prior = 'x';
    assert_int_equal(
        arx_plan_create(vector_test_assets(), vector_envelope("md-short"), &options, &plan, &error),
        ARX_CODE_ASSET_UNAVAILABLE);
    arx_error_free(&error);
}

/* ---- the winner ---- */

/* Leaving out wires that cannot win changes nothing but the work. */
static void test_all_wires_give_the_same_winner(void **state) {
    (void)state;
    const arx_assets *assets = vector_test_assets();
    const arx_json *list = vector_list("envelopes.json", "envelopes");
    for (const arx_json *row = list; row != NULL; row = row->next) {
        const arx_json *envelope = arx_json_get(row, "envelope");
        const char *name = name_of(row);
        if (strstr(name, "60k") != NULL || strstr(name, "190k") != NULL) {
            continue; /* minutes, under a sanitizer */
        }
        for (arx_codec codec = ARX_CODEC_ARX; codec < ARX_CODEC_COUNT; codec++) {
            arx_encode_options options = with_codec(codec);
            arx_encoded few = encode(coder, assets, envelope, &options);
            options.all_wires = true;
            arx_encoded all = encode(coder, assets, envelope, &options);
            assert_int_equal(few.fragment_len, all.fragment_len);
            assert_memory_equal(few.fragment, all.fragment, few.fragment_len);
            assert_int_equal(few.url_fragment_len, all.url_fragment_len);
            assert_int_equal(few.url_winner.wire, all.url_winner.wire);
            /* and it is the first of the smallest */
            const arx_candidate *best = &all.candidates[0];
            for (size_t i = 1; i < all.candidate_count; i++) {
                best = all.candidates[i].score < best->score ? &all.candidates[i] : best;
            }
            assert_int_equal(best->wire, few.winner.wire);
            assert_int_equal(best->packed, few.winner.packed);
            assert_int_equal(best->score, few.winner.score);
            arx_encoded_free(&few);
            arx_encoded_free(&all);
        }
    }
}

static void test_target_and_budget(void **state) {
    (void)state;
    const arx_assets *assets = vector_test_assets();
    arx_encode_options options = automatic();
    arx_encoded free_choice = encode(coder, assets, vector_envelope("md-1k"), &options);
    assert_true(free_choice.fits_target);
    assert_true(free_choice.fits_budget);
    for (int off = -1; off <= 1; off++) {
        options.target_units = (size_t)((ptrdiff_t)free_choice.winner.score + off);
        arx_encoded aimed = encode(coder, assets, vector_envelope("md-1k"), &options);
        assert_int_equal(aimed.fits_target, off >= 0);
        assert_memory_equal(aimed.fragment, free_choice.fragment, free_choice.fragment_len);
        arx_encoded_free(&aimed);
    }
    arx_encoded_free(&free_choice);
    options = with_codec(ARX_CODEC_PLAIN);
    arx_encoded large = encode(coder, assets, vector_envelope("md-8k"), &options);
    assert_int_equal(large.fits_budget, large.winner.visible_units <= ARX_FRAGMENT_BUDGET_UNITS);
    assert_false(large.fits_budget);
    assert_int_equal(large.fragment[large.fragment_len], '\0');
    arx_encoded_free(&large);
}

/* arx4 looks short in baseBMP and is short in base64url. */
static void test_two_policies(void **state) {
    (void)state;
    const arx_assets *assets = vector_test_assets();
    arx_encode_options options = with_codec(ARX_CODEC_ARX4);
    arx_encoded encoded = encode(coder, assets, vector_envelope("md-1k"), &options);
    assert_int_equal(encoded.winner.wire, ARX_WIRE_BASEBMP);
    assert_int_equal(encoded.winner.score, encoded.winner.visible_units);
    assert_non_null(encoded.url_fragment);
    assert_int_equal(encoded.url_winner.wire, ARX_WIRE_BASE64URL);
    assert_true(encoded.url_winner.transport_units < encoded.winner.transport_units);
    assert_true(encoded.url_winner.visible_units > encoded.winner.visible_units);
    options.budget_by_transport = true;
    arx_encoded budgeted = encode(coder, assets, vector_envelope("md-1k"), &options);
    assert_int_equal(budgeted.fragment_len, encoded.url_fragment_len);
    assert_memory_equal(budgeted.fragment, encoded.url_fragment, encoded.url_fragment_len);
    assert_null(budgeted.url_fragment);
    arx_encoded_free(&encoded);
    arx_encoded_free(&budgeted);
}

/* ---- tasks ---- */

typedef struct worker {
    arx_plan *plan;
    size_t first;
} worker;

/* Runs every second task, the last one first. */
static void *run_half(void *arg) {
    const worker *w = arg;
    arx_coder *own = new_coder();
    for (size_t i = arx_plan_tasks(w->plan); i > 0; i--) {
        if (i % 2 == w->first) {
            arx_plan_run(w->plan, i - 1, own);
        }
    }
    arx_coder_free(own);
    return NULL;
}

static void test_tasks_in_any_order_on_any_thread(void **state) {
    (void)state;
    static const char *const names[] = {"md-8k", "csv-quoted", "bundle-5"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        const arx_json *envelope = vector_envelope(names[n]);
        arx_encode_options options = automatic();
        arx_encoded one = encode(coder, vector_test_assets(), envelope, &options);
        arx_plan *plan;
        arx_error error;
        arx_encoded two;
        pthread_t threads[2];
        assert_int_equal(arx_plan_create(vector_test_assets(), envelope, &options, &plan, &error),
                         ARX_CODE_OK);
        worker workers[2] = {{plan, 0}, {plan, 1}};
        for (size_t i = 0; i < 2; i++) {
            assert_int_equal(pthread_create(&threads[i], NULL, run_half, &workers[i]), 0);
        }
        for (size_t i = 0; i < 2; i++) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
        }
        assert_int_equal(arx_plan_finish(plan, &two, &error), ARX_CODE_OK);
        arx_plan_free(plan);
        assert_int_equal(one.fragment_len, two.fragment_len);
        assert_memory_equal(one.fragment, two.fragment, one.fragment_len);
        assert_int_equal(one.candidate_count, two.candidate_count);
        for (size_t i = 0; i < one.candidate_count; i++) {
            assert_int_equal(one.candidates[i].codec, two.candidates[i].codec);
            assert_int_equal(one.candidates[i].score, two.candidates[i].score);
        }
        arx_encoded_free(&one);
        arx_encoded_free(&two);
    }
}

/* A text the mixer does not take leaves the other codecs to choose from. */
static void test_text_too_long_for_the_mixer(void **state) {
    (void)state;
    arx_buf text;
    arx_json_doc *doc;
    arx_json *envelope;
    arx_buf_init(&text, 0);
    arx_buf_append_str(&text, "{\"v\":1,\"codec\":\"plain\",\"artifacts\":[{\"id\":\"a\",\"kind\":"
                              "\"markdown\",\"content\":\"");
    for (size_t i = 0; i < ARX_MIXER_MAX_TEXT / 2; i++) {
        arx_buf_append_str(&text, "~^~");
    }
    arx_buf_append_str(&text, "\"}]}");
    assert_int_equal(arx_json_parse(text.data, text.len, 0, &doc, &envelope), ARX_OK);
    arx_encode_options options = automatic();
    arx_encode_options_add_priority(&options, ARX_CODEC_ARX5);
    arx_encode_options_add_priority(&options, ARX_CODEC_LZ);
    arx_encoded encoded = encode(coder, vector_test_assets(), envelope, &options);
    assert_int_equal(encoded.winner.codec, ARX_CODEC_LZ);
    assert_int_equal(encoded.candidate_count, 2);
    arx_encoded_free(&encoded);
    arx_error error;
    options = with_codec(ARX_CODEC_ARX5);
    assert_int_equal(arx_encode(coder, vector_test_assets(), envelope, &options, &encoded, &error),
                     ARX_CODE_NO_CANDIDATES);
    arx_error_free(&error);
    arx_json_doc_free(doc);
    arx_buf_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_rows),
        cmocka_unit_test(test_candidate_codecs),
        cmocka_unit_test(test_candidate_forms),
        cmocka_unit_test(test_no_candidates),
        cmocka_unit_test(test_all_wires_give_the_same_winner),
        cmocka_unit_test(test_target_and_budget),
        cmocka_unit_test(test_two_policies),
        cmocka_unit_test(test_tasks_in_any_order_on_any_thread),
        cmocka_unit_test(test_text_too_long_for_the_mixer),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
