/*
 * store_postgres_table.c - store_table.h over PostgreSQL: which statements and which of a row's
 * values go with each, and the marks of a copy, which are rows of `duties`.
 *
 * One connection in pipeline mode for rows; one outside it for what is asked alone.
 */
#include "store_postgres.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_MS 60000 /* for a page or a transaction: a database that is slow is waited for */

#define COPYING "'copying'"
#define COPIED  "'copied'"

typedef struct pg_insert {
    pg_statement statement;
    int first; /* the key, then values from here on; 0: all there are */
    int end;   /* before this */
} pg_insert;

/* A count of 0 in `end` ends a list; so does PG_BEGIN, which removes nothing. */
static const struct {
    const char *counted;
    pg_statement page;
    pg_statement removes[2];
    bool by_array; /* one statement for all keys, else one a row */
    pg_type key;
    pg_insert inserts[2];
} SHAPES[TABLES] = {
    [TABLE_LINKS] = {"SELECT count(*) FROM artifacts",
                     PG_TABLE_LINKS,
                     {PG_REMOVE_LIFETIMES, PG_REMOVE_ARTIFACTS},
                     true,
                     PG_UUID,
                     {{PG_ADD_ARTIFACT, 1, 9}, {PG_ADD_LIFETIME, 9, 18}}},
    [TABLE_RECORDS] = {"SELECT count(*) FROM idempotency",
                       PG_TABLE_RECORDS,
                       {PG_REMOVE_RECORDS, PG_BEGIN},
                       true,
                       PG_BYTEA,
                       {{PG_ADD_RECORD, 1, 5}}},
    [TABLE_GONE] = {"SELECT count(*) FROM gone",
                    PG_TABLE_GONE,
                    {PG_REMOVE_GONE, PG_BEGIN},
                    true,
                    PG_UUID,
                    {{PG_ADD_GONE, 1, 2}}},
    [TABLE_NOTES] = {"SELECT count(*) FROM notes",
                     PG_TABLE_NOTES,
                     {PG_REMOVE_NOTE, PG_BEGIN},
                     false,
                     PG_BYTEA,
                     {{PG_ADD_NOTE, 1, 7}}},
};

typedef struct pg_tables {
    store_tables base;
    pg_store *self;
    pg_link alone;
    pg_link link;
} pg_tables;

static bool broken(pg_tables *t, const pg_link *link, const char *doing) {
    snprintf(t->base.why, sizeof t->base.why, "database %s: cannot %s: %s", t->self->place, doing,
             link->words);
    return false;
}

/* ---- reading ---- */

static bool count_rows(store_tables *base, table_name table, uint64_t *rows) {
    pg_tables *t = (pg_tables *)base;
    PGresult *result = pg_alone(&t->alone, SHAPES[table].counted);
    if (result == NULL) {
        return broken(t, &t->alone, "count its rows");
    }
    *rows = strtoull(PQgetvalue(result, 0, 0), NULL, 10);
    PQclear(result);
    return true;
}

static void take(const PGresult *result, int row, int column, value_kind kind, table_value *value) {
    *value = (table_value){.there = !PQgetisnull(result, row, column)};
    if (kind == VALUE_NUMBER || kind == VALUE_BOOL) {
        value->number = pg_number(result, row, column);
    } else {
        value->bytes = PQgetvalue(result, row, column);
        value->len = (size_t)PQgetlength(result, row, column);
    }
}

static bool read_page(store_tables *base, table_name table, const table_from *from,
                      table_page *page) {
    pg_tables *t = (pg_tables *)base;
    const table_shape *shape = &table_shapes[table];
    pg_args args = {0};
    if (shape->keys > 1) {
        pg_arg_number(&args, from->number);
    }
    pg_arg_bytes(&args, from->bytes, shape->key_bytes);
    pg_arg_number(&args, TABLE_PAGE_ROWS);
    bool kept = true;
    PGresult *result = pg_send(&t->link, SHAPES[table].page, &args) && pg_sync(&t->link)
                           ? pg_next(&t->link)
                           : NULL;
    bool whole = pg_settle(&t->link) == PG_DONE && result != NULL;
    for (int row = 0; whole && kept && row < PQntuples(result); row++) {
        table_value values[TABLE_COLUMNS];
        for (size_t i = 0; i < shape->columns; i++) {
            take(result, row, (int)i, shape->kinds[i], &values[i]);
        }
        kept = table_page_add(page, table, values);
    }
    PQclear(result);
    if (!kept) {
        snprintf(base->why, sizeof base->why, "database %s: out of memory", t->self->place);
    }
    return kept && (whole || broken(t, &t->link, "read its rows"));
}

