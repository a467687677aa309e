/*
 * draft.h - from what a person or an agent types about one artifact to an envelope (format.md 12).
 *
 * Pure; part of the core.
 */
#ifndef ARX_DRAFT_H
#define ARX_DRAFT_H

#include "envelope.h"

/* A text that may be absent: NULL. WTF-8, borrowed. */
typedef struct arx_draft {
    arx_kind kind;
    const uint8_t *title;
    size_t title_len;
    const uint8_t *filename;
    size_t filename_len;
    const uint8_t *content; /* of a diff: the patch */
    size_t content_len;
    const uint8_t *old_content; /* a diff without a patch: both sides */
    size_t old_content_len;
    const uint8_t *new_content;
    size_t new_content_len;
    const uint8_t *language; /* of code, and of a diff given as two sides */
    size_t language_len;
    bool split_view; /* a diff's "split"; else "unified" */
} arx_draft;

/*
 * Wraps a draft in an envelope of one artifact, built in `doc`. ARX_MALFORMED when the content is
 * blank: then `*message` (may be NULL) is the text to show.
 */
arx_result arx_draft_envelope(const arx_draft *draft, arx_json_doc *doc, arx_json **envelope,
                              const char **message) ARX_MUST_CHECK;

/* Appends the artifact id that section 12 makes of a title: "Weekly Report!" -> "weekly-report". */
void arx_slug(const uint8_t *text, size_t len, arx_buf *out);

#endif
