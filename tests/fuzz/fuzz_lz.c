/*
 * fuzz_lz.c - any bytes as an lz stream, and as the text to be made one.
 *
 * The first two bytes are the limit in units. What comes out is text within the limit and goes
 * round; so does the input, where it is text.
 */
#include "fuzz.h"

static void goes_round(const uint8_t *text, size_t len) {
    arx_buf stream = {0};
    arx_buf back = {0};
    must(arx_lz_compress(text, len, &stream) == ARX_OK);
    must(arx_lz_decompress(stream.data, stream.len, arx_text_units(text, len), &back) == ARX_OK);
    must(same_bytes(back.data, back.len, text, len));
    arx_buf_free(&stream);
    arx_buf_free(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input in = {data, size};
    size_t limit = (size_t)take_byte(&in) << 8;
    limit |= take_byte(&in);

    arx_buf text = {0};
    arx_result result = arx_lz_decompress(in.data, in.len, limit, &text);
    must(result == ARX_OK || result == ARX_OVER_LIMIT || result == ARX_MALFORMED);
    if (result == ARX_OK) {
        must(is_text(text.data, text.len) && !arx_text_units_exceed(text.data, text.len, limit));
        goes_round(text.data, text.len);
    }
    arx_buf_free(&text);
    if (is_text(in.data, in.len)) {
        goes_round(in.data, in.len);
    }
    return 0;
}
