/* What is found out and recorded about a start that fails. */
#ifndef START_EXPLAIN_H
#define START_EXPLAIN_H

#include "start/solve.h"

/* A row of the part (NULL: any) or an entry of it has no value at z. Returns
 * DAE_NUMERIC, or what kept it from that. */
dae_status explain_no_value(init_system *s, const subset *part) DAE_MUST_CHECK;
/* The value of a slot is none, or too large to compute with. Returns the same.
 */
dae_status explain_not_finite(const init_system *s, size_t slot) DAE_MUST_CHECK;
/* A search that failed where it did: DAE_INCONSISTENT where something given
 * takes part in what does not hold together (start/conflict.h), DAE_NUMERIC
 * otherwise. *is_solved: what the failure reaches holds after all, where s->z is
 * now, and nothing is recorded. */
dae_status explain_failure(
    init_system *s, const solution *end, bool *is_solved) DAE_MUST_CHECK;
/* The same without a search for such a set. */
dae_status explain_end(init_system *s, const solution *end) DAE_MUST_CHECK;

#endif
