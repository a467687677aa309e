/* The worker pool: order, bounds, deadlines, cancelling, stopping; one `finished` for each job. */
#include "vectors.h"

#include "clock.h"
#include "jobs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void sleep_ms(int64_t ms) {
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* What a test job notes about itself. */
typedef struct note {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t runs;
    size_t finished;
    size_t freed;
    size_t blocked; /* tasks that stand at the gate now */
    bool closed;    /* tasks wait until it opens */
    job_state ended_as;
    char order[256];     /* task numbers as letters */
    struct note *shared; /* where the order is written: one note for several jobs */
    char name;           /* this job's letter in the shared order, or 0 */
    int64_t task_ms;
} note;

#define NOTE_INIT                                                                                  \
    { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER }

static void append_order(note *n, char letter) {
    pthread_mutex_lock(&n->lock);
    size_t len = strlen(n->order);
    if (len + 1 < sizeof n->order) {
        n->order[len] = letter;
    }
    pthread_mutex_unlock(&n->lock);
}

static void run(void *arg, size_t i, arx_coder *coder) {
    note *n = arg;
    assert_non_null(coder);
    append_order(n->shared != NULL ? n->shared : n, n->name != 0 ? n->name : (char)('a' + i));
    pthread_mutex_lock(&n->lock);
    n->runs++;
    n->blocked++;
    pthread_cond_broadcast(&n->changed);
    while (n->closed) {
        pthread_cond_wait(&n->changed, &n->lock);
    }
    n->blocked--;
    pthread_mutex_unlock(&n->lock);
    if (n->task_ms > 0) {
        sleep_ms(n->task_ms);
    }
}

static void finished(void *arg, job *j) {
    note *n = arg;
    pthread_mutex_lock(&n->lock);
    assert_int_equal(n->blocked, 0); /* nothing of the job runs any more */
    n->finished++;
    n->ended_as = job_state_of(j);
    pthread_cond_broadcast(&n->changed);
    pthread_mutex_unlock(&n->lock);
}

static void free_arg(void *arg) {
    note *n = arg;
    pthread_mutex_lock(&n->lock);
    n->freed++;
    pthread_cond_broadcast(&n->changed);
    pthread_mutex_unlock(&n->lock);
}

static job_spec spec_of(note *n, size_t tasks) {
    return (job_spec){
        .tasks = tasks, .run = run, .finished = finished, .free_arg = free_arg, .arg = n};
}

static job *submit(jobs *pool, note *n, size_t tasks) {
    job_spec spec = spec_of(n, tasks);
    return jobs_submit(pool, &spec);
}

static void wait_for(note *n, const size_t *value, size_t least) {
    pthread_mutex_lock(&n->lock);
    while (*value < least) {
        pthread_cond_wait(&n->changed, &n->lock);
    }
    pthread_mutex_unlock(&n->lock);
}

static void close_gate(note *n) {
    n->closed = true;
}

static void open_gate(note *n) {
    pthread_mutex_lock(&n->lock);
    n->closed = false;
    pthread_cond_broadcast(&n->changed);
    pthread_mutex_unlock(&n->lock);
}

static void runs_every_task(void **state) {
    (void)state;
    jobs *pool = jobs_start(3, 4, NULL);
    assert_non_null(pool);
    note n = NOTE_INIT;
    job *j = submit(pool, &n, 20);
    wait_for(&n, &n.finished, 1);
    assert_int_equal(n.ended_as, JOB_DONE);
    assert_int_equal(n.runs, 20);
    assert_int_equal(job_progress(j), 20);
    assert_int_equal(job_state_of(j), JOB_DONE);
    job_cancel(j); /* too late: nothing */
    assert_int_equal(job_state_of(j), JOB_DONE);
    assert_int_equal(n.freed, 0); /* ours is the last reference */
    job *again = job_hold(j);
    job_release(j);
    assert_int_equal(n.freed, 0);
    job_release(again);
    wait_for(&n, &n.freed, 1); /* the pool may let go a moment after `finished` */
    assert_int_equal(n.finished, 1);
    jobs_stop(pool);
}

/* Jobs in the order they came, tasks in theirs; idle workers go on to the next job. */
static void order(void **state) {
    (void)state;
    jobs *pool = jobs_start(1, 8, NULL);
    note all = NOTE_INIT;
    note first = NOTE_INIT;
    note others[3] = {NOTE_INIT, NOTE_INIT, NOTE_INIT};
    close_gate(&first);
    job *held = submit(pool, &first, 1);
    wait_for(&first, &first.runs, 1);
    for (int i = 0; i < 3; i++) {
        others[i].shared = &all;
        others[i].name = (char)('A' + i);
        job_release(submit(pool, &others[i], 2));
    }
    size_t queued;
    size_t running;
    jobs_depth(pool, &queued, &running);
    assert_int_equal(queued, 3);
    assert_int_equal(running, 1);
    assert_int_equal(job_state_of(held), JOB_RUNNING);
    open_gate(&first);
    wait_for(&others[2], &others[2].finished, 1);
    assert_string_equal(all.order, "AABBCC");
    note tasks = NOTE_INIT;
    job_release(submit(pool, &tasks, 5));
    wait_for(&tasks, &tasks.finished, 1);
    assert_string_equal(tasks.order, "abcde");
    job_release(held);
    jobs_stop(pool);

    pool = jobs_start(2, 8, NULL);
    note slow = NOTE_INIT;
    note quick = NOTE_INIT;
    close_gate(&slow);
    job_release(submit(pool, &slow, 1));
    job_release(submit(pool, &quick, 3));
    wait_for(&quick, &quick.finished, 1); /* while the slow job still runs */
    assert_int_equal(slow.finished, 0);
    open_gate(&slow);
    jobs_stop(pool);
    assert_int_equal(slow.finished, 1);
    assert_int_equal(slow.freed, 1);
}

