/* The integrator's options: the methods there are, and limits of what may be asked
 * for. */
#ifndef RUN_OPTIONS_H
#define RUN_OPTIONS_H

#include "step/formula.h"
#include <dae/solver.h>

/* DAE_ARGUMENT with E0505 where an option cannot be; `*f` the method's
 * formula. DAE_UNSUPPORTED: no such method here. */
dae_status options_check(const dae_options *options, dae_diagnostics *ds,
    const formula **f) DAE_MUST_CHECK;

#endif
