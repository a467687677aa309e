/*
 * asset_sets.h - every asset set the daemon knows, loaded at start and then immutable.
 *
 * The first is the active one: --assets DIR, or else the first that is compiled in. Behind it come
 * the --compat folders in their order, then the other compiled-in sets: they are only read with.
 * A set that is named twice counts once, where it comes first.
 */
#ifndef ARXD_ASSET_SETS_H
#define ARXD_ASSET_SETS_H

#include "arx.h"
#include "builtin_assets.h"

typedef struct asset_sets asset_sets;

/* The bytes a set was made of, for serving them. */
typedef struct asset_source {
    const uint8_t *data[BUILTIN_FILES]; /* the priors may be NULL */
    size_t len[BUILTIN_FILES];
    int64_t modified_s[BUILTIN_FILES]; /* Unix time */
    const builtin_set *builtin;        /* NULL for a folder */
} asset_source;

/*
 * folder: NULL for the compiled-in default. NULL with one line in `why` that names the folder or
 * file and what is wrong with it.
 */
asset_sets *asset_sets_open(const char *folder, char *const *compat, size_t compat_count, char *why,
                            size_t why_size);
/* NULL is fine. */
void asset_sets_free(asset_sets *sets);

const arx_assets *asset_sets_active(const asset_sets *sets);
/* By id, or NULL. */
const arx_assets *asset_sets_find(const asset_sets *sets, const char *id);
/* All of them in the order in which a payload of unknown set is tried. */
const arx_assets *const *asset_sets_all(const asset_sets *sets, size_t *count);
/* What set `i` of asset_sets_all() was made of. */
const asset_source *asset_sets_source(const asset_sets *sets, size_t i);

#endif
