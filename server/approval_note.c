/* approval_note.c - see approval_note.h. */
#include "approval_note.h"

#include <stdlib.h>
#include <string.h>

#include "fields.h"

static const char *const STATUS[] = {
    [APPROVAL_PENDING] = "pending",   [APPROVAL_APPROVED] = "approved",
    [APPROVAL_DECLINED] = "declined", [APPROVAL_USED] = "used",
    [APPROVAL_EXPIRED] = "expired",
};

/* The strings, by the names they are written under. */
static const struct {
    const char *name;
    size_t at;
    size_t size;
} TEXTS[] = {
#define TEXT(name, field)                                                                          \
    { name, offsetof(approval, field), sizeof((approval *)0)->field }
    TEXT("approvalId", id),      TEXT("agentName", agent_name), TEXT("surfaceId", surface),
    TEXT("actionId", action),    TEXT("title", title),          TEXT("effect", effect),
    TEXT("argsHash", args_hash),
#undef TEXT
};
#define TEXT_COUNT (sizeof TEXTS / sizeof TEXTS[0])

const char *approval_status_name(approval_status status) {
    return STATUS[status];
}

void approval_note_key(const uint8_t *id, size_t id_len, uint8_t key[STORE_HASH_BYTES]) {
    static const char purpose[] = "arxd approval";
    const secret_piece pieces[] = {{purpose, sizeof purpose - 1}, {id, id_len}};
    secret_hash_pieces(pieces, 2, key);
}

bool approval_note_write(const approval *from, int64_t now_ms, store_note *note) {
    arx_buf out;
    arx_buf_init(&out, 0);
    fields_begin(&out);
    for (size_t i = 0; i < TEXT_COUNT; i++) {
        field_text(&out, TEXTS[i].name, (const char *)from + TEXTS[i].at);
    }
    field_text(&out, "status", STATUS[from->status]);
    field_number(&out, "expiresAt", (double)from->expires_at_ms);
    fields_end(&out);
    size_t len;
    char *value = (char *)arx_buf_take(&out, &len);
    if (value == NULL) {
        return false;
    }
    free(note->value);
    note->value = value;
    note->value_len = len;
    memcpy(note->owner, from->agent, sizeof note->owner);
    int64_t end_ms = from->expires_at_ms > now_ms ? from->expires_at_ms : now_ms;
    note->expires_at_ms = end_ms + APPROVAL_KEEP_MS;
    return true;
}

static bool read_text(const arx_json *object, const char *name, char *text, size_t size) {
    const arx_json *value = arx_json_get_string(object, name);
    if (value == NULL || value->as.string.len >= size) {
        return false;
    }
    memcpy(text, value->as.string.data, value->as.string.len);
    text[value->as.string.len] = '\0';
    return true;
}

static bool read_status(const arx_json *object, approval_status *status) {
    const arx_json *value = arx_json_get_string(object, "status");
    for (size_t i = 0; i < sizeof STATUS / sizeof STATUS[0]; i++) {
        if (arx_json_string_is(value, STATUS[i])) {
            *status = (approval_status)i;
            return true;
        }
    }
    return false;
}

bool approval_note_read(const store_note *note, int64_t now_ms, approval *out) {
    arx_json_doc *doc;
    arx_json *root;
    if (arx_json_parse((const uint8_t *)note->value, note->value_len, 0, &doc, &root) != ARX_OK) {
        return false;
    }
    *out = (approval){0};
    bool good = read_status(root, &out->status);
    for (size_t i = 0; i < TEXT_COUNT; i++) {
        good = good && read_text(root, TEXTS[i].name, (char *)out + TEXTS[i].at, TEXTS[i].size);
    }
    const arx_json *end = arx_json_get(root, "expiresAt");
    good = good && arx_json_is(end, ARX_JSON_NUMBER);
    if (good) {
        out->expires_at_ms = (int64_t)end->as.number;
        memcpy(out->agent, note->owner, sizeof out->agent);
        if (out->expires_at_ms <= now_ms && out->status != APPROVAL_USED) {
            out->status = APPROVAL_EXPIRED;
        }
    }
    arx_json_doc_free(doc);
    return good;
}
