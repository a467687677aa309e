/*
 * coder.c - see coder.h: which primed image the mixer stands on, and who gives it back.
 */
#include "coder.h"

#include <stdlib.h>

#include "mixer_image.h"

/* Kinds alternate in a batch: markdown, code and JSON stay primed. */
#define OWN_IMAGES 3

typedef struct own_image {
    arx_image *image; /* NULL: free */
    uint64_t used_at; /* by the coder's count of uses */
} own_image;

struct arx_coder {
    const arx_entropy *entropy;
    const arx_image_source *images; /* NULL: `own` are used, or none */
    arx_mixer *mixer;               /* NULL until it is first asked for */
    bool small;                     /* no images: the mixer primes itself */
    const arx_image *lent;          /* the source's, on which the mixer stands */
    own_image own[OWN_IMAGES];
    uint64_t uses;
};

arx_coder *arx_coder_create(const arx_entropy *entropy, const arx_image_source *images) {
    arx_coder *coder = calloc(1, sizeof *coder);
    if (coder != NULL) {
        coder->entropy = entropy;
        coder->images = images;
    }
    return coder;
}

arx_coder *arx_coder_create_small(const arx_entropy *entropy) {
    arx_coder *coder = arx_coder_create(entropy, NULL);
    if (coder != NULL) {
        coder->small = true;
    }
    return coder;
}

static void give_back(arx_coder *coder) {
    if (coder->lent != NULL) {
        coder->images->release(coder->images->opaque, coder->lent);
        coder->lent = NULL;
    }
}

void arx_coder_free(arx_coder *coder) {
    if (coder == NULL) {
        return;
    }
    arx_mixer_free(coder->mixer);
    give_back(coder);
    for (unsigned i = 0; i < OWN_IMAGES; i++) {
        arx_image_free(coder->own[i].image);
    }
    free(coder);
}

const arx_entropy *arx_coder_entropy(const arx_coder *coder) {
    return coder->entropy;
}

/* Bases the mixer on an image of the source, and returns the one it stood on before. */
static arx_result base_on_lent(arx_coder *coder, const arx_assets *assets, char prior) {
    const arx_image *image;
    arx_result rc = coder->images->acquire(coder->images->opaque, assets, prior, &image);
    if (rc != ARX_OK) {
        return rc;
    }
    rc = arx_mixer_base(coder->mixer, image);
    if (rc != ARX_OK) {
        coder->images->release(coder->images->opaque, image);
        return rc;
    }
    give_back(coder);
    coder->lent = image;
    return ARX_OK;
}

/* The image primed with these bytes, or the place for it: a free one, else the longest unused. */
static own_image *find_own(arx_coder *coder, const uint8_t *prior, size_t len) {
    own_image *place = &coder->own[0];
    for (unsigned i = 0; i < OWN_IMAGES; i++) {
        own_image *own = &coder->own[i];
        if (own->image != NULL && arx_image_holds(own->image, prior, len)) {
            return own;
        }
        if (place->image != NULL && (own->image == NULL || own->used_at < place->used_at)) {
            place = own;
        }
    }
    /* Not the mixer's base: that was used last, and there is more than one. */
    arx_image_free(place->image);
    place->image = NULL;
    return place;
}

static arx_result base_on_own(arx_coder *coder, const arx_assets *assets, char id) {
    const uint8_t *prior;
    size_t len;
    arx_result rc = arx_assets_prior(assets, id, &prior, &len);
    if (rc != ARX_OK) {
        return rc;
    }
    own_image *own = find_own(coder, prior, len);
    if (own->image == NULL) {
        own->image = arx_image_create(arx_assets_kernel(assets), prior, len);
        if (own->image == NULL) {
            return ARX_NO_MEMORY;
        }
    }
    rc = arx_mixer_base(coder->mixer, own->image);
    if (rc == ARX_OK) {
        own->used_at = ++coder->uses;
    }
    return rc;
}

static arx_result prime_in_place(arx_coder *coder, const arx_assets *assets, char id) {
    const uint8_t *prior;
    size_t len;
    arx_result rc = arx_assets_prior(assets, id, &prior, &len);
    return rc == ARX_OK ? arx_mixer_prime(coder->mixer, prior, len) : rc;
}

arx_result arx_coder_mixer(arx_coder *coder, const arx_assets *assets, char prior,
                           arx_mixer **mixer) {
    if (coder->mixer == NULL) {
        coder->mixer = arx_mixer_create(arx_assets_kernel(assets));
        if (coder->mixer == NULL) {
            return ARX_NO_MEMORY;
        }
    }
    arx_mixer_use(coder->mixer, arx_assets_kernel(assets));
    arx_result rc = coder->small            ? prime_in_place(coder, assets, prior)
                    : coder->images != NULL ? base_on_lent(coder, assets, prior)
                                            : base_on_own(coder, assets, prior);
    if (rc == ARX_OK) {
        *mixer = coder->mixer;
    }
    return rc;
}
