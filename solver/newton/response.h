/* What the equations, linearised, make of a difference of two solutions. */
#ifndef NEWTON_RESPONSE_H
#define NEWTON_RESPONSE_H

#include "newton/newton.h"

/* With M = dF/dx' and K = dF/dx of all states, rows x_o' = x_(o+1) among them, and
 * the factors at hand, those of `alpha`:
 *
 *   y = (alpha M + K)^-1 M v         (v, y: N, distinct)
 *
 * so that a motion v exp(lambda t), (lambda M + K) v = 0, gives v/(alpha -
 * lambda). *alpha = 0: there are no factors, or no answer. Moves nothing and
 * evaluates nothing: Jacobian and factors may be some steps old. Fails as the
 * solution of a linear system may: DAE_MEMORY. Where systems are iterated it holds to some
 * digits of its length in `weight` (N; NULL: to rounding). */
dae_status newton_response(newton *nw, const double *weight, const double *v,
    double *y, double *alpha) DAE_MUST_CHECK;

#endif
