/*
 * tokens.h - the tokens file: who may make, read or decide, as far as the operator hands out keys.
 *
 *     # a comment
 *     ci      create        3f0c…64 hex digits of the token's SHA-256   2027-01-31
 *     robot   create,read   …                                           write=50/s,encode=8/s
 *     guest   create        …                                           rows=100,bytes=5m
 *
 * One `name scopes sha256-hex [expires] [limits]` a line; scopes are create, read, admin and
 * approve, joined by commas, and approve stands alone. `expires` is a date or time in UTC from
 * which the token no longer counts. `limits` are its rates, and the links and bytes of payload that
 * it may have stored (allowance.h); rates it does not name are what everybody has. Names and tokens
 * are each there once.
 *
 * The file is read at the start and again when told to; a file that is wrong then changes nothing.
 * tokens_find() is for any thread, the others for the main one.
 */
#ifndef ARXD_TOKENS_H
#define ARXD_TOKENS_H

#include <stdio.h>

#include "allowance.h"
#include "secret.h"

typedef enum token_scope {
    TOKEN_CREATE = 1u << 0,
    TOKEN_READ = 1u << 1,
    TOKEN_ADMIN = 1u << 2,
    TOKEN_APPROVE = 1u << 3,
} token_scope;

#define TOKEN_NAME_MAX 64
/* A rate that a token's line does not name. */
#define TOKEN_AS_ALL UINT32_MAX

typedef struct token_row {
    char name[TOKEN_NAME_MAX + 1]; /* letters, digits, `.`, `_` and `-` */
    unsigned scopes;
    uint8_t hash[SECRET_HASH_BYTES];
    int64_t expires_at_ms; /* INT64_MAX: never */
    allowance own;         /* what the line names; TOKEN_AS_ALL elsewhere */
} token_row;

typedef struct tokens tokens;

/*
 * path: borrowed. quotas: tokens may have some; else a file with one is wrong. NULL with one line
 * in `why` that names the file, the line and what is wrong.
 */
tokens *tokens_open(const char *path, bool quotas, char *why, size_t why_size);
/* NULL is fine. */
void tokens_free(tokens *file);
/* Reads the file again. False with a line in `why`: what was known stays. */
bool tokens_reload(tokens *file, char *why, size_t why_size);

/* Looks a token up by its hash; every row is compared, whether one was found or not. */
bool tokens_find(tokens *file, const uint8_t hash[SECRET_HASH_BYTES], int64_t now_ms,
                 token_row *found);

/* What the maker with that token may have stored, whether it has expired or not; 0: no limit. */
void tokens_quota(tokens *file, const uint8_t hash[SECRET_HASH_BYTES], uint64_t *rows,
                  uint64_t *bytes);

/* ---- pure: the text of the file ---- */

/*
 * Reads a whole file. `*rows` is the caller's to free(), NULL for none. On failure `*line` is the
 * number of the line that is wrong and `*wrong` a sentence ("" without memory).
 */
bool tokens_parse(const char *text, size_t len, token_row **rows, size_t *count, size_t *line,
                  const char **wrong);

/*
 * `arxd token NAME SCOPES [EXPIRES]`: makes a token and prints it and, on the next line, its line
 * for the file. expires: NULL for never. False with a line in `why`.
 */
bool tokens_make(const char *name, const char *scopes, const char *expires, FILE *out, char *why,
                 size_t why_size);

#endif
