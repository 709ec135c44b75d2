/* What condensing the iteration matrix comes to, at the point of a run. */
#ifndef RUN_CONDENSATION_H
#define RUN_CONDENSATION_H

#include "run/run.h"

/* See dae_solver_condensation and dae_solver_taken_name. */
dae_status condensation_measure(run *r, dae_condensation *out) DAE_MUST_CHECK;
size_t condensation_name(
    const run *r, dae_name_kind kind, size_t taken, char *text, size_t size);

#endif
