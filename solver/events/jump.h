/* Values of a reduced system after an event, from some that are assigned: level
 * after level of the extended problem. A derivative x_j^(l) has the level l - d_j, an
 * equation that of the highest it holds, so the equations of a level say what its
 * derivatives are once the lower ones are known: for a pendulum first the places,
 * then the speeds, then the accelerations with the force. What is assigned is held.
 * Where that leaves a choice the equations themselves share the jump, and where they do not tell the least change is taken, in
 * units of nominal sizes: tolerances have no part in it. */
#ifndef EVENTS_JUMP_H
#define EVENTS_JUMP_H

#include "base/arena.h"
#include "reduce/reduction.h"

typedef struct jump_task {
    const reduction *of;
    double t;
    bool are_open; /* integrated values may jump */
    /* columns of of->extended: */
    uint8_t *is_held;
    double *z;        /* values before, those that are assigned in the places of
                         is_held; consistent once it is solved, */
    double *before;   /* and what they were; */
    double *z_level;  /* before the level at hand */
    uint8_t *is_open; /* not determined by what is held and by its level */
    double *blow;  /* unknowns: of those without derivatives the integral over
                               the moment, added; NULL: nobody asks */
    bool is_least; /* of some level the least change was taken */
    size_t row;    /* with DAE_INCONSISTENT: contradicts what is held */
    arena memory;
} jump_task;

/* Room for a jump at t, in which nothing is held yet; jump_end also after a failure.
 * DAE_MEMORY. */
dae_status jump_begin(
    jump_task *task, const reduction *r, double t) DAE_MUST_CHECK;
void jump_end(jump_task *task);
/* DAE_INCONSISTENT; DAE_RETRY: no values are found. DAE_MEMORY, or a status of a
 * callback. */
dae_status jump_solve(jump_task *task, dae_stats *stats) DAE_MUST_CHECK;

#endif
