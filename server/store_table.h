/*
 * store_table.h - everything a database holds as plain rows in the order of their keys, the same
 * for every engine. It is what `arxd copy` moves and compares; operations on links are store.h's.
 *
 * A database is open for reading, also beside a daemon that has it: each page is then as of its own
 * moment, and nothing is held up. Or it is open to be copied into: then it belongs to the copy, and
 * no daemon starts on it until the copy has ended well.
 *
 *     without links --tables_open(…, true)--> COPYING --tables_finish()--> COPIED --a daemon-->
 * served
 *                                                <--tables_open(…, true)---
 *
 * One thread. Every call blocks. What fails leaves one line in `why`, and the handle to be closed.
 */
#ifndef ARXD_STORE_TABLE_H
#define ARXD_STORE_TABLE_H

#include "store.h"

typedef enum table_name {
    TABLE_LINKS,   /* artifacts and lifetimes, which are one row here */
    TABLE_RECORDS, /* what requests were answered */
    TABLE_GONE,
    TABLE_NOTES,
    TABLES
} table_name;

typedef enum value_kind { VALUE_NUMBER, VALUE_BOOL, VALUE_BYTES, VALUE_TEXT } value_kind;

#define TABLE_COLUMNS   18
#define TABLE_PAGE_ROWS 64

typedef struct table_shape {
    const char *name;
    size_t columns;
    size_t keys; /* the first of them are its key: one that is bytes, with or without a number */
    size_t key_bytes; /* before it. All keys have so many. */
    /*
     * The place in the order that lists have, carried over but not compared; 0: there is none. Two
     * rows may share one where several nodes write, and not where there is one writer: then the
     * second goes right behind the first. A note's version tells it from any other.
     */
    size_t place;
    value_kind kinds[TABLE_COLUMNS];
} table_shape;

extern const table_shape table_shapes[TABLES];

typedef struct table_value {
    bool there; /* else SQL's NULL */
    int64_t number;
    const void *bytes; /* not NULL where `there`; borrowed */
    size_t len;
} table_value;

/* One allocation with all its bytes. */
typedef struct table_row {
    table_value values[TABLE_COLUMNS];
} table_row;

typedef struct table_page {
    table_row *rows[TABLE_PAGE_ROWS];
    size_t count;
} table_page;

/* Adds a copy of the row's values. False without memory. At most TABLE_PAGE_ROWS. */
bool table_page_add(table_page *page, table_name table, const table_value *values);
void table_page_clear(table_page *page);

/* memcmp()'s sign for the order of the two rows' keys. */
int table_compare_keys(table_name table, const table_row *a, const table_row *b);
bool table_same(table_name table, const table_row *a, const table_row *b);

/* Where a page begins: the least key there can be, or the next behind a row's. */
typedef struct table_from {
    int64_t number;
    uint8_t bytes[STORE_HASH_BYTES];
    bool end; /* there is no key behind that row's */
} table_from;
void table_from_begin(table_from *from);
void table_from_behind(table_from *from, table_name table, const table_row *row);

typedef enum table_act { TABLE_ADD, TABLE_REPLACE, TABLE_REMOVE } table_act;
typedef struct table_change {
    table_act act;
    const table_row *row; /* the new one; for TABLE_REMOVE that which is there */
} table_change;

#define TABLE_CHANGES ((size_t)2 * TABLE_PAGE_ROWS)

struct tables_engine;
typedef struct store_tables {
    const struct tables_engine *engine;
    char why[768];
} store_tables;

/* options: path alone counts. NULL with one line in `why`. Caller: tables_close(). */
store_tables *tables_open(const store_options *options, bool into, char *why, size_t why_size);
void tables_close(store_tables *tables);

/* What messages call it; it holds no password. */
const char *tables_place(const store_tables *tables);
bool tables_count(store_tables *tables, table_name table, uint64_t *rows);
/* Rows whose key is not below `from`; fewer than TABLE_PAGE_ROWS: these are the last. */
bool tables_page(store_tables *tables, table_name table, const table_from *from, table_page *page);
/* All of them, durably, or none. At most TABLE_CHANGES. */
bool tables_change(store_tables *tables, table_name table, const table_change *changes,
                   size_t count);
/* The copy is whole: a daemon may have it. */
bool tables_finish(store_tables *tables);

#endif
