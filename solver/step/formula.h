/* What distinguishes one multistep formula from another. The step machine
 * predicts with the polynomial through the last k + 1 points and corrects
 *
 *   F(t, x_pred + d, xp_pred + alpha d) = 0
 *
 * whatever the formula; a formula says alpha and what error is left. */
#ifndef STEP_FORMULA_H
#define STEP_FORMULA_H

#include <stdbool.h>

/* No formula here goes beyond order 6 (order 7 is not zero-stable). */
#define FORMULA_ORDER_MAX 6

typedef struct formula {
    const char *name;
    int max_order;       /* with the step chosen by the error */
    int max_order_fixed; /* at fixed steps */
    /* Leading coefficient dxp/dx at the new point for order k (1/time).
     * psi[i] = t_new - t_(i steps back), i = 1..k+1, all of h's sign;
     * sums[i] = 1/psi[1] + ... + 1/psi[i]. */
    double (*alpha)(const double *psi, const double *sums, int k);
    /* Factor C for which C |d| is gamma_k times the local truncation error,
     * gamma_k = 1 + 1/2 + ... + 1/k. `d`: the (k+1)-th modified difference
     * at the new point. One scale for every formula, so the control of step
     * and order sees no difference between them. */
    double (*error_constant)(const double *psi, const double *sums, int k);
    /* kappa_k gamma_k by order, the share of del^(k+1) x that equal steps take
     * from the sum of del^j x/j; NULL: none. */
    const double *extra;
    const char *text;       /* for people, h the step, f the slope x' */
    bool needs_equal_steps; /* made for them: see step/regrid.h */
    int more_points;        /* beyond k that must be true ones at fixed steps */
    const struct one_step *one_step; /* NULL: a multistep formula, which has all
                                        of the above */
    const struct method_parts *parts; /* what else it brings; NULL: nothing */
} formula;

/* gamma_k = 1 + 1/2 + ... + 1/k. */
static inline double formula_gamma(int k)
{
    static const double gamma[FORMULA_ORDER_MAX + 1] = {
        0, 1, 3.0 / 2, 11.0 / 6, 25.0 / 12, 137.0 / 60, 49.0 / 20};
    return gamma[k];
}

#endif
