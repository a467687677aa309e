/*
 * payload_work.h - from a checked request to the payload a row gets: an envelope is encoded, a
 * ready payload is decoded first if the request wants it validated, and else taken as it is.
 *
 * Embedded in a handler's state, which must stay where it is until `next` runs.
 */
#ifndef ARXD_PAYLOAD_WORK_H
#define ARXD_PAYLOAD_WORK_H

#include "create_request.h"
#include "decode_work.h"
#include "encode_work.h"

typedef struct payload_work {
    const create_request *wanted;
    const arx_assets *assets; /* the set to encode with */
    encode_work encode;
    decode_work decode;
    bool checked; /* `decode` is in use */
} payload_work;

/*
 * wanted: borrowed, with the body it points into, until `next` has run. API_OK: `next` has been
 * called or will be. Else the handler replies with payload_work_refuse().
 */
api_result payload_work_start(http_request *request, payload_work *work,
                              const create_request *wanted, http_handler *next);
/* In `next`: fills in payload, codec, asset_set, kind and title. */
api_result payload_work_finish(payload_work *work, store_artifact *row);
/* Replies for a result other than API_OK of either. */
void payload_work_refuse(http_request *request, const payload_work *work, api_result result);
void payload_work_free(payload_work *work);

/*
 * The same for what has been encoded elsewhere. Other than API_OK, encode_work_refuse() has the
 * words: a payload that nobody could open is not stored.
 */
api_result payload_take_encoded(encode_work *encode, store_artifact *row);

#endif
