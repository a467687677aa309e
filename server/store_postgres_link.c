/*
 * store_postgres_link.c - see store_postgres_link.h.
 *
 * libpq runs without blocking: while sending, what the server says meanwhile is read too, or both
 * sides would wait for each other.
 */
#include "store_postgres.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECONNECT_MS   200
#define CONNECT_TIME_S "3"
#define GRACE_MS       2000 /* for an answer to come after the server gave up by itself */

/* What SQLSTATEs mean, by their beginning; the first that fits. */
static const struct {
    const char *state;
    pg_code code;
} STATES[] = {
    {"40003", PG_LOST},      /* statement_completion_unknown */
    {"40", PG_AGAIN},        /* serialization_failure, deadlock_detected */
    {"23505", PG_DUPLICATE}, /* unique_violation */
    {"57014", PG_BUSY},      /* query_canceled: statement_timeout */
    {"55P03", PG_BUSY},      /* lock_not_available */
    {"57", PG_LOST},         /* admin_shutdown, crash_shutdown, cannot_connect_now */
    {"08", PG_LOST},         /* connection exceptions */
    {"53300", PG_LOST},      /* too_many_connections */
    {"25006", PG_LOST},      /* read_only_sql_transaction: not the primary any more */
    {"25P03", PG_LOST},      /* idle_in_transaction_session_timeout */
    {"26000", PG_LOST},      /* prepared statements went: a pooler's other connection */
    {"0A000", PG_LOST},      /* cached plan must not change result type: tables did */
    {"53200", PG_BUSY},      /* out_of_memory, the server's */
    {"", PG_REFUSED},
};

static pg_code code_of(const char *state) {
    size_t i = 0;
    while (strncmp(state, STATES[i].state, strlen(STATES[i].state)) != 0) {
        i++; /* the last fits all */
    }
    return STATES[i].code;
}

/* Keeps the first line of what libpq says. */
static void keep_words(pg_link *link, const char *text, const char *state) {
    size_t len = strcspn(text, "\n");
    snprintf(link->words, sizeof link->words, "%.*s%s%s%s", len > 200 ? 200 : (int)len, text,
             state == NULL ? "" : " (SQLSTATE ", state == NULL ? "" : state,
             state == NULL ? "" : ")");
}

static void fail(pg_link *link, pg_code code) {
    if (link->failure == PG_DONE) {
        link->failure = code;
    }
}

/* The connection is of no use any more. */
static void lose(pg_link *link, const char *words) {
    keep_words(link, words, NULL);
    fail(link, PG_LOST);
    pg_link_close(link);
}

static void fail_by(pg_link *link, const PGresult *result) {
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    if (link->failure != PG_DONE) {
        return;
    }
    keep_words(link, PQresultErrorMessage(result), state);
    fail(link, state == NULL ? PG_LOST : code_of(state));
}

void pg_link_close(pg_link *link) {
    PQfinish(link->conn);
    link->conn = NULL;
}

void pg_link_look(pg_link *link) {
    if (link->conn != NULL &&
        (PQconsumeInput(link->conn) == 0 || PQstatus(link->conn) != CONNECTION_OK)) {
        pg_link_close(link);
    }
}

/* ---- connecting ---- */

/* libpq's messages about the server's notices would go to stderr. */
static void no_notice(void *opaque, const PGresult *result) {
    (void)opaque;
    (void)result;
}

PGresult *pg_alone(pg_link *link, const char *sql) {
    PGresult *result = PQexec(link->conn, sql);
    ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) {
        return result;
    }
    if (result == NULL || PQstatus(link->conn) != CONNECTION_OK) {
        lose(link, PQerrorMessage(link->conn));
    } else {
        fail_by(link, result);
    }
    PQclear(result);
    return NULL;
}

static bool set_up(pg_link *link) {
    char sql[256];
    /* Waiting for a lock ends by the server itself, which leaves the connection whole. */
    snprintf(sql, sizeof sql,
             "SET search_path TO " PG_SCHEMA "; SET statement_timeout TO %u; "
             "SET client_min_messages TO error",
             link->self->options.busy_timeout_ms);
    PGresult *result = pg_alone(link, sql);
    PQclear(result);
    return result != NULL;
}

static bool prepare(pg_link *link, pg_statement first, pg_statement end) {
    for (pg_statement i = first; i < end; i++) {
        const pg_sql *sql = &pg_statements[i];
        if (PQsendPrepare(link->conn, sql->name, sql->text, sql->count, sql->types) == 0) {
            lose(link, PQerrorMessage(link->conn));
            return false;
        }
    }
    bool well = pg_sync(link);
    for (pg_statement i = first; well && i < end; i++) {
        PGresult *result = pg_next(link);
        well = result != NULL;
        PQclear(result);
    }
    return pg_settle(link) == PG_DONE && well;
}

