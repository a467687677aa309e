/*
 * url.h - absolute URLs by the WHATWG URL standard (https://url.spec.whatwg.org/).
 *
 * A link is a base and a fragment, and a base is whatever a person typed: the parser mends it as a
 * browser's address bar would, so that the link made from it is the one the browser will show.
 * There is no base URL to resolve against, no setter and no fragment: a base has none.
 *
 * Pure; any thread. Outside the core, as domain names need libidn2.
 */
#ifndef ARX_URL_H
#define ARX_URL_H

#include "buffer.h"

/*
 * Parses `base` (WTF-8; lone surrogates count as U+FFFD), drops its fragment and appends the
 * serialisation. ARX_MALFORMED for a text that is no absolute URL.
 */
arx_result arx_url_base(const uint8_t *base, size_t len, arx_buf *out) ARX_MUST_CHECK;

/*
 * Appends the host as a URL carries it: a domain in ASCII, a dotted IPv4 address, an IPv6 address
 * in brackets or, unless `special`, an opaque host. ARX_MALFORMED for what is no host.
 */
arx_result arx_url_host(const uint8_t *host, size_t len, bool special, arx_buf *out) ARX_MUST_CHECK;

/*
 * Appends `bytes`, percent-encoding controls, everything above U+007E and the ASCII characters
 * named in `set`.
 */
void arx_url_encode(const uint8_t *bytes, size_t len, const char *set, arx_buf *out);

#endif
