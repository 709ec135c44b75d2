/* Going on with another set of states, at the same time and with the same
 * order and step: what was a derivative becomes a state or the other way
 * round, and no value changes. */
#ifndef STEP_CARRY_H
#define STEP_CARRY_H

#include "step/step.h"

/* Where the past of the new states comes from. Those that were states keep
 * their differences; the others get them from their values at past points. */
struct carry_source {
    const int32_t *state;        /* new states: the old one; -1: it was none */
    const int32_t *column;       /* new states: its place in `values` */
    const double *const *values; /* [k]: k points ago, k < count; [0] is now */
    int count;                   /* points at different times, 1 or more */
    const int32_t *slope; /* new states that were none: the old one whose slope
                                    it was; -1: it was no slope. NULL: none was */
};

/* `to` has been initialized for the new states and borrows from nothing in
 * `from`, which stands at an accepted point; its point.x and xp hold the values
 * of the new states there. */
void stepper_carry(
    stepper *to, const stepper *from, const carry_source *source);

#endif
