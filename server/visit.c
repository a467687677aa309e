/* visit.c - see visit.h. */
#include "visit.h"

#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "log.h"
#include "metrics.h"
#include "service.h"

#define MADE_ID_BYTES 8

/* What most encodes stay below; more is charged when it is known. */
#define DEPOSIT_US 250000

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

static void open_account(const service *server, visit *self) {
    visit_account *account = &self->account;
    account->table = server->limits;
    memcpy(account->rate, server->config->rates.rate, sizeof account->rate);
    if (!self->caller.has_token) {
        account->key = limits_key_of_address(self->client.bytes);
        return;
    }
    account->key = limits_key_of_token(self->caller.hash);
    for (size_t i = 0; i < BUCKET_COUNT; i++) {
        if (self->caller.own.rate[i] != TOKEN_AS_ALL) {
            account->rate[i] = self->caller.own.rate[i];
        }
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
    open_account(http_service(request), self);
    return self;
}

/* ---- what a request draws ---- */

api_result visit_draw(http_request *request, unsigned buckets) {
    visit *self = visit_of(request);
    const visit_account *account = &self->account;
    const service *server = http_service(request);
    int64_t now_us = clock_monotonic_us();
    if (self->caller.has_bearer) {
        limits_key address = limits_key_of_address(self->client.bytes);
        self->lacking = BUCKET_FAIL;
        self->wait_us =
            limits_wait(account->table, &address, BUCKET_FAIL,
                        server->config->rates.rate[BUCKET_FAIL], LIMITS_REQUEST, now_us);
    }
    for (bucket b = 0; b < BUCKET_FAIL && self->wait_us == 0; b++) {
        if ((buckets & ~self->drawn & 1u << b) == 0) {
            continue;
        }
        int64_t cost = b == BUCKET_ENCODE ? DEPOSIT_US : LIMITS_REQUEST;
        self->lacking = b;
        self->wait_us =
            limits_draw(account->table, &account->key, b, account->rate[b], cost, now_us);
        if (self->wait_us == 0) {
            self->drawn |= 1u << b;
            self->account.deposit_us = b == BUCKET_ENCODE ? cost : self->account.deposit_us;
        }
    }
    if (self->wait_us == 0) {
        return API_OK;
    }
    metrics_add(METRIC_LIMITED_READ + (metric)self->lacking, 1);
    return API_RATE_LIMITED;
}

void visit_add_retry_after(http_request *request) {
    const visit *self = visit_of(request);
    char seconds[24];
    (void)snprintf(seconds, sizeof seconds, "%lld", (long long)(self->wait_us + 999999) / 1000000);
    http_add_header(request, "Retry-After", seconds);
}

void visit_settle(visit_account *account, int64_t worked_us) {
    if (account->deposit_us > 0) {
        limits_charge(account->table, &account->key, BUCKET_ENCODE, account->rate[BUCKET_ENCODE],
                      worked_us - account->deposit_us, clock_monotonic_us());
        account->deposit_us = 0;
    }
}

void visit_end(http_request *request, unsigned status) {
    visit *self = visit_of(request);
    visit_settle(&self->account, self->worked_us);
    if (status == 401 && self->caller.has_bearer) {
        const service *server = http_service(request);
        limits_key address = limits_key_of_address(self->client.bytes);
        limits_charge(self->account.table, &address, BUCKET_FAIL,
                      server->config->rates.rate[BUCKET_FAIL], LIMITS_REQUEST,
                      clock_monotonic_us());
    }
}

/* ---- the log ---- */

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
