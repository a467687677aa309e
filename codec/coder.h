/*
 * coder.h - what one thread needs to code: entropy functions, a mixer, a source of primed images.
 *
 * A coder belongs to one thread at a time. It costs nothing until the mixer is first used; then
 * one arx_image_bytes() (about 33 MB) for the working model and up to 5 MB for its undo log. A
 * coder without a source adds up to three images of its own, as many again each.
 */
#ifndef ARX_CODER_H
#define ARX_CODER_H

#include "assets.h"
#include "entropy.h"

/*
 * Lends primed images. `acquire` gives a reference that stays valid until `release`, or
 * ARX_NO_MEMORY / ARX_UNAVAILABLE. Both may be called from any thread that owns a coder; a source
 * shared between threads does its own locking.
 */
typedef struct arx_image_source {
    arx_result (*acquire)(void *opaque, const arx_assets *assets, char prior,
                          const arx_image **image);
    void (*release)(void *opaque, const arx_image *image);
    void *opaque;
} arx_image_source;

typedef struct arx_coder arx_coder;

/*
 * A coder that keeps no image at all: the working model is primed in place, and primed again when
 * another prior is asked for or a long text was coded. For one user and little memory, as in a
 * page.
 */
arx_coder *arx_coder_create_small(const arx_entropy *entropy);

/* Images a coder keeps for itself when nobody lends it any. */
#define ARX_CODER_IMAGES 3

/*
 * Makes a coder. Both tables are borrowed for the coder's life. images: NULL lets the coder prime
 * and keep the ARX_CODER_IMAGES it used last (33 MB each), so that a batch of mixed kinds does not
 * prime again and again; then sets must outlive the coder. NULL without memory. Caller frees.
 */
arx_coder *arx_coder_create(const arx_entropy *entropy, const arx_image_source *images);
void arx_coder_free(arx_coder *coder);

const arx_entropy *arx_coder_entropy(const arx_coder *coder);
/* The mixer, based on the set's image for `prior`. Borrowed until the next call on this coder. */
arx_result arx_coder_mixer(arx_coder *coder, const arx_assets *assets, char prior,
                           arx_mixer **mixer) ARX_MUST_CHECK;

#endif
