/*
 * http_pace.h - how long a connection may take with what it is doing, and whether anybody is there.
 *
 * The library has an idle timeout only, which one byte now and then puts off for ever. So every
 * connection also has a time by which it must have got on with it:
 *
 *   the next request's head   the idle timeout after the connection was opened, or the request
 *                             before it ended
 *   a body, a reply           the idle timeout, and what its bytes take at HTTP_MIN_BYTES_PER_S
 *   a body nobody wants       HTTP_DISCARD_MAX_MS
 *   waiting for a worker      none: jobs and store keep their own
 *
 * One that is past its time is shut down, not closed: the library then finds it ended, on the
 * thread that owns it, and cleans up as after any client that left.
 *
 * The library misses the end of what a client sends when it comes together with the last bytes: it
 * stops reading after a short read, and epoll tells an edge but once (0.9.75). It is told again.
 *
 * Threads: a connection's own event thread opens, sets and closes it; http_pace_enforce() may run
 * on any. Included by http*.c only.
 */
#ifndef ARXD_HTTP_PACE_H
#define ARXD_HTTP_PACE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct http_paced {
    struct http_paced *next;
    struct http_paced *prev;
    int fd;
    bool told_end;         /* under the lock */
    atomic_llong until_ms; /* monotonic */
} http_paced;

typedef struct http_pace {
    pthread_mutex_t lock; /* the list; and no socket in it is closed while it is held */
    http_paced *first;
} http_pace;

#define HTTP_PACE_NO_END INT64_MAX

void http_pace_init(http_pace *pace);
/* Every connection has been closed. */
void http_pace_destroy(http_pace *pace);

/* A new connection. NULL without memory. */
http_paced *http_pace_open(http_pace *pace, int fd, int64_t until_ms);
/* Its end; before its socket is closed. */
void http_pace_close(http_pace *pace, http_paced *paced);
/* From now on it has until then. */
void http_pace_until(http_paced *paced, int64_t until_ms);
/* What `bytes` may take on top of the idle timeout. */
int64_t http_pace_ms(uint64_t bytes);

/*
 * Shuts down every connection whose time is over, and has the library read on where nothing more
 * will come. To be called about once a second.
 */
void http_pace_enforce(http_pace *pace, int64_t now_ms);

#endif
