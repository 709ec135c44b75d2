/* The derivative array of a small problem: all F_i^(k), k = 0..K. Its ranks at
 * a consistent point give the differentiation index and the degrees of freedom
 * whatever the structure says [BCP96 2.5; KM06 3.1]: the index is the smallest
 * K for which the array determines the derivatives of all variables of the
 * first-order form, given these variables. */
#ifndef INDEX_DERIVATIVE_ARRAY_H
#define INDEX_DERIVATIVE_ARRAY_H

#include "base/alloc.h"
#include <dae/analysis.h>

typedef enum array_outcome {
    ARRAY_FOUND,
    ARRAY_NO_INDEX,  /* not even after as many differentiations as there are
                        variables, or its equations depend on each other and
                        more of them determine nothing more: see `loose` and
                        `dependent` */
    ARRAY_TOO_LARGE, /* more than the budget; or kinks are in the way */
    ARRAY_NO_POINT,  /* no consistent point was found */
    ARRAY_UNSURE     /* ranks depend on the threshold or the point */
} array_outcome;

typedef struct array_findings {
    array_outcome outcome;
    int64_t index, degrees_of_freedom; /* FOUND; else -1 */
    /* NO_INDEX; UNSURE: the likely verdict. The lists are from an allocator;
     * array_findings_clear frees them. */
    dae_index_verdict verdict;
    dae_slot *loose; /* unknowns that are never determined */
    size_t loose_count, loose_room;
    dae_party *dependent; /* equations of one dependency, with how often each
                             is differentiated */
    size_t dependent_count, dependent_room;
    int is_compatible; /* that dependency holds at the point and later */
} array_findings;

typedef struct array_request {
    const dae_problem *problem;
    int largest; /* rows of the array; 0: 600 */
    int most; /* differentiations; 0: variables of the first-order form + 1 */
    int64_t
        expected; /* the index that structure says: where getting there would
                         take too much, nothing is begun; 0: not known */
    /* a point to begin from: t, x (N), xp (n); NULL: the start's guesses */
    double t;
    const double *x, *xp;
    int is_consistent; /* it is a consistent start: stay on its branch and hold
                          its values */
    int is_generic;    /* move off to a generic consistent point near it, or
                          where none is found to one anywhere; what is found has
                          to be so at two points. A consistent start itself may
                          then still show NO_INDEX: what is singular on its
                          constraints has no generic points */
    const dae_allocator *allocator;
    dae_interrupt_fn *interrupt;
    void *interrupt_context;
} array_request;

/* `out` is to be cleared whatever the outcome; DAE_OK for all of them. Internal
 * unknowns (index_group 255) count as the expressions they stand for. Other
 * status: memory, an interrupt, a callback's. */
dae_status array_examine(
    const array_request *q, array_findings *out) DAE_MUST_CHECK;
void array_findings_clear(array_findings *f, const dae_allocator *allocator);

#endif
