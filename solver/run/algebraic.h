/* The algebraic part of a point: slopes, and what has no derivative, as the equations
 * ask for them with the states that there are.
 *
 * Of a reduced problem that is what is shown of a point. States, and what is tested for
 * its error, are as they were integrated. Slopes, and what only last derivatives
 * of constraints determine, are solved for once more, so that the hidden
 * constraints that they stand in hold with what is shown: Newton's method may
 * leave a share of a tolerance of a state, and its slope has that times alpha;
 * between the points slopes are those of a polynomial.
 *
 * A first step gives what has no derivative a line, and no test has seen how far
 * that is off. There this is solved for, too, by the states of that time; and in a
 * problem that is not reduced, this alone.
 *
 * Nothing of it comes back into the run: a point is solved for when it is requested,
 * and others cost nothing. The result depends on the run
 * alone, not on what was requested before. */
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
/* xp of what has no derivative at a point where the equations hold, as their
 * derivative by time has it, for states that go on by their slopes: asked at t,
 * t + delta and t + 2 delta. DAE_RETRY, DAE_NUMERIC: it is not determined, or not
 * known; xp is then what it was. DAE_MEMORY, or a status of a callback. */
dae_status algebraic_slopes(engine *e, const reduced *now, double t,
    double delta, const double *x, double *xp) DAE_MUST_CHECK;

/* Whether that, and what solves for them, has all its room already. */
bool algebraic_is_ready(const engine *e, const reduced *now);

#endif
