/*
 * fuzz_fragment.c - any bytes as a fragment.
 *
 * The first byte decides whether the budget is skipped; the rest is the fragment. Whatever comes
 * in, the decoder answers with a known code and a text, or with an envelope that is sound: it
 * normalises to itself, and what the JSON writer makes of it reads back.
 */
#include "fuzz.h"

static arx_assets *assets;
static arx_coder *coder;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    assets = test_assets();
    coder = arx_coder_create(&arx_entropy_native, NULL);
    must(coder != NULL);
    return 0;
}

static void check_sound(const arx_decoded *decoded) {
    must(decoded->visible_units > 0 && decoded->decoded_units <= ARX_STAGE_MAX);
    arx_json *same;
    const arx_json *id = NULL;
    must(arx_envelope_normalise(decoded->doc, decoded->envelope, &same, &id) == ARX_ENVELOPE_OK);
    must(same == decoded->envelope);

    arx_buf text = {0};
    arx_json_write(decoded->envelope, &text);
    must(arx_buf_result(&text) == ARX_OK && arx_text_is_utf8(text.data, text.len));
    arx_json_doc *doc;
    arx_json *again;
    must(arx_json_parse(text.data, text.len, 0, &doc, &again) == ARX_OK);
    arx_buf twice = {0};
    arx_json_write(again, &twice);
    must(same_bytes(twice.data, twice.len, text.data, text.len));
    arx_buf_free(&twice);
    arx_json_doc_free(doc);
    arx_buf_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) {
        return 0;
    }
    arx_decoded decoded;
    arx_error error;
    arx_code code =
        arx_decode(coder, assets, data + 1, size - 1, (data[0] & 1) != 0, &decoded, &error);
    if (code == ARX_CODE_OK) {
        check_sound(&decoded);
        arx_decoded_free(&decoded);
    } else {
        must(code != ARX_CODE_NO_MEMORY && error.code == code && error.message.len > 0);
    }
    arx_error_free(&error);
    return 0;
}
