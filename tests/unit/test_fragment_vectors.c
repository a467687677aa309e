/* Fragments with their recorded outcomes: errors, legacy forms, corners, normalisation. */
#include "fragments.h"

#include <stdio.h>

typedef struct world {
    arx_coder *coder;
    arx_assets *upstream;  /* NULL where the set is not at hand */
    arx_assets *no_priors; /* the same without its priors */
} world;

static int make_world(void **state) {
    world *w = calloc(1, sizeof *w);
    if (w == NULL) {
        return -1;
    }
    w->coder = new_coder();
    w->upstream = vector_upstream_assets();
    if (w->upstream != NULL) {
        w->no_priors = assets_without_priors(getenv("ARX_UPSTREAM_ASSETS"));
    }
    *state = w;
    return 0;
}

static int free_world(void **state) {
    world *w = *state;
    arx_coder_free(w->coder);
    arx_assets_free(w->no_priors);
    free(w);
    return 0;
}

static world *with_upstream(void **state) {
    world *w = *state;
    if (w->upstream == NULL) {
        print_message("needs ARX_UPSTREAM_ASSETS\n");
        skip();
    }
    return w;
}

/* Decodes a fragment value and compares; counts what differs. */
static size_t check(world *w, const arx_assets *assets, const arx_json *fragment, bool skip_budget,
                    const arx_json *expected, const char *label) {
    outcome o =
        decode(w->coder, assets, fragment->as.string.data, fragment->as.string.len, skip_budget);
    bool same = outcome_is(&o, expected, label);
    outcome_free(&o);
    return same ? 0 : 1;
}

static void decode_errors(void **state) {
    world *w = with_upstream(state);
    const arx_json *rows = arx_json_get(vector_load("decode-errors.json"), "rows");
    size_t wrong = 0;
    size_t count = 0;
    for (const arx_json *row = rows->as.list.first; row != NULL; row = row->next) {
        bool full = arx_json_string_is(arx_json_get(row, "state"), "full");
        if (!full) {
            assert_true(
                arx_json_string_is(arx_json_get(row, "state"), "shipped dictionaries, no priors"));
        }
        const arx_json *skipped = arx_json_get(arx_json_get(row, "options"), "skipFragmentBudget");
        wrong += check(w, full ? w->upstream : w->no_priors, arx_json_get(row, "fragment"),
                       arx_json_is(skipped, ARX_JSON_TRUE), arx_json_get(row, "async"),
                       label_of(arx_json_get(row, "label")));
        count++;
    }
    assert_int_equal(count, 216);
    assert_int_equal(wrong, 0);
}

static void legacy_forms(void **state) {
    world *w = with_upstream(state);
    const arx_json *rows = arx_json_get(vector_load("legacy.json"), "rows");
    size_t wrong = 0;
    for (const arx_json *row = rows->as.list.first; row != NULL; row = row->next) {
        wrong += check(w, w->upstream, arx_json_get(row, "fragment"), false,
                       arx_json_get(row, "async"), label_of(arx_json_get(row, "label")));
    }
    assert_true(rows->as.list.count >= 80);
    assert_int_equal(wrong, 0);
}

/* "build": {"content": [text, times]} - a plain fragment too long to be kept in a file. */
static void build_fragment(const arx_json *build, arx_buf *out) {
    const arx_json *content = arx_json_get(build, "content");
    arx_buf json = {0};
    arx_buf_append_str(&json, "{\"v\":1,\"codec\":\"plain\",\"artifacts\":[{\"id\":\"a\",\"kind\":"
                              "\"markdown\",\"content\":\"");
    const arx_json *text = arx_json_at(content, 0);
    for (double i = 0; i < arx_json_at(content, 1)->as.number; i++) {
        arx_buf_append(&json, text->as.string.data, text->as.string.len);
    }
    arx_buf_append_str(&json, "\"}]}");
    arx_buf_append_str(out, "#p");
    arx_base64url_encode(json.data, json.len, out);
    arx_buf_free(&json);
}

