/*
 * http_request.c - a request's life and what handlers may ask it. Event thread only.
 */
#include "http_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "clock.h"

http_request *http_request_create(http_server *server, http_paced *paced, const char *target) {
    http_request *request = calloc(1, sizeof *request + server->options.app->context_bytes);
    if (request == NULL) {
        return NULL;
    }
    request->server = server;
    request->paced = paced;
    request->line = target;
    request->headers_end = &request->headers;
    request->target = strdup(target);
    request->path_text = strdup(target);
    if (request->target == NULL || request->path_text == NULL) {
        http_request_free(request);
        return NULL;
    }
    return request;
}

void http_request_free(http_request *request) {
    if (request->free_state != NULL) {
        request->free_state(request->state);
    }
    while (request->blocks != NULL) {
        http_block *block = request->blocks;
        request->blocks = block->next;
        free(block);
    }
    while (request->headers != NULL) {
        http_header_line *line = request->headers;
        request->headers = line->next;
        free(line);
    }
    free(request->parameters);
    free(request->body);
    free(request->path_text);
    free(request->target);
    free(request);
}

void http_request_until(http_request *request, int64_t from_ms, uint64_t bytes) {
    int64_t idle_ms = (int64_t)request->server->options.idle_timeout_s * 1000;
    http_pace_until(request->paced, from_ms + idle_ms + http_pace_ms(bytes));
}

char *http_request_alloc(http_request *request, size_t len) {
    http_block *block = malloc(sizeof *block + len);
    if (block == NULL) {
        return NULL;
    }
    block->next = request->blocks;
    request->blocks = block;
    return block->text;
}

static const struct {
    const char *word;
    http_method method;
} methods[] = {
    {"GET", HTTP_GET},       {"HEAD", HTTP_HEAD},       {"POST", HTTP_POST},   {"PUT", HTTP_PUT},
    {"DELETE", HTTP_DELETE}, {"OPTIONS", HTTP_OPTIONS}, {"PATCH", HTTP_PATCH},
};

http_method http_method_from(const char *word) {
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        if (strcmp(word, methods[i].word) == 0) {
            return methods[i].method;
        }
    }
    return HTTP_UNKNOWN;
}

const char *http_method_name(http_method method) {
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        if (method == methods[i].method) {
            return methods[i].word;
        }
    }
    return "other";
}

http_method http_method_of(const http_request *request) {
    return request->method;
}

size_t http_segment_count(const http_request *request) {
    return request->path.count;
}

const char *http_segment(const http_request *request, size_t i) {
    return i < request->path.count ? request->path.segments[i] : NULL;
}

const char *http_target_text(const http_request *request) {
    return request->target;
}

bool http_target_under(const http_request *request, const char *prefix) {
    size_t len = strlen(prefix);
    return strncmp(request->target, prefix, len) == 0 &&
           (request->target[len] == '\0' || strchr("/?", request->target[len]) != NULL);
}

const char *http_query(http_request *request, const char *name) {
    if (request->path.query == NULL) {
        return NULL;
    }
    if (request->parameters == NULL) {
        request->parameters = calloc(HTTP_MAX_PARAMETERS, sizeof *request->parameters);
        if (request->parameters == NULL) {
            request->broken = true;
            return NULL;
        }
        request->parameter_count = http_query_split(request->path.query, request->parameters);
    }
    for (size_t i = 0; i < request->parameter_count; i++) {
        if (strcmp(request->parameters[i].name, name) == 0) {
            return request->parameters[i].value;
        }
    }
    return NULL;
}

/* Gathers the values of one header. The first pass counts, the second joins. */
typedef struct header_search {
    const char *name;
    const char *first;
    size_t count;
    size_t len; /* of all values and the ", " between them */
    char *joined;
} header_search;

static enum MHD_Result gather(void *opaque, enum MHD_ValueKind kind, const char *name,
                              const char *value) {
    (void)kind;
    header_search *search = opaque;
    if (value == NULL || strcasecmp(name, search->name) != 0) {
        return MHD_YES;
    }
    size_t len = strlen(value);
    if (search->joined != NULL) {
        if (search->len > 0) {
            memcpy(search->joined + search->len, ", ", 2);
            search->len += 2;
        }
        memcpy(search->joined + search->len, value, len + 1);
        search->len += len;
        return MHD_YES;
    }
    if (search->count++ == 0) {
        search->first = value;
    } else {
        search->len += 2;
    }
    search->len += len;
    return MHD_YES;
}

const char *http_header(http_request *request, const char *name) {
    header_search search = {.name = name};
    if (request->connection == NULL) {
        return NULL;
    }
    (void)MHD_get_connection_values(request->connection, MHD_HEADER_KIND, gather, &search);
    if (search.count <= 1) {
        return search.first;
    }
    search.joined = http_request_alloc(request, search.len + 1);
    if (search.joined == NULL) {
        request->broken = true;
        return NULL;
    }
    search.len = 0;
    search.joined[0] = '\0';
    (void)MHD_get_connection_values(request->connection, MHD_HEADER_KIND, gather, &search);
    return search.joined;
}

const uint8_t *http_body(const http_request *request, size_t *len) {
    *len = request->body_len;
    return request->body_len > 0 ? request->body : (const uint8_t *)"";
}

const char *http_origin(http_request *request) {
    const http_options *options = &request->server->options;
    if (options->public_url != NULL) {
        return options->public_url;
    }
    if (request->origin != NULL) {
        return request->origin;
    }
    const char *scheme = http_scheme(request);
    const char *host = http_header(request, "Host");
    char own[80];
    if (host == NULL || *host == '\0') {
        bool v6 = strchr(options->host, ':') != NULL;
        (void)snprintf(own, sizeof own, "%s%s%s:%u", v6 ? "[" : "", options->host, v6 ? "]" : "",
                       (unsigned)request->server->port);
        host = own;
    }
    size_t size = strlen(scheme) + strlen("://") + strlen(host) + 1;
    request->origin = http_request_alloc(request, size);
    if (request->origin != NULL) {
        (void)snprintf(request->origin, size, "%s://%s", scheme, host);
    }
    return request->origin;
}

const void *http_route(const http_request *request) {
    return request->chosen.route;
}

void http_set_state(http_request *request, void *state, void (*free_state)(void *)) {
    request->state = state;
    request->free_state = free_state;
}

void *http_state(const http_request *request) {
    return request->state;
}

void *http_context(http_request *request) {
    return request->context;
}

int64_t http_started_ms(const http_request *request) {
    return request->started_ms;
}

void *http_service(const http_request *request) {
    return request->server->options.service;
}
