/* Whether the pick at hand still does, asked after every accepted step: when it
 * is measured, and what comes of it. */
#ifndef REDUCE_REPICK_H
#define REDUCE_REPICK_H

#include "reduce/reduction.h"

/* Where its pick has become bad, `*next` is the problem of a better one, which
 * the caller adopts (repick_adopt) or frees; else NULL. DAE_NUMERIC: the
 * constraints lose rank here, said in `ds`. */
dae_status repick_follow(reduction *r, stepper *s, dae_diagnostics *ds,
    reduced **next) DAE_MUST_CHECK;
/* The same for the newest point whatever the pick at hand is like, where a step
 * has failed. */
dae_status repick_reconsider(reduction *r, stepper *s, dae_diagnostics *ds,
    reduced **next) DAE_MUST_CHECK;
/* Goes on with `next`, which is of the pick in r->other, from t. */
void repick_adopt(reduction *r, reduced *next, double t);

#endif
