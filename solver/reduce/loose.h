/* Unknowns that the equations determine but for some combinations: the forces
 * in a structure with one rod too many. Of all their values those of least size
 * are taken: where columns L of the extended Jacobian have a null space N,
 *
 *     N^T x_L = 0
 *
 * are the equations that are missing. N is that of the point at hand. */
#ifndef REDUCE_LOOSE_H
#define REDUCE_LOOSE_H

#include "base/arena.h"
#include "extend/extend.h"

typedef struct loose {
    const extended *e;
    int32_t *column;  /* L, ascending: each of an unknown without derivatives */
    uint8_t *is_free; /* of them those that stand for N: 1 there, 0 at the
                         other free ones */
    size_t count, rows; /* columns; equations to add: free ones */
    double *n;          /* rows * count: N^T, as last made */
    /* the rest is its own */
    double *g;        /* the columns' entries, by rows that have any */
    int32_t *row_of;  /* e->rows: their numbers, -1 */
    size_t used;      /* rows of g */
    uint8_t *is_done; /* rows of g */
    size_t *pivot;    /* columns: the row of g; `used`: none */
    double *values;   /* of the extended Jacobian */
} loose;

/* `is_loose` and `is_free` are over e's columns; all from `a`. NULL where there
 * are no free ones. DAE_MEMORY. */
dae_status loose_create(const extended *e, const uint8_t *is_loose,
    const uint8_t *is_free, arena *a, loose **out) DAE_MUST_CHECK;
/* N from the extended Jacobian's values. */
void loose_update(loose *l, const double *values);
/* The residuals of the equations at a point, N made there; DAE_RETRY. */
dae_status loose_residual(
    loose *l, double t, const double *columns, double *res) DAE_MUST_CHECK;

#endif
