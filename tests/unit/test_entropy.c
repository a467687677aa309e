/* Brotli and deflate: the streams we write, and every way a stream may be wrong. */
#include "vectors.h"

#include <stdlib.h>
#include <string.h>

static const arx_entropy *const native = &arx_entropy_native;
typedef arx_result decompress_fn(const uint8_t *, size_t, size_t, arx_buf *);

/* Decompresses from a guarded copy into `out`. */
static arx_result run(decompress_fn *decompress, const void *stream, size_t len, size_t max,
                      arx_buf *out) {
    uint8_t *copy = guard_copy(stream, len);
    arx_buf_init(out, 0);
    arx_result result = decompress(copy, len, max, out);
    guard_free(copy, len);
    if (result != ARX_OK) {
        assert_int_equal(out->len, 0);
    }
    return result;
}

static void expect(decompress_fn *decompress, const void *stream, size_t len, size_t max,
                   arx_result result, const char *text) {
    arx_buf out;
    assert_int_equal(run(decompress, stream, len, max, &out), result);
    if (text != NULL) {
        assert_int_equal(out.len, strlen(text));
        assert_memory_equal(out.data == NULL ? (const uint8_t *)"" : out.data, text, strlen(text));
    }
    arx_buf_free(&out);
}

/* A text that compresses, but not to nothing. */
static uint8_t *sample(size_t len) {
    uint8_t *text = malloc(len + 1);
    assert_non_null(text);
    uint32_t state = 2463534242u;
    for (size_t i = 0; i < len; i++) {
        state = state * 1664525u + 1013904223u;
        text[i] = (uint8_t)("the lazy brown fox\n"[(state >> 24) % 19]);
    }
    return text;
}

static void round_trips_and_limits(arx_result (*compress)(const uint8_t *, size_t, arx_buf *),
                                   decompress_fn *decompress) {
    static const size_t lens[] = {0, 1, 2, 17, 1000, 16383, 16384, 16385, 70000, 200000};
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        size_t len = lens[i];
        uint8_t *text = sample(len);
        arx_buf coded;
        arx_buf_init(&coded, 0);
        arx_buf_append_str(&coded, "kept");
        assert_int_equal(compress(text, len, &coded), ARX_OK);
        assert_memory_equal(coded.data, "kept", 4);
        const uint8_t *stream = coded.data + 4;
        size_t stream_len = coded.len - 4;

        arx_buf out;
        assert_int_equal(run(decompress, stream, stream_len, len, &out), ARX_OK);
        assert_int_equal(out.len, len);
        assert_true(len == 0 || memcmp(out.data, text, len) == 0);
        arx_buf_free(&out);
        if (len > 0) {
            expect(decompress, stream, stream_len, len - 1, ARX_OVER_LIMIT, NULL);
        }
        expect(decompress, stream, stream_len - 1, len, ARX_MALFORMED, NULL);
        /* Bytes behind the end are ignored, as every decoder of the format does. */
        arx_buf_append_str(&coded, "\xFF\xFF\xFF\xFFjunk");
        assert_int_equal(run(decompress, coded.data + 4, coded.len - 4, len, &out), ARX_OK);
        assert_int_equal(out.len, len);
        arx_buf_free(&out);

        /* A full buffer stays as it was. */
        arx_buf full;
        arx_buf_init(&full, 4);
        arx_buf_append_str(&full, "full");
        assert_int_equal(compress(text, len, &full), ARX_OVER_LIMIT);
        assert_int_equal(full.len, 4);
        arx_buf_clear(&full);
        arx_buf_append_str(&full, "full");
        assert_int_equal(decompress(coded.data + 4, coded.len - 4, len, &full),
                         len == 0 ? ARX_OK : ARX_OVER_LIMIT);
        assert_int_equal(full.len, 4);
        arx_buf_free(&full);
        arx_buf_free(&coded);
        free(text);
    }
}

static void brotli_round_trips(void **state) {
    (void)state;
    round_trips_and_limits(native->brotli_compress, native->brotli_decompress);
}

static void deflate_round_trips(void **state) {
    (void)state;
    round_trips_and_limits(native->deflate_compress, native->deflate_decompress);
}

/* Every cut of a stream is malformed; nothing is read behind the cut. */
static void truncation_is_malformed(void **state) {
    (void)state;
    uint8_t *text = sample(3000);
    for (int which = 0; which < 2; which++) {
        arx_buf coded;
        arx_buf_init(&coded, 0);
        assert_int_equal(
            (which == 0 ? native->brotli_compress : native->deflate_compress)(text, 3000, &coded),
            ARX_OK);
        for (size_t len = 0; len < coded.len; len++) {
            expect(which == 0 ? native->brotli_decompress : native->deflate_decompress, coded.data,
                   len, 800000, ARX_MALFORMED, NULL);
        }
        arx_buf_free(&coded);
    }
    free(text);
}

