/* Rows that depend on one another while what they are to be equal to does
 * not: each such set is minimal, as without any one of its members the others
 * are independent. */
#ifndef START_CIRCUIT_H
#define START_CIRCUIT_H

#include "base/arena.h"
#include <dae/status.h>

/* Rows of length near 1 or zero, by columns, with what is left of each, and
 * how much of that is within tolerance. */
typedef struct circuit_rows {
    size_t rows, columns;
    const double *matrix;  /* rows x columns */
    const double *left;    /* rows: residuals */
    const double *allowed; /* rows */
    double zero;           /* shorter rests are rounding */
} circuit_rows;

/* Goes through the rows in order, keeping those independent of the ones kept.
 * Each other is a combination of some of these; where the residuals contradict
 * that, it is a circuit: its coefficients (rows, 0 for those not in it)
 * are put into the next `rows` of `coefficients`, up to `most` times. Time:
 * rows times rank times columns. */
dae_status circuits_smallest(const circuit_rows *r, arena *a, size_t most,
    double **coefficients, size_t *count) DAE_MUST_CHECK;

#endif
