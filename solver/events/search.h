/* Where along a step the first root function leaves its region.
 *
 * Root functions g are known at every t of the step, by its dense output: those of
 * switches, and others. One turns at the first instant at which it passes a threshold of
 * its region (base/region.h) and is truly outside then, by more than rounding: a touch is
 * no passing. Roots inside the step are found, not sign changes of its ends alone: g
 * is sampled where polynomials are known best by their values, and of a polynomial
 * that has been checked all turning points are known.
 *
 * Most do not turn: two evaluations of all g and a few operations for each say so. Nothing is allocated after search_init. */
#ifndef EVENTS_SEARCH_H
#define EVENTS_SEARCH_H

#include "base/arena.h"
#include "base/region.h"
#include <dae/status.h>

/* Writes all g at a t of the step. DAE_RETRY: they have no values there; anything
 * else but DAE_OK ends the search. */
typedef dae_status search_values_fn(void *self, double t, double *g);

typedef struct search_step {
    double from, to; /* the step, in the direction of the run */
    /* the least distance from `from` at which it can be cut; 0: none. What turns
     * nearer to it is told there */
    double least;
    search_values_fn *values;
    void *self;
    /* The region that each g is in, up to infinity where it has no threshold. */
    const double *lower, *upper;
    /* Not 0: turned at `from`, where it is on its new side or on its
     * way to it whatever g says; told again there only if it goes back. NULL:
     * none. */
    const uint8_t *has_turned;
    /* Sizes of what g is made of, times DBL_EPSILON its rounding. NULL: not known:
     * g itself along the step. */
    const double *size;
} search_step;

typedef struct search_crossing {
    size_t index;  /* of g */
    int direction; /* +1: through its upper threshold; -1: the lower one */
    double slope;  /* of g by t there */
    double blur;   /* of the time: what rounding of g makes of it */
    double behind; /* of g where it jumps across the threshold; else NaN */
    double to;     /* the side that it takes, of a switch: not of the search */
} search_crossing;

typedef enum search_kind {
    SEARCH_NONE,  /* nothing turns */
    SEARCH_TURNS, /* at `t` */
    SEARCH_LOST /* g of `lost` is not finite at `t`, and nothing turns before */
} search_kind;

typedef struct search_found {
    search_kind kind;
    double t;
    size_t lost;
    const search_crossing *crossings; /* all that turn at t; index ascends */
    size_t count;
} search_found;

typedef struct search search;

/* Room for `count` root functions; lives as long as the arena. DAE_MEMORY. */
dae_status search_init(search **out, size_t count, arena *a) DAE_MUST_CHECK;

/* The first event of the step. Where nothing turns the values at its end are kept
 * for the next step, which begins there. A g that is not finite at `from` is looked
 * at from where it is. DAE_OK, or what `values` returned. */
dae_status search_run(
    search *s, const search_step *step, search_found *found) DAE_MUST_CHECK;

/* Values that were kept are not those of the next step's start: x, held values or
 * discrete variables have changed. */
void search_forget(search *s);

/* Evaluations of all g so far. */
int64_t search_evaluations(const search *s);

#endif
