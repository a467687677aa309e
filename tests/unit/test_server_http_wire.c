/*
 * The server on the wire: what goes out for what comes in, byte by byte, through a real socket.
 * A small application of its own stands behind it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "vectors.h"

#include "clock.h"
#include "http.h"

#define LIMIT 100000u

/* ---- the application ---- */

static atomic_int ended;
static atomic_int states_freed;

static void echo(http_request *request) {
    size_t len;
    const uint8_t *body = http_body(request, &len);
    uint8_t *copy = malloc(len + 1);
    assert_non_null(copy);
    memcpy(copy, body, len);
    http_send(request, 200, "text/plain", copy, len);
}

/* "/show/x?q=v": what the handler was given. */
static void show(http_request *request) {
    char text[400];
    const char *q = http_query(request, "q");
    const char *list = http_header(request, "X-List");
    int len = snprintf(text, sizeof text, "%zu|%s|%s|%s|%s", http_segment_count(request),
                       http_segment(request, 1) != NULL ? http_segment(request, 1) : "-",
                       q != NULL ? q : "-", list != NULL ? list : "-", http_origin(request));
    uint8_t *copy = malloc((size_t)len + 1);
    assert_non_null(copy);
    memcpy(copy, text, (size_t)len);
    http_send(request, 200, "text/plain", copy, (size_t)len);
}

static void parts(http_request *request) {
    static char middle[200000];
    memset(middle, 'm', sizeof middle);
    char *owned = strdup("tail");
    assert_non_null(owned);
    const http_part list[] = {{"head", 4}, {NULL, 0}, {middle, sizeof middle}, {owned, 4}};
    http_add_header(request, "ETag", "\"x\"");
    http_send_parts(request, 200, "text/html; charset=utf-8", list, 4, owned);
}

static void nothing(http_request *request) {
    http_send_static(request, 204, NULL, "", 0);
}

static void bad_header(http_request *request) {
    http_add_header(request, "X-Bad", "a\r\nSet-Cookie: b");
    http_send_static(request, 200, "text/plain", "x", 1);
}

static void forgetful(http_request *request) {
    (void)request;
}

/* Waiting: `waits` rounds, each woken in another way. */
typedef struct waiting {
    http_request *request;
    int rounds;
    bool early;
    pthread_t thread;
    bool joinable;
} waiting;

static void free_waiting(void *state) {
    waiting *w = state;
    if (w->joinable) {
        pthread_join(w->thread, NULL);
    }
    free(w);
    atomic_fetch_add(&states_freed, 1);
}

static void *wake_later(void *arg) {
    waiting *w = arg;
    if (!w->early) {
        nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
    }
    http_wake(w->request);
    return NULL;
}

static void next_round(http_request *request) {
    waiting *w = http_state(request);
    if (w->joinable) {
        pthread_join(w->thread, NULL);
        w->joinable = false;
    }
    if (w->rounds-- == 0) {
        http_send_static(request, 200, "text/plain", "woken", 5);
        return;
    }
    http_wait(request, next_round);
    if (w->rounds % 3 == 0) {
        http_wake(request); /* done before the handler returns */
        return;
    }
    w->early = w->rounds % 3 == 1;
    assert_int_equal(pthread_create(&w->thread, NULL, wake_later, w), 0);
    w->joinable = true;
}

static void waits(http_request *request) {
    waiting *w = calloc(1, sizeof *w);
    assert_non_null(w);
    *w = (waiting){.request = request, .rounds = 6};
    http_set_state(request, w, free_waiting);
    next_round(request);
}

static void gives_up(http_request *request) {
    http_wait(request, forgetful); /* nobody would take the work */
    http_send_static(request, 503, "text/plain", "busy", 4);
}

/* Waits until http_stop() cancels. */
static http_request *_Atomic held;

static void released(http_request *request) {
    http_send_static(request, 503, "text/plain", "cancelled", 9);
}

static void holds(http_request *request) {
    http_wait(request, released);
    atomic_store(&held, request);
}

static void cancel(void *opaque) {
    (void)opaque;
    http_request *request = atomic_exchange(&held, NULL);
    if (request != NULL) {
        http_wake(request);
    }
}

