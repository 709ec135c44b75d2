/* Given values that a contradiction needs although they do not change it to
 * first order: x = 0 in x*x' = 1, where x' happens to be 0. */
#ifndef INIT_DOUBT_H
#define INIT_DOUBT_H

#include "init/blame.h"

/* Adds to `b` those given values without which its rows can be solved, and
 * where the rows can be solved as they are by another value of a free slot,
 * the rows that keep it from that; b->row_count is 0 where there are none. The
 * point, its residuals, Jacobian and measures are the same afterwards. */
dae_status doubt_settle(init_system *s, blame *b) DAE_MUST_CHECK;

#endif
