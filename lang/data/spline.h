/* Splines through given points, as polynomials piece by piece.
 *
 * A spline of degree 3 or 5 is a polynomial between any two neighbouring
 * points and has continuous derivatives up to order 2 or 4. What is left open
 * at the ends is settled as *not-a-knot*: the polynomials of the first two (for
 * degree 5: three) intervals are one, and so are those of the last. That needs
 * no derivatives from anybody and keeps the order of the error, h^(degree + 1),
 * up to the ends, where the natural spline has h^2 [Boo01 IV, XIII]. */
#ifndef DATA_SPLINE_H
#define DATA_SPLINE_H

#include "base/arena.h"
#include <dae/status.h>
#include <stddef.h>

#define SPLINE_DEGREE_MOST 5

/* The spline of degree 3 or 5 through (x[i], y[i]), i < count, count above the
 * degree, x ascending: in [x[i], x[i + 1]] it is the sum over k <= degree of
 * c[i*(degree + 1) + k]*(t - x[i])^k, for count - 1 pieces. DAE_MEMORY;
 * DAE_ARGUMENT: the points lie so that it cannot be computed. */
dae_status spline_make(unsigned degree, const double *x, const double *y,
    size_t count, double *c, arena *scratch) DAE_MUST_CHECK;

#endif
