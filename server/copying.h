/*
 * copying.h - `arxd copy`: moves everything from one database to another, of whichever kinds.
 *
 * Both are walked in the order of their keys, and what differs is changed in the copy: rows that
 * are missing, other or too many. So it needs no memory of what it did before: killed, it goes on
 * when it is started again, and a second run brings over what a running service changed since the
 * first. Then both are walked once more, and the copy is whole when every row is the same.
 */
#ifndef ARXD_COPYING_H
#define ARXD_COPYING_H

#include <stdio.h>

#include "store_table.h"

typedef enum copy_result {
    COPY_SAME,
    COPY_DIFFERS, /* something writes to one of them; a line in `why` */
    COPY_FAILED,  /* likewise */
} copy_result;

/*
 * Prints a line a table to `out`, and shows how far it is on `terminal` (NULL: nowhere). Blocks.
 */
copy_result copy_database(const store_options *from, const store_options *to, FILE *out,
                          FILE *terminal, char *why, size_t why_size);

#endif
