/* The states of a reduction, chosen: the first pick, and whether there is a
 * better one than that at hand. */
#ifndef REDUCE_PICKING_H
#define REDUCE_PICKING_H

#include "reduce/reduction.h"

/* At the start: `now` and its pick. DAE_UNSUPPORTED: there is none, nothing is
 * said; DAE_NUMERIC: the constraints lose rank here, said in `ds`. */
dae_status picking_first(
    reduction *r, double t0, dae_diagnostics *ds) DAE_MUST_CHECK;

/* The Jacobian at the newest point, in r->values; counted. */
dae_status picking_evaluate(reduction *r, stepper *s) DAE_MUST_CHECK;
/* The leverage of the pick at hand with such values; r->gauge tells how far its
 * entries have turned. */
dae_status picking_measure(
    reduction *r, const double *values, double *leverage) DAE_MUST_CHECK;
/* `*next`, where it is set, is the problem of another pick, which is in r->other,
 * and its limit in r->limit_next; else the pick at hand stays. DAE_NUMERIC as
 * above. */
dae_status picking_other(reduction *r, stepper *s, const double *values,
    dae_diagnostics *ds, reduced **next) DAE_MUST_CHECK;

#endif
