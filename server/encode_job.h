/*
 * encode_job.h - an encode nobody waits for: runs on the worker pool, stores its link if it is to
 * have one, and leaves its answer in the table of jobs and in a note.
 */
#ifndef ARXD_ENCODE_JOB_H
#define ARXD_ENCODE_JOB_H

#include "encode_task.h"
#include "jobs_table.h"
#include "service.h"
#include "visit.h"

/*
 * Queues a task that has been planned. On API_OK it is taken, and `entry` (held on its own) tells
 * what becomes of it, as the job's note does to every node (job_note.h; `noted`: its version);
 * --encode-deadline counts from here. Else it is the caller's still. origin, caller: copied.
 * account: on API_OK its deposit is the job's, which settles it at its end.
 */
api_result encode_job_start(const service *server, job_entry *entry, encode_task *task,
                            const auth_caller *caller, visit_account *account, const char *origin,
                            int64_t noted);

/* Until when the note of a job that is queued now counts: its node may die. Unix ms. */
int64_t encode_job_note_end(const service *server);

#endif
