/*
 * store_sqlite_lock.h - who may use a database file, beyond SQLite's own locks.
 *
 * Two locks on the file, both let go of when the descriptor is closed or its process ends:
 *
 *   place   held by a store for as long as it is open: one store a file
 *   log     held while the write-ahead log is checkpointed, and by store_remove() while it writes
 *           beside a running store. SQLite up to 3.51.2 can lose a transaction that begins the log
 *           anew while another connection checkpoints it; under this lock the two never meet.
 *
 * The log's lock is one byte of the page that SQLite never uses, behind its own lock bytes, and
 * belongs to the open descriptor, so that other descriptors of the process cannot drop it.
 */
#ifndef ARXD_STORE_SQLITE_LOCK_H
#define ARXD_STORE_SQLITE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

typedef enum lock_result {
    LOCK_HELD,   /* it is ours */
    LOCK_TAKEN,  /* somebody else's, for all of wait_ms */
    LOCK_NONE,   /* the file system has no such locks */
    LOCK_FAILED, /* errno */
} lock_result;

lock_result lock_place(int fd, int64_t wait_ms);
lock_result lock_log(int fd, int64_t wait_ms);
void unlock_log(int fd);
/* Does somebody else hold it? */
bool log_is_locked(int fd);

#endif
