/* The iteration of a start: Gauss-Newton, bounded and damped, on some rows and
 * slots of the equations. Each step has least norm, by a rank-revealing
 * factorization that is lexicographic in the slots: rates move first, then values
 * without a stated guess, and stated guesses only if no others can. It ends when
 * its steps contract [Deu04 4.3], never because a residual is small relative to
 * one slope at one point. */
#ifndef START_GAUSS_NEWTON_H
#define START_GAUSS_NEWTON_H

#include "start/system.h"

typedef enum gauss_newton_end {
    GAUSS_NEWTON_SOLVED,
    GAUSS_NEWTON_STALLED,  /* no step helps, and the rows do not hold */
    GAUSS_NEWTON_BUDGET,   /* iterations used up */
    GAUSS_NEWTON_NO_VALUE, /* the Jacobian is not finite where it began */
} gauss_newton_end;

typedef struct gauss_newton_result {
    gauss_newton_end end;
    bool is_linear;    /* it contracted linearly: a singular root */
    bool is_deficient; /* fewer pivots than rows and than slots at the end */
    int64_t iterations;
} gauss_newton_result;

/* From s->z, s->res; both hold the last point afterwards, also where that is
 * no solution. Where the first try stalls: from a point nearby, since the
 * Jacobian may lose its rank at the guesses alone, then from where a monotone
 * descent ends. Of more slots than pivots the solution nearest to the guesses.
 * Statuses other than DAE_OK: memory, an interrupt, a callback's. */
dae_status gauss_newton_solve(init_system *s, const subset *p,
    gauss_newton_result *result) DAE_MUST_CHECK;
/* The first try alone, without a search for the nearest solution: to confirm a point. */
dae_status gauss_newton_confirm(init_system *s, const subset *p,
    gauss_newton_result *result) DAE_MUST_CHECK;

#endif
