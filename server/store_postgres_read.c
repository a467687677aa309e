/*
 * store_postgres_read.c - the reading lanes.
 *
 * A lane takes what waits, up to a bound, and asks for all of it in one round trip: rows by one
 * statement over their ids, the rest by one each. Reads change nothing, so a connection that is
 * lost costs nothing but time: they are asked again over a new one. If there is none to be had,
 * they are answered STORE_BUSY at once, so that a database that is away holds up nobody.
 */
#include "store_postgres.h"
#include "store_postgres_row.h"

#include <stdlib.h>
#include <string.h>

/* A row may have 1.5 MB: the bound of what a lane holds at once. */
#define READ_BATCH 16

typedef struct batch {
    store_op *ops[READ_BATCH];
    size_t count;
    bool found[READ_BATCH]; /* rows: there is one */
    bool gone[READ_BATCH];  /* rows: it ended lately */
    bool nudge;
} batch;

/* ---- what one read makes of what was found ---- */

/* Touches that wait are looked up before the row: between the two they may get written, and one
 * that is seen in both places counts once, one seen in neither would be lost. */
typedef struct waiting {
    store_touch touch;
    bool there;
} waiting;

static void clear_but_id(store_artifact *a) {
    uint8_t id[STORE_ID_BYTES];
    memcpy(id, a->id, sizeof id);
    store_artifact_clear(a);
    memcpy(a->id, id, sizeof id);
}

/* A row is there: whether it is to be seen, and what reading it does. */
static store_result present(pg_store *self, store_op *op, bool *nudge) {
    store_artifact *a = &op->artifact;
    int64_t now_ms = self->options.now_ms();
    if (a->expires_at_ms <= now_ms) {
        if (op->touch) {
            *nudge |= store_touches_expired(self->touches, a->id);
        }
        if (!op->expired_too) {
            return pg_store_ended(self, a->expires_at_ms, now_ms);
        }
    } else if (op->touch && a->max_views == 0) {
        rules_view(a, now_ms, 1);
        *nudge |= store_touches_view(self->touches, a->id, now_ms);
    }
    return STORE_OK;
}

static void take_row(pg_store *self, batch *b, const PGresult *result, int row, const waiting *w) {
    uint8_t id[STORE_ID_BYTES];
    (void)pg_bytes(result, row, PG_COL_ID, id, sizeof id);
    for (size_t i = 0; i < b->count; i++) {
        store_op *op = b->ops[i];
        if (op->kind != STORE_READ || memcmp(op->artifact.id, id, sizeof id) != 0) {
            continue;
        }
        b->found[i] = true;
        clear_but_id(&op->artifact);
        pg_row_numbers(result, row, &op->artifact);
        bool whole = pg_row_strings(result, row, &op->artifact);
        if (w[i].there) {
            rules_apply_touch(&op->artifact, &w[i].touch);
        }
        op->result = whole ? present(self, op, &b->nudge) : STORE_NO_MEMORY;
    }
}

static void take_gone(batch *b, const PGresult *result) {
    for (int row = 0; row < PQntuples(result); row++) {
        uint8_t id[STORE_ID_BYTES];
        (void)pg_bytes(result, row, 0, id, sizeof id);
        for (size_t i = 0; i < b->count; i++) {
            b->gone[i] |= memcmp(b->ops[i]->artifact.id, id, sizeof id) == 0;
        }
    }
}

static store_result take_record(const PGresult *result, store_record *record) {
    free(record->response);
    record->response = NULL;
    record->response_len = 0;
    if (PQntuples(result) == 0) {
        return STORE_NOT_FOUND;
    }
    record->status = (unsigned)pg_number(result, 0, 1);
    return pg_bytes(result, 0, 0, record->body_hash, STORE_HASH_BYTES) &&
                   pg_copy(result, 0, 2, &record->response, &record->response_len)
               ? STORE_OK
               : STORE_NO_MEMORY;
}

/* ---- a round trip ---- */

static size_t send_rows(pg_store *self, pg_link *link, batch *b) {
    uint8_t room[PG_ARRAY_BYTES(READ_BATCH, STORE_ID_BYTES)];
    pg_args args = {0};
    pg_array ids;
    pg_array_begin(&ids, room, PG_UUID);
    for (size_t i = 0; i < b->count; i++) {
        if (b->ops[i]->kind == STORE_READ) {
            pg_array_add(&ids, b->ops[i]->artifact.id, STORE_ID_BYTES);
        }
    }
    if (ids.count > 0) {
        pg_arg_array(&args, &ids);
        (void)pg_send(link, PG_READ_WHOLE, &args);
        if (self->options.gone) {
            pg_arg_number(&args, rules_memory_begin(self->options.now_ms()));
            (void)pg_send(link, PG_READ_GONE, &args);
        }
    }
    return ids.count;
}

static void send_others(pg_store *self, pg_link *link, batch *b) {
    for (size_t i = 0; i < b->count; i++) {
        pg_args args = {0};
        if (b->ops[i]->kind == STORE_RECALL) {
            pg_arg_bytes(&args, b->ops[i]->record.scope, STORE_HASH_BYTES);
            pg_arg_number(&args, rules_memory_begin(self->options.now_ms()));
            (void)pg_send(link, PG_READ_RECALL, &args);
        } else if (b->ops[i]->kind == STORE_PING) {
            (void)pg_send(link, PG_READ_PING, NULL);
        }
    }
}

