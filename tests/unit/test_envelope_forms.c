/*
 * test_envelope_forms.c - the unpacked, packed and tuple texts of every golden envelope, in both
 * directions, and what happens to fields of odd types.
 */
#include "vectors.h"

#include <string.h>

/* Reads a text and keeps its document for the test's length. */
static arx_json *parse(const void *text, size_t len, arx_json_doc **doc) {
    arx_json *root;
    assert_int_equal(arx_json_parse(text, len, 0, doc, &root), ARX_OK);
    return root;
}

static void assert_text(const arx_buf *got, const char *want) {
    assert_int_equal(arx_buf_result(got), ARX_OK);
    if (got->len != strlen(want) || (got->len != 0 && memcmp(got->data, want, got->len) != 0)) {
        fail_msg("got  %.*s\nwant %s", (int)got->len, (const char *)got->data, want);
    }
}

/* What a normalised envelope is, whatever order its keys came in. */
static void write_normal(arx_json_doc *doc, arx_json *value, arx_buf *out) {
    arx_json *envelope;
    const arx_json *id = NULL;
    arx_envelope_result result = arx_envelope_normalise(doc, value, &envelope, &id);
    assert_int_equal(result, ARX_ENVELOPE_OK);
    arx_envelope_write_packed(envelope, ARX_CODEC_PLAIN, out);
}

static void golden_json_texts_in_both_directions(void **state) {
    (void)state;
    const arx_json *rows = arx_json_get(vector_load("sync.json"), "rows");
    size_t count = 0;
    for (const arx_json *row = rows->as.list.first; row != NULL; row = row->next) {
        const arx_json *name = arx_json_get(row, "name");
        char what[64];
        assert_true(name->as.string.len < sizeof what);
        memcpy(what, name->as.string.data, name->as.string.len);
        what[name->as.string.len] = '\0';
        const arx_json *envelope = vector_envelope(what);
        arx_buf unpacked, packed, from_unpacked, from_packed;
        arx_buf_init(&unpacked, 0);
        arx_buf_init(&packed, 0);
        arx_buf_init(&from_unpacked, 0);
        arx_buf_init(&from_packed, 0);

        arx_envelope_write_unpacked(envelope, ARX_CODEC_PLAIN, &unpacked);
        arx_envelope_write_packed(envelope, ARX_CODEC_PLAIN, &packed);
        assert_true(vector_matches(arx_json_get(row, "json"), unpacked.data, unpacked.len, what));
        assert_true(vector_matches(arx_json_get(row, "packedJson"), packed.data, packed.len, what));

        arx_json_doc *doc;
        arx_json *value = parse(unpacked.data, unpacked.len, &doc);
        write_normal(doc, value, &from_unpacked);
        arx_json_doc_free(doc);
        value = parse(packed.data, packed.len, &doc);
        write_normal(doc, value, &from_packed);
        arx_json_doc_free(doc);
        assert_int_equal(from_packed.len, from_unpacked.len);
        assert_memory_equal(from_packed.data, from_unpacked.data, from_packed.len);

        arx_buf_free(&unpacked);
        arx_buf_free(&packed);
        arx_buf_free(&from_unpacked);
        arx_buf_free(&from_packed);
        count++;
    }
    assert_int_equal(count, 55);
}

/* Puts back the U+007F that the writer escaped: vectors hold the text before that. */
static void unescape_delete(const arx_buf *text, arx_buf *out) {
    size_t i = 0;
    while (i < text->len) {
        size_t escape = text->data[i] != '\\' ? 1 : 2;
        if (escape == 2 && text->len - i >= 6 && memcmp(text->data + i, "\\u007f", 6) == 0) {
            arx_buf_append_byte(out, 0x7F);
            i += 6;
        } else {
            arx_buf_append(out, text->data + i, escape);
            i += escape;
        }
    }
}

