/*
 * check.h - `arxd check`: is the database sound, has every link its asset set, can it be read?
 *
 * A payload that nothing can decode is no fault of the database's: clients may store any. It is
 * told all the same, because whoever opens it sees an error.
 */
#ifndef ARXD_CHECK_H
#define ARXD_CHECK_H

#include <stdio.h>

#include "asset_sets.h"
#include "store_admin.h"

typedef struct check_counts {
    uint64_t rows;
    uint64_t problems;    /* of the file */
    uint64_t orphaned;    /* their asset set is not loaded */
    uint64_t undecodable; /* of the others */
} check_counts;

/*
 * Writes a line for everything found (ids are cut short) and one at the end. False with a line in
 * `why` when it could not be looked over.
 */
bool check_database(const store_options *stored, const asset_sets *sets, FILE *out,
                    check_counts *counts, char *why, size_t why_size);

#endif
