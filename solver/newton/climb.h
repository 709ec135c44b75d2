/* Negligible unknowns in which the equations are curved.
 *
 * At h = 1e-50 the slope of sqrt(h) is 1e25: a correction by it is 1e-25 whatever the
 * equation lacks, far below any tolerance, and says nothing of how far away the
 * solution is. Such a correction is called blind. Only the next one shows what it
 * is worth, and on the way to the solution the Jacobian has to be evaluated again
 * and again: from h = 1e-50 to 1e-25, 1e-12, 1e-6 and so on. */
#ifndef NEWTON_CLIMB_H
#define NEWTON_CLIMB_H

#include "base/arena.h"
#include "linalg/iteration_matrix.h"
#include <dae/problem.h>
#include <stdbool.h>

typedef struct climb {
    uint8_t *is_bent; /* N: the state's column has an entry that varies */
    uint8_t *is_far;  /* N: moved beyond where the Jacobian is of */
    double *base;     /* N: what the Jacobian is of or good for: sign, size */
    double *row;      /* n: by how much bent entries changed F, where that says
                         nothing; else 0 */
    double *last;     /* n: the correction before */
    /* The pattern by rows, in no order; NULL: nothing has asked for it. */
    int64_t *row_start; /* n + 1 */
    int32_t *column;    /* entries */
    int64_t *entry;     /* entries: where they are in the pattern */
    arena *memory;
} climb;

/* Memory comes from `a`. DAE_MEMORY. */
dae_status climb_init(climb *c, const iteration *matrix, const layout *l,
    arena *a) DAE_MUST_CHECK;

#endif
