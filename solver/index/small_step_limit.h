/* Whether the iteration matrix stays regular as the step goes to 0: what a
 * solver without index reduction asks of a problem. */
#ifndef INDEX_SMALL_STEP_LIMIT_H
#define INDEX_SMALL_STEP_LIMIT_H

#include "linalg/iteration_matrix.h"

typedef struct limit_request {
    const dae_problem *problem;
    const layout *layout;
    iteration *matrix; /* evaluated and factorized here where it must be */
    double t0;
    const double *x, *xp;
    const double *weights; /* N */
    double *scratch;       /* n */
    const dae_allocator *allocator;
    bool is_by_numbers;  /* also where structure says yes, which entries that
                           cancel may belie */
    dae_diagnostics *ds; /* NULL: nothing is reported */
    int64_t *residuals;  /* counters, increased by what is spent */
    int64_t *jacobians;
    int64_t *factorizations;
} limit_request;

/* Structure first: where every equation can be matched to a highest
 * derivative or algebraic unknown of its own, the answer is yes and costs one
 * matching. Otherwise the matrix is factorized for two steps far below every
 * time scale at the point: where an unknown answers a residual the more
 * strongly the shorter the step, the index is 2 or more [BCP96 5.4]. (The
 * condition does not tell: scaled by rows and columns the matrix of an index-2
 * system stays regular.) Then DAE_NUMERIC with E0502, naming the
 * equations that have nothing of their own to determine and the unknowns that
 * nothing determines, and advice by the cause. A problem
 * without a pattern is probed for one at the point and near it. DAE_OK also
 * where the matrix cannot be evaluated at the point. */
dae_status limit_check(const limit_request *q) DAE_MUST_CHECK;

#endif
