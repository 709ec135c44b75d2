/* The Jacobian of a function over slots, F or the general initial
 * conditions: its pattern, its values, and how they are made: by the
 * caller's function (everything once, then what varies) or by coloured
 * differences. */
#ifndef LINALG_JACOBIAN_H
#define LINALG_JACOBIAN_H

#include "linalg/layout.h"
#include <math.h>

typedef struct jacobian jacobian;

/* The function; everything borrowed. */
typedef struct jacobian_source {
    void *self;
    size_t rows;
    dae_residual_fn *residual;
    dae_jacobian_fn *function;  /* NULL: differences */
    const dae_pattern *pattern; /* NULL, or without column_start: dense */
} jacobian_source;

/* DAE_ARGUMENT: the pattern is not one (rows outside the range or not
 * ascending). */
dae_status jacobian_create(const jacobian_source *source, const layout *l,
    const dae_allocator *allocator, jacobian **out) DAE_MUST_CHECK;
void jacobian_free(jacobian *j);

/* Evaluates at a point; `res` is the function's value there. See
 * iteration_evaluate. DAE_RETRY: overflow. */
dae_status jacobian_evaluate(jacobian *j, double t, const double *x,
    const double *xp, const double *res, const double *weights, double step,
    int64_t *residuals) DAE_MUST_CHECK;
/* The next evaluation makes every entry again. */
void jacobian_reset(jacobian *j);
/* Digest of the constant entries, 0 if there is none yet; and one from elsewhere to
 * compare with: if the next evaluation of all entries differs, it is repeated. */
uint64_t jacobian_digest(const jacobian *j);
void jacobian_expect(jacobian *j, uint64_t digest);

const dae_pattern *jacobian_pattern(const jacobian *j);
const double *jacobian_values(const jacobian *j);
/* Row of the first value that has overflowed, -1: none. */
int64_t jacobian_overflow_row(const jacobian *j);

/* Not a number, infinite, or so large (2^512, 1.3e154) that its square is: then
 * norms overflow, and sums lose their other terms. Such values count as missing; a step
 * or a start that finds one tries another point. */
#define OVERFLOW_RULE "sizes up to 1.3e154 can be computed with"
static inline bool is_overflow(double value)
{
    return !(fabs(value) < 0x1p512);
}
/* True where one of the values is. A sum of magnitudes below the bound has no term
 * above it: nearly always that is all of the work, in the caller's own loop where
 * there are a few values. */
bool any_overflow_of_many(const double *values, size_t count);
static inline bool any_overflow(const double *values, size_t count)
{
    enum { MANY = 8 };
    if (count >= MANY) return any_overflow_of_many(values, count);
    double sum = 0;
    for (size_t p = 0; p < count; p++) sum += fabs(values[p]);
    return !(sum < 0x1p512) && any_overflow_of_many(values, count);
}
/* The first such entry of a row; NaN where it has none. */
double overflow_in_row(const dae_pattern *pattern, size_t columns,
    const double *values, int64_t row);

#endif
