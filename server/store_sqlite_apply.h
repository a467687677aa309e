/*
 * store_sqlite_apply.h - what the writer does to rows, one statement table over its connection.
 *
 * The writer thread's alone. Codes are SQLite's; SQLITE_DONE is success.
 */
#ifndef ARXD_STORE_SQLITE_APPLY_H
#define ARXD_STORE_SQLITE_APPLY_H

#include "store_sqlite.h"

typedef enum write_statement {
    WRITE_BEGIN,
    WRITE_COMMIT,
    WRITE_ROLLBACK,
    WRITE_SAVEPOINT,
    WRITE_RELEASE,
    WRITE_UNDO,
    WRITE_ADD_SET,
    WRITE_LOOK_WHOLE,
    WRITE_LOOK_BRIEF,
    WRITE_LOOK_ROW,
    WRITE_LOOK_GONE,
    WRITE_INSERT_ARTIFACT,
    WRITE_INSERT_LIFETIME,
    WRITE_UPDATE_ARTIFACT,
    WRITE_UPDATE_TIME,
    WRITE_UPDATE_LIFETIME,
    WRITE_DESCRIBE,
    WRITE_DESCRIBE_SET,
    WRITE_VIEW,
    WRITE_TOUCH,
    WRITE_REMOVE_LIFETIME,
    WRITE_REMOVE_ARTIFACT,
    WRITE_ADD_GONE,
    WRITE_LOOK_RECORD,
    WRITE_ADD_RECORD,
    WRITE_LOOK_NOTE,
    WRITE_ADD_NOTE,
    WRITE_UPDATE_NOTE,
    WRITE_REMOVE_NOTE,
    WRITE_CLEAN,
    WRITE_SWEEP_WALK,
    WRITE_SWEEP_OLD,
    WRITE_SWEEP_RECORDS,
    WRITE_SWEEP_GONE,
    WRITE_SWEEP_NOTES,
    WRITE_ROWS_THERE,
    WRITE_MAKER_THERE,
    WRITE_PAGES_THERE,
    WRITE_PAGES_FREE,
    WRITE_PAGE_SIZE,
    WRITE_COUNT,
} write_statement;

typedef struct writer {
    sqlite_store *self;
    sqlite3 *db; /* borrowed */
    sqlite3_stmt *statements[WRITE_COUNT];
    int64_t rows; /* links there are; -1: to be counted */
    bool trouble; /* the database refused something since this was last cleared */
} writer;

/* ---- store_sqlite_apply.c ---- */

/* Prepares every statement. The caller releases, also after a failure. */
int writer_prepare(writer *w);
void writer_release(writer *w);

/* Steps once, and lets go. */
int writer_run(writer *w, write_statement statement);
/* Takes the write lock, waiting for it. */
int writer_begin(writer *w, int64_t timeout_ms);
/* Ends a transaction that failed, if there still is one. */
void writer_rollback(writer *w);
/* sqlite_store_failed(), and remembers trouble unless the row alone was at fault. */
store_result writer_failed(writer *w, int code, const char *doing);

/*
 * Inside a transaction: does one operation, or leaves no trace of it. After an error that made
 * SQLite end the whole transaction, sqlite3_get_autocommit() is true.
 */
store_result writer_apply(writer *w, store_op *op);
/* The same for touches, all or none of them. */
bool writer_apply_touches(writer *w, const store_touch *touches, size_t count);

/* Does the database take a write? Tries one that changes nothing. */
bool writer_probe(writer *w);

/* ---- store_sqlite_rows.c ---- */

/*
 * Each does its operation and sets op->result when that ends otherwise than STORE_OK; the caller
 * undoes then, as after any code but SQLITE_DONE.
 */
int rows_insert(writer *w, store_op *op);
/*
 * Sets op->result when a quota leaves no room for its payload, or (one_more) for one more row.
 * maker: of the row, or NULL.
 */
int rows_find_room(writer *w, store_op *op, const uint8_t *maker, bool one_more);
int rows_view(writer *w, store_op *op);
int rows_update(writer *w, store_op *op);
int rows_delete(writer *w, store_op *op);
int rows_describe(writer *w, store_op *op);
int rows_touch(writer *w, const store_touch *touch);

/* Deletes a row and, if so asked, remembers when it ended. */
int rows_remove(writer *w, int64_t row, const uint8_t *id, int64_t end_ms);
/* Deletes a row that ends before that moment and adds it to `*deleted`; another is left as it is.
 */
int rows_remove_expired(writer *w, int64_t row, int64_t before_ms, uint64_t *deleted);
/* How much of a row is looked at: all that has a fixed size; the strings too; the payload too. */
typedef enum rows_part { ROWS_NUMBERS, ROWS_BRIEF, ROWS_WHOLE } rows_part;
/*
 * A row as it is now, waiting touches included. SQLITE_ROW with what was asked for (the caller
 * clears it); SQLITE_DONE: there is none.
 */
int rows_look(writer *w, const uint8_t *id, rows_part part, int64_t *row, store_artifact *found);
int rows_look_number(writer *w, int64_t row, store_artifact *found);

/* ---- store_sqlite_notes.c ---- */

/* Puts op->note, or sets op->result, as those above. */
int rows_put_note(writer *w, store_op *op);

/* ---- store_sqlite_clean.c ---- */

/* As those of store_sqlite_rows.c. */
int rows_clean(writer *w, store_op *op);

/* ---- store_sqlite_sweep.c ---- */

/*
 * A walk over all lifetimes that deletes what had expired when it began, some rows at a time; then
 * old records and notes likewise.
 */
typedef struct sweep {
    bool active;
    bool walked;    /* all lifetimes were */
    int64_t now_ms; /* when it began */
    int64_t row;    /* walked up to here */
    uint64_t deleted;
} sweep;

/*
 * One step, with its own transaction if there is something to delete: bounded in rows walked, in
 * rows deleted and in time. SQLITE_ROW: there is more; SQLITE_DONE: finished; else failed.
 */
int writer_sweep(writer *w, sweep *s, int64_t timeout_ms);

#endif
