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
    WRITE_INSERT_ARTIFACT,
    WRITE_INSERT_LIFETIME,
    WRITE_DESCRIBE,
    WRITE_DESCRIBE_SET,
    WRITE_VIEW,
    WRITE_EXPIRE_LIFETIME,
    WRITE_EXPIRE_ARTIFACT,
    WRITE_SWEEP_WALK,
    WRITE_SWEEP_LIFETIME,
    WRITE_SWEEP_ARTIFACT,
    WRITE_COUNT,
} write_statement;

typedef struct writer {
    sqlite_store *self;
    sqlite3 *db; /* borrowed */
    sqlite3_stmt *statements[WRITE_COUNT];
    bool trouble; /* the database refused something since this was last cleared */
} writer;

/* Prepares every statement. The caller releases, also after a failure. */
int writer_prepare(writer *w);
void writer_release(writer *w);

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

/* A walk over all lifetimes that deletes what had expired when it began, some rows at a time. */
typedef struct sweep {
    bool active;
    int64_t now_ms; /* when it began */
    int64_t row;    /* walked up to here */
    uint64_t deleted;
} sweep;

/*
 * One step, with its own transaction if there is something to delete: bounded both in rows walked
 * and in rows deleted. SQLITE_ROW: more to walk; SQLITE_DONE: finished; else failed.
 */
int writer_sweep(writer *w, sweep *s, int64_t timeout_ms);

/* Does the database take a write? Tries one that changes nothing. */
bool writer_probe(writer *w);

#endif
