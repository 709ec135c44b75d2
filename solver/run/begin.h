/* The start of a run: consistent values, from the problem's own start or from
 * values that are given; the problem that is stepped from there (the caller's, a
 * reduced one, or one that stands as it is); and the stepper at its first point. */
#ifndef RUN_BEGIN_H
#define RUN_BEGIN_H

#include "run/run.h"

/* See dae_solver_initialize, dae_solver_start. */
dae_status begin_initialized(run *r) DAE_MUST_CHECK;
dae_status begin_at(run *r, double t0, const double *x, const double *xp,
    bool make_consistent) DAE_MUST_CHECK;
/* At t0 with the values in stepper.point, which are consistent. */
dae_status begin_here(run *r, double t0) DAE_MUST_CHECK;

/* The engine's unknowns without slopes, and all slopes, from its states and what
 * is guessed at t0; what is missing or redundant is not said again. */
dae_status begin_sharpen(run *r, double t0) DAE_MUST_CHECK;

/* The same after an event at t, with another branch; nothing is said. */
dae_status begin_again(run *r, double t) DAE_MUST_CHECK;

/* The values that an analysis has found, into slots; false: not all of these are among
 * them, and the others stay. */
bool begin_take_found(
    const layout *l, const dae_start_findings *f, double *x, double *xp);

/* Puts the stepper at the start once the direction is known; `towards` is the
 * end of the interval or the first output asked for. */
void begin_towards(run *r, double towards);
/* The same, from another point that the stepper has by now. */
void begin_from_point(run *r);

#endif
