/*
 * store_postgres_link.h - one connection to PostgreSQL in pipeline mode, and what its errors mean.
 *
 *     CLOSED --pg_link_open()--> OPEN --a lost connection, a timeout--> CLOSED
 *
 * What is sent is answered in the same order. A lane sends a row of statements, marks their end by
 * pg_sync(), takes one result a statement by pg_next(), and then the mark's own by pg_settle().
 * After the first statement that fails, the server skips those up to the mark.
 *
 * One thread at a time. No call waits longer than the store's busy_timeout_ms and two seconds.
 */
#ifndef ARXD_STORE_POSTGRES_LINK_H
#define ARXD_STORE_POSTGRES_LINK_H

#include "store_postgres_args.h"
#include "store_postgres_sql.h"

struct pg_store;

/* How a statement or a connection ended. */
typedef enum pg_code {
    PG_DONE,
    PG_AGAIN,     /* another transaction was in the way: the same may work now */
    PG_DUPLICATE, /* a key is taken */
    PG_BUSY,      /* a lock or an answer did not come in time */
    PG_LOST,      /* the connection, or the server behind it */
    PG_REFUSED,   /* the database cannot or will not */
    PG_NO_MEMORY,
    PG_CODES
} pg_code;

typedef struct pg_link {
    struct pg_store *self;
    PGconn *conn;        /* NULL: CLOSED */
    int64_t retry_at_ms; /* CLOSED: not tried again before; monotonic */
    int64_t deadline_ms; /* OPEN: when what was sent must be answered */
    pg_code failure;     /* the first since the last pg_sync() */
    char words[256];     /* of the last failure: "ERROR: ...", with its SQLSTATE */
} pg_link;

/*
 * Connects, unless it is connected or was refused a moment ago. statements: of the table, those to
 * prepare, from `first` to before `end`; none: the connection is left out of pipeline mode. PG_LOST
 * or PG_REFUSED with `words`.
 */
pg_code pg_link_open(pg_link *link, pg_statement first, pg_statement end);
void pg_link_close(pg_link *link);
/* Has the server gone away while nothing was asked of it? Then the link is closed. */
void pg_link_look(pg_link *link);

/* Queues a statement. False: the link was lost. args may be NULL. */
bool pg_send(pg_link *link, pg_statement statement, const pg_args *args);
/* Ends a row of statements and gets it on its way. False likewise. */
bool pg_sync(pg_link *link);
/*
 * The next statement's result, or NULL if it failed or was skipped: then link->failure says why.
 * Caller: PQclear().
 */
PGresult *pg_next(pg_link *link);
/* pg_next() for a statement whose rows nobody wants: how many it changed, or -1. */
int64_t pg_changed(pg_link *link);
/* Takes what is left up to the mark. The first failure since pg_sync(), PG_DONE for none. */
pg_code pg_settle(pg_link *link);

/* A statement alone, outside pipeline mode. The result, or NULL. Caller: PQclear(). */
PGresult *pg_alone(pg_link *link, const char *sql);

#endif
