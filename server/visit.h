/*
 * visit.h - what the server knows of a request besides what its handler does: its id, where it
 * comes from, who sends it, what it may still draw. Each request carries one; see route.c.
 *
 * Event thread.
 */
#ifndef ARXD_VISIT_H
#define ARXD_VISIT_H

#include "auth.h"
#include "http.h"
#include "rate_limits.h"

/* An id that comes in X-Request-Id may have 1 to 64 letters, digits, dots, `_` and `-`. */
#define VISIT_ID_MAX 64
/* Enough of a link's id to find it again in the log, too little to open it. */
#define VISIT_OBJECT_CHARS 6

/* Whose buckets are drawn from, and what was taken of BUCKET_ENCODE without knowing yet how much.
 */
typedef struct visit_account {
    limits *table; /* thread-safe */
    limits_key key;
    uint32_t rate[BUCKET_COUNT];
    int64_t deposit_us;
} visit_account;

typedef struct visit {
    bool begun;
    char id[VISIT_ID_MAX + 1]; /* as it came in X-Request-Id, else made here */
    http_address client;
    auth_caller caller;
    const char *admin_act; /* what was allowed for the sake of admin scope alone, or NULL */
    visit_account account; /* the token's, if it has one, else the address's */
    unsigned drawn;        /* buckets that were drawn from, as 1 << bucket */
    int64_t worked_us;     /* what workers spent on the request */
    int64_t wait_us;       /* of what was not there */
    bucket lacking;        /* in which bucket */
} visit;

/* The request's visit; made when it is asked for first. */
visit *visit_of(http_request *request);

/*
 * Draws what a request costs at its head: `buckets`, as 1 << bucket, each once. Of BUCKET_ENCODE a
 * deposit, which keeps one caller from filling the workers' queue. An address whose bearers keep
 * failing has its next one refused unseen. API_OK or API_RATE_LIMITED, with wait_us and lacking.
 */
api_result visit_draw(http_request *request, unsigned buckets);
/* Adds what the wait of API_RATE_LIMITED means as Retry-After. */
void visit_add_retry_after(http_request *request);
/* The request has ended: settles the account. */
void visit_end(http_request *request, unsigned status);
/* What a deposit was taken for has ended, and took this long. Any thread. */
void visit_settle(visit_account *account, int64_t worked_us);

/*
 * The line in the log for an act that takes a token's scope admin or approve: who did `act` to what
 * and how it ended (words with hyphens, "approve-call", "refused"). object: an id as text, of which
 * the first characters are written, or NULL.
 */
void visit_audit(http_request *request, const char *act, const char *object, const char *outcome);

/* What an id that came from outside is worth. Pure. */
bool visit_id_is_good(const char *text);

#endif
