/* Bounds of unknowns (`min`, `max`). Residuals and outputs never see a value
 * beyond them. The corrector and the history do, by parts of a tolerance:
 * there the equations are continued along their tangent,
 *
 *   F(t, c, xp) + dF/dx (x - c),   c = x moved onto its bounds,
 *
 * so that Newton converges as it does inside, a solution that decays to its
 * bound keeps decaying to it, and what the equations conserve linearly stays
 * conserved. (Cutting the values themselves would add to every sum.) */
#ifndef NEWTON_BOUNDS_H
#define NEWTON_BOUNDS_H

#include "base/arena.h"
#include "linalg/iteration_matrix.h"
#include <dae/problem.h>
#include <stdbool.h>

typedef struct bound {
    size_t unknown, state; /* the state that holds the unknown's value */
    double low, high;      /* -inf, +inf: none */
    double kept;           /* the value while clipped */
    double held;           /* when it was held back first; NaN: never */
    bool held_low;         /* at which end */
} bound;

typedef struct bounds {
    size_t count; /* unknowns with a bound */
    bound *at;
} bounds;

/* Lists the bounds of a problem; memory comes from `a`. DAE_MEMORY. */
dae_status bounds_init(bounds *b, const dae_problem *problem, const layout *l,
    arena *a) DAE_MUST_CHECK;

/* Moves x (N) onto its bounds. */
void bounds_clip(const bounds *b, double *x);

/* Moves onto their bounds the values that a change (N) leads back to them. */
void bounds_clip_led_back(const bounds *b, const double *change, double *x);

/* As bounds_clip until bounds_leave; whether any value lay beyond. */
bool bounds_enter(bounds *b, double *x);
void bounds_leave(const bounds *b, double *x);

/* Moves values that sit at a bound inside by a tolerance, 1/w (w: N), within
 * enter and leave: where derivatives have no value at the bound (sqrt, log).
 * Whether there were any. */
bool bounds_inside(const bounds *b, const double *w, double *x);

/* res (n) += dF/dx (x - c) by the Jacobian values in `matrix`. */
void bounds_extend(
    const bounds *b, const iteration *matrix, const double *x, double *res);

/* How far x lies beyond its bounds at most, in tolerances; `*which` (may be
 * NULL) that bound. 0 and `*which` untouched: nowhere. */
double bounds_excess(
    const bounds *b, const double *x, const double *w, size_t *which);

/* Remembers the time of values held back by a share of a tolerance that is
 * no rounding. */
void bounds_note(bounds *b, double t, const double *x, const double *w);

/* What was remembered of another list: of those that hold a value that `state`
 * (of this one's states: that of the other, or -1) says they share. */
void bounds_carry(bounds *b, const bounds *other, const int32_t *state);

#endif
