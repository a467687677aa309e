/* store_sqlite_rows.c - what each write does to rows; see store_sqlite_apply.h. */
#include "store_sqlite_apply.h"
#include "store_sqlite_row.h"

#include <string.h>

/* Binds are checked by what they do: one that fails leaves NULL, which the tables refuse. */
static void bind_text(sqlite3_stmt *s, int at, const char *text) {
    if (text == NULL) {
        sqlite3_bind_null(s, at);
    } else {
        sqlite3_bind_text64(s, at, text, strlen(text), SQLITE_STATIC, SQLITE_UTF8);
    }
}

static void bind_payload(sqlite3_stmt *s, int at, const store_artifact *a) {
    sqlite3_bind_text64(s, at, a->payload, a->payload_len, SQLITE_STATIC, SQLITE_UTF8);
}

static void bind_hash(sqlite3_stmt *s, int at, bool there, const uint8_t *hash) {
    if (there) {
        sqlite3_bind_blob(s, at, hash, STORE_HASH_BYTES, SQLITE_STATIC);
    } else {
        sqlite3_bind_null(s, at);
    }
}

static void bind_id(sqlite3_stmt *s, const uint8_t *id) {
    sqlite3_bind_blob(s, 1, id, STORE_ID_BYTES, SQLITE_STATIC);
}

static const char *set_or_null(const store_artifact *a) {
    return a->asset_set[0] == '\0' ? NULL : a->asset_set;
}

static int add_set(writer *w, const char *set) {
    if (set == NULL) {
        return SQLITE_DONE;
    }
    bind_text(w->statements[WRITE_ADD_SET], 1, set);
    return writer_run(w, WRITE_ADD_SET);
}

/* ---- looking ---- */

static int look(writer *w, write_statement statement, bool strings, int64_t *row,
                store_artifact *found) {
    sqlite3_stmt *s = w->statements[statement];
    int code = sqlite3_step(s);
    if (code == SQLITE_ROW) {
        store_touch waiting;
        *row = row_number(s);
        row_read_numbers(s, found);
        if (strings && !row_read_strings(s, found)) {
            code = SQLITE_NOMEM;
        }
        if (store_touches_find(w->self->touches, found->id, &waiting)) {
            rules_apply_touch(found, &waiting);
        }
    }
    sqlite3_reset(s);
    return code;
}

int rows_look(writer *w, const uint8_t *id, rows_part part, int64_t *row, store_artifact *found) {
    write_statement statement = part == ROWS_WHOLE ? WRITE_LOOK_WHOLE : WRITE_LOOK_BRIEF;
    bind_id(w->statements[statement], id);
    return look(w, statement, part != ROWS_NUMBERS, row, found);
}

int rows_look_number(writer *w, int64_t row, store_artifact *found) {
    int64_t same;
    sqlite3_bind_int64(w->statements[WRITE_LOOK_ROW], 1, row);
    return look(w, WRITE_LOOK_ROW, false, &same, found);
}

/* The row is not there: was it, lately? */
static int absent(writer *w, store_op *op, int64_t now_ms) {
    op->result = STORE_NOT_FOUND;
    if (!w->self->options.gone) {
        return SQLITE_DONE;
    }
    bind_id(w->statements[WRITE_LOOK_GONE], op->artifact.id);
    sqlite3_bind_int64(w->statements[WRITE_LOOK_GONE], 2, rules_memory_begin(now_ms));
    int code = writer_run(w, WRITE_LOOK_GONE);
    if (code == SQLITE_ROW) {
        op->result = STORE_GONE;
        code = SQLITE_DONE;
    }
    return code;
}

/* The live row of the op's id. SQLITE_DONE: there is none if op->result says so. */
static int look_live(writer *w, store_op *op, rows_part part, int64_t now_ms, int64_t *row,
                     store_artifact *found) {
    int code = rows_look(w, op->artifact.id, part, row, found);
    if (code == SQLITE_DONE) {
        return absent(w, op, now_ms);
    }
    if (code == SQLITE_ROW) {
        code = SQLITE_DONE;
        if (found->expires_at_ms <= now_ms) {
            op->result = sqlite_store_ended(w->self, found->expires_at_ms, now_ms);
            (void)store_touches_expired(w->self->touches, op->artifact.id);
        }
    }
    return code;
}

