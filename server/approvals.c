/* approvals.c - see approvals.h. */
#include "approvals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "approval_note.h"
#include "fields.h"

/* ---- steps ---- */

static store_op *finish(approval_work *work, approval_outcome outcome) {
    work->outcome = outcome;
    work->step = NULL;
    return NULL;
}

static store_op *refuse(approval_work *work, approval_reason reason) {
    work->reason = reason;
    return finish(work, APPROVAL_NEEDED);
}

static store_op *fail(approval_work *work, store_result result) {
    work->op.result = result;
    return finish(work, APPROVAL_FAULT);
}

/* The op as it stands, and what comes after it. */
static store_op *wait_for(approval_work *work, store_kind kind,
                          store_op *(*step)(approval_work *work)) {
    work->op.kind = kind;
    work->step = step;
    return &work->op;
}

static store_op *get(approval_work *work, store_space space, const uint8_t *id, size_t id_len,
                     store_op *(*step)(approval_work *work)) {
    store_op_clear(&work->op);
    work->op.note.space = space;
    approval_note_key(id, id_len, work->op.note.key);
    return wait_for(work, STORE_NOTE_GET, step);
}

static store_op *list(approval_work *work, const uint8_t owner[STORE_HASH_BYTES],
                      store_op *(*step)(approval_work *work)) {
    store_op_clear(&work->op);
    work->op.note.space = STORE_SPACE_APPROVAL;
    work->op.limit = STORE_LIST_MAX;
    memcpy(work->op.note.owner, owner, STORE_HASH_BYTES);
    return wait_for(work, STORE_NOTE_LIST, step);
}

/* Writes `found` over the note that the op holds. */
static store_op *put(approval_work *work, store_op *(*step)(approval_work *work)) {
    if (!approval_note_write(&work->found, work->now_ms, &work->op.note)) {
        return fail(work, STORE_NO_MEMORY);
    }
    return wait_for(work, STORE_NOTE_PUT, step);
}

static void begin(approval_work *work, int64_t now_ms) {
    *work = (approval_work){.now_ms = now_ms};
    arx_buf_init(&work->params, 0);
}

store_op *approval_step(approval_work *work) {
    return work->step(work);
}

void approval_work_free(approval_work *work) {
    store_op_clear(&work->op);
    arx_buf_free(&work->params);
}

/* Any agent's. */
static void set_shared(uint8_t agent[STORE_HASH_BYTES]) {
    memset(agent, 0xFF, STORE_HASH_BYTES);
}

static bool is_shared(const approval *a) {
    uint8_t shared[STORE_HASH_BYTES];
    set_shared(shared);
    return memcmp(a->agent, shared, sizeof shared) == 0;
}

static void set_text(char *to, size_t size, const char *from) {
    (void)snprintf(to, size, "%s", from == NULL ? "" : from);
}

static void set_string(char *to, size_t size, const arx_json *from) {
    bool there = arx_json_is(from, ARX_JSON_STRING);
    int len = there && from->as.string.len < size ? (int)from->as.string.len : 0;
    (void)snprintf(to, size, "%.*s", len, there ? (const char *)from->as.string.data : "");
}

/* ---- the gate: a grant is taken ---- */

static store_op *taken(approval_work *work) {
    switch (work->op.result) {
    case STORE_OK:
        return finish(work, APPROVAL_DONE);
    case STORE_CONFLICT: /* another call was faster */
        work->found.id[0] = '\0';
        return refuse(work, APPROVAL_NO_GRANT);
    default:
        return finish(work, APPROVAL_FAULT);
    }
}

static store_op *take(approval_work *work) {
    work->found.status = APPROVAL_USED;
    return put(work, taken);
}

static bool same_action(const approval *a, const approval_ask *ask) {
    return strcmp(a->surface, ask->surface) == 0 && strcmp(a->action, ask->action) == 0;
}

