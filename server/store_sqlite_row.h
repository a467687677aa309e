/*
 * store_sqlite_row.h - from a row of the tables to a store_artifact, for the readers and the writer
 * alike. Pure but for the statement that is read.
 */
#ifndef ARXD_STORE_SQLITE_ROW_H
#define ARXD_STORE_SQLITE_ROW_H

#include <sqlite3.h>

#include "store_rules.h"

#define ROW_COLUMNS                                                                                \
    "a.row, l.expires_at, l.last_viewed_at, l.ttl, l.sliding, l.views, l.max_views, "              \
    "l.views_left, a.created_at, a.updated_at, a.id, a.edit_key_hash, a.maker, a.codec, a.kind, "  \
    "a.title, s.id, l.label, "
/* To be followed by a condition. */
#define ROW_FROM                                                                                   \
    " FROM artifacts a JOIN lifetimes l ON l.row = a.row "                                         \
    "LEFT JOIN asset_sets s ON s.number = l.asset_set WHERE "
#define ROW_SELECT "SELECT " ROW_COLUMNS "a.payload" ROW_FROM
/* The same without the payload, which is NULL. */
#define ROW_SELECT_BRIEF "SELECT " ROW_COLUMNS "NULL" ROW_FROM

/* A recorded reply still counts if it was written after ?2. */
#define ROW_RECALL_WHERE "FROM idempotency WHERE scope = ?1 AND at > ?2"
/* So does an end. */
#define ROW_GONE "SELECT 1 FROM gone WHERE id = ?1 AND at > ?2"

/* artifacts.row */
int64_t row_number(sqlite3_stmt *row);
/* Everything of fixed size. */
void row_read_numbers(sqlite3_stmt *row, store_artifact *artifact);
/* The strings; some may be there when it answers false, which is for lack of memory. */
bool row_read_strings(sqlite3_stmt *row, store_artifact *artifact);

#endif