/* ---- the operations ---- */

static int ask_number(writer *w, write_statement statement, int64_t *number) {
    sqlite3_stmt *s = w->statements[statement];
    int code = sqlite3_step(s);
    *number = sqlite3_column_int64(s, 0);
    sqlite3_reset(s);
    return code == SQLITE_ROW ? SQLITE_DONE : code;
}

/* Has its maker room for it? */
static int find_makers_room(writer *w, store_op *op, const uint8_t *maker, bool one_more) {
    const store_options *options = &w->self->options;
    uint64_t links = 0;
    uint64_t bytes = 0;
    options->maker_quota(options->maker_opaque, maker, &links, &bytes);
    if (links == 0 && bytes == 0) {
        return SQLITE_DONE;
    }
    sqlite3_stmt *s = w->statements[WRITE_MAKER_THERE];
    bind_hash(s, 1, true, maker);
    int code = sqlite3_step(s); /* it may have none yet */
    uint64_t has_links = code == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(s, 0) : 0;
    uint64_t has_bytes = code == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(s, 1) : 0;
    sqlite3_reset(s);
    if ((one_more && links > 0 && has_links >= links) ||
        (bytes > 0 && has_bytes + op->artifact.payload_len > bytes)) {
        op->result = STORE_MAKER_FULL;
    }
    return code == SQLITE_ROW ? SQLITE_DONE : code;
}

int rows_find_room(writer *w, store_op *op, const uint8_t *maker, bool one_more) {
    const store_options *options = &w->self->options;
    int64_t pages = 0;
    int64_t unused = 0;
    int64_t size = 0;
    int code = SQLITE_DONE;
    if (one_more && options->quota_rows > 0) {
        if (w->rows < 0) {
            code = ask_number(w, WRITE_ROWS_THERE, &w->rows);
        }
        if (code == SQLITE_DONE && (uint64_t)w->rows >= options->quota_rows) {
            op->result = STORE_FULL;
        }
    }
    if (code == SQLITE_DONE && options->quota_bytes > 0) {
        code = ask_number(w, WRITE_PAGES_THERE, &pages);
        if (code == SQLITE_DONE) {
            code = ask_number(w, WRITE_PAGES_FREE, &unused);
        }
        if (code == SQLITE_DONE) {
            code = ask_number(w, WRITE_PAGE_SIZE, &size);
        }
        if (code == SQLITE_DONE &&
            (uint64_t)((pages - unused) * size) + op->artifact.payload_len > options->quota_bytes) {
            op->result = STORE_FULL;
        }
    }
    if (code == SQLITE_DONE && op->result == STORE_OK && maker != NULL &&
        options->maker_quota != NULL) {
        code = find_makers_room(w, op, maker, one_more);
    }
    return code;
}

int rows_insert(writer *w, store_op *op) {
    store_artifact *a = &op->artifact;
    const char *set = set_or_null(a);
    int64_t now_ms = w->self->options.now_ms();
    int code = rows_find_room(w, op, a->has_maker ? a->maker : NULL, true);
    if (code != SQLITE_DONE || op->result != STORE_OK) {
        return code;
    }
    rules_insert(a, now_ms);
    code = add_set(w, set);
    if (code != SQLITE_DONE) {
        return code;
    }

    sqlite3_stmt *s = w->statements[WRITE_INSERT_ARTIFACT];
    bind_id(s, a->id);
    bind_payload(s, 2, a);
    bind_text(s, 3, a->codec);
    bind_text(s, 4, a->kind);
    bind_text(s, 5, a->title);
    sqlite3_bind_int64(s, 6, now_ms);
    bind_hash(s, 7, a->has_edit_key, a->edit_key_hash);
    bind_hash(s, 8, a->has_maker, a->maker);
    code = writer_run(w, WRITE_INSERT_ARTIFACT);
    if (code != SQLITE_DONE) {
        return code;
    }

    s = w->statements[WRITE_INSERT_LIFETIME];
    sqlite3_bind_int64(s, 1, sqlite3_last_insert_rowid(w->db));
    sqlite3_bind_int64(s, 2, a->expires_at_ms);
    sqlite3_bind_int64(s, 3, now_ms);
    sqlite3_bind_int64(s, 4, a->ttl_ms);
    sqlite3_bind_int(s, 5, a->sliding);
    bind_text(s, 6, set);
    sqlite3_bind_int64(s, 7, a->max_views);
    bind_text(s, 8, a->label);
    w->rows += w->rows < 0 ? 0 : 1;
    return writer_run(w, WRITE_INSERT_LIFETIME);
}

