/* store_postgres_args.c - see store_postgres_args.h. */
#include "store_postgres_args.h"
#include "store_internal.h"

#include <string.h>

static void put32(uint8_t *to, uint32_t value) {
    for (int i = 0; i < 4; i++) {
        to[i] = (uint8_t)(value >> (24 - 8 * i));
    }
}

void pg_arg_number(pg_args *args, int64_t value) {
    uint8_t *to = args->numbers[args->count];
    put32(to, (uint32_t)((uint64_t)value >> 32));
    put32(to + 4, (uint32_t)value);
    pg_arg_bytes(args, to, 8);
}

void pg_arg_bool(pg_args *args, bool value) {
    args->numbers[args->count][0] = value;
    pg_arg_bytes(args, args->numbers[args->count], 1);
}

void pg_arg_bytes(pg_args *args, const void *bytes, size_t len) {
    args->values[args->count] = bytes == NULL ? "" : bytes;
    args->lengths[args->count] = (int)len; /* the largest value there is has a few MiB */
    args->count++;
}

void pg_arg_null(pg_args *args) {
    args->values[args->count] = NULL;
    args->lengths[args->count] = 0;
    args->count++;
}

void pg_arg_text(pg_args *args, const char *text) {
    if (text == NULL) {
        pg_arg_null(args);
    } else {
        pg_arg_bytes(args, text, strlen(text));
    }
}

/* Header: dimensions, whether there are NULLs, the type; then per dimension count, first index. */
void pg_array_begin(pg_array *array, uint8_t *room, pg_type type) {
    *array = (pg_array){.room = room, .len = 20, .type = type};
}

void pg_array_add(pg_array *array, const void *bytes, size_t size) {
    put32(array->room + array->len, (uint32_t)size);
    memcpy(array->room + array->len + 4, bytes, size);
    array->len += 4 + size;
    array->count++;
}

void pg_arg_array(pg_args *args, pg_array *array) {
    put32(array->room, array->count > 0);
    put32(array->room + 4, 0);
    put32(array->room + 8, (uint32_t)array->type);
    put32(array->room + 12, (uint32_t)array->count);
    put32(array->room + 16, 1);
    /* An empty array has no dimension, hence ends behind the type. */
    pg_arg_bytes(args, array->room, array->count > 0 ? array->len : 12);
}

/* ---- results ---- */

int64_t pg_number(const PGresult *result, int row, int column) {
    uint64_t value = 0;
    const char *bytes = PQgetvalue(result, row, column);
    for (int i = 0; i < PQgetlength(result, row, column); i++) {
        value = value << 8 | (uint8_t)bytes[i];
    }
    return (int64_t)value;
}

bool pg_bool(const PGresult *result, int row, int column) {
    return pg_number(result, row, column) != 0;
}

bool pg_bytes(const PGresult *result, int row, int column, uint8_t *bytes, size_t size) {
    bool fits =
        !PQgetisnull(result, row, column) && (size_t)PQgetlength(result, row, column) == size;
    if (fits) {
        memcpy(bytes, PQgetvalue(result, row, column), size);
    }
    return fits;
}

bool pg_copy(const PGresult *result, int row, int column, char **text, size_t *len) {
    if (PQgetisnull(result, row, column)) {
        return true;
    }
    size_t count = (size_t)PQgetlength(result, row, column);
    *text = store_copy(PQgetvalue(result, row, column), count);
    if (*text != NULL && len != NULL) {
        *len = count;
    }
    return *text != NULL;
}
