/*
 * assets.c - see assets.h: three files become one immutable set.
 */
#include "assets.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

#define NAME_DICTIONARY "arx-dictionary.json"
#define NAME_OVERLAY    "arx2-dictionary.json"
#define NAME_PRIORS     "arx4-priors.json"

/* The curated priors, in the order of their ids. */
#define CURATED       3
#define CURATED_IDS   "mcj"
#define PRIOR_SHARED  's'
#define PRIOR_NOTHING 'n'

static const char *const curated_kinds[CURATED] = {"markdown", "code", "json"};

struct arx_assets {
    char id[ARX_ASSET_ID_CHARS + 1];
    arx_dictionary *base;
    arx_dictionary *overlay;
    arx_kernel kernel;
    bool has_priors;
    /* What models read (format.md 7.2.5), composed once. */
    uint8_t *shared;
    size_t shared_len;
    uint8_t *curated[CURATED];
    size_t curated_len[CURATED];
};

/* Appends "<file> <what>" to `why`, which may be NULL. */
static void explain(arx_buf *why, const char *file, const char *what) {
    if (why != NULL) {
        arx_buf_append_str(why, file);
        arx_buf_append_str(why, what);
    }
}

static arx_result read_json(const uint8_t *bytes, size_t len, const char *file, arx_json_doc **doc,
                            arx_json **root, arx_buf *why) {
    arx_buf text;
    arx_buf_init(&text, 0);
    arx_text_from_bytes(bytes, len, &text);
    arx_result rc = arx_buf_result(&text);
    if (rc == ARX_OK) {
        rc = arx_json_parse(text.data, text.len, 0, doc, root);
    }
    if (rc == ARX_MALFORMED) {
        explain(why, file, " is not JSON");
    }
    arx_buf_free(&text);
    return rc;
}

static arx_result check_version(double version, const char *file, arx_buf *why) {
    if (version == ARX_ASSET_VERSION) {
        return ARX_OK;
    }
    explain(why, file, " has version ");
    if (why != NULL) {
        arx_json_write_number(version, why);
        arx_buf_append_str(why, "; this build reads version ");
        arx_buf_append_u64(why, ARX_ASSET_VERSION);
    }
    return ARX_MALFORMED;
}

static arx_result read_dictionary(arx_dictionary_role role, const uint8_t *bytes, size_t len,
                                  const char *file, arx_dictionary **dictionary, arx_buf *why) {
    arx_json_doc *doc = NULL;
    arx_json *root = NULL;
    arx_result rc = read_json(bytes, len, file, &doc, &root, why);
    if (rc != ARX_OK) {
        return rc;
    }
    rc = arx_dictionary_create(role, root, dictionary);
    if (rc == ARX_MALFORMED) {
        explain(why, file,
                " is no dictionary: it needs a number \"version\" and arrays of strings "
                "\"singleByteSlots\" and \"extendedSlots\"");
    } else if (rc == ARX_OK) {
        rc = check_version(arx_dictionary_version(*dictionary), file, why);
    }
    arx_json_doc_free(doc);
    return rc;
}

/* Takes a composed prior out of `text`: UTF-8, where slots written as \u escapes may have left lone
 * surrogates. */
static arx_result take_prior(arx_buf *text, uint8_t **prior, size_t *len) {
    if (arx_buf_result(text) == ARX_OK && text->len > 0) {
        (void)arx_text_mend_surrogates(text->data, text->len);
    }
    arx_result rc = arx_buf_result(text);
    *prior = arx_buf_take(text, len);
    return *prior != NULL ? ARX_OK : rc != ARX_OK ? rc : ARX_NO_MEMORY;
}

static arx_result compose_shared(arx_assets *assets) {
    arx_buf text;
    arx_buf_init(&text, 0);
    arx_dictionary_write_slots(assets->base, &text);
    arx_dictionary_write_slots(assets->overlay, &text);
    if (text.len > 0) {
        text.len--; /* joined by line feeds, not ended by one */
    }
    return take_prior(&text, &assets->shared, &assets->shared_len);
}

static arx_result compose_curated(arx_assets *assets, unsigned i, const arx_json *block,
                                  arx_buf *why) {
    if (block == NULL || block->as.string.len == 0) {
        explain(why, NAME_PRIORS,
                " needs non-empty strings \"markdown\", \"code\" and \"json\" in "
                "\"kinds\"");
        return ARX_MALFORMED;
    }
    if (block->as.string.len > ARX_PRIOR_MAX_BYTES) {
        explain(why, NAME_PRIORS, ": the block \"");
        if (why != NULL) {
            arx_buf_append_str(why, curated_kinds[i]);
            arx_buf_append_str(why, "\" is longer than ");
            arx_buf_append_u64(why, ARX_PRIOR_MAX_BYTES);
            arx_buf_append_str(why, " bytes");
        }
        return ARX_MALFORMED;
    }
    arx_buf text;
    arx_buf_init(&text, 0);
    arx_buf_append(&text, assets->shared, assets->shared_len);
    arx_buf_append_byte(&text, '\n');
    arx_buf_append(&text, block->as.string.data, block->as.string.len);
    return take_prior(&text, &assets->curated[i], &assets->curated_len[i]);
}