/* ---- writing ---- */

static void add_value(pg_args *args, value_kind kind, const table_value *value) {
    if (!value->there) {
        pg_arg_null(args);
    } else if (kind == VALUE_NUMBER) {
        pg_arg_number(args, value->number);
    } else if (kind == VALUE_BOOL) {
        pg_arg_bool(args, value->number != 0);
    } else {
        pg_arg_bytes(args, value->bytes, value->len);
    }
}

/* The row's values from `first` to before `end`, behind the first of its key. */
static bool send_row(pg_tables *t, table_name table, pg_statement statement, const table_row *row,
                     size_t first, size_t end) {
    const table_shape *shape = &table_shapes[table];
    pg_args args = {0};
    add_value(&args, shape->kinds[0], &row->values[0]);
    for (size_t i = first; i < end; i++) {
        add_value(&args, shape->kinds[i], &row->values[i]);
    }
    return pg_send(&t->link, statement, &args);
}

static bool send_keys(pg_tables *t, table_name table, pg_statement statement,
                      const table_change *changes, size_t count) {
    uint8_t room[PG_ARRAY_BYTES(TABLE_CHANGES, STORE_HASH_BYTES)];
    const table_shape *shape = &table_shapes[table];
    pg_array keys;
    pg_args args = {0};
    pg_array_begin(&keys, room, SHAPES[table].key);
    for (size_t i = 0; i < count; i++) {
        if (changes[i].act != TABLE_ADD) {
            pg_array_add(&keys, changes[i].row->values[0].bytes, shape->key_bytes);
        }
    }
    pg_arg_array(&args, &keys);
    return keys.count == 0 || pg_send(&t->link, statement, &args);
}

static bool send_removes(pg_tables *t, table_name table, const table_change *changes,
                         size_t count) {
    bool sent = true;
    for (size_t k = 0; sent && k < 2 && SHAPES[table].removes[k] != PG_BEGIN; k++) {
        pg_statement statement = SHAPES[table].removes[k];
        if (SHAPES[table].by_array) {
            sent = send_keys(t, table, statement, changes, count);
            continue;
        }
        for (size_t i = 0; sent && i < count; i++) {
            sent = changes[i].act == TABLE_ADD ||
                   send_row(t, table, statement, changes[i].row, 1, table_shapes[table].keys);
        }
    }
    return sent;
}

static bool send_adds(pg_tables *t, table_name table, const table_change *change) {
    bool sent = true;
    for (size_t k = 0; sent && k < 2 && SHAPES[table].inserts[k].end > 0; k++) {
        const pg_insert *insert = &SHAPES[table].inserts[k];
        sent = send_row(t, table, insert->statement, change->row, (size_t)insert->first,
                        (size_t)insert->end);
    }
    return sent;
}

static bool change_rows(store_tables *base, table_name table, const table_change *changes,
                        size_t count) {
    pg_tables *t = (pg_tables *)base;
    bool sent = pg_send(&t->link, PG_BEGIN, NULL) && send_removes(t, table, changes, count);
    for (size_t i = 0; sent && i < count; i++) {
        sent = changes[i].act == TABLE_REMOVE || send_adds(t, table, &changes[i]);
    }
    sent = sent && pg_send(&t->link, PG_COMMIT, NULL) && pg_sync(&t->link);
    return (sent && pg_settle(&t->link) == PG_DONE) || broken(t, &t->link, "write rows");
}

/* ---- marks ---- */

/* Runs it; `yes`: was its first column true? Unless it is NULL. */
static bool ask(pg_tables *t, const char *sql, bool *yes) {
    PGresult *result = pg_alone(&t->alone, sql);
    if (result == NULL) {
        return broken(t, &t->alone, "mark it");
    }
    if (yes != NULL) {
        *yes = strcmp(PQgetvalue(result, 0, 0), "t") == 0;
    }
    PQclear(result);
    return true;
}

