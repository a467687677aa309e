/*
 * test_links.c - drafts, URLs and Markdown links (links.json).
 *
 * The rows were made with an encoder whose Brotli sometimes gives other bytes: then the links'
 * frame is compared, and not the fragment in it.
 */
#include "encodes.h"

#include "encode_request.h"
#include "filetype.h"
#include "link.h"

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

static const arx_assets *upstream(void) {
    const arx_assets *assets = vector_upstream_assets();
    if (assets == NULL) {
        print_message("needs ARX_UPSTREAM_ASSETS\n");
        skip();
    }
    return assets;
}

static bool text_is(const arx_json *expected, const arx_buf *got, const char *what) {
    return vector_matches(expected, got->data, got->len, what);
}

static bool warning_is(const arx_json *expected, const arx_buf *got) {
    return arx_json_is(expected, ARX_JSON_NULL) ? got->len == 0 : text_is(expected, got, "warning");
}

/* Compares links with `{hash, url, markdownUrl, markdownLink, ...}`. */
static bool same_links(const arx_json *expected, const arx_link *link, const arx_encoded *encoded) {
    return text_is(arx_json_get(expected, "hash"), &link->hash, "hash") &&
           text_is(arx_json_get(expected, "url"), &link->url, "url") &&
           text_is(arx_json_get(expected, "markdownUrl"), &link->markdown_url, "markdownUrl") &&
           text_is(arx_json_get(expected, "markdownLink"), &link->markdown_link, "markdownLink") &&
           link->markdown_link_units == number_of(expected, "markdownLinkLength") &&
           encoded->winner.visible_units == number_of(expected, "fragmentLength") &&
           warning_is(arx_json_get(expected, "discordMarkdownLinkWarning"), &link->discord_warning);
}

static bool is_brotli(arx_codec codec) {
    return codec == ARX_CODEC_ARX || codec == ARX_CODEC_ARX2 || codec == ARX_CODEC_ARX3;
}

/* What follows "Error: " or "TypeError: ". */
static bool refused_with(const arx_json *error, const char *message, size_t len) {
    const uint8_t *text = error->as.string.data;
    size_t text_len = error->as.string.len;
    const uint8_t *colon = memchr(text, ':', text_len);
    assert_non_null(colon);
    size_t start = (size_t)(colon + 2 - text);
    return text_len - start == len && memcmp(text + start, message, len) == 0;
}

static bool check_draft_row(const arx_assets *assets, const arx_json *row, size_t *exact) {
    const arx_json *draft = arx_json_get(row, "draft");
    const arx_json *base = arx_json_get_string(row, "baseUrl");
    const arx_json *expected = arx_json_get(row, "async");
    const arx_json *refusal = arx_json_get_string(row, "asyncError");
    arx_encode_options options;
    arx_json *envelope;
    arx_encoded encoded;
    arx_link link;
    arx_buf message;
    arx_buf_init(&message, 0);
    arx_json_doc *doc = arx_json_doc_create();
    assert_non_null(doc);
    assert_int_equal(arx_encode_options_read(draft, &options, &message), ARX_REQUEST_OK);
    bool right = true;
    arx_request_result read = arx_draft_read(doc, draft, &envelope, &message);
    if (read != ARX_REQUEST_OK) {
        right = read == ARX_REQUEST_ENVELOPE && refusal != NULL &&
                refused_with(refusal, (const char *)message.data, message.len);
        goto out;
    }
    encoded = encode(coder, assets, envelope, &options);
    arx_result linked =
        arx_link_create(envelope, &encoded, base != NULL ? base->as.string.data : NULL,
                        base != NULL ? base->as.string.len : 0, NULL, 0, &link);
    if (linked != ARX_OK) {
        right =
            linked == ARX_MALFORMED && refusal != NULL && refused_with(refusal, "Invalid URL", 11);
        arx_encoded_free(&encoded);
        goto out;
    }
    right = refusal == NULL && arx_json_string_is(arx_json_get(expected, "codec"),
                                                  arx_codec_name(encoded.winner.codec));
    arx_buf text;
    arx_buf_init(&text, 0);
    arx_json_write(envelope, &text);
    const arx_json *known = arx_json_get(expected, "envelope");
    if (right && arx_json_get(known, "sha256") == NULL) {
        arx_buf want;
        arx_buf_init(&want, 0);
        arx_json_write(known, &want);
        right = want.len == text.len && memcmp(want.data, text.data, text.len) == 0;
        arx_buf_free(&want);
    } else if (right) {
        right = vector_matches(known, text.data, text.len, "envelope");
    }
    arx_buf_free(&text);
    size_t units = number_of(expected, "fragmentLength");
    if (is_brotli(encoded.winner.codec) && encoded.winner.visible_units != units) {
        right = right && encoded.winner.visible_units < units + 10 + units / 50;
    } else {
        right = right && same_links(expected, &link, &encoded);
        *exact += right;
    }
    arx_link_free(&link);
    arx_encoded_free(&encoded);
out:
    arx_json_doc_free(doc);
    arx_buf_free(&message);
    return right;
}

