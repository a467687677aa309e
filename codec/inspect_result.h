/*
 * inspect_result.h - how a fragment is made and what it costs, as JSON (`arx inspect --json`).
 *
 * Pure; part of the core. Measuring the Markdown link needs a URL parser, so its length is given.
 */
#ifndef ARX_INSPECT_RESULT_H
#define ARX_INSPECT_RESULT_H

#include "fragment.h"

/* All there is to say. Texts are borrowed. */
typedef struct arx_inspection {
    const arx_decoded *decoded;
    const char *asset_set; /* id of the set that decoded, or NULL where none was needed */
    bool legacy;           /* the agent-render=v1.<codec>. form */
    size_t transport_units;
    size_t markdown_units; /* of the Markdown link */
} arx_inspection;

/*
 * Writes codec, legacy, wire, prior, packed, assetSet, visibleLength, transportLength, codedBytes,
 * decodedLength, fitsFragmentBudget, markdownLinkLength, fitsDiscord and artifacts (id, kind and
 * length of each) as members without braces. Failure shows in the buffer.
 */
void arx_inspection_write(const arx_inspection *inspection, arx_buf *out);

/* Writes ,"wire":...,"prior":...,"packed":... of a decoded fragment, with the comma in front. */
void arx_carried_write(const arx_decoded *decoded, arx_buf *out);

#endif