static void not_found(http_request *request) {
    http_send_static(request, 404, "text/plain", "Not found", 9);
}

static const struct {
    const char *name;
    http_handler *handler;
    size_t limit;
} rows[] = {{"echo", echo, LIMIT}, {"show", show, 0},         {"parts", parts, 0},
            {"none", nothing, 0},  {"header", bad_header, 0}, {"forgetful", forgetful, 0},
            {"waits", waits, 0},   {"busy", gives_up, 0},     {"holds", holds, 0}};

static http_target route(http_request *request) {
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (http_segment_count(request) > 0 &&
            strcmp(http_segment(request, 0), rows[i].name) == 0) {
            return (http_target){rows[i].handler, rows[i].limit, &rows[i]};
        }
    }
    return (http_target){not_found, 0, NULL};
}

static void refuse(http_request *request, http_fault fault) {
    static const unsigned status[] = {
        [HTTP_FAULT_NONE] = 500,         [HTTP_FAULT_BAD_REQUEST] = 400,
        [HTTP_FAULT_NO_SUCH_PATH] = 404, [HTTP_FAULT_BODY_TOO_LARGE] = 413,
        [HTTP_FAULT_NO_MEMORY] = 500,    [HTTP_FAULT_STOPPING] = 503,
        [HTTP_FAULT_NO_REPLY] = 500};
    http_send_static(request, status[fault], "text/plain", "refused", 7);
}

static void headers(http_request *request, unsigned status, const char *content_type) {
    (void)status;
    (void)content_type;
    http_add_header(request, "X-Every", "reply");
}

static void count_end(http_request *request, unsigned status, int64_t elapsed_us) {
    (void)request;
    (void)status;
    assert_true(elapsed_us >= 0);
    atomic_fetch_add(&ended, 1);
}

static const http_app app = {route, refuse, headers, count_end, 0};

/* ---- the client ---- */

static http_server *server;

static int start(void **state) {
    (void)state;
    char why[200];
    const http_options options = {.host = "127.0.0.1",
                                  .threads = 2,
                                  .max_connections = 64,
                                  .max_per_address = 64,
                                  .idle_timeout_s = 20,
                                  .app = &app};
    server = http_start(&options, why, sizeof why);
    return server != NULL ? 0 : -1;
}

static int stop(void **state) {
    (void)state;
    bool drained = server == NULL || http_stop(server, 2000, NULL);
    server = NULL;
    return drained ? 0 : -1;
}

static int dial(void) {
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(http_port(server)),
                             .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    struct timeval patience = {.tv_sec = 8};
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

static void put(int fd, const char *bytes, size_t len) {
    while (len > 0) {
        ssize_t n = send(fd, bytes, len, MSG_NOSIGNAL);
        if (n <= 0) {
            return; /* the server has closed; what it said is read all the same */
        }
        bytes += n;
        len -= (size_t)n;
    }
}

/* Everything until the server closes, as a string. */
static char *drain(int fd) {
    size_t cap = 1u << 20;
    size_t len = 0;
    char *text = malloc(cap + 1);
    assert_non_null(text);
    for (;;) {
        ssize_t n = recv(fd, text + len, cap - len, 0);
        if (n < 0 && errno != ECONNRESET) {
            fail_msg("no end from the server: %s", strerror(errno));
        }
        if (n <= 0) {
            break;
        }
        len += (size_t)n;
    }
    text[len] = '\0';
    close(fd);
    return text;
}

static char *ask_bytes(const char *bytes, size_t len) {
    int fd = dial();
    put(fd, bytes, len);
    return drain(fd);
}

static char *ask(const char *request) {
    return ask_bytes(request, strlen(request));
}

static unsigned status_of(const char *reply) {
    return strncmp(reply, "HTTP/1.1 ", 9) == 0 ? (unsigned)strtoul(reply + 9, NULL, 10) : 0;
}

static size_t times(const char *text, const char *part) {
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at++) {
        count++;
    }
    return count;
}

static const char *body_of(const char *reply) {
    const char *end = strstr(reply, "\r\n\r\n");
    return end != NULL ? end + 4 : "";
}

