/*
 * memory.c - memset and its kin by the machine's own instructions, in place of the C library's
 * loops: 33 MB are cleared for a model, and every text is copied a few times.
 */
#include <string.h>

void *memset(void *to, int byte, size_t len) {
    return __builtin_memset(to, byte, len);
}

void *memcpy(void *restrict to, const void *restrict from, size_t len) {
    return __builtin_memcpy(to, from, len);
}

void *memmove(void *to, const void *from, size_t len) {
    return __builtin_memmove(to, from, len);
}
