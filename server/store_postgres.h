/*
 * store_postgres.h - the PostgreSQL engine's own parts, and who does what:
 *
 *   store_postgres.c         opening, closing, which lane does which operation, failures in words
 *   store_postgres_link.c    one connection: connecting, sending, waiting, what an error means
 *   store_postgres_args.c    values on their way there and back, in PostgreSQL's binary forms
 *   store_postgres_sql.c     every statement there is
 *   store_postgres_schema.c  tables and migrations
 *   store_postgres_read.c    the reading lanes: many reads in one round trip
 *   store_postgres_write.c   the writing lane: its queue, group commit, retries
 *   store_postgres_apply.c   one transaction: looking, deciding, writing
 *   store_postgres_rows.c    what each operation does to rows
 *   store_postgres_list.c    listings
 *   store_postgres_sweep.c   removing what is over
 *   store_postgres_table.c   store_table.h: all of it as plain rows, to be copied
 *   store_postgres_remove.c  store_remove() and store_asset_sets(): on a connection of their own
 *
 * A lane is a thread with one connection, which it alone uses. Callers only queue operations and
 * wake a lane, so no caller ever waits for the network. Several nodes may share the database:
 * whatever is decided about a link is decided while its row in `lifetimes` is locked, and nothing
 * is remembered between two operations but touches that are not written yet.
 *
 * The SQL stays within what PostgreSQL, Citus, YugabyteDB and CockroachDB have in common
 * (docs/scaling.md): no advisory locks, no triggers, no sequences, no server-side functions.
 */
#ifndef ARXD_STORE_POSTGRES_H
#define ARXD_STORE_POSTGRES_H

#include <pthread.h>
#include <stdatomic.h>

#include "clock.h"
#include "store_internal.h"
#include "store_list.h"
#include "store_postgres_link.h"
#include "store_touch.h"

/* Reads overlap one lane's parsing with the other's waiting; more would only split the batches. */
#define PG_READERS 2

typedef struct pg_lane {
    struct pg_store *self;
    pg_link link;
    pthread_t thread;
    bool started;
    void *state; /* the lane's own; freed when it has ended */
} pg_lane;

typedef struct pg_store {
    store base;
    store_options options; /* options.path is `url` */
    char *url;             /* may hold a password: never shown */
    char place[256];       /* the same without, for messages */
    char description[64];
    store_touches *touches;

    pthread_mutex_t report_lock;
    int64_t reported_ms[PG_CODES];
    atomic_bool write_broken; /* the last write that was tried failed; PING says so */

    /* lock guards what follows, down to closing. */
    pthread_mutex_t lock;
    pthread_cond_t read_wake;
    pthread_cond_t write_wake;
    op_list reads;
    op_list queue;  /* all writes but sweeps */
    op_list sweeps; /* sweeps */
    size_t reading; /* taken by lanes, not answered yet */
    size_t working; /* likewise, writes */
    bool nudged;    /* the touches should be looked at now */
    bool closing;

    pg_lane readers[PG_READERS];
    pg_lane writer;
} pg_store;

/* ---- store_postgres.c ---- */

/* An engine without connections or threads. NULL with one line in `why`. */
pg_store *pg_store_create(const store_options *options, char *why, size_t why_size);
void pg_store_free(pg_store *self);

/*
 * Reports a failure (`doing`: "insert", ...) unless its kind was within a minute, and says what an
 * operation answers to it. The words are the link's last.
 */
store_result pg_store_failed(pg_store *self, const pg_link *link, pg_code code, const char *doing);

/*
 * Opens a link outside pipeline mode, waiting busy_timeout_ms for a server that does not answer
 * yet. With one line in `why`.
 */
pg_code pg_store_reach(pg_store *self, pg_link *link, char *why, size_t why_size);

/* What is said of a row whose end was at `end_ms`. */
store_result pg_store_ended(const pg_store *self, int64_t end_ms, int64_t now_ms);

/* Hands an operation of a list back to its owner. */
void pg_store_answer(op_list *list);

/* Starts a lane's thread over `run`. False with one line in `why`. */
bool pg_lane_start(pg_store *self, pg_lane *lane, void *(*run)(void *), const char *name, char *why,
                   size_t why_size);
void pg_lane_join(pg_lane *lane);

/* ---- store_postgres_schema.c ---- */

/*
 * Makes or migrates the tables, one node at a time. False with one line in `why`. With `look` it
 * changes nothing and only says whether they are this version's.
 */
bool pg_schema_prepare(pg_store *self, pg_link *link, bool look, char *why, size_t why_size);

/* ---- store_postgres_read.c ---- */

bool pg_readers_start(pg_store *self, char *why, size_t why_size);

/* ---- store_postgres_write.c ---- */

bool pg_writer_start(pg_store *self, char *why, size_t why_size);

/* ---- store_postgres_list.c ---- */

/* Each asks and answers one operation; the round trips are its own. */
pg_code pg_list(pg_store *self, pg_link *link, store_op *op);
pg_code pg_note_get(pg_store *self, pg_link *link, store_op *op);
pg_code pg_note_list(pg_store *self, pg_link *link, store_op *op);
pg_code pg_totals(pg_store *self, pg_link *link, store_op *op);

/* ---- store_postgres_remove.c ---- */

store_result pg_store_remove(const store_options *options, const uint8_t id[STORE_ID_BYTES],
                             char *why, size_t why_size);
store_result pg_store_asset_sets(store *base,
                                 void (*each)(void *opaque, const char *set, uint64_t rows),
                                 void *opaque);

/* ---- store_postgres_table.c ---- */

extern const tables_engine pg_tables_engine;
/* A daemon begins on a database: not while it is copied into. False with one line in `why`. */
bool pg_tables_serve(pg_store *self, pg_link *link, char *why, size_t why_size);

#endif
