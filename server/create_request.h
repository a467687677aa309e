/*
 * create_request.h - the body that makes or changes a link: a ready payload, an envelope or one
 * artifact, and how it is kept.
 *
 *     {"payload": "<fragment body>"}, {"envelope": {...}} or {"artifact": {...}}, and any of
 *     "validate", /encode's options ("codec" ...), and those of link_options.h
 *
 * An option that is null counts as not given; members not named here are passed over.
 */
#ifndef ARXD_CREATE_REQUEST_H
#define ARXD_CREATE_REQUEST_H

#include "body.h"
#include "encode_request.h"
#include "link_options.h"

#define PAYLOAD_MAX_UNITS 500000u

/* Everything is borrowed from the body. */
typedef struct create_request {
    const char *payload; /* without '#'; NULL when an envelope is to be encoded */
    size_t payload_len;
    const arx_json *envelope; /* normalised; NULL with a payload */
    arx_encode_options options;
    link_options link;
    bool validate;
} create_request;

/*
 * Reads a parsed body. API_OK, or what to answer: for API_INVALID_OPTION and API_INVALID_ENVELOPE
 * the text is in `message`.
 */
api_result create_request_read(const server_config *config, body *from, create_request *request,
                               arx_buf *message);

#endif