static bool mark_copying(pg_tables *t) {
    bool marked = false;
    bool links = false;
    if (!ask(t,
             "SELECT EXISTS (SELECT 1 FROM duties WHERE name = " COPYING " OR name = " COPIED ")",
             &marked) ||
        !ask(t, "SELECT EXISTS (SELECT 1 FROM artifacts)", &links)) {
        return false;
    }
    if (links && !marked) {
        snprintf(t->base.why, sizeof t->base.why,
                 "database %s holds links of its own, which a copy would remove: name one that is "
                 "empty",
                 t->self->place);
        return false;
    }
    return ask(t, "INSERT INTO duties (name) VALUES (" COPYING ") ON CONFLICT (name) DO NOTHING",
               NULL) &&
           ask(t, "DELETE FROM duties WHERE name = " COPIED, NULL);
}

/* The mark that forbids goes last. */
static bool finish(store_tables *base) {
    pg_tables *t = (pg_tables *)base;
    return ask(t, "INSERT INTO duties (name) VALUES (" COPIED ") ON CONFLICT (name) DO NOTHING",
               NULL) &&
           ask(t, "DELETE FROM duties WHERE name = " COPYING, NULL);
}

bool pg_tables_serve(pg_store *self, pg_link *link, char *why, size_t why_size) {
    pg_tables t = {.self = self, .alone = *link};
    bool copying = false;
    bool well = ask(&t, "SELECT EXISTS (SELECT 1 FROM duties WHERE name = " COPYING ")", &copying);
    if (well && copying) {
        snprintf(t.base.why, sizeof t.base.why,
                 "database %s: the copy into it has not ended: run \"arxd copy\" once more",
                 self->place);
    }
    well = well && !copying && ask(&t, "DELETE FROM duties WHERE name = " COPIED, NULL);
    *link = t.alone;
    if (!well) {
        snprintf(why, why_size, "%s", t.base.why);
    }
    return well;
}

/* ---- opening and closing ---- */

static const char *place_of(const store_tables *base) {
    return ((const pg_tables *)base)->self->place;
}

static void close_tables(store_tables *base) {
    pg_tables *t = (pg_tables *)base;
    pg_link_close(&t->link);
    pg_link_close(&t->alone);
    if (t->self != NULL) {
        pg_store_free(t->self);
    }
    free(t);
}

static bool connect(pg_tables *t, bool into, char *why, size_t why_size) {
    if (pg_store_reach(t->self, &t->alone, why, why_size) != PG_DONE ||
        !pg_schema_prepare(t->self, &t->alone, !into, why, why_size)) {
        return false;
    }
    bool copying = false;
    t->self->options.busy_timeout_ms = ANSWER_MS;
    t->link.self = t->self;
    if (!ask(t, "SET statement_timeout TO 0", NULL) ||
        (into ? !mark_copying(t)
              : !ask(t, "SELECT EXISTS (SELECT 1 FROM duties WHERE name = " COPYING ")",
                     &copying))) {
        snprintf(why, why_size, "%s", t->base.why);
    } else if (copying) {
        snprintf(why, why_size,
                 "database %s: the copy into it has not ended: run \"arxd copy\" once more",
                 t->self->place);
    } else if (pg_link_open(&t->link, PG_TABLE_FIRST, PG_TABLE_END) != PG_DONE) {
        snprintf(why, why_size, "database %s cannot be reached: %s", t->self->place, t->link.words);
    } else {
        return true;
    }
    return false;
}

static store_tables *open_tables(const store_options *options, bool into, char *why,
                                 size_t why_size) {
    pg_tables *t = calloc(1, sizeof *t);
    if (t == NULL) {
        snprintf(why, why_size, "database: out of memory");
        return NULL;
    }
    t->base.engine = &pg_tables_engine;
    t->self = pg_store_create(options, why, why_size);
    if (t->self != NULL && connect(t, into, why, why_size)) {
        return &t->base;
    }
    close_tables(&t->base);
    return NULL;
}

const tables_engine pg_tables_engine = {
    .open = open_tables,
    .close = close_tables,
    .place = place_of,
    .count = count_rows,
    .page = read_page,
    .change = change_rows,
    .finish = finish,
};
