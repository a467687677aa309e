/* healthcheck.c - see healthcheck.h. */
#include "healthcheck.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PATIENCE_S 5

static bool ask(int fd, char *why, size_t why_size) {
    static const char request[] =
        "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    if (send(fd, request, sizeof request - 1, MSG_NOSIGNAL) != (ssize_t)(sizeof request - 1)) {
        (void)snprintf(why, why_size, "cannot ask: %s", strerror(errno));
        return false;
    }
    char reply[64];
    size_t len = 0;
    while (len < sizeof reply - 1 && memchr(reply, '\n', len) == NULL) {
        ssize_t got = recv(fd, reply + len, sizeof reply - 1 - len, 0);
        if (got <= 0) {
            (void)snprintf(why, why_size, "no answer: %s",
                           got < 0 ? strerror(errno) : "connection closed");
            return false;
        }
        len += (size_t)got;
    }
    reply[len] = '\0';
    reply[strcspn(reply, "\r\n")] = '\0';
    if (strncmp(reply, "HTTP/1.1 200", 12) != 0) {
        (void)snprintf(why, why_size, "answered \"%s\"", reply);
        return false;
    }
    return true;
}

bool healthcheck(const char *host, uint16_t port, char *why, size_t why_size) {
    if (strcmp(host, "0.0.0.0") == 0) {
        host = "127.0.0.1";
    } else if (strcmp(host, "::") == 0) {
        host = "::1";
    } else if (strcmp(host, "localhost") == 0) {
        host = "127.0.0.1";
    }
    char service[8];
    (void)snprintf(service, sizeof service, "%u", (unsigned)port);
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
    struct addrinfo *address = NULL;
    int fd = -1;
    bool well = false;
    if (getaddrinfo(host, service, &hints, &address) != 0) {
        (void)snprintf(why, why_size, "%s is no address", host);
        goto out;
    }
    fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const struct timeval patience = {.tv_sec = PATIENCE_S};
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0 ||
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) != 0 ||
        connect(fd, address->ai_addr, address->ai_addrlen) != 0) {
        (void)snprintf(why, why_size, "cannot reach %s port %s: %s", host, service,
                       strerror(errno));
        goto out;
    }
    well = ask(fd, why, why_size);

out:
    if (fd >= 0) {
        (void)close(fd);
    }
    if (address != NULL) {
        freeaddrinfo(address);
    }
    return well;
}