static void expect(const char *request, unsigned status, const char *body) {
    char *reply = ask(request);
    if (status_of(reply) != status || (body != NULL && strcmp(body_of(reply), body) != 0)) {
        fail_msg("for\n%s\ngot\n%.600s", request, reply);
    }
    free(reply);
}

#define HEAD(line) line " HTTP/1.1\r\nHost: h.test:80\r\nConnection: close\r\n"

/* ---- properties ---- */

static void test_plain(void **state) {
    (void)state;
    expect(HEAD("GET /show/a%20b?q=1+2%21") "X-List: a\r\nX-Other: c\r\nX-List: b\r\n\r\n", 200,
           "2|a b|1 2!|a, b|http://h.test:80");
    expect(HEAD("GET http://other/show/z/") "\r\n", 200, "2|z|-|-|http://h.test:80");
    expect(HEAD("GET /show?q") "\r\n", 200, "1|-||-|http://h.test:80");
    expect("GET /show HTTP/1.0\r\n\r\n", 200, NULL);
    expect(HEAD("POST /echo") "Content-Length: 5\r\n\r\nhello", 200, "hello");
    expect(
        HEAD("POST /echo") "Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n",
        200, "hello");
    expect(HEAD("POST /echo") "Content-Length: 0\r\n\r\n", 200, "");
    expect(HEAD("GET /nope") "\r\n", 404, "Not found");
    expect(HEAD("POST /nope") "Content-Length: 5\r\n\r\nhello", 404, "Not found");
}

static void test_every_reply(void **state) {
    (void)state;
    char *reply = ask(HEAD("GET /parts") "\r\n");
    assert_int_equal(status_of(reply), 200);
    assert_int_equal(times(reply, "Content-Length:"), 1);
    assert_int_equal(times(reply, "X-Every: reply"), 1);
    assert_int_equal(times(reply, "ETag: \"x\""), 1);
    const char *body = body_of(reply);
    assert_int_equal(strlen(body), 200008);
    assert_memory_equal(body, "headmm", 6);
    assert_string_equal(body + 200002, "mmtail");
    free(reply);

    reply = ask(HEAD("HEAD /parts") "\r\n");
    assert_int_equal(status_of(reply), 200);
    assert_int_equal(times(reply, "Content-Length: 200008"), 1);
    assert_string_equal(body_of(reply), "");
    free(reply);

    reply = ask(HEAD("GET /none") "\r\n");
    assert_int_equal(status_of(reply), 204);
    assert_string_equal(body_of(reply), "");
    free(reply);

    reply = ask(HEAD("GET /header") "\r\n");
    assert_int_equal(status_of(reply), 500);
    assert_null(strstr(reply, "Set-Cookie"));
    free(reply);

    expect(HEAD("GET /forgetful") "\r\n", 500, "refused");
}

