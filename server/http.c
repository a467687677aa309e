/*
 * http.c - the daemon: the library's callbacks, a request's phases, waiting, start and stop.
 *
 * Threads: the callbacks run on the event thread that owns the connection; http_wake() on any;
 * http_start() and http_stop() on the main thread. What they share is atomic: a request's `wait`
 * (see http_internal.h) and the server's counters.
 */
#include "http_internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "http_framing.h"
#include "log.h"

#define BODY_FIRST_BYTES 4096u
#define LAST_WORDS_MS    200u /* for the replies of cancelled requests to be sent */

/* ---- handlers, and waiting between them ---- */

void http_replied(http_request *request) {
    request->phase = PHASE_SENT;
    atomic_store(&request->wait, WAIT_NONE);
    if (request->handling) {
        request->handling = false;
        atomic_fetch_sub(&request->server->handling, 1);
    }
}

void http_wait(http_request *request, http_handler *next) {
    request->next = next;
    atomic_store(&request->wait, WAIT_DECLARED);
}

void http_unwait(http_request *request) {
    atomic_store(&request->wait, WAIT_NONE);
}

void http_wake(http_request *request) {
    /* Both are read first: once the exchange is done the request may end at any moment. */
    http_server *server = request->server;
    struct MHD_Connection *connection = request->connection;
    atomic_fetch_add(&server->wakers, 1);
    int was = WAIT_DECLARED;
    if (!atomic_compare_exchange_strong(&request->wait, &was, WAIT_WOKEN) &&
        was == WAIT_SUSPENDED && atomic_compare_exchange_strong(&request->wait, &was, WAIT_WOKEN)) {
        if (connection != NULL) {
            MHD_resume_connection(connection);
        } else {
            http_background_go(request);
        }
    }
    atomic_fetch_sub(&server->wakers, 1);
}

/* Runs `handler` and what follows it, until there is a reply or something to wait for. */
static enum MHD_Result run(http_request *request, http_handler *handler) {
    for (;;) {
        handler(request);
        if (request->phase == PHASE_SENT) {
            return request->queued;
        }
        int was = atomic_load(&request->wait);
        if (was == WAIT_NONE) {
            request->server->options.app->refuse(request, HTTP_FAULT_NO_REPLY);
            return request->queued;
        }
        request->phase = PHASE_WAITING;
        if (was == WAIT_DECLARED) {
            MHD_suspend_connection(request->connection);
            if (!atomic_compare_exchange_strong(&request->wait, &was, WAIT_SUSPENDED)) {
                MHD_resume_connection(request->connection); /* woken just now */
            }
            return MHD_YES;
        }
        atomic_store(&request->wait, WAIT_NONE);
        handler = request->next;
    }
}

static enum MHD_Result refuse(http_request *request, http_fault fault) {
    request->server->options.app->refuse(request, fault);
    return request->queued;
}

/* The body is there, or out of the way. */
static enum MHD_Result on_body_end(http_request *request) {
    http_server *server = request->server;
    http_pace_until(request->paced, HTTP_PACE_NO_END);
    if (request->fault != HTTP_FAULT_NONE) {
        return refuse(request, request->fault);
    }
    /* Counted before the look at `closing`: http_stop() sets that and then waits for the count. */
    atomic_fetch_add(&server->handling, 1);
    request->handling = true;
    if (atomic_load(&server->closing)) {
        http_close_after(request);
        return refuse(request, HTTP_FAULT_STOPPING);
    }
    return run(request, request->chosen.handler);
}

static enum MHD_Result on_resumed(http_request *request) {
    if (atomic_load(&request->wait) != WAIT_WOKEN) {
        return MHD_YES;
    }
    atomic_store(&request->wait, WAIT_NONE);
    return run(request, request->next);
}

/* ---- the head ---- */

static enum MHD_Result add_to_framing(void *opaque, enum MHD_ValueKind kind, const char *name,
                                      size_t name_len, const char *value, size_t value_len) {
    (void)kind;
    http_framing_add(opaque, name, name_len, value != NULL ? value : name + name_len, value_len);
    return MHD_YES;
}

