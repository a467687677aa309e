/*
 * test_dictionary.c - substitution gives the golden texts, comes back, and copes with dictionaries
 * that are odd: empty, doubled and non-ASCII slots, more slots than codes, lone surrogates.
 */
#include "vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEN(literal) (sizeof(literal) - 1)

static arx_json_doc *docs[64];
static size_t doc_count;

static const arx_json *parse(const char *text, size_t len) {
    arx_json *root;
    assert_true(doc_count < sizeof docs / sizeof docs[0]);
    assert_int_equal(arx_json_parse((const uint8_t *)text, len, 0, &docs[doc_count], &root),
                     ARX_OK);
    doc_count++;
    return root;
}

static int free_docs(void **state) {
    (void)state;
    while (doc_count > 0) {
        arx_json_doc_free(docs[--doc_count]);
    }
    return 0;
}

static arx_dictionary *create(arx_dictionary_role role, const arx_json *asset) {
    arx_dictionary *dictionary;
    assert_int_equal(arx_dictionary_create(role, asset, &dictionary), ARX_OK);
    return dictionary;
}

/* A base dictionary from JSON. */
static arx_dictionary *base_of(const char *json) {
    return create(ARX_DICTIONARY_BASE, parse(json, strlen(json)));
}

static arx_buf encode(const arx_dictionary *dictionary, const uint8_t *text, size_t len) {
    arx_buf out;
    arx_buf_init(&out, 0);
    uint8_t *guarded = guard_copy(text, len);
    arx_dictionary_encode(dictionary, guarded, len, &out);
    assert_int_equal(arx_buf_result(&out), ARX_OK);
    guard_free(guarded, len);
    return out;
}

static arx_buf decode(const arx_dictionary *dictionary, const uint8_t *text, size_t len) {
    arx_buf out;
    arx_buf_init(&out, 0);
    uint8_t *guarded = guard_copy(text, len);
    assert_int_equal(arx_dictionary_decode(dictionary, guarded, len, SIZE_MAX, &out), ARX_OK);
    guard_free(guarded, len);
    return out;
}

static void expect(arx_buf got, const char *want, size_t len) {
    assert_int_equal(got.len, len);
    if (len > 0) {
        assert_memory_equal(got.data, want, len);
    }
    arx_buf_free(&got);
}

#define EXPECT_ENCODED(dictionary, text, want)                                                     \
    expect(encode(dictionary, (const uint8_t *)(text), LEN(text)), want, LEN(want))
#define EXPECT_DECODED(dictionary, text, want)                                                     \
    expect(decode(dictionary, (const uint8_t *)(text), LEN(text)), want, LEN(want))

static const arx_json *text_of(const arx_json *row, const char *key) {
    const arx_json *value = arx_json_get_string(row, key);
    assert_non_null(value);
    return value;
}

static void expect_json_text(arx_buf got, const arx_json *want) {
    expect(got, (const char *)want->as.string.data, want->as.string.len);
}

static void odd_dictionaries(void **state) {
    (void)state;
    const arx_json *root = vector_load("odd-assets.json");
    const arx_json *assets = arx_json_get(root, "assets");
    arx_dictionary *base = create(ARX_DICTIONARY_BASE, arx_json_get(assets, "dictionary"));
    arx_dictionary *overlay = create(ARX_DICTIONARY_OVERLAY, arx_json_get(assets, "overlay"));
    assert_int_equal(arx_dictionary_slots(base), 10 + 146);
    assert_int_equal(arx_dictionary_slots(overlay), 3 + 6);
    assert_true(arx_dictionary_version(base) == 1);
    size_t seen = 0;
    for (const arx_json *row = arx_json_get(root, "dictTests")->as.list.first; row != NULL;
         row = row->next, seen++) {
        const uint8_t *in = text_of(row, "input")->as.string.data;
        size_t len = text_of(row, "input")->as.string.len;
        arx_buf want;
        arx_buf_init(&want, 0);
        vector_unhex(text_of(row, "base"), &want);
        arx_buf coded = encode(base, in, len);
        expect(encode(base, in, len), (const char *)want.data, want.len);
        expect_json_text(decode(base, coded.data, coded.len), text_of(row, "baseDecodeOfBase"));
        arx_buf_free(&coded);
        arx_buf_clear(&want);
        vector_unhex(text_of(row, "overlay"), &want);
        expect(encode(overlay, in, len), (const char *)want.data, want.len);
        expect_json_text(decode(base, in, len), text_of(row, "baseDecodeOfRaw"));
        expect_json_text(decode(overlay, in, len), text_of(row, "overlayDecodeOfRaw"));
        arx_buf_free(&want);
    }
    assert_int_equal(seen, 5);
    arx_dictionary_free(base);
    arx_dictionary_free(overlay);
}