int rows_view(writer *w, store_op *op) {
    store_artifact *a = &op->artifact;
    store_artifact found = {0};
    int64_t now_ms = w->self->options.now_ms();
    int64_t row = 0;
    int code = look_live(w, op, ROWS_WHOLE, now_ms, &row, &found);
    if (code != SQLITE_DONE || op->result != STORE_OK) {
        store_artifact_clear(&found);
        return code;
    }
    rules_counted_view(&found, now_ms);
    store_artifact_clear(a);
    *a = found; /* with its strings */
    if (a->max_views > 0 && a->views_left == 0) {
        return rows_remove(w, row, a->id, now_ms);
    }
    sqlite3_stmt *s = w->statements[WRITE_VIEW];
    sqlite3_bind_int64(s, 1, row);
    sqlite3_bind_int64(s, 2, now_ms);
    return writer_run(w, WRITE_VIEW);
}

static int write_artifact(writer *w, const store_op *op, int64_t row) {
    const store_artifact *a = &op->artifact;
    if (op->keep_payload) {
        sqlite3_stmt *s = w->statements[WRITE_UPDATE_TIME];
        sqlite3_bind_int64(s, 1, row);
        sqlite3_bind_int64(s, 2, a->updated_at_ms);
        return writer_run(w, WRITE_UPDATE_TIME);
    }
    sqlite3_stmt *s = w->statements[WRITE_UPDATE_ARTIFACT];
    sqlite3_bind_int64(s, 1, row);
    bind_payload(s, 2, a);
    bind_text(s, 3, a->codec);
    bind_text(s, 4, a->kind);
    bind_text(s, 5, a->title);
    sqlite3_bind_int64(s, 6, a->updated_at_ms);
    return writer_run(w, WRITE_UPDATE_ARTIFACT);
}

int rows_update(writer *w, store_op *op) {
    store_artifact *a = &op->artifact;
    store_artifact found = {0};
    int64_t now_ms = w->self->options.now_ms();
    int64_t row = 0;
    int code = look_live(w, op, op->keep_payload ? ROWS_WHOLE : ROWS_BRIEF, now_ms, &row, &found);
    if (code == SQLITE_DONE && op->result == STORE_OK) {
        op->result = rules_check(op, &found, op->artifact.updated_at_ms);
    }
    if (code == SQLITE_DONE && op->result == STORE_OK && !op->keep_payload) {
        code = rows_find_room(w, op, found.has_maker ? found.maker : NULL, false);
    }
    if (code != SQLITE_DONE || op->result != STORE_OK) {
        goto out;
    }
    rules_update(op, &found, now_ms);
    code = add_set(w, set_or_null(a));
    if (code == SQLITE_DONE) {
        code = write_artifact(w, op, row);
    }
    if (code != SQLITE_DONE) {
        goto out;
    }
    sqlite3_stmt *s = w->statements[WRITE_UPDATE_LIFETIME];
    sqlite3_bind_int64(s, 1, row);
    sqlite3_bind_int64(s, 2, a->expires_at_ms);
    sqlite3_bind_int64(s, 3, a->ttl_ms);
    sqlite3_bind_int(s, 4, a->sliding);
    sqlite3_bind_int64(s, 5, a->max_views);
    bind_text(s, 6, set_or_null(a));
    sqlite3_bind_int64(s, 7, a->views_left);
    bind_text(s, 8, a->label);
    code = writer_run(w, WRITE_UPDATE_LIFETIME);

out:
    store_artifact_clear(&found);
    return code;
}

