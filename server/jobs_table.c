/*
 * jobs_table.c - see jobs_table.h.
 *
 * One lock guards the list and every entry in it; nothing that takes another lock is called with it
 * held. Entries are few (the pool's queue and what ended lately), so the list is walked.
 */
#include "jobs_table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct job_entry {
    uint8_t id[ID_BYTES];
    atomic_uint refs;
    jobs_table *table;
    /* Under its lock. */
    job_entry *next;
    bool kept; /* is in the list */
    job *job;  /* until it has ended */
    size_t tasks;
    job_status status;
    int64_t ended_at_ms;
    uint8_t *result;
    size_t result_len;
};

struct jobs_table {
    pthread_mutex_t lock;
    job_entry *first;
    size_t count;
    size_t bytes;
    size_t max_entries;
    size_t max_bytes;
};

const char *job_status_name(job_status status) {
    static const char *const names[JOB_STATUS_COUNT] = {
        [JOB_STATUS_QUEUED] = "queued",       [JOB_STATUS_RUNNING] = "running",
        [JOB_STATUS_DONE] = "done",           [JOB_STATUS_FAILED] = "failed",
        [JOB_STATUS_CANCELLED] = "cancelled",
    };
    return names[status];
}

static bool has_ended(const job_entry *entry) {
    return entry->status >= JOB_STATUS_DONE;
}

/* ---- entries ---- */

job_entry *job_entry_hold(job_entry *entry) {
    atomic_fetch_add(&entry->refs, 1);
    return entry;
}

void job_entry_release(job_entry *entry) {
    if (entry != NULL && atomic_fetch_sub(&entry->refs, 1) == 1) {
        job_release(entry->job);
        free(entry->result);
        free(entry);
    }
}

const uint8_t *job_entry_id(const job_entry *entry) {
    return entry->id;
}

void job_entry_watch(job_entry *entry, job *work, size_t tasks) {
    jobs_table *table = entry->table;
    (void)pthread_mutex_lock(&table->lock);
    if (!has_ended(entry)) {
        entry->job = job_hold(work);
        entry->tasks = tasks;
    }
    (void)pthread_mutex_unlock(&table->lock);
}

/* Under the lock. The job is the caller's to release without it. */
static job *end_entry(job_entry *entry, job_status status, arx_buf *result, int64_t now_ms) {
    job *work = entry->job;
    entry->job = NULL;
    entry->status = status;
    entry->ended_at_ms = now_ms;
    if (result != NULL) {
        entry->result = arx_buf_take(result, &entry->result_len);
        if (entry->kept) {
            entry->table->bytes += entry->result_len;
        }
    }
    return work;
}

void job_entry_end(job_entry *entry, job_status status, arx_buf *result, int64_t now_ms) {
    jobs_table *table = entry->table;
    job *work = NULL;
    (void)pthread_mutex_lock(&table->lock);
    if (!has_ended(entry)) {
        work = end_entry(entry, status, result, now_ms);
    }
    (void)pthread_mutex_unlock(&table->lock);
    job_release(work);
    if (result != NULL) {
        arx_buf_free(result);
    }
}

void job_entry_cancel(job_entry *entry, int64_t now_ms) {
    jobs_table *table = entry->table;
    (void)pthread_mutex_lock(&table->lock);
    job *work = entry->job != NULL ? job_hold(entry->job) : NULL;
    (void)pthread_mutex_unlock(&table->lock);
    if (work == NULL) {
        return;
    }
    job_cancel(work);
    if (job_state_of(work) == JOB_CANCELLED) {
        job_entry_end(entry, JOB_STATUS_CANCELLED, NULL, now_ms);
    }
    job_release(work);
}