/* Heads that two readers may read in two ways: refused, closed, and the body never a request. */
static void test_framing(void **state) {
    (void)state;
    static const char *const heads[] = {
        "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "Content-Length: 3\r\nContent-Length: 5\r\n\r\nhello",
        "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
        "content-length: 5\r\nCONTENT-LENGTH: 0\r\n\r\nhello",
        "Content-Length: 5, 5\r\n\r\nhello",
        "Content-Length: +5\r\n\r\nhello",
        "Content-Length: -1\r\n\r\nhello",
        "Content-Length: 0x5\r\n\r\nhello",
        "Content-Length: 5 5\r\n\r\nhello",
        "Content-Length:\r\n\r\nhello",
        "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: identity\r\n\r\nhello",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "Host: other\r\nContent-Length: 0\r\n\r\n",
        "Authorization: a\r\nAuthorization: b\r\nContent-Length: 0\r\n\r\n",
        "Bad Name: x\r\nContent-Length: 0\r\n\r\n",
        /* folded: to the library "Transfer-Encodingchunked", "Content-Length5", "Content-Length" */
        "Transfer-Encoding:\r\n chunked\r\nX: y\r\n\r\n0\r\n\r\n",
        "X: y\r\nTransfer-Encoding:\r\n\tchunked\r\n\r\n0\r\n\r\n",
        "Content-Length: \r\n 5\r\n\r\nhello",
        "Content-Le: 5\r\n ngth\r\n\r\nhello",
        "X: y\r\n Content-Length: 5\r\n\r\nhello",
        "X: y\r\n z\r\nContent-Length: 0\r\n\r\n",
    };
    static const char inner[] = "GET /show/inner HTTP/1.1\r\nHost: h\r\n\r\n";
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        char request[1000];
        (void)snprintf(request, sizeof request, "POST /echo HTTP/1.1\r\nHost: h\r\n%s%s", heads[i],
                       inner);
        char *reply = ask(request); /* ends: the connection was closed, without being asked to be */
        if (status_of(reply) != 400 || strstr(reply, "inner") != NULL ||
            strstr(reply, "hello") != NULL) {
            fail_msg("for\n%s\ngot\n%.600s", request, reply);
        }
        free(reply);
    }
    expect("GET /show HTTP/1.1\r\n\r\n", 400, NULL);
    expect("GET /show HTTP/1.1\r\nHost: a b\r\n\r\n", 400, NULL);
    expect("GET /show HTTP/1.1\r\nHost: a\"b\r\n\r\n", 400, NULL);
    expect("POST /echo HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400,
           NULL);
    expect("GET * HTTP/1.1\r\nHost: h\r\n\r\n", 400, NULL);
    expect("GET ftp://h/x HTTP/1.1\r\nHost: h\r\n\r\n", 400, NULL);
    expect("GET show HTTP/1.1\r\nHost: h\r\n\r\n", 400, NULL);
}

/* Chunks in which two readers may find two ends: nothing behind them is answered, sound or not. */
static void test_chunks(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "5\r\nhello\r\n0\r\n\r\n",
        "5\nhello\n0\n\n",
        "5;a\nhello\r\n0\r\n\r\n",
        "5;a=\"\r\nhello\r\n0\r\n\r\n",
        "5;a\r\nhello\r\n0;b\n\r\n",
        "5\r\nhello\r\n0\r\nContent-Length: 9\r\n\r\n",
        "5\r\nhello\r\n0\r\nTransfer-Encoding: chunked\nX: y\r\n\r\n",
        "5\r\nhello\r\n00000\r\n\r\n",
        "5 \r\nhello\r\n0\r\n\r\n",
        "+5\r\nhello\r\n0\r\n\r\n",
        "0x5\r\nhello\r\n0\r\n\r\n",
        "5\rhello\r\n0\r\n\r\n",
        "5\r\nhello0\r\n\r\n",
        "100000000000000005\r\nhello\r\n0\r\n\r\n",
    };
    static const char *const paths[] = {"/echo", "/nope", "/waits"};
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        for (size_t k = 0; k < sizeof paths / sizeof paths[0]; k++) {
            char request[400];
            (void)snprintf(request, sizeof request,
                           "POST %s HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n%s"
                           "GET /show/inner HTTP/1.1\r\nHost: h\r\n\r\n",
                           paths[k], bodies[i]);
            char *reply = ask(request); /* ends: the connection was closed, unasked */
            if (times(reply, "HTTP/1.1 ") > 1 || strstr(reply, "|inner|") != NULL) {
                fail_msg("for\n%s\ngot\n%.600s", request, reply);
            }
            free(reply);
        }
    }
}

static void test_paths(void **state) {
    (void)state;
    static const char *const paths[] = {"/show%00.html",       "/show/%2e%2e/x", "/../x",
                                        "/show/./x",           "//show",         "/show//x",
                                        "/show/..%2f..%2fetc", "/show/%5c",      "/show/a\\b",
                                        "/show/%zz",           "/show/%4",       "/show/a%2f",
                                        "/1/2/3/4/5/6/7/8/9"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        char request[300];
        (void)snprintf(request, sizeof request,
                       "GET %s HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", paths[i]);
        expect(request, 404, "refused");
    }
}

