/* Counting from many threads at once: nothing is lost, and classes have their bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>

#include "metrics.h"

enum { THREADS = 4, ROUNDS = 20000 };

static atomic_bool over;

static void *count(void *opaque) {
    (void)opaque;
    for (int i = 0; i < ROUNDS; i++) {
        metrics_add(METRIC_WORKED_US, 3);
        metrics_request(5, 200, 700);
        metrics_job(JOB_DECODE, 2, JOB_LATE);
        metrics_commit(7);
    }
    return NULL;
}

/* Sums while others count, and never finds less than before. */
static void *look(void *opaque) {
    (void)opaque;
    uint64_t before = 0;
    while (!atomic_load(&over)) {
        metrics_row sum;
        metrics_sum(&sum);
        assert_true(sum.plain[METRIC_WORKED_US] >= before);
        before = sum.plain[METRIC_WORKED_US];
    }
    return NULL;
}

static void threads_lose_nothing(void **state) {
    (void)state;
    pthread_t threads[THREADS + 1];
    metrics_row before;
    metrics_row after;
    metrics_sum(&before);
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, count, NULL), 0);
    }
    assert_int_equal(pthread_create(&threads[THREADS], NULL, look, NULL), 0);
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    atomic_store(&over, true);
    pthread_join(threads[THREADS], NULL);
    metrics_sum(&after); /* the threads are gone, their numbers are not */
    uint64_t all = (uint64_t)THREADS * ROUNDS;
    assert_int_equal(after.plain[METRIC_WORKED_US] - before.plain[METRIC_WORKED_US], 3 * all);
    assert_int_equal(after.requests[5][0] - before.requests[5][0], all);
    assert_int_equal(after.latencies[5][1] - before.latencies[5][1], all);
    assert_int_equal(after.latency_us[5] - before.latency_us[5], 700 * all);
    assert_int_equal(after.jobs[JOB_DECODE][2][JOB_LATE] - before.jobs[JOB_DECODE][2][JOB_LATE],
                     all);
    assert_int_equal(after.sizes[3] - before.sizes[3], all);
    assert_int_equal(after.plain[METRIC_COMMITS] - before.plain[METRIC_COMMITS], all);
    assert_int_equal(after.plain[METRIC_COMMIT_ROWS] - before.plain[METRIC_COMMIT_ROWS], 7 * all);
}

/* The one cell that changed, as its place in the row. */
static size_t changed(const metrics_row *before) {
    metrics_row after;
    metrics_sum(&after);
    const uint64_t *a = (const uint64_t *)before;
    const uint64_t *b = (const uint64_t *)&after;
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < sizeof after / sizeof *a; i++) {
        if (a[i] != b[i]) {
            assert_int_equal(found, SIZE_MAX);
            found = i;
        }
    }
    return found;
}

static void what_is_out_of_range_has_a_place(void **state) {
    (void)state;
    metrics_row before;
    metrics_sum(&before);
    metrics_job(JOB_ENCODE, 1000, JOB_REFUSED);
    assert_int_equal(changed(&before), (offsetof(metrics_row, jobs) / sizeof(uint64_t)) +
                                           METRICS_CODECS * JOB_OUTCOMES + JOB_REFUSED);
    metrics_request(100000, 418, INT64_MAX);
    metrics_request(METRICS_ROUTES - 1, 0, -5);
    metrics_row after;
    metrics_sum(&after);
    size_t last = METRICS_ROUTES - 1;
    assert_int_equal(after.requests[last][METRICS_STATUSES - 1], 1);
    assert_int_equal(after.requests[last][METRICS_STATUSES - 2], 1);
    assert_int_equal(after.latencies[last][METRICS_LATENCIES], 1);
    assert_int_equal(after.latencies[last][0], 1);
    metrics_commit(100000);
    metrics_commit(0);
    metrics_row end;
    metrics_sum(&end);
    assert_int_equal(end.sizes[METRICS_SIZES] - after.sizes[METRICS_SIZES], 1);
    assert_int_equal(end.sizes[0] - after.sizes[0], 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_lose_nothing),
        cmocka_unit_test(what_is_out_of_range_has_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
