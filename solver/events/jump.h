/* Values of a reduced system after an event, from some that are assigned: level
 * after level of the extended problem. A derivative x_j^(l) has the level l - d_j, an
 * equation that of the highest it holds, so the equations of a level say what its
 * derivatives are once the lower ones are known: for a pendulum first the places,
 * then the speeds, then the accelerations with the force. What is assigned is held.
 * Where that leaves a choice the equations themselves share the jump, and where they do not tell the least change is taken, in
 * units of nominal sizes: tolerances have no part in it. */
#ifndef EVENTS_JUMP_H
#define EVENTS_JUMP_H

#include "reduce/reduction.h"

typedef struct jump_task {
    double t;
    int first;              /* the lowest level that is looked at */
    const uint8_t *is_held; /* columns of r->extended */
    double *z;        /* columns: values before, those that are assigned in
                               the places of is_held; consistent on return */
    uint8_t *is_open; /* columns: not determined by what is held and by its
                               level; NULL: nobody asks */
    double *blow;  /* unknowns: of those without derivatives the integral over
                               the moment, added; NULL: nobody asks */
    bool is_least; /* of some level the least change was taken */
    size_t row;    /* with DAE_INCONSISTENT: contradicts what is held */
} jump_task;

/* DAE_INCONSISTENT; DAE_RETRY: no values are found. DAE_MEMORY, or a status of a
 * callback. */
dae_status jump_solve(
    const reduction *r, jump_task *task, dae_stats *stats) DAE_MUST_CHECK;
/* The lowest level there is. */
int jump_lowest(const reduction *r);

#endif
