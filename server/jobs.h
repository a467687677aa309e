/*
 * jobs.h - the worker pool: CPU work away from the event threads.
 *
 * A job is a set of tasks that may run at the same time, on any workers, and ends when the last has
 * run. Jobs are started in the order they came; tasks of a job are started in theirs; a worker that
 * finds no task left in one job takes the next job's. The queue is bounded by jobs, queued and
 * running, not by tasks. Each worker owns one arx_coder for life.
 *
 * A job is reference-counted: the pool holds one reference until it has ended, the submitter
 * another. A submitter that stops waiting (deadline, shutdown) cancels and lets go; what the tasks
 * still write lives in `arg`, which the last reference frees.
 *
 *     QUEUED --first task taken--> RUNNING --last task has run--> DONE
 *        \________________________/
 *            cancel, deadline, stop: CANCELLED at once; no further task starts
 *
 * `finished` is called exactly once for every job that was accepted, when none of its tasks runs
 * and none will.
 */
#ifndef ARXD_JOBS_H
#define ARXD_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arx.h"

typedef struct jobs jobs;
typedef struct job job;

typedef enum job_state { JOB_QUEUED, JOB_RUNNING, JOB_DONE, JOB_CANCELLED } job_state;

typedef struct job_spec {
    size_t tasks; /* at least 1 */
    /* Runs task `i` on a worker. */
    void (*run)(void *arg, size_t i, arx_coder *coder);
    /*
     * Called once, on a worker or the thread that cancels (jobs_submit, jobs_expire and jobs_stop's
     * included), maybe before jobs_submit has returned. May call anything here but jobs_stop. May
     * be NULL.
     */
    void (*finished)(void *arg, job *job);
    /* Frees arg with the last reference. May be NULL. */
    void (*free_arg)(void *arg);
    void *arg;
    int64_t deadline_ms; /* monotonic; past it the job is cancelled (JOB_CANCELLED). 0: none */
} job_spec;

/*
 * workers, queue: at least 1. images: shared primed images, borrowed until jobs_stop, or NULL (see
 * coder.h). NULL without memory or threads.
 */
jobs *jobs_start(unsigned workers, unsigned queue, const arx_image_source *images);
/*
 * Cancels every job, waits for tasks that run, joins the workers, frees. References to jobs stay
 * good, and what is asked of them may be asked still. No other call on the pool may be running.
 */
void jobs_stop(jobs *pool);

/*
 * Queues a job. NULL when the queue is full, the pool is stopping or memory is short: then `arg`
 * is still the caller's. Else the caller holds a reference.
 */
job *jobs_submit(jobs *pool, const job_spec *spec);
/* One more reference, for whoever keeps the job beside the submitter; and its end. */
job *job_hold(job *job);
void job_release(job *job);
job_state job_state_of(const job *job);
/* Tasks that have run. */
size_t job_progress(const job *job);
/* Microseconds that workers have spent on tasks that have run. */
int64_t job_worked_us(const job *job);
/*
 * Takes back what has not started; `finished` is called (now, or when the last running task ends).
 * Does nothing to a job that has ended.
 */
void job_cancel(job *job);
/* Cancels every queued and running job; new ones are refused from now on. */
void jobs_cancel_all(jobs *pool);
/*
 * Cancels jobs past their deadline. Called about every 50 ms by the main thread's timer; a worker
 * also looks before it takes a task.
 */
void jobs_expire(jobs *pool, int64_t now_ms);

/* For metrics: jobs that wait for their first task, jobs with one started. */
void jobs_depth(jobs *pool, size_t *queued, size_t *running);

#endif
