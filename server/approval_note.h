/*
 * approval_note.h - an approval as the value of a note, and back. Pure; any thread.
 */
#ifndef ARXD_APPROVAL_NOTE_H
#define ARXD_APPROVAL_NOTE_H

#include "approvals.h"

/* What the notes of an approval are kept under. */
void approval_note_key(const uint8_t *id, size_t id_len, uint8_t key[STORE_HASH_BYTES]);

/* Fills in value, owner and the note's end; space, key and version are the caller's. False without
 * memory. */
bool approval_note_write(const approval *from, int64_t now_ms, store_note *note);
/* False for a value that is none of ours, and without memory. Status EXPIRED by `now_ms`. */
bool approval_note_read(const store_note *note, int64_t now_ms, approval *out);

#endif