/* What was carried was looked up. */
static store_op *carried(approval_work *work) {
    const approval_ask *ask = &work->ask;
    approval *found = &work->found;
    if (work->op.result != STORE_OK && work->op.result != STORE_NOT_FOUND) {
        return finish(work, APPROVAL_FAULT);
    }
    approval_reason reason = APPROVAL_NO_GRANT;
    if (work->op.result == STORE_OK) {
        if (!approval_note_read(&work->op.note, work->now_ms, found)) {
            return fail(work, STORE_NO_MEMORY);
        }
        bool theirs = is_shared(found) || memcmp(found->agent, ask->agent, STORE_HASH_BYTES) == 0;
        bool bound = theirs && same_action(found, ask);
        bool same = strcmp(found->args_hash, ask->args_hash) == 0 &&
                    ask->carried_hash_len == APPROVAL_HASH_CHARS &&
                    memcmp(ask->carried_hash, ask->args_hash, APPROVAL_HASH_CHARS) == 0;
        if (bound && found->status == APPROVAL_APPROVED && same) {
            return take(work);
        }
        if (bound && found->status == APPROVAL_EXPIRED) {
            reason = APPROVAL_LATE;
        } else if (bound && found->status == APPROVAL_APPROVED) {
            reason = APPROVAL_OTHER_PARAMS;
        }
        *found = (approval){0};
    }
    return refuse(work, reason);
}

/* ---- the gate: a person is asked ---- */

static store_op *asked(approval_work *work) {
    if (work->op.result != STORE_OK) {
        return finish(work, APPROVAL_FAULT);
    }
    return refuse(work, APPROVAL_NONE_CARRIED);
}

/* The params are stored; now what is asked. */
static store_op *params_stored(approval_work *work) {
    if (work->op.result != STORE_OK) {
        return finish(work, APPROVAL_FAULT);
    }
    work->op.note.space = STORE_SPACE_APPROVAL;
    work->op.note.version = 0;
    return put(work, asked);
}

static store_op *ask_person(approval_work *work) {
    const approval_ask *ask = &work->ask;
    approval *found = &work->found;
    if (work->pending >= APPROVAL_MAX_PENDING) {
        return refuse(work, APPROVAL_TOO_MANY);
    }
    if (ask->params_len > STORE_NOTE_MAX_BYTES) {
        return refuse(work, APPROVAL_TOO_LARGE);
    }
    *found =
        (approval){.status = APPROVAL_PENDING, .expires_at_ms = work->now_ms + APPROVAL_PENDING_MS};
    memcpy(found->agent, ask->agent, sizeof found->agent);
    set_text(found->agent_name, sizeof found->agent_name, ask->agent_name);
    set_text(found->surface, sizeof found->surface, ask->surface);
    set_text(found->action, sizeof found->action, ask->action);
    set_string(found->title, sizeof found->title, ask->title);
    set_string(found->effect, sizeof found->effect, ask->effect);
    set_text(found->args_hash, sizeof found->args_hash, ask->args_hash);
    if (!secret_edit_key(found->id)) {
        return fail(work, STORE_FAILED);
    }
    store_op_clear(&work->op);
    store_note *note = &work->op.note;
    note->space = STORE_SPACE_APPROVAL_PARAMS;
    approval_note_key((const uint8_t *)found->id, strlen(found->id), note->key);
    memcpy(note->owner, ask->agent, sizeof note->owner);
    /* Once decided it has the grant's life before it as well. */
    note->expires_at_ms = found->expires_at_ms + APPROVAL_GRANT_MS + APPROVAL_KEEP_MS;
    note->value = malloc(ask->params_len + 1);
    if (note->value == NULL) {
        return fail(work, STORE_NO_MEMORY);
    }
    memcpy(note->value, ask->params, ask->params_len);
    note->value_len = ask->params_len;
    return wait_for(work, STORE_NOTE_PUT, params_stored);
}

/* The newest of the list that is for this very call and not over, into `found`. */
static const store_note *find(approval_work *work) {
    const store_op *op = &work->op;
    for (uint64_t i = 0; i < op->count; i++) {
        approval a;
        if (!approval_note_read(&op->notes[i], work->now_ms, &a)) {
            continue;
        }
        work->pending += a.status == APPROVAL_PENDING;
        if (work->found.id[0] == '\0' && same_action(&a, &work->ask) &&
            strcmp(a.args_hash, work->ask.args_hash) == 0 && a.status != APPROVAL_USED &&
            a.status != APPROVAL_EXPIRED) {
            work->found = a;
            return &op->notes[i];
        }
    }
    return NULL;
}

