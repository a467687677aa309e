/* store_table.c - see store_table.h: what is the same for every engine. */
#include "store_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N VALUE_NUMBER
#define B VALUE_BYTES
#define T VALUE_TEXT

/* The columns' names stand in the engines' statements, in this order. */
const table_shape table_shapes[TABLES] = {
    /* id, created_at, updated_at, edit_key_hash, maker, codec, kind, title, payload, expires_at,
       last_viewed_at, ttl, views, max_views, views_left, sliding, asset_set, label */
    [TABLE_LINKS] = {"links",
                     18,
                     1,
                     STORE_ID_BYTES,
                     0,
                     {B, N, N, B, B, T, T, T, T, N, N, N, N, N, N, VALUE_BOOL, T, T}},
    /* scope, body_hash, status, at, response */
    [TABLE_RECORDS] = {"records", 5, 1, STORE_HASH_BYTES, 0, {B, B, N, N, B}},
    /* id, at */
    [TABLE_GONE] = {"gone", 2, 1, STORE_ID_BYTES, 0, {B, N}},
    /* space, key, owner, version, place, expires_at, value */
    [TABLE_NOTES] = {"notes", 7, 2, STORE_HASH_BYTES, 4, {N, B, B, N, N, N, B}},
};

static bool has_bytes(value_kind kind) {
    return kind == VALUE_BYTES || kind == VALUE_TEXT;
}

/* ---- rows ---- */

bool table_page_add(table_page *page, table_name table, const table_value *values) {
    const table_shape *shape = &table_shapes[table];
    size_t size = sizeof(table_row) + 1;
    for (size_t i = 0; i < shape->columns; i++) {
        size += values[i].there && has_bytes(shape->kinds[i]) ? values[i].len : 0;
    }
    table_row *row = malloc(size);
    if (row == NULL) {
        return false;
    }
    uint8_t *to = (uint8_t *)(row + 1);
    for (size_t i = 0; i < shape->columns; i++) {
        row->values[i] = values[i];
        if (values[i].there && has_bytes(shape->kinds[i])) {
            if (values[i].len > 0) {
                memcpy(to, values[i].bytes, values[i].len);
            }
            row->values[i].bytes = to;
            to += values[i].len;
        }
    }
    page->rows[page->count++] = row;
    return true;
}

void table_page_clear(table_page *page) {
    for (size_t i = 0; i < page->count; i++) {
        free(page->rows[i]);
    }
    page->count = 0;
}

int table_compare_keys(table_name table, const table_row *a, const table_row *b) {
    const table_shape *shape = &table_shapes[table];
    if (shape->keys > 1 && a->values[0].number != b->values[0].number) {
        return a->values[0].number < b->values[0].number ? -1 : 1;
    }
    size_t i = shape->keys - 1;
    return memcmp(a->values[i].bytes, b->values[i].bytes, shape->key_bytes);
}

static bool same_value(value_kind kind, const table_value *a, const table_value *b) {
    if (!a->there || !b->there) {
        return a->there == b->there;
    }
    return has_bytes(kind)
               ? a->len == b->len && (a->len == 0 || memcmp(a->bytes, b->bytes, a->len) == 0)
               : a->number == b->number;
}

bool table_same(table_name table, const table_row *a, const table_row *b) {
    const table_shape *shape = &table_shapes[table];
    for (size_t i = 0; i < shape->columns; i++) {
        bool counts = shape->place == 0 || i != shape->place;
        if (counts && !same_value(shape->kinds[i], &a->values[i], &b->values[i])) {
            return false;
        }
    }
    return true;
}

void table_from_begin(table_from *from) {
    *from = (table_from){0};
}

void table_from_behind(table_from *from, table_name table, const table_row *row) {
    const table_shape *shape = &table_shapes[table];
    const table_value *key = &row->values[shape->keys - 1];
    size_t i = shape->key_bytes;
    from->number = shape->keys > 1 ? row->values[0].number : 0;
    memcpy(from->bytes, key->bytes, shape->key_bytes);
    while (i > 0 && ++from->bytes[i - 1] == 0) {
        i--; /* a carry */
    }
    if (i == 0) {
        from->end = shape->keys == 1 || from->number == INT64_MAX;
        from->number += from->end ? 0 : 1;
    }
}

/* ---- engines ---- */

store_tables *tables_open(const store_options *options, bool into, char *why, size_t why_size) {
    store_options completed = *options;
    const store_engine *engine = store_complete(&completed, why, why_size);
    return engine == NULL ? NULL : engine->tables->open(&completed, into, why, why_size);
}

void tables_close(store_tables *tables) {
    if (tables != NULL) {
        tables->engine->close(tables);
    }
}

const char *tables_place(const store_tables *tables) {
    return tables->engine->place(tables);
}

bool tables_count(store_tables *tables, table_name table, uint64_t *rows) {
    return tables->engine->count(tables, table, rows);
}

/* A key of another size than all have would upset the order that everything rests on. */
static bool keys_are_whole(store_tables *tables, table_name table, const table_page *page) {
    const table_shape *shape = &table_shapes[table];
    for (size_t i = 0; i < page->count; i++) {
        const table_value *key = &page->rows[i]->values[shape->keys - 1];
        if (!key->there || key->len != shape->key_bytes) {
            snprintf(tables->why, sizeof tables->why,
                     "database %s: a key in %s has not %zu bytes: see \"arxd check\"",
                     tables_place(tables), shape->name, shape->key_bytes);
            return false;
        }
    }
    return true;
}

bool tables_page(store_tables *tables, table_name table, const table_from *from, table_page *page) {
    table_page_clear(page);
    return from->end ||
           (tables->engine->page(tables, table, from, page) && keys_are_whole(tables, table, page));
}

bool tables_change(store_tables *tables, table_name table, const table_change *changes,
                   size_t count) {
    return count == 0 || tables->engine->change(tables, table, changes, count);
}

bool tables_finish(store_tables *tables) {
    return tables->engine->finish(tables);
}
