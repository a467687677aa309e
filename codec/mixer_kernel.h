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

#endif
