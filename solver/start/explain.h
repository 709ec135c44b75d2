/* What is said about a start that fails. */
#ifndef START_EXPLAIN_H
#define START_EXPLAIN_H

#include "start/damped.h"
#include "start/split.h"

/* E0403: F or its Jacobian has no value at z. Returns DAE_NUMERIC, or
 * what kept it from that. */
dae_status explain_no_value(init_system *s);
/* E0403: the value of a slot is none, or too large to compute with. Returns
 * DAE_NUMERIC. */
dae_status explain_not_finite(const init_system *s, size_t slot);
/* E0401 for equations whose values are all given and do not fit: the first
 * three. Returns DAE_INCONSISTENT. */
dae_status explain_checks(init_system *s, const split_part *checks);
/* A part that was not solved, one error: E0401 (DAE_INCONSISTENT) where no
 * values of its slots are right and other given values could be, E0402
 * (DAE_NUMERIC) otherwise, also for equations that contradict each other
 * whatever is given. Where findings are asked for, the smallest set that
 * contradicts is told and recorded, and equations without a real solution;
 * *is_solved: all rows hold after all, and nothing is said. */
dae_status explain_failure(init_system *s, const split_part *part,
    const damped_result *result, bool *is_solved);
/* E0402: a row that is only met where values have grown beyond bounds, where
 * they are (start/proportion.h). Returns DAE_NUMERIC. */
dae_status explain_growth(const init_system *s, size_t row);

#endif
