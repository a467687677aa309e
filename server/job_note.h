/*
 * job_note.h - how an encode that nobody waits for stands, where every node sees it: a note.
 *
 *     POST        puts it: queued                        together with the record of the 202, if
 * any job's end   puts done and the result, or failed and the error; a link that the job makes is
 *                 inserted together with the note, so that a job cancelled elsewhere stores nothing
 *     DELETE      puts cancelled, on any node; the node that works finds the note changed
 *
 * The database can neither find out a job's id nor read its result: the note is filed under a hash
 * of the id, and its value is sealed under a key made from it. Pure but for random bytes.
 */
#ifndef ARXD_JOB_NOTE_H
#define ARXD_JOB_NOTE_H

#include "jobs_table.h"
#include "store.h"

/*
 * Makes `op` one that puts the note of the job: of this status, with the bytes of its result or
 * error (NULL: none), until expires_at_ms. version: of the note as it was last seen, 0 for none.
 * Kind and the rest of the op are the caller's. False without memory or random bytes.
 */
bool job_note_put(store_op *op, const uint8_t id[ID_BYTES], int64_t version, job_status status,
                  const uint8_t *result, size_t len, int64_t expires_at_ms);

/* Makes `op`, a cleared one, the look-up of the note. */
void job_note_get(store_op *op, const uint8_t id[ID_BYTES]);
/*
 * What a finished look-up found: the status, and what the job ended with, appended to `result`.
 * False for a note that is none of that job's.
 */
bool job_note_read(const store_op *op, const uint8_t id[ID_BYTES], job_status *status,
                   arx_buf *result);

#endif