static arx_result read_priors(arx_assets *assets, const uint8_t *bytes, size_t len, arx_buf *why) {
    arx_json_doc *doc = NULL;
    arx_json *root = NULL;
    arx_result rc = read_json(bytes, len, NAME_PRIORS, &doc, &root, why);
    if (rc != ARX_OK) {
        return rc;
    }
    const arx_json *version = arx_json_get(root, "version");
    const arx_json *kinds = arx_json_get(root, "kinds");
    if (!arx_json_is(version, ARX_JSON_NUMBER) || !arx_json_is(kinds, ARX_JSON_OBJECT)) {
        explain(why, NAME_PRIORS, " needs a number \"version\" and an object \"kinds\"");
        rc = ARX_MALFORMED;
        goto out;
    }
    rc = check_version(version->as.number, NAME_PRIORS, why);
    for (unsigned i = 0; i < CURATED && rc == ARX_OK; i++) {
        rc = compose_curated(assets, i, arx_json_get_string(kinds, curated_kinds[i]), why);
    }
    assets->has_priors = rc == ARX_OK;
out:
    arx_json_doc_free(doc);
    return rc;
}

arx_result arx_assets_create(const arx_asset_files *files, const char *id, arx_assets **assets,
                             arx_buf *why) {
    arx_assets *set = calloc(1, sizeof *set);
    if (set == NULL) {
        return ARX_NO_MEMORY;
    }
    memcpy(set->id, id, ARX_ASSET_ID_CHARS);
    set->kernel = arx_kernel_best();
    arx_result rc = read_dictionary(ARX_DICTIONARY_BASE, files->dictionary, files->dictionary_len,
                                    NAME_DICTIONARY, &set->base, why);
    if (rc == ARX_OK) {
        rc = read_dictionary(ARX_DICTIONARY_OVERLAY, files->overlay, files->overlay_len,
                             NAME_OVERLAY, &set->overlay, why);
    }
    if (rc == ARX_OK) {
        rc = compose_shared(set);
    }
    if (rc == ARX_OK && files->priors_len > 0) {
        rc = read_priors(set, files->priors, files->priors_len, why);
    }
    if (rc != ARX_OK) {
        arx_assets_free(set);
        return rc;
    }
    *assets = set;
    return ARX_OK;
}

void arx_assets_free(arx_assets *assets) {
    if (assets == NULL) {
        return;
    }
    for (unsigned i = 0; i < CURATED; i++) {
        free(assets->curated[i]);
    }
    free(assets->shared);
    arx_dictionary_free(assets->overlay);
    arx_dictionary_free(assets->base);
    free(assets);
}

const char *arx_assets_id(const arx_assets *assets) {
    return assets->id;
}

const arx_dictionary *arx_assets_base(const arx_assets *assets) {
    return assets->base;
}

const arx_dictionary *arx_assets_overlay(const arx_assets *assets) {
    return assets->overlay;
}

bool arx_assets_has_priors(const arx_assets *assets) {
    return assets->has_priors;
}

arx_kernel arx_assets_kernel(const arx_assets *assets) {
    return assets->kernel;
}

void arx_assets_set_kernel(arx_assets *assets, arx_kernel kernel) {
    assets->kernel = kernel;
}

bool arx_prior_known(char id) {
    return id != '\0' && strchr(ARX_PRIOR_IDS, id) != NULL;
}

bool arx_assets_has_prior(const arx_assets *assets, char id) {
    return arx_prior_known(id) && (id == PRIOR_SHARED || id == PRIOR_NOTHING || assets->has_priors);
}

arx_result arx_assets_prior(const arx_assets *assets, char id, const uint8_t **prior, size_t *len) {
    if (!arx_assets_has_prior(assets, id)) {
        return ARX_UNAVAILABLE;
    }
    const char *curated = strchr(CURATED_IDS, id);
    if (curated != NULL) {
        *prior = assets->curated[curated - CURATED_IDS];
        *len = assets->curated_len[curated - CURATED_IDS];
    } else {
        *prior = assets->shared;
        *len = id == PRIOR_SHARED ? assets->shared_len : 0;
    }
    return ARX_OK;
}

arx_result arx_assets_write_prior(const arx_assets *assets, char id, arx_buf *out) {
    const uint8_t *prior;
    size_t len;
    arx_result rc = arx_assets_prior(assets, id, &prior, &len);
    if (rc != ARX_OK) {
        return rc;
    }
    arx_buf_append(out, prior, len);
    return arx_buf_result(out);
}

arx_result arx_assets_prime(const arx_assets *assets, char id, arx_image **image) {
    const uint8_t *prior;
    size_t len;
    arx_result rc = arx_assets_prior(assets, id, &prior, &len);
    if (rc != ARX_OK) {
        return rc;
    }
    arx_image *primed = arx_image_create(assets->kernel, prior, len);
    if (primed == NULL) {
        return ARX_NO_MEMORY;
    }
    *image = primed;
    return ARX_OK;
}
