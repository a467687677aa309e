#include "heap.h"

#include <malloc.h>
#include <stdatomic.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *block);

static atomic_size_t asked;   /* allocations since heap_refuse() */
static atomic_size_t refused; /* the first one that fails; 0: none */
static atomic_bool all_later;
static atomic_bool paused;

static atomic_size_t blocks;
static atomic_size_t bytes;
static atomic_size_t marked;
static atomic_size_t most;

void heap_refuse(size_t k, bool and_later) {
    atomic_store(&refused, 0);
    atomic_store(&all_later, and_later);
    atomic_store(&asked, 0);
    atomic_store(&refused, k);
}

bool heap_relent(void) {
    size_t k = atomic_exchange(&refused, 0);
    return k != 0 && atomic_load(&asked) >= k;
}

void heap_pause(bool yes) {
    atomic_store(&paused, yes);
}

static bool refuse(void) {
    if (atomic_load(&paused)) {
        return false;
    }
    size_t k = atomic_load(&refused);
    size_t now = atomic_fetch_add(&asked, 1) + 1;
    return k != 0 && (now == k || (now > k && atomic_load(&all_later)));
}

size_t heap_blocks(void) {
    return atomic_load(&blocks);
}

size_t heap_bytes(void) {
    return atomic_load(&bytes);
}

void heap_mark(void) {
    size_t now = atomic_load(&bytes);
    atomic_store(&marked, now);
    atomic_store(&most, now);
}

size_t heap_peak(void) {
    return atomic_load(&most) - atomic_load(&marked);
}

static void hold(void *block) {
    size_t size = malloc_usable_size(block);
    size_t now = atomic_fetch_add(&bytes, size) + size;
    size_t before = atomic_load(&most);
    while (now > before && !atomic_compare_exchange_weak(&most, &before, now)) {
    }
}

static void *held(void *block) {
    if (block != NULL) {
        hold(block);
        atomic_fetch_add(&blocks, 1);
    }
    return block;
}

void *__wrap_malloc(size_t size) {
    return refuse() ? NULL : held(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
    return refuse() ? NULL : held(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size) {
    if (refuse()) {
        return NULL;
    }
    if (old == NULL) {
        return held(__real_realloc(NULL, size));
    }
    size_t before = malloc_usable_size(old);
    void *block = __real_realloc(old, size);
    if (block != NULL) {
        hold(block);
        atomic_fetch_sub(&bytes, before);
    }
    return block;
}

void __wrap_free(void *block) {
    if (block != NULL) {
        atomic_fetch_sub(&blocks, 1);
        atomic_fetch_sub(&bytes, malloc_usable_size(block));
    }
    __real_free(block);
}
