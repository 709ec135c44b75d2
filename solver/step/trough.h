/* Unknowns that fall to their absolute tolerance and grow back. An error that a step makes there
 * passes every test, however large it is beside the unknown, and where the unknown multiplies
 * itself, as a population does, the error multiplies with it:
 *
 *     e' = lambda e,  lambda = -(dF_i/dx)/(dF_i/dx'),
 *
 * i the one equation with x'. e is carried from step to step, at least as large as the estimated
 * error of each step made there. lambda is that of a Jacobian every few steps, as those of
 * Newton's method are kept for much longer; they are not counted, as no step is made by them. */
#ifndef STEP_TROUGH_H
#define STEP_TROUGH_H

#include "base/arena.h"
#include "newton/weights.h"
#include <dae/problem.h>
#include <stdbool.h>

#define TROUGH_NONE UINT32_MAX

typedef struct trough {
    const dae_problem *problem; /* NULL: nothing is watched */
    const layout *layout;
    arena *memory;
    const uint32_t
        *own; /* the entry of each state beside that of its slope, the
                            only one in its column; TROUGH_NONE: not watched */
    /* NULL before an unknown falls so low: */
    double *values; /* of all entries; others may use them meanwhile */
    double *error;  /* carried; 0: none */
    double *rate;   /* lambda */
    double *since;  /* when the error was made */
    int wait;       /* steps until rates are evaluated */
    size_t alive;   /* states with an error */
    /* the first that has grown beyond what is told */
    size_t state;         /* SIZE_MAX: none */
    double t, made, size; /* when, when its error was made, in tolerances */
} trough;

/* The point that a step was accepted at. */
typedef struct trough_point {
    double t, h;
    const double *x, *xp;
    const double *d;       /* the change from the prediction, */
    double error_constant; /* of which this part is the error */
    bool is_long;          /* by a one-step method */
} trough_point;

dae_status trough_init(
    trough *w, const dae_problem *p, const layout *l, arena *a) DAE_MUST_CHECK;
/* DAE_OK, or what a callback has stopped with. */
dae_status trough_follow(
    trough *w, const weights *k, const trough_point *p) DAE_MUST_CHECK;

#endif
