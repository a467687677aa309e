/* Canonical JSON, the args hash and the hashes of surfaces against the reference's. */
#include "vectors.h"

#include <stdio.h>

#include "ouis.h"

#include "oui/canonical.h"
#include "oui/hash.h"
#include "oui/index.h"

static void expect_canonical(const arx_json *one, const arx_json *canonical,
                             const arx_json *sha256) {
    arx_json_doc *doc;
    const arx_json *value = oui_parse(arx_json_get(one, "json"), &doc);
    arx_buf text;
    arx_buf again;
    char hash[OUI_ARGS_HASH_CHARS + 1];
    arx_buf_init(&text, 0);
    arx_buf_init(&again, 0);
    assert_int_equal(oui_canonical_json(value, &text, NULL), ARX_OK);
    oui_expect(canonical, &text, one);
    assert_int_equal(oui_args_hash(value, hash, NULL), ARX_OK);
    assert_true(arx_json_string_is(sha256, hash));
    arx_json_doc_free(doc);

    /* canonical text read back is canonical already */
    arx_json *root;
    assert_int_equal(arx_json_parse(text.data, text.len, 0, &doc, &root), ARX_OK);
    assert_int_equal(oui_canonical_json(root, &again, NULL), ARX_OK);
    oui_expect(canonical, &again, one);
    arx_json_doc_free(doc);
    arx_buf_free(&text);
    arx_buf_free(&again);
}

static void expect_refusal(const arx_json *one) {
    arx_json_doc *doc;
    const arx_json *value = oui_parse(arx_json_get(one, "json"), &doc);
    arx_buf text;
    arx_buf why;
    arx_buf_init(&text, 0);
    arx_buf_init(&why, 0);
    assert_int_equal(oui_canonical_json(value, &text, &why), ARX_MALFORMED);
    oui_expect(arx_json_get(one, "error"), &why, one);
    arx_buf_free(&text);
    arx_buf_free(&why);
    arx_json_doc_free(doc);
}

static void canonical_json(void **state) {
    (void)state;
    OUI_EACH(one, arx_json_get(vector_load("../oui/canonical.json"), "cases")) {
        if (arx_json_get(one, "error") != NULL) {
            expect_refusal(one);
        } else {
            expect_canonical(one, arx_json_get(one, "canonical"), arx_json_get(one, "sha256"));
        }
    }
}

static void numbers(void **state) {
    (void)state;
    const arx_json *tables = arx_json_get(vector_load("../oui/canonical.json"), "numberTables");
    size_t count = 0;
    OUI_EACH(table, tables) {
        OUI_EACH(row, table) {
            char bits[17] = {0};
            arx_buf text;
            arx_buf_init(&text, 0);
            memcpy(bits, arx_json_at(row, 0)->as.string.data, 16);
            uint64_t word = strtoull(bits, NULL, 16);
            double number;
            memcpy(&number, &word, sizeof number);
            arx_json_write_number(number, &text);
            oui_expect(arx_json_at(row, 1), &text, row);
            arx_buf_free(&text);
            count++;
        }
    }
    assert_true(count > 3000);
}

static void hash_of(const arx_json *text, char hash[OUI_ARGS_HASH_CHARS + 1]) {
    arx_json_doc *doc;
    const arx_json *value = oui_parse(text, &doc);
    assert_int_equal(oui_args_hash(value, hash, NULL), ARX_OK);
    arx_json_doc_free(doc);
}

static void args_hashes(void **state) {
    (void)state;
    const arx_json *root = vector_load("../oui/args-hash.json");
    OUI_EACH(one, arx_json_get(root, "cases")) {
        expect_canonical(one, arx_json_get(one, "canonical"), arx_json_get(one, "argsHash"));
    }
    OUI_EACH(one, arx_json_get(root, "errors")) {
        expect_refusal(one);
    }
    char a[OUI_ARGS_HASH_CHARS + 1];
    char b[OUI_ARGS_HASH_CHARS + 1];
    OUI_EACH(pair, arx_json_get(root, "equal")) {
        hash_of(arx_json_at(pair, 0), a);
        hash_of(arx_json_at(pair, 1), b);
        assert_string_equal(a, b);
    }
    OUI_EACH(pair, arx_json_get(root, "different")) {
        hash_of(arx_json_at(pair, 0), a);
        hash_of(arx_json_at(pair, 1), b);
        assert_string_not_equal(a, b);
    }
    OUI_EACH(one, arx_json_get(root, "pattern")) {
        const arx_json *text = arx_json_get(one, "text");
        assert_int_equal(oui_args_hash_is(text->as.string.data, text->as.string.len),
                         oui_flag(one, "ok"));
    }
}

