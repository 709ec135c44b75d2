/* The motion that the highest differences hold: how it goes on, what the equations
 * make of it, and whether both agree. */
#ifndef STEP_MODE_H
#define STEP_MODE_H

#include "base/arena.h"
#include "newton/newton.h"
#include "step/history.h"

/* lambda = re +- i im of a motion exp(lambda t), 1/time. */
typedef struct mode_rate {
    double re, im;
} mode_rate;

/* Room, when to look again, and what was seen. */
typedef struct mode_watch {
    arena *memory;
    double *lower; /* N: the difference of one order less; NULL before a look */
    double *response; /* N */
    int wait;         /* accepted steps */
    mode_rate found;  /* at the last look */
    bool is_sought;   /* events may begin oscillations */
    double before;    /* the step that the last one ended, time; 0: none was */
    double rate;      /* of the oscillation seen last; 0: none */
    bool is_begun;    /* by an event */
} mode_watch;

/* The point at hand, before it goes into the history: d (N) its distance from the
 * prediction of order k >= 3, the difference of order k + 1; w (N) weights. */
typedef struct mode_point {
    const history *history;
    const grid *grid;
    int k;
    const double *w, *d;
    const double *plain; /* weights of all states; NULL: iterate to rounding */
} mode_point;

/* Takes its vectors from `a` where it looks first. */
void mode_init(mode_watch *m, arena *a);

/* Whether the differences of orders k - 1, k, k + 1 are those of z^n, z complex,
 * that hardly becomes less from step to step. */
bool mode_lasts(const mode_point *p);

/* The rate of the motion in the plane of the two highest differences, if the
 * linearised equations leave it there and it oscillates. It is the equations' own:
 * no formula comes in. Else *found is 0. DAE_MEMORY. */
dae_status mode_find(mode_watch *m, newton *nw, const mode_point *p,
    mode_rate *found) DAE_MUST_CHECK;

/* What the highest difference has beside a motion of that rate on this grid, as a
 * part of it: about 0 where it is the motion that is seen, much larger than 1
 * where differences are those of something slower. */
double mode_rest(const mode_point *p, const mode_rate *r);

#endif
