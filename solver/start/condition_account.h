/* Counts the conditions of a start by rank: which follow from the equations
 * and the others, how many are missing, what they may be, and where the point
 * itself is singular. */
#ifndef START_CONDITION_ACCOUNT_H
#define START_CONDITION_ACCOUNT_H

#include "start/system.h"

/* At a solution, s->z with s->res and the Jacobian there, which are the same
 * afterwards. Fills missing, redundant, could_fix, undetermined, open and
 * singular, and is_by_rank; leaves all as it was where it is too large. */
dae_status count_conditions(init_system *s, init_findings *out) DAE_MUST_CHECK;

#endif
