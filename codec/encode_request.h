/*
 * encode_request.h - the body of an encode: what to encode, and how.
 *
 *     {"envelope": {...}} or {"artifact": {...}}, and any of
 *     "codec", "codecPriority", "preferPacked", "preferCompressed", "targetMaxFragmentLength",
 *     "budgetByTransport", "prior", "baseUrl", "label"
 *
 * The same body is read by POST /encode and by `arx encode --jsonl`; encode_result.h writes the
 * answer. Pure. Outside the core, as a base URL is checked with url.h.
 *
 * An option that is null counts as not given. Members that are not named here belong to the caller
 * (the server's "store" and "async") and are passed over.
 *
 * "envelope" may be standard or packed and is normalised (format.md 10). "artifact" is a draft:
 * kind, title, filename, content (of a diff "patch", or "oldContent" and "newContent"), language
 * and, for a diff, "view" ("diffView" is the same), and is wrapped as format.md 12 says.
 */
#ifndef ARX_ENCODE_REQUEST_H
#define ARX_ENCODE_REQUEST_H

#include "select.h"

/* Largest targetMaxFragmentLength. */
#define ARX_TARGET_MAX_UNITS 1000000000u

typedef enum arx_request_result {
    ARX_REQUEST_OK = 0,
    ARX_REQUEST_NO_MEMORY,
    ARX_REQUEST_INVALID,  /* a member is missing or not what it may be: HTTP 400 */
    ARX_REQUEST_ENVELOPE, /* the envelope or draft is refused, in format.md's words: HTTP 422 */
} arx_request_result;

/* "ok", "no-memory", "invalid-request", "invalid-envelope" */
const char *arx_request_code(arx_request_result result);

/* Everything is borrowed from the document that was read. */
typedef struct arx_encode_request {
    arx_encode_options options;
    arx_json *envelope;      /* normalised */
    const uint8_t *base_url; /* NULL when not given; "" asks for a bare fragment. A URL else */
    size_t base_url_len;
    const uint8_t *label; /* NULL when not given */
    size_t label_len;
} arx_encode_request;

/*
 * Reads a parsed body, whose document also owns what is built here (the envelope may be normalised
 * in its place in the body). On failure `message` gets one
 * sentence for the sender, naming the member and what is allowed, and `request` is undefined.
 */
arx_request_result arx_encode_request_read(arx_json_doc *doc, const arx_json *body,
                                           arx_encode_request *request,
                                           arx_buf *message) ARX_MUST_CHECK;

/*
 * The parts, for bodies of another shape: options alone, a draft alone, an envelope alone. Reading
 * an envelope may change `value`, a node of `doc`, in place.
 */
arx_request_result arx_encode_options_read(const arx_json *body, arx_encode_options *options,
                                           arx_buf *message) ARX_MUST_CHECK;
arx_request_result arx_draft_read(arx_json_doc *doc, const arx_json *draft, arx_json **envelope,
                                  arx_buf *message) ARX_MUST_CHECK;
arx_request_result arx_envelope_read(arx_json_doc *doc, arx_json *value, arx_json **envelope,
                                     arx_buf *message) ARX_MUST_CHECK;

#endif
