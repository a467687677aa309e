/* store_sqlite_row.c - see store_sqlite_row.h. */
#include "store_sqlite_row.h"
#include "store_internal.h"

#include <stdlib.h>
#include <string.h>

/* Columns of ROW_SELECT. */
enum {
    COL_ROW,
    COL_EXPIRES_AT,
    COL_LAST_VIEWED_AT,
    COL_TTL,
    COL_SLIDING,
    COL_VIEWS,
    COL_MAX_VIEWS,
    COL_VIEWS_LEFT,
    COL_CREATED_AT,
    COL_UPDATED_AT,
    COL_ID,
    COL_EDIT_KEY_HASH,
    COL_MAKER,
    COL_CODEC,
    COL_KIND,
    COL_TITLE,
    COL_SET,
    COL_LABEL,
    COL_PAYLOAD,
};

/* Copies a text column: NULL for SQL's NULL. False without memory. */
static bool copy_text(sqlite3_stmt *row, int column, char **text, size_t *len) {
    if (sqlite3_column_type(row, column) == SQLITE_NULL) {
        return true;
    }
    const unsigned char *bytes = sqlite3_column_text(row, column);
    size_t count = (size_t)sqlite3_column_bytes(row, column);
    if (bytes == NULL) {
        return false;
    }
    *text = store_copy(bytes, count);
    if (*text != NULL && len != NULL) {
        *len = count;
    }
    return *text != NULL;
}

/* Copies a blob of exactly `size` bytes. False if there is none. */
static bool copy_bytes(sqlite3_stmt *row, int column, uint8_t *bytes, size_t size) {
    const void *blob = sqlite3_column_blob(row, column);
    bool fits = blob != NULL && (size_t)sqlite3_column_bytes(row, column) == size;
    if (fits) {
        memcpy(bytes, blob, size);
    }
    return fits;
}

int64_t row_number(sqlite3_stmt *row) {
    return sqlite3_column_int64(row, COL_ROW);
}

void row_read_numbers(sqlite3_stmt *row, store_artifact *a) {
    a->expires_at_ms = sqlite3_column_int64(row, COL_EXPIRES_AT);
    a->last_viewed_at_ms = sqlite3_column_int64(row, COL_LAST_VIEWED_AT);
    a->ttl_ms = sqlite3_column_int64(row, COL_TTL);
    a->sliding = sqlite3_column_int(row, COL_SLIDING) != 0;
    a->views = sqlite3_column_int64(row, COL_VIEWS);
    a->max_views = sqlite3_column_int64(row, COL_MAX_VIEWS);
    a->views_left = sqlite3_column_int64(row, COL_VIEWS_LEFT);
    a->created_at_ms = sqlite3_column_int64(row, COL_CREATED_AT);
    a->updated_at_ms = sqlite3_column_int64(row, COL_UPDATED_AT);
    (void)copy_bytes(row, COL_ID, a->id, sizeof a->id);
    a->has_edit_key = copy_bytes(row, COL_EDIT_KEY_HASH, a->edit_key_hash, sizeof a->edit_key_hash);
    a->has_maker = copy_bytes(row, COL_MAKER, a->maker, sizeof a->maker);
}

bool row_read_strings(sqlite3_stmt *row, store_artifact *a) {
    char *set = NULL;
    if (!copy_text(row, COL_PAYLOAD, &a->payload, &a->payload_len) ||
        !copy_text(row, COL_CODEC, &a->codec, NULL) || !copy_text(row, COL_KIND, &a->kind, NULL) ||
        !copy_text(row, COL_TITLE, &a->title, NULL) ||
        !copy_text(row, COL_LABEL, &a->label, NULL) || !copy_text(row, COL_SET, &set, NULL)) {
        return false;
    }
    if (set != NULL && strlen(set) == STORE_SET_CHARS) {
        memcpy(a->asset_set, set, STORE_SET_CHARS);
    }
    free(set);
    return true;
}
