/* The past of a solution: divided differences on the true, non-uniform grid.
 *
 *   phi[i] = scale[i] * x[t_n, t_(n-1), ..., t_(n-i)],   i = 0..count-1
 *
 * with scale[i] = product of psi_j, j = 1..i, at the last step [Kro73],
 * [BCP96 5.2.1]. Nothing here depends on the formula that made the points, so
 * any order and any step may follow any other. A start (t0, x0, xp0) is a
 * grid whose past points all lie at t0: the differences are then those of
 * Hermite interpolation, and the first step has a true error estimate.
 *
 * An attempt reads the history and never writes it: a failed attempt has
 * nothing to restore. */
#ifndef STEP_HISTORY_H
#define STEP_HISTORY_H

#include "base/arena.h"
#include "step/formula.h"
#include <dae/status.h>

#define HISTORY_ROWS (FORMULA_ORDER_MAX + 2)

typedef struct history {
    size_t states;                 /* N */
    int rows;                      /* rows there are: highest order + 2 */
    int count;                     /* rows that hold differences, 2..rows */
    bool has_ahead;                /* points may lie ahead of it: step/cut.h */
    double t;                      /* newest point */
    double *phi[HISTORY_ROWS];     /* rows of N */
    double scale[HISTORY_ROWS];    /* time^i */
    double back[HISTORY_ROWS + 1]; /* t - t_(i points ago), time; [0] = 0 */
    double past[HISTORY_ROWS + 1]; /* the same of the points that were accepted:
                                      step/regrid.h moves the others */
} history;

/* The grid of one attempt, as seen from its new point. */
typedef struct grid {
    double h;                     /* signed */
    double psi[HISTORY_ROWS + 1]; /* t_new - t_(i back), i = 1.. */
    double beta[HISTORY_ROWS];    /* phi[i] on the new grid is beta phi[i] */
    double sums[HISTORY_ROWS];    /* sum of 1/psi_j, j <= i <= count, 1/time */
    /* h^i i! / (psi_1 ... psi_i), i <= count: times a modified difference, that of
     * equal steps. */
    double uniform[HISTORY_ROWS];
} grid;

/* Takes rows for a highest order from the arena. DAE_MEMORY. */
dae_status history_init(
    history *hi, size_t states, int max_order, arena *a) DAE_MUST_CHECK;

/* Begins at t with values x and slopes xp (both N); h: a first guess of the
 * step, which only scales the differences. */
void history_start(
    history *hi, double t, const double *x, const double *xp, double h);

void history_grid(const history *hi, double h, grid *g);

/* Accepts the point g->h further: x (N) and d = x - predicted by order k. All
 * rows up to k + 1 follow, and k + 2 where `further` and there is room. */
void history_push(history *hi, const grid *g, int k, const double *x,
    const double *d, int further);

/* Accepts the point h further with x and its slopes (N) by themselves: the cubic
 * that has values and slopes of both ends takes the place of what was there, which
 * must have begun with a slope: history_start or this. */
void history_hermite(
    history *hi, double h, const double *x, const double *slope);

/* Accepts the point h further with x and its slopes (N) as two points in one place,
 * beside all that are there and as far as there is room. */
void history_double(
    history *hi, double h, const double *x, const double *slope);

/* The last step's value and slope polynomial of order k at t = hi->t + s:
 * x and xp of states [begin, end), written from x[0], xp[0]; either may be
 * NULL. */
void history_at(const history *hi, int k, double s, size_t begin, size_t end,
    double *x, double *xp);
/* The values at several such places, one place after the other: bit for bit those.
 * Of the states in `slots` alone, of which there are slot_count; NULL: all. */
typedef struct history_places {
    const size_t *slots;
    size_t slot_count, count;
    const double *t; /* count */
} history_places;
void history_values(
    const history *hi, int k, const history_places *at, double *x);

#endif