static void corners(void **state) {
    world *w = with_upstream(state);
    const arx_json *root = vector_load("extra.json");
    size_t wrong = 0;
    for (const arx_json *row = arx_json_get(root, "decode")->as.list.first; row != NULL;
         row = row->next) {
        const arx_json *build = arx_json_get(row, "build");
        const char *label = label_of(arx_json_get(row, "label"));
        if (build == NULL) {
            wrong += check(w, w->upstream, arx_json_get(row, "fragment"), false,
                           arx_json_get(row, "async"), label);
            continue;
        }
        arx_buf fragment = {0};
        build_fragment(build, &fragment);
        outcome o = decode(w->coder, w->upstream, fragment.data, fragment.len, true);
        wrong += outcome_is(&o, arx_json_get(row, "async"), label) ? 0 : 1;
        outcome_free(&o);
        arx_buf_free(&fragment);
    }
    for (const arx_json *row = arx_json_get(root, "noPriors")->as.list.first; row != NULL;
         row = row->next) {
        const arx_json *fragment = arx_json_get(row, "fragment");
        wrong +=
            check(w, w->no_priors, fragment, false, arx_json_get(row, "async"), label_of(fragment));
    }
    assert_int_equal(wrong, 0);
}

/* Coded bytes for every prior as arx5 fragments in base64url: all decode to the row's envelope. */
static size_t check_coded(world *w, const arx_assets *assets, const arx_json *row) {
    size_t wrong = 0;
    for (const char *prior = ARX_PRIOR_IDS; *prior != '\0'; prior++) {
        const char key[2] = {*prior, '\0'};
        arx_buf coded = {0};
        vector_unhex(arx_json_get(arx_json_get(arx_json_get(row, "coded"), key), "hex"), &coded);
        arx_buf fragment = {0};
        arx_buf_append_str(&fragment, "f");
        arx_buf_append_str(&fragment, key);
        arx_buf_append_str(&fragment, "B.");
        arx_base64url_encode(coded.data, coded.len, &fragment);
        outcome o = decode(w->coder, assets, fragment.data, fragment.len, false);
        const arx_json *envelope = arx_json_get(row, "envelope");
        if (o.code != ARX_CODE_OK ||
            !same_value(arx_json_get(o.decoded.envelope, "artifacts"),
                        arx_json_get(envelope, "artifacts")) ||
            o.decoded.prior != *prior || o.decoded.coded_bytes != coded.len) {
            print_error("%s, prior %s: %s\n", label_of(arx_json_get(row, "name")), key,
                        arx_code_name(o.code));
            wrong++;
        }
        outcome_free(&o);
        arx_buf_free(&fragment);
        arx_buf_free(&coded);
    }
    return wrong;
}

static void line_feeds_in_the_column_model(void **state) {
    world *w = *state;
    const arx_json *root = vector_load("extra.json");
    size_t wrong = 0;
    for (const arx_json *row = arx_json_get(root, "testAssets")->as.list.first; row != NULL;
         row = row->next) {
        wrong += check_coded(w, vector_test_assets(), row);
    }
    if (w->upstream != NULL) {
        for (const arx_json *row = arx_json_get(root, "upstreamAssets")->as.list.first; row != NULL;
             row = row->next) {
            wrong += check_coded(w, w->upstream, row);
        }
    }
    assert_int_equal(wrong, 0);
}

/* The envelope as text: its key order is part of the outcome. */
static bool order_is(const outcome *o, const arx_json *key_order, const char *label) {
    if (key_order == NULL || o->code != ARX_CODE_OK) {
        return (key_order == NULL) == (o->code != ARX_CODE_OK);
    }
    arx_buf text = {0};
    arx_json_write(o->decoded.envelope, &text);
    bool same = vector_matches(key_order, text.data, text.len, label);
    arx_buf_free(&text);
    return same;
}

