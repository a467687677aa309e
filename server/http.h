/*
 * http.h - the one place that speaks HTTP: requests in, replies out, waiting in between.
 *
 * Only http*.c include microhttpd.h. A request goes through the states
 *
 *     head -> [body] -> handler -> ( reply | wait -> next -> ... -> reply ) -> sent
 *
 * Handlers and `next` functions run on the event thread that owns the connection and must not
 * block. What can block is handed to jobs.h (CPU) or store.h (database); the request waits:
 *
 *     http_wait(request, next);       from now on the request waits; then hand the work over
 *     http_wake(request);             from any thread, once per wait, when the work is done
 *
 * after which `next(request)` runs on the event thread. A handler that returns has either replied
 * or waits. The wake may come before the handler has returned; then nothing is suspended. Where the
 * work could not be handed over, http_unwait() takes the wait back.
 *
 * The request lives until its reply is sent or its connection lost, and never ends while it waits.
 * Strings a request gives are NUL-terminated, hold no NUL, and live as long as it.
 */
#ifndef ARXD_HTTP_H
#define ARXD_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct http_server http_server;
typedef struct http_request http_request;

typedef enum http_method {
    HTTP_GET = 1u << 0,
    HTTP_HEAD = 1u << 1,
    HTTP_POST = 1u << 2,
    HTTP_PUT = 1u << 3,
    HTTP_DELETE = 1u << 4,
    HTTP_OPTIONS = 1u << 5,
    HTTP_PATCH = 1u << 6,
    HTTP_UNKNOWN = 1u << 7, /* any other word */
} http_method;

typedef void http_handler(http_request *request);

/* ---- the application behind the server ---- */

/* What is wrong with a request before any handler could see it. */
typedef enum http_fault {
    HTTP_FAULT_NONE,
    HTTP_FAULT_BAD_REQUEST, /* framing or target that cannot be trusted; the connection is closed */
    HTTP_FAULT_NO_SUCH_PATH, /* a path that names nothing: empty or dot segments, %00, backslash */
    HTTP_FAULT_BODY_TOO_LARGE, /* over the route's limit; the connection is closed */
    HTTP_FAULT_NO_MEMORY,
    HTTP_FAULT_STOPPING, /* the server is about to close; the connection is closed */
    HTTP_FAULT_NO_REPLY, /* a handler neither replied nor waits */
} http_fault;

/* What the application wants done with a request. */
typedef struct http_target {
    http_handler *handler; /* never NULL; called once the body has been read */
    size_t max_body_bytes; /* 0: the route takes no body; what comes is read and thrown away */
    const void *route;     /* the application's own: http_route() */
} http_target;

/* All four run on the request's event thread. */
typedef struct http_app {
    /* The head is complete: method, segments, query and headers can be asked for. */
    http_target (*route)(http_request *request);
    /* Replies to a fault with one of the http_send functions. */
    void (*refuse)(http_request *request, http_fault fault);
    /* The reply is about to go: adds the headers that do not depend on the handler. */
    void (*headers)(http_request *request, unsigned status, const char *content_type);
    /* The request has ended. status: 0 when no reply was made. */
    void (*ended)(http_request *request, unsigned status, int64_t elapsed_us);
    size_t context_bytes; /* what each request carries for the application: http_context() */
} http_app;

/* ---- addresses ---- */

/* An address in network order; IPv4 as ::ffff:a.b.c.d. */
typedef struct http_address {
    uint8_t bytes[16];
} http_address;

/* As X-Forwarded-For writes it, a port behind it or not. Pure. */
bool http_address_parse(const char *text, size_t len, http_address *address);
#define HTTP_ADDRESS_SIZE 46
void http_address_format(const http_address *address, char text[HTTP_ADDRESS_SIZE]);
/* Entry number `hops` (at least 1) from the right of a comma-separated list, or its first. Pure. */
const char *http_hop(const char *list, unsigned hops, size_t *len);

/* ---- the request, as a handler sees it ---- */

http_method http_method_of(const http_request *request);
/* "GET" and so on; "other" for HTTP_UNKNOWN. */
const char *http_method_name(http_method method);
/* Path segments, each percent-decoded once; none for "/". */
size_t http_segment_count(const http_request *request);
const char *http_segment(const http_request *request, size_t i);
/* Path and query as they came. */
const char *http_target_text(const http_request *request);
/* True when the target as it came is `prefix` or lies below it; also for refused paths. */
bool http_target_under(const http_request *request, const char *prefix);
/*
 * The decoded value of a query parameter: "" when it has none, NULL when it is absent. The first
 * one of that name counts; `+` is a space; escapes that are broken or give NUL stay as they are.
 * NULL, too, without memory: the reply becomes a plain 500 then.
 */
const char *http_query(http_request *request, const char *name);
/*
 * A request header, or NULL. Repeated headers come joined by ", ". NULL, too, without memory for
 * that: the reply becomes a plain 500 then.
 */
const char *http_header(http_request *request, const char *name);
/* The body; empty for methods without one. Borrowed until the reply is sent. */
const uint8_t *http_body(const http_request *request, size_t *len);
/*
 * What links start with: ARXD_PUBLIC_URL, else scheme and Host, "https://host". No slash at its
 * end. NULL without memory.
 */
