/*
 * store_postgres_schema.c - tables, and bringing them up to date.
 *
 * Nodes that start at the same time take turns: the version stands in a table of one row, which is
 * held FOR UPDATE while migrations run. On engines that commit each change of the schema by itself
 * that row is no transaction around them; there migrations hold because they can be run again.
 */
#include "store_migrations.h"
#include "store_postgres.h"

#include <stdio.h>
#include <stdlib.h>

/* Two that create the same at once may both fail on PostgreSQL; the next try finds it there. */
#define TRIES 5

static const char *const FOUNDATION[] = {
    "CREATE SCHEMA IF NOT EXISTS " PG_SCHEMA,
    "CREATE TABLE IF NOT EXISTS schema_version (only_row bigint NOT NULL PRIMARY KEY, "
    "version bigint NOT NULL)",
    "INSERT INTO schema_version (only_row, version) VALUES (1, 0) ON CONFLICT (only_row) "
    "DO NOTHING",
};

static bool run(pg_link *link, const char *sql) {
    PGresult *result = pg_alone(link, sql);
    PQclear(result);
    return result != NULL;
}

static bool lay_foundation(pg_link *link) {
    for (size_t i = 0; i < sizeof FOUNDATION / sizeof FOUNDATION[0]; i++) {
        bool done = false;
        for (int tries = 0; !done && tries < TRIES && link->conn != NULL; tries++) {
            link->failure = PG_DONE;
            done = run(link, FOUNDATION[i]);
        }
        if (!done) {
            return false;
        }
    }
    return true;
}

/* -1: cannot be read. */
static int64_t read_version(pg_link *link, const char *sql) {
    PGresult *result = pg_alone(link, sql);
    int64_t version = -1;
    if (result != NULL && PQntuples(result) == 1) {
        version = strtoll(PQgetvalue(result, 0, 0), NULL, 10);
    }
    PQclear(result);
    return version;
}

static bool migrate(pg_link *link, int64_t from) {
    char sql[96];
    for (size_t i = (size_t)from; i < migrations_postgres_count; i++) {
        if (!run(link, migrations_postgres[i])) {
            return false;
        }
    }
    snprintf(sql, sizeof sql, "UPDATE schema_version SET version = %zu WHERE only_row = 1",
             migrations_postgres_count);
    return run(link, sql);
}

static bool broken(pg_store *self, pg_link *link, const char *what, char *why, size_t why_size) {
    snprintf(why, why_size, "database %s %s: %s", self->place, what, link->words);
    return false;
}

static bool is_known(pg_store *self, int64_t version, char *why, size_t why_size) {
    bool known = version <= (int64_t)migrations_postgres_count;
    if (!known) {
        snprintf(why, why_size,
                 "database %s was made by a newer arxd (version %lld, this one knows up to %zu): "
                 "run that one",
                 self->place, (long long)version, migrations_postgres_count);
    }
    return known;
}

static bool update(pg_store *self, pg_link *link, char *why, size_t why_size) {
    /* A large table's index takes longer than an operation may. */
    if (!run(link, "SET statement_timeout TO 0") || !lay_foundation(link)) {
        return broken(self, link, "cannot be set up", why, why_size);
    }
    link->failure = PG_DONE;
    if (!run(link, "BEGIN")) {
        return broken(self, link, "cannot be migrated", why, why_size);
    }
    int64_t version =
        read_version(link, "SELECT version FROM schema_version WHERE only_row = 1 FOR UPDATE");
    bool known = version >= 0 && is_known(self, version, why, why_size);
    bool done = known && (version == (int64_t)migrations_postgres_count || migrate(link, version));
    if (done && run(link, "COMMIT")) {
        return true;
    }
    if (version < 0 || known) {
        broken(self, link, "cannot be migrated", why, why_size);
    }
    if (link->conn != NULL) {
        link->failure = PG_DONE;
        (void)run(link, "ROLLBACK");
    }
    return false;
}

bool pg_schema_prepare(pg_store *self, pg_link *link, bool look, char *why, size_t why_size) {
    if (!look) {
        return update(self, link, why, why_size);
    }
    int64_t version = read_version(link, "SELECT version FROM schema_version WHERE only_row = 1");
    if (version != (int64_t)migrations_postgres_count) {
        snprintf(why, why_size,
                 "database %s is not one that this arxd runs on: name the daemon's own with --db, "
                 "or start arxd on it first",
                 self->place);
        return false;
    }
    return true;
}
