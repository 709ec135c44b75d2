/* A set of rows, given values and bounds that do not hold together, of which
 * every proper part does: a deletion filter [Chi08 6] over the members that the
 * failure reaches, each set tried from several points. */
#ifndef START_CONFLICT_H
#define START_CONFLICT_H

#include "start/solve.h"

/* After solve_rows has failed on all rows at s->z, with residuals and measured
 * Jacobian there. *is_solved: all rows hold after all, at s->z. Otherwise
 * the set goes to the findings (start/record.h), with what is proved of it,
 * and the status is DAE_INCONSISTENT where something given takes part,
 * DAE_NUMERIC where only equations do; *is_found false: none is known, which is
 * no error. */
dae_status conflict_find(init_system *s, const solution *failed,
    bool *is_solved, bool *is_found) DAE_MUST_CHECK;
/* The same of one row whose slots are all given, and of these values and their
 * bounds alone; `alike` further rows of its equation fail as it does. */
dae_status conflict_of_row(
    init_system *s, size_t row, size_t alike, bool *is_found) DAE_MUST_CHECK;

#endif
