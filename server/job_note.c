/* job_note.c - see job_note.h. */
#include "job_note.h"

#include <stdlib.h>
#include <string.h>

#include "secret.h"

/* The value, before it is sealed: the status, one byte, and the result. Frozen for as long as jobs
 * are kept: nodes of two versions may share them. */

static void file_under(store_note *note, const uint8_t id[ID_BYTES]) {
    static const char purpose[] = "arxd job";
    const secret_piece pieces[] = {{purpose, sizeof purpose - 1}, {id, ID_BYTES}};
    note->space = STORE_SPACE_JOB;
    secret_hash_pieces(pieces, sizeof pieces / sizeof pieces[0], note->key);
}

bool job_note_put(store_op *op, const uint8_t id[ID_BYTES], int64_t version, job_status status,
                  const uint8_t *result, size_t len, int64_t expires_at_ms) {
    char name[ID_LONG_CHARS + 1];
    arx_buf plain;
    arx_buf sealed;
    store_note *note = &op->note;
    free(note->value);
    *note = (store_note){.version = version, .expires_at_ms = expires_at_ms};
    file_under(note, id);
    id_format_long(id, name);
    arx_buf_init(&plain, 0);
    arx_buf_init(&sealed, 0);
    arx_buf_append_byte(&plain, (uint8_t)status);
    arx_buf_append(&plain, result, len);
    bool done = arx_buf_result(&plain) == ARX_OK &&
                secret_seal(name, note->key, plain.data, plain.len, &sealed);
    note->value = done ? (char *)arx_buf_take(&sealed, &note->value_len) : NULL;
    op->noted = note->value != NULL;
    arx_buf_free(&plain);
    arx_buf_free(&sealed);
    return op->noted;
}

void job_note_get(store_op *op, const uint8_t id[ID_BYTES]) {
    op->kind = STORE_NOTE_GET;
    file_under(&op->note, id);
}

bool job_note_read(const store_op *op, const uint8_t id[ID_BYTES], job_status *status,
                   arx_buf *result) {
    char name[ID_LONG_CHARS + 1];
    arx_buf plain;
    id_format_long(id, name);
    arx_buf_init(&plain, 0);
    bool read = secret_open(name, op->note.key, (const uint8_t *)op->note.value, op->note.value_len,
                            &plain) &&
                arx_buf_result(&plain) == ARX_OK && plain.len > 0 &&
                plain.data[0] < JOB_STATUS_COUNT;
    if (read) {
        *status = (job_status)plain.data[0];
        arx_buf_append(result, plain.data + 1, plain.len - 1);
    }
    arx_buf_free(&plain);
    return read;
}
