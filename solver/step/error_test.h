/* The numbers behind accepting a step and choosing the next: weighted norms
 * of the differences of orders k-1 to k+2 at the new point, made in one pass
 * over the states. What follows from them is select.h's. */
#ifndef STEP_ERROR_TEST_H
#define STEP_ERROR_TEST_H

#include "step/history.h"

/* Orders k-2, k-1, k, k+1 by their distance from k. */
enum { LOWER2, LOWER, SAME, HIGHER, ESTIMATE_COUNT };

typedef struct estimates {
    int k;
    int has[ESTIMATE_COUNT];
    /* e_q: gamma_q times the local truncation error a step of order q would
     * have made here, in tolerances. */
    double error[ESTIMATE_COUNT];
    /* T_q: norm of h^(q+1) x^(q+1), as if the grid were uniform. */
    double term[ESTIMATE_COUNT];
} estimates;

/* Whether an order above k can be estimated: one more old difference. */
int error_test_can_rise(const history *hi, const formula *f, int k);

/* Estimates at the new point of `g`, d (N) being its distance from the
 * prediction, w (N) the weights; order k+1 only where `with_higher`. */
void error_test_measure(const history *hi, const grid *g, const formula *f,
    int k, const double *w, const double *d, int with_higher, estimates *e);

#endif
