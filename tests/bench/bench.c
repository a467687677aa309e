/*
 * bench.c - `make bench`: what the codec's stages cost, as tables of ratios.
 *
 * A ratio compares medians of things run in turns in the same rounds, so it says more than a time:
 * machines differ, and one machine differs from minute to minute. Nothing here is a test.
 */
#include "bench.h"

#include <stdlib.h>
#include <time.h>

double bench_now_ms(void) {
    /* What this thread got, not what passed: others' work on a busy machine stays out. */
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *v, size_t n) {
    qsort(v, n, sizeof *v, by_value);
    return n % 2 != 0 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

int main(void) {
    bench_mixer();
    bench_pipeline();
    bench_wires();
    return 0;
}
