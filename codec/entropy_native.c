/* entropy_native.c - the table of functions that the service and the tool hand to their coders. */
#include "entropy_native.h"

#include "arx.h"

const arx_entropy arx_entropy_native = {
    .brotli_compress = arx_brotli_compress,
    .brotli_decompress = arx_brotli_decompress,
    .deflate_compress = arx_deflate_compress,
    .deflate_decompress = arx_deflate_decompress,
};
