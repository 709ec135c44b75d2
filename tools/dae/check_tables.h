/* What --verbose adds: offsets, the transversal, blocks. */
#ifndef CHECK_TABLES_H
#define CHECK_TABLES_H

#include "check.h"

/* False: memory ran out for a part of it. */
bool check_tables(const check *k, FILE *file);

#endif
