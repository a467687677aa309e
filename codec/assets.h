/*
 * assets.h - one immutable asset set: two dictionaries and the priors (format.md 5 and 7.2.5).
 *
 * A set is made once from the bytes of its files and may then be used by any number of threads.
 * Its id is computed outside (SHA-256 is not the codec's business) and only carried here.
 */
#ifndef ARX_ASSETS_H
#define ARX_ASSETS_H

#include "dictionary.h"
#include "mixer.h"

#define ARX_ASSET_ID_CHARS  16             /* hex digits of a set's id */
#define ARX_PRIOR_MAX_BYTES (256u * 1024u) /* one block of the priors file */
#define ARX_ASSET_VERSION   1              /* the only version of each file we know */

typedef struct arx_assets arx_assets;

/* The three files as bytes; priors may be NULL with length 0: the set then has only s and n. */
typedef struct arx_asset_files {
    const uint8_t *dictionary; /* arx-dictionary.json */
    size_t dictionary_len;
    const uint8_t *overlay; /* arx2-dictionary.json */
    size_t overlay_len;
    const uint8_t *priors; /* arx4-priors.json */
    size_t priors_len;
} arx_asset_files;

/*
 * Makes a set. The files need not outlive the call. id: 16 hex digits.
 * On failure `why` (may be NULL) gets one sentence naming the file and what is wrong with it:
 * not JSON, wrong shape, a version other than 1, an empty block or one over ARX_PRIOR_MAX_BYTES;
 * nothing for want of memory.
 * Caller frees; must outlive everything that was made with it.
 */
arx_result arx_assets_create(const arx_asset_files *files, const char *id, arx_assets **assets,
                             arx_buf *why) ARX_MUST_CHECK;
void arx_assets_free(arx_assets *assets);

const char *arx_assets_id(const arx_assets *assets);
const arx_dictionary *arx_assets_base(const arx_assets *assets);
const arx_dictionary *arx_assets_overlay(const arx_assets *assets);
bool arx_assets_has_priors(const arx_assets *assets);
/* arx_kernel_best() when the set was made; tests may force the portable one, before threads share
 * it. */
arx_kernel arx_assets_kernel(const arx_assets *assets);
void arx_assets_set_kernel(arx_assets *assets, arx_kernel kernel);

/* The prior ids of 7.2.5, in this order. */
#define ARX_PRIOR_IDS "mcjsn"
bool arx_prior_known(char id);
/* True when the set can prime this id: s and n always, m c j with a priors file. */
bool arx_assets_has_prior(const arx_assets *assets, char id);
/* The bytes a model reads for `id`, borrowed from the set. ARX_UNAVAILABLE when the set lacks it.
 */
arx_result arx_assets_prior(const arx_assets *assets, char id, const uint8_t **prior,
                            size_t *len) ARX_MUST_CHECK;
/* Appends the same bytes. */
arx_result arx_assets_write_prior(const arx_assets *assets, char id, arx_buf *out) ARX_MUST_CHECK;
/* Primes a new image for `id`. ARX_UNAVAILABLE or ARX_NO_MEMORY. Caller frees. */
arx_result arx_assets_prime(const arx_assets *assets, char id, arx_image **image) ARX_MUST_CHECK;

#endif
