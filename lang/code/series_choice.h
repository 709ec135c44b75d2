/* Power series of what has kinks and jumps: abs, sign, floor, ceil, mod, min,
 * max, comparisons, truth and choices. Beside the place where it switches,
 * each is the branch that is active; on it, terms end where the two sides
 * part. */
#ifndef CODE_SERIES_CHOICE_H
#define CODE_SERIES_CHOICE_H

#include "code/series_core.h"

/* Whether series_choice, or else another function, does the operation. */
bool series_is_choice(node_op op);
/* out = n(a, b, c), whole series; temporaries 0 and 1. Operands that the
 * operation has not are not read. */
void series_choice(const series_room *m, const node *n, const double *a,
    const double *b, const double *c, double *out);

#endif
