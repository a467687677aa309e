/* store_postgres_row.h - from a row of the tables to a store_artifact. Pure. */
#ifndef ARXD_STORE_POSTGRES_ROW_H
#define ARXD_STORE_POSTGRES_ROW_H

#include "store_postgres_args.h"
#include "store_rules.h"

/* Everything of fixed size. */
void pg_row_numbers(const PGresult *result, int row, store_artifact *artifact);
/* The strings; some may be there when it answers false, which is for lack of memory. */
bool pg_row_strings(const PGresult *result, int row, store_artifact *artifact);

#endif
