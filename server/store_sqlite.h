/*
 * store_sqlite.h - the SQLite engine's own parts. Only store_sqlite*.c include this.
 *
 *   store_sqlite.c         the engine: open, close, submit, failures in words
 *   store_sqlite_open.c    the file: folder, lock, pragmas, version check, migrations
 *   store_sqlite_adopt.c   a database that another server made
 *   store_sqlite_reader.c  the pool of read-only connections, used on the calling thread
 *   store_sqlite_read.c    reads of one row
 *   store_sqlite_list.c    pages of a maker's rows
 *   store_sqlite_notes.c   notes, both sides
 *   store_sqlite_write.c   the writer thread: its queue, group commit, checkpoints
 *   store_sqlite_apply.c   one operation of the writer's, or no trace of it
 *   store_sqlite_rows.c    what each operation does to rows
 *   store_sqlite_sweep.c   removing what is over, in steps
 *   store_sqlite_beside.c  a connection beside a running store, and a copy of what it sees
 *   store_sqlite_backup.c  store_backup() and store_restore()
 *   store_sqlite_inspect.c store_inspect() and store_count()
 *   store_sqlite_remove.c  store_remove(): one link, beside a running store
 *   store_sqlite_table.c   store_table.h: all of it as plain rows, to be copied
 *   store_sqlite_row.c     from a row to a store_artifact
 *   store_sqlite_lock.c    the two locks on the file
 *
 * SQLite up to 3.51.2 can lose committed rows when one connection checkpoints while another writes.
 * Hence one connection, the writer's, does all writes and all checkpoints; every other connection
 * is read-only, has wal_autocheckpoint=0 and does not checkpoint when it closes; a lock on the file
 * keeps a second store away; and the one exception, store_remove(), excludes checkpoints by another
 * lock while it writes.
 */
#ifndef ARXD_STORE_SQLITE_H
#define ARXD_STORE_SQLITE_H

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "clock.h"
#include "store_internal.h"
#include "store_list.h"
#include "store_touch.h"

/* Marks a file as ours besides user_version: "arxd". */
#define SQLITE_STORE_APPLICATION_ID 0x61727864
/* The same while it is being copied into, and once that has ended well (store_table.h). */
#define SQLITE_STORE_COPYING_ID 0x61727863
#define SQLITE_STORE_COPIED_ID  0x61727865

/*
 * Pages that a connection keeps in memory. Enough for the ids and lifetimes of some 100,000 links,
 * which is what pays; there are as many readers as event threads, and all of it stays resident.
 */
#define SQLITE_STORE_READER_CACHE "PRAGMA cache_size = -6144;"
#define SQLITE_STORE_WRITER_CACHE "PRAGMA cache_size = -4096;"

typedef struct reader reader;

typedef struct sqlite_store {
    store base;
    char *path; /* absolute */
    char description[32];
    store_options options; /* options.path is `path` */
    int lock_fd;           /* holds the locks on the file; closed after every connection */
    dev_t device;          /* the file the connections have open, to notice when the path */
    ino_t inode;           /* names another one */
    bool copying;          /* opened to be copied into */
    store_touches *touches;

    /* Failures that were reported lately, by kind. */
    pthread_mutex_t report_lock;
    int64_t reported_ms[32];
    atomic_bool write_broken; /* the last write that was tried failed; PING says so */

    /* Readers not in use. */
    pthread_mutex_t reader_lock;
    reader *readers;

    /* The writer's queue; lock guards the five below it. */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    op_list queue;  /* all writes but sweeps */
    op_list sweeps; /* sweeps */
    size_t working; /* taken from the queue, not answered yet */
    bool nudged;    /* the touches should be looked at now */
    bool closing;

    pthread_t thread;
    bool thread_started;
    sqlite3 *writer; /* the writer thread's alone while that runs */
} sqlite_store;

/* ---- store_sqlite.c ---- */

/* An engine without a file yet. NULL without memory. Borrows options.path until `path` is set. */
sqlite_store *sqlite_store_create(const store_options *options);
/* Closes what there is, in the order that SQLite and the locks need. */
void sqlite_store_free(sqlite_store *self);

/* Kinds of report besides SQLite's primary result codes, which are below 30. */
enum { REPORT_LOG_LIMIT = 30, REPORT_KINDS = 32 };

