/*
 * asset_files.h - an asset set as three files in a folder, and its id.
 *
 * Shared by the generator, the tool and the server: the codec itself neither reads files nor hashes
 * them. Functions are pure but for reading the folder; any thread.
 */
#ifndef ARX_ASSET_FILES_H
#define ARX_ASSET_FILES_H

#include "assets.h"
#include "builtin_assets.h"

/* Largest file that is read. */
#define ASSET_FILE_MAX_BYTES ((size_t)4 << 20)

/* File names by BUILTIN_DICTIONARY, BUILTIN_OVERLAY, BUILTIN_PRIORS. */
extern const char *const asset_file_names[BUILTIN_FILES];

/* Reads a whole file. 0, or an errno; EFBIG for one past the limit. Caller frees. */
int asset_file_read(const char *path, uint8_t **data, size_t *len);

typedef struct asset_files {
    uint8_t *data[BUILTIN_FILES]; /* the priors may be NULL: the folder has none */
    size_t len[BUILTIN_FILES];
    char id[ARX_ASSET_ID_CHARS + 1];
} asset_files;

/*
 * Reads a folder and computes the id. False with one line in `why` that names the file and what is
 * wrong. Caller: asset_files_free().
 */
bool asset_files_load(const char *folder, asset_files *files, char *why, size_t why_size);
void asset_files_free(asset_files *files);

/*
 * The id of a set: the first 16 hex digits of SHA-256 over its three files in order, each preceded
 * by its length as 8 bytes, big-endian; a missing priors file counts as length 0. Frozen: rows and
 * links to /assets/<id>/ carry it.
 */
void asset_files_id(const uint8_t *const data[BUILTIN_FILES], const size_t len[BUILTIN_FILES],
                    char id[ARX_ASSET_ID_CHARS + 1]);

/*
 * Makes the set that the files, or a built-in set, hold. NULL with one line in `why`. Caller frees
 * with arx_assets_free(); the files need not outlive the call.
 */
arx_assets *asset_files_make(const asset_files *files, char *why, size_t why_size);
arx_assets *asset_builtin_make(const builtin_set *set, char *why, size_t why_size);

#endif
