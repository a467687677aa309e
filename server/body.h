/*
 * body.h - a JSON request body: checked once, read two ways.
 *
 * jansson decides whether the body is acceptable (http-api's strictness: UTF-8, no BOM, nothing
 * behind the root, numbers a double holds, nesting within BODY_MAX_DEPTH) and gives the options.
 * What becomes part of a link (an envelope, an artifact) is read from the same text by codec/json,
 * whose order and numbers are ECMAScript's.
 *
 * Lone surrogates written as escapes are replaced by U+FFFD before either looks: an agent that cut
 * its text inside an emoji gets a link and a warning. Requests in which that would change what is
 * stored verbatim refuse the body instead: see `mended`.
 */
#ifndef ARXD_BODY_H
#define ARXD_BODY_H

#include <jansson.h>

#include "arx.h"

#define BODY_MAX_DEPTH 512

/* What a request that was mended is told. */
#define BODY_MENDED_WARNING                                                                        \
    "The text held half of a surrogate pair (an emoji cut in two?), which was replaced by U+FFFD."

typedef enum body_result {
    BODY_OK = 0,
    BODY_INVALID, /* not acceptable JSON */
    BODY_NO_MEMORY,
} body_result;

typedef struct body {
    json_t *root;      /* owned; any JSON value */
    char *text;        /* owned; the mended copy */
    size_t len;        /* bytes */
    size_t mended;     /* lone surrogates replaced */
    arx_json_doc *doc; /* owned; NULL until body_codec_value() */
    arx_json *value;   /* in doc */
} body;

/* Parses. On BODY_OK the caller releases with body_free(); else nothing is held. */
body_result body_parse(const uint8_t *bytes, size_t len, body *out);
void body_free(body *b);

/* The whole body as codec/json reads it. Parsed at the first call; NULL without memory. */
arx_json *body_codec_value(body *b);

/*
 * Replaces every lone surrogate escape inside the strings of a JSON text, in place, and tells how
 * deep the text nests. Exposed for its test; the text need not be valid.
 */
size_t body_mend(char *text, size_t len, size_t *depth);

#endif
