/*
 * jobs.c - see jobs.h.
 *
 * Locking: jobs.lock guards the list, the counts and, of every job in the list, `next_task` and
 * `running_tasks`; nothing is called out of it. A job leaves the list, under the lock, when it has
 * ended: only then may `finished` run, without the lock, and only by the thread that took it out.
 * `state`, `progress`, `worked_us` and `refs` are atomic, because they may be read after the pool
 * is gone.
 */
#include "jobs.h"
#include "clock.h"
#include "metrics.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

struct job {
    job_spec spec;
    jobs *pool;
    job *next;
    job *prev;
    size_t next_task;     /* tasks before it were taken */
    size_t running_tasks; /* taken, not yet ended */
    atomic_int state;     /* job_state; written under the pool's lock */
    atomic_size_t progress;
    atomic_int_least64_t worked_us;
    atomic_uint refs;
};

typedef struct worker {
    jobs *pool;
    arx_coder *coder;
    pthread_t thread;
} worker;

struct jobs {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    job *first; /* in the order they came */
    job *last;
    unsigned count;
    unsigned queue;
    bool refusing; /* cancelled all: takes no more */
    bool stopping;
    unsigned worker_count;
    worker workers[];
};

/* ---- jobs ---- */

static job_state state_of(const job *j) {
    return (job_state)atomic_load(&j->state);
}

static bool has_ended(const job *j) {
    return state_of(j) == JOB_DONE || state_of(j) == JOB_CANCELLED;
}

job *job_hold(job *j) {
    atomic_fetch_add(&j->refs, 1);
    return j;
}

void job_release(job *j) {
    if (j != NULL && atomic_fetch_sub(&j->refs, 1) == 1) {
        if (j->spec.free_arg != NULL) {
            j->spec.free_arg(j->spec.arg);
        }
        free(j);
    }
}

job_state job_state_of(const job *j) {
    return state_of(j);
}

size_t job_progress(const job *j) {
    return atomic_load(&j->progress);
}

int64_t job_worked_us(const job *j) {
    return atomic_load(&j->worked_us);
}

/* ---- the list; all with the lock held ---- */

static void append(jobs *pool, job *j) {
    j->prev = pool->last;
    if (pool->last == NULL) {
        pool->first = j;
    } else {
        pool->last->next = j;
    }
    pool->last = j;
    pool->count++;
}

/* Takes the job out of the list once it has ended and nothing of it runs. True: call finish(). */
static bool retire(jobs *pool, job *j) {
    if (!has_ended(j) || j->running_tasks > 0) {
        return false;
    }
    if (j->prev == NULL) {
        pool->first = j->next;
    } else {
        j->prev->next = j->next;
    }
    if (j->next == NULL) {
        pool->last = j->prev;
    } else {
        j->next->prev = j->prev;
    }
    j->next = j->prev = NULL;
    pool->count--;
    return true;
}

/* The first job with an untaken task. Those before it are at most as many as workers. */
static job *first_open(const jobs *pool) {
    job *j = pool->first;
    while (j != NULL && (has_ended(j) || j->next_task == j->spec.tasks)) {
        j = j->next;
    }
    return j;
}

static bool is_late(const job *j, int64_t now_ms) {
    return j->spec.deadline_ms != 0 && now_ms > j->spec.deadline_ms;
}

/*
 * Cancels every job that is late (all: every job) and has not ended. Those that nothing runs of are
 * taken out of the list and returned, linked by `next`, for finish_all().
 */
static job *cancel_some(jobs *pool, int64_t now_ms, bool all) {
    job *ended = NULL;
    job **tail = &ended;
    for (job *j = pool->first, *next; j != NULL; j = next) {
        next = j->next;
        if (has_ended(j) || !(all || is_late(j, now_ms))) {
            continue;
        }
        atomic_store(&j->state, JOB_CANCELLED);
        if (retire(pool, j)) {
            *tail = j;
            tail = &j->next;
        }
    }
    return ended;
}

/* ---- without the lock ---- */

/* The pool's last act on a job. */
static void finish(job *j) {
    if (j->spec.finished != NULL) {
        j->spec.finished(j->spec.arg, j);
    }
    job_release(j);
}

static void finish_all(job *ended) {
    while (ended != NULL) {
        job *next = ended->next;
        ended->next = NULL;
        finish(ended);
        ended = next;
    }
}

/* Takes and runs one task; the lock is held before and after, not while it runs. */
static void run_task(jobs *pool, job *j, arx_coder *coder) {
    size_t task = j->next_task++;
    j->running_tasks++;
    atomic_store(&j->state, JOB_RUNNING);
    pthread_mutex_unlock(&pool->lock);

    int64_t started_us = clock_monotonic_us();
    j->spec.run(j->spec.arg, task, coder);
    int64_t worked_us = clock_monotonic_us() - started_us;
    atomic_fetch_add(&j->worked_us, worked_us);
    metrics_add(METRIC_WORKED_US, (uint64_t)worked_us);
    size_t ran = atomic_fetch_add(&j->progress, 1) + 1;

    pthread_mutex_lock(&pool->lock);
    j->running_tasks--;
    if (ran == j->spec.tasks && !has_ended(j)) {
        atomic_store(&j->state, JOB_DONE);
    }
}

