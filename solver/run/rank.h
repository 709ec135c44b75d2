/* Whether the equations go on determining the highest derivatives, and the
 * unknowns without derivatives, along a run: the leading matrix of a
 * problem in which some entry varies. That is dF/d(those) of a problem that is
 * stepped as it stands, and of one of higher index that of the last derivatives
 * of its equations by the highest ones of its unknowns, or of the equations that
 * a pick by numbers has left by what they determine. Where the determinant of
 * one of its blocks changes sign, touches 0 or runs into it, the solution goes
 * through a point at which it is singular: a turning point, a branch, an impasse.
 * What follows may be another solution.
 *
 * Steps of given length may also end where nothing is left of a determinant, to
 * rounding, after a fall that went ever faster.
 *
 * With switches a determinant may jump, and flows like q|q| have their zeros on
 * the way: there a continuous change of sign alone counts. */
#ifndef RUN_RANK_H
#define RUN_RANK_H

#include "reduce/pick.h"
#include "run/engine.h"
#include "run/leading.h"
#include <dae/structure.h>

/* An accepted point, and the Jacobian that Newton's method has evaluated last. */
typedef struct rank_point {
    const double *values; /* of the problem's pattern */
    double t;
    double from; /* from there to t `show` may be asked */
    /* x and xp of the problem that is watched. */
    void (*show)(const void *self, double t, double *x, double *xp);
    const void *self;
} rank_point;

/* What is not determined, and when. */
typedef struct rank_place {
    double t;
    size_t row, column; /* of the problem's pattern */
} rank_place;

/* The determinant of a full block, or the distance of a larger one from being
 * singular with the determinant's sign: over that of the first look. */
typedef struct rank_block {
    int sign;            /* that it has had for long; 0: not watched */
    double first;        /* logarithm */
    double clear, pivot; /* smallest pivots: at first, now */
    double now[3];       /* at the last looks, signed; [0] the newest */
    double speed;        /* by time */
    double decay;        /* time in which it falls by a share of e, as it falls
                            from the last look to this one; 0: it does not */
    double decay_most;   /* the longest since it has been falling ever faster */
    bool is_turned;      /* it has another sign, which is not believed yet */
    rank_place turned;   /* since then */
} rank_block;

typedef struct rank_watch {
    leading leading; /* no blocks: nothing is watched */
    arena arena;
    const dae_allocator *allocator;
    const dae_problem *problem; /* borrowed */
    const layout *layout;       /* borrowed; NULL: of an extended problem */
    rank_block *block;
    int32_t *row, *column; /* of the pattern: the leading matrix */
    bool has_switches;
    bool has_given_steps;
    bool is_trial; /* of a pick that is not at hand: of a block less has to be
                      clear, as it is compared with itself alone */
    double rtol, atol;
    size_t states, slopes;   /* of x, xp */
    double *x, *xp, *values; /* room */
    double t[3];             /* of the last looks */
    int looks;               /* 0..3 of them */
    int in_a_row;            /* of them: at accepted points one after another */
    double wait;             /* time after which it is to be looked at again */
    int64_t since;           /* points since the last look */
    int64_t seen;            /* Jacobians then */
    bool is_here;            /* the next one is to be at the point itself */
    bool is_broken;          /* the last look found no Jacobian */
    bool is_forgotten;       /* the Jacobian at hand is of other equations */
    rank_place lost;         /* where a rank is lost, or lowest */
} rank_watch;

/* For a problem that is stepped as it stands; forgets what was watched before.
 * Nothing is watched of very large ones. DAE_MEMORY. */
dae_status rank_begin(rank_watch *w, const dae_problem *problem,
    const layout *l, const dae_options *o,
    const dae_allocator *allocator) DAE_MUST_CHECK;
/* For one of higher index: rows F_i^(c_i), columns x_j^(d_j) of its extended
 * problem. */
dae_status rank_begin_extended(rank_watch *w, const extended *e,
    const dae_structure *s, bool is_smooth, const dae_options *o,
    const dae_allocator *allocator) DAE_MUST_CHECK;
/* For one whose pick goes by numbers: the rows and columns that it leaves. */
dae_status rank_begin_picked(rank_watch *w, const extended *e, const pick *p,
    bool is_smooth, const dae_options *o,
    const dae_allocator *allocator) DAE_MUST_CHECK;
void rank_clear(rank_watch *w);
/* The equations are others from here on, of the same pattern: it looks anew. */
void rank_forget(rank_watch *w);
/* Counts the accepted point at t; whether it is to be looked at. `next` is the
 * length of the next step, any sign, `is_end` that of the run; `jacobians`
 * (counted) tells when there is something new to see. */
bool rank_is_due(
    rank_watch *w, double t, double next, bool is_end, int64_t jacobians);
/* At such a point. True: a determinant has changed its sign by more than
 * tolerances allow, or has touched 0; w->lost tells which. */
bool rank_is_lost(rank_watch *w, const rank_point *at, int64_t *jacobians);
/* What is left at `to` of the determinants at `from`, of the one of which least
 * is: a share, below 0 where the sign is another one; NAN where they do not
 * tell. A watch that has not looked yet begins at `from`. */
double rank_share(rank_watch *w, const rank_point *at, double from, double to,
    int64_t *jacobians);
/* Whether all blocks that vary are watched. */
bool rank_sees_all(const rank_watch *w);
/* Whether the smallest pivot has come close to nothing at the accepted point
 * from which steps fail; w->lost tells which. */
bool rank_is_low(rank_watch *w, const rank_point *at, int64_t *jacobians);

#endif