/* Makes the note of the list the op's own, to be written again, and lets go of the list. */
static store_op *take_listed(approval_work *work, const store_note *listed) {
    store_note note = *listed;
    note.value = NULL; /* goes with the list */
    note.value_len = 0;
    store_op_clear(&work->op);
    work->op.note = note;
    return take(work);
}

/* Grants of the operator's were looked through. */
static store_op *shared_listed(approval_work *work) {
    if (work->op.result != STORE_OK) {
        return finish(work, APPROVAL_FAULT);
    }
    approval asked_before = work->found;
    work->found.id[0] = '\0';
    size_t pending = work->pending;
    const store_note *grant = find(work);
    work->pending = pending;
    if (grant != NULL && work->found.status == APPROVAL_APPROVED) {
        return take_listed(work, grant);
    }
    work->found = asked_before;
    return asked_before.id[0] == '\0' ? ask_person(work) : refuse(work, APPROVAL_NONE_CARRIED);
}

/* What this agent asked for lately was looked through. */
static store_op *own_listed(approval_work *work) {
    if (work->op.result != STORE_OK) {
        return finish(work, APPROVAL_FAULT);
    }
    const store_note *own = find(work);
    if (work->ask.mode == APPROVAL_FIND) {
        if (own != NULL && work->found.status == APPROVAL_APPROVED) {
            return take_listed(work, own);
        }
        uint8_t shared[STORE_HASH_BYTES];
        set_shared(shared);
        return list(work, shared, shared_listed);
    }
    return own == NULL ? ask_person(work) : refuse(work, APPROVAL_NONE_CARRIED);
}

store_op *approval_gate(approval_work *work, const approval_ask *ask) {
    begin(work, ask->now_ms);
    work->ask = *ask;
    if (!ask->approver) {
        return refuse(work, APPROVAL_NO_APPROVER);
    }
    if (ask->mode == APPROVAL_CARRIED && ask->carries) {
        return get(work, STORE_SPACE_APPROVAL, ask->carried_id, ask->carried_id_len, carried);
    }
    return list(work, ask->agent, own_listed);
}

/* ---- looking and deciding ---- */

/* Reads the note into `found`. False with the work finished. */
static bool found_it(approval_work *work) {
    if (work->op.result == STORE_NOT_FOUND) {
        (void)finish(work, APPROVAL_UNKNOWN);
    } else if (work->op.result != STORE_OK) {
        (void)finish(work, APPROVAL_FAULT);
    } else if (!approval_note_read(&work->op.note, work->now_ms, &work->found)) {
        (void)fail(work, STORE_NO_MEMORY);
    } else {
        return true;
    }
    return false;
}

static store_op *params_looked(approval_work *work) {
    if (work->op.result == STORE_OK) {
        arx_buf_append(&work->params, work->op.note.value, work->op.note.value_len);
    } else if (work->op.result != STORE_NOT_FOUND) { /* an operator's grant has none */
        return finish(work, APPROVAL_FAULT);
    }
    return arx_buf_result(&work->params) == ARX_OK ? finish(work, APPROVAL_DONE)
                                                   : fail(work, STORE_NO_MEMORY);
}

static store_op *looked(approval_work *work) {
    const char *id = work->found.id;
    return found_it(work) ? get(work, STORE_SPACE_APPROVAL_PARAMS, (const uint8_t *)id, strlen(id),
                                params_looked)
                          : NULL;
}

store_op *approval_look(approval_work *work, const char *id, int64_t now_ms) {
    begin(work, now_ms);
    return get(work, STORE_SPACE_APPROVAL, (const uint8_t *)id, strlen(id), looked);
}

static store_op *decided(approval_work *work) {
    switch (work->op.result) {
    case STORE_OK:
        return finish(work, APPROVAL_DONE);
    case STORE_CONFLICT: /* somebody else decided */
        return finish(work, APPROVAL_DECIDED);
    default:
        return finish(work, APPROVAL_FAULT);
    }
}

