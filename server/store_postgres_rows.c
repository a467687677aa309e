/* store_postgres_rows.c - what each write does to rows; see store_postgres_apply.h. */
#include "store_postgres_apply.h"
#include "store_rules.h"

#include <stdlib.h>
#include <string.h>

#define HOW_ROW    1u  /* is about a row that is there */
#define HOW_WHOLE  2u  /* and returns its payload */
#define HOW_GONE   4u  /* says STORE_GONE */
#define HOW_RECORD 8u  /* is always recorded */
#define HOW_NOTE   16u /* is always noted */

static const struct {
    const char *name;
    unsigned how;
} OPS[] = {
    [STORE_INSERT] = {"insert", 0},
    [STORE_VIEW] = {"view", HOW_ROW | HOW_WHOLE | HOW_GONE},
    [STORE_UPDATE] = {"update", HOW_ROW | HOW_GONE},
    [STORE_DELETE] = {"delete", HOW_ROW},
    [STORE_DESCRIBE] = {"describe", HOW_ROW | HOW_GONE},
    [STORE_REMEMBER] = {"record", HOW_RECORD},
    [STORE_NOTE_PUT] = {"note", HOW_NOTE},
    [STORE_CLEAN] = {"clean", 0},
};

const char *pg_op_name(const store_op *op) {
    return OPS[op->kind].name;
}

bool pg_op_looks(const store_op *op) {
    return OPS[op->kind].how & HOW_ROW;
}

bool pg_op_looks_whole(const store_op *op) {
    return OPS[op->kind].how & HOW_WHOLE || (op->kind == STORE_UPDATE && op->keep_payload);
}

bool pg_op_asks_gone(const store_op *op) {
    return OPS[op->kind].how & HOW_GONE;
}

bool pg_op_is_recorded(const store_op *op) {
    return op->recorded || OPS[op->kind].how & HOW_RECORD;
}

bool pg_op_is_noted(const store_op *op) {
    return op->noted || OPS[op->kind].how & HOW_NOTE;
}

/* ---- deciding ---- */

/* Is there a row for the op? Else op->result says what is told of it. */
static bool find_row(pg_writer *w, pg_item *item, int64_t now_ms) {
    store_op *op = item->op;
    const store_artifact *found = &item->found;
    if (!item->there) {
        op->result = item->gone ? STORE_GONE : STORE_NOT_FOUND;
    } else if (op->kind != STORE_DELETE && found->expires_at_ms <= now_ms) {
        op->result = pg_store_ended(w->self, found->expires_at_ms, now_ms);
        (void)store_touches_expired(w->self->touches, op->artifact.id);
    } else if (op->kind == STORE_UPDATE || op->kind == STORE_DELETE) {
        op->result = rules_check(op, found, item->updated_at_ms);
    } else if (op->kind == STORE_DESCRIBE && item->updated_at_ms != 0 &&
               item->updated_at_ms != found->updated_at_ms) {
        op->result = STORE_NOT_FOUND;
    }
    return op->result == STORE_OK;
}

static void decide_row(pg_writer *w, pg_item *item, int64_t now_ms) {
    store_artifact *a = &item->op->artifact;
    switch (item->op->kind) {
    case STORE_INSERT:
        rules_insert(a, now_ms);
        break;
    case STORE_VIEW:
        store_artifact_clear(a);
        *a = item->found; /* with its strings */
        item->found = (store_artifact){0};
        rules_counted_view(a, now_ms);
        break;
    case STORE_UPDATE:
        rules_update(item->op, &item->found, now_ms);
        break;
    case STORE_CLEAN:
        item->op->count = pg_clean_count(w, item);
        item->op->more = PQntuples(item->expired) > (int)pg_clean_limit(item->op);
        break;
    default:
        break;
    }
}

static void decide_note(pg_item *item, int64_t now_ms) {
    store_op *op = item->op;
    bool counts = item->note_there && item->note_ends_ms > now_ms;
    if (op->note.value_len > STORE_NOTE_MAX_BYTES) {
        op->result = STORE_FAILED;
    } else if (item->note_version != (counts ? item->note_found : 0)) {
        op->result = STORE_CONFLICT;
    } else {
        op->note.version = now_ms > item->note_found ? now_ms : item->note_found + 1;
    }
}

