/*
 * describe.h - what a bundle says about itself: the facts kept beside a stored link.
 */
#ifndef ARXD_DESCRIBE_H
#define ARXD_DESCRIBE_H

#include "envelope.h"
#include "store.h"

/* Longest title that is kept, in bytes; a longer one is cut between characters. */
#define DESCRIBE_TITLE_MAX 1024

/*
 * Fills kind and title of `artifact` from the envelope's active artifact: its title, else the
 * bundle's, else its file name. Both NULL where there is nothing to say. False without memory.
 */
bool describe_envelope(const arx_json *envelope, store_artifact *artifact);

/* A NUL-terminated copy of at most `max` bytes, cut between characters; NULs and lone surrogates
 * become U+FFFD. NULL without memory. Caller frees. */
char *describe_copy(const uint8_t *text, size_t len, size_t max);

/* Is the codec's text coded with an asset set? Rows of other codecs name none. */
bool describe_codec_uses_set(arx_codec codec);

#endif
