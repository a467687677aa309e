/*
 * disposition.h - Content-Disposition with a safe name (RFC 6266, RFC 8187), and which name an
 * artifact is saved under.
 */
#ifndef ARXD_DISPOSITION_H
#define ARXD_DISPOSITION_H

#include "envelope.h"

/*
 * The artifact's file name, else its id with the extension of its kind; control characters and
 * what file systems reserve replaced by `_`, at most 200 bytes. NULL without memory. Caller frees.
 */
char *disposition_filename(const arx_json *artifact);

/* Appends `inline; filename="…"` or `attachment; …`, with filename* where ASCII does not do. */
void disposition_write(const char *filename, bool attachment, arx_buf *out);

#endif
