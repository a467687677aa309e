/*
 * heap.h - the allocator under programs named test_<property>_memory: it refuses the allocation
 * that a test names, and counts what is held.
 *
 * They are linked with --wrap for malloc and its kin, so heap.c stands between the library (with
 * what allocates through it) and the C library. Sizes are in bytes, as malloc_usable_size() tells
 * them. Allocations may come from any thread; the functions below belong to one.
 */
#ifndef HEAP_H
#define HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* The k-th allocation from now on, from 1, gets NULL; with `and_later` all behind it, too. */
void heap_refuse(size_t k, bool and_later);

/* Nothing is refused any more. Whether anything was since heap_refuse(). */
bool heap_relent(void);

/* While paused, allocations are neither refused nor counted towards k. */
void heap_pause(bool yes);

/* What is held now. */
size_t heap_blocks(void);
size_t heap_bytes(void);

/*
 * heap_peak() is the most that was held at once since heap_mark(), beyond what was held then. A
 * block that is moved counts twice while it is.
 */
void heap_mark(void);
size_t heap_peak(void);

#endif