/* All workers help with one job. */
static void tasks_run_together(void **state) {
    (void)state;
    jobs *pool = jobs_start(4, 1, NULL);
    note n = NOTE_INIT;
    close_gate(&n);
    job_release(submit(pool, &n, 4));
    wait_for(&n, &n.blocked, 4);
    open_gate(&n);
    wait_for(&n, &n.finished, 1);
    jobs_stop(pool);
}

static void bounded(void **state) {
    (void)state;
    jobs *pool = jobs_start(1, 3, NULL);
    note n[5] = {NOTE_INIT, NOTE_INIT, NOTE_INIT, NOTE_INIT, NOTE_INIT};
    job *held[3];
    close_gate(&n[0]);
    for (int i = 0; i < 3; i++) {
        held[i] = submit(pool, &n[i], 2);
        assert_non_null(held[i]);
    }
    assert_null(submit(pool, &n[3], 1));
    assert_int_equal(n[3].freed, 0); /* arg is still the caller's */
    job_cancel(held[1]);             /* a queued one makes room at once */
    assert_int_equal(n[1].finished, 1);
    job *fourth = submit(pool, &n[3], 1);
    assert_non_null(fourth);
    assert_null(submit(pool, &n[4], 1));
    open_gate(&n[0]);
    wait_for(&n[3], &n[3].finished, 1);
    job *fifth = submit(pool, &n[4], 1);
    assert_non_null(fifth);
    for (int i = 0; i < 3; i++) {
        job_release(held[i]);
    }
    job_release(fourth);
    job_release(fifth);
    jobs_stop(pool);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(n[i].finished, 1);
        assert_int_equal(n[i].freed, 1);
    }
}

static void cancel_running(void **state) {
    (void)state;
    jobs *pool = jobs_start(2, 4, NULL);
    note n = NOTE_INIT;
    close_gate(&n);
    job *j = submit(pool, &n, 10);
    wait_for(&n, &n.blocked, 2);
    job_cancel(j);
    job_cancel(j);
    assert_int_equal(job_state_of(j), JOB_CANCELLED);
    assert_int_equal(n.finished, 0); /* two tasks still run */
    open_gate(&n);
    wait_for(&n, &n.finished, 1);
    assert_int_equal(n.ended_as, JOB_CANCELLED);
    assert_int_equal(n.runs, 2);
    job_release(j);
    jobs_stop(pool);
    assert_int_equal(n.finished, 1);
}

static void deadlines(void **state) {
    (void)state;
    jobs *pool = jobs_start(1, 4, NULL);
    note n[3] = {NOTE_INIT, NOTE_INIT, NOTE_INIT};
    int64_t now_ms = clock_monotonic_ms();
    close_gate(&n[0]);
    job_spec spec = spec_of(&n[0], 3);
    spec.deadline_ms = now_ms + 60000;
    job *running = jobs_submit(pool, &spec);
    wait_for(&n[0], &n[0].runs, 1);
    spec = spec_of(&n[1], 1);
    spec.deadline_ms = now_ms + 60000;
    job *queued = jobs_submit(pool, &spec);
    job *endless = submit(pool, &n[2], 1);

    jobs_expire(pool, now_ms + 60000); /* not past it yet */
    assert_int_equal(n[1].finished, 0);
    jobs_expire(pool, now_ms + 60001);
    assert_int_equal(n[1].finished, 1);
    assert_int_equal(n[1].ended_as, JOB_CANCELLED);
    assert_int_equal(job_state_of(running), JOB_CANCELLED);
    assert_int_equal(n[0].finished, 0);
    open_gate(&n[0]);
    wait_for(&n[2], &n[2].finished, 1);
    assert_int_equal(n[0].finished, 1);
    assert_int_equal(n[0].runs, 1);
    assert_int_equal(n[2].ended_as, JOB_DONE);
    job_release(running);
    job_release(queued);
    job_release(endless);

    /* Even without the timer a late task does not start. */
    note late = NOTE_INIT;
    spec = spec_of(&late, 2);
    spec.deadline_ms = clock_monotonic_ms() - 1;
    job_release(jobs_submit(pool, &spec));
    wait_for(&late, &late.finished, 1);
    assert_int_equal(late.ended_as, JOB_CANCELLED);
    assert_int_equal(late.runs, 0);
    jobs_stop(pool);
}

