/* The predictor: value and slope, at the new point, of the polynomial through
 * the last k + 1 points. */
#ifndef STEP_PREDICT_H
#define STEP_PREDICT_H

#include "linalg/layout.h"
#include "step/history.h"

/* Where an attempt lives. For a first-order layout `slope` is `xp`. */
typedef struct point {
    double t, alpha;
    double *x;     /* N: values */
    double *xp;    /* n: highest derivatives */
    double *slope; /* N: predicted slopes of all states */
    double *d;     /* N: x minus its prediction */
} point;

/* Fills a point for order k; alpha is set already. Highest states start at
 * their prediction (d = 0); lower ones satisfy x_o' = x_(o+1) exactly. */
void predict(
    const history *hi, const grid *g, int k, const layout *l, point *p);

/* The rows x_o' = x_(o+1) of a point that is filled as for a first-order layout:
 * lower states and theirs d, xp from the slopes of the highest. */
void predict_chains(const layout *l, point *p);

#endif
