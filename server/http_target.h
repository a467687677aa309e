/*
 * http_target.h - the request target as it came over the wire: path segments and query.
 *
 * Pure text functions; they rewrite the caller's copy of the target in place and allocate nothing.
 */
#ifndef ARXD_HTTP_TARGET_H
#define ARXD_HTTP_TARGET_H

#include <stddef.h>

#define HTTP_MAX_SEGMENTS   8
#define HTTP_MAX_PARAMETERS 32

typedef enum http_target_result {
    HTTP_TARGET_OK = 0,
    HTTP_TARGET_BAD,     /* no path at all: authority form, `*`, a scheme other than http(s) */
    HTTP_TARGET_NOTHING, /* a path no resource can have */
} http_target_result;

typedef struct http_path {
    const char *segments[HTTP_MAX_SEGMENTS];
    size_t count;
    char *query; /* what follows `?`, still encoded; NULL without one */
} http_path;

/*
 * Takes `target` apart (NUL-terminated, rewritten). Scheme and authority of an absolute form are
 * dropped, as are slashes at the path's end. Each segment is percent-decoded once. NOTHING for
 * empty segments, segments that are (or, after decoding, contain between slashes) `.`, `..` or
 * nothing, `%00`, a backslash, a broken escape, and paths deeper than HTTP_MAX_SEGMENTS.
 */
http_target_result http_target_split(char *target, http_path *path);

typedef struct http_parameter {
    const char *name;
    const char *value; /* "" without one */
} http_parameter;

/*
 * Takes a query apart (rewritten): at most HTTP_MAX_PARAMETERS, later ones are ignored. `+` is a
 * space; escapes that are broken or would give NUL stay as they are. Returns how many.
 */
size_t http_query_split(char *query, http_parameter *parameters);

#endif
