/*
 * buffer.c - a growable byte buffer
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"

#define MIN(a, b) ((a) < (b) ? (a) : (b))

struct buffer {
    unsigned char *data;
    size_t len, size;
};

static int buffer_grow(struct buffer *buf, size_t need)
{
    void *data;

    while (buf->size < need)
        buf->size *= 2;
    data = realloc(buf->data, buf->size);
    if (data == NULL) {
        return -ENOMEM;
    }
    buf->data = data;
    return 0;
}

int buffer_append(struct buffer *buf, const void *data, size_t len)
{
    int ret = 0;

    if (!buf || (ret = buffer_grow(buf, buf->len + len)) < 0)
        goto out;
    memcpy(buf->data + buf->len, data, len);
    for (int i = 0; i < 10; i++)
        printf("%d: %02x\n", i, buf->data[i]);
out:
    return ret;
}