static void golden_tuples_in_both_directions(void **state) {
    (void)state;
    const arx_json *rows = arx_json_get(vector_load("arx.json"), "rows");
    size_t count = 0;
    size_t with_delete = 0;
    for (const arx_json *row = rows->as.list.first; row != NULL; row = row->next) {
        const arx_json *name = arx_json_get(row, "name");
        char what[64];
        assert_true(name->as.string.len < sizeof what);
        memcpy(what, name->as.string.data, name->as.string.len);
        what[name->as.string.len] = '\0';
        const arx_json *envelope = vector_envelope(what);
        arx_buf tuple, raw, from_tuple, from_unpacked, again;
        arx_buf_init(&tuple, 0);
        arx_buf_init(&raw, 0);
        arx_buf_init(&from_tuple, 0);
        arx_buf_init(&from_unpacked, 0);
        arx_buf_init(&again, 0);

        arx_envelope_write_tuple(envelope, &tuple);
        assert_int_equal(arx_buf_result(&tuple), ARX_OK);
        assert_null(memchr(tuple.data, 0x7F, tuple.len));
        unescape_delete(&tuple, &raw);
        with_delete += raw.len != tuple.len;
        assert_true(vector_matches(arx_json_get(row, "tuple"), raw.data, raw.len, what));

        arx_json_doc *doc;
        arx_json *value = parse(tuple.data, tuple.len, &doc);
        arx_json *rebuilt;
        assert_int_equal(arx_envelope_from_tuple(doc, value, ARX_CODEC_ARX2, &rebuilt), ARX_OK);
        assert_true(arx_json_string_is(arx_json_get(rebuilt, "codec"), "arx2"));
        write_normal(doc, rebuilt, &from_tuple);
        arx_envelope_write_tuple(rebuilt, &again);
        assert_int_equal(again.len, tuple.len);
        assert_memory_equal(again.data, tuple.data, tuple.len);
        arx_json_doc_free(doc);

        arx_buf text;
        arx_buf_init(&text, 0);
        arx_envelope_write_unpacked(envelope, ARX_CODEC_PLAIN, &text);
        value = parse(text.data, text.len, &doc);
        write_normal(doc, value, &from_unpacked);
        arx_json_doc_free(doc);
        assert_int_equal(from_tuple.len, from_unpacked.len);
        assert_memory_equal(from_tuple.data, from_unpacked.data, from_tuple.len);

        arx_buf_free(&text);
        arx_buf_free(&tuple);
        arx_buf_free(&raw);
        arx_buf_free(&from_tuple);
        arx_buf_free(&from_unpacked);
        arx_buf_free(&again);
        count++;
    }
    assert_int_equal(count, 55);
    assert_true(with_delete > 0);
}

typedef struct forms {
    const char *json;
    const char *unpacked;
    const char *packed;
    const char *tuple;
} forms;

static void assert_forms(const forms *row) {
    arx_json_doc *doc;
    const arx_json *envelope = parse(row->json, strlen(row->json), &doc);
    arx_buf out;
    arx_buf_init(&out, 0);
    arx_envelope_write_unpacked(envelope, ARX_CODEC_DEFLATE, &out);
    assert_text(&out, row->unpacked);
    arx_buf_clear(&out);
    arx_envelope_write_packed(envelope, ARX_CODEC_DEFLATE, &out);
    assert_text(&out, row->packed);
    arx_buf_clear(&out);
    arx_envelope_write_tuple(envelope, &out);
    assert_text(&out, row->tuple);
    arx_buf_free(&out);
    arx_json_doc_free(doc);
}