/* A pair of dictionaries, and texts taken through both. */
typedef struct pair {
    arx_dictionary *base;
    arx_dictionary *overlay;
} pair;

static void free_pair(pair *p) {
    arx_dictionary_free(p->base);
    arx_dictionary_free(p->overlay);
}

static pair pair_of_files(const char *folder) {
    static const char *const names[] = {"arx-dictionary.json", "arx2-dictionary.json"};
    arx_dictionary *made[2];
    for (unsigned i = 0; i < 2; i++) {
        char path[4096];
        assert_true(snprintf(path, sizeof path, "%s/%s", folder, names[i]) < (int)sizeof path);
        size_t len;
        uint8_t *text = vector_read_file(path, &len);
        made[i] = create(i == 0 ? ARX_DICTIONARY_BASE : ARX_DICTIONARY_OVERLAY,
                         parse((const char *)text, len));
        free(text);
    }
    return (pair){made[0], made[1]};
}

/* The three texts of an envelope after substitution, compared where the row has them; and back. */
static void expect_forms(const pair *p, const arx_json *envelope, const arx_json *packed,
                         const arx_json *unpacked, const arx_json *tuple) {
    const arx_json *const expected[] = {packed, unpacked, tuple};
    for (unsigned form = 0; form < 3; form++) {
        assert_non_null(expected[form]);
        arx_buf text;
        arx_buf_init(&text, 0);
        if (form == 0) {
            arx_envelope_write_packed(envelope, ARX_CODEC_ARX, &text);
        } else if (form == 1) {
            arx_envelope_write_unpacked(envelope, ARX_CODEC_ARX, &text);
        } else {
            arx_envelope_write_tuple(envelope, &text);
        }
        assert_int_equal(arx_buf_result(&text), ARX_OK);
        arx_buf middle = form == 2 ? encode(p->overlay, text.data, text.len)
                                   : (arx_buf){.data = text.data, .len = text.len};
        arx_buf coded = encode(p->base, middle.data, middle.len);
        assert_true(vector_matches(expected[form], coded.data, coded.len, "substituted"));
        arx_buf back = decode(p->base, coded.data, coded.len);
        if (form == 2) {
            arx_buf_free(&middle);
            expect(decode(p->overlay, back.data, back.len), (const char *)text.data, text.len);
        } else {
            assert_int_equal(back.len, text.len);
            assert_memory_equal(back.data, text.data, text.len);
        }
        arx_buf_free(&back);
        arx_buf_free(&coded);
        arx_buf_free(&text);
    }
}

