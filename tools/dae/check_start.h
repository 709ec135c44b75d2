/* The start in the report of `dae check`. */
#ifndef CHECK_START_H
#define CHECK_START_H

#include "check.h"
#include "phrase.h"

/* `p` is for what is being written; a failure of memory stays in it. */
void check_print_start(const check *k, phrase *p, FILE *file);

#endif
