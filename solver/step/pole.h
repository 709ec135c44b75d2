/* Steps across a pole of the equations. Where a denominator changes its sign, and what is
 * divided does not vanish with it, the equations have no bound, and no continuous solution
 * leads there: a step that does has left the solution for another branch, by an error
 * within its tolerances perhaps, as H - Kw/H = d has two. Denominators are evaluated at
 * accepted points. Where one has changed its sign the equations tell: on the straight line
 * between the points, ever closer to the place where it is 0, some residual grows as
 * the denominator falls, on both sides alike. Of sin(x)/x, of atan(y/x) and of a branch that
 * is not taken none does. */
#ifndef STEP_POLE_H
#define STEP_POLE_H

#include "base/arena.h"
#include "linalg/layout.h"
#include <dae/problem.h>
#include <stdbool.h>

typedef struct pole_watch {
    const dae_denominators *of; /* NULL: there are none */
    const dae_problem *problem;
    const layout *layout;
    size_t held_count; /* switches */
    double *before, *now,
        *there; /* denominators: at the last point, at the new one, between */
    double *x, *xp;       /* the last point */
    double *line, *slope; /* a point between */
    double *residual[6];  /* three distances, on both sides */
    double *held;         /* of the switches, aside */
    uint8_t *futile;      /* of each denominator: how often nothing was found */
    int64_t asked;        /* how often in all */
    bool was_tight;       /* Newton's method before the first of them */
    bool has_passed;      /* what looked like a pole was none */
    bool is_known;        /* `before` */
    bool is_positive,
        is_now_positive; /* of->positive at the last point, at the new one */
    bool is_made;        /* `now` is of the attempt at hand */
    size_t
        at; /* what an attempt at this step would have crossed; SIZE_MAX: none */
    size_t first;  /* the one that `size` is of */
    double size;   /* of the residue at the first attempt to cross it */
    double length; /* of that */
} pole_watch;

/* Both ends of an attempt. */
typedef struct pole_ends {
    double t0;
    double t1;
    const double *x, *xp; /* at t1 */
    int64_t steps;        /* of the run */
} pole_ends;

dae_status pole_init(pole_watch *w, const dae_problem *p, const layout *l,
    arena *a) DAE_MUST_CHECK;
/* The next attempt begins elsewhere: after a start, an event. */
void pole_forget(pole_watch *w);
/* An attempt begins; it was accepted. */
void pole_prepare(pole_watch *w);
void pole_keep(pole_watch *w, double h);
/* What is known at t0, where it is not: with w->x and w->xp of there. */
dae_status pole_begin(pole_watch *w, double t0) DAE_MUST_CHECK;
/* Whether nothing need be evaluated for x, the new point: what makes the denominators other
 * than 0 holds there and at the last one. */
bool pole_is_excluded(pole_watch *w, const double *x);
/* Evaluates at the new point: whether some denominator has changed its sign. */
dae_status pole_look(
    pole_watch *w, const pole_ends *e, bool *has_changed) DAE_MUST_CHECK;
/* Then whether the equations have a pole between, with w->x and w->xp of t0: w->at. */
dae_status pole_crossed(
    pole_watch *w, const pole_ends *e, bool *is_across) DAE_MUST_CHECK;

#endif