bool pg_decide(pg_writer *w, pg_item *item, int64_t now_ms) {
    store_op *op = item->op;
    if (item->on_record) {
        op->result = STORE_CONFLICT;
        return true;
    }
    if (pg_op_looks(op) && !find_row(w, item, now_ms)) {
        return true;
    }
    if (pg_op_is_noted(op)) {
        decide_note(item, now_ms);
    }
    if (op->result != STORE_OK) {
        return true;
    }
    decide_row(w, item, now_ms);
    if (pg_op_is_recorded(op) && op->render != NULL) {
        free(op->record.response);
        op->record.response = NULL;
        op->record.response_len = 0;
        return op->render(op);
    }
    return true;
}

/* ---- writing ---- */

static void arg_id(pg_args *args, const uint8_t *id) {
    pg_arg_bytes(args, id, STORE_ID_BYTES);
}

static void arg_hash(pg_args *args, bool there, const uint8_t *hash) {
    if (there) {
        pg_arg_bytes(args, hash, STORE_HASH_BYTES);
    } else {
        pg_arg_null(args);
    }
}

static void arg_set(pg_args *args, const store_artifact *a) {
    pg_arg_text(args, a->asset_set[0] == '\0' ? NULL : a->asset_set);
}

/* The start of PG_INSERT_ARTIFACT and PG_UPDATE_ARTIFACT. */
static void arg_payload(pg_args *args, const store_artifact *a) {
    arg_id(args, a->id);
    pg_arg_bytes(args, a->payload, a->payload_len);
    pg_arg_text(args, a->codec);
    pg_arg_text(args, a->kind);
    pg_arg_text(args, a->title);
    pg_arg_number(args, a->updated_at_ms);
}

static void write_insert(pg_writer *w, const store_artifact *a) {
    pg_args args = {0};
    arg_payload(&args, a);
    arg_hash(&args, a->has_edit_key, a->edit_key_hash);
    arg_hash(&args, a->has_maker, a->maker);
    (void)pg_send(w->link, PG_INSERT_ARTIFACT, &args);

    args = (pg_args){0};
    arg_id(&args, a->id);
    pg_arg_number(&args, a->expires_at_ms);
    pg_arg_number(&args, a->last_viewed_at_ms);
    pg_arg_number(&args, a->ttl_ms);
    pg_arg_bool(&args, a->sliding);
    pg_arg_number(&args, a->max_views);
    arg_set(&args, a);
    pg_arg_text(&args, a->label);
    (void)pg_send(w->link, PG_INSERT_LIFETIME, &args);
}

static void write_update(pg_writer *w, const store_op *op) {
    const store_artifact *a = &op->artifact;
    pg_args args = {0};
    if (op->keep_payload) {
        arg_id(&args, a->id);
        pg_arg_number(&args, a->updated_at_ms);
    } else {
        arg_payload(&args, a);
    }
    (void)pg_send(w->link, op->keep_payload ? PG_UPDATE_TIME : PG_UPDATE_ARTIFACT, &args);

    args = (pg_args){0};
    arg_id(&args, a->id);
    pg_arg_number(&args, a->expires_at_ms);
    pg_arg_number(&args, a->ttl_ms);
    pg_arg_bool(&args, a->sliding);
    pg_arg_number(&args, a->max_views);
    pg_arg_number(&args, a->views_left);
    arg_set(&args, a);
    pg_arg_text(&args, a->label);
    (void)pg_send(w->link, PG_UPDATE_LIFETIME, &args);
}

