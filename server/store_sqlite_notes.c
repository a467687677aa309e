/*
 * store_sqlite_notes.c - notes: read on whichever thread asks, written by the writer thread; see
 * store.h for what they are.
 */
#include "store_sqlite_apply.h"
#include "store_sqlite_reader.h"

#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

/* Of READ_NOTE and READ_NOTE_LIST. */
enum { COL_HASH, COL_VERSION, COL_EXPIRES_AT, COL_VALUE };

/* The note under the cursor, but for space and the hash that was asked for. False: no memory. */
static bool take(sqlite3_stmt *query, store_note *note, uint8_t hash[STORE_HASH_BYTES]) {
    const void *other = sqlite3_column_blob(query, COL_HASH);
    const void *value = sqlite3_column_blob(query, COL_VALUE); /* NULL too when it is empty */
    size_t len = (size_t)sqlite3_column_bytes(query, COL_VALUE);
    if (other == NULL || sqlite3_column_bytes(query, COL_HASH) != STORE_HASH_BYTES ||
        (value == NULL && len != 0)) {
        return false;
    }
    note->value = store_copy(value, len);
    if (note->value == NULL) {
        return false;
    }
    memcpy(hash, other, STORE_HASH_BYTES);
    note->value_len = len;
    note->version = sqlite3_column_int64(query, COL_VERSION);
    note->expires_at_ms = sqlite3_column_int64(query, COL_EXPIRES_AT);
    return true;
}

/* The statement, bound: what is there now under `hash` in the note's space. */
static sqlite3_stmt *ask(sqlite_store *self, reader *r, read_statement which,
                         const store_note *note, const uint8_t *hash, int *code) {
    sqlite3_stmt *query = reader_statement(r, which, code);
    if (query != NULL) {
        sqlite3_bind_int64(query, 1, note->space);
        sqlite3_bind_blob(query, 2, hash, STORE_HASH_BYTES, SQLITE_STATIC);
        sqlite3_bind_int64(query, 3, self->options.now_ms());
    }
    return query;
}

void sqlite_store_note_get(sqlite_store *self, store_op *op) {
    store_note *note = &op->note;
    free(note->value);
    note->value = NULL;
    note->value_len = 0;
    reader *r = reader_take(self, &op->result);
    if (r == NULL) {
        return;
    }
    int code;
    sqlite3_stmt *query = ask(self, r, READ_NOTE, note, note->key, &code);
    if (query != NULL) {
        code = sqlite3_step(query);
    }
    if (code == SQLITE_ROW) {
        op->result = take(query, note, note->owner) ? STORE_OK : STORE_NO_MEMORY;
    } else if (code == SQLITE_DONE) {
        op->result = STORE_NOT_FOUND;
    } else {
        op->result = reader_failed(self, r, code, "read of a note");
    }
    sqlite3_reset(query);
    reader_give(self, r, code);
}

/* Fills the list. SQLITE_ROW: it is full, and there are more. */
static int walk(sqlite3_stmt *query, store_op *op, size_t limit) {
    size_t bytes = 0;
    for (;;) {
        int code = sqlite3_step(query);
        if (code != SQLITE_ROW) {
            return code;
        }
        bytes += (size_t)sqlite3_column_bytes(query, COL_VALUE);
        op->more = op->count == limit || bytes > STORE_LIST_MAX_BYTES;
        if (op->more) {
            return code;
        }
        store_note *note = &op->notes[op->count];
        *note = op->note; /* space, owner */
        if (!take(query, note, note->key)) {
            note->value = NULL;
            return SQLITE_NOMEM;
        }
        op->count++;
    }
}

void sqlite_store_note_list(sqlite_store *self, store_op *op) {
    size_t limit = op->limit < 1 ? 1 : op->limit > STORE_LIST_MAX ? STORE_LIST_MAX : op->limit;
    op->count = 0;
    op->more = false;
    op->notes = calloc(limit, sizeof *op->notes);
    if (op->notes == NULL) {
        op->result = STORE_NO_MEMORY;
        return;
    }
    reader *r = reader_take(self, &op->result);
    if (r == NULL) {
        return;
    }
    int code;
    sqlite3_stmt *query = ask(self, r, READ_NOTE_LIST, &op->note, op->note.owner, &code);
    if (query != NULL) {
        code = walk(query, op, limit);
        sqlite3_reset(query);
    }
    op->result = code == SQLITE_ROW || code == SQLITE_DONE
                     ? STORE_OK
                     : reader_failed(self, r, code, "list of notes");
    reader_give(self, r, code);
    if (op->result != STORE_OK) {
        store_op_clear_lists(op);
    }
}

/* ---- writing ---- */

/* The row of the note's key, if any, expired ones too. */
static int look(writer *w, const store_note *note, int64_t *row, int64_t *version,
                int64_t *expires_at_ms) {
    sqlite3_stmt *s = w->statements[WRITE_LOOK_NOTE];
    sqlite3_bind_int64(s, 1, note->space);
    sqlite3_bind_blob(s, 2, note->key, STORE_HASH_BYTES, SQLITE_STATIC);
    int code = sqlite3_step(s);
    if (code == SQLITE_ROW) {
        *row = sqlite3_column_int64(s, 0);
        *version = sqlite3_column_int64(s, 1);
        *expires_at_ms = sqlite3_column_int64(s, 2);
    }
    sqlite3_reset(s);
    return code;
}

/* A NULL pointer would be SQL's NULL, which an empty value is not. */
static void bind_value(sqlite3_stmt *s, int at, const store_note *note) {
    sqlite3_bind_blob64(s, at, note->value == NULL ? "" : note->value, note->value_len,
                        SQLITE_STATIC);
}

int rows_put_note(writer *w, store_op *op) {
    store_note *note = &op->note;
    int64_t now_ms = w->self->options.now_ms();
    int64_t row = 0;
    int64_t version = 0;
    int64_t expires_at_ms = 0;
    if (note->value_len > STORE_NOTE_MAX_BYTES) {
        return SQLITE_TOOBIG;
    }
    int code = look(w, note, &row, &version, &expires_at_ms);
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        return code;
    }
    bool there = code == SQLITE_ROW;
    if (note->version != (there && expires_at_ms > now_ms ? version : 0)) {
        op->result = STORE_CONFLICT;
        return SQLITE_DONE;
    }
    bool anew = note->version == 0;
    if (there && anew) { /* out of the way, so that the new one is the newest */
        sqlite3_bind_int64(w->statements[WRITE_REMOVE_NOTE], 1, row);
        code = writer_run(w, WRITE_REMOVE_NOTE);
        if (code != SQLITE_DONE) {
            return code;
        }
    }
    note->version = now_ms > version ? now_ms : version + 1;
    sqlite3_stmt *s = w->statements[anew ? WRITE_ADD_NOTE : WRITE_UPDATE_NOTE];
    sqlite3_bind_int64(s, 1, note->version);
    sqlite3_bind_int64(s, 2, note->expires_at_ms);
    bind_value(s, 3, note);
    if (anew) {
        sqlite3_bind_int64(s, 4, note->space);
        sqlite3_bind_blob(s, 5, note->key, STORE_HASH_BYTES, SQLITE_STATIC);
        sqlite3_bind_blob(s, 6, note->owner, STORE_HASH_BYTES, SQLITE_STATIC);
    } else {
        sqlite3_bind_int64(s, 4, row);
    }
    return writer_run(w, anew ? WRITE_ADD_NOTE : WRITE_UPDATE_NOTE);
}