static void odd_fields_are_written_as_they_are(void **state) {
    (void)state;
    static const forms rows[] = {
        /* the caller's order, unknown keys, codec in its place */
        {"{\"artifacts\":[{\"x\":[1],\"content\":\"c\",\"kind\":\"csv\",\"id\":\"a\"}],\"codec\":7,"
         "\"extra\":{\"k\":null},\"v\":1}",
         "{\"artifacts\":[{\"x\":[1],\"content\":\"c\",\"kind\":\"csv\",\"id\":\"a\"}],"
         "\"codec\":\"deflate\",\"extra\":{\"k\":null},\"v\":1}",
         "{\"p\":1,\"v\":1,\"c\":\"deflate\",\"r\":[{\"i\":\"a\",\"k\":\"csv\",\"c\":\"c\"}]}",
         "[3,[\"s\",\"a\",\"c\"]]"},
        /* no codec: it goes last */
        {"{\"v\":1,\"artifacts\":[{\"id\":\"a\",\"kind\":\"json\",\"content\":\"\"}]}",
         "{\"v\":1,\"artifacts\":[{\"id\":\"a\",\"kind\":\"json\",\"content\":\"\"}],"
         "\"codec\":\"deflate\"}",
         "{\"p\":1,\"v\":1,\"c\":\"deflate\",\"r\":[{\"i\":\"a\",\"k\":\"json\",\"c\":\"\"}]}",
         "[3,[\"j\",\"a\",\"\"]]"},
        /* types the check lets pass; a language on a text is no field */
        {"{\"v\":1,\"codec\":\"lz\",\"title\":7,\"artifacts\":[{\"id\":\"a\",\"kind\":\"markdown\","
         "\"content\":\"x\",\"filename\":{},\"language\":\"no\"}]}",
         "{\"v\":1,\"codec\":\"deflate\",\"title\":7,\"artifacts\":[{\"id\":\"a\",\"kind\":"
         "\"markdown\",\"content\":\"x\",\"filename\":{},\"language\":\"no\"}]}",
         "{\"p\":1,\"v\":1,\"c\":\"deflate\",\"t\":7,\"r\":[{\"i\":\"a\",\"k\":\"markdown\","
         "\"f\":{},\"c\":\"x\"}]}",
         "[3,[\"m\",\"a\",\"x\",null,{}],7]"},
        {"{\"v\":1,\"codec\":\"lz\",\"artifacts\":[{\"id\":\"a\",\"kind\":\"code\",\"content\":"
         "\"x\",\"language\":false,\"title\":null}]}",
         "{\"v\":1,\"codec\":\"deflate\",\"artifacts\":[{\"id\":\"a\",\"kind\":\"code\","
         "\"content\":\"x\",\"language\":false,\"title\":null}]}",
         "{\"p\":1,\"v\":1,\"c\":\"deflate\",\"r\":[{\"i\":\"a\",\"k\":\"code\",\"t\":null,"
         "\"c\":\"x\",\"l\":false}]}",
         "[3,[\"c\",\"a\",\"x\",false,null]]"},
        /* a diff with all its fields, and the escape of U+007F at both ends of texts */
        {"{\"v\":1,\"codec\":\"lz\",\"title\":\"\x7Ft\x7F\",\"artifacts\":[{\"id\":\"\x7F\","
         "\"kind\":\"diff\",\"view\":\"split\",\"newContent\":\"n\",\"oldContent\":\"o\","
         "\"patch\":\"p\",\"language\":\"l\",\"filename\":\"f\",\"title\":\"\"}]}",
         "{\"v\":1,\"codec\":\"deflate\",\"title\":\"\x7Ft\x7F\",\"artifacts\":[{\"id\":\"\x7F\","
         "\"kind\":\"diff\",\"view\":\"split\",\"newContent\":\"n\",\"oldContent\":\"o\","
         "\"patch\":\"p\",\"language\":\"l\",\"filename\":\"f\",\"title\":\"\"}]}",
         "{\"p\":1,\"v\":1,\"c\":\"deflate\",\"t\":\"\x7Ft\x7F\",\"r\":[{\"i\":\"\x7F\",\"k\":"
         "\"diff\",\"t\":\"\",\"f\":\"f\",\"p\":\"p\",\"o\":\"o\",\"n\":\"n\",\"l\":\"l\","
         "\"w\":\"split\"}]}",
         "[3,[\"d\",\"\\u007f\",\"p\",\"o\",\"n\",\"l\",\"split\",\"\",\"f\"],"
         "\"\\u007ft\\u007f\"]"},
        /* a bundle whose active id names two: the last counts */
        {"{\"v\":1,\"codec\":\"lz\",\"activeArtifactId\":\"b\",\"artifacts\":[{\"id\":\"a\","
         "\"kind\":\"csv\",\"content\":\"\"},{\"id\":\"b\",\"kind\":\"csv\",\"content\":\"\"},"
         "{\"id\":\"b\",\"kind\":\"diff\"}]}",
         "{\"v\":1,\"codec\":\"deflate\",\"activeArtifactId\":\"b\",\"artifacts\":[{\"id\":\"a\","
         "\"kind\":\"csv\",\"content\":\"\"},{\"id\":\"b\",\"kind\":\"csv\",\"content\":\"\"},"
         "{\"id\":\"b\",\"kind\":\"diff\"}]}",
         "{\"p\":1,\"v\":1,\"c\":\"deflate\",\"a\":\"b\",\"r\":[{\"i\":\"a\",\"k\":\"csv\","
         "\"c\":\"\"},{\"i\":\"b\",\"k\":\"csv\",\"c\":\"\"},{\"i\":\"b\",\"k\":\"diff\"}]}",
         "[2,[[\"s\",\"a\",\"\"],[\"s\",\"b\",\"\"],[\"d\",\"b\"]],null,2]"},
        /* no envelopes at all: still JSON */
        {"null", "{\"codec\":\"deflate\"}", "{\"p\":1,\"c\":\"deflate\",\"r\":[]}", "[2,[]]"},
        {"{}", "{\"codec\":\"deflate\"}", "{\"p\":1,\"c\":\"deflate\",\"r\":[]}", "[2,[]]"},
        {"{\"artifacts\":[5,null,{\"kind\":\"html\"}]}",
         "{\"artifacts\":[5,null,{\"kind\":\"html\"}],\"codec\":\"deflate\"}",
         "{\"p\":1,\"c\":\"deflate\",\"r\":[{},{},{\"k\":\"html\"}]}",
         "[2,[[\"m\"],[\"m\"],[\"m\"]]]"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_forms(&rows[i]);
    }
}

/* The writer of tuples appends: what stands before its text is none of its business. */
static void a_tuple_is_appended(void **state) {
    (void)state;
    static const char json[] = "{\"artifacts\":[{\"id\":\"\x7F\",\"content\":\"\x7F\x7F\"}]}";
    arx_json_doc *doc;
    const arx_json *envelope = parse(json, sizeof json - 1, &doc);
    arx_buf out;
    arx_buf_init(&out, 0);
    arx_buf_append_str(&out, "\x7F|");
    arx_envelope_write_tuple(envelope, &out);
    assert_text(&out, "\x7F|[3,[\"m\",\"\\u007f\",\"\\u007f\\u007f\"]]");
    size_t whole = out.len;
    arx_buf_free(&out);
    for (size_t max = 3; max < whole; max++) {
        arx_buf_init(&out, max);
        arx_envelope_write_tuple(envelope, &out);
        assert_int_equal(arx_buf_result(&out), max < whole - 2 ? ARX_OVER_LIMIT : ARX_OK);
        arx_buf_free(&out);
    }
    arx_json_doc_free(doc);
}

static void codecs_and_kinds_have_names(void **state) {
    (void)state;
    static const char tags[] = "pladbcef";
    for (size_t i = 0; i < sizeof tags - 1; i++) {
        arx_codec by_tag, by_name;
        assert_true(arx_codec_from_tag((uint8_t)tags[i], &by_tag));
        assert_int_equal(arx_codec_tag(by_tag), tags[i]);
        const char *name = arx_codec_name(by_tag);
        assert_true(arx_codec_from_name((const uint8_t *)name, strlen(name), &by_name));
        assert_int_equal(by_name, by_tag);
        assert_false(arx_codec_from_name((const uint8_t *)name, strlen(name) + 1, &by_name));
    }
    arx_codec codec;
    assert_string_equal(arx_codec_name(ARX_CODEC_DEFLATE), "deflate");
    assert_int_equal(arx_codec_tag(ARX_CODEC_ARX4), 'e');
    assert_int_equal(arx_codec_tag(ARX_CODEC_ARX5), 'f');
    assert_false(arx_codec_from_tag('g', &codec));
    assert_false(arx_codec_from_tag('P', &codec));
    assert_false(arx_codec_from_tag(0, &codec));
    assert_false(arx_codec_from_name((const uint8_t *)"arx6", 4, &codec));
    assert_false(arx_codec_from_name((const uint8_t *)"PLAIN", 5, &codec));
    for (int i = 0; i < ARX_KIND_COUNT; i++) {
        const char *name = arx_kind_name((arx_kind)i);
        arx_kind kind;
        assert_true(arx_kind_from_name((const uint8_t *)name, strlen(name), &kind));
        assert_int_equal(kind, i);
        assert_false(arx_kind_from_name((const uint8_t *)name, 0, &kind));
    }
}

static void artifacts_are_found_and_shown(void **state) {
    (void)state;
    static const char json[] =
        "{\"activeArtifactId\":\"b\",\"artifacts\":["
        "{\"id\":\"a\",\"kind\":\"markdown\",\"content\":\"text\"},"
        "{\"id\":\"b\",\"kind\":\"diff\",\"patch\":\"\",\"oldContent\":\"o\",\"newContent\":"
        "\"n\\n\"},"
        "{\"id\":\"c\",\"kind\":\"diff\",\"patch\":\"P\",\"oldContent\":\"o\",\"newContent\":\"n\"}"
        ","
        "{\"id\":\"d\",\"kind\":\"diff\",\"oldContent\":\"o\\n\",\"newContent\":\"\"},"
        "{\"id\":\"e\",\"kind\":\"diff\",\"oldContent\":\"\",\"newContent\":\"n\"},"
        "{\"id\":\"\",\"kind\":\"json\",\"content\":5}]}";
    static const char *const bodies[] = {"text", "o\n---\nn\n", "P", "o\n---\n", "---\nn", ""};
    arx_json_doc *doc;
    arx_json *envelope = parse(json, sizeof json - 1, &doc);
    const arx_json *artifacts = arx_json_get(envelope, "artifacts");
    for (size_t i = 0; i < 6; i++) {
        arx_json *artifact = arx_json_at(artifacts, i);
        arx_buf out;
        arx_buf_init(&out, 0);
        arx_artifact_body(artifact, &out);
        assert_text(&out, bodies[i]);
        arx_buf_free(&out);
        const arx_json *id = arx_json_get(artifact, "id");
        assert_ptr_equal(arx_envelope_find(envelope, id->as.string.data, id->as.string.len),
                         artifact);
    }
    assert_null(arx_envelope_find(envelope, (const uint8_t *)"zz", 2));
    assert_ptr_equal(arx_envelope_active(envelope), arx_json_at(artifacts, 1));
    assert_int_equal(arx_json_set(envelope, "activeArtifactId",
                                  arx_json_new_string(doc, (const uint8_t *)"zz", 2)),
                     ARX_OK);
    assert_ptr_equal(arx_envelope_active(envelope), arx_json_at(artifacts, 0));
    assert_int_equal(arx_artifact_kind(arx_json_at(artifacts, 1)), ARX_KIND_DIFF);
    assert_int_equal(arx_artifact_kind(NULL), ARX_KIND_MARKDOWN);
    assert_null(arx_envelope_active(artifacts));
    assert_null(arx_envelope_active(NULL));
    arx_json_doc_free(doc);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_json_texts_in_both_directions),
        cmocka_unit_test(golden_tuples_in_both_directions),
        cmocka_unit_test(odd_fields_are_written_as_they_are),
        cmocka_unit_test(a_tuple_is_appended),
        cmocka_unit_test(codecs_and_kinds_have_names),
        cmocka_unit_test(artifacts_are_found_and_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
