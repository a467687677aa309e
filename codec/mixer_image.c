/*
 * mixer_image.c - see mixer_image.h: allocation, priming, basing, undo.
 */
#include "mixer_image.h"

#include <stdlib.h>
#include <string.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

/*
 * Slots of one text are scattered over 32 MB, which 4 KB pages turn into a TLB miss each. Where the
 * system leaves the choice to programs, ask for pages of 2 MB; elsewhere this is plain alignment.
 */
#define MODEL_ALIGN ((size_t)2 << 20)

/*
 * Texts up to this length go back by the undo log (320 bytes of log for each byte of text), longer
 * ones by a copy of the image: about where the two take the same time (`make bench`).
 */
#define UNDO_MAX_TEXT ((size_t)16 << 10)

static void *align_up(void *block, size_t align) {
    size_t over = (uintptr_t)block & (align - 1);
    return (uint8_t *)block + (over == 0 ? 0 : align - over);
}

/* Memory for a model, zeroed or not. NULL without memory; `*block` is what to free. */
static arx_model *model_alloc(bool zeroed, void **block) {
    size_t bytes = sizeof(arx_model) + MODEL_ALIGN;
    /* calloc: fresh pages are zero already, so the 33 MB are not written twice. */
    *block = zeroed ? calloc(1, bytes) : malloc(bytes);
    if (*block == NULL) {
        return NULL;
    }
    arx_model *model = align_up(*block, MODEL_ALIGN);
#ifdef __linux__
    /* A hint: where it is refused, nothing changes but the speed. */
    (void)madvise(model, sizeof *model, MADV_HUGEPAGE);
#endif
    return model;
}

size_t arx_image_bytes(void) {
    return sizeof(arx_model);
}

arx_image *arx_image_create(arx_kernel kernel, const uint8_t *prior, size_t len) {
    if (len > ARX_PRIMING_MAX) {
        return NULL;
    }
    arx_image *image = malloc(sizeof *image);
    if (image == NULL) {
        return NULL;
    }
    image->model = model_alloc(true, &image->block);
    if (image->model == NULL) {
        free(image);
        return NULL;
    }
    arx_model_init(image->model);
    arx_mixer_functions_of(kernel)->prime(image->model, prior, len);
    return image;
}

void arx_image_free(arx_image *image) {
    if (image != NULL) {
        free(image->block);
        free(image);
    }
}

static bool model_holds(const arx_model *model, const uint8_t *prior, size_t len) {
    /* Of a prior longer than the ring the beginning is lost: it is never recognised. */
    return len <= ARX_RING_BYTES && model->context.count == len &&
           (len == 0 || memcmp(model->ring, prior, len) == 0);
}

bool arx_image_holds(const arx_image *image, const uint8_t *prior, size_t len) {
    return model_holds(image->model, prior, len);
}

arx_mixer *arx_mixer_create(arx_kernel kernel) {
    arx_mixer *mixer = calloc(1, sizeof *mixer);
    if (mixer != NULL) {
        arx_mixer_use(mixer, kernel);
    }
    return mixer;
}

void arx_mixer_use(arx_mixer *mixer, arx_kernel kernel) {
    mixer->functions = arx_mixer_functions_of(kernel);
}

void arx_mixer_free(arx_mixer *mixer) {
    if (mixer != NULL) {
        free(mixer->block);
        free(mixer->primed);
        free(mixer->undo_block);
        free(mixer);
    }
}

arx_result arx_mixer_base(arx_mixer *mixer, const arx_image *image) {
    bool known = arx_mixer_has_base(mixer);
    if (mixer->block == NULL) {
        mixer->model = model_alloc(false, &mixer->block);
        if (mixer->model == NULL) {
            return ARX_NO_MEMORY;
        }
    }
    const arx_model *primed = image->model;
    if (!known || !arx_image_holds(image, mixer->model->ring, mixer->model->context.count)) {
        memcpy(mixer->model, primed, sizeof *primed);
    }
    mixer->base = image;
    mixer->stands = false;
    return ARX_OK;
}

bool arx_mixer_has_base(const arx_mixer *mixer) {
    return mixer->base != NULL || mixer->stands;
}

