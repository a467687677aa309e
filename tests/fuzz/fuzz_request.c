/*
 * fuzz_request.c - any bytes on a connection of the daemon.
 *
 * The daemon's own parts, event thread, workers and store, with the fuzzer in place of its command
 * line; each input goes through a pair of sockets whose other end the daemon is given. The first
 * byte says where the bytes are cut into two writes. Whatever comes in, the daemon closes the
 * connection within seconds of its end, and what it sent are responses as HTTP has them: a status
 * that the contract knows, one Content-Length, the body it promises, JSON that is JSON.
 *
 * The end is sent once the bytes have been taken: the library overlooks one that comes with the
 * last of them, and has the connection wait for its time to be over (http_pace.h), which is short
 * here.
 */
#include "fuzz.h"

/* main.c is one of the parts, but for its main(). */
#define main arxd_main
int arxd_main(int argc, char **argv);
#include "main.c"
#undef main

#include <ftw.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "http_internal.h"
#include "reply.h"

#define ANSWER_MS 15000 /* slow machines and sanitizers: a hang, not a delay */
#define QUIET_MS  200
#define TAKEN_MS  20

static char folder[4096];
static char database[sizeof folder + 16];
static server_config config;
static service self = {.config = &config};
static http_server *server;

/* ---- the daemon ---- */

static const char *no_variables(const char *name) {
    (void)name;
    return NULL;
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place) {
    (void)about;
    (void)kind;
    (void)place;
    return remove(path);
}

static void stop(void) {
    must(http_stop(server, ANSWER_MS, cancel_jobs));
    close_parts(&self);
    config_clear(&config);
    (void)nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    const char *tmp = getenv("TMPDIR");
    (void)snprintf(folder, sizeof folder, "%s/arxd-fuzz-XXXXXX", tmp != NULL ? tmp : "/tmp");
    must(mkdtemp(folder) != NULL);
    (void)snprintf(database, sizeof database, "%s/arxd.db", folder);
    const char *const arguments[] = {
        "arxd", "--port",    "0",          "--db",          database, "--threads",
        "1",    "--workers", "1",          "--max-body",    "65536",  "--image-mb",
        "64",   "--log",     "text:error", "--open-writes", NULL};
    int count = (int)(sizeof arguments / sizeof arguments[0]) - 1;
    char why[WHY_SIZE] = "";
    bool ready = config_parse(&config, count, (char *const *)(uintptr_t)arguments, no_variables,
                              why, sizeof why) == CONFIG_RUN;
    log_open(config.log_format, config.log_level);
    (void)signal(SIGPIPE, SIG_IGN);
    self.routes = route_table;
    self.route_count = route_table_count;
    server = ready && open_parts(&self, why, sizeof why) ? open_http(&self, why, sizeof why) : NULL;
    if (server == NULL) {
        (void)fprintf(stderr, "%s\n", why);
        exit(2);
    }
    server->options.idle_timeout_s = 1;
    must(atexit(stop) == 0);
    return 0;
}

/* ---- what it sends ---- */

typedef struct response {
    unsigned status;
    bool ours; /* not one of the library's own */
    bool is_json;
    bool coded;
    unsigned lengths;
    size_t length;
} response;

static bool starts_with(const char *text, const char *prefix) {
    return strncasecmp(text, prefix, strlen(prefix)) == 0;
}

static bool status_is_known(unsigned status) {
    static const unsigned others[] = {100, 200, 201, 202, 204, 304};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (status == others[i]) {
            return true;
        }
    }
    for (int i = 0; i < API_RESULT_COUNT; i++) {
        if (status == api_row_of((api_result)i)->status) {
            return status != 500; /* nothing fails here */
        }
    }
    return false;
}

/* Reads a head, NUL-terminated and rewritten. */
static response read_head(char *head) {
    response r = {0};
    must(starts_with(head, "HTTP/1."));
    r.status = (unsigned)strtoul(head + strlen("HTTP/1.1 "), NULL, 10);
    char *rest = head;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        if (starts_with(line, "Content-Length: ")) {
            r.lengths++;
            r.length = strtoul(line + strlen("Content-Length: "), NULL, 10);
        }
        r.ours |= starts_with(line, "X-Content-Type-Options: nosniff");
        r.is_json |= starts_with(line, "Content-Type: application/json");
        r.coded |= starts_with(line, "Content-Encoding: ");
    }
    return r;
}

