/* Values behind an event: what the equations ask for at one instant with what is
 * held now, from the values before. They are written into the point of the
 * engine's stepper; its history stays what it is. */
#ifndef CONTROL_ANEW_H
#define CONTROL_ANEW_H

#include "control/event_loop.h"

/* Nothing is assigned: what is integrated stays, slopes and what has no derivative
 * follow. `*is_same`: the equations at the point are what they were with
 * `held_last`, and nothing is moved. DAE_NUMERIC: they do not determine them,
 * nothing is said. DAE_MEMORY, or a status of a callback. */
dae_status anew_follow(run *r, double t, bool *is_same) DAE_MUST_CHECK;
/* Values of the caller's are assigned (e->made). DAE_INCONSISTENT,
 * DAE_NUMERIC, said in `ds`. */
dae_status anew_assign(run *r, double t) DAE_MUST_CHECK;
/* The caller's x and xp as they are a time `s` after t, by the slopes at the
 * point; `is_solved`: what has no derivative and all slopes solved for there.
 * DAE_RETRY: they are not to be had. */
dae_status anew_ahead(run *r, double t, double s, bool is_solved, double *x,
    double *xp) DAE_MUST_CHECK;
/* The same, solved, from e->x and e->xp with one state off, and within bounds; of a
 * reduced system none is. */
dae_status anew_beside(run *r, double t, double s, size_t state, double off,
    double *x, double *xp) DAE_MUST_CHECK;
/* The caller's x and xp of the point. */
void anew_show(const run *r, double *x, double *xp);

#endif
