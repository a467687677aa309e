/*
 * bench_pipeline.c - whole encodes and decodes against Brotli at quality 11 on the same text.
 *
 * An encode goes from an envelope's JSON to a fragment, a decode back to an envelope; "auto" tries
 * every codec, on one worker and on two. Two workers share the plan as the server's do: tasks by
 * falling cost, each worker takes the next. Models are primed beforehand, as they are in a server
 * that has been running for a moment.
 *
 * What one thread does is compared by its processor time. For two workers there is the clock on the
 * wall, against Brotli's wall time of the same rounds, and the processor time of the busier worker:
 * what the clock would show if both had a core of their own.
 */
#include "bench.h"

#include "arx.h"
#include "asset_files.h"

#include <brotli/encode.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WORKERS = 2, MAX_ROUNDS = 41, MAX_TASKS = ARX_CODEC_COUNT };

static void give_up(const char *what) {
    fprintf(stderr, "bench_pipeline: %s\n", what);
    exit(1);
}

static double wall_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* ---- the model, primed once and lent to every coder ---- */

typedef struct lender {
    const arx_assets *assets;
    arx_image *image;
    char prior;
} lender;

static arx_result lend(void *opaque, const arx_assets *assets, char prior,
                       const arx_image **image) {
    const lender *l = opaque;
    if (assets != l->assets || prior != l->prior) {
        return ARX_UNAVAILABLE;
    }
    *image = l->image;
    return ARX_OK;
}

static void take_back(void *opaque, const arx_image *image) {
    (void)opaque;
    (void)image;
}

/* The source is borrowed for the coder's life. */
static arx_coder *new_coder(const arx_image_source *source) {
    arx_coder *coder = arx_coder_create(&arx_entropy_native, source);
    if (coder == NULL) {
        give_up("no memory");
    }
    return coder;
}

/* ---- two workers ---- */

typedef struct pool {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    unsigned job;     /* counts jobs: a worker waits for a number it has not seen */
    unsigned working; /* workers that have not finished the job */
    bool stop;
    arx_plan *plan;
    size_t order[MAX_TASKS];
    size_t tasks;
    atomic_size_t next;
} pool;

typedef struct worker {
    pool *pool;
    arx_coder *coder;
    pthread_t thread;
    double busy_ms; /* processor time of the last job */
} worker;

static void run_tasks(pool *p, arx_coder *coder) {
    size_t i;
    while ((i = atomic_fetch_add(&p->next, 1)) < p->tasks) {
        arx_plan_run(p->plan, p->order[i], coder);
    }
}

static void *work(void *arg) {
    worker *w = arg;
    pool *p = w->pool;
    unsigned seen = 0;
    pthread_mutex_lock(&p->mutex);
    for (;;) {
        while (p->job == seen && !p->stop) {
            pthread_cond_wait(&p->changed, &p->mutex);
        }
        if (p->stop) {
            break;
        }
        seen = p->job;
        pthread_mutex_unlock(&p->mutex);
        double start = bench_now_ms();
        run_tasks(p, w->coder);
        w->busy_ms = bench_now_ms() - start;
        pthread_mutex_lock(&p->mutex);
        p->working--;
        pthread_cond_broadcast(&p->changed);
    }
    pthread_mutex_unlock(&p->mutex);
    return NULL;
}

static void sort_by_cost(pool *p, const arx_plan *plan) {
    p->tasks = arx_plan_tasks(plan);
    for (size_t i = 0; i < p->tasks; i++) {
        size_t at = i;
        while (at > 0 && arx_plan_cost(plan, p->order[at - 1]) < arx_plan_cost(plan, i)) {
            p->order[at] = p->order[at - 1];
            at--;
        }
        p->order[at] = i;
    }
}

static void run_on_pool(pool *p, arx_plan *plan) {
    sort_by_cost(p, plan);
    pthread_mutex_lock(&p->mutex);
    p->plan = plan;
    atomic_store(&p->next, 0);
    p->working = WORKERS;
    p->job++;
    pthread_cond_broadcast(&p->changed);
    while (p->working > 0) {
        pthread_cond_wait(&p->changed, &p->mutex);
    }
    pthread_mutex_unlock(&p->mutex);
}

