/*
 * guard.h - does a call of the agent interface come from where one may? Pure; any thread.
 *
 * A web page can make its visitor's browser send requests to this machine: under a foreign Origin,
 * or, after rebinding its own name's address, under a foreign Host. Neither may reach what acts for
 * whoever listens here. A server that is open to other machines knows its names by --public-url
 * alone, so there the Host is not judged.
 */
#ifndef ARXD_GUARD_H
#define ARXD_GUARD_H

#include <stdbool.h>

typedef struct guard_site {
    const char *listens_on; /* --host */
    const char *public_url; /* --public-url, or NULL */
} guard_site;

/* host: the header. On loopback: a name of this machine's, or the public URL's host. */
bool guard_host(const guard_site *site, const char *host);
/*
 * origin: the header, or NULL when there is none (no browser sends that). The host that was asked,
 * or the public URL's; on loopback any page of this machine's. Schemes are not compared: a proxy
 * may have spoken another one.
 */
bool guard_origin(const guard_site *site, const char *host, const char *origin);

#endif
