/* observer.c - see observer.h. */
#include "oui/observer.h"

#include <stdlib.h>
#include <string.h>

#include "action_work.h"
#include "clock.h"
#include "events.h"
#include "oui/binding.h"

#define GROUPS_AT_ONCE 50 /* a tick looks at no more */

/* ---- what everybody sees ---- */

static const struct {
    const char *id;
    void (*write)(const service *server, arx_buf *out);
} totals[] = {
    {"stats", action_write_stats},
    {"encoder", action_write_encoder},
};

enum { TOTALS = sizeof totals / sizeof totals[0] };

/* What was told last; the main thread's. */
static arx_buf told[TOTALS];
static int64_t next_look_ms;

static void look_at_service(const service *server, int64_t now_ms) {
    if (now_ms < next_look_ms) {
        return;
    }
    next_look_ms = now_ms + EVENTS_MIN_MS;
    for (size_t i = 0; i < TOTALS; i++) {
        arx_buf value;
        arx_buf payload;
        arx_buf_init(&value, 0);
        arx_buf_init(&payload, 0);
        totals[i].write(server, &value);
        bool same = value.status != ARX_OK ||
                    (value.len == told[i].len && memcmp(value.data, told[i].data, value.len) == 0);
        if (!same) {
            events_write_update("service", totals[i].id, &value, clock_unix_ms(), &payload);
            events_publish(server->events, 0, "service", "observation:update", &payload);
            arx_buf_clear(&told[i]);
            arx_buf_append(&told[i], value.data, value.len);
        }
        arx_buf_free(&value);
        arx_buf_free(&payload);
    }
}

/* ---- what one key sees ---- */

typedef struct look {
    store_op op;
    const service *server;
    event_group *group;
} look;

static void looked(store_op *op) {
    look *self = op->owner;
    arx_buf links;
    arx_buf running;
    arx_buf_init(&links, 0);
    arx_buf_init(&running, 0);
    if (op->result == STORE_OK) {
        oui_write_links(op, event_group_origin(self->group), &links);
        oui_write_jobs(self->server, event_group_owner(self->group), &running);
    } else {
        links.status = running.status = ARX_UNAVAILABLE; /* not now: nothing is told */
    }
    events_group_seen(self->server->events, self->group, &links, &running, clock_monotonic_ms(),
                      clock_unix_ms());
    arx_buf_free(&links);
    arx_buf_free(&running);
    store_op_clear(op);
    free(self);
}

static void look_at_group(const service *server, event_group *group) {
    look *self = calloc(1, sizeof *self);
    if (self == NULL) {
        const arx_buf none = {.status = ARX_NO_MEMORY};
        events_group_seen(server->events, group, &none, &none, clock_monotonic_ms(),
                          clock_unix_ms());
        return;
    }
    self->server = server;
    self->group = group;
    self->op = (store_op){.kind = STORE_LIST,
                          .state = STORE_LIVE,
                          .limit = OUI_RECENT_LINKS,
                          .done = looked,
                          .owner = self};
    memcpy(self->op.artifact.maker, event_group_owner(group), sizeof self->op.artifact.maker);
    if (store_submit(server->store, &self->op)) {
        looked(&self->op);
    }
}

void oui_observe_changes(const service *server, int64_t now_ms) {
    if (!events_heard(server->events)) {
        return;
    }
    look_at_service(server, now_ms);
    for (int i = 0; i < GROUPS_AT_ONCE; i++) {
        event_group *group = events_group_due(server->events, now_ms);
        if (group == NULL) {
            break;
        }
        look_at_group(server, group);
    }
    events_tick(server->events, now_ms);
}

void oui_observe_key(const service *server, const uint8_t owner[SECRET_HASH_BYTES]) {
    events_touch(server->events, owner, clock_monotonic_ms());
}

void oui_observe_result(const service *server, exchange *of) {
    static const uint8_t nobody[SECRET_HASH_BYTES];
    const oui_page *page = actions_page(server->actions);
    const uint8_t *owner = exchange_owner(of);
    oui_form form = (oui_form)(exchange_form(of) & ~OUI_OWN_ANSWER);
    exchange_view view;
    exchange_look(of, EXCHANGE_FINAL, &view);
    if (view.text == NULL || memcmp(owner, nobody, sizeof nobody) == 0 ||
        !events_heard(server->events)) {
        return;
    }
    static const arx_json nothing = {.type = ARX_JSON_OBJECT}; /* values come as updates */
    arx_json_doc *doc = NULL;
    arx_json *outcome;
    arx_buf payload;
    arx_buf_init(&payload, 0);
    arx_result result = arx_json_parse(view.text, view.len, 0, &doc, &outcome);
    if (result == ARX_OK) {
        result = oui_frame(page, form, outcome, page->offers[form].hash, &nothing, OUI_RESULT_BYTES,
                           &payload);
    }
    if (result == ARX_OK) {
        events_publish(server->events, events_tag(owner, SECRET_HASH_BYTES), NULL, "action:result",
                       &payload);
    }
    arx_json_doc_free(doc);
    arx_buf_free(&payload);
}

void oui_observe_end(const service *server) {
    const arx_json *surface = actions_page(server->actions)->surfaces->as.list.first;
    for (; surface != NULL; surface = surface->next) {
        arx_buf payload;
        arx_buf_init(&payload, 0);
        fields_begin(&payload);
        field_json(&payload, "surfaceId", arx_json_get(surface, "id"));
        field_count(&payload, "timestamp", (uint64_t)clock_unix_ms());
        fields_end(&payload);
        events_publish(server->events, 0, NULL, "surface:deregister", &payload);
        arx_buf_free(&payload);
    }
    events_stop(server->events);
    for (size_t i = 0; i < TOTALS; i++) {
        arx_buf_free(&told[i]);
    }
}