static void texts_with_the_odd_set(void **state) {
    (void)state;
    const arx_json *root = vector_load("odd-assets.json");
    const arx_json *assets = arx_json_get(root, "assets");
    pair p = {create(ARX_DICTIONARY_BASE, arx_json_get(assets, "dictionary")),
              create(ARX_DICTIONARY_OVERLAY, arx_json_get(assets, "overlay"))};
    size_t seen = 0;
    for (const arx_json *row = arx_json_get(root, "rows")->as.list.first; row != NULL;
         row = row->next, seen++) {
        char name[100] = "";
        const arx_json *of = text_of(row, "name");
        memcpy(name, of->as.string.data, of->as.string.len);
        expect_forms(&p, vector_envelope(name),
                     arx_json_get(arx_json_get(row, "arxPacked"), "substituted"),
                     arx_json_get(arx_json_get(row, "arxUnpacked"), "substituted"),
                     arx_json_get(arx_json_get(row, "tuple"), "substituted"));
    }
    assert_int_equal(seen, 8);
    free_pair(&p);
}

static void texts_with_the_test_set(void **state) {
    (void)state;
    pair p = pair_of_files("tests/vectors/assets");
    const arx_json *rows = arx_json_get(vector_load("testassets.json"), "rows");
    size_t seen = 0;
    for (const arx_json *row = rows->as.list.first; row != NULL; row = row->next, seen++) {
        char name[100] = "";
        const arx_json *of = text_of(row, "name");
        memcpy(name, of->as.string.data, of->as.string.len);
        expect_forms(&p, vector_envelope(name), arx_json_get(row, "arxPackedText"),
                     arx_json_get(row, "arxText"), arx_json_get(row, "tupleText"));
    }
    assert_int_equal(seen, 55);
    rows = arx_json_get(vector_load("extra.json"), "testAssets");
    for (const arx_json *row = rows->as.list.first; row != NULL; row = row->next) {
        arx_buf text;
        arx_buf_init(&text, 0);
        arx_envelope_write_tuple(arx_json_get(row, "envelope"), &text);
        arx_buf middle = encode(p.overlay, text.data, text.len);
        arx_buf coded = encode(p.base, middle.data, middle.len);
        assert_true(vector_matches(arx_json_get(row, "tupleText"), coded.data, coded.len, "extra"));
        arx_buf_free(&coded);
        arx_buf_free(&middle);
        arx_buf_free(&text);
    }
    free_pair(&p);
}

static void texts_with_the_other_set(void **state) {
    (void)state;
    const char *folder = getenv("ARX_UPSTREAM_ASSETS");
    if (folder == NULL || *folder == '\0') {
        skip();
    }
    pair p = pair_of_files(folder);
    const arx_json *rows = arx_json_get(vector_load("arx.json"), "rows");
    size_t seen = 0;
    for (const arx_json *row = rows->as.list.first; row != NULL; row = row->next, seen++) {
        char name[100] = "";
        const arx_json *of = text_of(row, "name");
        memcpy(name, of->as.string.data, of->as.string.len);
        expect_forms(&p, vector_envelope(name),
                     arx_json_get(arx_json_get(row, "arxPacked"), "substituted"),
                     arx_json_get(arx_json_get(row, "arxUnpacked"), "substituted"),
                     arx_json_get(arx_json_get(row, "arx2"), "substituted"));
    }
    assert_int_equal(seen, 55);
    /* The s-text of that pair: 2202 characters, the last line feed apart. */
    arx_buf slots;
    arx_buf_init(&slots, 0);
    arx_dictionary_write_slots(p.base, &slots);
    arx_dictionary_write_slots(p.overlay, &slots);
    assert_int_equal(arx_text_units(slots.data, slots.len), 2203);
    arx_buf_free(&slots);
    free_pair(&p);
}

