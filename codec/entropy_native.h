/*
 * entropy_native.h - Brotli by libbrotli and deflate by zlib: the functions of arx_entropy_native.
 *
 * Outside the core. See entropy.h for what each function promises. On failure `out` is as long as
 * it was.
 */
#ifndef ARX_ENTROPY_NATIVE_H
#define ARX_ENTROPY_NATIVE_H

#include "entropy.h"

arx_result arx_brotli_compress(const uint8_t *bytes, size_t len, arx_buf *out) ARX_MUST_CHECK;
arx_result arx_brotli_decompress(const uint8_t *stream, size_t len, size_t max,
                                 arx_buf *out) ARX_MUST_CHECK;
arx_result arx_deflate_compress(const uint8_t *bytes, size_t len, arx_buf *out) ARX_MUST_CHECK;
arx_result arx_deflate_decompress(const uint8_t *stream, size_t len, size_t max,
                                  arx_buf *out) ARX_MUST_CHECK;

#endif
