/* route.c - see route.h. */
#include "route.h"

#include <stdio.h>
#include <string.h>

#include "api.h"
#include "guard.h"
#include "http_target.h"
#include "ids.h"
#include "log.h"
#include "metrics.h"
#include "reply.h"
#include "service.h"
#include "visit.h"

#define SET_CHARS 16

/* ---- matching ---- */

static bool is_set_id(const char *segment) {
    return strlen(segment) == SET_CHARS && strspn(segment, "0123456789abcdef") == SET_CHARS;
}

static bool segment_fits(const char *pattern, size_t len, const char *segment) {
    if (len == 3 && memcmp(pattern, ":id", 3) == 0) {
        uint8_t id[ID_BYTES];
        return id_parse(segment, id);
    }
    if (len == 4 && memcmp(pattern, ":set", 4) == 0) {
        return is_set_id(segment);
    }
    if (len == 5 && memcmp(pattern, ":name", 5) == 0) {
        return true;
    }
    return strlen(segment) == len && memcmp(segment, pattern, len) == 0;
}

static bool pattern_fits(const char *pattern, const char *const *segments, size_t count,
                         bool *wildcard) {
    *wildcard = false;
    const char *at = pattern + 1;
    for (size_t i = 0; *at != '\0'; i++) {
        size_t len = strcspn(at, "/");
        if (i == count) {
            return false;
        }
        if (len == 1 && *at == '*') {
            *wildcard = true;
            return true;
        }
        if (!segment_fits(at, len, segments[i])) {
            return false;
        }
        at += len;
        if (*at == '\0') {
            return i + 1 == count;
        }
        at++;
    }
    return count == 0; /* "/" */
}

const route *route_find(const route *table, size_t count, http_method method,
                        const char *const *segments, size_t segment_count, const route **known,
                        unsigned *allowed) {
    http_method wanted = method == HTTP_HEAD ? HTTP_GET : method;
    const route *found = NULL;
    *known = NULL;
    *allowed = 0;
    for (size_t i = 0; i < count; i++) {
        const route *row = &table[i];
        bool wildcard;
        if (!pattern_fits(row->pattern, segments, segment_count, &wildcard)) {
            continue;
        }
        if (found == NULL && row->method == wanted) {
            found = row;
        }
        if (!wildcard) {
            *known = *known != NULL ? *known : row;
            *allowed |= row->method;
            *allowed |= row->method == HTTP_GET ? HTTP_HEAD : 0u;
            *allowed |= (row->flags & (ROUTE_CORS | ROUTE_AGENT)) != 0 ? HTTP_OPTIONS : 0u;
        }
    }
    return found;
}

void route_allow(unsigned methods, char text[ROUTE_ALLOW_SIZE]) {
    static const struct {
        http_method method;
        const char *word;
    } words[] = {
        {HTTP_GET, "GET"}, {HTTP_HEAD, "HEAD"},     {HTTP_POST, "POST"},
        {HTTP_PUT, "PUT"}, {HTTP_DELETE, "DELETE"}, {HTTP_OPTIONS, "OPTIONS"},
    };
    size_t len = 0;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t word = strlen(words[i].word);
        if ((methods & words[i].method) == 0 || len + word + 3 > ROUTE_ALLOW_SIZE) {
            continue;
        }
        if (len > 0) {
            memcpy(text + len, ", ", 2);
            len += 2;
        }
        memcpy(text + len, words[i].word, word);
        len += word;
    }
    text[len] = '\0';
}

static const route *find(const http_request *request, const route **known, unsigned *allowed) {
    const service *self = http_service(request);
    const char *segments[HTTP_MAX_SEGMENTS];
    size_t count = http_segment_count(request);
    for (size_t i = 0; i < count; i++) {
        segments[i] = http_segment(request, i);
    }
    return route_find(self->routes, self->route_count, http_method_of(request), segments, count,
                      known, allowed);
}

/* ---- answers of the router's own ---- */

static unsigned flags_of(const http_request *request) {
    const route *row = http_route(request);
    if (row != NULL) {
        return row->flags;
    }
    bool api = http_target_under(request, "/api") || http_target_under(request, "/encode");
    return api ? ROUTE_JSON | ROUTE_CORS | ROUTE_PRIVATE : (unsigned)ROUTE_PRIVATE;
}

static void reply_in_kind(http_request *request, api_result result) {
    if ((flags_of(request) & ROUTE_JSON) != 0) {
        reply_error(request, result);
    } else {
        reply_error_plain(request, result);
    }
}

