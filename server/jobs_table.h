/*
 * jobs_table.h - work that nobody waits for: how it stands, and what came of it for a while after.
 *
 *     QUEUED -> RUNNING -> DONE        with a result
 *         \________\-----> FAILED      with an error
 *          \________\----> CANCELLED
 *
 * An entry is known by a random id, which is all it takes to ask for it, and is forgotten five
 * minutes after it has ended. The table is bounded, in entries and in bytes of results: a full one
 * takes no new entry. Results never change once they are there. Thread-safe; entries are
 * reference-counted, and their functions need the table they came from.
 */
#ifndef ARXD_JOBS_TABLE_H
#define ARXD_JOBS_TABLE_H

#include "buffer.h"
#include "ids.h"
#include "jobs.h"

typedef struct jobs_table jobs_table;
typedef struct job_entry job_entry;

#define JOBS_TABLE_KEPT_MS 300000

typedef enum job_status {
    JOB_STATUS_QUEUED,
    JOB_STATUS_RUNNING,
    JOB_STATUS_DONE,
    JOB_STATUS_FAILED,
    JOB_STATUS_CANCELLED,
    JOB_STATUS_COUNT
} job_status;

/* "queued", "running", ... */
const char *job_status_name(job_status status);

/* NULL without memory. */
jobs_table *jobs_table_create(size_t max_entries, size_t max_bytes);
/* NULL is fine. */
void jobs_table_free(jobs_table *table);

/* A new entry, QUEUED. The caller holds a reference. NULL when the table is full or memory short.
 */
job_entry *jobs_table_add(jobs_table *table, int64_t now_ms);
/* The entry of that id with a reference, or NULL. */
job_entry *jobs_table_find(jobs_table *table, const uint8_t id[ID_BYTES], int64_t now_ms);
/* Forgets what ended long enough ago; the others do so too, but may not be called for hours. */
void jobs_table_expire(jobs_table *table, int64_t now_ms);

/* Takes an entry out at once: nobody was told of it. The reference stays the caller's. */
void jobs_table_drop(jobs_table *table, job_entry *entry);

const uint8_t *job_entry_id(const job_entry *entry);
/* The job that does the work, for progress and cancelling; takes a reference of its own to it. */
void job_entry_watch(job_entry *entry, job *job, size_t tasks);
/* How it ended; the first of these counts. The bytes are taken, and freed if they come too late. */
void job_entry_end(job_entry *entry, job_status status, arx_buf *result, int64_t now_ms);
/* Cancels what has not ended, as far as the pool still can. */
void job_entry_cancel(job_entry *entry, int64_t now_ms);

typedef struct job_view {
    job_status status;
    unsigned progress;     /* 0 to 100: tasks done of those there are */
    const uint8_t *result; /* borrowed as long as the entry; NULL while there is none */
    size_t result_len;
} job_view;
void job_entry_look(job_entry *entry, job_view *view);

job_entry *job_entry_hold(job_entry *entry);
void job_entry_release(job_entry *entry); /* NULL is fine */

#endif
