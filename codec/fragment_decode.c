/*
 * fragment_decode.c - from a payload to a normalised envelope: format.md 3, 4, 8 and 10. See
 * fragment.h.
 *
 * A payload passes through: percent-decoding (arx family), wire, entropy stage, text, dictionaries,
 * JSON, tuple, normalisation. Every stage has a budget of its own and releases what it read before
 * the next one runs, so a decode never holds more than two of its texts beside the payload.
 *
 * Nothing here looks at dictionary versions: arx_assets_create() takes no set but version 1, so
 * messages K, D and O of section 11 have no way to arise.
 */
#include "fragment.h"

#include "lz.h"
#include "text.h"

/* A unit is at most three bytes, so a buffer of this many overflows only past `units`. */
#define BYTES_OF_UNITS(units) ((size_t)(units)*3)

/*
 * Most values a tuple may hold. n values take at least 2n - 1 characters to write, so one more than
 * this cannot pass the limit on the re-serialised tuple, and need not be kept in memory to know.
 */
#define TUPLE_MAX_VALUES ((ARX_DECODED_MAX_UNITS + 1) / 2)

/*
 * Longest text of each wire that is looked at, in bytes: a little more than ARX_STAGE_MAX bytes
 * take. Digits beyond that are superfluous, and would cost memory all the same.
 */
static const size_t wire_text_max[ARX_WIRE_COUNT] = {
    [ARX_WIRE_BASE76] = 1025000,
    [ARX_WIRE_BASE1K] = 1190000,
    [ARX_WIRE_BASEBMP] = 1210000,
    [ARX_WIRE_BASE64URL] = SIZE_MAX, /* limited by its bytes */
};
#define FAMILY_TEXT_MAX 1210000u /* once it is percent-decoded */

typedef enum entropy_stage {
    STAGE_NONE,
    STAGE_LZ,
    STAGE_DEFLATE,
    STAGE_BROTLI,
    STAGE_MIXER
} entropy_stage;

/* How each codec carries its text (format.md section 0). */
static const struct {
    entropy_stage entropy;
    bool family; /* arx and its successors: percent-decoded, wires, dictionaries, the hint */
    bool tuple;
} recipes[ARX_CODEC_COUNT] = {
    [ARX_CODEC_PLAIN] = {STAGE_NONE, false, false},
    [ARX_CODEC_LZ] = {STAGE_LZ, false, false},
    [ARX_CODEC_DEFLATE] = {STAGE_DEFLATE, false, false},
    [ARX_CODEC_ARX] = {STAGE_BROTLI, true, false},
    [ARX_CODEC_ARX2] = {STAGE_BROTLI, true, true},
    [ARX_CODEC_ARX3] = {STAGE_BROTLI, true, true},
    [ARX_CODEC_ARX4] = {STAGE_MIXER, true, true},
    [ARX_CODEC_ARX5] = {STAGE_MIXER, true, true},
};

/* What a failed stage means for the fragment. */
static const arx_code folded[] = {
    [ARX_OK] = ARX_CODE_OK,
    [ARX_NO_MEMORY] = ARX_CODE_NO_MEMORY,
    [ARX_MALFORMED] = ARX_CODE_INVALID_JSON,
    [ARX_OVER_LIMIT] = ARX_CODE_DECODED_TOO_LARGE,
    [ARX_UNAVAILABLE] = ARX_CODE_ASSET_UNAVAILABLE,
};

/* One decode: where from, and what is known so far. */
typedef struct reading {
    arx_coder *coder;
    const arx_assets *assets;
    arx_decoded found;
} reading;

/* A buffer's bytes; never NULL, also when there are none. */
static const uint8_t *bytes_of(const arx_buf *buf) {
    return buf->data == NULL ? (const uint8_t *)"" : buf->data;
}

