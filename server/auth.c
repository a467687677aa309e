/* auth.c - see auth.h. */
#include "auth.h"

#include <string.h>
#include <strings.h>

#include "clock.h"
#include "service.h"
#include "visit.h"

typedef enum act { MAKE_LINK, CHANGE_LINK } act;

/* What may speak for a caller besides a token's scope. */
enum {
    NO_TOKENS_FILE = 1u << 0,
    OPEN_WRITES = 1u << 1,
    EDIT_KEY = 1u << 2, /* they have this link's */
    MAKER = 1u << 3,    /* their token made this link */
};

/* Who may do what: a token with one of the scopes, or whoever has one of the grounds. */
static const struct {
    const char *name; /* in the log */
    unsigned scopes;
    unsigned grounds;
} rules[] = {
    [MAKE_LINK] = {"make-link", TOKEN_CREATE | TOKEN_ADMIN, NO_TOKENS_FILE},
    [CHANGE_LINK] = {"change-link", TOKEN_ADMIN, EDIT_KEY | MAKER | OPEN_WRITES},
};

const char *auth_bearer(const char *header, size_t *len) {
    static const char scheme[] = "bearer";
    if (header == NULL || strncasecmp(header, scheme, sizeof scheme - 1) != 0 ||
        header[sizeof scheme - 1] != ' ') {
        return NULL;
    }
    const char *token = header + sizeof scheme - 1;
    token += strspn(token, " ");
    *len = strcspn(token, " \t,");
    return *len > 0 && token[*len + strspn(token + *len, " \t")] == '\0' ? token : NULL;
}

void auth_caller_of(http_request *request, auth_caller *caller) {
    const service *self = http_service(request);
    *caller = (auth_caller){0};
    size_t len;
    const char *token = auth_bearer(http_header(request, "Authorization"), &len);
    if (token == NULL) {
        return;
    }
    caller->has_bearer = true;
    secret_hash(token, len, caller->hash);
    token_row row;
    if (self->tokens != NULL && tokens_find(self->tokens, caller->hash, clock_unix_ms(), &row)) {
        caller->has_token = true;
        caller->scopes = row.scopes;
        caller->own = row.own;
        memcpy(caller->name, row.name, sizeof caller->name);
    }
}

/* grounds: those that depend on the link. What only admin scope allows is noted, for the log. */
static bool may(http_request *request, const auth_caller *caller, act what, unsigned grounds) {
    const service *self = http_service(request);
    grounds |= self->tokens == NULL ? NO_TOKENS_FILE : 0u;
    grounds |= self->config->open_writes ? OPEN_WRITES : 0u;
    unsigned scopes = caller->has_token ? rules[what].scopes & caller->scopes : 0;
    bool otherwise = (scopes & ~(unsigned)TOKEN_ADMIN) != 0 || (rules[what].grounds & grounds) != 0;
    if (!otherwise && scopes != 0) {
        visit_of(request)->admin_act = rules[what].name;
    }
    return otherwise || scopes != 0;
}

api_result auth_create(http_request *request, const auth_caller *caller) {
    if (may(request, caller, MAKE_LINK, 0)) {
        return API_OK;
    }
    return caller->has_token ? API_FORBIDDEN : API_UNAUTHORIZED;
}

api_result auth_change(http_request *request, const auth_caller *caller,
                       const store_artifact *artifact) {
    unsigned grounds = 0;
    if (caller->has_bearer && artifact->has_edit_key &&
        secret_equal(caller->hash, artifact->edit_key_hash)) {
        grounds |= EDIT_KEY;
    }
    if (caller->has_token && artifact->has_maker && secret_equal(caller->hash, artifact->maker)) {
        grounds |= MAKER;
    }
    return may(request, caller, CHANGE_LINK, grounds) ? API_OK : API_UNAUTHORIZED;
}

/* No ground but the scope, which stands alone: whoever asks can never be who decides. */
api_result auth_decide(const auth_caller *caller) {
    if (caller->has_token && (caller->scopes & TOKEN_APPROVE) != 0) {
        return API_OK;
    }
    return caller->has_token ? API_FORBIDDEN : API_UNAUTHORIZED;
}

void auth_sign(const auth_caller *caller, store_artifact *artifact) {
    artifact->has_maker = caller->has_token;
    if (caller->has_token) {
        memcpy(artifact->maker, caller->hash, sizeof artifact->maker);
    }
}
