/*
 * images.c - see images.h.
 *
 * images.lock guards everything; priming and freeing 33 MB happen without it. An entry that is
 * being primed has no image yet; who wants it too waits on `primed`. The list is short (five
 * priors a set), so it is walked, most recently used first.
 */
#include "images.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct entry {
    const arx_assets *assets;
    char prior;
    arx_image *image;  /* NULL while it is being primed, and after that failed */
    arx_result result; /* of the priming */
    bool priming;
    size_t users; /* lent, waiting, or priming: it may not go */
    struct entry *next;
} entry;

struct images {
    arx_image_source source;
    pthread_mutex_t lock;
    pthread_cond_t primed;
    entry *entries;
    size_t max_bytes;
    images_stats stats; /* `lent` is counted on demand */
};

/* ---- with the lock held ---- */

/* Takes the entry at `*link` out of the list. */
static entry *unlink_at(entry **link) {
    entry *e = *link;
    *link = e->next;
    e->next = NULL;
    return e;
}

static void push_front(images *cache, entry *e) {
    e->next = cache->entries;
    cache->entries = e;
}

/* Finds an entry and moves it to the front. */
static entry *find(images *cache, const arx_assets *assets, char prior) {
    for (entry **link = &cache->entries; *link != NULL; link = &(*link)->next) {
        if ((*link)->assets == assets && (*link)->prior == prior) {
            entry *e = unlink_at(link);
            push_front(cache, e);
            return e;
        }
    }
    return NULL;
}

/* Takes out unused entries, the oldest first, until the rest fits; returns them linked. */
static entry *take_surplus(images *cache) {
    entry *surplus = NULL;
    while (cache->stats.bytes > cache->max_bytes) {
        entry **oldest = NULL;
        for (entry **link = &cache->entries; *link != NULL; link = &(*link)->next) {
            if ((*link)->users == 0) {
                oldest = link;
            }
        }
        if (oldest == NULL) {
            break;
        }
        entry *e = unlink_at(oldest);
        cache->stats.bytes -= arx_image_bytes();
        e->next = surplus;
        surplus = e;
    }
    return surplus;
}

/* ---- without it ---- */

static void free_all(entry *list) {
    while (list != NULL) {
        entry *next = list->next;
        arx_image_free(list->image);
        free(list);
        list = next;
    }
}

/* One user less, with the lock held; returns what is to be freed without it. */
static entry *leave(images *cache, entry *e) {
    e->users--;
    if (e->users > 0 || e->image != NULL) {
        return take_surplus(cache);
    }
    return e; /* its priming failed, and prime() took it out of the list */
}

/* Primes what nobody has; called and returns with the lock held. */
static void prime(images *cache, entry *e) {
    entry *surplus = take_surplus(cache); /* makes room before, not after */
    pthread_mutex_unlock(&cache->lock);
    free_all(surplus);
    arx_image *image = NULL;
    arx_result result = arx_assets_prime(e->assets, e->prior, &image);
    pthread_mutex_lock(&cache->lock);

    e->priming = false;
    e->result = result;
    e->image = result == ARX_OK ? image : NULL;
    if (result != ARX_OK) {
        /* Not remembered: whoever waited gets the failure, the next who asks tries again. */
        cache->stats.bytes -= arx_image_bytes();
        for (entry **link = &cache->entries; *link != NULL; link = &(*link)->next) {
            if (*link == e) {
                unlink_at(link);
                break;
            }
        }
    }
    pthread_cond_broadcast(&cache->primed);
}

static arx_result acquire(void *opaque, const arx_assets *assets, char prior,
                          const arx_image **image) {
    images *cache = opaque;
    if (!arx_assets_has_prior(assets, prior)) {
        return ARX_UNAVAILABLE;
    }
    pthread_mutex_lock(&cache->lock);
    entry *e = find(cache, assets, prior);
    if (e != NULL) {
        e->users++;
        cache->stats.hits++;
        while (e->priming) {
            pthread_cond_wait(&cache->primed, &cache->lock);
        }
    } else {
        e = calloc(1, sizeof *e);
        if (e == NULL) {
            pthread_mutex_unlock(&cache->lock);
            return ARX_NO_MEMORY;
        }
        *e = (entry){.assets = assets, .prior = prior, .priming = true, .users = 1};
        push_front(cache, e);
        cache->stats.bytes += arx_image_bytes();
        cache->stats.misses++;
        prime(cache, e);
    }
    arx_result result = e->result;
    entry *dead = NULL;
    if (result == ARX_OK) {
        *image = e->image;
    } else {
        dead = leave(cache, e);
    }
    pthread_mutex_unlock(&cache->lock);
    free_all(dead);
    return result;
}

static void release(void *opaque, const arx_image *image) {
    images *cache = opaque;
    entry *surplus = NULL;
    pthread_mutex_lock(&cache->lock);
    for (entry *e = cache->entries; e != NULL; e = e->next) {
        if (e->image == image) {
            surplus = leave(cache, e);
            break;
        }
    }
    pthread_mutex_unlock(&cache->lock);
    free_all(surplus);
}

images *images_create(size_t max_bytes) {
    images *cache = calloc(1, sizeof *cache);
    if (cache == NULL) {
        return NULL;
    }
    cache->max_bytes = max_bytes;
    cache->source = (arx_image_source){.acquire = acquire, .release = release, .opaque = cache};
    pthread_mutex_init(&cache->lock, NULL);
    pthread_cond_init(&cache->primed, NULL);
    return cache;
}

void images_free(images *cache) {
    if (cache == NULL) {
        return;
    }
    free_all(cache->entries);
    pthread_cond_destroy(&cache->primed);
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}

const arx_image_source *images_source(const images *cache) {
    return &cache->source;
}

void images_get_stats(images *cache, images_stats *stats) {
    pthread_mutex_lock(&cache->lock);
    *stats = cache->stats;
    for (const entry *e = cache->entries; e != NULL; e = e->next) {
        stats->lent += e->image != NULL && e->users > 0;
    }
    pthread_mutex_unlock(&cache->lock);
}
