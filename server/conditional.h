/*
 * conditional.h - does the client already have this? (RFC 9110 section 13) Pure.
 */
#ifndef ARXD_CONDITIONAL_H
#define ARXD_CONDITIONAL_H

#include <stdbool.h>

/*
 * True when a GET or HEAD may be answered 304. The headers may be NULL; If-Modified-Since counts
 * only without If-None-Match, and only as the very date we sent: a file here changes by being
 * another file, which may well be older.
 */
bool not_modified(const char *if_none_match, const char *if_modified_since, const char *etag,
                  const char *last_modified);

#endif