const char *http_origin(http_request *request);
/*
 * The client's address: the peer's, or with trusted proxies in front the one that the outermost of
 * them saw, by X-Forwarded-For counted from the right.
 */
void http_client(http_request *request, http_address *address);
/* What the application's route() gave as `route`; NULL before. */
const void *http_route(const http_request *request);
/* One pointer of the handler's, freed with `free_state` when the request ends (also on abort). */
void http_set_state(http_request *request, void *state, void (*free_state)(void *));
void *http_state(const http_request *request);
/* The application's memory, http_app.context_bytes of it; zero when the request begins. */
void *http_context(http_request *request);
/* Monotonic ms at which the request's head was complete. */
int64_t http_started_ms(const http_request *request);
/* The server's own pointer, given to http_start(): the service (see service.h). */
void *http_service(const http_request *request);

/* ---- waiting ---- */

void http_wait(http_request *request, http_handler *next);
void http_wake(http_request *request);
void http_unwait(http_request *request);

/* ---- work that goes on without its client ---- */

/*
 * A request without a connection: it has `from`'s origin, start, service and context, but no path,
 * header or body, and is never replied to. NULL without memory.
 */
http_request *http_background(http_request *from);
/*
 * Runs `first` and whatever it waits for, each on the thread that woke it (the caller's at first,
 * then a worker's or the store's): so they must be brief. When a handler returns without waiting,
 * the request ends with its state, and then `ended(opaque)` is called. http_stop() waits for that
 * as for any other request's end.
 */
void http_background_run(http_request *background, http_handler *first, void (*ended)(void *opaque),
                         void *opaque);

/* ---- the reply; exactly one of the http_send functions ends it ---- */

/*
 * Adds a header; name and value are copied. Content-Length and Date are the library's. A value must
 * not be empty nor hold a control character: the reply becomes a plain 500 then.
 */
void http_add_header(http_request *request, const char *name, const char *value);
/* True when the handler has added a header of that name. */
bool http_has_header(const http_request *request, const char *name);
/* The connection ends with this reply. */
void http_close_after(http_request *request);

/* A body the reply owns from now on (free()d when sent, also on failure). NULL with length 0. */
void http_send(http_request *request, unsigned status, const char *content_type, uint8_t *body,
               size_t len);
/* A body that outlives the server (tables in memory). content_type NULL: none is sent. */
void http_send_static(http_request *request, unsigned status, const char *content_type,
                      const void *body, size_t len);

/* Several pieces sent without joining them. `owned` is free()d when the reply has been sent. */
typedef struct http_part {
    const void *data;
    size_t len;
} http_part;
#define HTTP_MAX_PARTS 16

/*
 * A body that is made while it is sent, for as long as that may take. `read` fills in up to `max`
 * bytes and says how many; 0: there is nothing now, and http_wake() will be called; -1: that was
 * all. Event thread. The memory behind `opaque` is part of the request's state.
 */
typedef ssize_t http_reader(void *opaque, uint8_t *out, size_t max);
void http_send_stream(http_request *request, unsigned status, const char *content_type,
                      http_reader *read, void *opaque);

void http_send_parts(http_request *request, unsigned status, const char *content_type,
                     const http_part *parts, size_t count, void *owned);

/* ---- the server ---- */

/*
 * A client must move on: a connection that takes longer than idle_timeout_s for a request's head,
 * or sends a body or takes a reply more slowly than this after as long, is ended. See http_pace.h.
 */
#define HTTP_MIN_BYTES_PER_S 1024u

/* A body over its limit, or one nobody wants, is read and discarded up to these. */
#define HTTP_DISCARD_MAX_BYTES (64u * 1024u * 1024u)
#define HTTP_DISCARD_MAX_MS    10000

typedef struct http_options {
    const char *host; /* IPv4 or IPv6 address, or "localhost" */
    uint16_t port;    /* 0: any free one */
    unsigned threads; /* event threads */
    unsigned max_connections;
    unsigned max_per_address; /* connections from one IPv4 address or IPv6 /64; 0: no limit. Not */
                              /* looked at with trusted proxies, whose connections all are */
    unsigned idle_timeout_s;  /* a connection on which nothing moves, or too slowly, is closed */
    const char *public_url;   /* or NULL */
    unsigned trusted_hops;
    const http_app *app;
    void *service;
} http_options;

/* Starts listening. NULL with a reason in `why` (one line). The options' strings are borrowed. */
http_server *http_start(const http_options *options, char *why, size_t why_size);
uint16_t http_port(const http_server *server);
/* Connections that are open. */
unsigned http_connections(http_server *server);
/* Ends connections that are too slow or at their end. Any thread, but not beside http_stop(). */
void http_enforce_pace(http_server *server, int64_t now_ms);
/*
 * Orderly stop: no new connections; waits until every request in flight is answered, at most
 * grace_ms; then calls `cancel(service)` (may be NULL), which must bring about the wake of every
 * request that still waits, and closes. True when all was drained within the grace. Frees the
 * server. While it runs, whatever wakes requests must still work: stop jobs and store afterwards.
 */
bool http_stop(http_server *server, unsigned grace_ms, void (*cancel)(void *service));

#endif