/* Is it a minute since a failure of this kind was reported? Then the caller reports. */
bool sqlite_store_report_is_due(sqlite_store *self, int kind);
/*
 * Reports a failure (`doing`: "insert", ...) unless its kind was reported within a minute, and
 * says what an operation answers to it.
 */
store_result sqlite_store_failed(sqlite_store *self, int code, sqlite3 *db, const char *doing);

/* What is said of a row whose end was at `end_ms`. */
store_result sqlite_store_ended(const sqlite_store *self, int64_t end_ms, int64_t now_ms);

/* ---- store_sqlite_open.c ---- */

/*
 * Makes the file, its folder and its tables as needed; sets path, lock_fd, device, inode and
 * writer, which the caller releases also after a failure. False with one line in `why`.
 */
bool sqlite_store_open_file(sqlite_store *self, const char *path, char *why, size_t why_size);

/* ---- store_sqlite_adopt.c ---- */

/* Is it the table that agent-render's own server keeps, and nothing beside it? */
bool sqlite_store_can_adopt(sqlite3 *db);
/*
 * Within the transaction that migrates: moves that table aside before our own are made, and its
 * rows into them afterwards. Codes are SQLite's, SQLITE_DONE for success.
 */
int sqlite_store_adopt_begin(sqlite3 *db);
typedef struct adopted {
    uint64_t taken;   /* live links now */
    uint64_t expired; /* left out */
    uint64_t odd;     /* rows that no link could name or show, kept in a table of their own */
} adopted;
int sqlite_store_adopt_rows(sqlite3 *db, int64_t now_ms, adopted *counts);
/* The table for odd rows. */
#define ADOPT_ODD_TABLE "artifacts_not_migrated"

/* ---- store_sqlite_list.c, store_sqlite_notes.c, store_sqlite_totals.c ---- */

void sqlite_store_list(sqlite_store *self, store_op *op);
void sqlite_store_note_get(sqlite_store *self, store_op *op);
void sqlite_store_note_list(sqlite_store *self, store_op *op);
void sqlite_store_totals(sqlite_store *self, store_op *op);

/* ---- store_sqlite_read.c ---- */

void sqlite_store_read(sqlite_store *self, store_op *op);
void sqlite_store_recall(sqlite_store *self, store_op *op);
void sqlite_store_ping(sqlite_store *self, store_op *op);
store_result sqlite_store_asset_sets(store *base,
                                     void (*each)(void *opaque, const char *set, uint64_t rows),
                                     void *opaque);

/* ---- store_sqlite_reader.c ---- */

void sqlite_store_close_readers(sqlite_store *self);

/* ---- store_sqlite_write.c ---- */

/* Starts the writer thread over self->writer. False with one line in `why`. */
bool sqlite_store_start_writer(sqlite_store *self, char *why, size_t why_size);
/* Lets it finish what is queued and joins it. */
void sqlite_store_stop_writer(sqlite_store *self);
/* Hands over an operation. False: the queue is full or the store closes; nothing was taken. */
bool sqlite_store_enqueue(sqlite_store *self, store_op *op);
/* Has the touches looked at soon. */
void sqlite_store_nudge(sqlite_store *self);

/* ---- store_sqlite_backup.c, store_sqlite_inspect.c ---- */

store_result sqlite_store_backup(const store_options *options, const char *to,
                                 bool (*go_on)(void *opaque), void *opaque, char *why,
                                 size_t why_size);
store_result sqlite_store_restore(const store_options *options, const char *from, char *kept,
                                  size_t kept_size, char *why, size_t why_size);
store_result sqlite_store_inspect(const store_options *options, const store_inspector *inspector,
                                  char *why, size_t why_size);
store_result sqlite_store_count(const store_options *options,
                                void (*each)(void *opaque, const char *name, uint64_t number),
                                void *opaque, char *why, size_t why_size);

/* ---- store_sqlite_remove.c ---- */

store_result sqlite_store_remove(const store_options *options, const uint8_t id[STORE_ID_BYTES],
                                 char *why, size_t why_size);

/* ---- store_sqlite_table.c ---- */

extern const tables_engine sqlite_tables_engine;

#endif
