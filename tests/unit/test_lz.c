/*
 * test_lz.c - the lz stream: golden texts in both directions, streams that are cut, broken or made
 * to grow, and the corners of its reader.
 */
#include "vectors.h"

#include <stdlib.h>
#include <string.h>

#define LEN(literal) (sizeof(literal) - 1)

static arx_buf compress(const uint8_t *text, size_t len) {
    arx_buf out;
    arx_buf_init(&out, 0);
    uint8_t *guarded = guard_copy(text, len);
    assert_int_equal(arx_lz_compress(guarded, len, &out), ARX_OK);
    guard_free(guarded, len);
    return out;
}

static arx_result decompress(const uint8_t *stream, size_t len, size_t max_units, arx_buf *out) {
    arx_buf_init(out, 0);
    uint8_t *guarded = guard_copy(stream, len);
    arx_result result = arx_lz_decompress(guarded, len, max_units, out);
    guard_free(guarded, len);
    return result;
}

static void expect_text(const char *stream, size_t stream_len, const char *text, size_t len) {
    arx_buf out;
    assert_int_equal(decompress((const uint8_t *)stream, stream_len, 1000000, &out), ARX_OK);
    assert_int_equal(out.len, len);
    if (len > 0) {
        assert_memory_equal(out.data, text, len);
    }
    arx_buf_free(&out);
}

static void expect_round_trip(const uint8_t *text, size_t len) {
    arx_buf stream = compress(text, len);
    arx_buf back;
    /* The limit is the number of units and not one less. */
    size_t units = arx_text_units(text, len);
    assert_int_equal(decompress(stream.data, stream.len, units, &back), ARX_OK);
    assert_int_equal(back.len, len);
    if (len > 0) {
        assert_memory_equal(back.data, text, len);
    }
    arx_buf_free(&back);
    if (units > 0) {
        assert_int_equal(decompress(stream.data, stream.len, units - 1, &back), ARX_OVER_LIMIT);
        assert_int_equal(back.len, 0);
        arx_buf_free(&back);
    }
    arx_buf_free(&stream);
}

/* The tag is in front of the stream in these vectors; long values are kept as hashes. */
static void golden_streams(void **state) {
    (void)state;
    const arx_json *rows = arx_json_get(vector_load("sync.json"), "rows");
    size_t seen = 0;
    for (const arx_json *row = rows->as.list.first; row != NULL; row = row->next, seen++) {
        char name[100] = "";
        const arx_json *of = arx_json_get_string(row, "name");
        assert_non_null(of);
        memcpy(name, of->as.string.data, of->as.string.len);
        const arx_json *envelope = vector_envelope(name);
        for (unsigned packed = 0; packed < 2; packed++) {
            arx_buf text;
            arx_buf_init(&text, 0);
            if (packed) {
                arx_envelope_write_packed(envelope, ARX_CODEC_LZ, &text);
            } else {
                arx_envelope_write_unpacked(envelope, ARX_CODEC_LZ, &text);
            }
            assert_int_equal(arx_buf_result(&text), ARX_OK);
            arx_buf stream = compress(text.data, text.len);
            arx_buf tagged;
            arx_buf_init(&tagged, 0);
            arx_buf_append_byte(&tagged, 'l');
            arx_buf_append(&tagged, stream.data, stream.len);
            const arx_json *want =
                arx_json_get(arx_json_get(row, "lz"), packed ? "packed" : "unpacked");
            assert_non_null(want);
            assert_true(vector_matches(want, tagged.data, tagged.len, name));
            expect_round_trip(text.data, text.len);
            arx_buf_free(&tagged);
            arx_buf_free(&stream);
            arx_buf_free(&text);
        }
    }
    assert_int_equal(seen, 55);
}

/* The rows of extra.json that have to do with lz: does the stream give JSON, or no JSON? */
static void golden_corners(void **state) {
    (void)state;
    const arx_json *rows = arx_json_get(vector_load("extra.json"), "decode");
    size_t seen = 0;
    for (const arx_json *row = rows->as.list.first; row != NULL; row = row->next) {
        const arx_json *fragment = arx_json_get_string(row, "fragment");
        if (fragment == NULL || fragment->as.string.len < 2 ||
            memcmp(fragment->as.string.data, "#l", 2) != 0) {
            continue;
        }
        bool ok = arx_json_is(arx_json_get(arx_json_get(row, "async"), "ok"), ARX_JSON_TRUE);
        arx_buf out;
        arx_result result =
            decompress(fragment->as.string.data + 2, fragment->as.string.len - 2, 200000, &out);
        arx_json_doc *doc;
        arx_json *root;
        bool is_json = result == ARX_OK && out.len > 0 &&
                       arx_json_parse(out.data, out.len, 0, &doc, &root) == ARX_OK;
        assert_int_equal(is_json, ok);
        if (is_json) {
            arx_json_doc_free(doc);
        }
        arx_buf_free(&out);
        seen++;
    }
    assert_true(seen >= 12);
}