static void write_removal(pg_writer *w, const uint8_t *id, int64_t end_ms) {
    uint8_t room[PG_ARRAY_BYTES(1, STORE_ID_BYTES)];
    pg_args args = {0};
    pg_array ids;
    pg_array_begin(&ids, room, PG_UUID);
    pg_array_add(&ids, id, STORE_ID_BYTES);
    pg_arg_array(&args, &ids);
    (void)pg_send(w->link, PG_REMOVE_LIFETIMES, &args);
    (void)pg_send(w->link, PG_REMOVE_ARTIFACTS, &args);
    if (w->self->options.gone) {
        args = (pg_args){0};
        arg_id(&args, id);
        pg_arg_number(&args, end_ms);
        (void)pg_send(w->link, PG_ADD_GONE, &args);
    }
}

static void write_view(pg_writer *w, const store_artifact *a, int64_t now_ms) {
    if (a->max_views > 0 && a->views_left == 0) {
        write_removal(w, a->id, now_ms);
        return;
    }
    pg_args args = {0};
    arg_id(&args, a->id);
    pg_arg_number(&args, now_ms);
    (void)pg_send(w->link, PG_VIEW, &args);
}

static void write_description(pg_writer *w, const store_artifact *a) {
    pg_args args = {0};
    arg_id(&args, a->id);
    pg_arg_text(&args, a->codec);
    pg_arg_text(&args, a->kind);
    pg_arg_text(&args, a->title);
    (void)pg_send(w->link, PG_DESCRIBE, &args);
    if (a->asset_set[0] != '\0') {
        args = (pg_args){0};
        arg_id(&args, a->id);
        arg_set(&args, a);
        (void)pg_send(w->link, PG_DESCRIBE_SET, &args);
    }
}

bool pg_write_row(pg_writer *w, pg_item *item, int64_t now_ms) {
    const store_op *op = item->op;
    switch (op->kind) {
    case STORE_INSERT:
        write_insert(w, &op->artifact);
        break;
    case STORE_VIEW:
        write_view(w, &op->artifact, now_ms);
        break;
    case STORE_UPDATE:
        write_update(w, op);
        break;
    case STORE_DELETE:
        write_removal(w, op->artifact.id, now_ms);
        break;
    case STORE_DESCRIBE:
        write_description(w, &op->artifact);
        break;
    case STORE_CLEAN:
        return pg_write_clean(w, item, now_ms);
    default:
        break;
    }
    return true;
}

static void arg_note_key(pg_args *args, const store_note *note) {
    pg_arg_number(args, note->space);
    pg_arg_bytes(args, note->key, STORE_HASH_BYTES);
}

void pg_write_note(pg_writer *w, pg_item *item) {
    const store_note *note = &item->op->note;
    bool anew = item->note_version == 0;
    pg_args args = {0};
    arg_note_key(&args, note);
    if (anew && item->note_there) { /* out of the way, so that the new one is the newest */
        (void)pg_send(w->link, PG_REMOVE_NOTE, &args);
    }
    if (anew) {
        int64_t made_at = w->self->options.now_ms() * 1024;
        w->made_at = made_at > w->made_at ? made_at : w->made_at + 1;
        pg_arg_bytes(&args, note->owner, STORE_HASH_BYTES);
    }
    pg_arg_number(&args, note->version);
    if (anew) {
        pg_arg_number(&args, w->made_at);
    }
    pg_arg_number(&args, note->expires_at_ms);
    pg_arg_bytes(&args, note->value, note->value_len);
    (void)pg_send(w->link, anew ? PG_ADD_NOTE : PG_UPDATE_NOTE, &args);
}

void pg_write_record(pg_writer *w, pg_item *item, int64_t now_ms) {
    const store_record *record = &item->op->record;
    pg_args args = {0};
    pg_arg_bytes(&args, record->scope, STORE_HASH_BYTES);
    if (item->old_record) {
        pg_arg_number(&args, rules_memory_begin(now_ms));
        (void)pg_send(w->link, PG_DROP_RECORD, &args);
        args.count = 1;
    }
    pg_arg_bytes(&args, record->body_hash, STORE_HASH_BYTES);
    pg_arg_number(&args, record->status);
    pg_arg_number(&args, now_ms);
    pg_arg_bytes(&args, record->response, record->response_len);
    (void)pg_send(w->link, PG_ADD_RECORD, &args);
}
