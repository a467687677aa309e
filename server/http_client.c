/*
 * http_client.c - who is behind a request: what trusted proxies say of it, counted from the right.
 *
 * Each proxy appends what it saw to X-Forwarded-For and X-Forwarded-Proto; whatever stands before
 * the entries of the trusted ones was written by the client, and may be anything. Event thread.
 */
#include "http_internal.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>

static const uint8_t v4_prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

static void from_v4(const struct in_addr *v4, http_address *address) {
    memcpy(address->bytes, v4_prefix, sizeof v4_prefix);
    memcpy(address->bytes + sizeof v4_prefix, v4, 4);
}

void http_address_from(const struct sockaddr *socket_address, http_address *address) {
    memset(address, 0, sizeof *address);
    if (socket_address == NULL) {
        return;
    }
    if (socket_address->sa_family == AF_INET) {
        struct sockaddr_in v4;
        memcpy(&v4, socket_address, sizeof v4);
        from_v4(&v4.sin_addr, address);
    } else if (socket_address->sa_family == AF_INET6) {
        struct sockaddr_in6 v6;
        memcpy(&v6, socket_address, sizeof v6);
        memcpy(address->bytes, &v6.sin6_addr, sizeof address->bytes);
    }
}

bool http_address_parse(const char *text, size_t len, http_address *address) {
    char copy[INET6_ADDRSTRLEN];
    struct in_addr v4;
    struct in6_addr v6;
    /* "1.2.3.4:80", "[2001:db8::1]" and "[2001:db8::1]:80" are written too. */
    const char *colon = memchr(text, ':', len);
    if (len > 0 && *text == '[') {
        const char *end = memchr(text, ']', len);
        if (end == NULL) {
            return false;
        }
        text++;
        len = (size_t)(end - text);
    } else if (colon != NULL && memchr(colon + 1, ':', len - (size_t)(colon + 1 - text)) == NULL) {
        len = (size_t)(colon - text);
    }
    if (len == 0 || len >= sizeof copy) {
        return false;
    }
    memcpy(copy, text, len);
    copy[len] = '\0';
    if (inet_pton(AF_INET, copy, &v4) == 1) {
        from_v4(&v4, address);
        return true;
    }
    if (inet_pton(AF_INET6, copy, &v6) == 1) {
        memcpy(address->bytes, &v6, sizeof address->bytes);
        return true;
    }
    return false;
}

void http_address_format(const http_address *address, char text[HTTP_ADDRESS_SIZE]) {
    bool is_v4 = memcmp(address->bytes, v4_prefix, sizeof v4_prefix) == 0;
    const void *bytes = is_v4 ? address->bytes + sizeof v4_prefix : address->bytes;
    if (inet_ntop(is_v4 ? AF_INET : AF_INET6, bytes, text, HTTP_ADDRESS_SIZE) == NULL) {
        text[0] = '\0';
    }
}

const char *http_hop(const char *list, unsigned hops, size_t *len) {
    const char *end = list + strlen(list);
    const char *start = end;
    for (;;) {
        while (start > list && start[-1] != ',') {
            start--;
        }
        if (--hops == 0 || start == list) {
            break;
        }
        end = --start;
    }
    while (start < end && (*start == ' ' || *start == '\t')) {
        start++;
    }
    while (end > start && (end[-1] == ' ' || end[-1] == '\t')) {
        end--;
    }
    *len = (size_t)(end - start);
    return start;
}

void http_client(http_request *request, http_address *address) {
    unsigned hops = request->server->options.trusted_hops;
    const char *list = hops > 0 ? http_header(request, "X-Forwarded-For") : NULL;
    size_t len;
    const char *hop = list != NULL ? http_hop(list, hops, &len) : NULL;
    if (hop != NULL && http_address_parse(hop, len, address)) {
        return;
    }
    /* No proxy has touched it, or one that hides whom it speaks for: then it stands for them. */
    const union MHD_ConnectionInfo *info =
        request->connection == NULL
            ? NULL
            : MHD_get_connection_info(request->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    http_address_from(info != NULL ? info->client_addr : NULL, address);
}

/* The scheme the outermost trusted proxy saw; plain http without one. */
const char *http_scheme(http_request *request) {
    unsigned hops = request->server->options.trusted_hops;
    const char *list = hops > 0 ? http_header(request, "X-Forwarded-Proto") : NULL;
    size_t len;
    const char *hop = list != NULL ? http_hop(list, hops, &len) : NULL;
    return hop != NULL && len == 5 && strncasecmp(hop, "https", 5) == 0 ? "https" : "http";
}