/* What stands behind a NUL is not silently dropped. */
static void test_nul(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t len;
    } cases[] = {
#define CASE(text) {text, sizeof text - 1}
        CASE("GET /show\0.html HTTP/1.1\r\nHost: h\r\n\r\n"),
        CASE("GET\0 /show HTTP/1.1\r\nHost: h\r\n\r\n"),
        CASE("GET /show?a\0b HTTP/1.1\r\nHost: h\r\n\r\n"),
        CASE("GET /show HTTP/1.1\r\nHost: h\0x\r\n\r\n"),
        CASE("GET /show HTTP/1.1\r\nHost: h\r\nX: a\0b\r\nY: z\r\n\r\n"),
        CASE("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 5\0 \r\n\r\nhello"),
        CASE("POST /echo HTTP/1.1\r\nContent-Length: 5\0\r\nHost: h\r\n\r\nhello"),
        CASE("GET /show HTTP/1.1\r\nHost: h\r\nX\0: a\r\n\r\n"),
#undef CASE
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *reply = ask_bytes(cases[i].bytes, cases[i].len);
        if (status_of(reply) != 400) {
            fail_msg("case %zu: %.300s", i, reply);
        }
        free(reply);
    }
}

/* A sound head is taken for one in whatever pieces and spellings it comes: LF alone ends a line. */
static void test_pieces(void **state) {
    (void)state;
    static const char *const heads[] = {
        HEAD("GET /show/x?q=a%20b") "Empty:\r\nSpaces:    \r\nLast:x  \r\n\r\n",
        "\r\n\r\nGET /show/x?q=a%20b HTTP/1.1\nHost: h\nConnection: close\nCookie: a=b; c=d\n\n",
        "GET http://h/show/x/?q=a+b&&z HTTP/1.1\r\nHost:h\r\nConnection:close\r\nEmpty:\r\n\r\n",
    };
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        int fd = dial();
        int on = 1;
        assert_int_equal(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), 0);
        for (const char *at = heads[i]; *at != '\0'; at++) {
            put(fd, at, 1);
            if ((at - heads[i]) % 16 == 0) {
                nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL);
            }
        }
        char *reply = drain(fd);
        if (strncmp(body_of(reply), "2|x|a b|-|http://h", 18) != 0) {
            fail_msg("for\n%s\ngot\n%s", heads[i], reply);
        }
        free(reply);
    }

    /* Large enough to make the library move its buffer. */
    char *large = malloc(21000);
    assert_non_null(large);
    size_t len = (size_t)snprintf(large, 21000, "GET /show/x HTTP/1.1\r\nHost: h\r\n");
    for (int i = 0; i < 20; i++) {
        len += (size_t)snprintf(large + len, 21000 - len, "X-%d: %0900d\r\n", i, i);
    }
    (void)snprintf(large + len, 21000 - len, "Connection: close\r\n\r\n");
    expect(large, 200, "2|x|-|-|http://h");
    int fd = dial();
    for (size_t at = 0; at < strlen(large); at += 700) {
        put(fd, large + at, strlen(large + at) < 700 ? strlen(large + at) : 700);
        nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL);
    }
    char *reply = drain(fd);
    assert_string_equal(body_of(reply), "2|x|-|-|http://h");
    free(reply);
    free(large);
}

/* Three requests in one piece: answered in order, on one connection. */
static void test_pipeline(void **state) {
    (void)state;
    char *reply = ask("GET /show/1 HTTP/1.1\r\nHost: h\r\n\r\n"
                      "GET /waits HTTP/1.1\r\nHost: h\r\n\r\n"
                      "POST /nope HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody" //
                      HEAD("POST /echo") "Content-Length: 4\r\n\r\nlast");
    const char *first = strstr(reply, "2|1|");
    const char *second = strstr(reply, "woken");
    const char *third = strstr(reply, "Not found");
    const char *last = strstr(reply, "last");
    assert_non_null(first);
    assert_non_null(last);
    assert_true(first < second && second < third && third < last);
    assert_int_equal(times(reply, "HTTP/1.1 "), 4);
    free(reply);
}