static void longest_match_wins(void **state) {
    (void)state;
    arx_dictionary *d = base_of("{\"version\":1,\"singleByteSlots\":[\"a\",\"ab\",\"abcd\",\"b\"],"
                                "\"extendedSlots\":[\"abc\",\"cd\",\"ab\"]}");
    EXPECT_ENCODED(d, "a", "\x01");
    EXPECT_ENCODED(d, "ab", "\x02"); /* the first of the two */
    EXPECT_ENCODED(d, "abc", "\x00\x01");
    EXPECT_ENCODED(d, "abcd", "\x03");
    EXPECT_ENCODED(d, "abce",
                   "\x00\x01"
                   "e");
    EXPECT_ENCODED(d, "aabcdcdx", "\x01\x03\x00\x02x");
    EXPECT_ENCODED(d, "xb", "x\x04");
    EXPECT_ENCODED(d, "xa", "x\x01");
    EXPECT_ENCODED(d, "", "");
    EXPECT_DECODED(d, "\x00\x03\x02", "abab");
    arx_dictionary_free(d);
}

static void unknown_codes_are_copied(void **state) {
    (void)state;
    arx_dictionary *d = base_of("{\"version\":1,\"singleByteSlots\":[\"one\"],"
                                "\"extendedSlots\":[\"ext\",\"\"]}");
    EXPECT_DECODED(d, "\x02\x1D\x1E\x1F\x09\x0A\x7F", "\x02\x1D\x1E\x1F\x09\x0A\x7F");
    EXPECT_DECODED(d, "\x00", "\x00");
    EXPECT_DECODED(d, "\x00\x00\x01",
                   "\x00"
                   "ext");             /* the first 00 is none, the second is */
    EXPECT_DECODED(d, "\x00\x02", ""); /* an empty slot keeps its code */
    EXPECT_DECODED(d, "\x00\x03\x01", "\x00\x03one");
    EXPECT_DECODED(d, "\x00\xC3\xA9", "\x00\xC3\xA9");
    EXPECT_DECODED(d, "\x00\xF0\x9F\x9A\xA2", "\x00\xF0\x9F\x9A\xA2");
    EXPECT_DECODED(d, "\x00\xC3", "\x00\xC3"); /* ill-formed: as it is */
    arx_dictionary_free(d);
}

static void more_slots_than_codes(void **state) {
    (void)state;
    arx_buf json;
    arx_buf_init(&json, 0);
    arx_buf_append_str(&json, "{\"version\":1,\"singleByteSlots\":[");
    for (unsigned i = 0; i < 30; i++) {
        arx_buf_append_str(&json, i == 0 ? "\"s" : ",\"s");
        arx_buf_append_u64(&json, i);
        arx_buf_append_str(&json, ";\"");
    }
    arx_buf_append_str(&json, "],\"extendedSlots\":[");
    size_t count = 70000;
    for (unsigned i = 0; i < count; i++) {
        arx_buf_append_str(&json, i == 0 ? "\"e" : ",\"e");
        arx_buf_append_u64(&json, i);
        arx_buf_append_str(&json, ";\"");
    }
    arx_buf_append_str(&json, "]}");
    assert_int_equal(arx_buf_result(&json), ARX_OK);
    const arx_json *asset = parse((const char *)json.data, json.len);
    for (unsigned role = 0; role < 2; role++) {
        arx_dictionary *d = create((arx_dictionary_role)role, asset);
        assert_int_equal(arx_dictionary_slots(d), 30 + count);
        unsigned first = role == ARX_DICTIONARY_BASE ? 1 : 0x20;
        for (unsigned i = 0; i < count; i += i < 300 ? 1 : 97) {
            char text[32];
            int len = snprintf(text, sizeof text, "e%u;", i);
            arx_buf coded = encode(d, (const uint8_t *)text, (size_t)len);
            /* Where the code would hold a surrogate or pass U+FFFF there is none. */
            unsigned unit = first + i;
            bool has_code = unit <= 0xFFFF && (unit < 0xD800 || unit > 0xDFFF);
            assert_int_equal(coded.len == (size_t)len && memcmp(coded.data, text, coded.len) == 0,
                             !has_code);
            if (has_code) {
                assert_int_equal(coded.data[0], role == ARX_DICTIONARY_BASE ? 0x00 : 0x1F);
                size_t pos = 1;
                assert_int_equal(arx_text_next(coded.data, coded.len, &pos), unit);
                assert_int_equal(pos, coded.len);
                assert_true(arx_text_is_utf8(coded.data, coded.len));
            }
            expect(decode(d, coded.data, coded.len), text, (size_t)len);
            arx_buf_free(&coded);
        }
        /* A hand-made code with a surrogate in it is none. */
        EXPECT_DECODED(d, "\x00\xED\xA0\x80", "\x00\xED\xA0\x80");
        EXPECT_DECODED(d, "\x1F\xED\xA0\x80", "\x1F\xED\xA0\x80");
        /* 25 single codes here, 2 there; the slots behind them have none. */
        EXPECT_ENCODED(d, "s25;s29;", "s25;s29;");
        if (role == ARX_DICTIONARY_BASE) {
            EXPECT_ENCODED(d, "s0;s7;s8;s24;", "\x01\x08\x0B\x1D");
        } else {
            EXPECT_ENCODED(d, "s0;s1;s2;", "\x1E\x7Fs2;");
        }
        arx_dictionary_free(d);
    }
    arx_buf_free(&json);
}