/* The entropy stage: coded bytes to text bytes, at most ARX_STAGE_MAX of them. */
static arx_result expand(reading *r, const uint8_t *coded, size_t len, arx_buf *out) {
    const arx_entropy *entropy = arx_coder_entropy(r->coder);
    arx_result (*decompress)(const uint8_t *, size_t, size_t, arx_buf *) = NULL;
    switch (recipes[r->found.codec].entropy) {
    case STAGE_NONE:
    case STAGE_LZ:
        arx_buf_append(out, coded, len);
        return arx_buf_result(out);
    case STAGE_DEFLATE:
        decompress = entropy->deflate_decompress;
        break;
    case STAGE_BROTLI:
        decompress = entropy->brotli_decompress;
        break;
    case STAGE_MIXER: {
        arx_mixer *mixer;
        arx_result result = arx_coder_mixer(r->coder, r->assets, r->found.prior, &mixer);
        return result == ARX_OK ? arx_mixer_decode(mixer, coded, len, out) : result;
    }
    }
    return decompress == NULL ? ARX_UNAVAILABLE : decompress(coded, len, ARX_STAGE_MAX, out);
}

/* A text in a known wire, through the entropy stage. */
static arx_result through_wire(reading *r, arx_wire wire, const uint8_t *text, size_t len,
                               arx_buf *out) {
    if (len > wire_text_max[wire]) {
        return ARX_MALFORMED;
    }
    arx_buf coded;
    arx_buf_init(&coded, ARX_STAGE_MAX);
    arx_result result = arx_wire_decode(wire, text, len, &coded);
    if (result == ARX_OK) {
        r->found.wire = wire;
        r->found.coded_bytes = coded.len;
        result = expand(r, bytes_of(&coded), coded.len, out);
    }
    arx_buf_free(&coded);
    return result;
}

/* Section 6.1: what looks like base64url may be base76, and only the stage behind it can tell. */
static arx_result through_detected_wire(reading *r, const uint8_t *text, size_t len, arx_buf *out) {
    size_t marker;
    arx_wire wire = arx_wire_detect(text, len, &marker);
    arx_result result = through_wire(r, wire, text + marker, len - marker, out);
    if (wire == ARX_WIRE_BASE64URL && result == ARX_MALFORMED) {
        arx_buf_clear(out);
        wire = arx_wire_detect_after_base64url(text, len, &marker);
        result = through_wire(r, wire, text + marker, len - marker, out);
    }
    return result;
}

/* Takes the prior id off a mixer payload. Asks for the prior before the wire is looked at. */
static arx_result take_prior(reading *r, const uint8_t **text, size_t *len) {
    if (*len == 0 || !arx_prior_known((char)**text)) {
        return ARX_MALFORMED;
    }
    r->found.prior = (char)**text;
    *text += 1;
    *len -= 1;
    return arx_assets_has_prior(r->assets, r->found.prior) ? ARX_OK : ARX_UNAVAILABLE;
}

/* Replaces `text` by what `dictionary` makes of it. */
static arx_result substitute(const arx_dictionary *dictionary, size_t max_units, arx_buf *text) {
    arx_buf plain;
    arx_buf_init(&plain, BYTES_OF_UNITS(max_units));
    arx_result result =
        arx_dictionary_decode(dictionary, bytes_of(text), text->len, max_units, &plain);
    arx_buf_free(text);
    *text = plain;
    return result == ARX_OK ? arx_buf_result(text) : result;
}