arx_result arx_mixer_prime(arx_mixer *mixer, const uint8_t *prior, size_t len) {
    if (len > ARX_RING_BYTES) {
        return ARX_OVER_LIMIT;
    }
    if (mixer->stands && model_holds(mixer->model, prior, len)) {
        return ARX_OK;
    }
    if (mixer->primed == NULL) {
        mixer->primed = malloc(sizeof *mixer->primed);
        if (mixer->primed == NULL) {
            return ARX_NO_MEMORY;
        }
    }
    if (mixer->block == NULL) {
        mixer->model = model_alloc(true, &mixer->block);
        if (mixer->model == NULL) {
            return ARX_NO_MEMORY;
        }
    } else {
        memset(mixer->model, 0, sizeof *mixer->model);
    }
    arx_model_init(mixer->model);
    mixer->functions->prime(mixer->model, prior, len);
    memcpy(mixer->primed->weights, mixer->model->weights, sizeof mixer->primed->weights);
    mixer->primed->context = mixer->model->context;
    mixer->base = NULL;
    mixer->stands = true;
    return ARX_OK;
}

/* Makes the log hold a text of `len` bytes. False without memory: the old log stays. */
static bool reserve_undo(arx_mixer *mixer, size_t len) {
    if (len <= mixer->undo_capacity) {
        return true;
    }
    /* In steps, so that a run of slightly longer texts does not allocate each time. */
    size_t capacity = 1024;
    while (capacity < len) {
        capacity *= 2;
    }
    void *block = malloc(capacity * sizeof(arx_undo) + _Alignof(arx_undo));
    if (block == NULL) {
        return false;
    }
    free(mixer->undo_block);
    mixer->undo_block = block;
    mixer->undo = align_up(block, _Alignof(arx_undo));
    mixer->undo_capacity = capacity;
    return true;
}

arx_undo_log arx_mixer_begin(arx_mixer *mixer, size_t len) {
    bool keep = len <= UNDO_MAX_TEXT && reserve_undo(mixer, len);
    if (mixer->base == NULL && mixer->model->context.count + len > ARX_RING_BYTES) {
        keep =
            false; /* the text would overwrite the prior in the ring, of which there is no copy */
    }
    return (arx_undo_log){.entries = keep ? mixer->undo : NULL};
}

/* The bytes a text wrote into the ring, from the image. */
static void rewind_ring(arx_model *model, const arx_model *primed, size_t len) {
    const size_t at = primed->context.count & (ARX_RING_BYTES - 1);
    size_t first = len < ARX_RING_BYTES - at ? len : ARX_RING_BYTES - at;
    memcpy(model->ring + at, primed->ring + at, first);
    memcpy(model->ring, primed->ring, len - first);
}

void arx_mixer_rewind(arx_mixer *mixer, const arx_undo_log *log) {
    arx_model *model = mixer->model;
    const arx_model *image = mixer->base != NULL ? mixer->base->model : NULL;
    if (log->entries == NULL) {
        mixer->stands = false;
        if (image != NULL) {
            memcpy(model, image, sizeof *image);
        }
        return;
    }
    /* Backwards: of a slot changed twice the first old value is the right one. */
    for (size_t i = log->used; i-- > 0;) {
        const arx_undo *undo = &log->entries[i];
        unsigned lanes = undo->column ? ARX_LANES : ARX_LANE_COLUMN;
        for (unsigned bit = 0; bit < 8; bit++) {
            uint32_t c0 = (256u | undo->byte) >> (8 - bit);
            for (unsigned lane = 0; lane < lanes; lane++) {
                uint32_t address = undo->base[lane] ^ arx_model_bit_address[c0];
                model->slots[address & ARX_SLOT_MASK] = undo->old[bit][lane];
            }
        }
        model->match[undo->match_slot] = undo->match_old;
    }
    if (image != NULL) {
        rewind_ring(model, image, log->used);
        memcpy(model->weights, image->weights, sizeof model->weights);
        model->context = image->context;
    } else {
        memset(model->ring + mixer->primed->context.count, 0, log->used);
        memcpy(model->weights, mixer->primed->weights, sizeof model->weights);
        model->context = mixer->primed->context;
    }
}
