/*
 * heap.c - an allocator that fails at a given call, for tests (LD_PRELOAD).
 *
 * Every allocation of the process counts, whoever makes it: arxd, its libraries, the C library.
 * What is counted and when to fail stand in a file that both sides map, of four 64-bit numbers:
 *
 *   0   fail_at   the call that fails, counted from 1; 0: none
 *   8   count     calls so far; the test sets it back
 *   16  failed    calls that were refused
 *   24  live      blocks that are allocated, also at the process's end
 *
 * HEAP_FILE names it. Tests are to build it with cc -shared -fPIC.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct heap {
    _Atomic uint64_t fail_at;
    _Atomic uint64_t count;
    _Atomic uint64_t failed;
    _Atomic uint64_t live;
} heap;

static heap *shared;

/* What the C library's own are called besides. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("HEAP_FILE");
    int fd = path != NULL ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0) {
        return;
    }
    void *mapped = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapped == MAP_FAILED) {
        abort();
    }
    close(fd);
    shared = mapped;
}

static bool refused(void) {
    if (shared == NULL) {
        return false;
    }
    uint64_t call = atomic_fetch_add(&shared->count, 1) + 1;
    if (call != atomic_load(&shared->fail_at)) {
        return false;
    }
    atomic_fetch_add(&shared->failed, 1);
    errno = ENOMEM;
    return true;
}

static void *counted(void *block) {
    if (block != NULL && shared != NULL) {
        atomic_fetch_add(&shared->live, 1);
    }
    return block;
}

void *malloc(size_t size) {
    return refused() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size) {
    return refused() ? NULL : counted(__libc_calloc(count, size));
}

void free(void *block) {
    if (block != NULL && shared != NULL) {
        atomic_fetch_sub(&shared->live, 1);
    }
    __libc_free(block);
}

void *realloc(void *old, size_t size) {
    if (old == NULL) {
        return malloc(size);
    }
    if (size == 0) {
        free(old);
        return NULL;
    }
    return refused() ? NULL : __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
    return refused() ? NULL : counted(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    void *got = memalign(alignment, size);
    if (got == NULL) {
        return ENOMEM;
    }
    *block = got;
    return 0;
}
