/* Values of a reduced system behind an event, from some that are assigned: level
 * after level of the extended problem. A derivative x_j^(l) has the level l - d_j, an
 * equation that of the highest it holds, so the equations of a level say what its
 * derivatives are once the lower ones are known: for a pendulum first the places,
 * then the speeds, then the accelerations with the force. What is assigned is held;
 * of the rest of a level the least change satisfies its equations. */
#ifndef CONTROL_PLACING_H
#define CONTROL_PLACING_H

#include "control/reduction.h"

/* z (columns of r->extended), at t: values before, and in the places of `is_held`
 * those that are assigned; consistent on return. `first`: the lowest level that is
 * looked at. DAE_INCONSISTENT: row `*row` contradicts what is held; DAE_RETRY: no
 * values are found. DAE_MEMORY, or a status of a callback. */
dae_status placing_solve(const reduction *r, double t, int first,
    const uint8_t *is_held, double *z, size_t *row,
    dae_stats *stats) DAE_MUST_CHECK;
/* The lowest level there is. */
int placing_lowest(const reduction *r);

#endif