/* What a stage of the arx codecs compresses: as given in the row, or made anew where it is long. */
static bool stage_input(const char *name, const char *stage, const arx_json *given, arx_buf *out) {
    const arx_json *hex = arx_json_get(given, "hex");
    if (hex != NULL) {
        vector_unhex(hex, out);
        return true;
    }
    const arx_assets *assets = vector_upstream_assets();
    if (assets == NULL) {
        return false;
    }
    arx_buf text = {0};
    const arx_json *envelope = vector_envelope(name);
    if (strcmp(stage, "arxPacked") == 0) {
        arx_envelope_write_packed(envelope, ARX_CODEC_ARX, &text);
    } else if (strcmp(stage, "arxUnpacked") == 0) {
        arx_envelope_write_unpacked(envelope, ARX_CODEC_ARX, &text);
    } else {
        arx_buf tuple = {0};
        arx_envelope_write_tuple(envelope, &tuple);
        arx_dictionary_encode(arx_assets_overlay(assets), tuple.data, tuple.len, &text);
        arx_buf_free(&tuple);
    }
    arx_dictionary_encode(arx_assets_base(assets), text.data, text.len, out);
    arx_buf_free(&text);
    assert_true(vector_matches(given, out->data, out->len, name));
    return true;
}

/* The C library's bytes, stream by stream. */
static void brotli_matches_vectors(void **state) {
    (void)state;
    static const char *const stages[] = {"arxPacked", "arxUnpacked", "arx2"};
    const arx_json *ours = arx_json_get(vector_load("brotli-c.json"), "rows")->as.list.first;
    const arx_json *rows = arx_json_get(vector_load("arx.json"), "rows");
    size_t compared = 0;
    size_t left_out = 0;
    for (const arx_json *row = rows->as.list.first; row != NULL; row = row->next) {
        char name[64] = {0};
        const arx_json *name_value = arx_json_get(row, "name");
        assert_true(arx_json_strings_equal(name_value, arx_json_get(ours, "name")));
        assert_true(name_value->as.string.len < sizeof name);
        memcpy(name, name_value->as.string.data, name_value->as.string.len);
        for (size_t i = 0; i < 3; i++) {
            const arx_json *golden = arx_json_get(ours, stages[i]);
            const arx_json *inputs = arx_json_get(row, stages[i]);
            arx_buf input = {0};
            if (!stage_input(name, stages[i], arx_json_get(inputs, "substituted"), &input)) {
                left_out++;
                continue;
            }
            arx_buf coded = {0};
            assert_int_equal(native->brotli_compress(input.data, input.len, &coded), ARX_OK);
            assert_int_equal(coded.len, (size_t)arx_json_get(golden, "cBytes")->as.number);
            const arx_json hash = *arx_json_get(golden, "cSha256");
            arx_json object = {.type = ARX_JSON_OBJECT};
            arx_json member = hash;
            member.key = (const uint8_t *)"sha256";
            member.key_len = 6;
            member.next = NULL;
            object.as.list.first = object.as.list.last = &member;
            object.as.list.count = 1;
            assert_true(vector_matches(&object, coded.data, coded.len, name));

            /* And both libraries' streams hold the input. */
            arx_buf out;
            assert_int_equal(run(native->brotli_decompress, coded.data, coded.len, 800000, &out),
                             ARX_OK);
            assert_int_equal(out.len, input.len);
            assert_memory_equal(out.data, input.data, input.len);
            arx_buf_free(&out);
            const arx_json *other = arx_json_get(arx_json_get(inputs, "brotli"), "hex");
            if (other != NULL) {
                arx_buf_clear(&coded);
                vector_unhex(other, &coded);
                assert_int_equal(
                    run(native->brotli_decompress, coded.data, coded.len, 800000, &out), ARX_OK);
                assert_int_equal(out.len, input.len);
                assert_memory_equal(out.data, input.data, input.len);
                arx_buf_free(&out);
            }
            arx_buf_free(&coded);
            arx_buf_free(&input);
            compared++;
        }
        ours = ours->next;
    }
    print_message("%zu streams compared, %zu left out for want of ARX_UPSTREAM_ASSETS\n", compared,
                  left_out);
    assert_true(compared >= 100);
}

