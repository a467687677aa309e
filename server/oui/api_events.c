/*
 * api_events.c - GET /oui/events: what happens, as server-sent events, until the client leaves or
 * the server stops.
 *
 *     observe -> [announce] -> listen -> ( read -> sleep )*
 */
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "api.h"
#include "clock.h"
#include "events.h"
#include "oui/binding.h"
#include "visit.h"

#define READ_BYTES 16384

typedef struct stream {
    oui_request base; /* first, as oui_observe() asks */
    events *from;     /* NULL: does not listen yet */
    event_listener listener;
    char *surface;
    bool announce;
    uint64_t last_id;
    arx_buf text; /* to be sent */
    size_t sent;
} stream;

static void free_stream(stream *self) {
    if (self->from != NULL) {
        events_unlisten(self->from, &self->listener);
    }
    arx_buf_free(&self->text);
    free(self->surface);
    self->surface = NULL;
    self->from = NULL;
}

static void add_event(stream *self, const char *type, const arx_buf *payload) {
    arx_buf_append_str(&self->text, "event: ");
    arx_buf_append_str(&self->text, type);
    arx_buf_append_str(&self->text, "\ndata: ");
    arx_buf_append(&self->text, payload->data, payload->len);
    arx_buf_append_str(&self->text, "\n\n");
}

static ssize_t read_stream(void *opaque, uint8_t *out, size_t max) {
    static const char resync[] = "{\"snapshot\":\"/oui/snapshot\"}";
    stream *self = opaque;
    if (self->sent == self->text.len) {
        arx_buf_clear(&self->text);
        self->sent = 0;
        switch (events_read(self->from, &self->listener, READ_BYTES, clock_monotonic_ms(),
                            &self->text)) {
        case EVENTS_SOME:
            break;
        case EVENTS_NONE:
            return 0;
        case EVENTS_MISSED: {
            const arx_buf payload = {.data = (uint8_t *)(uintptr_t)resync,
                                     .len = sizeof resync - 1};
            add_event(self, "x-resync", &payload);
            break;
        }
        case EVENTS_ENDED:
            return -1;
        }
        if (arx_buf_result(&self->text) != ARX_OK) {
            return -1;
        }
    }
    size_t len = self->text.len - self->sent;
    len = len < max ? len : max;
    memcpy(out, self->text.data + self->sent, len);
    self->sent += len;
    return (ssize_t)len;
}

/* ---- the announcement ---- */

static bool is_wanted(const stream *self, const arx_json *id) {
    return self->surface == NULL || arx_json_string_is(id, self->surface);
}

static void announce_surfaces(stream *self, const oui_page *page) {
    const arx_json *one = page->surfaces->as.list.first;
    for (; one != NULL; one = one->next) {
        arx_buf payload;
        arx_buf_init(&payload, 0);
        fields_begin(&payload);
        field_json(&payload, "surface", one);
        field_count(&payload, "timestamp", (uint64_t)clock_unix_ms());
        fields_end(&payload);
        if (is_wanted(self, arx_json_get(one, "id"))) {
            add_event(self, "surface:register", &payload);
        }
        arx_buf_free(&payload);
    }
}

static void announce_values(stream *self) {
    const arx_json *surface = self->base.observations->as.list.first;
    for (; surface != NULL; surface = surface->next) {
        const arx_json id = {.type = ARX_JSON_STRING,
                             .as.string = {surface->key, surface->key_len}};
        const arx_json *value = is_wanted(self, &id) ? surface->as.list.first : NULL;
        for (; value != NULL; value = value->next) {
            arx_buf payload;
            arx_buf_init(&payload, 0);
            fields_begin(&payload);
            field_string(&payload, "surfaceId", surface->key, surface->key_len);
            field_string(&payload, "observationId", value->key, value->key_len);
            field_json(&payload, "value", value);
            field_count(&payload, "timestamp", (uint64_t)clock_unix_ms());
            fields_end(&payload);
            add_event(self, "observation:update", &payload);
            arx_buf_free(&payload);
        }
    }
}

/* ---- the start ---- */

static void wake(void *request) {
    http_wake(request);
}

static void start(http_request *request) {
    const service *server = http_service(request);
    stream *self = http_state(request);
    const auth_caller *caller = &visit_of(request)->caller;
    const char *origin = http_origin(request);
    self->listener = (event_listener){.wake = wake, .who = request, .surface = self->surface};
    if (caller->has_token) {
        self->listener.owner_tag = events_tag(caller->hash, sizeof caller->hash);
    }
    if (origin == NULL ||
        !events_listen(server->events, &self->listener, caller->has_token ? caller->hash : NULL,
                       origin, self->last_id)) {
        reply_error(request, API_INTERNAL);
        return;
    }
    self->from = server->events;
    arx_buf_append_str(&self->text, ":\n\n"); /* so that the head goes out */
    if (self->announce) {
        announce_surfaces(self, actions_page(server->actions));
        announce_values(self);
    }
    http_add_header(request, "X-Accel-Buffering", "no");
    http_send_stream(request, 200, "text/event-stream", read_stream, self);
}

static bool read_options(http_request *request, stream *self) {
    const service *server = http_service(request);
    const char *surface = http_query(request, "surface");
    const char *announce = http_query(request, "announce");
    const char *last = http_header(request, "Last-Event-ID");
    if (announce != NULL && strcmp(announce, "0") != 0 && strcmp(announce, "1") != 0) {
        reply_invalid(request, "announce must be 0 or 1.");
        return false;
    }
    self->announce = announce != NULL && strcmp(announce, "1") == 0;
    if (surface != NULL) {
        const arx_json id = {.type = ARX_JSON_STRING,
                             .as.string = {(const uint8_t *)surface, strlen(surface)}};
        if (oui_page_surface(actions_page(server->actions), &id) == NULL) {
            reply_invalid(request, "surface must be the id of one in /oui/snapshot.");
            return false;
        }
        self->surface = strdup(surface);
    }
    if (last != NULL && strlen(last) <= 18 && strspn(last, "0123456789") == strlen(last)) {
        self->last_id = strtoull(last, NULL, 10);
    }
    return surface == NULL || self->surface != NULL;
}

static void release(void *state) {
    stream *self = state;
    free_stream(self);
    oui_request_clear(&self->base);
    free(self);
}

void oui_events_get(http_request *request) {
    stream *self = calloc(1, sizeof *self);
    if (self == NULL) {
        reply_error(request, API_INTERNAL);
        return;
    }
    http_set_state(request, self, release);
    dispatch_result may = dispatch_may(request, false);
    if (may != DISPATCH_OK) {
        oui_refuse(request, may);
    } else if (read_options(request, self)) {
        if (self->announce) {
            oui_observe(request, start);
        } else {
            start(request);
        }
    }
}
