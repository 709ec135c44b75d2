/* A run that begins anew where it stands, with other params. */
#ifndef RUN_RESTART_H
#define RUN_RESTART_H

#include "run/solution.h"

/* States keep their values, slopes and unknowns without derivatives are found anew, with
 * all switches free; a `when` that turns true by it fires with the next step. What the solver says where they are not found.
 * Its counters begin again. */
dae_status solution_restart(solution *r);

#endif
