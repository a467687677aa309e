/*
 * events.c - see events.h.
 *
 * One lock. Wakes are called with it held: a listener is taken out under the same lock before it
 * ends, so none is woken after its end.
 */
#include "events.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "fields.h"
#include "oui/hash.h"

typedef struct event {
    uint64_t tag;
    char *surface; /* NULL: of none */
    uint8_t *text;
    size_t len;
} event;

struct event_group {
    event_group *next;
    uint64_t tag;
    uint8_t owner[SECRET_HASH_BYTES];
    char *origin;
    unsigned refs; /* its listeners, and who looks */
    bool looking;
    int64_t due_ms;
    int64_t seen_ms;
    arx_buf links; /* as last told */
    arx_buf jobs;
};

struct events {
    pthread_mutex_t lock;
    event ring[EVENTS_MAX];
    uint64_t first_id; /* of the oldest in the ring */
    uint64_t next_id;
    size_t bytes;
    event_listener *listeners;
    event_group *groups;
    bool stopped;
};

static void lock(events *self) {
    (void)pthread_mutex_lock(&self->lock);
}

static void unlock(events *self) {
    (void)pthread_mutex_unlock(&self->lock);
}

uint64_t events_tag(const void *bytes, size_t len) {
    uint64_t tag = oui_fnv1a64(bytes, len);
    return tag != 0 ? tag : 1;
}

events *events_create(void) {
    events *self = calloc(1, sizeof *self);
    if (self != NULL) {
        (void)pthread_mutex_init(&self->lock, NULL);
        self->first_id = self->next_id = (uint64_t)clock_unix_ms() * 1000;
    }
    return self;
}

/* ---- the ring ---- */

static void drop_oldest(events *self) {
    event *oldest = &self->ring[self->first_id++ % EVENTS_MAX];
    self->bytes -= oldest->len;
    free(oldest->text);
    free(oldest->surface);
    *oldest = (event){0};
}

void events_free(events *self) {
    if (self == NULL) {
        return;
    }
    while (self->first_id < self->next_id) {
        drop_oldest(self);
    }
    (void)pthread_mutex_destroy(&self->lock);
    free(self);
}

static bool concerns(const event_listener *listener, const event *one) {
    bool ours = one->tag == 0 || one->tag == listener->owner_tag ||
                (listener->group != NULL && one->tag == listener->group->tag);
    return ours && (listener->surface == NULL || one->surface == NULL ||
                    strcmp(listener->surface, one->surface) == 0);
}

/* Under the lock. */
static void wake(event_listener *listener) {
    if (listener->asleep) {
        listener->asleep = false;
        listener->wake(listener->who);
    }
}

/* Under the lock. */
static void publish(events *self, uint64_t tag, const char *surface, const char *type,
                    const arx_buf *payload) {
    if (self->stopped) { /* a look that ends late has nothing to say behind the last words */
        return;
    }
    arx_buf text;
    arx_buf_init(&text, 0);
    arx_buf_append_str(&text, "id: ");
    arx_buf_append_u64(&text, self->next_id);
    arx_buf_append_str(&text, "\nevent: ");
    arx_buf_append_str(&text, type);
    arx_buf_append_str(&text, "\ndata: ");
    arx_buf_append(&text, payload->data, payload->len);
    arx_buf_append_str(&text, "\n\n");
    event one = {.tag = tag, .surface = surface != NULL ? strdup(surface) : NULL};
    one.text = arx_buf_take(&text, &one.len);
    if (one.text == NULL || payload->status != ARX_OK || (surface != NULL && one.surface == NULL)) {
        free(one.text);
        free(one.surface);
        return;
    }
    while (self->first_id < self->next_id && (self->next_id - self->first_id >= EVENTS_MAX ||
                                              self->bytes + one.len > EVENTS_MAX_BYTES)) {
        drop_oldest(self);
    }
    self->ring[self->next_id++ % EVENTS_MAX] = one;
    self->bytes += one.len;
    for (event_listener *at = self->listeners; at != NULL; at = at->next) {
        if (concerns(at, &one)) {
            wake(at);
        }
    }
}

void events_publish(events *self, uint64_t tag, const char *surface, const char *type,
                    const arx_buf *payload) {
    lock(self);
    publish(self, tag, surface, type, payload);
    unlock(self);
}

bool events_heard(events *self) {
    lock(self);
    bool heard = self->listeners != NULL;
    unlock(self);
    return heard;
}

/* ---- groups ---- */

/* Under the lock. */
static void release_group(events *self, event_group *group) {
    if (--group->refs > 0) {
        return;
    }
    event_group **at = &self->groups;
    while (*at != group) {
        at = &(*at)->next;
    }
    *at = group->next;
    arx_buf_free(&group->links);
    arx_buf_free(&group->jobs);
    free(group->origin);
    free(group);
}

/* Under the lock. The group of a key and origin, with one reference more. NULL without memory. */
static event_group *join_group(events *self, const uint8_t *owner, const char *origin) {
    event_group *group = self->groups;
    while (group != NULL && !(memcmp(group->owner, owner, SECRET_HASH_BYTES) == 0 &&
                              strcmp(group->origin, origin) == 0)) {
        group = group->next;
    }
    if (group != NULL) {
        group->refs++;
        return group;
    }
    group = calloc(1, sizeof *group);
    char *copy = strdup(origin);
    if (group == NULL || copy == NULL) {
        free(group);
        free(copy);
        return NULL;
    }
    arx_buf name;
    arx_buf_init(&name, 0);
    arx_buf_append(&name, owner, SECRET_HASH_BYTES);
    arx_buf_append_str(&name, origin);
    *group = (event_group){.next = self->groups, .origin = copy, .refs = 1};
    group->tag = events_tag(name.data, name.len) | 1;
    memcpy(group->owner, owner, SECRET_HASH_BYTES);
    self->groups = group;
    arx_buf_free(&name);
    return group;
}