/* Not another encoder's bytes, but over all vectors not longer. */
static void deflate_is_as_dense_as_the_vectors(void **state) {
    (void)state;
    const arx_json *rows = arx_json_get(vector_load("sync.json"), "rows");
    size_t ours = 0;
    size_t recorded = 0;
    for (const arx_json *row = rows->as.list.first; row != NULL; row = row->next) {
        char name[64] = {0};
        const arx_json *name_value = arx_json_get(row, "name");
        assert_true(name_value->as.string.len < sizeof name);
        memcpy(name, name_value->as.string.data, name_value->as.string.len);
        for (int packed = 0; packed < 2; packed++) {
            arx_buf text = {0};
            (packed == 1 ? arx_envelope_write_packed : arx_envelope_write_unpacked)(
                vector_envelope(name), ARX_CODEC_DEFLATE, &text);
            arx_buf coded = {0};
            assert_int_equal(native->deflate_compress(text.data, text.len, &coded), ARX_OK);
            arx_buf wire = {0};
            arx_base64url_encode(coded.data, coded.len, &wire);
            ours += 1 + wire.len;
            const arx_json *golden =
                arx_json_get(arx_json_get(row, "deflate"), packed == 1 ? "packed" : "unpacked");
            recorded += (size_t)arx_json_get(golden, "utf16")->as.number;
            arx_buf_free(&wire);
            arx_buf_free(&coded);
            arx_buf_free(&text);
        }
    }
    print_message("deflate: %zu characters, recorded %zu\n", ours, recorded);
    assert_true(ours <= recorded);
}

/* A window of 16 MiB declared by a few bytes; what follows is an ordinary stream. */
static void brotli_windows(void **state) {
    (void)state;
    uint8_t *text = sample(100000);
    arx_buf coded = {0};
    assert_int_equal(native->brotli_compress(text, 100000, &coded), ARX_OK);
    assert_int_equal(coded.data[0] & 15, 0x0B); /* 22 bits: 1 and then 5 */
    for (unsigned n = 1; n <= 7; n++) {
        coded.data[0] = (uint8_t)((coded.data[0] & 0xF1) | n << 1);
        arx_buf out;
        assert_int_equal(run(native->brotli_decompress, coded.data, coded.len, 100000, &out),
                         ARX_OK);
        assert_int_equal(out.len, 100000);
        assert_memory_equal(out.data, text, 100000);
        arx_buf_free(&out);
        expect(native->brotli_decompress, coded.data, coded.len, 99999, ARX_OVER_LIMIT, NULL);
    }
    arx_buf_free(&coded);
    free(text);
    /* "Large window" is no part of RFC 7932. */
    expect(native->brotli_decompress, "\x11\x1E\x03", 3, 800000, ARX_MALFORMED, NULL);
}

/* Long and compressible, to be stopped at any limit. */
static void bombs_stop_at_the_limit(void **state) {
    (void)state;
    enum { TOTAL = 20000000 };
    uint8_t *text = calloc(TOTAL, 1);
    assert_non_null(text);
    static const size_t limits[] = {0, 1, 799999, 800000, 1048559, 1048560, 1048576, 4194304};
    for (int which = 0; which < 2; which++) {
        arx_buf coded = {0};
        assert_int_equal(
            (which == 0 ? native->brotli_compress : native->deflate_compress)(text, TOTAL, &coded),
            ARX_OK);
        assert_true(coded.len < 25000);
        for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
            expect(which == 0 ? native->brotli_decompress : native->deflate_decompress, coded.data,
                   coded.len, limits[i], ARX_OVER_LIMIT, NULL);
        }
        arx_buf_free(&coded);
    }
    free(text);
}

#define BYTES(literal) literal, sizeof literal - 1

static void brotli_odd_streams(void **state) {
    (void)state;
    expect(native->brotli_decompress, "", 0, 10, ARX_MALFORMED, NULL);
    expect(native->brotli_decompress, BYTES("\x06"), 10, ARX_OK, ""); /* an empty last block */
    expect(native->brotli_decompress, BYTES("\x3B"), 0, ARX_OK, "");  /* and in window 22 */
    for (unsigned byte = 0; byte < 256; byte++) {
        uint8_t one = (uint8_t)byte;
        arx_buf out;
        arx_result result = run(native->brotli_decompress, &one, 1, 10, &out);
        assert_true(result == ARX_OK || result == ARX_MALFORMED);
        assert_int_equal(out.len, 0);
        arx_buf_free(&out);
    }
    expect(native->brotli_decompress, BYTES("\xFF\xFF\xFF\xFF\xFF\xFF"), 10, ARX_MALFORMED, NULL);
}

