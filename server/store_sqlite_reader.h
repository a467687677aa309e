/*
 * store_sqlite_reader.h - the read-only connections, and what is asked of them.
 *
 * A reader is a connection with its statements prepared. Readers not in use stand on a free list,
 * so there are never more of them than threads that read at the same time. Any thread; one thread
 * per reader. Must not write, and must not checkpoint (see store_sqlite.h).
 */
#ifndef ARXD_STORE_SQLITE_READER_H
#define ARXD_STORE_SQLITE_READER_H

#include "store_sqlite.h"

typedef enum read_statement {
    READ_ARTIFACT,
    READ_GONE,
    READ_RECALL,
    READ_PING,
    READ_ASSET_SETS,
    READ_LIST,
    READ_NOTE,
    READ_NOTE_LIST,
    READ_TOTALS,
    READ_SIZE,
    READ_MADE,
    READ_SINCE,
    READ_COUNT,
} read_statement;

/* One from the free list, else a new one. NULL with the failure reported and in `result`. */
reader *reader_take(sqlite_store *self, store_result *result);
/*
 * A statement to bind and step, and to reset before the reader is given back. Each is prepared when
 * it is first asked for, so that a table which is missing fails only what reads it. NULL with the
 * code.
 */
sqlite3_stmt *reader_statement(reader *r, read_statement which, int *code);
/* What `code`, which is neither SQLITE_ROW nor SQLITE_DONE, means; reported. */
store_result reader_failed(sqlite_store *self, const reader *r, int code, const char *doing);
/*
 * Gives the reader back; code: how its last statement ended. After anything but SQLITE_ROW and
 * SQLITE_DONE it is closed instead of kept: the next read starts afresh.
 */
void reader_give(sqlite_store *self, reader *r, int code);

#endif
