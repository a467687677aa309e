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

/* An id that comes in X-Request-Id may have 1 to 64 letters, digits, dots, `_` and `-`. */
#define VISIT_ID_MAX 64
/* Enough of a link's id to find it again in the log, too little to open it. */
#define VISIT_OBJECT_CHARS 6

typedef struct visit {
    bool begun;
    char id[VISIT_ID_MAX + 1]; /* as it came in X-Request-Id, else made here */
    http_address client;
    auth_caller caller;
    const char *admin_act; /* what was allowed for the sake of admin scope alone, or NULL */
} visit;

/* The request's visit; made when it is asked for first. */
visit *visit_of(http_request *request);

/*
 * The line in the log for an act that takes a token's scope admin or approve: who did `act` to what
 * and how it ended (words with hyphens, "approve-call", "refused"). object: an id as text, of which
 * the first characters are written, or NULL.
 */
void visit_audit(http_request *request, const char *act, const char *object, const char *outcome);

/* What an id that came from outside is worth. Pure. */
bool visit_id_is_good(const char *text);

#endif