static void small_texts(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "a",
        "aa",
        "aaa",
        "aaaa",
        "ab",
        "abababababababab",
        "\xC3\xBF", /* U+00FF is sent in 8 bits, */
        "\xC4\x80", /* U+0100 in 16 */
        "\xF0\x9F\x9A\xA2\xF0\x9F\x9A\xA2",
        "\xED\xA0\xBD lone", /* a lone surrogate is a unit like another */
        "\xED\xBA\xA2\xED\xA0\xBD",
        "\xEF\xBF\xBF\xEE\x80\x80",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        expect_round_trip((const uint8_t *)texts[i], strlen(texts[i]));
    }
    const uint8_t nul[] = {0, 0, 'x', 0, 0, 0};
    expect_round_trip(nul, sizeof nul);
    arx_buf empty = compress(NULL, 0);
    assert_int_equal(empty.len, 1);
    assert_int_equal(empty.data[0], 'Q');
    arx_buf_free(&empty);
}

/* Every length and unit size, so that the end falls on every bit of a character. */
static void texts_of_every_length(void **state) {
    (void)state;
    arx_buf text;
    arx_buf_init(&text, 0);
    uint64_t s = 88172645463325252u;
    for (size_t i = 0; i < 3000; i++) {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        unsigned kind = (unsigned)(s >> 60);
        uint32_t code = (uint32_t)(s >> 20);
        arx_text_append(&text, kind < 10   ? 'a' + code % 7
                               : kind < 13 ? 0x20 + code % 0x2F0
                               : kind < 15 ? 0xE000 + code % 0x1000
                                           : 0x10000 + code % 0x100000);
        if (i < 400 || i % 101 == 0) {
            expect_round_trip(text.data, text.len);
        }
    }
    arx_buf_free(&text);
}

static void streams_cut_at_every_byte(void **state) {
    (void)state;
    const char text[] = "to be or not to be, that is the question: whether 'tis nobler "
                        "\xE6\xB8\xAF\xF0\x9F\x9A\xA2 to be or not to be";
    arx_buf stream = compress((const uint8_t *)text, LEN(text));
    size_t whole = 0;
    size_t nothing = 0;
    for (size_t cut = 0; cut <= stream.len; cut++) {
        arx_buf out;
        arx_result result = decompress(stream.data, cut, 1000, &out);
        if (cut == 0) {
            assert_int_equal(result, ARX_MALFORMED);
        } else {
            /*
             * Mostly nothing. All of it when only padding was cut off; and a part when the cut left
             * a code's first bits as 0 and 1, which zeros behind them make the end code.
             */
            assert_int_equal(result, ARX_OK);
            assert_true(out.len <= LEN(text));
            if (out.len > 0) {
                assert_memory_equal(out.data, text, out.len);
            } else {
                nothing++;
            }
            whole += out.len == LEN(text);
        }
        arx_buf_free(&out);
    }
    assert_true(whole >= 1);
    assert_true(nothing > stream.len / 2);
    /* What follows the end is not looked at. */
    arx_buf_append_str(&stream, "AAAA????");
    expect_text((const char *)stream.data, stream.len, text, LEN(text));
    arx_buf_free(&stream);
}

static void broken_streams(void **state) {
    (void)state;
    arx_buf out;
    static const char *const malformed[] = {
        "",       "w",       /* first number 3 */
        "4AAAAA",            /* the same, from other bits */
        "----",   "IZ-----", /* a code that does not exist yet */
    };
    for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++) {
        assert_int_equal(
            decompress((const uint8_t *)malformed[i], strlen(malformed[i]), 1000, &out),
            ARX_MALFORMED);
        assert_int_equal(out.len, 0);
        arx_buf_free(&out);
    }
    expect_text("Q", 1, "", 0);    /* first number 2 */
    expect_text("QAAA", 4, "", 0); /* whatever follows */
    expect_text("A", 1, "", 0);    /* cut off in the first unit */
    expect_text("AAAA", 4, "", 0); /* and later */
}

/* Streams made bit by bit: numbers, lowest bit first, packed six to a character. */
typedef struct bits {
    char stream[4096];
    size_t len;
    unsigned held;
    unsigned count;
} bits;

static void put(bits *b, unsigned number, unsigned width) {
    for (; width > 0; width--, number >>= 1) {
        b->held = b->held << 1 | (number & 1);
        if (++b->count == 6) {
            assert_true(b->len < sizeof b->stream);
            b->stream[b->len++] =
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-"[b->held];
            b->held = 0;
            b->count = 0;
        }
    }
}

static void finish(bits *b) {
    do {
        put(b, 0, 1);
    } while (b->count != 0);
}