static void start_discarding(http_request *request, http_fault fault, int64_t now_ms) {
    request->phase = PHASE_DISCARD;
    request->fault = fault;
    http_pace_until(request->paced, now_ms + HTTP_DISCARD_MAX_MS);
}

/* `method` and `version` are where the library has them: in the head itself. */
static bool head_is_sound(const http_request *request, const char *method, const char *version,
                          http_framing *framing) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(request->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    http_framing_line(framing, method, request->line, strlen(request->target), version);
    (void)MHD_get_connection_values_n(request->connection, MHD_HEADER_KIND, add_to_framing,
                                      framing);
    http_framing_end(framing, method + info->header_size);
    return http_framing_sound(framing, strcmp(version, MHD_HTTP_VERSION_1_1) != 0);
}

/* Decides from the head what happens to the body; only what cannot wait is answered here. */
static enum MHD_Result judge_head(http_request *request, const char *method, const char *version) {
    http_server *server = request->server;
    http_framing framing = {0};
    if (!head_is_sound(request, method, version, &framing)) {
        http_close_after(request);
        return refuse(request, HTTP_FAULT_BAD_REQUEST);
    }
    if (framing.has_encoding) {
        /*
         * The library reads chunks itself, and lets LF alone end their lines, where a proxy may
         * read on: the two would find different ends. What follows is therefore never a request.
         */
        http_close_after(request);
    }
    switch (http_target_split(request->path_text, &request->path)) {
    case HTTP_TARGET_OK:
        request->chosen = server->options.app->route(request);
        break;
    case HTTP_TARGET_BAD:
        http_close_after(request);
        return refuse(request, HTTP_FAULT_BAD_REQUEST);
    case HTTP_TARGET_NOTHING:
        request->fault = HTTP_FAULT_NO_SUCH_PATH;
        break;
    }

    size_t limit = request->chosen.max_body_bytes;
    bool too_large = limit > 0 && framing.has_length && framing.length > limit;
    if ((too_large && framing.expects) || framing.length > HTTP_DISCARD_MAX_BYTES) {
        /* It asks before it sends, or nobody would read that much: said now or not at all. */
        http_close_after(request);
        return refuse(request, HTTP_FAULT_BODY_TOO_LARGE);
    }
    if (too_large) {
        http_close_after(request);
        start_discarding(request, HTTP_FAULT_BODY_TOO_LARGE, request->started_ms);
    } else if (limit > 0) {
        request->phase = PHASE_BODY;
        http_request_until(request, request->started_ms, 0);
    } else {
        start_discarding(request, request->fault, request->started_ms);
    }
    return MHD_YES;
}

static enum MHD_Result on_head(http_request *request, struct MHD_Connection *connection,
                               const char *method, const char *version) {
    request->connection = connection;
    request->started_us = clock_monotonic_us();
    request->started_ms = request->started_us / 1000;
    request->method = http_method_from(method);
    request->counted = true;
    atomic_fetch_add(&request->server->in_flight, 1);
    return judge_head(request, method, version);
}

/* ---- the body ---- */

static enum MHD_Result on_discarded_data(http_request *request, const char *data, size_t len) {
    (void)data;
    request->discarded_bytes += len;
    /* NO drops the connection: no reply is possible here. */
    return request->discarded_bytes > HTTP_DISCARD_MAX_BYTES ? MHD_NO : MHD_YES;
}

/* Gives up collecting: the rest is thrown away and then `fault` told. */
static enum MHD_Result give_up_body(http_request *request, size_t len, http_fault fault) {
    free(request->body);
    request->body = NULL;
    request->discarded_bytes = request->body_len;
    request->body_len = request->body_cap = 0;
    http_close_after(request);
    start_discarding(request, fault, clock_monotonic_ms());
    return on_discarded_data(request, NULL, len);
}