static void approval_rule(void **state) {
    (void)state;
    OUI_EACH(one, arx_json_get(vector_load("../oui/args-hash.json"), "approvalRule")) {
        const arx_json *effect = arx_json_get(one, "effect");
        const arx_json *access = arx_json_get(one, "access");
        effect = arx_json_is(effect, ARX_JSON_NULL) ? NULL : effect;
        assert_int_equal(oui_requires_approval(effect, oui_flag(one, "confirm")),
                         oui_flag(one, "requiresApproval"));
        assert_int_equal(oui_effect_access(effect),
                         arx_json_string_is(access, "read") ? OUI_ACCESS_READ : OUI_ACCESS_WRITE);
    }
}

/* The reference's own file, which lies beside the checkout where it is at hand. */
static void approval_vectors(void **state) {
    (void)state;
    const char *path = getenv("OUI_APPROVAL_VECTORS");
    if (path == NULL) {
        skip();
    }
    size_t len;
    uint8_t *text = vector_read_file(path, &len);
    arx_json_doc *doc;
    arx_json *root;
    assert_int_equal(arx_json_parse(text, len, 0, &doc, &root), ARX_OK);
    OUI_EACH(one, arx_json_get(root, "vectors")) {
        expect_canonical(one, arx_json_get(one, "canonical"), arx_json_get(one, "sha256"));
    }
    OUI_EACH(one, arx_json_get(root, "invalid")) {
        arx_json_doc *refused;
        arx_buf out;
        arx_buf_init(&out, 0);
        const arx_json *value = oui_parse(arx_json_get(one, "json"), &refused);
        assert_int_equal(oui_canonical_json(value, &out, NULL), ARX_MALFORMED);
        arx_json_doc_free(refused);
        arx_buf_free(&out);
    }
    arx_json_doc_free(doc);
    free(text);
}

static void surface_hashes(void **state) {
    (void)state;
    const arx_json *root = vector_load("../oui/surfaces-hash.json");
    OUI_EACH(one, arx_json_get(root, "cases")) {
        arx_json_doc *doc;
        const arx_json *value = oui_parse(arx_json_get(one, "json"), &doc);
        arx_buf text;
        char definition[OUI_DEFINITION_HASH_CHARS + 1];
        char surfaces[OUI_SURFACES_HASH_CHARS + 1];
        size_t bytes;
        arx_buf_init(&text, 0);
        assert_int_equal(oui_sorted_json(value, &text), ARX_OK);
        oui_expect(arx_json_get(one, "sortedJson"), &text, one);
        assert_int_equal(oui_definition_hash(value, definition), ARX_OK);
        assert_true(arx_json_string_is(arx_json_get(one, "definitionHash"), definition));
        assert_int_equal(oui_surfaces_hash(value, surfaces), ARX_OK);
        assert_true(arx_json_string_is(arx_json_get(one, "surfacesHash"), surfaces));
        assert_int_equal(oui_json_bytes(value, &bytes), ARX_OK);
        assert_int_equal(bytes, oui_number(one, "bytes"));
        arx_buf_free(&text);
        arx_json_doc_free(doc);
    }
    OUI_EACH(one, arx_json_get(root, "fnv1a64")) {
        const arx_json *text = arx_json_get(one, "text");
        char hex[17];
        (void)snprintf(hex, sizeof hex, "%016llx",
                       (unsigned long long)oui_fnv1a64(text->as.string.data, text->as.string.len));
        assert_true(arx_json_string_is(arx_json_get(one, "fnv1a64"), hex));
    }
    OUI_EACH(one, arx_json_get(root, "jsonBytes")) {
        arx_json_doc *doc;
        size_t bytes;
        assert_int_equal(oui_json_bytes(oui_parse(arx_json_get(one, "json"), &doc), &bytes),
                         ARX_OK);
        assert_int_equal(bytes, oui_number(one, "jsonBytes"));
        arx_json_doc_free(doc);
    }
}

/* Deeper than anything the readers let in: an answer, not a crash. */
static void depth_is_bounded(void **state) {
    (void)state;
    enum { DEPTH = 100000 };
    arx_buf text;
    arx_buf out;
    arx_json_doc *doc;
    arx_json *root;
    char hash[OUI_ARGS_HASH_CHARS + 1];
    arx_buf_init(&text, 0);
    arx_buf_init(&out, 0);
    for (int i = 0; i < DEPTH; i++) {
        arx_buf_append_byte(&text, '[');
    }
    for (int i = 0; i < DEPTH; i++) {
        arx_buf_append_byte(&text, ']');
    }
    assert_int_equal(arx_json_parse(text.data, text.len, 0, &doc, &root), ARX_OK);
    assert_int_equal(oui_canonical_json(root, &out, NULL), ARX_OVER_LIMIT);
    assert_int_equal(oui_args_hash(root, hash, NULL), ARX_OVER_LIMIT);
    arx_json_doc_free(doc);
    arx_buf_free(&out);
    arx_buf_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(canonical_json),   cmocka_unit_test(numbers),
        cmocka_unit_test(args_hashes),      cmocka_unit_test(approval_rule),
        cmocka_unit_test(approval_vectors), cmocka_unit_test(surface_hashes),
        cmocka_unit_test(depth_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
