/*
 * page_files.h - the built page, compiled in: embed.mjs writes the table from build/page.
 *
 * One entry a file, in ascending order of `path` (strcmp), so it can be searched by halves. HTML
 * pages stand under the path they are served by ("/", "/security"); THIRD_PARTY_NOTICES.txt, icons
 * and the like under their own names; bundles, WebAssembly and maps as /page/<name>-<hash>.<type>.
 *
 * Variants were made at build time by the strongest settings; one that would save less than a tenth
 * is NULL with length 0.
 */
#ifndef ARXD_PAGE_FILES_H
#define ARXD_PAGE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct page_bytes {
    const uint8_t *data; /* NULL for none */
    size_t len;
} page_bytes;

typedef struct page_file {
    const char *path;         /* "/page/worker-ABCDEFGH.mjs" */
    const char *content_type; /* with charset for texts */
    bool immutable;           /* the name changes with the content: cache for good */
    page_bytes identity;
    page_bytes brotli;
    page_bytes gzip;
} page_file;

extern const page_file page_files[];
extern const size_t page_file_count;

#endif
