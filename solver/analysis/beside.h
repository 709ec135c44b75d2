/* Consistent points beside a start at which a component's blocks lose rank: is
 * any of them regular? Then the structure says what is so in general [Pry01],
 * and the start is a place of its own. */
#ifndef ANALYSIS_BESIDE_H
#define ANALYSIS_BESIDE_H

#include "analysis/components.h"

/* What was found for a component; where that is BESIDE_NEAR the point, in
 * vectors of the whole: x (N) and xp (n), room for which is the caller's. */
typedef struct beside_point {
    beside_outcome outcome;
    double t, *x, *xp;
} beside_point;

/* Points are drawn around the consistent start, from 0.001 to 3 times what is
 * typical of an unknown away, and moved onto the equations and their derivatives
 * up to the structure's offsets, stage by stage [Pry01]. Components that are too
 * large or repaired stay BESIDE_UNKNOWN. */
dae_status beside_find(
    analysis *a, const component *k, beside_point *out) DAE_MUST_CHECK;

#endif
