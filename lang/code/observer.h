/* Some of the observations alone, for whoever asks for them at many points: a
 * program of their own, without what the others need. To the last bit what
 * compiled_observe gives; where sums might add up otherwise, or there are sides to
 * choose, all observations are evaluated. */
#ifndef CODE_OBSERVER_H
#define CODE_OBSERVER_H

#include "code/problem.h"

typedef struct dae_observer observer;

/* Belongs to `c` and is freed before it. */
dae_status observer_create(compiled *c, const size_t *observations,
    size_t count, observer **out) DAE_MUST_CHECK;
void observer_free(observer *o);
/* Whether it reads xp, which is NULL in observer_run otherwise. */
bool observer_reads_slopes(const observer *o);
/* Which values of x it reads; NULL: all. Ascending, of the observer. */
const size_t *observer_slots(const observer *o, size_t *count);
/* `values` is what compiled_observe has made at any point of the run: what was not
 * asked for, or reads params alone, may be left as it is. */
dae_status observer_run(observer *o, double t, const double *x,
    const double *xp, double *values) DAE_MUST_CHECK;
/* The same at `count` points, x and values one after the other; of one that reads
 * slopes DAE_UNSUPPORTED. */
dae_status observer_run_values(observer *o, size_t count, const double *t,
    const double *x, double *values) DAE_MUST_CHECK;

#endif