void job_entry_look(job_entry *entry, job_view *view) {
    jobs_table *table = entry->table;
    (void)pthread_mutex_lock(&table->lock);
    *view = (job_view){
        .status = entry->status, .result = entry->result, .result_len = entry->result_len};
    if (entry->job != NULL) {
        view->progress = (unsigned)(job_progress(entry->job) * 100 / entry->tasks);
        view->status =
            job_state_of(entry->job) == JOB_QUEUED ? JOB_STATUS_QUEUED : JOB_STATUS_RUNNING;
    } else if (entry->status == JOB_STATUS_DONE) {
        view->progress = 100;
    }
    (void)pthread_mutex_unlock(&table->lock);
}

/* ---- the table ---- */

jobs_table *jobs_table_create(size_t max_entries, size_t max_bytes) {
    jobs_table *table = calloc(1, sizeof *table);
    if (table != NULL) {
        (void)pthread_mutex_init(&table->lock, NULL);
        table->max_entries = max_entries;
        table->max_bytes = max_bytes;
    }
    return table;
}

void jobs_table_free(jobs_table *table) {
    if (table == NULL) {
        return;
    }
    while (table->first != NULL) {
        job_entry *entry = table->first;
        table->first = entry->next;
        job_entry_release(entry);
    }
    (void)pthread_mutex_destroy(&table->lock);
    free(table);
}

/* Under the lock: the entry has been taken out of the list. */
static void leave(jobs_table *table, job_entry *entry) {
    entry->kept = false;
    table->count--;
    table->bytes -= entry->result_len;
}

/* Under the lock: takes out what is no longer kept and returns it, linked by `next`. */
static job_entry *take_old(jobs_table *table, int64_t now_ms) {
    job_entry *old = NULL;
    for (job_entry **at = &table->first; *at != NULL;) {
        job_entry *entry = *at;
        if (has_ended(entry) && now_ms - entry->ended_at_ms >= JOBS_TABLE_KEPT_MS) {
            *at = entry->next;
            leave(table, entry);
            entry->next = old;
            old = entry;
        } else {
            at = &entry->next;
        }
    }
    return old;
}

static void release_all(job_entry *old) {
    while (old != NULL) {
        job_entry *next = old->next;
        job_entry_release(old);
        old = next;
    }
}

void jobs_table_expire(jobs_table *table, int64_t now_ms) {
    (void)pthread_mutex_lock(&table->lock);
    job_entry *old = take_old(table, now_ms);
    (void)pthread_mutex_unlock(&table->lock);
    release_all(old);
}

void jobs_table_drop(jobs_table *table, job_entry *entry) {
    job_entry **at = &table->first;
    (void)pthread_mutex_lock(&table->lock);
    while (*at != NULL && *at != entry) {
        at = &(*at)->next;
    }
    bool found = *at != NULL;
    if (found) {
        *at = entry->next;
        leave(table, entry);
    }
    (void)pthread_mutex_unlock(&table->lock);
    if (found) {
        job_entry_release(entry);
    }
}

job_entry *jobs_table_add(jobs_table *table, int64_t now_ms) {
    job_entry *entry = calloc(1, sizeof *entry);
    if (entry == NULL || !id_generate(entry->id)) {
        free(entry);
        return NULL;
    }
    atomic_init(&entry->refs, 2);
    entry->table = table;
    (void)pthread_mutex_lock(&table->lock);
    job_entry *old = take_old(table, now_ms);
    bool room = table->count < table->max_entries && table->bytes < table->max_bytes;
    if (room) {
        entry->kept = true;
        entry->next = table->first;
        table->first = entry;
        table->count++;
    }
    (void)pthread_mutex_unlock(&table->lock);
    release_all(old);
    if (!room) {
        free(entry);
        return NULL;
    }
    return entry;
}

job_entry *jobs_table_find(jobs_table *table, const uint8_t id[ID_BYTES], int64_t now_ms) {
    (void)pthread_mutex_lock(&table->lock);
    job_entry *old = take_old(table, now_ms);
    job_entry *entry = table->first;
    while (entry != NULL && memcmp(entry->id, id, ID_BYTES) != 0) {
        entry = entry->next;
    }
    if (entry != NULL) {
        (void)job_entry_hold(entry);
    }
    (void)pthread_mutex_unlock(&table->lock);
    release_all(old);
    return entry;
}
