/*
 * http_internal.h - what http.c, http_request.c and http_reply.c share. Included by http*.c only.
 */
#ifndef ARXD_HTTP_INTERNAL_H
#define ARXD_HTTP_INTERNAL_H

#include "http.h"

#include <microhttpd.h>
#include <stdatomic.h>
#include <stddef.h>

#include "http_pace.h"
#include "http_peers.h"
#include "http_target.h"

/*
 * Counters are what http_stop() waits for; see there. Everything else is fixed after the start.
 */
struct http_server {
    http_options options;
    struct MHD_Daemon *daemon;
    struct MHD_Response *failure; /* a plain 500 that needs no memory, and closes */
    http_peers *peers;
    int listen_fd;
    uint16_t port;
    http_pace pace;
    atomic_uint in_flight; /* requests from the end of their head until they have ended */
    atomic_uint handling;  /* those among them whose handler has begun and not replied: may wait */
    atomic_uint wakers;    /* threads inside http_wake() */
    atomic_bool stopping;  /* every reply closes its connection */
    atomic_bool closing;   /* no handler begins any more */
};

/* Where a request stands between two calls of the library; only its event thread looks. */
typedef enum http_phase {
    PHASE_HEAD,    /* nothing seen but the request line */
    PHASE_BODY,    /* the body is collected */
    PHASE_DISCARD, /* the body is thrown away */
    PHASE_WAITING, /* suspended, or about to be called again */
    PHASE_SENT,    /* a reply is queued */
    PHASE_COUNT
} http_phase;

/*
 * How a wait stands; the one thing two threads change. The event thread goes NONE -> DECLARED
 * -> SUSPENDED, the waker from either of the latter to WOKEN, and only a waker that found SUSPENDED
 * resumes the connection: so it is resumed once, and never before it was suspended.
 */
typedef enum http_wait_state {
    WAIT_NONE,
    WAIT_DECLARED,
    WAIT_SUSPENDED,
    WAIT_WOKEN
} http_wait_state;

/* Memory that lives as long as the request. */
typedef struct http_block {
    struct http_block *next;
    char text[];
} http_block;

typedef struct http_header_line {
    struct http_header_line *next;
    char *value; /* in the same allocation as the name */
    char name[];
} http_header_line;

struct http_request {
    http_server *server;
    struct MHD_Connection *connection; /* NULL before the head, and in the background */
    http_paced *paced;
    http_phase phase;
    atomic_int wait; /* http_wait_state */
    http_handler *next;

    http_method method;
    const char *line; /* the target where the library has it; good until the head is judged */
    char *target;     /* as it came */
    http_path path;
    char *path_text;            /* what `path` points into */
    http_parameter *parameters; /* NULL until asked for */
    size_t parameter_count;
    char *origin;
    http_block *blocks;
    int64_t started_ms;
    int64_t started_us;

    http_target chosen;
    http_fault fault; /* to be told once the body is out of the way */
    uint8_t *body;
    size_t body_len;
    size_t body_cap;
    uint64_t discarded_bytes;

    http_header_line *headers; /* of the reply, in the order added */
    http_header_line **headers_end;
    bool broken; /* something could not be kept for want of memory: the reply is a plain 500 */
    bool close;
    bool counted;  /* in server->in_flight */
    bool handling; /* in server->handling */
    unsigned status;
    enum MHD_Result queued; /* what the library said to the reply */

    void *state;
    void (*free_state)(void *);
    http_reader *read; /* of a stream */
    void *read_opaque;
    void (*ended)(void *); /* in the background */
    void *ended_opaque;
    max_align_t context[]; /* the application's: http_context() */
};

/* Makes and frees requests; both on the event thread. NULL without memory. */
http_request *http_request_create(http_server *server, http_paced *paced, const char *target);
void http_request_free(http_request *request);
/* `len` bytes that live as long as the request, or NULL. */
char *http_request_alloc(http_request *request, size_t len);
http_method http_method_from(const char *word);

/* http_client.c */
void http_address_from(const struct sockaddr *socket_address, http_address *address);
/* "http" or "https" */
const char *http_scheme(http_request *request);

/* From then on the connection has the idle timeout and what `bytes` may take: http_pace.h. */
void http_request_until(http_request *request, int64_t from_ms, uint64_t bytes);

/* http_background.c: a background request was woken. */
void http_background_go(http_request *request);

/* http_reply.c: the 500 that is left to say when no reply could be made. NULL without memory. */
struct MHD_Response *http_failure_create(void);
/* Told when a reply was queued, to end the request's wait and handling. */
void http_replied(http_request *request);

#endif
