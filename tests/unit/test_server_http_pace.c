/*
 * Connections that are too slow: each phase has its time, and whoever is past it is ended without
 * harm to the others. The tests do not wait: they say what time it is.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "vectors.h"

#include "clock.h"
#include "http_internal.h"

#define IDLE_MS   20000
#define LIMIT     100000u
#define BIG_BYTES (16u << 20)
#define DAY_MS    86400000
#define MARGIN_MS 5000 /* what a busy machine may lose between two steps of a test */

/* ---- the application ---- */

static http_request *_Atomic held;

static void answer(http_request *request) {
    http_send_static(request, 200, "text/plain", "ok", 2);
}

static void hold(http_request *request) {
    http_wait(request, answer);
    atomic_store(&held, request);
}

static void release(void *opaque) {
    (void)opaque;
    http_request *request = atomic_exchange(&held, NULL);
    if (request != NULL) {
        http_wake(request);
    }
}

static void big(http_request *request) {
    uint8_t *body = calloc(1, BIG_BYTES);
    assert_non_null(body);
    http_send(request, 200, "text/plain", body, BIG_BYTES);
}

static http_target route(http_request *request) {
    const char *name = http_segment(request, 0);
    if (name != NULL && strcmp(name, "hold") == 0) {
        return (http_target){hold, 0, NULL};
    }
    if (name != NULL && strcmp(name, "big") == 0) {
        return (http_target){big, 0, NULL};
    }
    return (http_target){answer, http_method_of(request) == HTTP_POST ? LIMIT : 0, NULL};
}

static void refuse(http_request *request, http_fault fault) {
    (void)fault;
    http_send_static(request, 400, "text/plain", "refused", 7);
}

static void headers(http_request *request, unsigned status, const char *content_type) {
    (void)request;
    (void)status;
    (void)content_type;
}

static void ended(http_request *request, unsigned status, int64_t elapsed_us) {
    (void)request;
    (void)status;
    (void)elapsed_us;
}

static const http_app app = {.route = route, .refuse = refuse, .headers = headers, .ended = ended};

/* ---- the client ---- */

static http_server *server;

static int start(void **state) {
    (void)state;
    char why[200];
    const http_options options = {.host = "127.0.0.1",
                                  .threads = 2,
                                  .max_connections = 64,
                                  .idle_timeout_s = IDLE_MS / 1000,
                                  .app = &app};
    server = http_start(&options, why, sizeof why);
    return server != NULL ? 0 : -1;
}

static int stop(void **state) {
    (void)state;
    return http_stop(server, 2000, release) ? 0 : -1;
}

