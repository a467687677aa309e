/* Work nobody waits for: its states, how long it is kept, and that the table stays bounded. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vectors.h"

#include "jobs_table.h"

static job_status status_of(job_entry *entry) {
    job_view view;
    job_entry_look(entry, &view);
    return view.status;
}

static void end(job_entry *entry, job_status status, const char *text, int64_t now_ms) {
    arx_buf result;
    arx_buf_init(&result, 0);
    arx_buf_append_str(&result, text);
    job_entry_end(entry, status, &result, now_ms);
}

static void the_first_end_counts(void **state) {
    (void)state;
    jobs_table *table = jobs_table_create(10, 1000);
    job_entry *entry = jobs_table_add(table, 0);
    job_view view;
    assert_int_equal(status_of(entry), JOB_STATUS_QUEUED);
    end(entry, JOB_STATUS_DONE, "first", 1);
    end(entry, JOB_STATUS_FAILED, "second", 2);
    job_entry_end(entry, JOB_STATUS_CANCELLED, NULL, 3);
    job_entry_cancel(entry, 4);
    job_entry_look(entry, &view);
    assert_int_equal(view.status, JOB_STATUS_DONE);
    assert_int_equal(view.progress, 100);
    assert_int_equal(view.result_len, 5);
    assert_memory_equal(view.result, "first", 5);
    job_entry_release(entry);
    jobs_table_free(table);
}

static void entries_are_found_until_five_minutes_after_their_end(void **state) {
    (void)state;
    jobs_table *table = jobs_table_create(10, 1000);
    job_entry *entry = jobs_table_add(table, 0);
    uint8_t id[ID_BYTES];
    memcpy(id, job_entry_id(entry), sizeof id);
    job_entry *found = jobs_table_find(table, id, 100 * JOBS_TABLE_KEPT_MS);
    assert_ptr_equal(found, entry); /* it has not ended */
    job_entry_release(found);
    end(entry, JOB_STATUS_DONE, "x", 1000);
    found = jobs_table_find(table, id, 1000 + JOBS_TABLE_KEPT_MS - 1);
    assert_ptr_equal(found, entry);
    job_entry_release(found);
    assert_null(jobs_table_find(table, id, 1000 + JOBS_TABLE_KEPT_MS));
    id[0] ^= 1;
    assert_null(jobs_table_find(table, id, 1000));
    assert_int_equal(status_of(entry), JOB_STATUS_DONE); /* whoever holds it can still look */
    job_entry_release(entry);
    jobs_table_expire(table, 0);
    jobs_table_free(table);
}

static void the_table_is_bounded_in_entries_and_bytes(void **state) {
    (void)state;
    jobs_table *table = jobs_table_create(3, 10);
    job_entry *entries[3];
    for (size_t i = 0; i < 3; i++) {
        entries[i] = jobs_table_add(table, 0);
        assert_non_null(entries[i]);
    }
    assert_null(jobs_table_add(table, 0));
    jobs_table_drop(table, entries[0]);
    jobs_table_drop(table, entries[0]); /* once is enough */
    end(entries[0], JOB_STATUS_DONE, "nobody's any more, so it does not count", 0);
    job_entry_release(entries[0]);
    entries[0] = jobs_table_add(table, 0);
    assert_non_null(entries[0]);

    end(entries[0], JOB_STATUS_DONE, "12345", 0);
    jobs_table_drop(table, entries[1]);
    job_entry_release(entries[1]);
    entries[1] = jobs_table_add(table, 0);
    assert_non_null(entries[1]); /* 5 of 10 bytes */
    end(entries[1], JOB_STATUS_FAILED, "123456", 0);
    jobs_table_drop(table, entries[2]);
    job_entry_release(entries[2]);
    assert_null(jobs_table_add(table, 0)); /* 11 of 10 */
    entries[2] = jobs_table_add(table, JOBS_TABLE_KEPT_MS);
    assert_non_null(entries[2]); /* the old ones are forgotten */
    for (size_t i = 0; i < 3; i++) {
        job_entry_release(entries[i]);
    }
    jobs_table_free(table);
}

