/* Every recorded fragment, of every codec, wire and prior, decodes to the envelope it was made of.
 */
#include "fragments.h"

#include <stdio.h>

static arx_coder *coder;
static size_t decoded_count;

static int make_coder(void **state) {
    (void)state;
    coder = new_coder();
    return 0;
}

static int free_coder(void **state) {
    (void)state;
    arx_coder_free(coder);
    return 0;
}

static arx_assets *upstream(void) {
    arx_assets *assets = vector_upstream_assets();
    if (assets == NULL) {
        print_message("needs ARX_UPSTREAM_ASSETS\n");
        skip();
    }
    return assets;
}

/* The named envelope as a decode gives it: normalised, with the codec that carried it. */
static arx_json *expected_envelope(const char *name, arx_codec codec, arx_json_doc **doc) {
    arx_buf text = {0};
    arx_envelope_write_unpacked(vector_envelope(name), codec, &text);
    arx_json *value;
    assert_int_equal(arx_json_parse(text.data, text.len, 0, doc, &value), ARX_OK);
    arx_buf_free(&text);
    const arx_json *id;
    assert_int_equal(arx_envelope_normalise(*doc, value, &value, &id), ARX_ENVELOPE_OK);
    return value;
}

/* What else a fragment should say of itself; negative or '\0' where that is not known. */
typedef struct facts {
    arx_codec codec;
    int packed;
    int wire;
    char prior;
    const arx_json *visible; /* number or NULL */
} facts;

static void decodes_to(const arx_assets *assets, const void *fragment, size_t len, facts f,
                       const char *name) {
    outcome o = decode(coder, assets, fragment, len, true);
    if (o.code != ARX_CODE_OK) {
        fail_msg("%s as %s: %s", name, arx_codec_name(f.codec), arx_code_name(o.code));
    }
    arx_json_doc *doc;
    const arx_json *expected = expected_envelope(name, f.codec, &doc);
    if (!same_value(o.decoded.envelope, expected)) {
        print_value("expected", expected);
        print_value("got     ", o.decoded.envelope);
        fail_msg("%s as %s: another envelope", name, arx_codec_name(f.codec));
    }
    assert_int_equal(o.decoded.codec, f.codec);
    assert_int_equal(o.decoded.prior, f.prior);
    if (f.packed >= 0) {
        assert_int_equal(o.decoded.packed, f.packed);
    }
    if (f.wire >= 0) {
        assert_int_equal(o.decoded.wire, f.wire);
        assert_true(o.decoded.coded_bytes > 0);
    }
    if (f.visible != NULL) {
        assert_int_equal(o.decoded.visible_units, (size_t)f.visible->as.number);
    }
    arx_json_doc_free(doc);
    outcome_free(&o);
    decoded_count++;
}

/* A recorded text, with `tag` in front where the record has none. Does nothing for a hashed one. */
static void text_decodes_to(const arx_assets *assets, const char *tag, const arx_json *record,
                            facts f, const char *name) {
    const arx_json *text = arx_json_get(record, "text");
    if (text == NULL) {
        assert_non_null(arx_json_get(record, "sha256"));
        return;
    }
    arx_buf fragment = {0};
    arx_buf_append_str(&fragment, tag);
    arx_buf_append(&fragment, text->as.string.data, text->as.string.len);
    f.visible = arx_json_get(record, "visible");
    decodes_to(assets, fragment.data, fragment.len, f, name);
    arx_buf_free(&fragment);
}

/* The four wires of one text. */
static void wires_decode_to(const arx_assets *assets, const char *tag, const arx_json *record,
                            facts f, const char *name) {
    for (arx_wire wire = 0; wire < ARX_WIRE_COUNT; wire++) {
        f.wire = (int)wire;
        const arx_json *text = arx_json_get(record, arx_wire_name(wire));
        assert_non_null(text);
        text_decodes_to(assets, tag, text, f, name);
    }
}

/* Coded bytes of the mixer with each of the priors the row has. */
static void priors_decode_to(const arx_assets *assets, const arx_json *by_prior, const char *name) {
    if (by_prior == NULL) {
        return;
    }
    for (const char *prior = ARX_PRIOR_IDS; *prior != '\0'; prior++) {
        const char key[2] = {*prior, '\0'};
        const arx_json *record = arx_json_get(by_prior, key);
        const arx_json *hex = arx_json_get(record, "hex");
        if (hex == NULL) {
            assert_non_null(arx_json_get(record, "sha256"));
            continue;
        }
        arx_buf coded = {0};
        vector_unhex(hex, &coded);
        arx_buf fragment = {0};
        arx_buf_append_str(&fragment, "e");
        arx_buf_append_str(&fragment, key);
        arx_buf_append_str(&fragment, "B.");
        arx_base64url_encode(coded.data, coded.len, &fragment);
        facts f = {ARX_CODEC_ARX4, 0, ARX_WIRE_BASE64URL, *prior, NULL};
        decodes_to(assets, fragment.data, fragment.len, f, name);
        arx_buf_free(&fragment);
        arx_buf_free(&coded);
    }
}