static void normalisation(void **state) {
    world *w = *state;
    const arx_json *rows = arx_json_get(vector_load("normalize.json"), "rows");
    size_t wrong = 0;
    for (const arx_json *row = rows->as.list.first; row != NULL; row = row->next) {
        const char *label = label_of(arx_json_get(row, "label"));
        const arx_json *json = arx_json_get(row, "json");
        arx_buf fragment = {0};
        arx_buf_append_str(&fragment, "p");
        arx_base64url_encode(json->as.string.data, json->as.string.len, &fragment);
        outcome o = decode(w->coder, vector_test_assets(), fragment.data, fragment.len, false);
        if (!outcome_is(&o, arx_json_get(row, "result"), label) ||
            !order_is(&o, arx_json_get(row, "keyOrder"), label)) {
            wrong++;
        }
        if (o.code == ARX_CODE_OK) {
            bool packed =
                json->as.string.len > 6 && memcmp(json->as.string.data, "{\"p\":1", 6) == 0;
            assert_int_equal(o.decoded.packed, packed);
            assert_int_equal(o.decoded.decoded_units,
                             arx_text_units(json->as.string.data, json->as.string.len));
            assert_int_equal(o.decoded.coded_bytes, json->as.string.len);
        }
        outcome_free(&o);
        arx_buf_free(&fragment);
    }
    assert_true(rows->as.list.count >= 50);
    assert_int_equal(wrong, 0);
}

static void tuples(void **state) {
    world *w = with_upstream(state);
    const arx_json *rows = arx_json_get(vector_load("normalize.json"), "tuples");
    size_t wrong = 0;
    for (const arx_json *row = rows->as.list.first; row != NULL; row = row->next) {
        const arx_json *tuple = arx_json_get(row, "tuple");
        const char *label = label_of(tuple);
        const arx_json *fragment = arx_json_get(row, "arx2Fragment");
        outcome o =
            decode(w->coder, w->upstream, fragment->as.string.data, fragment->as.string.len, false);
        if (!outcome_is(&o, arx_json_get(row, "result"), label) ||
            !order_is(&o, arx_json_get(row, "keyOrder"), label)) {
            wrong++;
        }
        if (o.code == ARX_CODE_OK) {
            assert_int_equal(o.decoded.codec, ARX_CODEC_ARX2);
            assert_int_equal(o.decoded.prior, '\0');
            assert_int_equal(o.decoded.decoded_units,
                             arx_text_units(tuple->as.string.data, tuple->as.string.len));
        }

        /* The same by the mixer: same envelope but for its codec, same error. */
        fragment = arx_json_get(row, "arx5Fragment");
        outcome five =
            decode(w->coder, w->upstream, fragment->as.string.data, fragment->as.string.len, false);
        assert_int_equal(five.code, o.code);
        if (five.code == ARX_CODE_OK) {
            assert_int_equal(five.decoded.prior, 'n');
            assert_int_equal(five.decoded.codec, ARX_CODEC_ARX5);
            arx_json *codec = arx_json_get(five.decoded.envelope, "codec");
            assert_true(arx_json_string_is(codec, "arx5"));
            codec->as.string.len = 4;
            codec->as.string.data = (const uint8_t *)"arx2";
            wrong += order_is(&five, arx_json_get(row, "keyOrder"), label) ? 0 : 1;
        } else {
            assert_int_equal(five.error.message.len, o.error.message.len);
            assert_memory_equal(five.error.message.data, o.error.message.data, o.error.message.len);
        }
        outcome_free(&five);
        outcome_free(&o);
    }
    assert_true(rows->as.list.count >= 40);
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decode_errors), cmocka_unit_test(legacy_forms),
        cmocka_unit_test(corners),       cmocka_unit_test(line_feeds_in_the_column_model),
        cmocka_unit_test(normalisation), cmocka_unit_test(tuples),
    };
    return cmocka_run_group_tests(tests, make_world, free_world);
}
