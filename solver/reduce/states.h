/* The states of a reduction: the first choice, and whether it still does, asked
 * after every accepted step: when it is measured, and what comes of it. */
#ifndef REDUCE_STATES_H
#define REDUCE_STATES_H

#include "reduce/reduction.h"

/* At the start: `now` and its pick. DAE_UNSUPPORTED: there is none, nothing is
 * said; DAE_NUMERIC: the constraints lose rank here, said in `ds`. */
dae_status states_choose(
    reduction *r, double t0, dae_diagnostics *ds) DAE_MUST_CHECK;

/* Where its pick has become bad, `*next` is the problem of a better one, which
 * the caller adopts (states_adopt) or frees; else NULL. DAE_NUMERIC: the
 * constraints lose rank here, said in `ds`. */
dae_status states_follow(reduction *r, stepper *s, dae_diagnostics *ds,
    reduced **next) DAE_MUST_CHECK;
/* The same for the newest point whatever the pick at hand is like, where a step
 * has failed. */
dae_status states_reconsider(reduction *r, stepper *s, dae_diagnostics *ds,
    reduced **next) DAE_MUST_CHECK;
/* Goes on with `next`, which is of the pick in r->other, from t. */
void states_adopt(reduction *r, reduced *next, double t);

#endif
