/*
 * bench_mixer.c - the context mixer against Brotli at quality 11 on the same text.
 *
 * A mixer's time is that of one whole use: coding and the way back to its primed state. Brotli,
 * encoding and decoding take turns, so each finds the caches as the others left them.
 */
#include "bench.h"

#include "arx.h"
#include "builtin_assets.h"

#include <brotli/encode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROUNDS 41

typedef struct measured {
    double ms[MAX_ROUNDS];
} measured;

/* One kernel with its own image. */
typedef struct runner {
    arx_image *image;
    arx_mixer *mixer;
    measured encode;
    measured decode;
} runner;

static void give_up(const char *what) {
    fprintf(stderr, "bench_mixer: %s\n", what);
    exit(1);
}

static void expect_ok(arx_result rc, const char *what) {
    if (rc != ARX_OK) {
        give_up(what);
    }
}

static arx_assets *builtin_assets(void) {
    const builtin_file *files = builtin_sets[0].files;
    arx_asset_files all = {.dictionary = files[BUILTIN_DICTIONARY].identity,
                           .dictionary_len = files[BUILTIN_DICTIONARY].identity_len,
                           .overlay = files[BUILTIN_OVERLAY].identity,
                           .overlay_len = files[BUILTIN_OVERLAY].identity_len,
                           .priors = files[BUILTIN_PRIORS].identity,
                           .priors_len = files[BUILTIN_PRIORS].identity_len};
    arx_assets *assets;
    expect_ok(arx_assets_create(&all, builtin_sets[0].id, &assets, NULL), "no assets");
    return assets;
}

/* The tuple text of a Markdown artifact with `len` bytes of content, substituted. */
static void make_text(const arx_assets *assets, size_t len, arx_buf *text) {
    char *content = malloc(len);
    if (content == NULL) {
        give_up("no memory");
    }
    bench_markdown(content, len);
    arx_buf tuple;
    arx_buf overlaid;
    arx_buf_init(&tuple, 0);
    arx_buf_init(&overlaid, 0);
    arx_buf_append_str(&tuple, "[3,[\"m\",\"report\",");
    arx_json_write_string((const uint8_t *)content, len, &tuple);
    arx_buf_append_str(&tuple, ",\"Report\",\"report.md\"],\"Report\"]");
    arx_dictionary_encode(arx_assets_overlay(assets), tuple.data, tuple.len, &overlaid);
    arx_dictionary_encode(arx_assets_base(assets), overlaid.data, overlaid.len, text);
    expect_ok(arx_buf_result(text), "no memory");
    arx_buf_free(&tuple);
    arx_buf_free(&overlaid);
    free(content);
}

static double run_brotli(const arx_buf *text, uint8_t *out, size_t room, size_t *coded) {
    *coded = room;
    double start = bench_now_ms();
    if (BrotliEncoderCompress(11, 22, BROTLI_MODE_GENERIC, text->len, text->data, coded, out) ==
        BROTLI_FALSE) {
        give_up("Brotli failed");
    }
    return bench_now_ms() - start;
}

static size_t run_mixer(runner *r, size_t round, const arx_buf *text) {
    arx_buf coded;
    arx_buf back;
    arx_buf_init(&coded, 0);
    arx_buf_init(&back, 0);
    double start = bench_now_ms();
    expect_ok(arx_mixer_encode(r->mixer, text->data, text->len, &coded), "encode failed");
    r->encode.ms[round] = bench_now_ms() - start;
    start = bench_now_ms();
    expect_ok(arx_mixer_decode(r->mixer, coded.data, coded.len, &back), "decode failed");
    r->decode.ms[round] = bench_now_ms() - start;
    if (back.len != text->len || memcmp(back.data, text->data, back.len) != 0) {
        give_up("another text came back");
    }
    size_t len = coded.len;
    arx_buf_free(&coded);
    arx_buf_free(&back);
    return len;
}

/* Median time of priming the Markdown prior from nothing. */
static double prime(const arx_assets *assets, arx_kernel kernel, runner *r) {
    measured times;
    const uint8_t *prior;
    size_t len;
    char id = arx_assets_has_prior(assets, 'm') ? 'm' : 's';
    expect_ok(arx_assets_prior(assets, id, &prior, &len), "no prior");
    for (size_t round = 0; round < 5; round++) {
        arx_image_free(r->image);
        double start = bench_now_ms();
        r->image = arx_image_create(kernel, prior, len);
        times.ms[round] = bench_now_ms() - start;
        if (r->image == NULL) {
            give_up("no memory");
        }
    }
    r->mixer = arx_mixer_create(kernel);
    if (r->mixer == NULL) {
        give_up("no memory");
    }
    expect_ok(arx_mixer_base(r->mixer, r->image), "no memory");
    return bench_median(times.ms, 5);
}

/* What one kernel costs beside Brotli. Kernels do not take turns: no service runs two of them. */
typedef struct compared {
    double brotli_ms;
    double encode;
    double decode;
    size_t brotli_bytes;
    size_t mixer_bytes;
} compared;

static compared compare(runner *r, const arx_buf *text, size_t rounds) {
    compared c = {.mixer_bytes = 0};
    size_t room = BrotliEncoderMaxCompressedSize(text->len);
    uint8_t *out = malloc(room);
    if (out == NULL) {
        give_up("no memory");
    }
    measured brotli;
    for (size_t round = 0; round < rounds; round++) {
        brotli.ms[round] = run_brotli(text, out, room, &c.brotli_bytes);
        c.mixer_bytes = run_mixer(r, round, text);
    }
    free(out);
    c.brotli_ms = bench_median(brotli.ms, rounds);
    c.encode = bench_median(r->encode.ms, rounds) / c.brotli_ms;
    c.decode = bench_median(r->decode.ms, rounds) / c.brotli_ms;
    return c;
}

static void print_row(const arx_assets *assets, size_t len, size_t rounds, runner runners[2],
                      double prime_ms) {
    arx_buf text;
    arx_buf_init(&text, 0);
    make_text(assets, len, &text);
    compared best = compare(&runners[0], &text, rounds);
    compared portable = compare(&runners[1], &text, rounds);
    printf("%7zu | %9.2f | %6.2f %6.2f | %8.2f %6.2f | %8.1f | %6zu %5zu\n", len, best.brotli_ms,
           best.encode, best.decode, portable.encode, portable.decode, prime_ms, best.brotli_bytes,
           best.mixer_bytes);
    arx_buf_free(&text);
}

void bench_mixer(void) {
    static runner runners[2];
    arx_assets *assets = builtin_assets();
    double prime_ms = prime(assets, arx_kernel_best(), &runners[0]);
    (void)prime(assets, ARX_KERNEL_PORTABLE, &runners[1]);

    printf("The mixer, return to the primed state included, against Brotli q11 (ratios)%s\n",
           arx_kernel_best() == ARX_KERNEL_PORTABLE ? "; only the portable kernel runs here" : "");
    printf(
        "  bytes | brotli ms | encode decode | portable decode | prime ms | brotli mixer bytes\n");
    print_row(assets, 2048, 41, runners, prime_ms);
    print_row(assets, 8192, 21, runners, prime_ms);
    print_row(assets, 61440, 9, runners, prime_ms);
    print_row(assets, 194560, 5, runners, prime_ms);
    printf("\n");

    for (unsigned k = 0; k < 2; k++) {
        arx_mixer_free(runners[k].mixer);
        arx_image_free(runners[k].image);
    }
    arx_assets_free(assets);
}
