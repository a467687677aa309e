/* host.c - the host's functions in the shapes the codec takes: entropy.h and url.h. See web.h. */
#include <string.h>

#include "text.h"
#include "url.h"
#include "web.h"

/* A host's word is not taken for more than it may say. */
static arx_result answered(int said, size_t start, size_t max, arx_buf *out) {
    arx_result result =
        said >= ARX_OK && said <= ARX_UNAVAILABLE ? (arx_result)said : ARX_MALFORMED;
    if (result == ARX_OK) {
        result = arx_buf_result(out);
    }
    if (result == ARX_OK && out->len - start > max) {
        result = ARX_OVER_LIMIT;
    }
    if (result != ARX_OK && out->len > start) {
        out->len = start;
    }
    return result;
}

static arx_result brotli_compress(const uint8_t *bytes, size_t len, arx_buf *out) {
    const size_t start = out->len;
    return answered(host_brotli_compress(bytes, len, out), start, SIZE_MAX, out);
}

static arx_result brotli_decompress(const uint8_t *stream, size_t len, size_t max, arx_buf *out) {
    const size_t start = out->len;
    return answered(host_brotli_decompress(stream, len, max, out), start, max, out);
}

static arx_result deflate_compress(const uint8_t *bytes, size_t len, arx_buf *out) {
    const size_t start = out->len;
    return answered(host_deflate_compress(bytes, len, out), start, SIZE_MAX, out);
}

static arx_result deflate_decompress(const uint8_t *stream, size_t len, size_t max, arx_buf *out) {
    const size_t start = out->len;
    return answered(host_deflate_decompress(stream, len, max, out), start, max, out);
}

const arx_entropy web_entropy = {
    .brotli_compress = brotli_compress,
    .brotli_decompress = brotli_decompress,
    .deflate_compress = deflate_compress,
    .deflate_decompress = deflate_decompress,
};

/*
 * The URL standard is the browser's own: its parser takes the place of codec/url.c, which needs a
 * library for international names.
 */
arx_result arx_url_base(const uint8_t *base, size_t len, arx_buf *out) {
    arx_buf text;
    arx_buf_init(&text, 0);
    arx_buf_append(&text, base, len);
    arx_result rc = arx_buf_result(&text);
    if (rc == ARX_OK && len > 0) {
        (void)arx_text_mend_surrogates(text.data, text.len);
        const size_t start = out->len;
        rc = answered(host_url(text.data, text.len, out), start, SIZE_MAX, out);
    }
    arx_buf_free(&text);
    return len > 0 ? rc : ARX_MALFORMED;
}
