/*
 * fuzz_dictionary.c - any bytes as a file of an asset set, with a text to substitute.
 *
 * The first byte says which file: the dictionary, the overlay or the priors. Then come its JSON, up
 * to the last line end, and the text. A file that is refused is named with what is wrong with it;
 * with one that is taken, every text without control characters goes round, coded in no more units
 * than it has.
 */
#include "fuzz.h"

static const char EMPTY[] = "{\"version\":1,\"singleByteSlots\":[],\"extendedSlots\":[]}";

static bool has_codes(const uint8_t *text, size_t len) {
    for (size_t i = 0; i < len; i++) {
        if (text[i] < 0x20 || text[i] == 0x7f) {
            return true;
        }
    }
    return false;
}

static void check_dictionary(const arx_dictionary *dictionary, const fuzz_input *text) {
    arx_buf coded = {0};
    arx_buf back = {0};
    arx_buf slots = {0};
    arx_dictionary_encode(dictionary, text->data, text->len, &coded);
    must(arx_buf_result(&coded) == ARX_OK);
    size_t units = arx_text_units(text->data, text->len);
    if (!has_codes(text->data, text->len)) {
        must(is_text(coded.data, coded.len));
        must(arx_dictionary_decode(dictionary, coded.data, coded.len, units, &back) == ARX_OK);
        must(same_bytes(back.data, back.len, text->data, text->len));
    }
    arx_buf_clear(&back);
    arx_result result =
        arx_dictionary_decode(dictionary, text->data, text->len, 4 * units + 100, &back);
    must(result == ARX_OK || result == ARX_OVER_LIMIT);
    must(result != ARX_OK || !arx_text_units_exceed(back.data, back.len, 4 * units + 100));
    arx_dictionary_write_slots(dictionary, &slots);
    must(arx_buf_result(&slots) == ARX_OK);
    arx_buf_free(&coded);
    arx_buf_free(&back);
    arx_buf_free(&slots);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input text = {data, size};
    unsigned which = take_byte(&text) % 3;
    fuzz_input json = text;
    while (json.len > 0 && json.data[json.len - 1] != '\n') {
        json.len--;
    }
    text.data += json.len;
    text.len -= json.len;

    const uint8_t *empty = (const uint8_t *)EMPTY;
    const size_t empty_len = sizeof EMPTY - 1;
    arx_asset_files files = {
        .dictionary = which == 0 ? json.data : empty,
        .dictionary_len = which == 0 ? json.len : empty_len,
        .overlay = which == 1 ? json.data : empty,
        .overlay_len = which == 1 ? json.len : empty_len,
        .priors = which == 2 ? json.data : NULL,
        .priors_len = which == 2 ? json.len : 0,
    };
    arx_assets *assets;
    arx_buf why = {0};
    arx_result result = arx_assets_create(&files, "0123456789abcdef", &assets, &why);
    if (result == ARX_OK) {
        if (is_text(text.data, text.len)) {
            check_dictionary(arx_assets_base(assets), &text);
            check_dictionary(arx_assets_overlay(assets), &text);
        }
        arx_assets_free(assets);
    } else {
        must(result == ARX_MALFORMED || result == ARX_OVER_LIMIT || result == ARX_UNAVAILABLE);
        must(why.len > 0 && arx_buf_result(&why) == ARX_OK);
    }
    arx_buf_free(&why);
    return 0;
}
