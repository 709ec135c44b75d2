/* What is said about a start that fails, or that had to assume something. */
#ifndef INIT_EXPLAIN_H
#define INIT_EXPLAIN_H

#include "init/damped.h"
#include "init/split.h"

/* E0403: F or its Jacobian has no value at z. Returns DAE_NUMERIC. */
dae_status explain_no_value(const init_system *s);
/* E0401 for equations whose values are all given and do not fit: the first
 * three. Returns DAE_INCONSISTENT. */
dae_status explain_checks(const init_system *s, const split_part *checks);
/* A part that was not solved: E0401 (DAE_INCONSISTENT) where no values of
 * its slots are right and given values take part, E0402 (DAE_NUMERIC)
 * otherwise. */
dae_status explain_failure(
    init_system *s, const split_part *part, const damped_result *result);
/* E0405, for a slot with a condition. Returns DAE_INCONSISTENT. */
dae_status explain_bound(const init_system *s, size_t slot);
/* N0406: the guess was moved. */
void explain_moved(const init_system *s, size_t slot, double from);
/* W0404: `missing` conditions; the states in `sp` that stand in for them. */
void explain_missing(const init_system *s, const split *sp, size_t missing);
/* N0407 */
void explain_redundant(const init_system *s, int64_t count);

#endif