/* From a payload to its JSON or tuple text. `text` is the caller's to free, whatever the result. */
static arx_result read_text(reading *r, const uint8_t *payload, size_t len, arx_buf *text) {
    const bool family = recipes[r->found.codec].family;
    const bool tuple = recipes[r->found.codec].tuple;
    const size_t max_units = tuple ? ARX_STAGE_MAX : ARX_DECODED_MAX_UNITS;
    if (recipes[r->found.codec].entropy == STAGE_LZ) {
        arx_buf_init(text, BYTES_OF_UNITS(max_units));
        return arx_lz_decompress(payload, len, max_units, text);
    }

    arx_buf bytes;
    arx_buf_init(&bytes, ARX_STAGE_MAX);
    arx_result result = ARX_OK;
    if (recipes[r->found.codec].entropy == STAGE_MIXER) {
        result = take_prior(r, &payload, &len);
    }
    if (result == ARX_OK) {
        result = family ? through_detected_wire(r, payload, len, &bytes)
                        : through_wire(r, ARX_WIRE_BASE64URL, payload, len, &bytes);
    }
    /* Text the dictionaries will shrink or grow is only bounded by its bytes. */
    arx_buf_init(text, BYTES_OF_UNITS(family ? ARX_STAGE_MAX : max_units));
    if (result == ARX_OK) {
        arx_text_from_bytes(bytes_of(&bytes), bytes.len, text);
        result = arx_buf_result(text);
    }
    arx_buf_free(&bytes);

    if (result == ARX_OK && family) {
        result = substitute(arx_assets_base(r->assets), max_units, text);
    }
    if (result == ARX_OK && tuple) {
        result = substitute(arx_assets_overlay(r->assets), max_units, text);
    }
    return result;
}

/* Whether a parsed tuple, written again, is within the limit (section 4). */
static arx_result check_tuple_size(const arx_json *tuple) {
    arx_buf text;
    arx_buf_init(&text, BYTES_OF_UNITS(ARX_DECODED_MAX_UNITS));
    arx_json_write(tuple, &text);
    arx_result result = arx_buf_result(&text);
    if (result == ARX_OK &&
        arx_text_units_exceed(bytes_of(&text), text.len, ARX_DECODED_MAX_UNITS)) {
        result = ARX_OVER_LIMIT;
    }
    arx_buf_free(&text);
    return result;
}

/* One attempt at a payload. On ARX_OK `found.doc` is owned and `found.envelope` not normalised. */
static arx_result read_value(reading *r, const uint8_t *payload, size_t len) {
    const bool tuple = recipes[r->found.codec].tuple;
    arx_json_doc *doc = NULL;
    arx_json *value;
    arx_buf text = {0};
    arx_result result = read_text(r, payload, len, &text);
    if (result != ARX_OK) {
        goto out;
    }
    r->found.decoded_units = arx_text_units(bytes_of(&text), text.len);
    if (!tuple && r->found.decoded_units > ARX_DECODED_MAX_UNITS) {
        result = ARX_OVER_LIMIT;
        goto out;
    }
    result = arx_json_parse(bytes_of(&text), text.len, tuple ? TUPLE_MAX_VALUES : 0, &doc, &value);
    if (result != ARX_OK) {
        doc = NULL;
        goto out;
    }
    arx_buf_free(&text);
    if (tuple) {
        result = check_tuple_size(value);
        if (result == ARX_OK) {
            result = arx_envelope_from_tuple(doc, value, r->found.codec, &value);
        }
        if (result != ARX_OK) {
            goto out;
        }
    }
    r->found.doc = doc;
    r->found.envelope = value;
    doc = NULL;
out:
    arx_json_doc_free(doc);
    arx_buf_free(&text);
    return result;
}

/* Length of a dictionary-version segment, digits and dot, at the start of a payload; 0 for none. */
static size_t version_segment(const uint8_t *payload, size_t len) {
    size_t digits = 0;
    while (digits < len && payload[digits] >= '0' && payload[digits] <= '9') {
        digits++;
    }
    return digits > 0 && digits < len && payload[digits] == '.' ? digits + 1 : 0;
}

/* Percent-decodes a payload, which may point into `buf` then; what does not decode stays as it is.
 */
static arx_result unescape(const uint8_t **payload, size_t *len, arx_buf *buf) {
    size_t escapes = 0;
    for (size_t i = 0; i < *len; i++) {
        escapes += (*payload)[i] == '%';
    }
    arx_result result = ARX_MALFORMED;
    if (escapes > 0 && escapes <= *len / 3 && *len - 2 * escapes <= FAMILY_TEXT_MAX) {
        /* Of three bytes an escape leaves one: room for all of it at once. */
        (void)arx_buf_extend(buf, *len - 2 * escapes);
        buf->len = 0;
        result = arx_text_percent_decode(*payload, *len, buf);
    }
    if (result == ARX_OK) {
        *payload = bytes_of(buf);
        *len = buf->len;
    } else if (result != ARX_MALFORMED) {
        return result;
    }
    return *len > FAMILY_TEXT_MAX ? ARX_MALFORMED : ARX_OK;
}

