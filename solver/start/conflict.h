/* An inconsistent set of rows, given values and bounds whose proper subsets are
 * consistent: a deletion filter [Chi08 6] over the members connected with the
 * failure, each set tried from several points. */
#ifndef START_CONFLICT_H
#define START_CONFLICT_H

#include "start/solve.h"

/* After solve_rows has failed on all rows at s->z, with residuals and measured
 * Jacobian there. *is_solved: all rows hold after all, at s->z. Otherwise
 * the set is recorded in the findings (start/record_findings.h), with its proof if there
 * is one. The status is DAE_INCONSISTENT if the set has a given value or a
 * condition and is either proved or minimal and of few rows; else DAE_NUMERIC.
 * *is_found false: no set is known, which is no error. */
dae_status conflict_find(init_system *s, const solution *failed,
    bool *is_solved, bool *is_found) DAE_MUST_CHECK;
/* The same for one row whose slots are all given, with only these values and their
 * bounds; `similar`: the number of further rows of its equation that fail. */
dae_status conflict_of_row(
    init_system *s, size_t row, size_t similar, bool *is_found) DAE_MUST_CHECK;

#endif
