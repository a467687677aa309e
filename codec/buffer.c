/* buffer.c - see buffer.h. */
#include "buffer.h"

#include <stdlib.h>
#include <string.h>

void arx_buf_init(arx_buf *buf, size_t max) {
    *buf = (arx_buf){.max = max};
}

void arx_buf_free(arx_buf *buf) {
    free(buf->data);
    *buf = (arx_buf){.max = buf->max};
}

void arx_buf_clear(arx_buf *buf) {
    buf->len = 0;
    buf->status = ARX_OK;
}

/* Makes room for `extra` more bytes and one uncounted NUL. */
static bool reserve(arx_buf *buf, size_t extra) {
    if (buf->status != ARX_OK) {
        return false;
    }
    if (extra > SIZE_MAX / 2 - buf->len) {
        buf->status = ARX_NO_MEMORY;
        return false;
    }
    size_t need = buf->len + extra;
    if (buf->max != 0 && need > buf->max) {
        buf->status = ARX_OVER_LIMIT;
        return false;
    }
    if (need < buf->cap) {
        return true;
    }
    /* Growing by half keeps the slack of large buffers small against the 16 MB a decode may use. */
    size_t cap = buf->cap + buf->cap / 2;
    if (cap < need + 1) {
        cap = need + 1;
    }
    if (cap < 64) {
        cap = 64;
    }
    uint8_t *data = realloc(buf->data, cap);
    if (data == NULL) {
        buf->status = ARX_NO_MEMORY;
        return false;
    }
    buf->data = data;
    buf->cap = cap;
    return true;
}

uint8_t *arx_buf_extend(arx_buf *buf, size_t len) {
    if (!reserve(buf, len)) {
        return NULL;
    }
    uint8_t *at = buf->data + buf->len;
    buf->len += len;
    return at;
}

void arx_buf_append(arx_buf *buf, const void *bytes, size_t len) {
    if (len == 0) {
        return;
    }
    uint8_t *at = arx_buf_extend(buf, len);
    if (at != NULL) {
        memcpy(at, bytes, len);
    }
}

void arx_buf_append_byte(arx_buf *buf, uint8_t byte) {
    uint8_t *at = arx_buf_extend(buf, 1);
    if (at != NULL) {
        *at = byte;
    }
}

void arx_buf_append_str(arx_buf *buf, const char *str) {
    arx_buf_append(buf, str, strlen(str));
}

void arx_buf_append_u64(arx_buf *buf, uint64_t number) {
    uint8_t digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (uint8_t)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    arx_buf_append(buf, digits + at, sizeof digits - at);
}

arx_result arx_buf_result(const arx_buf *buf) {
    return buf->status;
}

uint8_t *arx_buf_take(arx_buf *buf, size_t *len) {
    /* Reserving nothing still makes room for the NUL, also in a buffer nothing was appended to. */
    if (!reserve(buf, 0)) {
        arx_buf_free(buf);
        *len = 0;
        return NULL;
    }
    uint8_t *data = buf->data;
    data[buf->len] = '\0';
    *len = buf->len;
    *buf = (arx_buf){.max = buf->max};
    return data;
}
