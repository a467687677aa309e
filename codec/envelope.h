/*
 * envelope.h - the bundle of artifacts and its three texts (format.md 1, 4 and 10).
 *
 * Frozen: changing the keys, codes or their order breaks existing links.
 *
 * An envelope is held as the JSON value it was read from, so unknown fields and the caller's key
 * order survive. The forms:
 *   unpacked  JSON.stringify of the envelope with `codec` overwritten
 *   packed    short keys, `p`:1 first
 *   tuple     arrays without keys, for arx2 and later
 *
 * A "checked" envelope has passed arx_envelope_normalise(). The functions that only read take
 * unchecked ones too and are safe on any value; what they then write is JSON, but maybe of nothing
 * that could be read back.
 */
#ifndef ARX_ENVELOPE_H
#define ARX_ENVELOPE_H

#include "json.h"

/* Codecs in the order of format.md section 0. Their tags, in this order, are p l d a b c e f. */
typedef enum arx_codec {
    ARX_CODEC_PLAIN,   /* tag p */
    ARX_CODEC_LZ,      /* tag l */
    ARX_CODEC_DEFLATE, /* tag d */
    ARX_CODEC_ARX,     /* tag a */
    ARX_CODEC_ARX2,    /* tag b */
    ARX_CODEC_ARX3,    /* tag c, decoded and made on request only */
    ARX_CODEC_ARX4,    /* tag e, decoded and made on request only */
    ARX_CODEC_ARX5,    /* tag f */
    ARX_CODEC_COUNT
} arx_codec;

const char *arx_codec_name(arx_codec codec);
char arx_codec_tag(arx_codec codec);
bool arx_codec_from_name(const uint8_t *name, size_t len, arx_codec *codec);
bool arx_codec_from_tag(uint8_t tag, arx_codec *codec);

typedef enum arx_kind {
    ARX_KIND_MARKDOWN,
    ARX_KIND_CODE,
    ARX_KIND_DIFF,
    ARX_KIND_CSV,
    ARX_KIND_JSON,
    ARX_KIND_COUNT
} arx_kind;

const char *arx_kind_name(arx_kind kind);
bool arx_kind_from_name(const uint8_t *name, size_t len, arx_kind *kind);

/* Why an envelope is refused; messages in arx_envelope_message(). */
typedef enum arx_envelope_result {
    ARX_ENVELOPE_OK = 0,
    ARX_ENVELOPE_NO_MEMORY,
    ARX_ENVELOPE_SHAPE,     /* message E */
    ARX_ENVELOPE_DUPLICATE, /* message DUP */
    ARX_ENVELOPE_DIFF,      /* message DIFF */
} arx_envelope_result;

/*
 * Appends the exact text of format.md section 11, without the arx suffix. id: the artifact that
 * arx_envelope_normalise() named, else NULL.
 */
void arx_envelope_message(arx_envelope_result result, const arx_json *id, arx_buf *out);

/*
 * Section 10 in full: expands a packed value, checks the shape, applies the diff rule and the
 * active id. value: a node of `doc`, changed in place. On ARX_ENVELOPE_OK `*envelope` is the value
 * to use, also in `doc`: `value` itself unless that was packed. On DUPLICATE and DIFF `*id` is the
 * offending artifact's id, borrowed from `doc`.
 */
arx_envelope_result arx_envelope_normalise(arx_json_doc *doc, arx_json *value, arx_json **envelope,
                                           const arx_json **id) ARX_MUST_CHECK;

/*
 * The three texts. The envelope is only read, so several threads may write texts of one. A field
 * counts as present when its key is there, whatever its value: what the check lets pass is written.
 */
void arx_envelope_write_unpacked(const arx_json *envelope, arx_codec codec, arx_buf *out);
void arx_envelope_write_packed(const arx_json *envelope, arx_codec codec, arx_buf *out);
/* Tuple JSON with U+007F already escaped. */
void arx_envelope_write_tuple(const arx_json *envelope, arx_buf *out);

/*
 * Rebuilds an envelope from a parsed tuple (section 4), `codec` as given. tuple: a node of `doc`,
 * whose strings the envelope shares. ARX_MALFORMED when the value is no tuple. The envelope is
 * still to be normalised; the 200,000-unit check of the re-serialised tuple is the caller's.
 */
arx_result arx_envelope_from_tuple(arx_json_doc *doc, const arx_json *tuple, arx_codec codec,
                                   arx_json **envelope) ARX_MUST_CHECK;

/* The artifact activeArtifactId names, else the first; NULL if there is none. Borrowed. */
arx_json *arx_envelope_active(const arx_json *envelope);
/* By id, or NULL. */
arx_json *arx_envelope_find(const arx_json *envelope, const uint8_t *id, size_t id_len);
/* Kind of an artifact of a checked envelope; markdown for anything that names no kind, and NULL. */
arx_kind arx_artifact_kind(const arx_json *artifact);
/*
 * Appends the artifact's body: content; of a diff the patch, or (without one) the old text, a line
 * "---" and the new text. This is what Copy, raw and arx decode give.
 */
void arx_artifact_body(const arx_json *artifact, arx_buf *out);

#endif