/*
 * Section 8.3. The segment is looked for before percent-decoding, which leaves digits and dots as
 * they are: what follows it is the same in both texts.
 */
static arx_result read_family(reading *r, const uint8_t *payload, size_t len) {
    const size_t segment = version_segment(payload, len);
    arx_buf plain;
    arx_buf_init(&plain, 0);
    arx_result result = unescape(&payload, &len, &plain);
    if (result == ARX_OK) {
        result = read_value(r, payload, len);
        /* A base76 text may begin like a segment: only a whole that cannot be read has one. */
        if (segment > 0 && (result == ARX_MALFORMED || result == ARX_UNAVAILABLE)) {
            result = read_value(r, payload + segment, len - segment);
        }
    }
    arx_buf_free(&plain);
    return result;
}

/* Ends a message as those of the arx family end. */
static arx_code end_message(const reading *r, arx_error *error) {
    if (recipes[r->found.codec].family &&
        (error->code == ARX_CODE_INVALID_JSON || error->code == ARX_CODE_INVALID_ENVELOPE)) {
        arx_buf_append_str(&error->message,
                           " It may have been encoded with a different ARX dictionary version.");
    }
    return arx_error_settle(error);
}

static arx_code refuse_payload(const reading *r, arx_result result, arx_error *error) {
    if (result != ARX_UNAVAILABLE) {
        (void)arx_error_set(error, folded[result], NULL);
    } else if (r->found.prior != '\0') {
        (void)arx_error_set_prior(error, r->found.prior);
    } else {
        (void)arx_error_set(error, ARX_CODE_ASSET_UNAVAILABLE,
                            "The decompressor of this codec is not at hand.");
    }
    return end_message(r, error);
}

static arx_code refuse_envelope(const reading *r, arx_envelope_result verdict, const arx_json *id,
                                arx_error *error) {
    if (verdict == ARX_ENVELOPE_NO_MEMORY) {
        return arx_error_set(error, ARX_CODE_NO_MEMORY, NULL);
    }
    *error = (arx_error){.code = ARX_CODE_INVALID_ENVELOPE};
    arx_envelope_message(verdict, id, &error->message);
    return end_message(r, error);
}

arx_code arx_decode(arx_coder *coder, const arx_assets *assets, const uint8_t *fragment, size_t len,
                    bool skip_budget, arx_decoded *decoded, arx_error *error) {
    arx_fragment_head head;
    arx_code code = arx_fragment_head_parse(fragment, len, skip_budget, &head, error);
    if (code != ARX_CODE_OK) {
        return code;
    }
    reading r = {
        .coder = coder,
        .assets = assets,
        .found = {.codec = head.codec, .visible_units = head.visible_units},
    };
    arx_result result = recipes[head.codec].family ? read_family(&r, head.payload, head.payload_len)
                                                   : read_value(&r, head.payload, head.payload_len);
    if (result != ARX_OK) {
        return refuse_payload(&r, result, error);
    }
    arx_json *value = r.found.envelope;
    const arx_json *id = NULL;
    arx_envelope_result verdict =
        arx_envelope_normalise(r.found.doc, value, &r.found.envelope, &id);
    if (verdict != ARX_ENVELOPE_OK) {
        code = refuse_envelope(&r, verdict, id, error);
        arx_json_doc_free(r.found.doc);
        return code;
    }
    r.found.packed = r.found.envelope != value;
    *decoded = r.found;
    return ARX_CODE_OK;
}

void arx_decoded_free(arx_decoded *decoded) {
    arx_json_doc_free(decoded->doc);
    *decoded = (arx_decoded){0};
}
