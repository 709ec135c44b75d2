/* Reports of failed steps in the user's words: equation, unknown, time. */
#ifndef RUN_FAILURE_H
#define RUN_FAILURE_H

#include "run/run.h"

/* Writes the diagnostic for a step given up and says its status. Looks at the
 * last attempt, so it is called before stepper_restore. DAE_MEMORY, said of
 * whatever the step failed for, has changed nothing that the next call looks
 * at. */
dae_status failure_report(run *r, step_failure why);

/* Whether the step may have failed for where it is, and not for what a callback says. */
bool failure_is_of_place(step_failure why);

/* N0506 for unknowns that were held back at a bound, at most four; forgets
 * what it has said. */
void failure_note_bounds(run *r);

/* DAE_LIMIT with E0504; DAE_INTERRUPTED with E0005. */
dae_status failure_too_many_steps(run *r);
dae_status failure_interrupted(run *r);
/* Says of DAE_MEMORY (E0003) what it was for at t; returns st. */
dae_status failure_report_memory(
    const run *r, const char *what, double t, dae_status st);

#endif
