/*
 * auth.h - who asks, and what they may do. Event thread.
 *
 * Reading is open to whoever knows a link's id. Making links is open too, unless there is a tokens
 * file; changing one takes its edit key, the token that made it, or a token with admin scope. The
 * table is in auth.c.
 */
#ifndef ARXD_AUTH_H
#define ARXD_AUTH_H

#include "reply.h"
#include "store.h"
#include "tokens.h"

/* Who a request comes from, by its Authorization header. */
typedef struct auth_caller {
    bool has_bearer;                 /* it carries a bearer token or edit key */
    bool has_token;                  /* which is one of the tokens file's, and still good */
    uint8_t hash[SECRET_HASH_BYTES]; /* SHA-256 of what it carries */
    unsigned scopes;                 /* of the token */
    char name[TOKEN_NAME_MAX + 1];   /* of the token */
    allowance own;                   /* of the token */
} auth_caller;

/* Reads it from the request; visit_of() has the result. */
void auth_caller_of(http_request *request, auth_caller *caller);

/* May they make links? API_OK, API_UNAUTHORIZED (no good token) or API_FORBIDDEN (scope lacks). */
api_result auth_create(http_request *request, const auth_caller *caller);
/* May they change or delete this link, as read from the store? API_OK or API_UNAUTHORIZED. */
api_result auth_change(http_request *request, const auth_caller *caller,
                       const store_artifact *artifact);

/* May they decide what agents ask for? API_OK, API_UNAUTHORIZED or API_FORBIDDEN. */
api_result auth_decide(const auth_caller *caller);

/* What a row says of its maker: the caller's token, if it has one. */
void auth_sign(const auth_caller *caller, store_artifact *artifact);

/* The token of `Bearer <token>` with its length, or NULL. Pure. */
const char *auth_bearer(const char *header, size_t *len);

#endif
