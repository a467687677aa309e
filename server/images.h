/*
 * images.h - primed images shared by all workers: an arx_image_source over a cache.
 *
 * An image belongs to an asset set and a prior, takes 33 MB, and costs some milliseconds to prime.
 * The cache holds at most the given number of bytes, the least recently used image going first. An
 * image that is lent is never dropped: as a worker keeps the one it last used, the cache may pass
 * its bound by the images the workers stand on, and by no more. Two workers that want the same
 * missing image wait for one priming.
 *
 * Thread-safe. A set must outlive the cache.
 */
#ifndef ARXD_IMAGES_H
#define ARXD_IMAGES_H

#include "arx.h"

typedef struct images images;

/* max_bytes: 0 keeps nothing that is not lent. NULL without memory. */
images *images_create(size_t max_bytes);
/* Every image must have been given back. NULL is fine. */
void images_free(images *cache);

/* For jobs_start(); borrowed for the cache's life. */
const arx_image_source *images_source(const images *cache);

typedef struct images_stats {
    size_t bytes;    /* held or being primed now */
    size_t lent;     /* images somebody stands on */
    uint64_t hits;   /* found, or waited for while another thread primed it */
    uint64_t misses; /* primed */
} images_stats;

void images_get_stats(images *cache, images_stats *stats);

#endif
