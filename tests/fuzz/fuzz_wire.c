/*
 * fuzz_wire.c - any bytes as the text of a wire, and as the bytes behind one.
 *
 * The first byte chooses the wire. What decodes is within the limit and encodes to a text that
 * decodes to the same; any bytes go round; the encoder that stops at a bound wins just when the
 * whole text is below it.
 */
#include "fuzz.h"

/* What says which wire a text is in, in front of it; the decoders take what follows. */
static const char *const markers[ARX_WIRE_COUNT] = {
    [ARX_WIRE_BASE76] = "",
    [ARX_WIRE_BASE1K] = "",
    [ARX_WIRE_BASEBMP] = "\xef\xbf\xb0",
    [ARX_WIRE_BASE64URL] = "B.",
};

static void goes_round(arx_wire wire, const uint8_t *bytes, size_t len) {
    arx_buf text = {0};
    arx_buf back = {0};
    must(arx_wire_encode(wire, bytes, len, &text) == ARX_OK);
    must(is_text(text.data, text.len));
    size_t marker = text.len > 0 ? strlen(markers[wire]) : 0; /* nothing has none */
    must(text.len >= marker && same_bytes(text.data, marker, markers[wire], marker));
    must(arx_wire_decode(wire, text.data + marker, text.len - marker, &back) == ARX_OK);
    must(same_bytes(back.data, back.len, bytes, len));

    size_t transport = arx_text_transport(text.data, text.len);
    for (size_t bound = transport; bound <= transport + 1; bound++) {
        bool won = false;
        arx_buf below = {0};
        must(arx_wire_encode_below(wire, bytes, len, bound, &below, &won) == ARX_OK);
        must(won == (transport < bound));
        must(won ? same_bytes(below.data, below.len, text.data, text.len) : below.len == 0);
        arx_buf_free(&below);
    }
    arx_buf_free(&text);
    arx_buf_free(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input in = {data, size};
    arx_wire wire = (arx_wire)(take_byte(&in) % ARX_WIRE_COUNT);

    size_t marker = 0;
    must(arx_wire_detect(in.data, in.len, &marker) < ARX_WIRE_COUNT && marker <= in.len);
    must(arx_wire_detect_after_base64url(in.data, in.len, &marker) < ARX_WIRE_COUNT &&
         marker <= in.len);

    arx_buf bytes = {0};
    arx_result result = arx_wire_decode(wire, in.data, in.len, &bytes);
    must(result == ARX_OK || result == ARX_OVER_LIMIT || result == ARX_MALFORMED);
    if (result == ARX_OK) {
        must(bytes.len <= ARX_WIRE_MAX_BYTES);
        goes_round(wire, bytes.data, bytes.len);
    } else {
        must(bytes.len == 0);
    }
    arx_buf_free(&bytes);
    goes_round(wire, in.data, in.len);
    return 0;
}
