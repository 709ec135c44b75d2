/* The regularity watch: whether the equations go on determining the highest
 * derivatives, and the unknowns without derivatives, along a run: the leading matrix
 * of a problem in which some entry varies. That is dF/d(those) of a problem that is
 * stepped as it stands, and of one of higher index that of the last derivatives of its
 * equations by the highest ones of its unknowns, or of the equations that a pick by
 * numbers has left by what they determine. Where the determinant of one of its blocks
 * changes sign, touches 0 or runs into it, the solution goes through a point at which
 * it is singular: a turning point, a branch, an impasse. What follows may be another
 * solution.
 *
 * Steps of given length may also end where nothing is left of a determinant, to
 * rounding, after a fall that went ever faster.
 *
 * With switches flows like q|q| have their zeros on the way: there a change of sign
 * alone counts. */
#ifndef RUN_REGULARITY_H
#define RUN_REGULARITY_H

#include "linalg/leading.h"

/* What is not determined, and when. */
typedef struct regularity_place {
    double t;
    size_t row, column; /* of the problem's pattern */
} regularity_place;

/* The determinant of a full block, or the distance of a larger one from being
 * singular with the determinant's sign: over that of the first look. */
typedef struct regularity_block {
    int sign;            /* that it has had for long; 0: not watched */
    double first, clear; /* at first: its logarithm, the smallest pivot */
    double now[3];       /* at the last looks, signed; [0] the newest */
    double decay;        /* time in which it falls by a share of e, as it falls
                            from the last look to this one; 0: it does not */
    double decay_most;   /* the longest since it has been falling ever faster */
} regularity_block;

typedef struct regularity {
    leading leading; /* no blocks: nothing is watched */
    arena arena;
    const dae_allocator *allocator;
    const dae_problem *problem; /* borrowed */
    regularity_block *block;
    int32_t *row, *column;   /* of the pattern: the leading matrix */
    size_t states, slopes;   /* of x, xp */
    double *x, *xp, *values; /* room */
    double t[3];             /* of the last looks */
    int looks;               /* 0..3 of them */
    double wait;             /* time after which it is to be looked at again */
    int64_t since;           /* points since the last look */
    regularity_place lost;   /* where a rank is lost, or lowest */
} regularity;

struct run;

/* Begins for the problem that the run steps, and forgets what was watched before.
 * Nothing is watched of very large ones. DAE_MEMORY. */
dae_status regularity_begin(struct run *r) DAE_MUST_CHECK;
void regularity_clear(regularity *w);
/* The equations are others from here on, of the same pattern: it looks anew. */
void regularity_forget(regularity *w);
/* After an accepted step: whether it has gone through a point without full rank. */
bool regularity_is_passed(struct run *r);
/* After such a point: whether it is one of the pick at hand alone, as what the
 * pick in r->reduction->other leaves determines all it has to on both sides of
 * it and there. DAE_MEMORY. */
dae_status regularity_is_of_pick(
    struct run *r, bool *is_of_pick) DAE_MUST_CHECK;
/* Where steps fail: whether the accepted point is nearly one. */
bool regularity_is_near(struct run *r);
/* E0502 with the time, the equation and the unknown: of a point the solution
 * has gone through, or of the last one. DAE_NUMERIC. */
dae_status regularity_report(struct run *r, bool is_passed) DAE_MUST_CHECK;

#endif
