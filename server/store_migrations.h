/*
 * store_migrations.h - the numbered SQL files of sql/, compiled in by sql/embed.sh.
 *
 * Element i takes a database from version i to version i + 1. Each is run by its engine inside one
 * transaction and therefore has neither BEGIN nor COMMIT.
 */
#ifndef ARXD_STORE_MIGRATIONS_H
#define ARXD_STORE_MIGRATIONS_H

#include <stddef.h>

extern const char *const migrations_sqlite[];
extern const size_t migrations_sqlite_count;
extern const char *const migrations_postgres[];
extern const size_t migrations_postgres_count;

#endif
