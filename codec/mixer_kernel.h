/*
 * mixer_kernel.h - the two implementations of the bit steps, as tables of functions. Internal to
 * mixer_*.
 *
 * Both give the same bytes and leave the same model behind, so a model primed by one may be worked
 * on by the other.
 */
#ifndef ARX_MIXER_KERNEL_H
#define ARX_MIXER_KERNEL_H

#include "mixer_model.h"

#if defined(__x86_64__) && !defined(ARX_NO_AVX2)
#define ARX_HAVE_AVX2 1
#else
#define ARX_HAVE_AVX2 0
#endif

/*
 * Where a kernel writes what it changes, an entry for each byte of text; or nowhere, for texts that
 * go back by a copy.
 */
typedef struct arx_undo_log {
    arx_undo *entries; /* NULL: nothing is to be kept */
    size_t used;       /* out: bytes of text the model has taken in */
} arx_undo_log;

typedef struct arx_mixer_functions {
    /* Reads `text` without coding it. */
    void (*prime)(arx_model *model, const uint8_t *text, size_t len);
    /* Appends the coder's bytes; stops early when `out` has failed. */
    void (*encode)(arx_model *model, const uint8_t *text, size_t len, arx_undo_log *log,
                   arx_buf *out);
    /* Appends `text_len` bytes of text, or fewer and answers false when the coded bytes run out. */
    bool (*decode)(arx_model *model, const uint8_t *coded, size_t len, size_t text_len,
                   arx_undo_log *log, arx_buf *out);
} arx_mixer_functions;

extern const arx_mixer_functions arx_mixer_portable;
#if ARX_HAVE_AVX2
extern const arx_mixer_functions arx_mixer_avx2;
#endif

/* The functions of a kernel; the portable ones for one that was not built. */
const arx_mixer_functions *arx_mixer_functions_of(arx_kernel kernel);

/*
 * The match's two inputs before bit i of a byte, 16 bits each, as `inputs` has them for a 1: they
 * count while the bits so far, c0, are those of the predicted byte, and speak for its next one.
 */
static inline uint32_t arx_match_inputs(uint32_t predicted, uint32_t inputs, unsigned i,
                                        uint32_t c0) {
    uint32_t follows = 0u - (uint32_t)(predicted >> (8 - i) == c0);
    uint32_t both = inputs & follows;
    uint32_t negative = (0u - (both & 0xFFFF)) & 0xFFFF;
    negative |= (0u - (both >> 16)) << 16;
    return (predicted >> (7 - i) & 1u) != 0 ? both : negative;
}

#endif