static void copy_name(const arx_json *row, char name[64]) {
    const arx_json *value = arx_json_get(row, "name");
    assert_true(value->as.string.len < 64);
    memcpy(name, value->as.string.data, value->as.string.len);
    name[value->as.string.len] = '\0';
}

static void sync_fragments(void **state) {
    (void)state;
    decoded_count = 0;
    const arx_json *rows = arx_json_get(vector_load("sync.json"), "rows");
    static const arx_codec codecs[] = {ARX_CODEC_PLAIN, ARX_CODEC_LZ, ARX_CODEC_DEFLATE};
    for (const arx_json *row = rows->as.list.first; row != NULL; row = row->next) {
        char name[64];
        copy_name(row, name);
        for (size_t i = 0; i < 3; i++) {
            const arx_json *record = arx_json_get(row, arx_codec_name(codecs[i]));
            facts f = {codecs[i], 1, -1, '\0', NULL};
            text_decodes_to(vector_test_assets(), "", arx_json_get(record, "packed"), f, name);
            f.packed = 0;
            text_decodes_to(vector_test_assets(), "", arx_json_get(record, "unpacked"), f, name);

            /* The chosen fragment under the budget. */
            const arx_json *chosen = arx_json_get(arx_json_get(record, "fragment"), "text");
            if (chosen != NULL) {
                outcome o = decode(coder, vector_test_assets(), chosen->as.string.data,
                                   chosen->as.string.len, false);
                assert_true(outcome_is(&o, arx_json_get(record, "decode"), name));
                outcome_free(&o);
            }
        }
    }
    assert_true(decoded_count > 280);
}

/* Long envelopes, whose fragments the vectors only have as hashes. */
static void long_envelopes(void **state) {
    (void)state;
    const arx_json *list = arx_json_get(vector_load("envelopes.json"), "envelopes");
    for (const arx_json *row = list->as.list.first; row != NULL; row = row->next) {
        char name[64];
        copy_name(row, name);
        const arx_json *envelope = arx_json_get(row, "envelope");
        for (int packed = 0; packed < 2; packed++) {
            for (arx_codec codec = ARX_CODEC_PLAIN; codec <= ARX_CODEC_DEFLATE; codec++) {
                arx_buf text = {0};
                (packed == 1 ? arx_envelope_write_packed
                             : arx_envelope_write_unpacked)(envelope, codec, &text);
                arx_buf fragment = {0};
                arx_buf_append_byte(&fragment, (uint8_t)arx_codec_tag(codec));
                if (codec == ARX_CODEC_LZ) {
                    assert_int_equal(arx_lz_compress(text.data, text.len, &fragment), ARX_OK);
                } else if (codec == ARX_CODEC_DEFLATE) {
                    arx_buf coded = {0};
                    assert_int_equal(
                        arx_entropy_native.deflate_compress(text.data, text.len, &coded), ARX_OK);
                    arx_base64url_encode(coded.data, coded.len, &fragment);
                    arx_buf_free(&coded);
                } else {
                    arx_base64url_encode(text.data, text.len, &fragment);
                }
                facts f = {codec, packed, -1, '\0', NULL};
                decodes_to(vector_test_assets(), fragment.data, fragment.len, f, name);
                arx_buf_free(&fragment);
                arx_buf_free(&text);
            }
        }
    }
}

static void brotli_fragments(void **state) {
    (void)state;
    const arx_assets *assets = upstream();
    decoded_count = 0;
    const arx_json *rows = arx_json_get(vector_load("arx.json"), "rows");
    for (const arx_json *row = rows->as.list.first; row != NULL; row = row->next) {
        char name[64];
        copy_name(row, name);
        facts f = {ARX_CODEC_ARX, 1, -1, '\0', NULL};
        wires_decode_to(assets, "a", arx_json_get(row, "arxPacked"), f, name);
        f.packed = 0;
        wires_decode_to(assets, "a", arx_json_get(row, "arxUnpacked"), f, name);
        f.codec = ARX_CODEC_ARX2;
        wires_decode_to(assets, "b", arx_json_get(row, "arx2"), f, name);
        f.codec = ARX_CODEC_ARX3;
        wires_decode_to(assets, "c", arx_json_get(row, "arx3"), f, name);
    }
    assert_true(decoded_count > 800);
}

