/*
 * link.h - URLs and Markdown links around a fragment (format.md section 12).
 *
 * Outside the core, as parsing a base by the WHATWG URL standard needs IDNA (url.h).
 */
#ifndef ARX_LINK_H
#define ARX_LINK_H

#include "draft.h"
#include "select.h"
#include "url.h"

#define ARX_DISCORD_MAX_UNITS 2000u

/* The links for a finished encode. Texts are WTF-8. */
typedef struct arx_link {
    arx_buf url;
    arx_buf hash;         /* "#" and the winner */
    arx_buf markdown_url; /* the URL-serialised winner where it is strictly shorter in chat */
    arx_buf markdown_link;
    size_t markdown_link_units;
    arx_buf discord_warning; /* empty when the link is within ARX_DISCORD_MAX_UNITS */
} arx_link;

void arx_link_free(arx_link *link);

/*
 * Makes the links. base: as given by the caller, NULL or empty for none. label: NULL takes the
 * envelope's title, the first artifact's title, its id, the URL, whichever is there first.
 * ARX_MALFORMED: the base is no URL. On failure there is nothing to free.
 */
arx_result arx_link_create(const arx_json *envelope, const arx_encoded *encoded,
                           const uint8_t *base, size_t base_len, const uint8_t *label,
                           size_t label_len, arx_link *link) ARX_MUST_CHECK;

/* `[label](destination)`, escaped as section 12 says; an empty label becomes the URL. */
void arx_markdown_link(const uint8_t *label, size_t label_len, const uint8_t *url, size_t url_len,
                       arx_buf *out);
/* Appends Discord's warning for a link of that many units, or nothing. */
void arx_discord_warning(size_t units, arx_buf *out);
/* Appends what to say of a fragment of that many visible units, or nothing if it is in budget. */
void arx_budget_warning(size_t units, arx_buf *out);

#endif
