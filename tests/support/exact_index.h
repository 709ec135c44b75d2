/* The differentiation index by exact ranks of the derivative array modulo a
 * prime, at a consistent point: shares nothing with the library. */
#ifndef SUPPORT_EXACT_INDEX_H
#define SUPPORT_EXACT_INDEX_H

#include "terms.h"

typedef struct exact_system {
    const terms *terms;
    const int *roots; /* rows: expressions that are 0 */
    int rows, unknowns;
    scalar t0;
    const scalar *curve; /* unknowns by TERMS_LENGTH: a solution */
} exact_system;

/* The highest derivative of each unknown that any equation depends on, wherever
 * it is evaluated; -1: none. Terms that cancel do not count. */
bool exact_orders(const exact_system *q, int *order);

typedef struct exact_findings {
    bool
        is_solution; /* the curve solves the equations, as far as it was used */
    /* Smallest K for which F, F', ..., F^(K) determine the highest derivatives,
     * of order 1 at least, given those below; -1: none up to `most`. */
    int index;
    int degrees_of_freedom; /* values below the highest derivatives that may be
                               given */
} exact_findings;

/* `order` as above; an unknown with -1 is taken for one of order 0. */
bool exact_index(
    const exact_system *q, const int *order, int most, exact_findings *out);

#endif
