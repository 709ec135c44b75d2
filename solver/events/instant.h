/* One instant out of what has been found roughly: the earliest passing, located on
 * the true root functions, and all that pass with it. */
#ifndef EVENTS_INSTANT_H
#define EVENTS_INSTANT_H

#include "events/search.h"

/* Root functions along a step, all at once. */
typedef struct sampler {
    search_values_fn *values;
    void *self;
    size_t count;
    int64_t evaluations;
} sampler;

/* All g at t; NaN where they have no values. */
dae_status sampler_at(sampler *m, double t, double *g) DAE_MUST_CHECK;

/* A switch that passes a threshold between lo and hi, of which lo comes first in the
 * run; there it passes only once. */
typedef struct passing {
    size_t index;
    int direction; /* in which g passes in the run */
    double threshold;
    double lo, hi;       /* times */
    double at_lo, at_hi; /* how far g is beyond the threshold there */
    double root;         /* as far as it is known */
    double slope;        /* |dg/dt| there */
    double noise;  /* of g: nearer to the threshold it is at the threshold */
    double blur;   /* of root, time, */
    double spread; /* and where it has been located, by the noise */
    bool is_exact; /* the root has been located */
    bool is_void;  /* there is none, after all */
    bool is_jump;  /* g is not continuous there: a pole, a branch's end */
    bool is_lost;  /* behind the root g has no value, before it is inside */
} passing;

typedef struct instant {
    double t;
    size_t count; /* of those that pass there; 0: nothing does, after all, or */
    const passing *lost; /* this one loses its value first; NULL */
} instant;

/* The earliest instant of a list by index, located as far as `unit` (time, signed
 * as the run) tells times apart; those that pass there come into `out`, by index.
 * Where it would be before `earliest` it is put there. Writes all g at it. */
dae_status instant_find(sampler *m, passing *list, size_t count,
    double earliest, double unit, double *g, instant *found,
    search_crossing *out) DAE_MUST_CHECK;

#endif
