/*
 * secret.h - random keys, their hashes, comparing them, and sealing a text under one.
 *
 * What is kept of a key is its SHA-256. That takes keys nobody can guess, so those made here have
 * at least 128 random bits. Any thread.
 */
#ifndef ARXD_SECRET_H
#define ARXD_SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer.h"

#define SECRET_HASH_BYTES 32
#define SECRET_HEX_CHARS  64

#define EDIT_KEY_CHARS 22 /* 128 bits, base64url */

/* A new edit key and its NUL. False when the system gave no random bytes. */
bool secret_edit_key(char key[EDIT_KEY_CHARS + 1]);

/* `len` random bytes. False when the system gave none. */
bool secret_random(uint8_t *bytes, size_t len);

void secret_hash(const void *bytes, size_t len, uint8_t hash[SECRET_HASH_BYTES]);

/* SHA-256 over several pieces, each preceded by its length, so that no two lists hash alike. */
typedef struct secret_piece {
    const void *bytes;
    size_t len;
} secret_piece;
void secret_hash_pieces(const secret_piece *pieces, size_t count, uint8_t hash[SECRET_HASH_BYTES]);

/* Takes as long for a near miss as for any other. */
bool secret_equal(const uint8_t a[SECRET_HASH_BYTES], const uint8_t b[SECRET_HASH_BYTES]);

void secret_hex(const uint8_t hash[SECRET_HASH_BYTES], char text[SECRET_HEX_CHARS + 1]);
/* Reads 64 hex digits of any case; `text` needs no NUL behind them. */
bool secret_from_hex(const char *text, uint8_t hash[SECRET_HASH_BYTES]);

/*
 * Appends `text` encrypted and authenticated (ChaCha20-Poly1305, random nonce) under a key that is
 * derived (HKDF-SHA256) from `key`; `context` must be the same to open it again. False when there
 * were no random bytes; want of memory shows in the buffer.
 */
bool secret_seal(const char *key, const uint8_t context[SECRET_HASH_BYTES], const uint8_t *text,
                 size_t len, arx_buf *out);
/* The way back. False, and nothing appended, for what was not sealed so. */
bool secret_open(const char *key, const uint8_t context[SECRET_HASH_BYTES], const uint8_t *sealed,
                 size_t len, arx_buf *out);

#endif
