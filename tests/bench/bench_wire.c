/*
 * bench_wire.c - what a wire costs against the compression before it.
 *
 * 25,000 pseudo-random bytes, which is what a compressed payload looks like. Every round times each
 * operation once and Brotli once; the ratios are of medians.
 */
#include "bench.h"

#include <brotli/encode.h>
#include <stdio.h>
#include <stdlib.h>

#include "arx.h"

enum { PAYLOAD_BYTES = 25000, ROUNDS = 15 };

typedef enum operation { ENCODE, DECODE, GIVE_UP, OPERATIONS } operation;

/* A wire's text without its marker, as the decoder takes it. */
typedef struct wire_text {
    arx_buf buf;
    size_t marker;
} wire_text;

static void stop(const char *what) {
    fprintf(stderr, "bench_wire: %s\n", what);
    exit(1);
}

static double time_brotli(const uint8_t *bytes) {
    static uint8_t out[PAYLOAD_BYTES + 1024];
    size_t len = sizeof out;
    double start = bench_now_ms();
    if (!BrotliEncoderCompress(11, 22, BROTLI_MODE_GENERIC, PAYLOAD_BYTES, bytes, &len, out)) {
        stop("brotli failed");
    }
    return bench_now_ms() - start;
}

static double time_operation(operation what, arx_wire wire, const uint8_t *bytes,
                             const wire_text *text) {
    arx_buf out;
    arx_buf_init(&out, 0);
    bool won = false;
    arx_result result = ARX_OK;
    double start = bench_now_ms();
    switch (what) {
    case ENCODE:
        result = arx_wire_encode(wire, bytes, PAYLOAD_BYTES, &out);
        break;
    case DECODE:
        result = arx_wire_decode(wire, text->buf.data + text->marker, text->buf.len - text->marker,
                                 &out);
        break;
    default:
        /* The bound that base64url sets: it costs 2 and 4 for every 3 bytes. */
        result = arx_wire_encode_below(wire, bytes, PAYLOAD_BYTES, 2 + (4 * PAYLOAD_BYTES + 2) / 3,
                                       &out, &won);
        break;
    }
    double ms = bench_now_ms() - start;
    if (result != ARX_OK || won || (what == DECODE && out.len != PAYLOAD_BYTES)) {
        stop("a wire failed");
    }
    arx_buf_free(&out);
    return ms;
}

void bench_wires(void) {
    static uint8_t bytes[PAYLOAD_BYTES];
    static double times[ARX_WIRE_COUNT][OPERATIONS][ROUNDS];
    double brotli[ROUNDS];
    uint64_t s = 88172645463325252u;
    for (size_t i = 0; i < PAYLOAD_BYTES; i++) {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        bytes[i] = (uint8_t)(s >> 32);
    }
    wire_text texts[ARX_WIRE_COUNT];
    for (unsigned w = 0; w < ARX_WIRE_COUNT; w++) {
        arx_buf_init(&texts[w].buf, 0);
        if (arx_wire_encode((arx_wire)w, bytes, PAYLOAD_BYTES, &texts[w].buf) != ARX_OK ||
            arx_wire_detect(texts[w].buf.data, texts[w].buf.len, &texts[w].marker) != w) {
            stop("a wire failed");
        }
    }
    for (size_t round = 0; round < ROUNDS; round++) {
        brotli[round] = time_brotli(bytes);
        for (unsigned w = 0; w < ARX_WIRE_COUNT; w++) {
            for (unsigned o = 0; o < OPERATIONS; o++) {
                times[w][o][round] = time_operation((operation)o, (arx_wire)w, bytes, &texts[w]);
            }
        }
    }
    double reference = bench_median(brotli, ROUNDS);
    printf("wires, %d pseudo-random bytes; brotli 11/22 takes %.2f ms\n", PAYLOAD_BYTES, reference);
    printf("%-10s  %21s  %21s  %21s\n", "", "encode", "decode", "give up");
    for (unsigned w = 0; w < ARX_WIRE_COUNT; w++) {
        printf("%-10s", arx_wire_name((arx_wire)w));
        for (unsigned o = 0; o < OPERATIONS; o++) {
            double ms = bench_median(times[w][o], ROUNDS);
            printf("  %8.4f ms = %7.5f", ms, ms / reference);
        }
        printf("\n");
        arx_buf_free(&texts[w].buf);
    }
}