int rows_delete(writer *w, store_op *op) {
    store_artifact found = {0};
    int64_t row = 0;
    int code = rows_look(w, op->artifact.id, ROWS_NUMBERS, &row, &found);
    if (code == SQLITE_DONE) {
        op->result = STORE_NOT_FOUND;
    } else if (code == SQLITE_ROW) {
        code = SQLITE_DONE;
        op->result = rules_check(op, &found, op->artifact.updated_at_ms);
        if (op->result == STORE_OK) {
            code = rows_remove(w, row, found.id, w->self->options.now_ms());
        }
    }
    return code;
}

int rows_describe(writer *w, store_op *op) {
    const store_artifact *a = &op->artifact;
    const char *set = set_or_null(a);
    store_artifact found = {0};
    int64_t row = 0;
    int code = look_live(w, op, ROWS_NUMBERS, w->self->options.now_ms(), &row, &found);
    if (code != SQLITE_DONE || op->result != STORE_OK) {
        return code;
    }
    if (a->updated_at_ms != 0 && a->updated_at_ms != found.updated_at_ms) {
        op->result = STORE_NOT_FOUND;
        return SQLITE_DONE;
    }
    sqlite3_stmt *s = w->statements[WRITE_DESCRIBE];
    sqlite3_bind_int64(s, 1, row);
    bind_text(s, 2, a->codec);
    bind_text(s, 3, a->kind);
    bind_text(s, 4, a->title);
    code = writer_run(w, WRITE_DESCRIBE);
    if (code != SQLITE_DONE || set == NULL) {
        return code;
    }
    code = add_set(w, set);
    if (code != SQLITE_DONE) {
        return code;
    }
    s = w->statements[WRITE_DESCRIBE_SET];
    sqlite3_bind_int64(s, 1, row);
    bind_text(s, 2, set);
    return writer_run(w, WRITE_DESCRIBE_SET);
}

int rows_touch(writer *w, const store_touch *touch) {
    int code = SQLITE_DONE;
    if (touch->views > 0) {
        sqlite3_stmt *s = w->statements[WRITE_TOUCH];
        bind_id(s, touch->id);
        sqlite3_bind_int64(s, 2, touch->views);
        sqlite3_bind_int64(s, 3, touch->last_ms);
        code = writer_run(w, WRITE_TOUCH);
    }
    if (code == SQLITE_DONE && touch->expired) {
        store_artifact found = {0};
        int64_t row;
        code = rows_look(w, touch->id, ROWS_NUMBERS, &row, &found);
        if (code == SQLITE_ROW) {
            code = found.expires_at_ms <= w->self->options.now_ms()
                       ? rows_remove(w, row, found.id, found.expires_at_ms)
                       : SQLITE_DONE;
        }
    }
    return code;
}

int rows_remove(writer *w, int64_t row, const uint8_t *id, int64_t end_ms) {
    sqlite3_bind_int64(w->statements[WRITE_REMOVE_LIFETIME], 1, row);
    sqlite3_bind_int64(w->statements[WRITE_REMOVE_ARTIFACT], 1, row);
    int code = writer_run(w, WRITE_REMOVE_LIFETIME);
    w->rows -= w->rows > 0 ? 1 : 0;
    if (code == SQLITE_DONE) {
        code = writer_run(w, WRITE_REMOVE_ARTIFACT);
    }
    if (code == SQLITE_DONE && w->self->options.gone &&
        end_ms > rules_memory_begin(w->self->options.now_ms())) {
        bind_id(w->statements[WRITE_ADD_GONE], id);
        sqlite3_bind_int64(w->statements[WRITE_ADD_GONE], 2, end_ms);
        code = writer_run(w, WRITE_ADD_GONE);
    }
    return code;
}

/* Looked at again, because a read that is not written yet may have moved its end. */
int rows_remove_expired(writer *w, int64_t row, int64_t before_ms, uint64_t *deleted) {
    store_artifact found = {0};
    int code = rows_look_number(w, row, &found);
    if (code == SQLITE_DONE) { /* half a row, which nothing can read */
        return rows_remove(w, row, found.id, INT64_MIN);
    }
    if (code != SQLITE_ROW) {
        return code;
    }
    if (found.expires_at_ms >= before_ms) {
        return SQLITE_DONE;
    }
    (*deleted)++;
    return rows_remove(w, row, found.id, found.expires_at_ms);
}
