/* The algebraic part of a point: slopes, and what has no derivative, as the equations
 * have them with the states that there are. What is shown of a reduced problem is solved for
 * so, lest Newton's method leave a share of a tolerance times alpha in it, and what a first
 * step, whose line no test has seen, has of such unknowns. Nothing of it comes back into the
 * run, and it depends on the run alone, not on what was shown before. */
#ifndef RUN_ALGEBRAIC_H
#define RUN_ALGEBRAIC_H

#include "reduce/reduced.h"
#include "run/engine.h"

/* What `e` has for it is freed. */
void algebraic_free(engine *e);
/* x and xp are a point of `now`, which `e` steps, at t. They stay as they are
 * where Newton's method does not come to an end. DAE_MEMORY, or a status of a
 * callback. */
dae_status algebraic_at_point(engine *e, const reduced *now, double t,
    double *x, double *xp) DAE_MUST_CHECK;
/* x is what `e`, whose problem is taken as it stands, shows at t of a first step.
 * It stays as it is where the equations of that time alone do not determine what
 * has no derivative. DAE_MEMORY, or a status of a callback. */
dae_status algebraic_on_line(engine *e, double t, double *x) DAE_MUST_CHECK;
/* Slopes, and what has no derivative, as the equations of `e`, which steps `now`
 * (NULL: a problem as it stands), ask for them at t, to rounding; x of the others
 * stays. DAE_NUMERIC: they do not determine them; DAE_RETRY: Newton's method does
 * not come to an end; x and xp are then anything. DAE_MEMORY, or a status of a
 * callback. */
dae_status algebraic_solve(engine *e, const reduced *now, double t, double *x,
    double *xp) DAE_MUST_CHECK;
/* The same with the factors of the point before, where two corrections with them come to
 * an end. */
dae_status algebraic_follow(engine *e, const reduced *now, double t, double *x,
    double *xp) DAE_MUST_CHECK;
/* xp of what has no derivative at a point where the equations hold, as their
 * derivative by time has it, for states that go on by their slopes: asked at t,
 * t + delta and t + 2 delta. DAE_RETRY, DAE_NUMERIC: it is not determined, or not
 * known; xp is then what it was. DAE_MEMORY, or a status of a callback. */
dae_status algebraic_slopes(engine *e, const reduced *now, double t,
    double delta, const double *x, double *xp) DAE_MUST_CHECK;

/* Whether that, and what solves for them, has all its room already. */
bool algebraic_is_ready(const engine *e, const reduced *now);

#endif
