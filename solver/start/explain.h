/* What is found out and recorded about a start that fails. */
#ifndef START_EXPLAIN_H
#define START_EXPLAIN_H

#include "start/damped.h"
#include "start/split.h"

/* F or its Jacobian has no value at z. Returns DAE_NUMERIC, or what kept it
 * from that. */
dae_status explain_no_value(init_system *s) DAE_MUST_CHECK;
/* The value of a slot is none, or too large to compute with. Returns the same.
 */
dae_status explain_not_finite(const init_system *s, size_t slot) DAE_MUST_CHECK;
/* Equations whose values are all given and do not fit: the first three. Returns
 * DAE_INCONSISTENT. */
dae_status explain_checks(
    init_system *s, const split_part *checks) DAE_MUST_CHECK;
/* A part that was not solved: DAE_INCONSISTENT where no values of its slots are
 * right and other given values could be, DAE_NUMERIC otherwise, also for
 * equations that contradict each other whatever is given. A thorough search
 * finds the smallest set that contradicts itself, and equations without a real
 * solution; *is_solved: all rows hold after all, and nothing is recorded. */
dae_status explain_failure(init_system *s, const split_part *part,
    const damped_result *result, bool *is_solved) DAE_MUST_CHECK;
/* A row that is only met where values have grown beyond bounds
 * (start/proportion.h). Returns DAE_NUMERIC. */
dae_status explain_growth(const init_system *s, size_t row) DAE_MUST_CHECK;

#endif