static void mixer_fragments(void **state) {
    (void)state;
    const arx_assets *assets = upstream();
    decoded_count = 0;
    const arx_json *rows = arx_json_get(vector_load("arx5.json"), "rows");
    /* One prior after another, so that each is primed once. */
    for (const char *prior = ARX_PRIOR_IDS; *prior != '\0'; prior++) {
        for (const arx_json *row = rows->as.list.first; row != NULL; row = row->next) {
            char name[64];
            copy_name(row, name);
            if (arx_json_get(row, "prior")->as.string.data[0] == (uint8_t)*prior) {
                facts f = {ARX_CODEC_ARX5, 0, -1, *prior, NULL};
                wires_decode_to(assets, "f", arx_json_get(row, "arx5"), f, name);
                f.codec = ARX_CODEC_ARX4;
                wires_decode_to(assets, "e", arx_json_get(row, "arx4"), f, name);
            }
            const char key[2] = {*prior, '\0'};
            const arx_json *other = arx_json_get(arx_json_get(row, "priors"), key);
            if (other != NULL) {
                facts f = {ARX_CODEC_ARX5, 0, ARX_WIRE_BASE64URL, *prior, NULL};
                text_decodes_to(assets, "f", arx_json_get(other, "base64url"), f, name);
            }
        }
    }
    assert_true(decoded_count > 400);
}

static void test_asset_fragments(void **state) {
    (void)state;
    const arx_assets *assets = vector_test_assets();
    decoded_count = 0;
    const arx_json *rows = arx_json_get(vector_load("testassets.json"), "rows");
    for (const arx_json *row = rows->as.list.first; row != NULL; row = row->next) {
        char name[64];
        copy_name(row, name);
        char prior = (char)arx_json_get(row, "prior")->as.string.data[0];
        facts f = {ARX_CODEC_ARX5, 0, -1, prior, NULL};
        text_decodes_to(assets, "", arx_json_get(row, "arx5"), f, name);
        f.codec = ARX_CODEC_ARX4;
        text_decodes_to(assets, "", arx_json_get(row, "arx4"), f, name);
        f = (facts){ARX_CODEC_ARX, -1, -1, '\0', NULL};
        text_decodes_to(assets, "", arx_json_get(row, "arx"), f, name);
        f.codec = ARX_CODEC_ARX2;
        text_decodes_to(assets, "", arx_json_get(row, "arx2"), f, name);
        priors_decode_to(assets, arx_json_get(row, "priors"), name);
    }
    assert_true(decoded_count > 250);
}

static void odd_asset_fragments(void **state) {
    (void)state;
    const arx_json *root = vector_load("odd-assets.json");
    static const char *const parts[] = {"dictionary", "overlay", "priors"};
    arx_buf files[3] = {{0}, {0}, {0}};
    for (size_t i = 0; i < 3; i++) {
        arx_json_write(arx_json_get(arx_json_get(root, "assets"), parts[i]), &files[i]);
    }
    arx_asset_files set = {files[0].data, files[0].len,  files[1].data,
                           files[1].len,  files[2].data, files[2].len};
    arx_assets *assets;
    assert_int_equal(arx_assets_create(&set, "0123456789abcdef", &assets, NULL), ARX_OK);
    decoded_count = 0;
    for (const arx_json *row = arx_json_get(root, "rows")->as.list.first; row != NULL;
         row = row->next) {
        char name[64];
        copy_name(row, name);
        for (arx_codec codec = ARX_CODEC_ARX; codec < ARX_CODEC_COUNT; codec++) {
            const arx_json *record = arx_json_get(row, arx_codec_name(codec));
            const arx_json *text = arx_json_get(arx_json_get(record, "fragment"), "text");
            assert_non_null(text);
            char prior = codec >= ARX_CODEC_ARX4 ? (char)text->as.string.data[1] : '\0';
            facts f = {codec, -1, -1, prior, arx_json_get(record, "visible")};
            decodes_to(assets, text->as.string.data, text->as.string.len, f, name);
        }
        priors_decode_to(assets, arx_json_get(row, "coded"), name);
    }
    assert_true(decoded_count >= 40);
    /* The image a coder keeps belongs to this set. */
    arx_coder_free(coder);
    coder = new_coder();
    arx_assets_free(assets);
    for (size_t i = 0; i < 3; i++) {
        arx_buf_free(&files[i]);
    }
}

