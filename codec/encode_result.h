/*
 * encode_result.h - the answer to an encode, as JSON (http-api: POST /encode).
 *
 * Writes members without the braces around them, so that a caller can add its own:
 *
 *     {  arx_encode_result_write(...)  , "artifact": {...}  }
 *
 * codec, wire, prior, packed, fragment, url, hash, markdownUrl, markdownLink, markdownLinkLength,
 * discordMarkdownLinkWarning, visibleLength, transportLength, fitsFragmentBudget, fitsTarget,
 * assetSet, candidates, warnings and, for a fragment over the budget, hint. `wire` and `prior` are
 * null for codecs without one, `discordMarkdownLinkWarning` for a link that fits.
 *
 * Same input, same bytes. Pure.
 */
#ifndef ARX_ENCODE_RESULT_H
#define ARX_ENCODE_RESULT_H

#include "link.h"

typedef struct arx_encode_result {
    const arx_encoded *encoded;
    const arx_link *link;
    const char *asset_set;       /* id of the set it was coded with */
    const char *const *warnings; /* UTF-8 sentences, or NULL */
    size_t warning_count;
} arx_encode_result;

/* Failure shows in the buffer. */
void arx_encode_result_write(const arx_encode_result *result, arx_buf *out);

#endif
