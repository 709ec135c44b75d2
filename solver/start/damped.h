/* Newton's method, damped and bounded, on some rows and slots of the start's
 * equations: square systems by factorization, all others (and square ones
 * that turn out singular) as least changes (start/kkt.h). */
#ifndef START_DAMPED_H
#define START_DAMPED_H

#include "start/system.h"

typedef enum damped_outcome {
    DAMPED_SOLVED,
    DAMPED_STALLED,  /* no step makes the residuals smaller, none is zero */
    DAMPED_BUDGET,   /* iterations used up */
    DAMPED_NO_VALUE, /* the Jacobian is not finite here */
} damped_outcome;

typedef struct damped_result {
    damped_outcome outcome;
    bool is_singular; /* square, and singular at the end */
    int64_t iterations;
} damped_result;

/* Solves from s->z, s->res; both hold the last point afterwards, also where
 * it failed. `scale` (slots): sizes for least changes. A status other than
 * DAE_OK is no outcome but the end: memory, an interrupt, a callback's. */
dae_status damped_solve(init_system *s, const submatrix *m, const double *scale,
    damped_result *result) DAE_MUST_CHECK;
/* The same where any solution serves: of more slots than rows not the one
 * nearest to the guesses. */
dae_status damped_reach(init_system *s, const submatrix *m, const double *scale,
    damped_result *result) DAE_MUST_CHECK;

#endif
