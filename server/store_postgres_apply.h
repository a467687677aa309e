/*
 * store_postgres_apply.h - what the writing lane does within one transaction.
 *
 *     look     locks the rows of every operation, reads them and what is on record (a round trip,
 *              left out where no operation needs it)
 *     decide   what each operation does, in C: op->result, and the op as it will be returned
 *     write    everything that was decided, and COMMIT (the other round trip)
 *
 * Rows are locked in the order of their ids, then notes, then records, so that nodes do not wait
 * for each other crosswise; where they do, the database says so and the transaction is run again.
 * Two operations of one transaction never meet in a row, a note or a record: the queue sees to it.
 */
#ifndef ARXD_STORE_POSTGRES_APPLY_H
#define ARXD_STORE_POSTGRES_APPLY_H

#include "store_postgres.h"

/* Operations in one transaction, and touches. */
#define PG_BATCH_OPS   256
#define PG_BATCH_BYTES (1u << 20)
#define PG_TOUCH_BATCH 512

typedef struct pg_item {
    store_op *op;
    /* As given: the transaction may have to be run again. */
    int64_t updated_at_ms;
    int64_t note_version;
    /* What was found. */
    bool there;           /* the row is, as follows, waiting touches included */
    store_artifact found; /* its strings are the item's */
    bool gone;            /* it ended lately */
    bool on_record;
    bool old_record; /* on record, but for too long to be recalled */
    bool note_there;
    int64_t note_found; /* its version */
    int64_t note_ends_ms;
    PGresult *expired; /* STORE_CLEAN: rows that have ended, and one more */
} pg_item;

typedef struct pg_writer {
    pg_store *self;
    pg_link *link;
    pg_item items[PG_BATCH_OPS];
    size_t count;
    size_t order[PG_BATCH_OPS]; /* items by record or note, for locking */
    int64_t made_at;            /* of the last note that was added */
    uint8_t room[PG_ARRAY_BYTES(PG_TOUCH_BATCH, STORE_HASH_BYTES)]; /* an array's */
    uint8_t more_room[PG_ARRAY_BYTES(PG_TOUCH_BATCH, STORE_ID_BYTES)];
} pg_writer;

/* ---- store_postgres_apply.c ---- */

/* Puts an operation into the batch, which has room. */
void pg_batch_add(pg_writer *w, store_op *op);
/* Forgets the batch. */
void pg_batch_clear(pg_writer *w);

/*
 * Runs the batch as one transaction. PG_DONE: it is durable, and every op has its result. Anything
 * else: no trace of it, unless `*doubtful`: then the connection was lost over the COMMIT. careful:
 * look at what a lone insert takes for granted, too.
 */
pg_code pg_batch_run(pg_writer *w, bool careful, bool *doubtful);
/* What the operation is called in a report. */
const char *pg_op_name(const store_op *op);

/* Ends a transaction that failed. */
void pg_roll_back(pg_link *link);

/* ---- store_postgres_rows.c ---- */

/* Does it need to see its row, and the row's payload; does it ask whether that was there lately? */
bool pg_op_looks(const store_op *op);
bool pg_op_looks_whole(const store_op *op);
bool pg_op_asks_gone(const store_op *op);
bool pg_op_is_recorded(const store_op *op);
bool pg_op_is_noted(const store_op *op);

/*
 * Decides about row, note and record: op->result. False: no memory, and nothing may be written.
 */
bool pg_decide(pg_writer *w, pg_item *item, int64_t now_ms);
/* Sends what was decided for an op whose result is STORE_OK. False without memory. */
bool pg_write_row(pg_writer *w, pg_item *item, int64_t now_ms);
void pg_write_note(pg_writer *w, pg_item *item);
void pg_write_record(pg_writer *w, pg_item *item, int64_t now_ms);

/* ---- store_postgres_sweep.c ---- */

/* Writes touches, and removes rows that were met after their end, in a transaction. */
pg_code pg_write_touches(pg_writer *w, const store_touch *touches, size_t count);

typedef struct pg_sweep {
    bool active;
    bool walked;    /* all lifetimes were */
    unsigned table; /* of those that hold old things, the next */
    int64_t now_ms;
    uint64_t deleted;
} pg_sweep;

/* STORE_CLEAN: the most rows it removes. */
unsigned pg_clean_limit(const store_op *op);
/* How many of those found go, the first of them up to that. */
size_t pg_clean_count(pg_writer *w, const pg_item *item);
/* Sends their removal. False without memory. */
bool pg_write_clean(pg_writer *w, const pg_item *item, int64_t now_ms);

/* One step in a transaction, bounded in rows. `*more`: there are further ones. */
pg_code pg_sweep_step(pg_writer *w, pg_sweep *sweep, bool *more);

#endif
