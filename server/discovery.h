/*
 * discovery.h - the documents that tell people, crawlers and agents what there is: compiled in from
 * static/discovery, served with an ETag. Made at the start, then immutable.
 *
 * `{origin}` in a text becomes what links start with. An origin that holds anything but the
 * characters of a plain URL is left out: then what was an absolute URL is a path.
 */
#ifndef ARXD_DISCOVERY_H
#define ARXD_DISCOVERY_H

#include "buffer.h"

typedef struct discovery discovery;

/* NULL without memory. */
discovery *discovery_create(void);
/* NULL is fine. */
void discovery_free(discovery *table);

/* Appends `text` with every `{origin}` replaced. Pure. */
void discovery_fill_in(const uint8_t *text, size_t len, const char *origin, arx_buf *out);

#endif
