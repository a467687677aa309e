/* sets.c - the asset sets a command works with; see tool.h. */
#include <stdlib.h>
#include <string.h>

#include "asset_files.h"
#include "tool.h"

bool tool_add_compat(tool_set_options *options, const char *folder) {
    const char **more =
        realloc(options->compat, (options->compat_count + 1) * sizeof *options->compat);
    if (more == NULL) {
        return false;
    }
    options->compat = more;
    options->compat[options->compat_count++] = folder;
    return true;
}

void tool_set_options_free(tool_set_options *options) {
    free(options->compat);
    *options = (tool_set_options){0};
}

/* Takes ownership of `set`; one that is there already is dropped. */
static void add(tool_sets *sets, arx_assets *set, const char *source) {
    for (size_t i = 0; i < sets->count; i++) {
        if (strcmp(arx_assets_id(sets->sets[i]), arx_assets_id(set)) == 0) {
            arx_assets_free(set);
            return;
        }
    }
    sets->sets[sets->count] = set;
    sets->sources[sets->count++] = source;
}

static bool add_folder(tool_sets *sets, const char *folder, const char *command) {
    char why[512];
    asset_files files;
    if (!asset_files_load(folder, &files, why, sizeof why)) {
        tool_fail(command, "%s", why);
        return false;
    }
    arx_assets *set = asset_files_make(&files, why, sizeof why);
    asset_files_free(&files);
    if (set == NULL) {
        tool_fail(command, "%s: %s", folder, why);
        return false;
    }
    add(sets, set, folder);
    return true;
}

static bool add_builtin(tool_sets *sets, const builtin_set *builtin, const char *command) {
    char why[512];
    arx_assets *set = asset_builtin_make(builtin, why, sizeof why);
    if (set == NULL) {
        tool_fail(command, "built-in asset set %s: %s", builtin->id, why);
        return false;
    }
    add(sets, set, "built in");
    return true;
}

bool tool_sets_open(tool_sets *sets, const tool_set_options *options, const char *command) {
    size_t most = 1 + options->compat_count + builtin_set_count;
    *sets = (tool_sets){.sets = calloc(most, sizeof *sets->sets),
                        .sources = calloc(most, sizeof *sets->sources)};
    bool done = sets->sets != NULL && sets->sources != NULL;
    if (!done) {
        tool_fail(command, "out of memory");
    }
    if (done) {
        done = options->active != NULL ? add_folder(sets, options->active, command)
                                       : add_builtin(sets, &builtin_sets[0], command);
    }
    for (size_t i = 0; done && i < options->compat_count; i++) {
        done = add_folder(sets, options->compat[i], command);
    }
    for (size_t i = 0; done && i < builtin_set_count; i++) {
        done = add_builtin(sets, &builtin_sets[i], command);
    }
    if (!done) {
        tool_sets_free(sets);
    }
    return done;
}

void tool_sets_free(tool_sets *sets) {
    for (size_t i = 0; i < sets->count; i++) {
        arx_assets_free(sets->sets[i]);
    }
    free(sets->sets);
    free(sets->sources);
    *sets = (tool_sets){0};
}