/* ---- with a pool behind it ---- */

typedef struct gate {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    unsigned runs;
    bool open;
} gate;

static void run(void *arg, size_t i, arx_coder *coder) {
    (void)i;
    (void)coder;
    gate *g = arg;
    pthread_mutex_lock(&g->lock);
    g->runs++;
    pthread_cond_broadcast(&g->moved);
    while (!g->open) {
        pthread_cond_wait(&g->moved, &g->lock);
    }
    pthread_mutex_unlock(&g->lock);
}

static void wait_for_run(gate *g) {
    pthread_mutex_lock(&g->lock);
    while (g->runs == 0) {
        pthread_cond_wait(&g->moved, &g->lock);
    }
    pthread_mutex_unlock(&g->lock);
}

static void open_gate(gate *g) {
    pthread_mutex_lock(&g->lock);
    g->open = true;
    pthread_cond_broadcast(&g->moved);
    pthread_mutex_unlock(&g->lock);
}

static void running_jobs_are_watched_and_queued_ones_cancelled(void **state) {
    (void)state;
    gate g = {.lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};
    jobs *pool = jobs_start(1, 4, NULL);
    jobs_table *table = jobs_table_create(10, 1000);
    const job_spec spec = {.tasks = 4, .run = run, .arg = &g};
    job *work[2];
    job_entry *entries[2];
    for (size_t i = 0; i < 2; i++) {
        work[i] = jobs_submit(pool, &spec);
        assert_non_null(work[i]);
        entries[i] = jobs_table_add(table, 0);
        job_entry_watch(entries[i], work[i], spec.tasks);
    }
    wait_for_run(&g);
    job_view view;
    job_entry_look(entries[0], &view);
    assert_int_equal(view.status, JOB_STATUS_RUNNING);
    assert_int_equal(view.progress, 0);
    assert_int_equal(status_of(entries[1]), JOB_STATUS_QUEUED);

    job_entry_cancel(entries[1], 1);
    assert_int_equal(status_of(entries[1]), JOB_STATUS_CANCELLED);
    assert_int_equal(job_state_of(work[1]), JOB_CANCELLED);
    job_entry_cancel(entries[0], 1); /* one of its tasks runs; the rest is taken back */
    assert_int_equal(status_of(entries[0]), JOB_STATUS_CANCELLED);
    open_gate(&g);
    jobs_stop(pool);
    assert_int_equal(g.runs, 1);
    for (size_t i = 0; i < 2; i++) {
        job_release(work[i]);
        job_entry_release(entries[i]);
    }
    jobs_table_free(table);
}

static void a_job_that_is_done_can_still_be_watched(void **state) {
    (void)state;
    gate g = {.lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER, .open = true};
    jobs *pool = jobs_start(1, 4, NULL);
    jobs_table *table = jobs_table_create(10, 1000);
    const job_spec spec = {.tasks = 2, .run = run, .arg = &g};
    job *work = jobs_submit(pool, &spec);
    job_entry *entry = jobs_table_add(table, 0);
    while (job_state_of(work) != JOB_DONE) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    job_entry_watch(entry, work, spec.tasks);
    job_view view;
    job_entry_look(entry, &view);
    assert_int_equal(view.status, JOB_STATUS_RUNNING); /* its result is not there yet */
    assert_int_equal(view.progress, 100);
    job_entry_cancel(entry, 0);
    assert_int_equal(status_of(entry), JOB_STATUS_RUNNING);
    end(entry, JOB_STATUS_DONE, "x", 0);
    assert_int_equal(status_of(entry), JOB_STATUS_DONE);
    job_entry_watch(entry, work, spec.tasks); /* too late: nothing is held */
    job_release(work);
    jobs_stop(pool);
    job_entry_release(entry);
    jobs_table_free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_end_counts),
        cmocka_unit_test(entries_are_found_until_five_minutes_after_their_end),
        cmocka_unit_test(the_table_is_bounded_in_entries_and_bytes),
        cmocka_unit_test(running_jobs_are_watched_and_queued_ones_cancelled),
        cmocka_unit_test(a_job_that_is_done_can_still_be_watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
