/*
 * http_framing.h - is a request's head one that every party on the way reads alike?
 *
 * The library accepts heads that a proxy in front may read otherwise: Content-Length beside
 * Transfer-Encoding, several lengths, several hosts. It cuts texts at a NUL, and joins a folded
 * line to the header's *name*, so that `Transfer-Encoding:` with ` chunked` on the next line is no
 * Transfer-Encoding to it. Such a request is refused before its body is looked at.
 *
 * Pure functions: feed the request line, every header in order, the end, then ask.
 */
#ifndef ARXD_HTTP_FRAMING_H
#define ARXD_HTTP_FRAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct http_framing {
    bool broken;       /* a name or value that no header can have, or a repeated one */
    bool has_length;   /* Content-Length, once, decimal */
    bool has_encoding; /* Transfer-Encoding: chunked, once */
    bool has_host;
    bool has_authorization;
    bool expects;    /* Expect: 100-continue */
    uint64_t length; /* UINT64_MAX for a number too large for it */
    uintptr_t end;   /* where the head's text has been accounted for; 0: nobody looks */
} http_framing;

/*
 * Start with a zeroed struct. The texts the library hands out are pieces of the head as it came,
 * NULs in place of separators. Given the request line, each text must follow the one before it with
 * nothing but a separator between: what a NUL cut off or a fold moved leaves a gap.
 */
void http_framing_line(http_framing *framing, const char *method, const char *target,
                       size_t target_len, const char *version);
/* Where the head ends, behind its empty line. */
void http_framing_end(http_framing *framing, const char *end);

/* Takes one header in. Neither text needs a NUL behind it. */
void http_framing_add(http_framing *framing, const char *name, size_t name_len, const char *value,
                      size_t value_len);
/* After the last: is the head sound? version_1_0: the request line said HTTP/1.0. */
bool http_framing_sound(const http_framing *framing, bool version_1_0);

#endif