static char *upload(const char *head, size_t body_len, bool chunked) {
    int fd = dial();
    put(fd, head, strlen(head));
    static char piece[8192];
    memset(piece, 'x', sizeof piece);
    for (size_t sent = 0; sent < body_len;) {
        size_t n = body_len - sent < sizeof piece ? body_len - sent : sizeof piece;
        if (chunked) {
            char size[16];
            (void)snprintf(size, sizeof size, "%zx\r\n", n);
            put(fd, size, strlen(size));
        }
        put(fd, piece, n);
        if (chunked) {
            put(fd, "\r\n", 2);
        }
        sent += n;
    }
    if (chunked) {
        put(fd, "0\r\n\r\n", 5);
    }
    return drain(fd);
}

static void test_body_limit(void **state) {
    (void)state;
    char head[200];
    (void)snprintf(head, sizeof head, HEAD("POST /echo") "Content-Length: %u\r\n\r\n", LIMIT);
    char *reply = upload(head, LIMIT, false);
    assert_int_equal(status_of(reply), 200);
    assert_int_equal(strlen(body_of(reply)), LIMIT);
    free(reply);

    reply = upload(HEAD("POST /echo") "Transfer-Encoding: chunked\r\n\r\n", LIMIT, true);
    assert_int_equal(status_of(reply), 200);
    assert_int_equal(strlen(body_of(reply)), LIMIT);
    free(reply);

    /* One byte more, said beforehand or found out: read to its end, then 413 and the end. */
    (void)snprintf(head, sizeof head,
                   "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: %u\r\n\r\n", LIMIT + 1);
    reply = upload(head, LIMIT + 1, false);
    assert_int_equal(status_of(reply), 413);
    assert_non_null(strstr(reply, "Connection: close"));
    free(reply);

    reply = upload("POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n",
                   LIMIT + 1, true);
    assert_int_equal(status_of(reply), 413);
    free(reply);

    reply = upload("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 20000000\r\n\r\n", 20000000,
                   false);
    assert_int_equal(status_of(reply), 413);
    free(reply);

    /* Whoever asks first is told first; a length nobody would read is refused at once. */
    reply = ask("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 2000000\r\n"
                "Expect: 100-continue\r\n\r\n");
    assert_int_equal(status_of(reply), 413);
    assert_null(strstr(reply, "100 Continue"));
    free(reply);
    expect("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 999999999999\r\n\r\n", 413, NULL);
    expect("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 100000000000000000000000\r\n\r\n",
           413, NULL);

    /* What fits is asked for. */
    int fd = dial();
    const char *asks = HEAD("POST /echo") "Content-Length: 5\r\nExpect: 100-continue\r\n\r\n";
    put(fd, asks, strlen(asks));
    char go[100];
    ssize_t n = recv(fd, go, sizeof go - 1, 0);
    assert_true(n > 0);
    go[n] = '\0';
    assert_int_equal(status_of(go), 100);
    put(fd, "hello", 5);
    reply = drain(fd);
    assert_int_equal(status_of(reply), 200);
    assert_string_equal(body_of(reply), "hello");
    free(reply);

    /* Past what is read and discarded, the connection is dropped without a word. */
    reply = upload("POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n",
                   HTTP_DISCARD_MAX_BYTES + 100000, true);
    assert_int_equal(status_of(reply), 0);
    free(reply);
}

static void *ask_waits(void *arg) {
    (void)arg;
    for (int i = 0; i < 10; i++) {
        char *reply = ask(HEAD("GET /waits") "\r\n");
        if (strcmp(body_of(reply), "woken") != 0) {
            return reply;
        }
        free(reply);
    }
    return NULL;
}

static void test_waiting(void **state) {
    (void)state;
    atomic_store(&states_freed, 0);
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, ask_waits, NULL), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        void *wrong;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    expect(HEAD("GET /busy") "\r\n", 503, "busy");

    /* A client that leaves while its request waits: the state is freed all the same. */
    for (int i = 0; i < 5; i++) {
        int fd = dial();
        const char *head = "GET /waits HTTP/1.1\r\nHost: h\r\n\r\n";
        put(fd, head, strlen(head));
        nanosleep(&(struct timespec){.tv_nsec = (long)i * 1000000}, NULL);
        close(fd);
    }
    for (int i = 0; i < 200 && atomic_load(&states_freed) < 45; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_true(atomic_load(&states_freed) >= 40);
}

