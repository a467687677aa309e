/*
 * store_postgres_args.h - values on their way to PostgreSQL and back, in its binary forms: integers
 * big-endian, a uuid its 16 bytes, bytea and text as they are, arrays with a header.
 * Source: PostgreSQL's protocol and the send and receive functions of these types. Pure.
 */
#ifndef ARXD_STORE_POSTGRES_ARGS_H
#define ARXD_STORE_POSTGRES_ARGS_H

#include <postgresql/libpq-fe.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PG_ARGS_MAX 16

/* One statement's parameters. Bytes are borrowed until it was sent; numbers are held here. */
typedef struct pg_args {
    int count;
    const char *values[PG_ARGS_MAX]; /* NULL: SQL's NULL */
    int lengths[PG_ARGS_MAX];
    uint8_t numbers[PG_ARGS_MAX][8];
} pg_args;

void pg_arg_number(pg_args *args, int64_t value);
void pg_arg_bool(pg_args *args, bool value);
/* bytes may be NULL if len is 0: an empty value. */
void pg_arg_bytes(pg_args *args, const void *bytes, size_t len);
void pg_arg_null(pg_args *args);
/* NUL-terminated; NULL is SQL's NULL. For text and for bytea. */
void pg_arg_text(pg_args *args, const char *text);

/*
 * An array of values that all have `size` bytes: uuid[] or bytea[], say. `room` is where it is
 * built: PG_ARRAY_BYTES(count, size) of it.
 */
#define PG_ARRAY_BYTES(count, size) (20 + (size_t)(count) * (4 + (size_t)(size)))
typedef enum pg_type {
    PG_BOOL = 16,
    PG_BYTEA = 17,
    PG_INT8 = 20,
    PG_TEXT = 25,
    PG_UUID = 2950
} pg_type;
typedef struct pg_array {
    uint8_t *room;
    size_t len;
    size_t count;
    pg_type type;
} pg_array;
void pg_array_begin(pg_array *array, uint8_t *room, pg_type type);
void pg_array_add(pg_array *array, const void *bytes, size_t size);
void pg_arg_array(pg_args *args, pg_array *array);

/* ---- results, all columns binary ---- */

int64_t pg_number(const PGresult *result, int row, int column);
bool pg_bool(const PGresult *result, int row, int column);
/* False if there is a NULL or another number of bytes. */
bool pg_bytes(const PGresult *result, int row, int column, uint8_t *bytes, size_t size);
/* A NUL-terminated copy, NULL for SQL's NULL; len may be NULL. False without memory. */
bool pg_copy(const PGresult *result, int row, int column, char **text, size_t *len);

#endif
