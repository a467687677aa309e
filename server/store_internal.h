/*
 * store_internal.h - what a database engine is to store.c.
 *
 * An engine is a row of functions; store.c picks one by the prefix of DB_PATH. Its state starts
 * with a struct store, so that one pointer serves both sides. Only store*.c include this.
 */
#ifndef ARXD_STORE_INTERNAL_H
#define ARXD_STORE_INTERNAL_H

#include "store_admin.h"
#include "store_table.h"

/* store_table.h's, which see. */
typedef struct tables_engine {
    store_tables *(*open)(const store_options *options, bool into, char *why, size_t why_size);
    void (*close)(store_tables *tables);
    const char *(*place)(const store_tables *tables);
    bool (*count)(store_tables *tables, table_name table, uint64_t *rows);
    bool (*page)(store_tables *tables, table_name table, const table_from *from, table_page *page);
    bool (*change)(store_tables *tables, table_name table, const table_change *changes,
                   size_t count);
    bool (*finish)(store_tables *tables);
} tables_engine;

typedef struct store_engine {
    const char *name;
    /* Options are complete: no zero or NULL is left in them. */
    store *(*open)(const store_options *options, char *why, size_t why_size);
    void (*close)(store *store);
    bool (*submit)(store *store, store_op *op);
    const char *(*describe)(const store *store);
    void (*look)(store *store, store_gauges *gauges); /* NULL: nothing to see */
    store_result (*asset_sets)(store *store,
                               void (*each)(void *opaque, const char *set, uint64_t rows),
                               void *opaque);
    store_result (*remove)(const store_options *options, const uint8_t id[STORE_ID_BYTES],
                           char *why, size_t why_size);
    bool keeps_quotas;
    /* store_admin.h's; NULL where the database has tools of its own for them, as `instead` says */
    store_result (*backup)(const store_options *options, const char *to,
                           bool (*go_on)(void *opaque), void *opaque, char *why, size_t why_size);
    store_result (*restore)(const store_options *options, const char *from, char *kept,
                            size_t kept_size, char *why, size_t why_size);
    store_result (*inspect)(const store_options *options, const store_inspector *inspector,
                            char *why, size_t why_size);
    store_result (*count)(const store_options *options,
                          void (*each)(void *opaque, const char *name, uint64_t number),
                          void *opaque, char *why, size_t why_size);
    const char *instead;
    const tables_engine *tables;
} store_engine;

struct store {
    const store_engine *engine;
};

extern const store_engine store_engine_sqlite;
extern const store_engine store_engine_postgres;

/* Fills in the options and finds the engine. NULL with one line in `why`. */
const store_engine *store_complete(store_options *options, char *why, size_t why_size);

/* A NUL-terminated copy of `len` bytes, or NULL without memory. Caller frees. */
char *store_copy(const void *bytes, size_t len);

/* a + b, held at the largest time there is (b >= 0). */
int64_t store_time_add(int64_t a, int64_t b);

#endif
