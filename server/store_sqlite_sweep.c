/*
 * store_sqlite_sweep.c - removing what is over, in steps short enough that what waits behind one
 * does not notice; see store_sqlite_apply.h.
 */
#include "store_sqlite_apply.h"
#include "store_sqlite_row.h"

/* A step: most rows looked at, most rows deleted, and the time after which it deletes no more. */
#define SWEEP_WALK   20000
#define SWEEP_DELETE 500
#define SWEEP_US     10000
/* Records and notes in one statement, between two looks at the clock. They may be large. */
#define SWEEP_RECORDS 10

/* The next expired rows behind s->row. SQLITE_ROW: stopped before the table's end. */
static int walk(writer *w, sweep *s, int64_t *rows, size_t *count) {
    sqlite3_stmt *lifetimes = w->statements[WRITE_SWEEP_WALK];
    sqlite3_bind_int64(lifetimes, 1, s->row);
    int code = SQLITE_ROW;
    for (size_t seen = 0; seen < SWEEP_WALK && *count < SWEEP_DELETE; seen++) {
        code = sqlite3_step(lifetimes);
        if (code != SQLITE_ROW) {
            break;
        }
        s->row = sqlite3_column_int64(lifetimes, 0);
        if (sqlite3_column_int64(lifetimes, 1) <= s->now_ms) {
            rows[(*count)++] = s->row;
        }
    }
    sqlite3_reset(lifetimes);
    return code;
}

static int step_rows(writer *w, sweep *s, int64_t timeout_ms) {
    int64_t rows[SWEEP_DELETE];
    size_t count = 0;
    size_t done = 0;
    int64_t from = s->row;
    uint64_t deleted = 0;
    int walked = walk(w, s, rows, &count);
    if (walked != SQLITE_ROW && walked != SQLITE_DONE) {
        return walked;
    }
    if (count > 0) {
        int code = writer_begin(w, timeout_ms);
        int64_t stop_us = clock_monotonic_us() + SWEEP_US;
        while (code == SQLITE_DONE && done < count &&
               (done == 0 || clock_monotonic_us() < stop_us)) {
            code = rows_remove_expired(w, rows[done++], s->now_ms + 1, &deleted);
        }
        if (code == SQLITE_DONE) {
            code = writer_run(w, WRITE_COMMIT);
        }
        if (code != SQLITE_DONE) {
            writer_rollback(w);
            s->row = from; /* so that a later step may try again */
            return code;
        }
    }
    s->deleted += deleted;
    if (done < count) {
        s->row = rows[done - 1];
    } else {
        s->walked = walked == SQLITE_DONE;
    }
    return SQLITE_ROW; /* the records are still to come */
}

static int delete_old(writer *w, write_statement statement, int64_t before_ms, int64_t stop_us) {
    sqlite3_bind_int64(w->statements[statement], 1, before_ms);
    sqlite3_bind_int(w->statements[statement], 2, SWEEP_RECORDS);
    int code;
    do {
        code = writer_run(w, statement);
    } while (code == SQLITE_DONE && sqlite3_changes(w->db) > 0 && clock_monotonic_us() < stop_us);
    return code;
}

/* What removes them, in the order of the columns that WRITE_SWEEP_OLD answers. */
static const write_statement OLD[] = {WRITE_SWEEP_RECORDS, WRITE_SWEEP_GONE, WRITE_SWEEP_NOTES};
enum { OLD_COUNT = sizeof OLD / sizeof OLD[0] };

static int step_records(writer *w, const sweep *s, int64_t timeout_ms) {
    int64_t before_ms = rules_memory_begin(s->now_ms);
    sqlite3_stmt *old = w->statements[WRITE_SWEEP_OLD];
    sqlite3_bind_int64(old, 1, before_ms);
    sqlite3_bind_int64(old, 2, s->now_ms);
    int code = sqlite3_step(old);
    size_t which = 0;
    while (code == SQLITE_ROW && which < OLD_COUNT && sqlite3_column_int(old, (int)which) == 0) {
        which++;
    }
    sqlite3_reset(old);
    if (code != SQLITE_ROW) {
        return code;
    }
    if (which == OLD_COUNT) {
        return SQLITE_DONE;
    }
    code = writer_begin(w, timeout_ms);
    if (code == SQLITE_DONE) {
        int64_t stop_us = clock_monotonic_us() + SWEEP_US;
        code = delete_old(w, OLD[which], OLD[which] == WRITE_SWEEP_NOTES ? s->now_ms : before_ms,
                          stop_us);
    }
    if (code == SQLITE_DONE) {
        code = writer_run(w, WRITE_COMMIT);
    }
    writer_rollback(w);
    return code == SQLITE_DONE ? SQLITE_ROW : code;
}

int writer_sweep(writer *w, sweep *s, int64_t timeout_ms) {
    return s->walked ? step_records(w, s, timeout_ms) : step_rows(w, s, timeout_ms);
}