/* ---- what is timed ---- */

typedef struct bench {
    lender lender;
    arx_image_source source;
    arx_coder *coder;
    pool pool;
    worker workers[WORKERS];
} bench;

/* The JSON of an envelope of one Markdown artifact with `len` bytes of content. */
static void make_json(size_t len, arx_buf *json) {
    char *content = malloc(len);
    if (content == NULL) {
        give_up("no memory");
    }
    bench_markdown(content, len);
    arx_buf_append_str(json, "{\"v\":1,\"codec\":\"plain\",\"title\":\"Report\","
                             "\"activeArtifactId\":\"report\",\"artifacts\":[{\"id\":\"report\","
                             "\"kind\":\"markdown\",\"title\":\"Report\","
                             "\"filename\":\"report.md\",\"content\":");
    arx_json_write_string((const uint8_t *)content, len, json);
    arx_buf_append_str(json, "}]}");
    if (arx_buf_result(json) != ARX_OK) {
        give_up("no memory");
    }
    free(content);
}

/* From JSON to a fragment; on the pool if there is one, else on this thread. */
static void encode(bench *b, const arx_buf *json, bool automatic, pool *on, arx_encoded *encoded) {
    arx_json_doc *doc;
    arx_json *value;
    arx_json *envelope;
    const arx_json *id;
    arx_plan *plan;
    arx_error error;
    arx_encode_options options;
    arx_encode_options_init(&options);
    options.has_codec = !automatic;
    options.codec = ARX_CODEC_ARX5;
    if (arx_json_parse(json->data, json->len, 0, &doc, &value) != ARX_OK ||
        arx_envelope_normalise(doc, value, &envelope, &id) != ARX_ENVELOPE_OK ||
        arx_plan_create(b->lender.assets, envelope, &options, &plan, &error) != ARX_CODE_OK) {
        give_up("an envelope was refused");
    }
    if (on != NULL) {
        run_on_pool(on, plan);
    } else {
        for (size_t i = 0; i < arx_plan_tasks(plan); i++) {
            arx_plan_run(plan, i, b->coder);
        }
    }
    if (arx_plan_finish(plan, encoded, &error) != ARX_CODE_OK) {
        give_up("an encode failed");
    }
    arx_plan_free(plan);
    arx_json_doc_free(doc);
}

static void check_decode(bench *b, const arx_encoded *encoded, size_t len) {
    arx_decoded decoded;
    arx_error error;
    if (arx_decode(b->coder, b->lender.assets, encoded->fragment, encoded->fragment_len, true,
                   &decoded, &error) != ARX_CODE_OK) {
        give_up("a decode failed");
    }
    const arx_json *artifact = arx_json_at(arx_json_get(decoded.envelope, "artifacts"), 0);
    const arx_json *content = arx_json_get_string(artifact, "content");
    if (content == NULL || content->as.string.len != len) {
        give_up("another artifact came back");
    }
    arx_decoded_free(&decoded);
}

static void run_brotli(const arx_buf *text, uint8_t *out, size_t room) {
    if (BrotliEncoderCompress(11, 22, BROTLI_MODE_GENERIC, text->len, text->data, &room, out) ==
        BROTLI_FALSE) {
        give_up("Brotli failed");
    }
}

