/* Rows that depend on each other in a sparse matrix too large for circuits of
 * full ones (start/circuit.h). */
#ifndef START_EXCESS_H
#define START_EXCESS_H

#include "start/system.h"

/* A matrix with more rows than columns. */
typedef struct excess_rows {
    const submatrix *m;
    const double *values;  /* entries */
    const double *scale;   /* rows: factors that make their sizes near 1 */
    const double *left;    /* rows: residuals, scaled */
    const double *allowed; /* rows: of these within tolerance, scaled */
} excess_rows;

/* Takes as many independent rows as there are columns, those of a maximum
 * matching, and looks for another one that depends on them while what is left
 * does not: u (rows) gets the coefficients with which these rows add up to 0,
 * 0 for those that take no part. Without any one member the others are
 * independent. *is_found: there is one, among the first that were tried. One
 * sparse factorization; DAE_MEMORY. */
dae_status excess_find(const excess_rows *r, arena *a,
    const dae_allocator *allocator, double *u, bool *is_found) DAE_MUST_CHECK;

#endif
