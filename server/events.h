/*
 * events.h - what happens, told to those who listen: a ring of the last events, and who waits for
 * more.
 *
 * An event is text as server-sent events have it, with a number that rises (from the clock at the
 * start, so that those of an earlier process are older). Each is for everybody (tag 0), or for
 * listeners with its tag. Groups are the listeners who see the same changing values of one key:
 * their values are looked at when they are due, and only what changed is told.
 *
 * Thread-safe. Times are monotonic ms.
 */
#ifndef ARXD_EVENTS_H
#define ARXD_EVENTS_H

#include "buffer.h"
#include "secret.h"

#define EVENTS_MAX        1000
#define EVENTS_MAX_BYTES  (4u << 20)
#define EVENTS_COMMENT_MS 15000 /* a silent stream says something so often */
#define EVENTS_MIN_MS     100   /* between two updates of one observation */
#define EVENTS_LOOK_MS    1000  /* a group's values are looked at so often at least */

typedef struct events events;
typedef struct event_group event_group;

/* One listener; the memory is its owner's, the content is of events.c. */
typedef struct event_listener {
    void (*wake)(void *who); /* there is something to read; must not call into here */
    void *who;
    uint64_t owner_tag;  /* of the key; 0: none */
    const char *surface; /* only this one's events, and those of no surface; NULL: all */
    event_group *group;  /* NULL: none */
    uint64_t next_id;
    int64_t comment_at_ms;
    bool asleep;
    struct event_listener *next;
    struct event_listener *prev;
} event_listener;

typedef enum events_read_result {
    EVENTS_SOME,   /* something was appended */
    EVENTS_NONE,   /* nothing now: `wake` will be called */
    EVENTS_MISSED, /* the ring has passed by; it goes on from now */
    EVENTS_ENDED,  /* the server stops, and everything has been read */
} events_read_result;

/* NULL without memory. */
events *events_create(void);
void events_free(events *self); /* NULL is fine */

/* A number for a text, never 0. */
uint64_t events_tag(const void *bytes, size_t len);
/*
 * Adds an event. payload: JSON, on one line as codec/json writes it. surface: its id, or NULL. What
 * there is no memory for is not told, nor what comes after events_stop().
 */
void events_publish(events *self, uint64_t tag, const char *surface, const char *type,
                    const arx_buf *payload);
bool events_heard(events *self); /* does anybody listen */

/*
 * Begins to listen: behind last_id, or from now on when that is 0. owner: whose values are
 * followed, with links of `origin`; NULL: nobody's. False without memory.
 */
bool events_listen(events *self, event_listener *listener, const uint8_t *owner, const char *origin,
                   uint64_t last_id);
void events_unlisten(events *self, event_listener *listener);
/* Appends about `max` bytes of what the listener has not read yet. */
events_read_result events_read(events *self, event_listener *listener, size_t max, int64_t now_ms,
                               arx_buf *out);

/* Wakes those who have been silent for long. */
void events_tick(events *self, int64_t now_ms);
/* The last events have been published: everybody reads to the end and ends. */
void events_stop(events *self);

/* ---- groups ---- */

/* A group whose values are to be looked at; held until events_group_seen(). NULL: none now. */
event_group *events_group_due(events *self, int64_t now_ms);
const uint8_t *event_group_owner(const event_group *group);
const char *event_group_origin(const event_group *group);
/* Its values, as JSON. What changed since the last look is told. Takes neither buffer. */
void events_group_seen(events *self, event_group *group, const arx_buf *links, const arx_buf *jobs,
                       int64_t now_ms, int64_t unix_ms);
/* Something of this key changed: look soon. */
void events_touch(events *self, const uint8_t owner[SECRET_HASH_BYTES], int64_t now_ms);

/* {"surfaceId", "observationId", "value", "timestamp"} */
void events_write_update(const char *surface, const char *observation, const arx_buf *value,
                         int64_t unix_ms, arx_buf *out);

#endif
