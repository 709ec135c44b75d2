/* The equations of a compiled model, and their Jacobian, along a curve that
 * is given as power series: what problem.h calls series, series_jacobian and
 * series_explain. */
#ifndef CODE_SERIES_H
#define CODE_SERIES_H

#include "code/compile.h"
#include "code/series_core.h"

/* What runs in power series. */
typedef enum series_kind {
    SERIES_EQUATIONS,
    SERIES_ENTRIES, /* of the Jacobian */
    SERIES_ROOTS,   /* root functions of switches */
    SERIES_KINDS
} series_kind;

/* Arrays of series, for one number of terms. */
typedef struct series_space {
    series_room room;
    double *x, *xp, *time, *definitions, *temps, *results, *scratch;
} series_space;

dae_status series_values(void *self, size_t terms, double t0, const double *x,
    size_t stride, double *f);
dae_status series_entries(void *self, size_t terms, double t0, const double *x,
    size_t stride, double *values);
dae_status series_roots(void *self, size_t terms, double t0, const double *x,
    size_t stride, double *g);
void series_free(const dae_allocator *a, series_store *store);

/* Whether curves of so many coefficients give so many terms. */
bool series_is_long_enough(const compiled *c, size_t terms, size_t stride);

/* Evaluates the definitions and what is requested into `space`. DAE_ARGUMENT,
 * DAE_LIMIT, DAE_MEMORY. */
dae_status series_evaluate(compiled *c, series_kind kind, size_t terms,
    double t0, const double *x, size_t stride,
    series_space *space) DAE_MUST_CHECK;

#endif