/* A body cut short: the request ends and what it held is freed (the sanitizers look). */
static void test_abort(void **state) {
    (void)state;
    int before = atomic_load(&ended);
    int fd = dial();
    const char *head = "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 90000\r\n\r\nonly this";
    put(fd, head, strlen(head));
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    close(fd);
    fd = dial();
    put(fd, "GET /show HTTP/1.1\r\nHo", 23);
    close(fd);
    for (int i = 0; i < 200 && atomic_load(&ended) == before; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_int_equal(atomic_load(&ended), before + 1);
}

/* ---- stopping ---- */

static void test_stop_cancels(void **state) {
    assert_int_equal(start(state), 0);
    int fd = dial();
    const char *head = "GET /holds HTTP/1.1\r\nHost: h\r\n\r\n";
    put(fd, head, strlen(head));
    for (int i = 0; i < 500 && atomic_load(&held) == NULL; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    assert_non_null(atomic_load(&held));
    int idle = dial(); /* does not count */
    int64_t begun_ms = clock_monotonic_ms();
    assert_false(http_stop(server, 150, cancel));
    int64_t took_ms = clock_monotonic_ms() - begun_ms;
    assert_true(took_ms >= 150 && took_ms < 3000);
    char *reply = drain(fd);
    assert_int_equal(status_of(reply), 503);
    assert_string_equal(body_of(reply), "cancelled");
    free(reply);
    free(drain(idle));
    server = NULL;
}

static void *stop_soon(void *arg) {
    (void)arg;
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    bool *drained = malloc(sizeof *drained);
    assert_non_null(drained);
    *drained = http_stop(server, 5000, cancel);
    return drained;
}

static void test_stop_drains(void **state) {
    for (int round = 0; round < 5; round++) {
        assert_int_equal(start(state), 0);
        int fds[8];
        const char *head = "GET /waits HTTP/1.1\r\nHost: h\r\n\r\n";
        for (size_t i = 0; i < 8; i++) {
            fds[i] = dial();
            put(fds[i], head, strlen(head));
        }
        pthread_t stopper;
        assert_int_equal(pthread_create(&stopper, NULL, stop_soon, NULL), 0);
        unsigned answered = 0;
        for (size_t i = 0; i < 8; i++) {
            char *reply = drain(fds[i]);
            answered += status_of(reply) == 200;
            free(reply);
        }
        void *drained;
        assert_int_equal(pthread_join(stopper, &drained), 0);
        assert_true(*(bool *)drained);
        assert_true(answered > 0);
        free(drained);
    }
    server = NULL;
}

static void test_start_refused(void **state) {
    assert_int_equal(start(state), 0);
    char why[200] = "";
    http_options options = {.host = "127.0.0.1",
                            .port = http_port(server),
                            .threads = 1,
                            .max_connections = 16,
                            .app = &app};
    assert_null(http_start(&options, why, sizeof why));
    assert_non_null(strstr(why, "127.0.0.1 port"));
    options.host = "example";
    assert_null(http_start(&options, why, sizeof why));
    assert_non_null(strstr(why, "not an IPv4 or IPv6 address"));
    assert_int_equal(stop(state), 0);
}

int main(void) {
    const struct CMUnitTest serving[] = {
        cmocka_unit_test(test_plain),      cmocka_unit_test(test_every_reply),
        cmocka_unit_test(test_framing),    cmocka_unit_test(test_chunks),
        cmocka_unit_test(test_nul),        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_paths),      cmocka_unit_test(test_pipeline),
        cmocka_unit_test(test_body_limit), cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_abort),
    };
    const struct CMUnitTest stopping[] = {
        cmocka_unit_test(test_stop_cancels),
        cmocka_unit_test(test_stop_drains),
        cmocka_unit_test(test_start_refused),
    };
    int failed = cmocka_run_group_tests_name("serving", serving, start, stop);
    return failed + cmocka_run_group_tests_name("stopping", stopping, NULL, NULL);
}