static void deflate_stored_blocks(void **state) {
    (void)state;
    decompress_fn *inflate = native->deflate_decompress;
    expect(inflate, BYTES("\x01\x02\x00\xFD\xFFhi"), 10, ARX_OK, "hi");
    /* The second length is not looked at: in a first, a later and a byte-crossing block. */
    expect(inflate, BYTES("\x01\x02\x00\x00\x00hi"), 10, ARX_OK, "hi");
    expect(inflate, BYTES("\x01\x02\x00\x12\x34hi"), 2, ARX_OK, "hi");
    expect(inflate, BYTES("\x01\x02\x00\x12\x34hi"), 1, ARX_OVER_LIMIT, NULL);
    expect(inflate, BYTES("\x00\x01\x00\xFE\xFFh\x01\x01\x00\x00\x00i"), 10, ARX_OK, "hi");
    expect(inflate, BYTES("\x00\x01\x00\x00\x00h\x01\x01\x00\xFE\xFFi"), 10, ARX_OK, "hi");
    expect(inflate, BYTES("\x00\x00\x00\x00\x00\x01\x01\x00\x00\x00i"), 10, ARX_OK, "i");
    /* Fixed block "a" (4B 04 ...) that is not the last, then a stored one at a bit offset. */
    expect(inflate, BYTES("\x4A\x04\x04\x01\x00\x00\x00h"), 10, ARX_OK, "ah");
    /* Cut short in the lengths or the bytes. */
    expect(inflate, BYTES("\x01\x02\x00\x00\x00h"), 10, ARX_MALFORMED, NULL);
    expect(inflate, BYTES("\x01\x02\x00\x00"), 10, ARX_MALFORMED, NULL);
    expect(inflate, BYTES("\x01"), 10, ARX_MALFORMED, NULL);
    expect(inflate, "", 0, 10, ARX_MALFORMED, NULL);
    expect(inflate, BYTES("\x07"), 10, ARX_MALFORMED, NULL); /* no such block type */
    /* A stream in which a stored block's bytes look like a block with a wrong length. */
    expect(inflate, BYTES("\x01\x06\x00\xF9\xFF\x01\x01\x41\x42\x43\x44"), 10, ARX_OK,
           "\x01\x01\x41\x42\x43\x44");
}

static void deflate_zlib_wrapper(void **state) {
    (void)state;
    decompress_fn *inflate = native->deflate_decompress;
    static const char wrapped[] = "\x78\x9C\xCB\xC8\x04\x00\x01\x3B\x00\xD2"; /* "hi" */
    expect(inflate, wrapped, 10, 10, ARX_OK, "hi");
    expect(inflate, wrapped, 10, 1, ARX_OVER_LIMIT, NULL);
    expect(inflate, "\x78\x9C\xCB\xC8\x04\x00\xFF\xFF\xFF\xFF", 10, 10, ARX_OK, "hi"); /* Adler */
    /* Four bytes belong to the checksum, whatever they are. */
    for (size_t len = 0; len < 10; len++) {
        expect(inflate, wrapped, len, 10, ARX_MALFORMED, NULL);
    }
    expect(inflate, "\x78\x9C\xCB\xC8\x04\x00\x01\x3B\x00\xD2junk", 14, 10, ARX_OK, "hi");
    /* Other levels' headers; window 16 bits; a wrong check; a preset dictionary; gzip. */
    expect(inflate, "\x78\x01\xCB\xC8\x04\x00\x01\x3B\x00\xD2", 10, 10, ARX_OK, "hi");
    expect(inflate, "\x08\x1D\xCB\xC8\x04\x00\x01\x3B\x00\xD2", 10, 10, ARX_OK, "hi");
    expect(inflate, "\x88\x1C\xCB\xC8\x04\x00\x01\x3B\x00\xD2", 10, 10, ARX_MALFORMED, NULL);
    expect(inflate, "\x78\x9D\xCB\xC8\x04\x00\x01\x3B\x00\xD2", 10, 10, ARX_MALFORMED, NULL);
    expect(inflate, "\x78\xBB\xCB\xC8\x04\x00\x01\x3B\x00\xD2", 10, 10, ARX_MALFORMED, NULL);
    expect(inflate, "\x1F\x8B\x08\x00\x00\x00\x00\x00\x00\x03\xCB\xC8\x04\x00", 14, 10,
           ARX_MALFORMED, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(brotli_round_trips),
        cmocka_unit_test(deflate_round_trips),
        cmocka_unit_test(truncation_is_malformed),
        cmocka_unit_test(brotli_matches_vectors),
        cmocka_unit_test(deflate_is_as_dense_as_the_vectors),
        cmocka_unit_test(brotli_windows),
        cmocka_unit_test(bombs_stop_at_the_limit),
        cmocka_unit_test(brotli_odd_streams),
        cmocka_unit_test(deflate_stored_blocks),
        cmocka_unit_test(deflate_zlib_wrapper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
