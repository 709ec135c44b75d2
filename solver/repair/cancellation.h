/* Cancellation: which unknowns a combination of equations no longer has. */
#ifndef REPAIR_CANCELLATION_H
#define REPAIR_CANCELLATION_H

#include "repair/repaired_problem.h"

typedef struct leftover {
    int32_t row;       /* of the view */
    dae_slot *cancels; /* the problem's slots that occur in the terms, not in
                          the sum */
    size_t cancel_count;
    bool has_rate; /* a derivative of an unknown is left */
    bool is_zero;  /* the sum is 0 whatever the unknowns are; set where
                        nothing is left */
} leftover;

/* Fills what follows `row` in each of `list`, from one point; the slots are in
 * the arena. */
dae_status leftover_find(
    view *v, leftover *list, size_t count, arena *a) DAE_MUST_CHECK;

#endif