static void take_others(pg_store *self, pg_link *link, batch *b) {
    for (size_t i = 0; i < b->count; i++) {
        store_op *op = b->ops[i];
        if (op->kind == STORE_RECALL) {
            PGresult *result = pg_next(link);
            op->result = take_record(result, &op->record);
            PQclear(result);
        } else if (op->kind == STORE_PING) {
            (void)pg_changed(link);
            op->result = atomic_load(&self->write_broken) ? STORE_FAILED : STORE_OK;
        }
    }
}

static pg_code ask(pg_store *self, pg_link *link, batch *b) {
    waiting w[READ_BATCH] = {0};
    for (size_t i = 0; i < b->count; i++) {
        store_op *op = b->ops[i];
        b->found[i] = b->gone[i] = false;
        w[i].there = op->kind == STORE_READ &&
                     store_touches_find(self->touches, op->artifact.id, &w[i].touch);
    }
    size_t rows = send_rows(self, link, b);
    send_others(self, link, b);
    if (!pg_sync(link)) {
        return PG_LOST;
    }
    PGresult *found = rows > 0 ? pg_next(link) : NULL;
    PGresult *gone = rows > 0 && self->options.gone ? pg_next(link) : NULL;
    take_others(self, link, b);
    pg_code code = pg_settle(link);
    if (code == PG_DONE) {
        take_gone(b, gone);
        for (size_t i = 0; i < b->count; i++) {
            b->ops[i]->result = b->ops[i]->kind != STORE_READ ? b->ops[i]->result
                                : b->gone[i]                  ? STORE_GONE
                                                              : STORE_NOT_FOUND;
        }
        for (int row = 0; row < PQntuples(found); row++) {
            take_row(self, b, found, row, w);
        }
    }
    PQclear(found);
    PQclear(gone);
    return code;
}

/* ---- the lane ---- */

static const struct {
    const char *name;
    pg_code (*alone)(pg_store *self, pg_link *link, store_op *op); /* NULL: shares a round trip */
} READS[] = {
    [STORE_READ] = {"read", NULL},
    [STORE_RECALL] = {"recall", NULL},
    [STORE_PING] = {"ping", NULL},
    [STORE_LIST] = {"list", pg_list},
    [STORE_NOTE_GET] = {"read of a note", pg_note_get},
    [STORE_NOTE_LIST] = {"list of notes", pg_note_list},
    [STORE_TOTALS] = {"count", pg_totals},
};

static pg_code attempt(pg_lane *lane, batch *b) {
    pg_code code = pg_link_open(&lane->link, PG_READER_FIRST, PG_READER_END);
    if (code != PG_DONE) {
        return code;
    }
    return READS[b->ops[0]->kind].alone != NULL
               ? READS[b->ops[0]->kind].alone(lane->self, &lane->link, b->ops[0])
               : ask(lane->self, &lane->link, b);
}

static void do_batch(pg_lane *lane, batch *b) {
    pg_store *self = lane->self;
    pg_link_look(&lane->link);
    pg_code code = attempt(lane, b);
    for (int tries = 0; code == PG_AGAIN || (code == PG_LOST && tries == 0); tries++) {
        if (tries > 3) {
            break;
        }
        code = attempt(lane, b);
    }
    if (code != PG_DONE) {
        store_result result = pg_store_failed(self, &lane->link, code, READS[b->ops[0]->kind].name);
        for (size_t i = 0; i < b->count; i++) {
            b->ops[i]->result = result;
        }
    }
    for (size_t i = 0; i < b->count; i++) {
        if (b->ops[i]->kind == STORE_READ && b->ops[i]->result != STORE_OK) {
            clear_but_id(&b->ops[i]->artifact);
        }
    }
}

/* False: the store closes and nothing is left to read. */
static bool take_batch(pg_store *self, batch *b) {
    *b = (batch){0};
    pthread_mutex_lock(&self->lock);
    while (self->reads.count == 0 && !self->closing) {
        pthread_cond_wait(&self->read_wake, &self->lock);
    }
    while (self->reads.first != NULL && b->count < READ_BATCH) {
        bool alone = READS[self->reads.first->kind].alone != NULL;
        if (alone && b->count > 0) {
            break;
        }
        b->ops[b->count++] = op_pop(&self->reads);
        if (alone) {
            break;
        }
    }
    self->reading += b->count;
    if (self->reads.count > 0) {
        pthread_cond_signal(&self->read_wake); /* for another lane */
    }
    pthread_mutex_unlock(&self->lock);
    return b->count > 0;
}

static void *run(void *opaque) {
    pg_lane *lane = opaque;
    pg_store *self = lane->self;
    batch b;
    while (take_batch(self, &b)) {
        do_batch(lane, &b);
        pthread_mutex_lock(&self->lock);
        self->reading -= b.count;
        self->nudged |= b.nudge;
        if (b.nudge) {
            pthread_cond_signal(&self->write_wake);
        }
        pthread_mutex_unlock(&self->lock);
        for (size_t i = 0; i < b.count; i++) {
            b.ops[i]->done(b.ops[i]);
        }
    }
    return NULL;
}

bool pg_readers_start(pg_store *self, char *why, size_t why_size) {
    for (size_t i = 0; i < PG_READERS; i++) {
        if (!pg_lane_start(self, &self->readers[i], run, "arxd-read", why, why_size)) {
            return false;
        }
    }
    return true;
}
