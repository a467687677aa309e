/* visit.c - see visit.h. */
#include "visit.h"

#include <stdio.h>
#include <string.h>

#include "log.h"

#define MADE_ID_BYTES 8

bool visit_id_is_good(const char *text) {
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                  "._-";
    size_t len = strlen(text);
    return len > 0 && len <= VISIT_ID_MAX && strspn(text, allowed) == len;
}

static void make_id(char id[VISIT_ID_MAX + 1]) {
    uint8_t bytes[MADE_ID_BYTES] = {0};
    if (!secret_random(bytes, sizeof bytes)) {
        memset(bytes, 0, sizeof bytes); /* a name, not a secret: no reason to refuse the request */
    }
    for (size_t i = 0; i < sizeof bytes; i++) {
        (void)snprintf(id + 2 * i, 3, "%02x", bytes[i]);
    }
}

visit *visit_of(http_request *request) {
    visit *self = http_context(request);
    if (self->begun) {
        return self;
    }
    self->begun = true;
    const char *given = http_header(request, "X-Request-Id");
    if (given != NULL && visit_id_is_good(given)) {
        (void)snprintf(self->id, sizeof self->id, "%s", given);
    } else {
        make_id(self->id);
    }
    http_client(request, &self->client);
    auth_caller_of(request, &self->caller);
    return self;
}

void visit_audit(http_request *request, const char *act, const char *object, const char *outcome) {
    const visit *self = visit_of(request);
    char client[HTTP_ADDRESS_SIZE];
    char prefix[VISIT_OBJECT_CHARS + 1] = "";
    if (object != NULL) {
        (void)snprintf(prefix, sizeof prefix, "%s", object);
    }
    http_address_format(&self->client, client);
    log_audit(&(log_act){
        .act = act,
        .method = http_method_name(http_method_of(request)),
        .actor = self->caller.has_token ? self->caller.name : NULL,
        .object = object != NULL ? prefix : NULL,
        .outcome = outcome,
        .client = client,
        .request = self->id,
    });
}
