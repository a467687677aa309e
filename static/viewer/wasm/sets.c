/*
 * sets.c - the asset sets that have arrived. See web.h.
 *
 * A set first comes with its dictionaries alone, which are small and enough for most; its priors
 * follow when a fragment needs them. Sets are few and are never given up: coders may stand on them.
 */
#include <string.h>

#include "web.h"

enum { MAX_SETS = 32 };

typedef struct known_set {
    char id[ARX_ASSET_ID_CHARS + 1];
    arx_assets *first; /* as it came first */
    arx_assets *whole; /* with all the files it has; may be `first` */
} known_set;

static known_set known[MAX_SETS];
static size_t known_count;

static known_set *find(const char *id) {
    for (size_t i = 0; i < known_count; i++) {
        if (strcmp(known[i].id, id) == 0) {
            return &known[i];
        }
    }
    return NULL;
}

const arx_assets *web_sets_find(const char *id, bool priors) {
    const known_set *set = find(id);
    if (set == NULL) {
        return NULL;
    }
    return set->whole != NULL || priors ? set->whole : set->first;
}

bool web_sets_incomplete(const char *id) {
    const known_set *set = find(id);
    return set == NULL || set->whole == NULL;
}

arx_result web_sets_add(const char *id, const arx_asset_files *files, bool whole, arx_buf *why) {
    known_set *set = find(id);
    if (set == NULL && known_count == MAX_SETS) {
        return ARX_OVER_LIMIT;
    }
    if (set != NULL && (set->whole != NULL || !whole)) {
        return ARX_OK; /* it has come before */
    }
    arx_assets *assets;
    arx_result rc = arx_assets_create(files, id, &assets, why);
    if (rc != ARX_OK) {
        return rc;
    }
    if (set == NULL) {
        set = &known[known_count++];
        memcpy(set->id, id, sizeof set->id);
        set->first = assets;
    }
    if (whole) {
        set->whole = assets;
    }
    return ARX_OK;
}