pg_code pg_link_open(pg_link *link, pg_statement first, pg_statement end) {
    static const char *const names[] = {"connect_timeout", "application_name", "dbname", NULL};
    if (link->conn != NULL) {
        return PG_DONE;
    }
    if (clock_monotonic_ms() < link->retry_at_ms) {
        return PG_LOST;
    }
    /* What the URL says comes last and wins. */
    const char *const values[] = {CONNECT_TIME_S, "arxd", link->self->url, NULL};
    link->failure = PG_DONE;
    link->conn = PQconnectdbParams(names, values, 1);
    if (link->conn == NULL) {
        return PG_NO_MEMORY;
    }
    if (PQstatus(link->conn) != CONNECTION_OK) {
        lose(link, PQerrorMessage(link->conn));
    } else {
        PQsetNoticeReceiver(link->conn, no_notice, NULL);
        if (set_up(link) && first < end &&
            (PQsetnonblocking(link->conn, 1) != 0 || PQenterPipelineMode(link->conn) == 0)) {
            lose(link, PQerrorMessage(link->conn));
        }
        if (link->failure == PG_DONE && first < end) {
            (void)prepare(link, first, end);
        }
    }
    if (link->failure != PG_DONE) {
        pg_link_close(link);
        link->retry_at_ms = clock_monotonic_ms() + RECONNECT_MS;
    }
    return link->failure;
}

/* ---- sending and waiting ---- */

bool pg_send(pg_link *link, pg_statement statement, const pg_args *args) {
    static const int binary[PG_ARGS_MAX] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const pg_args none;
    if (args == NULL) {
        args = &none;
    }
    if (link->conn != NULL &&
        PQsendQueryPrepared(link->conn, pg_statements[statement].name, args->count, args->values,
                            args->lengths, binary, 1) == 0) {
        lose(link, PQerrorMessage(link->conn));
    }
    return link->conn != NULL;
}

/* Waits for the socket. False: the link was lost, to the other side or to the clock. */
static bool wait_for(pg_link *link, short events) {
    for (;;) {
        int64_t left_ms = link->deadline_ms - clock_monotonic_ms();
        struct pollfd socket = {.fd = PQsocket(link->conn), .events = events};
        int ready = left_ms <= 0 ? 0 : poll(&socket, 1, (int)left_ms);
        if (ready > 0) {
            return true;
        }
        if (ready == 0) {
            lose(link, "no answer in time");
            return false;
        }
        if (errno != EINTR) {
            lose(link, strerror(errno));
            return false;
        }
    }
}

static bool read_some(pg_link *link) {
    if (PQconsumeInput(link->conn) == 0) {
        /* What the server said before it went is still to be had as a result. */
        keep_words(link, PQerrorMessage(link->conn), NULL);
    }
    return true;
}

static bool flush(pg_link *link) {
    for (;;) {
        int rest = PQflush(link->conn);
        if (rest == 0) {
            return true;
        }
        if (rest < 0) {
            lose(link, PQerrorMessage(link->conn));
            return false;
        }
        if (!wait_for(link, POLLIN | POLLOUT) || !read_some(link)) {
            return false;
        }
    }
}

bool pg_sync(pg_link *link) {
    if (link->conn == NULL) {
        return false;
    }
    link->failure = PG_DONE;
    link->deadline_ms = clock_monotonic_ms() + link->self->options.busy_timeout_ms + GRACE_MS;
    if (PQpipelineSync(link->conn) == 0) {
        lose(link, PQerrorMessage(link->conn));
        return false;
    }
    return flush(link);
}

/* One result, waited for. NULL: the end of a statement's results, or the link was lost. */
static PGresult *get(pg_link *link) {
    while (link->conn != NULL && PQisBusy(link->conn)) {
        if (PQstatus(link->conn) != CONNECTION_OK) {
            lose(link, PQerrorMessage(link->conn));
            return NULL;
        }
        if (!wait_for(link, POLLIN) || !read_some(link)) {
            return NULL;
        }
    }
    return link->conn == NULL ? NULL : PQgetResult(link->conn);
}

PGresult *pg_next(pg_link *link) {
    PGresult *result = get(link);
    if (result == NULL) {
        if (link->conn != NULL) {
            lose(link, PQerrorMessage(link->conn));
        }
        return NULL;
    }
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        if (status != PGRES_PIPELINE_ABORTED) {
            fail_by(link, result);
        }
        PQclear(result);
        result = NULL;
    }
    PQclear(get(link)); /* the NULL behind each statement's result */
    if (link->conn != NULL && link->failure == PG_LOST) {
        pg_link_close(link);
    }
    return result;
}

int64_t pg_changed(pg_link *link) {
    PGresult *result = pg_next(link);
    int64_t count = -1;
    if (result != NULL) {
        count = strtoll(PQcmdTuples(result), NULL, 10);
    }
    PQclear(result);
    return count;
}

pg_code pg_settle(pg_link *link) {
    unsigned nulls = 0;
    while (link->conn != NULL) {
        PGresult *result = get(link);
        ExecStatusType status = PQresultStatus(result);
        if (result == NULL && nulls++ > 0) {
            lose(link, "the connection ended");
        } else if (result != NULL) {
            nulls = 0;
            if (status == PGRES_FATAL_ERROR) {
                fail_by(link, result);
            }
        }
        PQclear(result);
        if (status == PGRES_PIPELINE_SYNC) {
            break;
        }
    }
    if (link->failure == PG_LOST) {
        pg_link_close(link);
    }
    return link->conn == NULL && link->failure == PG_DONE ? PG_LOST : link->failure;
}