static void slots_are_written_in_order(void **state) {
    (void)state;
    const char json[] = "{\"version\":1,\"singleByteSlots\":[\"a\",\"\",\"unused\"],"
                        "\"extendedSlots\":[\"x\",\"x\"],\"more\":null}";
    arx_dictionary *d = create(ARX_DICTIONARY_OVERLAY, parse(json, LEN(json)));
    arx_buf out;
    arx_buf_init(&out, 0);
    arx_dictionary_write_slots(d, &out);
    expect(out, "a\n\nunused\nx\nx\n", 14);
    arx_dictionary_free(d);
}

static void lone_surrogates_find_each_other(void **state) {
    (void)state;
    arx_dictionary *d = base_of("{\"version\":1,\"singleByteSlots\":"
                                "[\"\\ud83d\",\"\\udea2\",\"x\\ud83d\",\"\\udea2y\",\"\"],"
                                "\"extendedSlots\":[]}");
    /* A ship has no half in a text, so nothing matches; put together from halves it is whole. */
    EXPECT_ENCODED(d, "\xF0\x9F\x9A\xA2", "\xF0\x9F\x9A\xA2");
    EXPECT_DECODED(d, "\x01\x02", "\xF0\x9F\x9A\xA2");
    EXPECT_DECODED(d, "\x03\x04", "x\xF0\x9F\x9A\xA2y");
    EXPECT_DECODED(d, "\x03\x05\x02", "x\xF0\x9F\x9A\xA2");
    EXPECT_DECODED(d, "\x01\xED\xBA\xA2z", "\xF0\x9F\x9A\xA2z"); /* a half in the text itself */
    EXPECT_DECODED(d, "\x02\x01", "\xED\xBA\xA2\xED\xA0\xBD");
    EXPECT_DECODED(d, "\x01\x01\x02", "\xED\xA0\xBD\xF0\x9F\x9A\xA2");
    /* Two units, whether or not they have met. */
    arx_buf out;
    arx_buf_init(&out, 0);
    assert_int_equal(arx_dictionary_decode(d, (const uint8_t *)"\x01\x02", 2, 2, &out), ARX_OK);
    arx_buf_clear(&out);
    assert_int_equal(arx_dictionary_decode(d, (const uint8_t *)"\x01\x02", 2, 1, &out),
                     ARX_OVER_LIMIT);
    arx_buf_free(&out);
    arx_dictionary_free(d);
}

