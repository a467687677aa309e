/*
 * generate.c - writes asset sets as C: `generate-assets OUT FOLDER...`, at build time.
 *
 * Each folder is checked by the codec itself and written with its id and, for every file, the bytes
 * as they are and in the two encodings they are served in. The same folders give the same output.
 * The first folder is the default set. On any failure OUT is not touched.
 */
#include <brotli/encode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "asset_files.h"

static const char *const identifiers[BUILTIN_FILES] = {"dictionary", "overlay", "priors"};

static bool compress_brotli(const uint8_t *data, size_t len, uint8_t **out, size_t *out_len) {
    *out_len = BrotliEncoderMaxCompressedSize(len);
    *out = malloc(*out_len);
    return *out != NULL && BrotliEncoderCompress(BROTLI_MAX_QUALITY, BROTLI_DEFAULT_WINDOW,
                                                 BROTLI_MODE_TEXT, len, data, out_len, *out);
}

/* zlib writes a header without name and with time 0, so the bytes depend on the data alone. */
static bool compress_gzip(const uint8_t *data, size_t len, uint8_t **out, size_t *out_len) {
    z_stream z = {0};
    *out = NULL;
    if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        return false;
    }
    uLong bound = deflateBound(&z, (uLong)len);
    *out = malloc(bound);
    z.next_in = (z_const Bytef *)data;
    z.avail_in = (uInt)len;
    z.next_out = *out;
    z.avail_out = (uInt)bound;
    bool done = *out != NULL && deflate(&z, Z_FINISH) == Z_STREAM_END;
    *out_len = z.total_out;
    deflateEnd(&z);
    return done;
}

static void write_array(FILE *out, size_t set, int file, const char *encoding, const uint8_t *data,
                        size_t len) {
    fprintf(out, "static const uint8_t set%zu_%s_%s[%zu] = {", set, identifiers[file], encoding,
            len);
    for (size_t i = 0; i < len; i++) {
        fprintf(out, i % 24 == 0 ? "\n%u," : "%u,", data[i]);
    }
    fprintf(out, "\n};\n");
}

/* The three forms of one file. */
static bool write_file(FILE *out, size_t set, int file, const asset_files *files) {
    const uint8_t *data = files->data[file];
    size_t len = files->len[file];
    uint8_t *brotli = NULL;
    uint8_t *gzip = NULL;
    size_t brotli_len;
    size_t gzip_len;
    bool done = compress_brotli(data, len, &brotli, &brotli_len) &&
                compress_gzip(data, len, &gzip, &gzip_len);
    if (done) {
        write_array(out, set, file, "identity", data, len);
        write_array(out, set, file, "brotli", brotli, brotli_len);
        write_array(out, set, file, "gzip", gzip, gzip_len);
    }
    free(brotli);
    free(gzip);
    return done;
}

static void write_table(FILE *out, const asset_files *sets, size_t count) {
    fprintf(out, "const builtin_set builtin_sets[] = {\n");
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "{\"%s\", {\n", sets[i].id);
        for (int file = 0; file < BUILTIN_FILES; file++) {
            static const char *const encodings[] = {"identity", "brotli", "gzip"};
            fprintf(out, "{");
            for (size_t k = 0; k < sizeof encodings / sizeof encodings[0]; k++) {
                if (sets[i].data[file] == NULL) {
                    fprintf(out, "NULL, 0, ");
                } else {
                    fprintf(out, "set%zu_%s_%s, sizeof set%zu_%s_%s, ", i, identifiers[file],
                            encodings[k], i, identifiers[file], encodings[k]);
                }
            }
            fprintf(out, "},\n");
        }
        fprintf(out, "}},\n");
    }
    fprintf(out, "};\nconst size_t builtin_set_count = %zu;\n", count);
}

/* Reads a set, refusing what the codec refuses and what is there already. */
static bool load(const char *folder, asset_files *sets, size_t index) {
    char why[512];
    if (!asset_files_load(folder, &sets[index], why, sizeof why)) {
        fprintf(stderr, "generate-assets: %s\n", why);
        return false;
    }
    arx_assets *assets = asset_files_make(&sets[index], why, sizeof why);
    if (assets == NULL) {
        fprintf(stderr, "generate-assets: %s: %s\n", folder, why);
        return false;
    }
    arx_assets_free(assets);
    for (size_t i = 0; i < index; i++) {
        if (strcmp(sets[i].id, sets[index].id) == 0) {
            fprintf(stderr, "generate-assets: %s: this set was named before\n", folder);
            return false;
        }
    }
    return true;
}

static bool write_all(FILE *out, const asset_files *sets, size_t count) {
    fprintf(out, "/* Made by generate-assets from the folders of asset sets. */\n"
                 "#include \"builtin_assets.h\"\n");
    for (size_t i = 0; i < count; i++) {
        for (int file = 0; file < BUILTIN_FILES; file++) {
            if (sets[i].data[file] != NULL && !write_file(out, i, file, &sets[i])) {
                fprintf(stderr, "generate-assets: cannot compress %s\n", asset_file_names[file]);
                return false;
            }
        }
    }
    write_table(out, sets, count);
    return true;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: generate-assets OUT FOLDER...\n");
        return 2;
    }
    int status = 1;
    size_t count = (size_t)argc - 2;
    size_t temporary_size = strlen(argv[1]) + sizeof ".new";
    asset_files *sets = calloc(count, sizeof *sets);
    char *temporary = malloc(temporary_size);
    FILE *out = NULL;
    if (sets == NULL || temporary == NULL) {
        fprintf(stderr, "generate-assets: out of memory\n");
        goto out;
    }
    for (size_t i = 0; i < count; i++) {
        if (!load(argv[i + 2], sets, i)) {
            goto out;
        }
    }
    snprintf(temporary, temporary_size, "%s.new", argv[1]);
    out = fopen(temporary, "wb");
    if (out == NULL) {
        perror(temporary);
        goto out;
    }
    bool written = write_all(out, sets, count) && ferror(out) == 0;
    if (fclose(out) != 0 || !written || rename(temporary, argv[1]) != 0) {
        perror(argv[1]);
        remove(temporary);
        goto out;
    }
    status = 0;
out:
    for (size_t i = 0; sets != NULL && i < count; i++) {
        asset_files_free(&sets[i]);
    }
    free(sets);
    free(temporary);
    return status;
}
