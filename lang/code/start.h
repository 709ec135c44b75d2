/* Start values, guesses, scales: what a dae_problem says beyond equations. */
#ifndef CODE_START_H
#define CODE_START_H

#include "code/compile.h"

/* Takes room and fills what params do not change: fixed flags, scales,
 * index groups. E0216 for a condition on a derivative without a slot. */
dae_status start_init(compiled *c, dae_diagnostics *ds) DAE_MUST_CHECK;
/* Values and guesses with the params as they are. */
dae_status start_values(compiled *c) DAE_MUST_CHECK;

#endif
