/* asset_files.c - see asset_files.h. */
#include "asset_files.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const asset_file_names[BUILTIN_FILES] = {
    [BUILTIN_DICTIONARY] = "arx-dictionary.json",
    [BUILTIN_OVERLAY] = "arx2-dictionary.json",
    [BUILTIN_PRIORS] = "arx4-priors.json",
};

int asset_file_read(const char *path, uint8_t **data, size_t *len) {
    enum { CHUNK = 64 * 1024 };
    int error = 0;
    size_t cap = 0;
    uint8_t *bytes = NULL;
    *len = 0;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return errno;
    }
    for (;;) {
        if (cap - *len < CHUNK) {
            uint8_t *more = realloc(bytes, cap = cap * 2 + CHUNK);
            if (more == NULL) {
                error = ENOMEM;
                break;
            }
            bytes = more;
        }
        errno = 0;
        size_t got = fread(bytes + *len, 1, CHUNK, file);
        *len += got;
        if (*len > ASSET_FILE_MAX_BYTES) {
            error = EFBIG;
            break;
        }
        if (got < CHUNK) {
            error = ferror(file) ? (errno != 0 ? errno : EIO) : 0;
            break;
        }
    }
    fclose(file);
    if (error != 0) {
        free(bytes);
        return error;
    }
    *data = bytes;
    return 0;
}

void asset_files_id(const uint8_t *const data[BUILTIN_FILES], const size_t len[BUILTIN_FILES],
                    char id[ARX_ASSET_ID_CHARS + 1]) {
    struct sha256_ctx sha;
    uint8_t digest[ARX_ASSET_ID_CHARS / 2];
    sha256_init(&sha);
    for (int i = 0; i < BUILTIN_FILES; i++) {
        uint8_t length[8];
        for (int k = 0; k < 8; k++) {
            length[k] = (uint8_t)((uint64_t)len[i] >> (56 - 8 * k));
        }
        sha256_update(&sha, sizeof length, length);
        if (len[i] > 0) {
            sha256_update(&sha, len[i], data[i]);
        }
    }
    sha256_digest(&sha, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++) {
        snprintf(id + 2 * i, 3, "%02x", digest[i]);
    }
}

bool asset_files_load(const char *folder, asset_files *files, char *why, size_t why_size) {
    *files = (asset_files){0};
    for (int i = 0; i < BUILTIN_FILES; i++) {
        size_t size = strlen(folder) + strlen(asset_file_names[i]) + 2;
        char *path = malloc(size);
        if (path == NULL) {
            snprintf(why, why_size, "out of memory");
            asset_files_free(files);
            return false;
        }
        snprintf(path, size, "%s/%s", folder, asset_file_names[i]);
        int error = asset_file_read(path, &files->data[i], &files->len[i]);
        if (error == ENOENT && i == BUILTIN_PRIORS) {
            error = 0; /* a set may do without */
        }
        if (error != 0) {
            snprintf(why, why_size, "%s: %s", path, strerror(error));
            free(path);
            asset_files_free(files);
            return false;
        }
        free(path);
    }
    asset_files_id((const uint8_t *const *)files->data, files->len, files->id);
    return true;
}

void asset_files_free(asset_files *files) {
    for (int i = 0; i < BUILTIN_FILES; i++) {
        free(files->data[i]);
    }
    *files = (asset_files){0};
}

static arx_assets *make(const arx_asset_files *files, const char *id, char *why, size_t why_size) {
    arx_assets *assets = NULL;
    arx_buf reason;
    arx_buf_init(&reason, 0);
    arx_result rc = arx_assets_create(files, id, &assets, &reason);
    if (rc == ARX_NO_MEMORY || (rc != ARX_OK && reason.len == 0)) {
        snprintf(why, why_size, "out of memory");
    } else if (rc != ARX_OK) {
        snprintf(why, why_size, "%.*s", (int)reason.len, (const char *)reason.data);
    }
    arx_buf_free(&reason);
    return rc == ARX_OK ? assets : NULL;
}

arx_assets *asset_files_make(const asset_files *files, char *why, size_t why_size) {
    const arx_asset_files parts = {
        .dictionary = files->data[BUILTIN_DICTIONARY],
        .dictionary_len = files->len[BUILTIN_DICTIONARY],
        .overlay = files->data[BUILTIN_OVERLAY],
        .overlay_len = files->len[BUILTIN_OVERLAY],
        .priors = files->data[BUILTIN_PRIORS],
        .priors_len = files->len[BUILTIN_PRIORS],
    };
    return make(&parts, files->id, why, why_size);
}

arx_assets *asset_builtin_make(const builtin_set *set, char *why, size_t why_size) {
    const builtin_file *files = set->files;
    const arx_asset_files parts = {
        .dictionary = files[BUILTIN_DICTIONARY].identity,
        .dictionary_len = files[BUILTIN_DICTIONARY].identity_len,
        .overlay = files[BUILTIN_OVERLAY].identity,
        .overlay_len = files[BUILTIN_OVERLAY].identity_len,
        .priors = files[BUILTIN_PRIORS].identity,
        .priors_len = files[BUILTIN_PRIORS].identity_len,
    };
    return make(&parts, set->id, why, why_size);
}