static void test_drafts(void **state) {
    (void)state;
    const arx_assets *assets = upstream();
    const arx_json *rows = vector_list("links.json", "rows");
    size_t wrong = 0;
    size_t exact = 0;
    for (const arx_json *row = rows; row != NULL; row = row->next) {
        if (!check_draft_row(assets, row, &exact)) {
            const arx_json *label = arx_json_get_string(row, "label");
            print_error("%.*s\n", (int)label->as.string.len, (const char *)label->as.string.data);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
    assert_true(exact >= 40);
}

static void test_envelope_links(void **state) {
    (void)state;
    const arx_assets *assets = upstream();
    const char base[] = "https://agent-render.com/";
    const arx_json *rows = vector_list("links.json", "envelopeLinks");
    size_t wrong = 0;
    for (const arx_json *row = rows; row != NULL; row = row->next) {
        const arx_json *codec = arx_json_get_string(row, "codec");
        arx_encode_options options = automatic();
        options.has_codec =
            arx_codec_from_name(codec->as.string.data, codec->as.string.len, &options.codec);
        arx_buf text;
        arx_buf message;
        arx_json_doc *doc;
        arx_json *copy;
        arx_json *envelope;
        arx_link link;
        arx_buf_init(&text, 0);
        arx_buf_init(&message, 0);
        arx_json_write(vector_envelope(name_of(row)), &text);
        assert_int_equal(arx_json_parse(text.data, text.len, 0, &doc, &copy), ARX_OK);
        assert_int_equal(arx_envelope_read(doc, copy, &envelope, &message), ARX_REQUEST_OK);
        arx_encoded encoded = encode(coder, assets, envelope, &options);
        assert_int_equal(arx_link_create(envelope, &encoded, (const uint8_t *)base, sizeof base - 1,
                                         NULL, 0, &link),
                         ARX_OK);
        bool exact = encoded.winner.codec != ARX_CODEC_DEFLATE &&
                     (!is_brotli(encoded.winner.codec) ||
                      encoded.winner.visible_units == number_of(row, "fragmentLength"));
        if (exact && !same_links(row, &link, &encoded)) {
            wrong++;
        }
        arx_link_free(&link);
        arx_encoded_free(&encoded);
        arx_json_doc_free(doc);
        arx_buf_free(&text);
        arx_buf_free(&message);
    }
    assert_int_equal(wrong, 0);
}

static void test_markdown_links(void **state) {
    (void)state;
    const arx_json *rows = vector_list("links.json", "markdownLinks");
    size_t wrong = 0;
    for (const arx_json *row = rows; row != NULL; row = row->next) {
        const arx_json *label = arx_json_get_string(row, "label");
        const arx_json *given = arx_json_get_string(row, "href");
        arx_buf href;
        arx_buf out;
        arx_buf warning;
        arx_buf_init(&href, 0);
        arx_buf_init(&out, 0);
        arx_buf_init(&warning, 0);
        if (given != NULL) {
            arx_buf_append(&href, given->as.string.data, given->as.string.len);
        } else { /* "https://x.invalid/ followed by y repeated" */
            arx_buf_append_str(&href, "https://x.invalid/");
            while (href.len < number_of(row, "hrefLength")) {
                arx_buf_append_byte(&href, 'y');
            }
        }
        arx_markdown_link(label->as.string.data, label->as.string.len, href.data, href.len, &out);
        size_t units = arx_text_units(out.data, out.len);
        arx_discord_warning(units, &warning);
        const arx_json *expected = arx_json_get(row, "markdownLink");
        wrong += expected != NULL && !text_is(expected, &out, "markdownLink");
        wrong += units != number_of(row, "length");
        wrong += !warning_is(arx_json_get(row, "discordWarning"), &warning);
        arx_buf_free(&href);
        arx_buf_free(&out);
        arx_buf_free(&warning);
    }
    assert_int_equal(wrong, 0);
}

/* ---- labels ---- */

static void expect_markdown(const char *json, const char *label, const char *expected) {
    arx_json_doc *doc;
    arx_json *envelope;
    arx_link link;
    const arx_encoded encoded = {.fragment = (uint8_t *)"pe30", .fragment_len = 4};
    assert_int_equal(arx_json_parse((const uint8_t *)json, strlen(json), 0, &doc, &envelope),
                     ARX_OK);
    assert_int_equal(arx_link_create(envelope, &encoded, (const uint8_t *)"https://h", 9,
                                     (const uint8_t *)label, label ? strlen(label) : 0, &link),
                     ARX_OK);
    if (link.markdown_link.len != strlen(expected) ||
        memcmp(link.markdown_link.data, expected, strlen(expected)) != 0) {
        fail_msg("%.*s", (int)link.markdown_link.len, (const char *)link.markdown_link.data);
    }
    arx_link_free(&link);
    arx_json_doc_free(doc);
}

static void test_labels(void **state) {
    (void)state;
    expect_markdown("{\"title\":\"T\",\"artifacts\":[{\"id\":\"i\",\"title\":\"A\"}]}", NULL,
                    "[T](https://h/#pe30)");
    expect_markdown("{\"artifacts\":[{\"id\":\"i\",\"title\":\"A\"}]}", NULL,
                    "[A](https://h/#pe30)");
    expect_markdown("{\"artifacts\":[{\"id\":\"i\"}]}", NULL, "[i](https://h/#pe30)");
    expect_markdown("{\"title\":\" \",\"artifacts\":[{\"id\":\"i\"}]}", NULL,
                    "[https://h/#pe30](https://h/#pe30)");
    expect_markdown("{\"title\":\"T\",\"artifacts\":[{\"id\":\"i\"}]}", "L",
                    "[L](https://h/#pe30)");
    expect_markdown("{\"title\":\"T\",\"artifacts\":[{\"id\":\"i\"}]}", "",
                    "[https://h/#pe30](https://h/#pe30)");
}

static void test_budget_warning(void **state) {
    (void)state;
    arx_buf out;
    arx_buf_init(&out, 0);
    arx_budget_warning(8192, &out);
    assert_int_equal(out.len, 0);
    arx_budget_warning(1008193, &out);
    const char expected[] =
        "This link needs 1,008,193 fragment characters, which is over the 8,192 "
        "character limit.";
    assert_int_equal(out.len, sizeof expected - 1);
    assert_memory_equal(out.data, expected, out.len);
    arx_buf_free(&out);
}

/* ---- names ---- */

static void expect_slug(const char *text, const char *slug) {
    arx_buf out;
    arx_buf_init(&out, 0);
    arx_slug((const uint8_t *)text, strlen(text), &out);
    assert_int_equal(out.len, strlen(slug));
    assert_memory_equal(out.data, slug, out.len);
    arx_buf_free(&out);
}

static void test_slugs(void **state) {
    (void)state;
    expect_slug("Weekly Report!", "weekly-report");
    expect_slug("--A__b--", "a-b");
    expect_slug("", "artifact");
    expect_slug("\346\270\257", "artifact");
    expect_slug("\342\204\252elvin", "kelvin");  /* U+212A */
    expect_slug("\304\260stanbul", "i-stanbul"); /* U+0130 */
    expect_slug("x\304\260", "xi");
    expect_slug("\355\240\200x", "x"); /* a lone surrogate */
}

static void expect_type(const char *name, arx_kind kind, const char *language) {
    arx_filetype type;
    assert_true(arx_filetype_of((const uint8_t *)name, strlen(name), &type));
    assert_int_equal(type.kind, kind);
    if (language == NULL) {
        assert_null(type.language);
    } else {
        assert_string_equal(type.language, language);
    }
}

static void test_file_types(void **state) {
    (void)state;
    arx_filetype type = {ARX_KIND_CSV, "untouched"};
    expect_type("a.md", ARX_KIND_MARKDOWN, NULL);
    expect_type("dir.json/a.TSX", ARX_KIND_CODE, "tsx");
    expect_type("C:\\x\\Makefile", ARX_KIND_CODE, "makefile");
    expect_type("CMakeLists.txt", ARX_KIND_CODE, "cmake");
    expect_type("0001-fix.patch", ARX_KIND_DIFF, NULL);
    expect_type("a.b.csv", ARX_KIND_CSV, NULL);
    expect_type(".json", ARX_KIND_JSON, NULL);
    static const char *const unknown[] = {"", "md", "a.", "a.unknown", "a.md/b", "x.md\\"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        assert_false(arx_filetype_of((const uint8_t *)unknown[i], strlen(unknown[i]), &type));
        assert_string_equal(type.language, "untouched");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drafts),         cmocka_unit_test(test_envelope_links),
        cmocka_unit_test(test_markdown_links), cmocka_unit_test(test_labels),
        cmocka_unit_test(test_budget_warning), cmocka_unit_test(test_slugs),
        cmocka_unit_test(test_file_types),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
