/*
 * http_peers.c - see http_peers.h. A hash table of chains, its nodes made beforehand, one lock: it
 * is held for a few comparisons when a connection opens and when it closes.
 */
#include "http_peers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "rate_limits.h"
#include "secret.h"

#define NONE UINT32_MAX

typedef struct peer {
    limits_key key;
    uint32_t next;
    unsigned connections;
} peer;

struct http_peers {
    pthread_mutex_t lock;
    uint64_t seed;
    uint32_t *chains; /* chain_count of them, a power of two */
    size_t chain_count;
    peer *peers;
    uint32_t unused; /* a chain too */
    unsigned total;
};

http_peers *http_peers_create(unsigned max_connections) {
    http_peers *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    (void)pthread_mutex_init(&self->lock, NULL);
    self->chain_count = 1;
    while (self->chain_count < max_connections) {
        self->chain_count *= 2;
    }
    self->chains = malloc(self->chain_count * sizeof *self->chains);
    self->peers = calloc(max_connections, sizeof *self->peers);
    if (self->chains == NULL || self->peers == NULL ||
        !secret_random((uint8_t *)&self->seed, sizeof self->seed)) {
        http_peers_free(self);
        return NULL;
    }
    for (size_t i = 0; i < self->chain_count; i++) {
        self->chains[i] = NONE;
    }
    self->unused = NONE;
    for (uint32_t i = 0; i < max_connections; i++) {
        self->peers[i].next = self->unused;
        self->unused = i;
    }
    return self;
}

void http_peers_free(http_peers *self) {
    if (self != NULL) {
        (void)pthread_mutex_destroy(&self->lock);
        free(self->chains);
        free(self->peers);
        free(self);
    }
}

/* Where the index of the peer is written; NONE stands there if it has no connection. */
static uint32_t *find(http_peers *self, const limits_key *key) {
    uint64_t hash = limits_key_hash(key, self->seed);
    uint32_t *at = &self->chains[hash & (self->chain_count - 1)];
    while (*at != NONE && memcmp(&self->peers[*at].key, key, sizeof *key) != 0) {
        at = &self->peers[*at].next;
    }
    return at;
}

unsigned http_peers_count(http_peers *self, const http_address *address) {
    limits_key key = limits_key_of_address(address->bytes);
    (void)pthread_mutex_lock(&self->lock);
    uint32_t at = *find(self, &key);
    unsigned count = at == NONE ? 0 : self->peers[at].connections;
    (void)pthread_mutex_unlock(&self->lock);
    return count;
}

unsigned http_peers_total(http_peers *self) {
    (void)pthread_mutex_lock(&self->lock);
    unsigned total = self->total;
    (void)pthread_mutex_unlock(&self->lock);
    return total;
}

bool http_peers_enter(http_peers *self, const http_address *address) {
    limits_key key = limits_key_of_address(address->bytes);
    (void)pthread_mutex_lock(&self->lock);
    uint32_t *at = find(self, &key);
    if (*at == NONE && self->unused != NONE) {
        uint32_t fresh = self->unused;
        self->unused = self->peers[fresh].next;
        self->peers[fresh] = (peer){.key = key, .next = NONE};
        *at = fresh;
    }
    bool entered = *at != NONE;
    if (entered) {
        self->peers[*at].connections++;
        self->total++;
    }
    (void)pthread_mutex_unlock(&self->lock);
    return entered;
}

void http_peers_leave(http_peers *self, const http_address *address) {
    limits_key key = limits_key_of_address(address->bytes);
    (void)pthread_mutex_lock(&self->lock);
    uint32_t *at = find(self, &key);
    if (*at != NONE) {
        uint32_t left = *at;
        self->total--;
        if (--self->peers[left].connections == 0) {
            *at = self->peers[left].next;
            self->peers[left].next = self->unused;
            self->unused = left;
        }
    }
    (void)pthread_mutex_unlock(&self->lock);
}
