/* The image cache: its bound, who goes first, and one priming for all who wait. */
#include "vectors.h"

#include "images.h"
#include "jobs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static arx_assets *assets;

static int load_assets(void **state) {
    (void)state;
    assets = vector_test_assets();
    return assets == NULL ? -1 : 0;
}

static const arx_image *get(images *cache, char prior) {
    const arx_image_source *source = images_source(cache);
    const arx_image *image = NULL;
    assert_int_equal(source->acquire(source->opaque, assets, prior, &image), ARX_OK);
    assert_non_null(image);
    return image;
}

static void give(images *cache, const arx_image *image) {
    const arx_image_source *source = images_source(cache);
    source->release(source->opaque, image);
}

static images_stats stats_of(images *cache) {
    images_stats stats;
    images_get_stats(cache, &stats);
    return stats;
}

static void shared_and_kept(void **state) {
    (void)state;
    images *cache = images_create(4 * arx_image_bytes());
    const arx_image *first = get(cache, 'm');
    assert_ptr_equal(get(cache, 'm'), first);
    assert_int_equal(stats_of(cache).lent, 1);
    give(cache, first);
    give(cache, first);
    assert_int_equal(stats_of(cache).lent, 0);
    assert_ptr_equal(get(cache, 'm'), first);
    give(cache, first);
    assert_int_equal(stats_of(cache).misses, 1);
    assert_int_equal(stats_of(cache).hits, 2);
    images_free(cache);
}

static void least_recently_used_goes(void **state) {
    (void)state;
    images *cache = images_create(2 * arx_image_bytes());
    static const char priors[] = "mcmjm"; /* j drops c, which was used before m */
    for (size_t i = 0; priors[i] != '\0'; i++) {
        give(cache, get(cache, priors[i]));
        assert_true(stats_of(cache).bytes <= 2 * arx_image_bytes());
    }
    assert_int_equal(stats_of(cache).misses, 3);
    give(cache, get(cache, 'c'));
    assert_int_equal(stats_of(cache).misses, 4);
    images_free(cache);
}

/* Lent images stay; the bound holds again once they come back. */
static void lent_images_stay(void **state) {
    (void)state;
    images *cache = images_create(arx_image_bytes());
    const arx_image *m = get(cache, 'm');
    const arx_image *c = get(cache, 'c');
    assert_int_equal(stats_of(cache).bytes, 2 * arx_image_bytes());
    assert_ptr_equal(get(cache, 'm'), m);
    give(cache, m);
    give(cache, m);
    assert_int_equal(stats_of(cache).bytes, arx_image_bytes());
    assert_ptr_equal(get(cache, 'c'), c);
    give(cache, c);
    give(cache, c);
    assert_int_equal(stats_of(cache).bytes, arx_image_bytes());
    images_free(cache);

    cache = images_create(0);
    give(cache, get(cache, 'n'));
    assert_int_equal(stats_of(cache).bytes, 0);
    images_free(cache);
}

static void unknown_prior(void **state) {
    (void)state;
    images *cache = images_create(arx_image_bytes());
    const arx_image_source *source = images_source(cache);
    const arx_image *image = NULL;
    assert_int_equal(source->acquire(source->opaque, assets, 'x', &image), ARX_UNAVAILABLE);
    assert_null(image);
    assert_int_equal(stats_of(cache).bytes, 0);
    images_free(cache);
}

enum { THREADS = 8 };

typedef struct asker {
    images *cache;
    pthread_barrier_t *start;
    const arx_image *image;
} asker;

static void *ask(void *opaque) {
    asker *self = opaque;
    const arx_image_source *source = images_source(self->cache);
    pthread_barrier_wait(self->start);
    if (source->acquire(source->opaque, assets, 'm', &self->image) != ARX_OK) {
        self->image = NULL;
    }
    return NULL;
}

static void primed_once(void **state) {
    (void)state;
    images *cache = images_create(4 * arx_image_bytes());
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, THREADS);
    pthread_t threads[THREADS];
    asker askers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        askers[i] = (asker){.cache = cache, .start = &start};
        assert_int_equal(pthread_create(&threads[i], NULL, ask, &askers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_non_null(askers[i].image);
        assert_ptr_equal(askers[i].image, askers[0].image);
    }
    assert_int_equal(stats_of(cache).misses, 1);
    assert_int_equal(stats_of(cache).hits, THREADS - 1);
    for (int i = 0; i < THREADS; i++) {
        give(cache, askers[i].image);
    }
    pthread_barrier_destroy(&start);
    images_free(cache);
}

/* ---- under the pool: coders of several workers, more priors than the cache holds ---- */

static const char TEXT[] = "# Heading\n\nThe same text, coded by whichever worker comes first.\n";

typedef struct coded {
    uint8_t bytes[32][256];
    size_t len[32];
    atomic_int wrong;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool done;
} coded;

static void code_task(void *arg, size_t i, arx_coder *coder) {
    coded *c = arg;
    arx_mixer *mixer = NULL;
    arx_buf out;
    arx_buf text;
    arx_buf_init(&out, 0);
    arx_buf_init(&text, 0);
    char prior = ARX_PRIOR_IDS[i % 5];
    bool well = arx_coder_mixer(coder, assets, prior, &mixer) == ARX_OK &&
                arx_mixer_encode(mixer, (const uint8_t *)TEXT, sizeof TEXT - 1, &out) == ARX_OK &&
                out.len <= sizeof c->bytes[i] &&
                arx_mixer_decode(mixer, out.data, out.len, &text) == ARX_OK &&
                text.len == sizeof TEXT - 1 && memcmp(text.data, TEXT, text.len) == 0;
    if (well) {
        memcpy(c->bytes[i], out.data, out.len);
        c->len[i] = out.len;
    } else {
        atomic_fetch_add(&c->wrong, 1);
    }
    arx_buf_free(&out);
    arx_buf_free(&text);
}

static void code_finished(void *arg, job *j) {
    coded *c = arg;
    (void)j;
    pthread_mutex_lock(&c->lock);
    c->done = true;
    pthread_cond_signal(&c->ended);
    pthread_mutex_unlock(&c->lock);
}

static void workers_share_images(void **state) {
    (void)state;
    static coded c = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};
    images *cache = images_create(3 * arx_image_bytes());
    jobs *pool = jobs_start(2, 4, images_source(cache));
    assert_non_null(pool);
    const job_spec spec = {.tasks = 20, .run = code_task, .finished = code_finished, .arg = &c};
    job *j = jobs_submit(pool, &spec);
    assert_non_null(j);
    pthread_mutex_lock(&c.lock);
    while (!c.done) {
        pthread_cond_wait(&c.ended, &c.lock);
    }
    pthread_mutex_unlock(&c.lock);
    assert_int_equal(c.wrong, 0);
    for (size_t i = 5; i < 20; i++) { /* one prior, one result */
        assert_int_equal(c.len[i], c.len[i % 5]);
        assert_memory_equal(c.bytes[i], c.bytes[i % 5], c.len[i]);
    }
    assert_true(stats_of(cache).bytes <= 4 * arx_image_bytes());
    job_release(j);
    jobs_stop(pool);
    assert_int_equal(stats_of(cache).lent, 0);
    assert_true(stats_of(cache).bytes <= 3 * arx_image_bytes());
    images_free(cache);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_and_kept),  cmocka_unit_test(least_recently_used_goes),
        cmocka_unit_test(lent_images_stay), cmocka_unit_test(unknown_prior),
        cmocka_unit_test(primed_once),      cmocka_unit_test(workers_share_images),
    };
    return cmocka_run_group_tests(tests, load_assets, NULL);
}
