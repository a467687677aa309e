/* store_postgres_row.c - see store_postgres_row.h. */
#include "store_postgres_row.h"
#include "store_postgres_sql.h"

#include <string.h>

void pg_row_numbers(const PGresult *r, int row, store_artifact *a) {
    (void)pg_bytes(r, row, PG_COL_ID, a->id, sizeof a->id);
    a->expires_at_ms = pg_number(r, row, PG_COL_EXPIRES_AT);
    a->last_viewed_at_ms = pg_number(r, row, PG_COL_LAST_VIEWED_AT);
    a->ttl_ms = pg_number(r, row, PG_COL_TTL);
    a->sliding = pg_bool(r, row, PG_COL_SLIDING);
    a->views = pg_number(r, row, PG_COL_VIEWS);
    a->max_views = pg_number(r, row, PG_COL_MAX_VIEWS);
    a->views_left = pg_number(r, row, PG_COL_VIEWS_LEFT);
    a->created_at_ms = pg_number(r, row, PG_COL_CREATED_AT);
    a->updated_at_ms = pg_number(r, row, PG_COL_UPDATED_AT);
    a->has_edit_key =
        pg_bytes(r, row, PG_COL_EDIT_KEY_HASH, a->edit_key_hash, sizeof a->edit_key_hash);
    a->has_maker = pg_bytes(r, row, PG_COL_MAKER, a->maker, sizeof a->maker);
    memset(a->asset_set, 0, sizeof a->asset_set);
    (void)pg_bytes(r, row, PG_COL_SET, (uint8_t *)a->asset_set, STORE_SET_CHARS);
}

bool pg_row_strings(const PGresult *r, int row, store_artifact *a) {
    return (PQnfields(r) <= PG_COL_PAYLOAD ||
            pg_copy(r, row, PG_COL_PAYLOAD, &a->payload, &a->payload_len)) &&
           pg_copy(r, row, PG_COL_CODEC, &a->codec, NULL) &&
           pg_copy(r, row, PG_COL_KIND, &a->kind, NULL) &&
           pg_copy(r, row, PG_COL_TITLE, &a->title, NULL) &&
           pg_copy(r, row, PG_COL_LABEL, &a->label, NULL);
}
