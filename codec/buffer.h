/*
 * buffer.h - a growable byte buffer that fails once and stays failed.
 *
 * Appending never returns an error: the first append that cannot be done (no memory, or the buffer
 * would pass its maximum) is dropped whole, as is every later one, and arx_buf_result() tells
 * which it was. So a writer of many small pieces checks once, at its end.
 *
 * Ownership: the struct is the caller's (usually on the stack), `data` is the buffer's. Release
 * with arx_buf_free(), or take the bytes with arx_buf_take(). Not shared between threads.
 */
#ifndef ARX_BUFFER_H
#define ARX_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result.h"

typedef struct arx_buf {
    uint8_t *data;     /* NULL while nothing was appended */
    size_t len;        /* bytes in use */
    size_t cap;        /* bytes allocated */
    size_t max;        /* most bytes allowed, 0 for no maximum */
    arx_result status; /* ARX_OK, ARX_NO_MEMORY or ARX_OVER_LIMIT */
} arx_buf;

/* An empty buffer. max: most bytes it may hold, 0 for no maximum. Allocates nothing. */
void arx_buf_init(arx_buf *buf, size_t max);

/* Releases the bytes and leaves an empty buffer with the same maximum. Safe on a zeroed struct. */
void arx_buf_free(arx_buf *buf);

/* Forgets the content and any failure, keeps the allocation. */
void arx_buf_clear(arx_buf *buf);

void arx_buf_append(arx_buf *buf, const void *bytes, size_t len);
void arx_buf_append_byte(arx_buf *buf, uint8_t byte);
/* Appends a NUL-terminated string without its NUL. */
void arx_buf_append_str(arx_buf *buf, const char *str);
/* Appends an unsigned number in decimal. */
void arx_buf_append_u64(arx_buf *buf, uint64_t number);

/*
 * Makes room for `len` more bytes and returns where they go, or NULL on failure. The bytes count
 * as appended (undefined content) and the pointer is good until the next append.
 */
uint8_t *arx_buf_extend(arx_buf *buf, size_t len);

/* ARX_OK, or how the first failed append failed. */
arx_result arx_buf_result(const arx_buf *buf) ARX_MUST_CHECK;

/*
 * Hands the bytes to the caller, who frees them with free(), and leaves an empty buffer. A NUL
 * that `*len` does not count follows the bytes. NULL when the buffer has failed (content released).
 */
uint8_t *arx_buf_take(arx_buf *buf, size_t *len);

#endif
