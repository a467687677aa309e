/* guard.c - see guard.h. */
#include "guard.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "config.h"

/* The authority of an http(s) URL: `*len` bytes; NULL for anything else. */
static const char *authority_of(const char *url, size_t *len) {
    const char *at = strncasecmp(url, "http://", 7) == 0    ? url + 7
                     : strncasecmp(url, "https://", 8) == 0 ? url + 8
                                                            : NULL;
    if (at != NULL) {
        *len = strcspn(at, "/?#");
    }
    return at != NULL && *len > 0 ? at : NULL;
}

/* The same host and, where both name one, the same port. */
static bool same_authority(const char *a, size_t a_len, const char *b, size_t b_len) {
    return a_len == b_len && strncasecmp(a, b, a_len) == 0;
}

/* "" or a colon and up to five digits. */
static bool is_port(const char *text, size_t len) {
    if (len > 6 || (len > 0 && text[0] != ':')) {
        return false;
    }
    for (size_t i = 1; i < len; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return false;
        }
    }
    return true;
}

/* Is `host[:port]`, or `[address][:port]`, a name of this machine that no other can have? */
static bool is_local(const char *authority, size_t len) {
    char name[64];
    bool bracketed = len > 0 && authority[0] == '[';
    const char *host = authority + bracketed;
    const char *end = memchr(authority, bracketed ? ']' : ':', len);
    if (bracketed && end == NULL) {
        return false;
    }
    end = end == NULL ? authority + len : end;
    size_t host_len = (size_t)(end - host);
    const char *rest = end + bracketed;
    if (host_len >= sizeof name || !is_port(rest, len - (size_t)(rest - authority))) {
        return false;
    }
    for (size_t i = 0; i < host_len; i++) {
        name[i] = host[i] >= 'A' && host[i] <= 'Z' ? (char)(host[i] + 32) : host[i];
    }
    name[host_len] = '\0';
    return config_is_loopback(name);
}

static bool is_public(const guard_site *site, const char *authority, size_t len) {
    size_t public_len;
    const char *public =
        site->public_url == NULL ? NULL : authority_of(site->public_url, &public_len);
    return public != NULL && same_authority(public, public_len, authority, len);
}

bool guard_host(const guard_site *site, const char *host) {
    if (!config_is_loopback(site->listens_on)) {
        return true;
    }
    size_t len = host == NULL ? 0 : strlen(host);
    return len > 0 && (is_local(host, len) || is_public(site, host, len));
}

bool guard_origin(const guard_site *site, const char *host, const char *origin) {
    if (origin == NULL) {
        return true;
    }
    size_t len;
    const char *authority = authority_of(origin, &len);
    if (authority == NULL) { /* "null" too: a page that hides where it is from */
        return false;
    }
    return (host != NULL && same_authority(host, strlen(host), authority, len)) ||
           is_public(site, authority, len) ||
           (config_is_loopback(site->listens_on) && is_local(authority, len));
}