static void nap(void) {
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static size_t connections(void) {
    size_t count = 0;
    pthread_mutex_lock(&server->pace.lock);
    for (const http_paced *paced = server->pace.first; paced != NULL; paced = paced->next) {
        count++;
    }
    pthread_mutex_unlock(&server->pace.lock);
    return count;
}

/* Until the server has `count` connections. */
static void await(size_t count) {
    for (int i = 0; connections() != count; i++) {
        assert_true(i < 4000);
        nap();
    }
}

/* Until the server has it. */
static int dial(void) {
    size_t before = connections();
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(http_port(server)),
                             .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    struct timeval patience = {.tv_sec = 8};
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    await(before + 1);
    return fd;
}

static void put(int fd, const char *text, size_t len) {
    assert_int_equal(send(fd, text, len, MSG_NOSIGNAL), (ssize_t)len);
}

static void say(int fd, const char *text) {
    put(fd, text, strlen(text));
}

/* The newest connection: the time it has, from now. */
static int64_t time_left_ms(void) {
    pthread_mutex_lock(&server->pace.lock);
    int64_t until_ms = atomic_load(&server->pace.first->until_ms);
    pthread_mutex_unlock(&server->pace.lock);
    return until_ms == HTTP_PACE_NO_END ? until_ms : until_ms - clock_monotonic_ms();
}

/* Until the newest connection has `ms`, or not much less. */
static void await_time_left(int64_t ms) {
    for (int i = 0;; i++) {
        int64_t left_ms = time_left_ms();
        if (left_ms == ms || (left_ms <= ms && left_ms > ms - MARGIN_MS)) {
            return;
        }
        if (i == 2000) {
            fail_msg("%lld ms left, not %lld", (long long)left_ms, (long long)ms);
        }
        nap();
    }
}

static void now_is_in(int64_t ms) {
    http_enforce_pace(server, clock_monotonic_ms() + ms);
}

/* One small reply of status 200 arrives. */
static void assert_served(int fd) {
    char text[1000];
    size_t len = 0;
    while (len < sizeof text - 1) {
        ssize_t n = recv(fd, text + len, sizeof text - 1 - len, 0);
        assert_true(n > 0);
        len += (size_t)n;
        text[len] = '\0';
        const char *end = strstr(text, "\r\n\r\n");
        if (end != NULL && strcmp(end + 4, "ok") == 0) {
            break;
        }
    }
    assert_memory_equal(text, "HTTP/1.1 200 ", 13);
}

/* The server ends it; gives how much had come until then. */
static size_t read_to_the_end(int fd) {
    static char text[1 << 16];
    size_t len = 0;
    for (;;) {
        ssize_t n = recv(fd, text, sizeof text, 0);
        if (n <= 0) {
            assert_true(n == 0 || errno == ECONNRESET);
            return len;
        }
        len += (size_t)n;
    }
}

static void hang_up(int fd) {
    size_t before = connections();
    (void)close(fd);
    await(before - 1);
}

static void assert_ended(int fd) {
    assert_int_equal(read_to_the_end(fd), 0);
    (void)close(fd);
    await(0);
}

/* Until there is no connection, looking again and again as the timer does. */
static void await_none(void) {
    for (int i = 0; connections() > 0; i++) {
        assert_true(i < 4000);
        now_is_in(0);
        nap();
    }
}

/* ---- properties ---- */

static void test_first_head(void **state) {
    (void)state;
    int fd = dial();
    say(fd, "GET / HTTP/1.1\r\nHos");
    now_is_in(IDLE_MS - MARGIN_MS);
    say(fd, "t: h\r\n\r\n");
    assert_served(fd);
    hang_up(fd);

    fd = dial();
    say(fd, "GET / HTTP/1.1\r\nHos");
    now_is_in(IDLE_MS + MARGIN_MS);
    assert_ended(fd);

    fd = dial(); /* not even a request line, and not even a byte */
    say(fd, "GE");
    int silent = dial();
    now_is_in(IDLE_MS + MARGIN_MS);
    assert_int_equal(read_to_the_end(silent), 0);
    (void)close(silent);
    assert_ended(fd);
}

static void test_next_head(void **state) {
    (void)state;
    int fd = dial();
    say(fd, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_served(fd);
    await_time_left(IDLE_MS);
    now_is_in(IDLE_MS - MARGIN_MS);
    say(fd, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_served(fd);
    await_time_left(IDLE_MS);
    say(fd, "GET / HTTP/1.1\r\nHost: h\r\n");
    now_is_in(IDLE_MS + MARGIN_MS);
    assert_ended(fd);
}

static void test_body(void **state) {
    (void)state;
    static const char head[] = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 20480\r\n\r\n";
    static const char zeros[10240];
    int fd = dial();
    say(fd, head);
    put(fd, zeros, sizeof zeros);
    await_time_left(IDLE_MS + 10000); /* ten seconds earned at 1,024 bytes a second */
    now_is_in(IDLE_MS + 10000 - MARGIN_MS);
    put(fd, zeros, sizeof zeros);
    assert_served(fd);
    hang_up(fd);

    fd = dial();
    int other = dial();
    say(other, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_served(other);
    hang_up(other);
    say(fd, head);
    put(fd, zeros, sizeof zeros);
    await_time_left(IDLE_MS + 10000);
    now_is_in(IDLE_MS + 10000 + MARGIN_MS);
    assert_ended(fd);
}

static void test_unwanted_body(void **state) {
    (void)state;
    int fd = dial();
    say(fd, "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 9000\r\n\r\nabc");
    await_time_left(HTTP_DISCARD_MAX_MS);
    now_is_in(HTTP_DISCARD_MAX_MS + MARGIN_MS);
    assert_ended(fd);

    fd = dial();
    say(fd, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\nabc");
    await_time_left(HTTP_DISCARD_MAX_MS);
    now_is_in(HTTP_DISCARD_MAX_MS + MARGIN_MS);
    assert_ended(fd);
}

static void test_waiting(void **state) {
    (void)state;
    int fd = dial();
    say(fd, "GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
    for (int i = 0; atomic_load(&held) == NULL; i++) {
        assert_true(i < 4000);
        nap();
    }
    assert_true(time_left_ms() == HTTP_PACE_NO_END);
    now_is_in(DAY_MS);
    release(NULL);
    assert_served(fd);
    await_time_left(IDLE_MS);
    hang_up(fd);
}

static void test_reply(void **state) {
    (void)state;
    const int64_t may_take_ms = IDLE_MS + BIG_BYTES / HTTP_MIN_BYTES_PER_S * 1000;
    int fd = dial();
    say(fd, "GET /big HTTP/1.1\r\nHost: h\r\n\r\n");
    await_time_left(may_take_ms);
    now_is_in(may_take_ms - MARGIN_MS);
    await_time_left(may_take_ms);
    now_is_in(may_take_ms + MARGIN_MS);
    assert_true(read_to_the_end(fd) < BIG_BYTES);
    (void)close(fd);
    await(0);
}

/* Whoever leaves in the middle is gone at once, also when his last bytes came with the end. */
static void test_left(void **state) {
    (void)state;
    static const char *const begun[] = {
        "", "GET / HTTP/1.1\r\nHos", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
        "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc"};
    for (size_t i = 0; i < 50; i++) {
        const char *text = begun[i % (sizeof begun / sizeof begun[0])];
        int fd = dial();
        /* In one packet with the end. */
        assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL | MSG_MORE), strlen(text));
        (void)close(fd);
        await_none();
    }
}

/* Who only says that he is done is still answered. */
static void test_done_sending(void **state) {
    (void)state;
    static const char *const asked[] = {
        "GET / HTTP/1.1\r\nHost: h\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"};
    for (size_t i = 0; i < 90; i++) {
        int fd = dial();
        say(fd, asked[i % (sizeof asked / sizeof asked[0])]);
        assert_int_equal(shutdown(fd, SHUT_WR), 0);
        now_is_in(0);
        assert_served(fd);
        (void)close(fd);
        await_none();
    }
    int fd = dial();
    say(fd, "GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_int_equal(shutdown(fd, SHUT_WR), 0);
    for (int i = 0; atomic_load(&held) == NULL; i++) {
        assert_true(i < 4000);
        nap();
    }
    now_is_in(0);
    release(NULL);
    assert_served(fd);
    (void)close(fd);
    await(0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_head), cmocka_unit_test(test_next_head),
        cmocka_unit_test(test_body),       cmocka_unit_test(test_unwanted_body),
        cmocka_unit_test(test_waiting),    cmocka_unit_test(test_reply),
        cmocka_unit_test(test_left),       cmocka_unit_test(test_done_sending),
    };
    return cmocka_run_group_tests_name("pace", tests, start, stop);
}