static void check_json(const response *r, const char *body) {
    arx_json_doc *doc;
    arx_json *value;
    must(arx_json_parse((const uint8_t *)body, r->length, 0, &doc, &value) == ARX_OK);
    if (r->status >= 400) {
        must(arx_json_get_string(value, "error") != NULL);
        must(arx_json_get_string(value, "code") != NULL);
    }
    arx_json_doc_free(doc);
}

/* sent: NUL-terminated. may_lack_bodies: the input may ask by HEAD. */
static void check_responses(char *sent, size_t len, bool may_lack_bodies) {
    const char *all = sent + len;
    while (sent < all) {
        char *end = strstr(sent, "\r\n\r\n");
        must(end != NULL);
        *end = '\0';
        response r = read_head(sent);
        sent = end + 4;
        if (r.status == 100) {
            continue;
        }
        if (!r.ours) {
            must(r.status >= 400); /* the library's own page, with whatever it has behind it */
            return;
        }
        must(status_is_known(r.status));
        must(r.lengths == (r.status == 204 || r.status == 304 ? 0 : 1) || r.status == 304);
        if (r.status == 304 ||
            (may_lack_bodies && r.length > 0 && (sent == all || starts_with(sent, "HTTP/1.")))) {
            continue;
        }
        must(r.length <= (size_t)(all - sent));
        if (r.is_json && !r.coded) {
            check_json(&r, sent);
        }
        sent += r.length;
    }
}

/* ---- a connection ---- */

static void send_all(int fd, const uint8_t *data, size_t len) {
    while (len > 0) {
        ssize_t n = send(fd, data, len, MSG_NOSIGNAL);
        if (n <= 0) {
            return; /* it has closed */
        }
        data += n;
        len -= (size_t)n;
    }
}

/* Waits, but not long, until the daemon has read what was sent. */
static void wait_until_taken(int fd) {
    int left = 1;
    for (int64_t end_ms = clock_monotonic_ms() + TAKEN_MS;
         left > 0 && clock_monotonic_ms() < end_ms;) {
        must(ioctl(fd, SIOCOUTQ, &left) == 0);
        (void)sched_yield();
    }
}

/* What comes until the daemon closes. */
static void receive_all(int fd, arx_buf *out) {
    int64_t end_ms = clock_monotonic_ms() + ANSWER_MS;
    for (;;) {
        must(clock_monotonic_ms() < end_ms);
        struct pollfd wanted = {.fd = fd, .events = POLLIN};
        if (poll(&wanted, 1, QUIET_MS) <= 0) {
            http_enforce_pace(server, clock_monotonic_ms()); /* the daemon's timer does, else */
            continue;
        }
        uint8_t chunk[16384];
        ssize_t n = recv(fd, chunk, sizeof chunk, 0);
        if (n <= 0) {
            return;
        }
        arx_buf_append(out, chunk, (size_t)n);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input in = {data, size};
    size_t cut = take_byte(&in);
    cut = cut < in.len ? cut : in.len;

    int pair[2];
    struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
    must(MHD_add_connection(server->daemon, pair[1], (const struct sockaddr *)&from, sizeof from) ==
         MHD_YES);
    send_all(pair[0], in.data, cut);
    (void)sched_yield();
    send_all(pair[0], in.data + cut, in.len - cut);
    wait_until_taken(pair[0]);
    (void)shutdown(pair[0], SHUT_WR);

    arx_buf sent = {0};
    receive_all(pair[0], &sent);
    (void)close(pair[0]);
    size_t len = sent.len;
    arx_buf_append_byte(&sent, 0);
    check_responses((char *)sent.data, len, memmem(in.data, in.len, "HEAD ", 5) != NULL);
    arx_buf_free(&sent);
    return 0;
}