static enum MHD_Result on_body_data(http_request *request, const char *data, size_t len) {
    size_t limit = request->chosen.max_body_bytes;
    if (len > limit - request->body_len) {
        return give_up_body(request, len, HTTP_FAULT_BODY_TOO_LARGE);
    }
    size_t need = request->body_len + len;
    if (need > request->body_cap) {
        /* Doubling, not what Content-Length promises: promises cost a client nothing. */
        size_t cap = request->body_cap < BODY_FIRST_BYTES ? BODY_FIRST_BYTES : request->body_cap;
        while (cap < need) {
            cap *= 2;
        }
        cap = cap < limit ? cap : limit;
        uint8_t *body = realloc(request->body, cap);
        if (body == NULL) {
            return give_up_body(request, len, HTTP_FAULT_NO_MEMORY);
        }
        request->body = body;
        request->body_cap = cap;
    }
    memcpy(request->body + request->body_len, data, len);
    request->body_len = need;
    http_request_until(request, request->started_ms, need);
    return MHD_YES;
}

/* ---- the library's callbacks ---- */

static enum MHD_Result ignore(http_request *request) {
    (void)request;
    return MHD_YES;
}

static enum MHD_Result ignore_data(http_request *request, const char *data, size_t len) {
    (void)request;
    (void)data;
    (void)len;
    return MHD_YES;
}

/*
 * A request's phases: what a call with a piece of the body does, and one without. The first call
 * of all, in PHASE_HEAD, is on_head()'s.
 *
 *   HEAD -> BODY | DISCARD | SENT     BODY -> DISCARD | WAITING | SENT
 *   DISCARD -> WAITING | SENT         WAITING -> WAITING | SENT
 */
static const struct {
    enum MHD_Result (*data)(http_request *request, const char *data, size_t len);
    enum MHD_Result (*call)(http_request *request);
} phases[PHASE_COUNT] = {
    [PHASE_HEAD] = {ignore_data, ignore},
    [PHASE_BODY] = {on_body_data, on_body_end},
    [PHASE_DISCARD] = {on_discarded_data, on_body_end},
    [PHASE_WAITING] = {ignore_data, on_resumed},
    [PHASE_SENT] = {ignore_data, ignore},
};

/* The connections' beginnings and ends; what is kept of one, or NULL, is its socket's context. */
static void on_connection(void *opaque, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode what) {
    http_server *server = opaque;
    http_address peer;
    http_address_from(
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr,
        &peer);
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        int fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
        int64_t idle_ms = (int64_t)server->options.idle_timeout_s * 1000;
        if (http_peers_enter(server->peers, &peer)) {
            *context = http_pace_open(&server->pace, fd, clock_monotonic_ms() + idle_ms);
            if (*context == NULL) {
                http_peers_leave(server->peers, &peer);
            }
        }
    } else if (*context != NULL) {
        http_peers_leave(server->peers, &peer);
        http_pace_close(&server->pace, *context);
    }
}

static void *on_request_line(void *opaque, const char *uri, struct MHD_Connection *connection) {
    http_paced *paced =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
    return uri != NULL && paced != NULL ? http_request_create(opaque, paced, uri) : NULL;
}

static enum MHD_Result on_access(void *opaque, struct MHD_Connection *connection, const char *url,
                                 const char *method, const char *version, const char *data,
                                 size_t *data_len, void **context) {
    (void)url; /* the whole target came with the request line */
    http_request *request = *context;
    if (request == NULL) {
        return MHD_queue_response(connection, MHD_HTTP_INTERNAL_SERVER_ERROR,
                                  ((http_server *)opaque)->failure); /* no memory for it */
    }
    if (request->connection == NULL) {
        return on_head(request, connection, method, version);
    }
    if (*data_len > 0) {
        size_t len = *data_len;
        *data_len = 0;
        return phases[request->phase].data(request, data, len);
    }
    return phases[request->phase].call(request);
}

