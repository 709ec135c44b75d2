/* The least sum of the squares of some rows over some slots, from where they
 * are downhill. */
#ifndef START_DESCENT_H
#define START_DESCENT_H

#include "start/split.h"

/* Rows, and slots. */
enum { DESCENT_MOST = 40 };

typedef struct descent {
    init_system *s;
    submatrix m;
    double *values;            /* entries */
    double *weight;            /* rows: 1 / largest term at the beginning */
    double *size;              /* columns */
    double *h, *l;             /* columns^2 */
    double *g, *d, *from, *to; /* columns */
    double *trial;             /* rows of the system */
    int32_t *local;
    double mu;
} descent;

/* For a block of at most DESCENT_MOST rows and slots; memory from the system's
 * arena. */
dae_status descent_init(
    descent *v, init_system *s, const subset *b) DAE_MUST_CHECK;
/* From s->z, whose residuals are s->res, to the minimum inside the bounds where there is one near:
 * by Levenberg's and Marquardt's method [DS83 10.2]. The Jacobian and its
 * measures move along, with v->values and v->weight. DAE_RETRY: no value. */
dae_status descent_run(descent *v, bool *is_minimum) DAE_MUST_CHECK;
/* Whether a slot stands at a bound, and what has that slope would be less
 * beyond it. */
bool descent_is_held(const init_system *s, size_t slot, double slope);
/* The sum of the squares, of `res` (rows of the system). */
double descent_sum(const descent *v, const double *res);

#endif