static void *work(void *opaque) {
    worker *self = opaque;
    jobs *pool = self->pool;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        job *j = first_open(pool);
        if (j == NULL) {
            if (pool->stopping) {
                break;
            }
            pthread_cond_wait(&pool->wake, &pool->lock);
            continue;
        }
        if (is_late(j, clock_monotonic_ms())) {
            atomic_store(&j->state, JOB_CANCELLED);
        } else {
            run_task(pool, j, self->coder);
        }
        if (retire(pool, j)) {
            pthread_mutex_unlock(&pool->lock);
            finish(j);
            pthread_mutex_lock(&pool->lock);
        }
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

job *jobs_submit(jobs *pool, const job_spec *spec) {
    job *j = calloc(1, sizeof *j);
    if (j == NULL) {
        return NULL;
    }
    j->spec = *spec;
    j->pool = pool;
    atomic_init(&j->state, JOB_QUEUED);
    atomic_init(&j->progress, 0);
    atomic_init(&j->worked_us, 0);
    atomic_init(&j->refs, 2);

    /* Late jobs must not fill the queue until the timer comes by. */
    pthread_mutex_lock(&pool->lock);
    job *ended = pool->count < pool->queue ? NULL : cancel_some(pool, clock_monotonic_ms(), false);
    bool room = !pool->refusing && pool->count < pool->queue;
    if (room) {
        append(pool, j);
        if (spec->tasks == 1) {
            pthread_cond_signal(&pool->wake);
        } else {
            pthread_cond_broadcast(&pool->wake);
        }
    }
    pthread_mutex_unlock(&pool->lock);

    finish_all(ended);
    if (!room) {
        free(j); /* not job_release(): arg stays the caller's */
        return NULL;
    }
    return j;
}

void job_cancel(job *j) {
    if (has_ended(j)) {
        return; /* also the case once the pool is gone */
    }
    jobs *pool = j->pool;
    pthread_mutex_lock(&pool->lock);
    bool retired = false;
    if (!has_ended(j)) {
        atomic_store(&j->state, JOB_CANCELLED);
        retired = retire(pool, j);
    }
    pthread_mutex_unlock(&pool->lock);
    if (retired) {
        finish(j);
    }
}

void jobs_expire(jobs *pool, int64_t now_ms) {
    pthread_mutex_lock(&pool->lock);
    job *ended = cancel_some(pool, now_ms, false);
    pthread_mutex_unlock(&pool->lock);
    finish_all(ended);
}

void jobs_cancel_all(jobs *pool) {
    pthread_mutex_lock(&pool->lock);
    pool->refusing = true;
    job *ended = cancel_some(pool, 0, true);
    pthread_mutex_unlock(&pool->lock);
    finish_all(ended);
}

void jobs_depth(jobs *pool, size_t *queued, size_t *running) {
    *queued = *running = 0;
    pthread_mutex_lock(&pool->lock);
    for (const job *j = pool->first; j != NULL; j = j->next) {
        *(state_of(j) == JOB_QUEUED ? queued : running) += 1;
    }
    pthread_mutex_unlock(&pool->lock);
}

/* ---- the pool ---- */

static void join_and_free(jobs *pool, unsigned started) {
    pthread_mutex_lock(&pool->lock);
    pool->stopping = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < started; i++) {
        pthread_join(pool->workers[i].thread, NULL);
    }
    for (unsigned i = 0; i < pool->worker_count; i++) {
        arx_coder_free(pool->workers[i].coder);
    }
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

jobs *jobs_start(unsigned workers, unsigned queue, const arx_image_source *images) {
    jobs *pool = calloc(1, sizeof *pool + workers * sizeof(worker));
    if (pool == NULL) {
        return NULL;
    }
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pool->queue = queue;
    pool->worker_count = workers;

    /* Signals are the main thread's. */
    sigset_t every;
    sigset_t before;
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    unsigned started = 0;
    while (started < workers) {
        worker *w = &pool->workers[started];
        w->pool = pool;
        w->coder = arx_coder_create(&arx_entropy_native, images);
        if (w->coder == NULL || pthread_create(&w->thread, NULL, work, w) != 0) {
            break;
        }
        pthread_setname_np(w->thread, "arxd-worker");
        started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started < workers) {
        join_and_free(pool, started);
        return NULL;
    }
    return pool;
}

void jobs_stop(jobs *pool) {
    if (pool == NULL) {
        return;
    }
    jobs_cancel_all(pool);
    join_and_free(pool, pool->worker_count);
}