static void on_ended(void *opaque, struct MHD_Connection *connection, void **context,
                     enum MHD_RequestTerminationCode how) {
    (void)connection;
    (void)how;
    http_server *server = opaque;
    http_request *request = *context;
    *context = NULL;
    if (request == NULL) {
        return;
    }
    int64_t now_us = clock_monotonic_us();
    if (request->counted) {
        server->options.app->ended(request, request->status, now_us - request->started_us);
    }
    http_request_until(request, now_us / 1000, 0); /* for the next one's head */
    bool counted = request->counted;
    bool handling = request->handling;
    http_request_free(request);
    if (handling) {
        atomic_fetch_sub(&server->handling, 1);
    }
    if (counted) {
        atomic_fetch_sub(&server->in_flight, 1);
    }
}

/* Paths and queries reach us as they came; http_target.c decodes them, knowing what it splits. */
static size_t leave_escapes(void *opaque, struct MHD_Connection *connection, char *text) {
    (void)opaque;
    (void)connection;
    return strlen(text);
}

__attribute__((format(printf, 2, 0))) static void library_log(void *opaque, const char *format,
                                                              va_list arguments) {
    (void)opaque;
    log_vwrite(LOG_DEBUG, format, arguments);
}

/* ---- start ---- */

typedef union socket_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} socket_address;

static bool parse_address(const char *host, uint16_t port, socket_address *address,
                          socklen_t *len) {
    memset(address, 0, sizeof *address);
    if (strcmp(host, "localhost") == 0) {
        host = "127.0.0.1";
    }
    if (inet_pton(AF_INET, host, &address->v4.sin_addr) == 1) {
        address->v4.sin_family = AF_INET;
        address->v4.sin_port = htons(port);
        *len = sizeof address->v4;
        return true;
    }
    if (inet_pton(AF_INET6, host, &address->v6.sin6_addr) == 1) {
        address->v6.sin6_family = AF_INET6;
        address->v6.sin6_port = htons(port);
        *len = sizeof address->v6;
        return true;
    }
    return false;
}

/* Opens the listening socket, or returns -1 with the reason. */
static int open_listener(const http_options *options, uint16_t *port, char *why, size_t why_size) {
    socket_address address;
    socklen_t len;
    if (!parse_address(options->host, options->port, &address, &len)) {
        (void)snprintf(why, why_size, "cannot listen on %s: not an IPv4 or IPv6 address",
                       options->host);
        return -1;
    }
    int on = 1;
    int off = 0;
    int fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        goto fail;
    }
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (address.any.sa_family == AF_INET6) {
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off); /* :: takes IPv4 too */
    }
    if (bind(fd, &address.any, len) != 0 || listen(fd, 1024) != 0 ||
        getsockname(fd, &address.any, &len) != 0) {
        goto fail;
    }
    *port = ntohs(address.any.sa_family == AF_INET ? address.v4.sin_port : address.v6.sin6_port);
    return fd;

fail:
    (void)snprintf(why, why_size, "cannot listen on %s port %u: %s", options->host,
                   (unsigned)options->port, strerror(errno));
    if (fd >= 0) {
        (void)close(fd);
    }
    return -1;
}

/*
 * Connections over the address's limit are closed at once. The library's own limit counts each IPv6
 * address of a network as another client, and takes a proxy for one.
 *
 * While the server stops, whoever still connects is closed at once. MHD_quiesce_daemon would stop
 * listening instead, but it takes the listener out of each thread's epoll set while that thread may
 * be doing the same, and whichever comes second aborts the process (0.9.75).
 */
static enum MHD_Result admit(void *cls, const struct sockaddr *address, socklen_t len) {
    const http_server *server = cls;
    const http_options *options = &server->options;
    (void)len;
    if (atomic_load(&server->stopping)) {
        return MHD_NO;
    }
    /* Behind a proxy every connection is the proxy's, which has a limit of its own. */
    if (options->max_per_address == 0 || options->trusted_hops > 0) {
        return MHD_YES;
    }
    http_address peer;
    http_address_from(address, &peer);
    return http_peers_count(server->peers, &peer) < options->max_per_address ? MHD_YES : MHD_NO;
}

