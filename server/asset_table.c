/* asset_table.c - see asset_table.h. Runs before the first thread but for the look-ups. */
#include "asset_table.h"
#include "asset_files.h"
#include "clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTENT_TYPE "application/json; charset=utf-8"

typedef struct asset {
    char set[ARX_ASSET_ID_CHARS + 1];
    const char *name; /* "arx-dictionary.json" */
    served_file file;
} asset;

struct asset_table {
    char active[ARX_ASSET_ID_CHARS + 1];
    served_file index;
    size_t count;
    asset *assets;
    uint8_t **owned; /* variants made here, and the index */
    size_t owned_count;
};

static bool add_file(asset_table *table, const char *set, const asset_source *source, size_t i,
                     char *why, size_t why_size) {
    asset *added = &table->assets[table->count];
    served_file *file = &added->file;
    const uint8_t *data = source->data[i];
    size_t len = source->len[i];
    snprintf(added->set, sizeof added->set, "%s", set);
    added->name = asset_file_names[i];
    served_file_init(file, CONTENT_TYPE, source->modified_s[i]);
    served_file_add(file, ENCODING_IDENTITY, data, len);

    if (source->builtin != NULL) {
        const builtin_file *built = &source->builtin->files[i];
        served_file_add(file, ENCODING_BROTLI, built->brotli, built->brotli_len);
        served_file_add(file, ENCODING_GZIP, built->gzip, built->gzip_len);
    } else {
        uint8_t *packed[SERVED_PACKED];
        bool made = served_file_pack(file, packed);
        for (size_t k = 0; k < SERVED_PACKED; k++) {
            table->owned[table->owned_count++] = packed[k];
        }
        if (!made) {
            snprintf(why, why_size, "asset set %s: out of memory", set);
            return false;
        }
    }
    if (!served_file_is_whole(file)) {
        snprintf(why, why_size, "asset set %s: a packed variant of %s does not hold the file", set,
                 added->name);
        return false;
    }
    table->count++;
    return true;
}

static bool add_index(asset_table *table, const asset_sets *sets, char *why, size_t why_size) {
    size_t count;
    const arx_assets *const *all = asset_sets_all(sets, &count);
    arx_buf out;
    arx_buf_init(&out, 0);
    arx_buf_append_str(&out, "{\"active\":\"");
    arx_buf_append_str(&out, arx_assets_id(all[0]));
    arx_buf_append_str(&out, "\",\"sets\":[");
    for (size_t i = 0; i < count; i++) {
        arx_buf_append_str(&out, i == 0 ? "\"" : ",\"");
        arx_buf_append_str(&out, arx_assets_id(all[i])); /* hex digits: nothing to escape */
        arx_buf_append_byte(&out, '"');
    }
    arx_buf_append_str(&out, "]}");
    size_t len;
    uint8_t *text = arx_buf_take(&out, &len);
    if (text == NULL) {
        snprintf(why, why_size, "asset sets: out of memory");
        return false;
    }
    table->owned[table->owned_count++] = text;
    served_file_init(&table->index, CONTENT_TYPE, clock_unix_ms() / 1000);
    served_file_add(&table->index, ENCODING_IDENTITY, text, len);
    return true;
}

asset_table *asset_table_create(const asset_sets *sets, char *why, size_t why_size) {
    size_t count;
    const arx_assets *const *all = asset_sets_all(sets, &count);
    asset_table *table = calloc(1, sizeof *table);
    if (table == NULL) {
        snprintf(why, why_size, "asset sets: out of memory");
        return NULL;
    }
    table->assets = calloc(count * BUILTIN_FILES, sizeof *table->assets);
    table->owned = calloc(count * BUILTIN_FILES * SERVED_PACKED + 1, sizeof *table->owned);
    if (table->assets == NULL || table->owned == NULL) {
        snprintf(why, why_size, "asset sets: out of memory");
        goto fail;
    }
    for (size_t i = 0; i < count; i++) {
        const asset_source *source = asset_sets_source(sets, i);
        for (size_t file = 0; file < BUILTIN_FILES; file++) {
            if (source->data[file] != NULL &&
                !add_file(table, arx_assets_id(all[i]), source, file, why, why_size)) {
                goto fail;
            }
        }
    }
    if (!add_index(table, sets, why, why_size)) {
        goto fail;
    }
    snprintf(table->active, sizeof table->active, "%s", arx_assets_id(all[0]));
    return table;

fail:
    asset_table_free(table);
    return NULL;
}

void asset_table_free(asset_table *table) {
    if (table == NULL) {
        return;
    }
    for (size_t i = 0; i < table->owned_count; i++) {
        free(table->owned[i]);
    }
    free(table->owned);
    free(table->assets);
    free(table);
}

const served_file *asset_table_find(const asset_table *table, const char *set, const char *name,
                                    content_encoding *fixed) {
    size_t len = strlen(name);
    *fixed = ENCODING_NONE;
    if (len > 3 && strcmp(name + len - 3, ".br") == 0) {
        *fixed = ENCODING_BROTLI;
        len -= 3;
    }
    if (set == NULL) {
        set = table->active;
    }
    for (size_t i = 0; i < table->count; i++) {
        const asset *one = &table->assets[i];
        if (strcmp(one->set, set) == 0 && strlen(one->name) == len &&
            memcmp(one->name, name, len) == 0) {
            return &one->file;
        }
    }
    return NULL;
}

const served_file *asset_table_index(const asset_table *table) {
    return &table->index;
}