static void not_found(http_request *request) {
    reply_in_kind(request, API_NOT_FOUND);
}

static void not_implemented(http_request *request) {
    reply_in_kind(request, API_NOT_IMPLEMENTED);
}

static void method_not_allowed(http_request *request) {
    const route *known;
    unsigned allowed;
    char text[ROUTE_ALLOW_SIZE];
    (void)find(request, &known, &allowed);
    route_allow(allowed, text);
    http_add_header(request, "Allow", text);
    reply_in_kind(request, API_METHOD_NOT_ALLOWED);
}

static void foreign(http_request *request) {
    reply_in_kind(request, API_FOREIGN);
}

void api_preflight(http_request *request) {
    http_add_header(request, "Access-Control-Max-Age", "86400");
    reply_no_content(request);
}

static void rate_limited(http_request *request) {
    visit_add_retry_after(request);
    reply_in_kind(request, API_RATE_LIMITED);
}

/* ---- the application ---- */

/* The buckets that a request of such a route draws from. */
static unsigned buckets_of(unsigned flags) {
    if ((flags & ROUTE_FREE) != 0) {
        return 0;
    }
    unsigned buckets = 1u << ((flags & ROUTE_WRITES) != 0 ? BUCKET_WRITE : BUCKET_READ);
    return buckets | ((flags & ROUTE_ENCODES) != 0 ? 1u << BUCKET_ENCODE : 0u);
}

static bool is_welcome(http_request *request) {
    const service *self = http_service(request);
    const guard_site site = {self->config->host, self->config->public_url};
    const char *host = http_header(request, "Host");
    return guard_host(&site, host) && guard_origin(&site, host, http_header(request, "Origin"));
}

static http_target route_request(http_request *request) {
    if (http_method_of(request) == HTTP_UNKNOWN) {
        return (http_target){.handler = not_implemented};
    }
    const service *self = http_service(request);
    const route *known;
    unsigned allowed;
    const route *row = find(request, &known, &allowed);
    if (visit_draw(request, buckets_of(row != NULL ? row->flags : 0)) != API_OK) {
        return (http_target){.handler = rate_limited, .route = row != NULL ? row : known};
    }
    if (row == NULL) {
        return (http_target){.handler = known != NULL ? method_not_allowed : not_found,
                             .route = known};
    }
    if ((row->flags & ROUTE_AGENT) != 0 && !is_welcome(request)) {
        return (http_target){.handler = foreign, .route = row};
    }
    return (http_target){
        .handler = row->handler,
        .max_body_bytes = (row->flags & ROUTE_BODY) != 0 ? self->config->max_body_bytes : 0,
        .route = row,
    };
}

static void route_refuse(http_request *request, http_fault fault) {
    static const api_result results[] = {
        [HTTP_FAULT_NONE] = API_INTERNAL,          [HTTP_FAULT_BAD_REQUEST] = API_BAD_REQUEST,
        [HTTP_FAULT_NO_SUCH_PATH] = API_NOT_FOUND, [HTTP_FAULT_BODY_TOO_LARGE] = API_BODY_TOO_LARGE,
        [HTTP_FAULT_NO_MEMORY] = API_INTERNAL,     [HTTP_FAULT_STOPPING] = API_STOPPING,
        [HTTP_FAULT_NO_REPLY] = API_INTERNAL,
    };
    if (fault == HTTP_FAULT_NO_REPLY) {
        log_write(LOG_ERROR, "a handler gave no reply");
    }
    reply_in_kind(request, results[fault]);
}

#define CSP                                                                                        \
    "default-src 'self'; base-uri 'self'; object-src 'none'; frame-ancestors 'self'; "             \
    "form-action 'self'; img-src 'self' data: blob:; font-src 'self' data:; "                      \
    "style-src 'self' 'unsafe-inline'; connect-src 'self'; worker-src 'self' blob:; "              \
    "script-src 'self' 'wasm-unsafe-eval'"
#define CSP_VIEWER CSP "; require-trusted-types-for 'script'; trusted-types arxd dompurify"

/* A handler's own header of the same name stays as it is. */
static void add_default(http_request *request, const char *name, const char *value) {
    if (!http_has_header(request, name)) {
        http_add_header(request, name, value);
    }
}

