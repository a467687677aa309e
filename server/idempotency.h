/*
 * idempotency.h - a request that is sent again with its Idempotency-Key is answered as before.
 *
 * The record of an answer is filed under SHA-256 of who asks and the key; it holds the hash of the
 * request and the answer, encrypted under a key derived from the Idempotency-Key: so neither key
 * nor edit key can be read from the database. Records live 24 h. The store writes them together
 * with what they tell of.
 *
 * What is recorded is the JSON object a maker is told: of a link, the 201's; of a job, the 202's.
 */
#ifndef ARXD_IDEMPOTENCY_H
#define ARXD_IDEMPOTENCY_H

#include "auth.h"
#include "request.h"

#define REQUEST_KEY_MAX 255
#define REQUEST_KEY_MIN_UNSIGNED                                                                   \
    16 /* without a token nothing else keeps two clients' keys apart                               \
        */

typedef struct idempotency {
    const char *key; /* the header; NULL: the request has none, and nothing is recorded */
    uint8_t scope[SECRET_HASH_BYTES];
    uint8_t body_hash[SECRET_HASH_BYTES];
} idempotency;

/* Reads the request's header, target and body. API_OK or API_REQUEST_KEY. */
api_result idempotency_init(http_request *request, const auth_caller *caller, idempotency *of);

/* Makes `op`, a cleared one, the look-up of the record; `next` then asks idempotency_recalled(). */
void idempotency_recall(http_request *request, const idempotency *of, store_op *op,
                        http_handler *next);
/*
 * What a finished look-up found. API_OK: `*status` and `answer` are what was recorded, or `*status`
 * is 0 when nothing was. API_REQUEST_KEY_USED: it was for another request. Else the store's fault.
 */
api_result idempotency_recalled(const idempotency *of, const store_op *op, unsigned *status,
                                arx_buf *answer);

/*
 * Makes `op` one that records `status` and `answer`; for use before it is submitted, or from its
 * render(). False without memory or random bytes.
 */
bool idempotency_record(const idempotency *of, unsigned status, const arx_buf *answer,
                        store_op *op);
/* Makes `op` a recorded one, whose render() will call idempotency_record(). */
void idempotency_attach(const idempotency *of, store_op *op);

#endif