static bool is_base64url_char(uint8_t c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
}

/*
 * Makes of a short stream a base76 text that looks like base64url: 140 bytes give the length prefix
 * "B.", and the bytes behind the stream, which no entropy stage reads, are whatever makes the
 * digits base64url characters. False if the stream's own digits are not.
 */
static bool disguise(const arx_buf *stream, arx_buf *text) {
    enum { LENGTH = 140 };
    uint8_t bytes[LENGTH];
    arx_buf least = {0};
    arx_buf most = {0};
    assert_true(stream->len < LENGTH);
    memcpy(bytes, stream->data, stream->len);
    memset(bytes + stream->len, 0x00, LENGTH - stream->len);
    assert_int_equal(arx_wire_encode(ARX_WIRE_BASE76, bytes, LENGTH, &least), ARX_OK);
    memset(bytes + stream->len, 0xFF, LENGTH - stream->len);
    assert_int_equal(arx_wire_encode(ARX_WIRE_BASE76, bytes, LENGTH, &most), ARX_OK);
    assert_memory_equal(least.data, "B.", 2);
    bool possible = least.len == most.len;
    size_t same = 2;
    while (possible && least.data[same] == most.data[same]) {
        possible = is_base64url_char(least.data[same++]);
    }
    /* The first digit that differs: one of the letters between, if they are letters. */
    possible = possible && least.data[same] >= 'A' && most.data[same] <= 'Z' &&
               least.data[same] + 1 < most.data[same];
    if (possible) {
        arx_buf_append(text, least.data, least.len);
        text->data[text->len - least.len + same] = (uint8_t)(least.data[same] + 1);
        memset(text->data + text->len - (least.len - same - 1), 'Q', least.len - same - 1);
    }
    arx_buf_free(&least);
    arx_buf_free(&most);
    return possible;
}

static void base76_that_looks_like_base64url(void **state) {
    (void)state;
    const arx_assets *assets = vector_test_assets();
    for (int mixed = 0; mixed < 2; mixed++) {
        size_t found = 0;
        for (uint64_t id = 0; id < 5000 && found < 3; id++) {
            arx_buf tuple = {0};
            arx_buf_append_str(&tuple, "[3,[\"m\",\"");
            arx_buf_append_u64(&tuple, id);
            arx_buf_append_str(&tuple, "\",\"\"]]");
            arx_buf plain = {0};
            make_fragment(coder, assets, mixed == 1 ? ARX_CODEC_ARX5 : ARX_CODEC_ARX2,
                          ARX_WIRE_BASE64URL, 'n', tuple.data, tuple.len, &plain);
            const size_t head = mixed == 1 ? 4 : 3; /* tag, prior, "B." */
            arx_buf stream = {0};
            assert_int_equal(arx_base64url_decode(plain.data + head, plain.len - head, &stream),
                             ARX_OK);
            arx_buf fragment = {0};
            arx_buf_append_str(&fragment, mixed == 1 ? "fn" : "b");
            if (disguise(&stream, &fragment)) {
                size_t marker;
                assert_int_equal(
                    arx_wire_detect(fragment.data + head - 2, fragment.len - (head - 2), &marker),
                    ARX_WIRE_BASE64URL);
                outcome o = decode(coder, assets, fragment.data, fragment.len, false);
                assert_int_equal(o.code, ARX_CODE_OK);
                assert_int_equal(o.decoded.wire, ARX_WIRE_BASE76);
                assert_int_equal(o.decoded.coded_bytes, 140);
                arx_buf text = {0};
                arx_envelope_write_tuple(o.decoded.envelope, &text);
                assert_int_equal(text.len, tuple.len);
                assert_memory_equal(text.data, tuple.data, tuple.len);
                arx_buf_free(&text);
                outcome_free(&o);
                found++;
            }
            arx_buf_free(&fragment);
            arx_buf_free(&stream);
            arx_buf_free(&plain);
            arx_buf_free(&tuple);
        }
        assert_int_equal(found, 3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sync_fragments),
        cmocka_unit_test(long_envelopes),
        cmocka_unit_test(brotli_fragments),
        cmocka_unit_test(mixer_fragments),
        cmocka_unit_test(test_asset_fragments),
        cmocka_unit_test(odd_asset_fragments),
        cmocka_unit_test(base76_that_looks_like_base64url),
    };
    return cmocka_run_group_tests(tests, make_coder, free_coder);
}
