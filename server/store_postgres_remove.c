/*
 * store_postgres_remove.c - store_remove() and store_asset_sets(): what is done once, on the
 * caller's thread and over a connection of its own.
 */
#include "store_postgres_apply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What went wrong is told in `why`. */
static void no_report(const char *line) {
    (void)line;
}

static store_result delete_row(pg_store *self, pg_link *link, const uint8_t *id, char *why,
                               size_t why_size) {
    store_op op = {.kind = STORE_DELETE};
    pg_writer *w = calloc(1, sizeof *w);
    pg_code code = w == NULL ? PG_NO_MEMORY : pg_link_open(link, PG_WRITER_FIRST, PG_WRITER_END);
    bool doubtful = false;
    memcpy(op.artifact.id, id, STORE_ID_BYTES);
    if (code == PG_DONE) {
        w->self = self;
        w->link = link;
        pg_batch_add(w, &op);
        do {
            code = pg_batch_run(w, true, &doubtful);
        } while (code == PG_AGAIN);
        pg_batch_clear(w);
    }
    free(w);
    if (code == PG_DONE) {
        return op.result;
    }
    snprintf(why, why_size, "database %s: cannot delete: %s%s", self->place, link->words,
             code == PG_BUSY ? ": stop the program that holds it or try again" : "");
    return pg_store_failed(self, link, code, "delete");
}

store_result pg_store_remove(const store_options *options, const uint8_t id[STORE_ID_BYTES],
                             char *why, size_t why_size) {
    pg_link link = {0};
    store_options quiet = *options;
    quiet.report = no_report;
    pg_store *self = pg_store_create(&quiet, why, why_size);
    if (self == NULL) {
        return STORE_FAILED;
    }
    store_result result = STORE_FAILED;
    if (pg_store_reach(self, &link, why, why_size) == PG_DONE &&
        pg_schema_prepare(self, &link, true, why, why_size)) {
        pg_link_close(&link);
        result = delete_row(self, &link, id, why, why_size);
    }
    pg_link_close(&link);
    pg_store_free(self);
    return result;
}

store_result pg_store_asset_sets(store *base,
                                 void (*each)(void *opaque, const char *set, uint64_t rows),
                                 void *opaque) {
    pg_store *self = (pg_store *)base;
    pg_link link = {.self = self};
    char sql[192];
    PGresult *result = NULL;
    pg_code code = pg_link_open(&link, 0, 0);
    /* The whole table is counted: that may take longer than an operation may. */
    snprintf(sql, sizeof sql,
             "SET statement_timeout TO 0; SELECT asset_set, count(*) FROM lifetimes "
             "WHERE asset_set IS NOT NULL AND expires_at > %lld GROUP BY asset_set "
             "ORDER BY asset_set",
             (long long)self->options.now_ms());
    if (code == PG_DONE) {
        result = pg_alone(&link, sql);
        code = result == NULL ? link.failure : PG_DONE;
    }
    for (int row = 0; row < PQntuples(result); row++) {
        each(opaque, PQgetvalue(result, row, 0), strtoull(PQgetvalue(result, row, 1), NULL, 10));
    }
    PQclear(result);
    store_result said =
        code == PG_DONE ? STORE_OK : pg_store_failed(self, &link, code, "count asset sets");
    pg_link_close(&link);
    return said;
}
