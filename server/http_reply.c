/*
 * http_reply.c - the reply: headers collected, one response queued. Event thread only.
 *
 * Content-Length is the library's alone: one set here would go out a second time.
 */
#include "http_internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "clock.h"

#define STREAM_BLOCK_BYTES 4096

void http_add_header(http_request *request, const char *name, const char *value) {
    size_t name_size = strlen(name) + 1;
    size_t value_size = strlen(value) + 1;
    http_header_line *line = malloc(sizeof *line + name_size + value_size);
    if (line == NULL) {
        request->broken = true;
        return;
    }
    line->next = NULL;
    line->value = line->name + name_size;
    memcpy(line->name, name, name_size);
    memcpy(line->value, value, value_size);
    *request->headers_end = line;
    request->headers_end = &line->next;
}

bool http_has_header(const http_request *request, const char *name) {
    for (const http_header_line *line = request->headers; line != NULL; line = line->next) {
        if (strcasecmp(line->name, name) == 0) {
            return true;
        }
    }
    return false;
}

void http_close_after(http_request *request) {
    request->close = true;
}

static bool put_headers(const http_request *request, const char *content_type,
                        struct MHD_Response *response) {
    if (request->broken) {
        return false;
    }
    if (content_type != NULL &&
        MHD_add_response_header(response, "Content-Type", content_type) != MHD_YES) {
        return false;
    }
    for (const http_header_line *line = request->headers; line != NULL; line = line->next) {
        if (MHD_add_response_header(response, line->name, line->value) != MHD_YES) {
            return false;
        }
    }
    return true;
}

struct MHD_Response *http_failure_create(void) {
    static const char text[] = "Internal server error";
    static const char *const headers[][2] = {{"Content-Type", "text/plain; charset=utf-8"},
                                             {"X-Content-Type-Options", "nosniff"},
                                             {"Connection", "close"}};
    struct MHD_Response *response = MHD_create_response_from_buffer(
        sizeof text - 1, (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT);
    for (size_t i = 0; response != NULL && i < sizeof headers / sizeof headers[0]; i++) {
        if (MHD_add_response_header(response, headers[i][0], headers[i][1]) != MHD_YES) {
            MHD_destroy_response(response);
            response = NULL;
        }
    }
    return response;
}

/*
 * Ends the request with `response`, of `len` bytes, or, where that is NULL or cannot carry its
 * headers, a 500.
 */
static void queue(http_request *request, unsigned status, const char *content_type,
                  struct MHD_Response *response, size_t len) {
    request->server->options.app->headers(request, status, content_type);
    if (response != NULL && !put_headers(request, content_type, response)) {
        MHD_destroy_response(response);
        response = NULL;
    }
    bool failed = response == NULL;
    if (failed) {
        status = MHD_HTTP_INTERNAL_SERVER_ERROR;
        response = request->server->failure; /* shared: nothing is added to it */
    } else if (request->close || atomic_load(&request->server->stopping)) {
        (void)MHD_add_response_header(response, "Connection", "close");
    }
    request->status = status;
    http_request_until(request, clock_monotonic_ms(), len);
    request->queued = MHD_queue_response(request->connection, status, response);
    if (!failed) {
        MHD_destroy_response(response);
    }
    http_replied(request);
}

void http_send(http_request *request, unsigned status, const char *content_type, uint8_t *body,
               size_t len) {
    struct MHD_Response *response =
        MHD_create_response_from_buffer(len, body, MHD_RESPMEM_MUST_FREE);
    if (response == NULL) {
        free(body);
    }
    queue(request, status, content_type, response, len);
}

void http_send_static(http_request *request, unsigned status, const char *content_type,
                      const void *body, size_t len) {
    /* The library's interface is older than its promise not to write. */
    queue(request, status, content_type,
          MHD_create_response_from_buffer(len, (void *)(uintptr_t)body, MHD_RESPMEM_PERSISTENT),
          len);
}

void http_send_parts(http_request *request, unsigned status, const char *content_type,
                     const http_part *parts, size_t count, void *owned) {
    struct MHD_IoVec vector[HTTP_MAX_PARTS];
    unsigned used = 0;
    size_t len = 0;
    bool fits = true;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].len > 0 && used < HTTP_MAX_PARTS) {
            vector[used++] = (struct MHD_IoVec){parts[i].data, parts[i].len};
            len += parts[i].len;
        } else if (parts[i].len > 0) {
            fits = false;
        }
    }
    struct MHD_Response *response =
        fits ? MHD_create_response_from_iovec(vector, used, free, owned) : NULL;
    if (response == NULL) {
        free(owned);
    }
    queue(request, status, content_type, response, len);
}

/* ---- streams ---- */

/*
 * Suspended while there is nothing to send, by the same states as a request that waits: the wake
 * may come at any moment between the look and the suspension.
 */
static ssize_t read_stream(void *opaque, uint64_t position, char *out, size_t max) {
    http_request *request = opaque;
    (void)position;
    atomic_store(&request->wait, WAIT_DECLARED);
    ssize_t len = request->read(request->read_opaque, (uint8_t *)out, max);
    if (len < 0) {
        return MHD_CONTENT_READER_END_OF_STREAM;
    }
    if (len == 0) {
        int was = WAIT_DECLARED;
        MHD_suspend_connection(request->connection);
        if (!atomic_compare_exchange_strong(&request->wait, &was, WAIT_SUSPENDED)) {
            MHD_resume_connection(request->connection); /* woken just now */
        }
    }
    return len;
}

void http_send_stream(http_request *request, unsigned status, const char *content_type,
                      http_reader *read, void *opaque) {
    request->read = read;
    request->read_opaque = opaque;
    queue(request, status, content_type,
          MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK_BYTES, read_stream,
                                            request, NULL),
          0);
    http_pace_until(request->paced, HTTP_PACE_NO_END);
}