http_server *http_start(const http_options *options, char *why, size_t why_size) {
    http_server *server = calloc(1, sizeof *server);
    if (server == NULL) {
        (void)snprintf(why, why_size, "no memory to start the server");
        return NULL;
    }
    server->options = *options;
    http_pace_init(&server->pace);
    server->peers = http_peers_create(options->max_connections);
    if (server->peers == NULL) {
        (void)snprintf(why, why_size, "no memory for %u connections; see --max-connections",
                       options->max_connections);
        goto fail;
    }
    server->failure = http_failure_create();
    if (server->failure == NULL) {
        (void)snprintf(why, why_size, "no memory to start the server");
        goto fail;
    }
    server->listen_fd = open_listener(options, &server->port, why, why_size);
    if (server->listen_fd < 0) {
        goto fail;
    }
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    struct MHD_OptionItem pool[] = {
        /* A pool of one is the plain daemon; the library warns when asked for it by number. */
        {options->threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END,
         (intptr_t)options->threads, NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    /* The logger comes first, so that what the library says of other options goes there. */
    server->daemon = MHD_start_daemon(
        flags, server->port, admit, server, on_access, server, MHD_OPTION_EXTERNAL_LOGGER,
        library_log, NULL, MHD_OPTION_LISTEN_SOCKET, server->listen_fd,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_CONNECTION_LIMIT, options->max_connections,
        MHD_OPTION_CONNECTION_TIMEOUT, options->idle_timeout_s, MHD_OPTION_UNESCAPE_CALLBACK,
        leave_escapes, NULL, MHD_OPTION_URI_LOG_CALLBACK, on_request_line, server,
        MHD_OPTION_NOTIFY_COMPLETED, on_ended, server, MHD_OPTION_NOTIFY_CONNECTION, on_connection,
        server, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_ARRAY, pool, MHD_OPTION_END);
    if (server->daemon == NULL) {
        (void)snprintf(why, why_size, "cannot start the HTTP server: %s",
                       errno != 0 ? strerror(errno) : "out of memory or file descriptors");
        (void)close(server->listen_fd);
        goto fail;
    }
    return server;

fail:
    if (server->failure != NULL) {
        MHD_destroy_response(server->failure);
    }
    http_pace_destroy(&server->pace);
    http_peers_free(server->peers);
    free(server);
    return NULL;
}

unsigned http_connections(http_server *server) {
    return http_peers_total(server->peers);
}

uint16_t http_port(const http_server *server) {
    return server->port;
}

void http_enforce_pace(http_server *server, int64_t now_ms) {
    http_pace_enforce(&server->pace, now_ms);
}

/* ---- stop ---- */

static void pause_briefly(void) {
    (void)nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

/* Waits for the end of every request in flight, at most so long. */
static bool wait_until_ended(http_server *server, unsigned limit_ms) {
    int64_t end_ms = clock_monotonic_ms() + limit_ms;
    while (atomic_load(&server->in_flight) > 0) {
        if (clock_monotonic_ms() >= end_ms) {
            return false;
        }
        http_enforce_pace(server, clock_monotonic_ms()); /* whoever has left is not waited for */
        pause_briefly();
    }
    return true;
}

/*
 * The library aborts the process when it is stopped with a suspended connection or signalled
 * after its end. Hence the order: nothing new in; what is in flight gets its time; no handler
 * begins any more; all that have begun have replied and no thread is inside http_wake(); stop.
 */
bool http_stop(http_server *server, unsigned grace_ms, void (*cancel)(void *service)) {
    atomic_store(&server->stopping, true);
    bool drained = wait_until_ended(server, grace_ms);
    atomic_store(&server->closing, true);
    if (!drained && cancel != NULL) {
        cancel(server->options.service);
    }
    while (atomic_load(&server->handling) > 0 || atomic_load(&server->wakers) > 0) {
        pause_briefly();
    }
    if (!drained) {
        (void)wait_until_ended(server, LAST_WORDS_MS);
    }
    MHD_stop_daemon(server->daemon); /* closes the listener too */
    MHD_destroy_response(server->failure);
    http_pace_destroy(&server->pace);
    http_peers_free(server->peers);
    free(server);
    return drained;
}
