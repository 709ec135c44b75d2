/* Hidden constraints of a check, with their formulas. */
#ifndef CHECK_HIDDEN_H
#define CHECK_HIDDEN_H

#include "check.h"
#include "phrase.h"
#include "write_json.h"

/* As text. Of more than 20, unless all are wanted, the first of each equation
 * with how many follow; without those that follow along. */
void check_print_hidden(const check *k, bool is_verbose, phrase *p, FILE *file);
/* The member "hidden_constraints"; `text` is scratch. Of more than 10000, unless
 * all are wanted, the first of each equation, of which 10000 have formulas. */
void check_json_hidden(const check *k, bool is_verbose, json *j, phrase *text);

#endif
