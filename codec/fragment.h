/*
 * fragment.h - from a fragment to an envelope (format.md 2, 3, 8, 10, 11).
 */
#ifndef ARX_FRAGMENT_H
#define ARX_FRAGMENT_H

#include "coder.h"
#include "envelope.h"
#include "wire.h"

#define ARX_FRAGMENT_BUDGET_UNITS 8192u   /* visible length of a fragment */
#define ARX_DECODED_MAX_UNITS     200000u /* decoded text */
#define ARX_STAGE_MAX             800000u /* intermediate bytes, or units of intermediate text */

/*
 * Longest fragment looked at where the budget is skipped. 800,000 bytes in their most wasteful form
 * (baseBMP, percent-escaped) take 3.7 MB; what is longer than this cannot decode.
 */
#define ARX_FRAGMENT_MAX_BYTES (4u * 1024 * 1024)

/* Most memory a decode holds at a time. */
#define ARX_DECODE_MAX_BYTES (16u * 1024 * 1024)

/* The stable codes of section 11, and two of ours. */
typedef enum arx_code {
    ARX_CODE_OK = 0,
    ARX_CODE_EMPTY,
    ARX_CODE_TOO_LARGE,
    ARX_CODE_MISSING_KEY,
    ARX_CODE_INVALID_FORMAT,
    ARX_CODE_INVALID_JSON,
    ARX_CODE_DECODED_TOO_LARGE,
    ARX_CODE_INVALID_ENVELOPE,
    ARX_CODE_ASSET_UNAVAILABLE,
    ARX_CODE_NO_CANDIDATES, /* encode: message N */
    ARX_CODE_NO_MEMORY,
} arx_code;

const char *arx_code_name(arx_code code); /* "empty", "too-large", ...; "ok"; "no-memory" */

/*
 * A failed operation in words. `message` is the exact text of section 11. Functions that take one
 * write it whatever happens (empty on success), so it may always be freed.
 */
typedef struct arx_error {
    arx_code code;
    arx_buf message;
} arx_error;

void arx_error_free(arx_error *error);

/*
 * Makes an error of a code and a text (NULL: the code's only text, for codes that have one) and
 * answers the code. Overwrites `*error`.
 */
arx_code arx_error_set(arx_error *error, arx_code code, const char *text);
/* Message "The arx4 priors asset is unavailable, ..." for a prior the set lacks. */
arx_code arx_error_set_prior(arx_error *error, char prior);
/*
 * For those who append to a message: answers the error's code, which has become ARX_CODE_NO_MEMORY
 * if the text could not be kept. The two above end with this.
 */
arx_code arx_error_settle(arx_error *error);

/* What a fragment says of itself before any decoding. */
typedef struct arx_fragment_head {
    arx_codec codec;
    bool legacy;            /* the agent-render=v1.<codec>. form */
    const uint8_t *payload; /* borrowed from the fragment */
    size_t payload_len;
    size_t visible_units;
} arx_fragment_head;

/*
 * Sections 2.1 to 2.4. skip_budget: accept more than ARX_FRAGMENT_BUDGET_UNITS (but never more than
 * ARX_FRAGMENT_MAX_BYTES).
 */
arx_code arx_fragment_head_parse(const uint8_t *fragment, size_t len, bool skip_budget,
                                 arx_fragment_head *head, arx_error *error) ARX_MUST_CHECK;

typedef struct arx_decoded {
    arx_json_doc *doc;    /* owns the envelope */
    arx_json *envelope;   /* normalised, in doc */
    arx_codec codec;      /* the fragment's, whatever the envelope says */
    size_t visible_units; /* "rawLength" of the vectors */
    size_t decoded_units; /* the JSON or tuple text that came out */
    /* How it was carried; wire and prior only for the arx family (prior '\0' else). */
    arx_wire wire;
    char prior;
    bool packed;        /* the text was in packed form */
    size_t coded_bytes; /* bytes behind the wire (plain, deflate: behind base64; lz: 0) */
} arx_decoded;

/*
 * Decodes with one asset set. fragment: with or without `#`, WTF-8. On ARX_CODE_OK fills `decoded`
 * (caller: arx_decoded_free), else fills `error` (caller: arx_error_free). Allocates at most
 * ARX_DECODE_MAX_BYTES beyond the coder's mixer and images, whatever the input.
 */
arx_code arx_decode(arx_coder *coder, const arx_assets *assets, const uint8_t *fragment, size_t len,
                    bool skip_budget, arx_decoded *decoded, arx_error *error) ARX_MUST_CHECK;
void arx_decoded_free(arx_decoded *decoded);

#endif
