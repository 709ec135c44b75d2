/* How many coefficients every section of a program has to compute, where the
 * caller asks for some of the results' only: what is asked of the targets is
 * asked of all that goes into them. */
#ifndef CODE_SERIES_PLAN_H
#define CODE_SERIES_PLAN_H

#include "code/compile.h"

typedef struct series_plan {
    size_t results, temps, sections; /* lengths of the arrays */
    uint8_t *need;                   /* of each result; as asked for */
    uint8_t *temp;                   /* of each temporary of the chain rule */
    uint8_t *terms;                  /* of each section; 0: it need not run */
    size_t states, slopes;
    uint8_t *state; /* of each slot in x that is read */
    uint8_t *slope; /* of each in xp */
    size_t most;    /* the largest of `need` */
} series_plan;

/* Of the equations, or of the entries (`is_jacobian`). DAE_MEMORY: `plan` is
 * empty. */
dae_status series_plan_make(const compiled *c, bool is_jacobian,
    const uint8_t *need, series_plan *plan) DAE_MUST_CHECK;
void series_plan_free(const dae_allocator *a, series_plan *plan);

/* Results of a task. */
static inline size_t series_results(const compiled *c, bool is_jacobian)
{
    return is_jacobian ? c->jacobian.nonzeros : c->slots.total;
}

#endif
