/*
 * images.c - a small cache of primed models for one thread; see tool.h.
 *
 * An image is 33 MB and takes some milliseconds to prime. Four hold the three kinds of priors and
 * the shared one; the least recently used that nobody holds gives way.
 */
#include <stdlib.h>

#include "tool.h"

enum { SLOTS = 4 };

typedef struct slot {
    arx_image *image; /* NULL: free */
    const arx_assets *assets;
    char prior;
    unsigned holders;
    unsigned long used; /* when, by the cache's clock */
} slot;

struct tool_images {
    arx_image_source source;
    slot slots[SLOTS];
    unsigned long clock;
};

/* The slot with that image; else the one to prime it in, which is free or the oldest unheld. */
static slot *find(tool_images *images, const arx_assets *assets, char prior) {
    slot *oldest = NULL;
    for (size_t i = 0; i < SLOTS; i++) {
        slot *s = &images->slots[i];
        if (s->image != NULL && s->assets == assets && s->prior == prior) {
            return s;
        }
        if (s->holders == 0 && (oldest == NULL || s->used < oldest->used)) {
            oldest = s;
        }
    }
    return oldest;
}

static arx_result acquire(void *opaque, const arx_assets *assets, char prior,
                          const arx_image **image) {
    tool_images *images = opaque;
    slot *s = find(images, assets, prior);
    if (s == NULL) {
        return ARX_NO_MEMORY;
    }
    if (s->image == NULL || s->assets != assets || s->prior != prior) {
        arx_image *primed;
        arx_result rc = arx_assets_prime(assets, prior, &primed);
        if (rc != ARX_OK) {
            return rc;
        }
        arx_image_free(s->image);
        *s = (slot){.image = primed, .assets = assets, .prior = prior};
    }
    s->holders++;
    s->used = ++images->clock;
    *image = s->image;
    return ARX_OK;
}

static void release(void *opaque, const arx_image *image) {
    tool_images *images = opaque;
    for (size_t i = 0; i < SLOTS; i++) {
        if (images->slots[i].image == image) {
            images->slots[i].holders--;
        }
    }
}

tool_images *tool_images_create(void) {
    tool_images *images = calloc(1, sizeof *images);
    if (images != NULL) {
        images->source = (arx_image_source){acquire, release, images};
    }
    return images;
}

void tool_images_free(tool_images *images) {
    for (size_t i = 0; images != NULL && i < SLOTS; i++) {
        arx_image_free(images->slots[i].image);
    }
    free(images);
}

const arx_image_source *tool_images_source(tool_images *images) {
    return &images->source;
}
