/*
 * mixer_coder.h - the binary arithmetic coder (format.md 7.2.1), inlined into the kernels' loops.
 *
 * Frozen: carry-less, 32 bits wide, probabilities of 12 bits.
 */
#ifndef ARX_MIXER_CODER_H
#define ARX_MIXER_CODER_H

#include "buffer.h"

#define ARX_CODER_BYTES 4 /* a stream's shortest, and what its end takes */
/* One bit can push out the whole of `lo`, so one byte of text at most 8 * 4 bytes. */
#define ARX_CODER_BYTE_MAX 32

/* Where [lo, hi] is split: a 1 takes the part up to and with the answer. */
static inline uint32_t arx_coder_split(uint32_t lo, uint32_t hi, uint32_t probability) {
    return lo + ((hi - lo) >> 12) * probability;
}

static inline bool arx_coder_settled(uint32_t lo, uint32_t hi) {
    return ((lo ^ hi) >> 24) == 0;
}

#endif