static void print_row(bench *b, size_t len, size_t rounds) {
    enum { BROTLI, BROTLI_WALL, ENCODE, DECODE, AUTO_ONE, AUTO_TWO, BUSIER, COLUMNS };
    double ms[COLUMNS][MAX_ROUNDS];
    double median[COLUMNS];
    arx_buf json;
    arx_buf_init(&json, 0);
    make_json(len, &json);
    size_t room = BrotliEncoderMaxCompressedSize(json.len);
    uint8_t *out = malloc(room);
    if (out == NULL) {
        give_up("no memory");
    }
    for (size_t round = 0; round < rounds; round++) {
        arx_encoded arx5;
        arx_encoded one;
        arx_encoded two;
        double wall = wall_ms();
        double start = bench_now_ms();
        run_brotli(&json, out, room);
        ms[BROTLI][round] = bench_now_ms() - start;
        ms[BROTLI_WALL][round] = wall_ms() - wall;

        start = bench_now_ms();
        encode(b, &json, false, NULL, &arx5);
        ms[ENCODE][round] = bench_now_ms() - start;
        start = bench_now_ms();
        check_decode(b, &arx5, len);
        ms[DECODE][round] = bench_now_ms() - start;
        start = bench_now_ms();
        encode(b, &json, true, NULL, &one);
        ms[AUTO_ONE][round] = bench_now_ms() - start;
        wall = wall_ms();
        encode(b, &json, true, &b->pool, &two);
        ms[AUTO_TWO][round] = wall_ms() - wall;
        ms[BUSIER][round] = 0;
        for (size_t i = 0; i < WORKERS; i++) {
            if (b->workers[i].busy_ms > ms[BUSIER][round]) {
                ms[BUSIER][round] = b->workers[i].busy_ms;
            }
        }

        if (one.fragment_len != two.fragment_len ||
            memcmp(one.fragment, two.fragment, one.fragment_len) != 0) {
            give_up("two workers made another fragment than one");
        }
        arx_encoded_free(&arx5);
        arx_encoded_free(&one);
        arx_encoded_free(&two);
    }
    for (unsigned c = 0; c < COLUMNS; c++) {
        median[c] = bench_median(ms[c], rounds);
    }
    printf("%7zu | %9.2f | %6.2f %6.2f | %9.2f | %9.2f %6.2f\n", len, median[BROTLI],
           median[ENCODE] / median[BROTLI], median[DECODE] / median[BROTLI],
           median[AUTO_ONE] / median[BROTLI], median[BUSIER] / median[BROTLI],
           median[AUTO_TWO] / median[BROTLI_WALL]);
    free(out);
    arx_buf_free(&json);
}

static void bench_open(bench *b, const arx_assets *assets) {
    b->lender.assets = assets;
    b->lender.prior = arx_assets_has_prior(assets, 'm') ? 'm' : 's';
    if (arx_assets_prime(assets, b->lender.prior, &b->lender.image) != ARX_OK) {
        give_up("no memory");
    }
    b->source = (arx_image_source){lend, take_back, &b->lender};
    b->coder = new_coder(&b->source);
    pthread_mutex_init(&b->pool.mutex, NULL);
    pthread_cond_init(&b->pool.changed, NULL);
    for (size_t i = 0; i < WORKERS; i++) {
        worker *w = &b->workers[i];
        *w = (worker){.pool = &b->pool, .coder = new_coder(&b->source)};
        if (pthread_create(&w->thread, NULL, work, w) != 0) {
            give_up("no thread");
        }
    }
}

static void bench_close(bench *b) {
    pthread_mutex_lock(&b->pool.mutex);
    b->pool.stop = true;
    pthread_cond_broadcast(&b->pool.changed);
    pthread_mutex_unlock(&b->pool.mutex);
    for (size_t i = 0; i < WORKERS; i++) {
        pthread_join(b->workers[i].thread, NULL);
        arx_coder_free(b->workers[i].coder);
    }
    pthread_cond_destroy(&b->pool.changed);
    pthread_mutex_destroy(&b->pool.mutex);
    arx_coder_free(b->coder);
    arx_image_free(b->lender.image);
}

void bench_pipeline(void) {
    static const struct {
        size_t bytes;
        size_t rounds;
    } rows[] = {{1024, 41}, {2048, 41}, {8192, 21}, {61440, 9}, {194560, 5}};
    static bench b;
    char why[512];
    arx_assets *assets = asset_builtin_make(&builtin_sets[0], why, sizeof why);
    if (assets == NULL) {
        give_up(why);
    }
    bench_open(&b, assets);
    printf("From an envelope to a fragment and back, against Brotli q11 (ratios)\n");
    printf("  bytes | brotli ms | encode decode | auto, one | auto, two   wall\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        print_row(&b, rows[i].bytes, rows[i].rounds);
    }
    printf("\n");
    bench_close(&b);
    arx_assets_free(assets);
}