static void the_unit_limit_is_exact(void **state) {
    (void)state;
    arx_dictionary *d = base_of("{\"version\":1,\"singleByteSlots\":[\"\\u6e2f\\ud83d\\udea2abc\"],"
                                "\"extendedSlots\":[]}");
    const char text[] = "q\x01\xC3\xA9\x01"; /* 1 + 6 + 1 + 6 units */
    arx_buf out;
    arx_buf_init(&out, 0);
    assert_int_equal(arx_dictionary_decode(d, (const uint8_t *)text, LEN(text), 14, &out), ARX_OK);
    assert_int_equal(arx_text_units(out.data, out.len), 14);
    for (size_t limit = 0; limit < 14; limit++) {
        arx_buf_clear(&out);
        assert_int_equal(arx_dictionary_decode(d, (const uint8_t *)text, LEN(text), limit, &out),
                         ARX_OVER_LIMIT);
        assert_true(arx_text_units(out.data, out.len) <= limit);
    }
    arx_buf_free(&out);
    arx_dictionary_free(d);
}

/* A megabyte of one-byte codes for a long slot stops at the limit, not at a gigabyte. */
static void expansion_is_bounded(void **state) {
    (void)state;
    char json[2200];
    int at =
        snprintf(json, sizeof json, "{\"version\":1,\"extendedSlots\":[],\"singleByteSlots\":[\"");
    memset(json + at, 'z', 1000);
    memcpy(json + at + 1000, "\"]}", 4);
    arx_dictionary *d = base_of(json);
    uint8_t *codes = malloc(1000000);
    assert_non_null(codes);
    memset(codes, 0x01, 1000000);
    arx_buf out;
    arx_buf_init(&out, 0);
    assert_int_equal(arx_dictionary_decode(d, codes, 1000000, 200000, &out), ARX_OVER_LIMIT);
    assert_true(out.len <= 200000);
    arx_buf_free(&out);
    free(codes);
    arx_dictionary_free(d);
}

static void other_shapes_are_refused(void **state) {
    (void)state;
    static const char *const bad[] = {
        "null",
        "[]",
        "{}",
        "{\"version\":\"1\",\"singleByteSlots\":[],\"extendedSlots\":[]}",
        "{\"singleByteSlots\":[],\"extendedSlots\":[]}",
        "{\"version\":1,\"extendedSlots\":[]}",
        "{\"version\":1,\"singleByteSlots\":[]}",
        "{\"version\":1,\"singleByteSlots\":{},\"extendedSlots\":[]}",
        "{\"version\":1,\"singleByteSlots\":[1],\"extendedSlots\":[]}",
        "{\"version\":1,\"singleByteSlots\":[],\"extendedSlots\":[\"a\",null]}",
        "{\"version\":1,\"singleByteSlots\":\"ab\",\"extendedSlots\":[]}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        arx_dictionary *d = NULL;
        assert_int_equal(
            arx_dictionary_create(ARX_DICTIONARY_BASE, parse(bad[i], strlen(bad[i])), &d),
            ARX_MALFORMED);
        assert_null(d);
    }
    arx_dictionary *d = base_of("{\"version\":2.5,\"singleByteSlots\":[],\"extendedSlots\":[]}");
    assert_true(arx_dictionary_version(d) == 2.5);
    assert_int_equal(arx_dictionary_slots(d), 0);
    EXPECT_ENCODED(d, "as it is\x01", "as it is\x01");
    EXPECT_DECODED(d, "as it is\x01\x00\x01", "as it is\x01\x00\x01");
    arx_dictionary_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(odd_dictionaries),
        cmocka_unit_test(texts_with_the_odd_set),
        cmocka_unit_test(texts_with_the_test_set),
        cmocka_unit_test(texts_with_the_other_set),
        cmocka_unit_test(longest_match_wins),
        cmocka_unit_test(unknown_codes_are_copied),
        cmocka_unit_test(more_slots_than_codes),
        cmocka_unit_test(slots_are_written_in_order),
        cmocka_unit_test(lone_surrogates_find_each_other),
        cmocka_unit_test(the_unit_limit_is_exact),
        cmocka_unit_test(expansion_is_bounded),
        cmocka_unit_test(other_shapes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, free_docs);
}