static void stop_with_queue(void **state) {
    (void)state;
    jobs *pool = jobs_start(2, 16, NULL);
    note n[10];
    job *held[10];
    for (int i = 0; i < 10; i++) {
        n[i] = (note)NOTE_INIT;
        n[i].task_ms = 30;
        held[i] = submit(pool, &n[i], 3);
    }
    wait_for(&n[0], &n[0].runs, 1);
    jobs_stop(pool);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(n[i].finished, 1);
        assert_int_equal(n[i].ended_as, JOB_CANCELLED);
        assert_int_equal(job_state_of(held[i]), JOB_CANCELLED); /* asked without a pool */
        job_cancel(held[i]);
        assert_int_equal(n[i].freed, 0);
        job_release(held[i]);
        assert_int_equal(n[i].freed, 1);
    }
    assert_int_equal(n[9].runs, 0);
}

static void refuses_after_cancel_all(void **state) {
    (void)state;
    jobs *pool = jobs_start(1, 4, NULL);
    note n = NOTE_INIT;
    close_gate(&n);
    job *j = submit(pool, &n, 2);
    wait_for(&n, &n.runs, 1);
    jobs_cancel_all(pool);
    assert_int_equal(job_state_of(j), JOB_CANCELLED);
    note other = NOTE_INIT;
    assert_null(submit(pool, &other, 1));
    open_gate(&n);
    job_release(j);
    jobs_stop(pool);
    assert_int_equal(n.finished, 1);
    assert_int_equal(n.freed, 1);
}

/* ---- stress: submitters, a canceller and a timer against the workers ---- */

enum { SUBMITTERS = 4, JOBS_EACH = 2500 };

static atomic_size_t tiny_runs;
static atomic_size_t tiny_done;
static atomic_size_t tiny_cancelled;
static atomic_size_t tiny_freed;

typedef struct tiny {
    atomic_int finished;
} tiny;

static void tiny_run(void *arg, size_t i, arx_coder *coder) {
    (void)arg;
    (void)i;
    (void)coder;
    atomic_fetch_add(&tiny_runs, 1);
}

static void tiny_finished(void *arg, job *j) {
    tiny *t = arg;
    if (atomic_fetch_add(&t->finished, 1) != 0) {
        abort();
    }
    atomic_fetch_add(job_state_of(j) == JOB_DONE ? &tiny_done : &tiny_cancelled, 1);
}

static void tiny_free(void *arg) {
    atomic_fetch_add(&tiny_freed, 1);
    free(arg);
}

static void *submit_tiny(void *opaque) {
    jobs *pool = opaque;
    for (int i = 0; i < JOBS_EACH; i++) {
        tiny *t = calloc(1, sizeof *t);
        job_spec spec = {.tasks = 1 + (size_t)i % 3,
                         .run = tiny_run,
                         .finished = tiny_finished,
                         .free_arg = tiny_free,
                         .arg = t};
        if (i % 11 == 0) {
            spec.deadline_ms = clock_monotonic_ms() + i % 2;
        }
        job *j;
        while ((j = jobs_submit(pool, &spec)) == NULL) {
            sched_yield();
        }
        if (i % 7 == 0) {
            job_cancel(j);
        }
        if (job_progress(j) > spec.tasks) {
            abort();
        }
        job_release(j);
    }
    return NULL;
}

static atomic_bool ticking;

static void *tick(void *opaque) {
    while (atomic_load(&ticking)) {
        jobs_expire(opaque, clock_monotonic_ms());
        sleep_ms(1);
    }
    return NULL;
}

static void stress(void **state) {
    (void)state;
    jobs *pool = jobs_start(4, 32, NULL);
    pthread_t submitters[SUBMITTERS];
    pthread_t timer;
    atomic_store(&ticking, true);
    assert_int_equal(pthread_create(&timer, NULL, tick, pool), 0);
    for (int i = 0; i < SUBMITTERS; i++) {
        assert_int_equal(pthread_create(&submitters[i], NULL, submit_tiny, pool), 0);
    }
    for (int i = 0; i < SUBMITTERS; i++) {
        pthread_join(submitters[i], NULL);
    }
    atomic_store(&ticking, false);
    pthread_join(timer, NULL);
    jobs_stop(pool);
    assert_int_equal(tiny_done + tiny_cancelled, SUBMITTERS * JOBS_EACH);
    assert_int_equal(tiny_freed, SUBMITTERS * JOBS_EACH);
    assert_true(tiny_done > SUBMITTERS * JOBS_EACH / 2);
    assert_true(tiny_runs >= tiny_done);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_every_task),
        cmocka_unit_test(order),
        cmocka_unit_test(tasks_run_together),
        cmocka_unit_test(bounded),
        cmocka_unit_test(cancel_running),
        cmocka_unit_test(deadlines),
        cmocka_unit_test(stop_with_queue),
        cmocka_unit_test(refuses_after_cancel_all),
        cmocka_unit_test(stress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
