/*
 * builtin_assets.h - the asset sets compiled into arxd and arx, made by generate.c at build time.
 *
 * The first set is the default. Every set ever released as the default stays in the table, so that
 * links made with it can be read for ever.
 */
#ifndef ARX_BUILTIN_ASSETS_H
#define ARX_BUILTIN_ASSETS_H

#include <stddef.h>
#include <stdint.h>

/* One file in the encodings it is served in. A set without priors has a NULL `identity` there. */
typedef struct builtin_file {
    const uint8_t *identity;
    size_t identity_len;
    const uint8_t *brotli;
    size_t brotli_len;
    const uint8_t *gzip;
    size_t gzip_len;
} builtin_file;

enum { BUILTIN_DICTIONARY, BUILTIN_OVERLAY, BUILTIN_PRIORS, BUILTIN_FILES };

typedef struct builtin_set {
    char id[17]; /* 16 hex digits */
    builtin_file files[BUILTIN_FILES];
} builtin_set;

extern const builtin_set builtin_sets[];
extern const size_t builtin_set_count;

#endif
