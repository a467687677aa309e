/*
 * memory.c - memset and its kin by the machine's own instructions, in place of the C library's
 * loops: every text is copied a few times. And a calloc that does not clear what is clear: of a
 * model's 33 MB not one page is touched before it is needed.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define WASM_PAGE_BYTES ((size_t)64 << 10)

void *__wrap_calloc(size_t count, size_t size);

void *memset(void *to, int byte, size_t len) {
    return __builtin_memset(to, byte, len);
}

void *memcpy(void *restrict to, const void *restrict from, size_t len) {
    return __builtin_memcpy(to, from, len);
}

void *memmove(void *to, const void *from, size_t len) {
    return __builtin_memmove(to, from, len);
}

/* In place of the C library's, by the linker's --wrap. Memory that has just been grown is zero. */
void *__wrap_calloc(size_t count, size_t size) {
    size_t len;
    if (__builtin_mul_overflow(count, size, &len)) {
        return NULL;
    }
    const uintptr_t fresh = __builtin_wasm_memory_size(0) * WASM_PAGE_BYTES;
    void *block = malloc(len);
    const uintptr_t start = (uintptr_t)block;
    if (block != NULL && start < fresh) {
        memset(block, 0, len < fresh - start ? len : fresh - start);
    }
    return block;
}
