/* ring.c - a byte ring between one writer and one reader, without locks. */
#include "ring.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct ring {
    size_t mask;
    _Atomic size_t head; /* written by the producer only */
    _Atomic size_t tail; /* written by the consumer only */
    unsigned char data[];
};

ring *ring_create(size_t capacity) {
    size_t size = 64;
    while (size < capacity) {
        if (size > SIZE_MAX / 4) {
            return NULL;
        }
        size *= 2;
    }
    ring *r = malloc(sizeof *r + size);
    if (r == NULL) {
        return NULL;
    }
    r->mask = size - 1;
    atomic_init(&r->head, 0);
    atomic_init(&r->tail, 0);
    return r;
}

void ring_free(ring *r) {
    free(r);
}

size_t ring_write(ring *r, const void *from, size_t len) {
    size_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
    size_t tail = atomic_load_explicit(&r->tail, memory_order_acquire);
    size_t room = r->mask + 1 - (head - tail);
    size_t at = head & r->mask;
    size_t first;

    if (len > room) {
        len = room;
    }
    first = r->mask + 1 - at < len ? r->mask + 1 - at : len;
    memcpy(r->data + at, from, first);
    memcpy(r->data, (const unsigned char *)from + first, len - first);
    atomic_store_explicit(&r->head, head + len, memory_order_release);
    return len;
}

size_t ring_read(ring *r, void *to, size_t len) {
    size_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
    size_t head = atomic_load_explicit(&r->head, memory_order_acquire);
    size_t at = tail & r->mask;
    size_t first;

    if (len > head - tail) {
        len = head - tail;
    }
    first = r->mask + 1 - at < len ? r->mask + 1 - at : len;
    memcpy(to, r->data + at, first);
    memcpy((unsigned char *)to + first, r->data, len - first);
    atomic_store_explicit(&r->tail, tail + len, memory_order_release);
    return len;
}