static store_op *to_decide(approval_work *work) {
    if (!found_it(work)) {
        return NULL;
    }
    switch (work->found.status) {
    case APPROVAL_PENDING:
        break;
    case APPROVAL_APPROVED:
    case APPROVAL_DECLINED:
        return finish(work, APPROVAL_DECIDED);
    case APPROVAL_USED:
    case APPROVAL_EXPIRED:
        return finish(work, APPROVAL_OVER);
    }
    work->found.status = work->decision;
    if (work->decision == APPROVAL_APPROVED) {
        work->found.expires_at_ms = work->now_ms + APPROVAL_GRANT_MS;
    }
    return put(work, decided);
}

store_op *approval_decide(approval_work *work, const char *id, approval_status decision,
                          int64_t now_ms) {
    begin(work, now_ms);
    work->decision = decision;
    return get(work, STORE_SPACE_APPROVAL, (const uint8_t *)id, strlen(id), to_decide);
}

/* What stands under the grant's id was looked up. */
static store_op *to_grant(approval_work *work) {
    approval there;
    if (work->op.result == STORE_OK) {
        if (!approval_note_read(&work->op.note, work->now_ms, &there)) {
            return fail(work, STORE_NO_MEMORY);
        }
        if (!is_shared(&there)) {
            return finish(work, APPROVAL_DECIDED);
        }
    } else if (work->op.result == STORE_NOT_FOUND) {
        work->op.note.version = 0;
    } else {
        return finish(work, APPROVAL_FAULT);
    }
    return put(work, decided);
}

store_op *approval_grant(approval_work *work, const approval *grant, int64_t now_ms) {
    begin(work, now_ms);
    work->found = *grant;
    work->found.status = APPROVAL_APPROVED;
    set_shared(work->found.agent);
    return get(work, STORE_SPACE_APPROVAL, (const uint8_t *)grant->id, strlen(grant->id), to_grant);
}

/* ---- in words ---- */

void approval_write_refusal(const approval_work *work, arx_buf *message) {
    static const char *const SENTENCES[] = {
        [APPROVAL_NONE_CARRIED] =
            "A person must approve this first. Have them open decideUrl, and send the same request "
            "again once they have.",
        [APPROVAL_NO_GRANT] = "The approval it carries is unknown, undecided, declined or used up; "
                              "send the request without one to ask for another.",
        [APPROVAL_LATE] = "The approval it carries has expired; send the request without one to "
                          "ask for another.",
        [APPROVAL_OTHER_PARAMS] = "The approval it carries is for other params than these.",
        [APPROVAL_NO_APPROVER] =
            "A person must approve this, and this server has nobody who could: "
            "its operator has set up no tokens file.",
        [APPROVAL_TOO_MANY] = "A person must approve this, and too many requests of this key wait "
                              "for one already (at most 20); have some of them decided first.",
        [APPROVAL_TOO_LARGE] = "A person must approve this, and its params are larger than can be "
                               "put before one (at most 2 MiB).",
    };
    if (work->reason == APPROVAL_NONE_CARRIED && work->found.status == APPROVAL_DECLINED) {
        arx_buf_append_str(message, "A person declined this. Do not ask again for it now.");
    } else {
        arx_buf_append_str(message, SENTENCES[work->reason]);
    }
}

void approval_write_fields(const approval *found, const char *origin, arx_buf *out) {
    arx_buf url;
    arx_buf_init(&url, 0);
    arx_buf_append_str(&url, origin == NULL ? "" : origin);
    arx_buf_append_str(&url, "/oui/approvals/");
    arx_buf_append_str(&url, found->id);
    arx_buf_append_str(&url, "/decide");
    if (arx_buf_result(&url) != ARX_OK) {
        out->status = ARX_NO_MEMORY;
    }
    field_text(out, "approvalId", found->id);
    field_text(out, "argsHash", found->args_hash);
    field_number(out, "expiresAt", (double)found->expires_at_ms);
    field_text(out, "status", approval_status_name(found->status));
    field_string(out, "decideUrl", url.data, url.len);
    arx_buf_free(&url);
}