event_group *events_group_due(events *self, int64_t now_ms) {
    lock(self);
    event_group *group = self->groups;
    while (group != NULL && (group->looking || group->due_ms > now_ms)) {
        group = group->next;
    }
    if (group != NULL) {
        group->looking = true;
        group->refs++;
        group->due_ms = now_ms + EVENTS_LOOK_MS;
    }
    unlock(self);
    return group;
}

const uint8_t *event_group_owner(const event_group *group) {
    return group->owner;
}

const char *event_group_origin(const event_group *group) {
    return group->origin;
}

void events_write_update(const char *surface, const char *observation, const arx_buf *value,
                         int64_t unix_ms, arx_buf *out) {
    fields_begin(out);
    field_text(out, "surfaceId", surface);
    field_text(out, "observationId", observation);
    field_name(out, "value");
    arx_buf_append(out, value->data, value->len);
    field_count(out, "timestamp", (uint64_t)unix_ms);
    fields_end(out);
}

/* Under the lock: tells a value that is another than before. */
static void tell_change(events *self, const event_group *group, const char *observation,
                        arx_buf *before, const arx_buf *now, int64_t unix_ms) {
    if (now->status != ARX_OK ||
        (before->len == now->len && memcmp(before->data, now->data, now->len) == 0)) {
        return;
    }
    arx_buf payload;
    arx_buf_init(&payload, 0);
    events_write_update("artifacts", observation, now, unix_ms, &payload);
    publish(self, group->tag, "artifacts", "observation:update", &payload);
    arx_buf_free(&payload);
    arx_buf_clear(before);
    arx_buf_append(before, now->data, now->len);
}

static int64_t later(int64_t a_ms, int64_t b_ms) {
    return a_ms > b_ms ? a_ms : b_ms;
}

void events_group_seen(events *self, event_group *group, const arx_buf *links, const arx_buf *jobs,
                       int64_t now_ms, int64_t unix_ms) {
    lock(self);
    tell_change(self, group, "recent_links", &group->links, links, unix_ms);
    tell_change(self, group, "encode_jobs", &group->jobs, jobs, unix_ms);
    group->looking = false;
    group->seen_ms = now_ms;
    /* A look that took long may have been asked for again meanwhile. */
    group->due_ms = later(group->due_ms, now_ms + EVENTS_MIN_MS);
    release_group(self, group);
    unlock(self);
}

void events_touch(events *self, const uint8_t owner[SECRET_HASH_BYTES], int64_t now_ms) {
    lock(self);
    for (event_group *group = self->groups; group != NULL; group = group->next) {
        int64_t soon_ms = later(group->seen_ms + EVENTS_MIN_MS, now_ms);
        if (memcmp(group->owner, owner, SECRET_HASH_BYTES) == 0 && group->due_ms > soon_ms) {
            group->due_ms = soon_ms;
        }
    }
    unlock(self);
}

/* ---- listeners ---- */

bool events_listen(events *self, event_listener *listener, const uint8_t *owner, const char *origin,
                   uint64_t last_id) {
    lock(self);
    bool able = true;
    if (owner != NULL) {
        listener->group = join_group(self, owner, origin);
        able = listener->group != NULL;
    }
    if (able) {
        listener->next_id = last_id != 0 ? last_id + 1 : self->next_id;
        listener->comment_at_ms = clock_monotonic_ms() + EVENTS_COMMENT_MS;
        listener->asleep = false;
        listener->prev = NULL;
        listener->next = self->listeners;
        if (self->listeners != NULL) {
            self->listeners->prev = listener;
        }
        self->listeners = listener;
    }
    unlock(self);
    return able;
}

void events_unlisten(events *self, event_listener *listener) {
    lock(self);
    *(listener->prev != NULL ? &listener->prev->next : &self->listeners) = listener->next;
    if (listener->next != NULL) {
        listener->next->prev = listener->prev;
    }
    if (listener->group != NULL) {
        release_group(self, listener->group);
    }
    unlock(self);
}

events_read_result events_read(events *self, event_listener *listener, size_t max, int64_t now_ms,
                               arx_buf *out) {
    size_t before = out->len;
    events_read_result result = EVENTS_SOME;
    lock(self);
    if (listener->next_id < self->first_id || listener->next_id > self->next_id) {
        listener->next_id = self->next_id;
        result = EVENTS_MISSED;
    }
    while (listener->next_id < self->next_id && out->len - before < max) {
        const event *one = &self->ring[listener->next_id++ % EVENTS_MAX];
        if (concerns(listener, one)) {
            arx_buf_append(out, one->text, one->len);
        }
    }
    if (result == EVENTS_SOME && out->len == before) {
        if (self->stopped) {
            result = EVENTS_ENDED;
        } else if (now_ms >= listener->comment_at_ms) {
            arx_buf_append_str(out, ":\n\n");
        } else {
            listener->asleep = true;
            result = EVENTS_NONE;
        }
    }
    if (out->len > before) {
        listener->comment_at_ms = now_ms + EVENTS_COMMENT_MS;
    }
    unlock(self);
    return result;
}

void events_tick(events *self, int64_t now_ms) {
    lock(self);
    for (event_listener *at = self->listeners; at != NULL; at = at->next) {
        if (now_ms >= at->comment_at_ms) {
            wake(at);
        }
    }
    unlock(self);
}

void events_stop(events *self) {
    lock(self);
    self->stopped = true;
    for (event_listener *at = self->listeners; at != NULL; at = at->next) {
        wake(at);
    }
    unlock(self);
}
