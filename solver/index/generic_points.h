/* Points at which a problem has values, for tests of rank: generic ones, the
 * same in every run. */
#ifndef INDEX_GENERIC_POINTS_H
#define INDEX_GENERIC_POINTS_H

#include "index/sampler.h"

/* The `number`-th point, 0, 1, ...: t near the start's, x (N) and xp (n) of
 * the size of nominal values and guesses (1 where there are none), all
 * different, inside min and max. If residual or Jacobian are not finite there, or
 * entries are WILD_CHANGE times as large or small as close to the guesses (as
 * exponentials become), the unknowns of the equations concerned are moved
 * towards their guesses, or to values of the same sign and not 0. DAE_RETRY:
 * none found. */
dae_status points_draw(const dae_problem *problem, const layout *l,
    unsigned number, const dae_allocator *allocator, double *t, double *x,
    double *xp) DAE_MUST_CHECK;
/* The same, left in the sampler together with the values there. */
dae_status points_sample(sampler *s, unsigned number) DAE_MUST_CHECK;

/* A number in [-1, 1) that depends on the arguments alone. */
double points_number(uint64_t stream, uint64_t k);

/* Points of these numbers lie elsewhere: around 0 whatever the guesses are, of
 * the size of nominal values or 1, then 100 and 10^4 times that. An
 * equation may be flat at the guesses (a saturation, a vanished exponential) and not
 * in general. */
enum { POINTS_ELSEWHERE = 32, POINTS_ELSEWHERE_END = 35 };

#endif
