/* The error at the end: a second run at a tenth of the tolerances, and how far the first
 * one is from it. */
#ifndef RUN_ESTIMATE_H
#define RUN_ESTIMATE_H

#include "run/solution.h"

/* `r` has reached its end. What the second run says, failures too, is in `ds`; the
 * differences are in `memory`. */
dae_status estimate_make(
    dae_estimate *e, const solution *r, dae_diagnostics *ds, arena *memory);
/* The same of a run whose tolerances nobody has written: where a tenth of them is
 * too small, that is a warning among the run's messages, and DAE_OK. */
dae_status estimate_try(dae_estimate *e, const solution *r, arena *memory);

#endif
