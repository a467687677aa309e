/*
 * route.h - which handler answers which path and method, and the headers that go with it.
 *
 * The table itself is routes.c. A pattern is a path whose segments are literal text or
 *
 *     :id    a link's id in either form (ids.h)      :set   an asset set's id, 16 hex digits
 *     :name  any one segment                         *      whatever follows, at least one segment
 *
 * Rows are tried in order. A row for GET answers HEAD too. A row that ends in `*` does not make the
 * paths below it known: those that no other row matches are 404, whatever their method.
 */
#ifndef ARXD_ROUTE_H
#define ARXD_ROUTE_H

#include "http.h"

enum {
    ROUTE_BODY = 1u << 0,       /* takes a body, up to --max-body; others throw it away */
    ROUTE_JSON = 1u << 1,       /* 405 and 413 are JSON, not a line of text */
    ROUTE_CORS = 1u << 2,       /* pages of any origin may call it */
    ROUTE_PRIVATE = 1u << 3,    /* no-store and noindex */
    ROUTE_REVALIDATE = 1u << 4, /* may be kept, but is asked for again with its ETag */
    ROUTE_IMMUTABLE = 1u << 5,  /* never changes under its name */
    ROUTE_VIEWER = 1u << 6,     /* its HTML is the viewer page: trusted types */
    /* What a request draws at its head (allowance.h): a read, unless it is one of these. */
    ROUTE_WRITES = 1u << 7,  /* a write */
    ROUTE_ENCODES = 1u << 8, /* besides, the time that workers spend on it */
    ROUTE_FREE = 1u << 9,    /* nothing */
    ROUTE_AGENT = 1u << 10,  /* only from where guard.h lets it; for browsers, that origin alone */
};

typedef struct route {
    const char *pattern;
    http_method method;
    http_handler *handler;
    unsigned flags;
} route;

/* routes.c */
extern const route route_table[];
extern const size_t route_table_count;

/*
 * The row for a method and path, or NULL. `*known`: the first row whose path matches, whatever its
 * method, or NULL; `*allowed`: the methods of all such rows (with HEAD, and OPTIONS for CORS).
 */
const route *route_find(const route *table, size_t count, http_method method,
                        const char *const *segments, size_t segment_count, const route **known,
                        unsigned *allowed);

/* "GET, HEAD, OPTIONS" */
#define ROUTE_ALLOW_SIZE 64
void route_allow(unsigned methods, char text[ROUTE_ALLOW_SIZE]);

/* The application for http_start(): routes by the service's table (service.h). */
extern const http_app route_app;

#endif
