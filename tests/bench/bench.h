/*
 * bench.h - what the benchmark programs share. `make bench` builds and runs them as one program.
 *
 * Times are medians of interleaved rounds: machines differ and drift, so what a table is read for
 * are the ratios between things measured in the same rounds.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stddef.h>
#include <stdint.h>

/* This thread's processor time, in milliseconds. */
double bench_now_ms(void);
/* Sorts the values and answers the middle one (of an even number: the mean of the middle two). */
double bench_median(double *v, size_t n);

/*
 * Fills `out` with `len` bytes of Markdown, always the same for a length: reports with headings,
 * prose, lists, tables, code and links, which Brotli at quality 11 packs 3 to 4 times. ASCII.
 */
void bench_markdown(char *out, size_t len);

void bench_wires(void);
void bench_mixer(void);
void bench_pipeline(void);

#endif
