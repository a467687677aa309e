/* asset_sets.c - see asset_sets.h. Runs before the first thread. */
#include "asset_sets.h"
#include "asset_files.h"
#include "clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct known_set {
    asset_files files; /* empty for a compiled-in set */
    asset_source source;
} known_set;

struct asset_sets {
    size_t count;
    arx_assets **sets; /* beside `known`: handed out as a list */
    known_set *known;
};

/* When a file was last changed; now if that cannot be told or would lie in the future. */
static int64_t modified_s(const char *path) {
    int64_t now_s = clock_unix_ms() / 1000;
    struct stat status;
    if (stat(path, &status) != 0 || status.st_mtime > now_s) {
        return now_s;
    }
    return status.st_mtime;
}

/* Takes `set` and `known`; a set that is there already is dropped. */
static void add(asset_sets *sets, arx_assets *set, known_set *known) {
    if (asset_sets_find(sets, arx_assets_id(set)) != NULL) {
        arx_assets_free(set);
        asset_files_free(&known->files);
        return;
    }
    sets->sets[sets->count] = set;
    sets->known[sets->count] = *known;
    sets->count++;
}

static bool add_folder(asset_sets *sets, const char *folder, char *why, size_t why_size) {
    char reason[512];
    known_set known = {0};
    if (!asset_files_load(folder, &known.files, reason, sizeof reason)) {
        snprintf(why, why_size, "asset set %s: %s", folder, reason);
        return false;
    }
    arx_assets *set = asset_files_make(&known.files, reason, sizeof reason);
    if (set == NULL) {
        snprintf(why, why_size, "asset set %s: %s", folder, reason);
        asset_files_free(&known.files);
        return false;
    }
    for (size_t i = 0; i < BUILTIN_FILES; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, asset_file_names[i]);
        known.source.data[i] = known.files.data[i];
        known.source.len[i] = known.files.len[i];
        known.source.modified_s[i] = modified_s(path);
    }
    add(sets, set, &known);
    return true;
}

static bool add_builtin(asset_sets *sets, const builtin_set *builtin, char *why, size_t why_size) {
    char reason[512];
    known_set known = {.source.builtin = builtin};
    arx_assets *set = asset_builtin_make(builtin, reason, sizeof reason);
    if (set == NULL) {
        snprintf(why, why_size, "built-in asset set %s: %s", builtin->id, reason);
        return false;
    }
    /* The files are as old as the program that holds them. */
    int64_t built_s = modified_s("/proc/self/exe");
    for (size_t i = 0; i < BUILTIN_FILES; i++) {
        known.source.data[i] = builtin->files[i].identity;
        known.source.len[i] = builtin->files[i].identity_len;
        known.source.modified_s[i] = built_s;
    }
    add(sets, set, &known);
    return true;
}

asset_sets *asset_sets_open(const char *folder, char *const *compat, size_t compat_count, char *why,
                            size_t why_size) {
    size_t most = 1 + compat_count + builtin_set_count;
    asset_sets *sets = calloc(1, sizeof *sets);
    if (sets == NULL) {
        snprintf(why, why_size, "asset sets: out of memory");
        return NULL;
    }
    sets->sets = calloc(most, sizeof *sets->sets);
    sets->known = calloc(most, sizeof *sets->known);
    if (sets->sets == NULL || sets->known == NULL) {
        snprintf(why, why_size, "asset sets: out of memory");
        goto fail;
    }
    if (folder == NULL && builtin_set_count == 0) {
        snprintf(why, why_size, "no asset set is compiled in: name a folder with --assets");
        goto fail;
    }
    if (folder != NULL ? !add_folder(sets, folder, why, why_size)
                       : !add_builtin(sets, &builtin_sets[0], why, why_size)) {
        goto fail;
    }
    for (size_t i = 0; i < compat_count; i++) {
        if (!add_folder(sets, compat[i], why, why_size)) {
            goto fail;
        }
    }
    for (size_t i = 0; i < builtin_set_count; i++) {
        if (!add_builtin(sets, &builtin_sets[i], why, why_size)) {
            goto fail;
        }
    }
    return sets;

fail:
    asset_sets_free(sets);
    return NULL;
}

void asset_sets_free(asset_sets *sets) {
    if (sets == NULL) {
        return;
    }
    for (size_t i = 0; i < sets->count; i++) {
        arx_assets_free(sets->sets[i]);
        asset_files_free(&sets->known[i].files);
    }
    free(sets->sets);
    free(sets->known);
    free(sets);
}

const arx_assets *asset_sets_active(const asset_sets *sets) {
    return sets->sets[0];
}

const arx_assets *asset_sets_find(const asset_sets *sets, const char *id) {
    for (size_t i = 0; i < sets->count; i++) {
        if (strcmp(arx_assets_id(sets->sets[i]), id) == 0) {
            return sets->sets[i];
        }
    }
    return NULL;
}

const arx_assets *const *asset_sets_all(const asset_sets *sets, size_t *count) {
    *count = sets->count;
    return (const arx_assets *const *)sets->sets;
}

const asset_source *asset_sets_source(const asset_sets *sets, size_t i) {
    return &sets->known[i].source;
}
