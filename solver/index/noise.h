/* Entries of the Jacobian that are rounding errors of 0: what is left of terms
 * that cancel, as in (a + b)*x' - a*x' - b*x'. Their size does not tell them
 * from small parameters. */
#ifndef INDEX_NOISE_H
#define INDEX_NOISE_H

#include "index/sampler.h"

/* An entry is doubted that is never larger than this part of the largest in its
 * row: terms that cancel may be as many times as large as what is left. */
double noise_doubted(const sampler *s);

/* Clears is_present[p] (entries) where entry p, one of those in `doubted`
 * (non-zero), turns out to be an error: it changes as errors do when the
 * point is moved by very little, or the residual does not answer to its
 * unknown as it says. What cannot be told stays. The sampler must stand at a
 * point with values, and stands at another one afterwards. */
dae_status noise_remove(
    sampler *s, const uint8_t *doubted, uint8_t *is_present) DAE_MUST_CHECK;

#endif
