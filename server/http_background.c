/*
 * http_background.c - requests without a connection: see http.h. Any thread, one at a time for
 * each.
 *
 *     RUNNING -> ( WAITING -> RUNNING )* -> ended
 */
#include "http_internal.h"

#include <stdlib.h>
#include <string.h>

http_request *http_background(http_request *from) {
    http_server *server = from->server;
    const char *origin = http_origin(from);
    http_request *self = http_request_create(server, NULL, "");
    if (self == NULL || origin == NULL) {
        goto fail;
    }
    self->origin = http_request_alloc(self, strlen(origin) + 1);
    if (self->origin == NULL) {
        goto fail;
    }
    memcpy(self->origin, origin, strlen(origin) + 1);
    self->started_ms = from->started_ms;
    self->started_us = from->started_us;
    memcpy(self->context, from->context, server->options.app->context_bytes);
    return self;

fail:
    if (self != NULL) {
        http_request_free(self);
    }
    return NULL;
}

static void end(http_request *self) {
    http_server *server = self->server;
    void (*ended)(void *) = self->ended;
    void *opaque = self->ended_opaque;
    http_request_free(self);
    ended(opaque);
    atomic_fetch_sub(&server->handling, 1);
    atomic_fetch_sub(&server->in_flight, 1);
}

static void run(http_request *self, http_handler *handler) {
    for (;;) {
        atomic_store(&self->wait, WAIT_NONE);
        handler(self);
        int was = atomic_load(&self->wait);
        if (was == WAIT_NONE) {
            end(self);
            return;
        }
        if (was == WAIT_DECLARED &&
            atomic_compare_exchange_strong(&self->wait, &was, WAIT_SUSPENDED)) {
            return; /* whoever wakes it goes on, and may have done so already */
        }
        handler = self->next;
    }
}

void http_background_go(http_request *self) {
    run(self, self->next);
}

void http_background_run(http_request *self, http_handler *first, void (*ended)(void *opaque),
                         void *opaque) {
    self->ended = ended;
    self->ended_opaque = opaque;
    atomic_fetch_add(&self->server->in_flight, 1);
    atomic_fetch_add(&self->server->handling, 1);
    run(self, first);
}
