/*
 * fuzz_envelope.c - any bytes as the JSON of an envelope.
 *
 * JSON that was written and read is written as the same again. What passes as an envelope passes
 * again unchanged, and each of its three texts reads back as an envelope: the same one, as far as
 * that text can say it.
 */
#include "fuzz.h"

/* Reads JSON that the codec wrote. */
static arx_json *read_back(const arx_buf *text, arx_json_doc **doc) {
    arx_json *value;
    must(arx_buf_result(text) == ARX_OK);
    must(arx_json_parse(text->data, text->len, 0, doc, &value) == ARX_OK);
    return value;
}

/*
 * What JSON reads as once the codec has written it: from then on it must stay the same. Before, the
 * halves of a surrogate pair may stand apart in the bytes, and be one character only when written.
 */
static arx_json *settle(const arx_json *value, arx_json_doc **doc) {
    arx_buf text = {0};
    arx_buf again = {0};
    arx_json_write(value, &text);
    arx_json *settled = read_back(&text, doc);
    arx_buf_clear(&text);
    arx_json_write(settled, &text);
    arx_json_doc *other;
    arx_json_write(read_back(&text, &other), &again);
    must(same_bytes(text.data, text.len, again.data, again.len));
    arx_json_doc_free(other);
    arx_buf_free(&text);
    arx_buf_free(&again);
    return settled;
}

typedef void write_text(const arx_json *envelope, arx_buf *out);

static void write_unpacked(const arx_json *envelope, arx_buf *out) {
    arx_envelope_write_unpacked(envelope, ARX_CODEC_PLAIN, out);
}

static void write_packed(const arx_json *envelope, arx_buf *out) {
    arx_envelope_write_packed(envelope, ARX_CODEC_LZ, out);
}

/* A text of an envelope, read back, is an envelope with that text. */
static void check_text(const arx_json *envelope, write_text *write) {
    arx_buf text = {0};
    arx_buf again = {0};
    arx_json_doc *doc;
    write(envelope, &text);
    arx_json *value = read_back(&text, &doc);
    if (write == arx_envelope_write_tuple) {
        must(arx_envelope_from_tuple(doc, value, ARX_CODEC_ARX5, &value) == ARX_OK);
    }
    const arx_json *id = NULL;
    must(arx_envelope_normalise(doc, value, &value, &id) == ARX_ENVELOPE_OK);
    write(value, &again);
    must(same_bytes(text.data, text.len, again.data, again.len));
    arx_json_doc_free(doc);
    arx_buf_free(&text);
    arx_buf_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    arx_json_doc *read;
    arx_json_doc *doc;
    arx_json *value;
    if (arx_json_parse(data, size, 0, &read, &value) != ARX_OK) {
        return 0;
    }
    value = settle(value, &doc);
    arx_json_doc_free(read);

    arx_buf message = {0};
    arx_json *envelope;
    const arx_json *id = NULL;
    arx_envelope_result result = arx_envelope_normalise(doc, value, &envelope, &id);
    if (result == ARX_ENVELOPE_OK) {
        check_text(envelope, write_unpacked);
        check_text(envelope, write_packed);
        check_text(envelope, arx_envelope_write_tuple);
        arx_buf body = {0};
        must(arx_envelope_active(envelope) != NULL);
        arx_artifact_body(arx_envelope_active(envelope), &body);
        must(arx_buf_result(&body) == ARX_OK);
        arx_buf_free(&body);
    } else {
        must(result != ARX_ENVELOPE_NO_MEMORY);
        arx_envelope_message(result, id, &message);
        must(arx_buf_result(&message) == ARX_OK && message.len > 0);
    }
    arx_buf_free(&message);
    arx_json_doc_free(doc);
    return 0;
}
