/*
 * mixer_image.h - primed states and the way back to them. Internal to mixer_*, assets and coder.
 *
 * "Where a mixer stands" is known by content, never by an address or a number: a primed state is a
 * function of its prior alone, and the model keeps the prior's bytes in its ring. So two images of
 * one prior are the same base, and memory that is reused for another image cannot be mistaken.
 */
#ifndef ARX_MIXER_IMAGE_H
#define ARX_MIXER_IMAGE_H

#include "mixer_kernel.h"

struct arx_image {
    void *block; /* what was allocated; `model` is aligned inside */
    arx_model *model;
};

/* What a primed model has besides slots and matches, and the undo log does not keep. */
typedef struct arx_primed {
    int16_t weights[256][ARX_WEIGHTS];
    arx_context context;
} arx_primed;

struct arx_mixer {
    const arx_mixer_functions *functions;
    void *block; /* NULL until the first arx_mixer_base() or arx_mixer_prime() */
    arx_model *model;
    const arx_image *base; /* borrowed; NULL for none, or when the mixer primed itself */
    arx_primed *primed;    /* of the last arx_mixer_prime(); NULL before the first */
    bool stands;           /* without an image: the model is in the primed state, but for a text */
    void *undo_block;      /* the log's memory, kept between texts */
    arx_undo *undo;        /* aligned inside; entries for `undo_capacity` bytes of text */
    size_t undo_capacity;
};

/* True when the image was primed with exactly these bytes. */
bool arx_image_holds(const arx_image *image, const uint8_t *prior, size_t len);

/* Is there a state to start from and go back to? */
bool arx_mixer_has_base(const arx_mixer *mixer);

/* Lets the mixer work by another kernel from its next text on. */
void arx_mixer_use(arx_mixer *mixer, arx_kernel kernel);

/*
 * Prepares for coding a text of `len` bytes (a decoder: of what the stream claims) and tells the
 * kernel where to log. Cannot fail: without memory for a log the way back is a copy.
 */
arx_undo_log arx_mixer_begin(arx_mixer *mixer, size_t len);

/* Puts the model back to its base after whatever part of the text was coded. */
void arx_mixer_rewind(arx_mixer *mixer, const arx_undo_log *log);

#endif
