/*
 * asset_table.h - the asset sets' files as they are served: made at start, then immutable.
 *
 * Every file stands in memory as it is, as Brotli and as gzip, each with a strong ETag over its own
 * bytes. Variants are compiled in, or made here for a folder; either way they are unpacked and
 * compared before the table is handed out, so that a stale one can never be served. Names are
 * looked up as a whole: there is no path to escape from.
 */
#ifndef ARXD_ASSET_TABLE_H
#define ARXD_ASSET_TABLE_H

#include "asset_sets.h"
#include "served_file.h"

typedef struct asset_table asset_table;

/* sets: borrowed for the table's life. NULL with one line in `why`. */
asset_table *asset_table_create(const asset_sets *sets, char *why, size_t why_size);
/* NULL is fine. */
void asset_table_free(asset_table *table);

/*
 * The file of that name in a set (NULL: the active one), or NULL. A name that ends in ".br" gives
 * the same file with *fixed ENCODING_BROTLI: that variant was asked for by name. Else *fixed is
 * ENCODING_NONE: negotiate.
 */
const served_file *asset_table_find(const asset_table *table, const char *set, const char *name,
                                    content_encoding *fixed);

/* {"active": id, "sets": [id, ...]} */
const served_file *asset_table_index(const asset_table *table);

#endif
