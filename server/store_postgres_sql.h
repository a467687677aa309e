/*
 * store_postgres_sql.h - every statement the PostgreSQL engine runs, but for those of migrations.
 *
 * A connection prepares the part of the table that its lane uses, once. Conditions on several keys
 * take an array, so that a round trip and one plan serve many operations. The statements keep to
 * what PostgreSQL, Citus, YugabyteDB and CockroachDB have in common; docs/scaling.md has the table
 * of features, and tests/checks/sql.sh compares.
 */
#ifndef ARXD_STORE_POSTGRES_SQL_H
#define ARXD_STORE_POSTGRES_SQL_H

#include <postgresql/libpq-fe.h>

/* The schema all tables are in, so that they may share a database with others. */
#define PG_SCHEMA "arxd"

typedef enum pg_statement {
    /* readers only */
    PG_READ_RECALL,
    PG_READ_PING,
    PG_READ_LIST,
    PG_READ_NOTE,
    PG_READ_NOTE_LIST,
    PG_READ_COUNTS,
    PG_READ_SIZES,
    /* both */
    PG_READ_WHOLE,
    PG_READ_GONE,
    /* the writer only */
    PG_BEGIN,
    PG_COMMIT,
    PG_ROLLBACK,
    PG_LOOK_RECORDS,
    PG_LOCK,
    PG_LOOK_BRIEF,
    PG_LOOK_NOTE,
    PG_INSERT_ARTIFACT,
    PG_INSERT_LIFETIME,
    PG_UPDATE_ARTIFACT,
    PG_UPDATE_TIME,
    PG_UPDATE_LIFETIME,
    PG_DESCRIBE,
    PG_DESCRIBE_SET,
    PG_VIEW,
    PG_TOUCH,
    PG_LOCK_EXPIRED,
    PG_REMOVE_LIFETIMES,
    PG_REMOVE_ARTIFACTS,
    PG_ADD_GONE,
    PG_DROP_RECORD,
    PG_ADD_RECORD,
    PG_ADD_NOTE,
    PG_UPDATE_NOTE,
    PG_REMOVE_NOTE,
    PG_CLEAN,
    PG_SWEEP_TURN,
    PG_SWEEP_EXPIRED,
    PG_SWEEP_RECORDS,
    PG_REMOVE_RECORDS,
    PG_SWEEP_GONE,
    PG_REMOVE_GONE,
    PG_SWEEP_NOTES,
    PG_REMOVE_OLD_NOTE,
    PG_PROBE,
    /* store_table.h's only, beside those of the writer */
    PG_TABLE_LINKS,
    PG_TABLE_RECORDS,
    PG_TABLE_GONE,
    PG_TABLE_NOTES,
    PG_ADD_ARTIFACT,
    PG_ADD_LIFETIME,
    PG_STATEMENTS
} pg_statement;

#define PG_READER_FIRST PG_READ_RECALL
#define PG_READER_END   PG_BEGIN
#define PG_WRITER_FIRST PG_READ_WHOLE
#define PG_WRITER_END   PG_TABLE_LINKS
#define PG_TABLE_FIRST  PG_BEGIN
#define PG_TABLE_END    PG_STATEMENTS

typedef struct pg_sql {
    const char *name; /* what it is prepared as */
    const char *text;
    int count; /* of parameters */
    const Oid *types;
} pg_sql;

extern const pg_sql pg_statements[PG_STATEMENTS];

/* Columns of PG_READ_WHOLE, PG_LOOK_BRIEF and PG_READ_LIST; the last two have no payload. */
enum {
    PG_COL_ID,
    PG_COL_EXPIRES_AT,
    PG_COL_LAST_VIEWED_AT,
    PG_COL_TTL,
    PG_COL_SLIDING,
    PG_COL_VIEWS,
    PG_COL_MAX_VIEWS,
    PG_COL_VIEWS_LEFT,
    PG_COL_CREATED_AT,
    PG_COL_UPDATED_AT,
    PG_COL_EDIT_KEY_HASH,
    PG_COL_MAKER,
    PG_COL_CODEC,
    PG_COL_KIND,
    PG_COL_TITLE,
    PG_COL_SET,
    PG_COL_LABEL,
    PG_COL_PAYLOAD,
};

#endif