static void hand_made_streams(void **state) {
    (void)state;
    /* x, then "the phrase about to be made" four times: 1 + 2 + 3 + 4 + 5 of them. */
    bits b = {.len = 0};
    put(&b, 0, 2);
    put(&b, 'x', 8);
    put(&b, 4, 3);
    put(&b, 5, 3);
    put(&b, 6, 3);
    put(&b, 7, 3);
    put(&b, 2, 4);
    finish(&b);
    expect_text(b.stream, b.len, "xxxxxxxxxxxxxxx", 15);

    /* A 16-bit unit that fits 8, a unit that is known already, halves of a pair on their own. */
    b = (bits){.len = 0};
    put(&b, 1, 2);
    put(&b, 'y', 16);
    put(&b, 0, 3); /* y again, as code 4; code 5 is "yy" */
    put(&b, 'y', 8);
    put(&b, 5, 3);
    put(&b, 1, 3); /* the last code of this width */
    put(&b, 0xD83D, 16);
    put(&b, 1, 4);
    put(&b, 0xDEA2, 16);
    put(&b, 2, 4);
    finish(&b);
    expect_text(b.stream, b.len, "yyyy\xF0\x9F\x9A\xA2", 8);

    /* One code too far: 5 while 4 is the next. */
    b = (bits){.len = 0};
    put(&b, 0, 2);
    put(&b, 'x', 8);
    put(&b, 5, 3);
    put(&b, 2, 3);
    finish(&b);
    arx_buf out;
    assert_int_equal(decompress((const uint8_t *)b.stream, b.len, 1000, &out), ARX_MALFORMED);
    arx_buf_free(&out);
}

static void odd_characters(void **state) {
    (void)state;
    arx_buf text;
    arx_buf_init(&text, 0);
    bool had_plus = false;
    for (unsigned i = 0; i < 300; i++) {
        arx_buf_append_u64(&text, i * i);
        arx_buf_append_byte(&text, i % 3 == 0 ? ',' : '\n');
    }
    arx_buf stream = compress(text.data, text.len);
    for (size_t i = 0; i < stream.len; i++) {
        if (stream.data[i] == '+') {
            stream.data[i] = ' ';
            had_plus = true;
        }
    }
    assert_true(had_plus);
    /* A space is a plus. */
    expect_text((const char *)stream.data, stream.len, (const char *)text.data, text.len);
    arx_buf_free(&stream);
    arx_buf_free(&text);

    /* What is not in the alphabet is six zero bits, like A; a character beyond U+FFFF is two. */
    arx_buf plain;
    arx_buf odd;
    assert_int_equal(decompress((const uint8_t *)"IAAAAQ", 6, 99, &plain), ARX_OK);
    assert_int_equal(decompress((const uint8_t *)"I\xF0\x9F\x9A\xA2\xC3\xA9$Q", 9, 99, &odd),
                     ARX_OK);
    assert_int_equal(odd.len, plain.len);
    if (plain.len > 0) {
        assert_memory_equal(odd.data, plain.data, plain.len);
    }
    arx_buf_free(&plain);
    arx_buf_free(&odd);
}

/* The steepest growth there is: every code names the phrase about to be made. */
static void bombs_stop_at_the_limit(void **state) {
    (void)state;
    bits b = {.len = 0};
    put(&b, 0, 2);
    put(&b, 'x', 8);
    unsigned width = 3;
    size_t budget = 4;
    for (unsigned code = 4; b.len + 8 < sizeof b.stream; code++) {
        put(&b, code, width);
        if (--budget == 0) {
            budget = (size_t)1 << width++;
        }
    }
    finish(&b);
    for (size_t limit = 1; limit <= 200000; limit = limit * 7 + 3) {
        arx_buf out;
        assert_int_equal(decompress((const uint8_t *)b.stream, b.len, limit, &out), ARX_OVER_LIMIT);
        assert_int_equal(out.len, 0);
        arx_buf_free(&out);
    }
    /* Without a limit worth the name it is only cut off: millions of units, then nothing. */
    arx_buf out;
    assert_int_equal(decompress((const uint8_t *)b.stream, b.len, 100000000, &out), ARX_OK);
    assert_int_equal(out.len, 0);
    arx_buf_free(&out);
}

/* One phrase continued by each of 65,536 units: the worst case for a table of continuations. */
static void many_continuations(void **state) {
    (void)state;
    arx_buf text;
    arx_buf_init(&text, 0);
    for (uint32_t unit = 0; unit < 0x10000; unit++) {
        if (unit < 0xD800 || unit > 0xDFFF) {
            arx_text_append(&text, 'x');
            arx_text_append(&text, unit);
        }
    }
    assert_int_equal(arx_buf_result(&text), ARX_OK);
    expect_round_trip(text.data, text.len);
    arx_buf_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_streams),
        cmocka_unit_test(golden_corners),
        cmocka_unit_test(small_texts),
        cmocka_unit_test(texts_of_every_length),
        cmocka_unit_test(streams_cut_at_every_byte),
        cmocka_unit_test(broken_streams),
        cmocka_unit_test(hand_made_streams),
        cmocka_unit_test(odd_characters),
        cmocka_unit_test(bombs_stop_at_the_limit),
        cmocka_unit_test(many_continuations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
