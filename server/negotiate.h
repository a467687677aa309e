/*
 * negotiate.h - Accept and Accept-Encoding with their q-values (RFC 9110 section 12), and Prefer
 * (RFC 7240). Pure.
 */
#ifndef ARXD_NEGOTIATE_H
#define ARXD_NEGOTIATE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum content_encoding {
    ENCODING_IDENTITY,
    ENCODING_BROTLI,
    ENCODING_GZIP,
    ENCODING_COUNT,
    ENCODING_NONE = ENCODING_COUNT /* the client takes none of those there are: 406 */
} content_encoding;

/* "br", "gzip", or NULL for identity: the value of Content-Encoding. */
const char *encoding_name(content_encoding encoding);

/*
 * Chooses for an Accept-Encoding header (NULL: absent). available: one bit `1u << encoding` for
 * each variant besides identity, which there always is. Of equal q-values br comes before gzip and
 * gzip before identity; identity that is not named is taken only when nothing else is.
 */
content_encoding negotiate_encoding(const char *accept_encoding, unsigned available);

/*
 * Chooses among `count` media types ("text/html", lower case, no parameters) for an Accept header
 * (NULL or empty: anything). The highest q-value wins, of equal ones the first in `types`. A type's
 * q-value is that of the most specific range matching it. Returns its index, or -1 when the client
 * takes none of them.
 */
int negotiate_type(const char *accept, const char *const *types, size_t count);

/* Does a Prefer header (NULL: absent) hold this preference, with whatever value and parameters? */
bool prefer_holds(const char *prefer, const char *preference);

#endif
