/*
 * store_admin.h - what the operator does with a database from a process of its own: back it up, put
 * a backup in its place, look it over, count what is in it.
 *
 * Backup, looking and counting work beside a running daemon and do not hold it up: they read one
 * snapshot, write nothing to the database and never checkpoint it. A restore needs the daemon to be
 * stopped. All of them block. Each answers STORE_OK, or anything else with one line in `why`. An
 * engine may lack them: then the line says what takes their place.
 */
#ifndef ARXD_STORE_ADMIN_H
#define ARXD_STORE_ADMIN_H

#include "store.h"

/*
 * Copies the database as it is now to the file `to`, which comes into being whole, checked and
 * synced, or not at all; one that is there already is left alone. Only its owner can read it.
 * go_on: asked between pieces, may be NULL; false gives up (STORE_BUSY, without a line).
 */
store_result store_backup(const store_options *options, const char *to, bool (*go_on)(void *opaque),
                          void *opaque, char *why, size_t why_size);

/* Is there an engine behind these options that makes backups? False with a line in `why`. */
bool store_has_backup(const store_options *options, char *why, size_t why_size);

/*
 * Puts a copy of the backup `from` in the database's place. The backup is checked first; what was
 * there is kept beside it under the name written to `kept` ("" when there was nothing).
 */
store_result store_restore(const store_options *options, const char *from, char *kept,
                           size_t kept_size, char *why, size_t why_size);

/* Told of what is there, on the calling thread. */
typedef struct store_inspector {
    /* A line about the file itself: a page that is damaged, a row without its other half. */
    void (*problem)(void *opaque, const char *line);
    /* Every row, in the order they were made. Borrowed for the call. */
    void (*row)(void *opaque, const store_artifact *artifact);
    void *opaque;
} store_inspector;

/* Looks everything over. STORE_OK: it was looked over, whatever was found. */
store_result store_inspect(const store_options *options, const store_inspector *inspector,
                           char *why, size_t why_size);

/* Calls `each` with every number there is to tell, by its name. */
store_result store_count(const store_options *options,
                         void (*each)(void *opaque, const char *name, uint64_t number),
                         void *opaque, char *why, size_t why_size);

#endif
