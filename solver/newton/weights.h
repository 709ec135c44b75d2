/* Error weights: what one unit of tolerance is for every state.
 *
 *   w = 1 / (rtol |x| + atol)
 *
 * per state; the states of one unknown (its lower derivatives) share its
 * atol. Where the problem gives a `nominal` size and no atol of its own, the
 * option's atol counts in units of that size (atol = option * nominal), so
 * that a pressure of 1e5 and a concentration of 1e-6 are treated alike.
 *
 * Where rounding in the equations moves a state by more than that, its noise
 * is added to atol (weights_add_noise): a tolerance below it would only make
 * steps fail.
 *
 * `plain` is for differences and reports, `test` for the error test, in which
 * states of index group 2 (DAE_GROUP_WEIGHT and _ROOT as well) carry a factor min(1, |h|), group 3 its square and
 * groups 254 and 255 (dae/problem.h) a zero [HLR89]; `solve` for the corrector's
 * norm, in which group 254 carries a twentieth: it follows from the others, but what an iteration
 * leaves of it would grow from prediction to prediction. */
#ifndef NEWTON_WEIGHTS_H
#define NEWTON_WEIGHTS_H

#include "base/arena.h"
#include "linalg/layout.h"
#include <dae/problem.h>

typedef struct weights {
    const layout *layout;
    uint8_t *group; /* N, or NULL where every group is 0 or 1 */
    double rtol;
    const double *atol; /* N */
    const double
        *floor;     /* N: atol, or more where there is noise: then it is in */
    double *lifted; /* N */
    double *plain;  /* N */
    double *test;   /* N; the same vector as `plain` without groups */
    double *solve;  /* N; the same vector as `test` without group 254 */
} weights;

/* The typical size of unknown j: its nominal value; 1 where there is none. */
double weights_nominal(const dae_scales *scales, size_t j);
/* The absolute tolerance of unknown j; `option` is that of the options. `scales`
 * may be NULL. */
double weights_tolerance(const dae_scales *scales, size_t j, double option);
/* Takes its vectors from `a`. DAE_MEMORY. */
dae_status weights_init(weights *w, const dae_problem *problem, const layout *l,
    double rtol, double atol, arena *a) DAE_MUST_CHECK;

/* The least tolerance of a state relative to its size, that of x or its nominal one. */
double weights_tightest(
    const weights *w, const dae_scales *scales, const double *x);

/* Weights at the values x (N) for steps of length h (any sign). */
void weights_update(weights *w, const double *x, double h);
/* States known no better than noise (N, >= 0) from now on; replaces what was
 * added before. Takes effect with the next update. */
void weights_add_noise(weights *w, const double *noise);
/* Whether an error test of the last order would pass with that noise. */
bool weights_is_noise(double difference, double noise);
/* Another step length at the same values; free where there are no groups. */
void weights_rescale(weights *w, double h);
/* Whether state s has a weight that falls with the step. */
bool weights_group_falls(uint8_t group);
static inline bool weights_fall(const weights *w, size_t s)
{
    return w->group && weights_group_falls(w->group[s]);
}

#endif
