/* The Jacobian of a function over slots, F or the general initial
 * conditions: its pattern, its values, and how they are made: by the
 * caller's function (everything once, then what varies) or by coloured
 * differences. */
#ifndef SPARSE_JACOBIAN_H
#define SPARSE_JACOBIAN_H

#include "sparse/layout.h"

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
 * iteration_evaluate. DAE_RETRY: not finite. */
dae_status jacobian_evaluate(jacobian *j, double t, const double *x,
    const double *xp, const double *res, const double *weights, double step,
    int64_t *residuals) DAE_MUST_CHECK;
/* The next evaluation makes every entry again. */
void jacobian_reset(jacobian *j);

const dae_pattern *jacobian_pattern(const jacobian *j);
const double *jacobian_values(const jacobian *j);
/* Row of the first value that is not finite, -1: none. */
int64_t jacobian_nonfinite_row(const jacobian *j);

/* True where one of the values is an infinity or not a number; compiles to
 * integer operations over vectors. */
bool any_nonfinite(const double *values, size_t count);

#endif
