/*
 * create_request.h - the body that makes a link: a ready payload or an envelope, and how long it
 * is kept.
 *
 *     {"payload": "<fragment body>"} or {"envelope": {...}}, and any of
 *     "ttl_seconds", "sliding", "codec", "asset_set", "validate"
 *
 * An option that is null counts as not given; members not named here are passed over.
 */
#ifndef ARXD_CREATE_REQUEST_H
#define ARXD_CREATE_REQUEST_H

#include "body.h"
#include "config.h"
#include "encode_request.h"
#include "reply.h"

#define PAYLOAD_MAX_UNITS 500000u
#define TTL_MIN_SECONDS   60u

/* Everything is borrowed from the body. */
typedef struct create_request {
    const char *payload; /* without '#'; NULL when an envelope is to be encoded */
    size_t payload_len;
    const arx_json *envelope; /* normalised; NULL with a payload */
    arx_encode_options options;
    const char *asset_set; /* id, or NULL: not said */
    int64_t ttl_ms;
    bool sliding;
    bool validate;
} create_request;

/*
 * Reads a parsed body. API_OK, or what to answer: for API_INVALID_OPTION and API_INVALID_ENVELOPE
 * the text is in `message`.
 */
api_result create_request_read(const server_config *config, body *from, create_request *request,
                               arx_buf *message);

#endif