/* A page that may call the agent interface is named: others cannot read what a browser kept. */
static void add_agent_headers(http_request *request) {
    const char *origin = http_header(request, "Origin");
    add_default(request, "Vary", "Origin");
    if (http_target_under(request, "/oui")) {
        add_default(request, "OUI-Version", "0.7.0");
    }
    if (origin == NULL || !is_welcome(request)) {
        return;
    }
    add_default(request, "Access-Control-Allow-Origin", origin);
    add_default(request, "Access-Control-Allow-Methods", "GET, HEAD, POST, DELETE, OPTIONS");
    add_default(request, "Access-Control-Allow-Headers",
                "Content-Type, Authorization, Last-Event-ID, Mcp-Protocol-Version, Mcp-Session-Id, "
                "Mcp-Method, Mcp-Name");
    add_default(request, "Access-Control-Expose-Headers",
                "OUI-Version, OUI-Surfaces-Hash, ETag, Location, Retry-After, X-Request-Id");
}

/* The one place for headers that belong to a route or to every reply. */
static void route_headers(http_request *request, unsigned status, const char *content_type) {
    unsigned flags = flags_of(request);
    add_default(request, "X-Request-Id", visit_of(request)->id);
    add_default(request, "X-Content-Type-Options", "nosniff");
    add_default(request, "Referrer-Policy", "no-referrer");
    add_default(request, "X-Frame-Options", "SAMEORIGIN");
    if (content_type != NULL && strncmp(content_type, "text/html", 9) == 0) {
        add_default(request, "Content-Security-Policy",
                    (flags & ROUTE_VIEWER) != 0 ? CSP_VIEWER : CSP);
    }
    if ((flags & ROUTE_CORS) != 0) {
        add_default(request, "Access-Control-Allow-Origin", "*");
        add_default(request, "Access-Control-Allow-Methods",
                    "GET, HEAD, POST, PUT, DELETE, OPTIONS");
        add_default(request, "Access-Control-Allow-Headers",
                    "Content-Type, Authorization, Idempotency-Key, Prefer");
    }
    if ((flags & ROUTE_AGENT) != 0) {
        add_agent_headers(request);
    }
    bool fine = status < 300 || status == 304;
    if (fine && (flags & ROUTE_IMMUTABLE) != 0) {
        add_default(request, "Cache-Control", "public, max-age=31536000, immutable");
    } else if (fine && (flags & ROUTE_REVALIDATE) != 0) {
        add_default(request, "Cache-Control", "no-cache");
    } else {
        add_default(request, "Cache-Control", "no-store");
        add_default(request, "X-Robots-Tag", "noindex");
    }
}

/* The first characters of the path's id, or NULL. */
static const char *id_prefix(const http_request *request, char prefix[VISIT_OBJECT_CHARS + 1]) {
    for (size_t i = 0; i < http_segment_count(request); i++) {
        uint8_t id[ID_BYTES];
        if (id_parse(http_segment(request, i), id)) {
            memcpy(prefix, http_segment(request, i), VISIT_OBJECT_CHARS);
            prefix[VISIT_OBJECT_CHARS] = '\0';
            return prefix;
        }
    }
    return NULL;
}

/* What admin scope made possible, whether it came about or not. */
static void audit_admin(http_request *request, const char *act, unsigned status) {
    char outcome[16];
    char prefix[VISIT_OBJECT_CHARS + 1];
    (void)snprintf(outcome, sizeof outcome, "%u", status);
    visit_audit(request, act, id_prefix(request, prefix), outcome);
}

static void count(http_request *request, const route *row, unsigned status, int64_t elapsed_us) {
    const service *self = http_service(request);
    size_t number = row != NULL ? (size_t)(row - self->routes) : METRICS_ROUTES - 1;
    metrics_request(number, status, elapsed_us);
}

static void route_ended(http_request *request, unsigned status, int64_t elapsed_us) {
    const visit *who = visit_of(request);
    const route *row = http_route(request);
    visit_end(request, status);
    count(request, row, status, elapsed_us);
    if (who->admin_act != NULL) {
        audit_admin(request, who->admin_act, status);
    }
    if (!log_wants(log_level_of(status))) {
        return;
    }
    char client[HTTP_ADDRESS_SIZE];
    char prefix[VISIT_OBJECT_CHARS + 1];
    http_address_format(&who->client, client);
    log_request(&(log_answer){
        .request = who->id,
        .client = client,
        .method = http_method_name(http_method_of(request)),
        .route = row != NULL ? row->pattern : "-",
        .object = id_prefix(request, prefix),
        .status = status,
        .elapsed_us = elapsed_us,
    });
}

const http_app route_app = {route_request, route_refuse, route_headers, route_ended, sizeof(visit)};
