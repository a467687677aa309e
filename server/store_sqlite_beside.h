/*
 * store_sqlite_beside.h - a connection that reads a database beside the daemon that has it open.
 *
 * Read-only, never checkpoints, holds one snapshot from opening to closing. One thread.
 */
#ifndef ARXD_STORE_SQLITE_BESIDE_H
#define ARXD_STORE_SQLITE_BESIDE_H

#include <sqlite3.h>

#include "store_admin.h"

/*
 * Opens the file, which must be a database of ours, of any version up to this program's; `exact`:
 * of this program's alone. NULL with a line in `why`. Caller: beside_close().
 */
sqlite3 *beside_open(const char *path, bool exact, char *why, size_t why_size);
/* NULL is fine. */
void beside_close(sqlite3 *db);

/* The first column of the first row. False when there is none. */
bool beside_number(sqlite3 *db, const char *query, int64_t *number);
/* Says in `why` what went wrong with the file; always STORE_FAILED. */
store_result beside_failed(sqlite3 *db, const char *path, const char *doing, char *why,
                           size_t why_size);

/*
 * Copies the snapshot to `to`, a file that must not be there, and syncs it. False with a line in
 * `why`, or without one when go_on said so; then nothing is left of it.
 */
bool beside_copy(sqlite3 *db, const char *to, bool (*go_on)(void *opaque), void *opaque, char *why,
                 size_t why_size);

/* The folder of a file is told to keep its names. */
void beside_sync_folder(const char *path);

#endif
