/* A system of higher index while it is integrated: its analysis, the equations
 * with their derivatives, the pick of states at hand and the past of whatever
 * may become a state. */
#ifndef REDUCE_REDUCTION_H
#define REDUCE_REDUCTION_H

#include "reduce/reduced.h"
#include "step/carry.h"
#include <dae/analysis.h>

typedef struct projection projection; /* reduction.c */

/* When the pick at hand is to be measured again, and what it may be like then. */
typedef struct leverage_watch {
    double limit;      /* leverage above which another pick is looked for */
    double limit_next; /* that of a pick about to be adopted */
    int64_t seen;      /* `now`'s evaluations when it was asked last */
    gauge gauge;       /* entries of the pick when it was measured last */
    const double *looked_at;    /* the Jacobian it was measured with */
    double measured;            /* when */
    double speed, acceleration; /* of its entries: angle by time, at most */
    double speed_before;        /* its speed at `measured` */
    double left;                /* time up to the limit as they turned */
    double wait;   /* time after which it is to be measured again */
    int64_t since; /* points since it was measured */
} leverage_watch;

/* Which derivatives count, and how many of them are to be states. */
typedef struct derivative_orders {
    int32_t *differentiated;   /* equations: how often */
    int32_t *highest, *needed; /* unknowns: see pick.h */
    uint8_t *follows;          /* unknowns: see reduced.h */
    uint8_t *may_be_loose;     /* unknowns: see pick.h */
    int64_t freedom; /* states of all picks by numbers; -1: not known yet */
} derivative_orders;

typedef struct reduction {
    const dae_problem *problem; /* the user's */
    const dae_allocator *allocator;
    arena memory;
    layout layout; /* of the user's */
    dae_reduce mode;
    dae_analysis *analysis;
    bool is_kept;            /* that: by another, until after this is freed */
    bool is_plain;           /* to be stepped as it stands */
    bool is_by_numbers;      /* the structure does not tell: reduce/pick.h */
    dae_structure structure; /* that of the analysis, offsets raised so that
                                everything that occurs is determined */
    derivative_orders orders;
    extended *extended;
    pick pick, other; /* at hand; room for another */
    reduced *now;
    projection *projection; /* onto constraints; NULL: none */
    double *x, *xp;         /* the user's vectors at the last point */
    double *columns;        /* of the extended problem at any time asked for */
    double *stepped_x, *stepped_xp; /* room for interpolation */
    double *values;                 /* the user's Jacobian */
    double *size;                   /* unknowns: nominal sizes, or 1 */
    double *typical;   /* the same, or the largest values so far: see pick.h */
    uint8_t *reported; /* unknowns: that a preference was not kept */
    double *past[HISTORY_ROWS]; /* columns, [0] the newest point */
    int past_count;
    double rtol, atol; /* of the options */
    leverage_watch watch;
} reduction;

/* Analyses the problem and its start, and picks; `is_trial` as for dae_analyse.
 * `is_plain`: there is nothing to reduce and nothing hidden, and nothing is said. Else
 * `now` NULL: the equations are stepped as they stand, from analysis->start: because
 * they can be, or where `extended` is there because `options->reduce` says so. A trial
 * also reduces an index of 1 that an equation has to be differentiated for.
 * DAE_ARGUMENT with E0505: the way asked for does not do for this problem.
 * DAE_UNSUPPORTED: they cannot be reduced, nothing is said; DAE_INCONSISTENT,
 * DAE_NUMERIC: said in `ds`.
 * `kept` (may be NULL): an analysis of the same equations at another start, which is to
 * outlive *out; where it is NULL, this one, if it can serve so. */
dae_status reduction_create(const dae_problem *problem,
    const dae_options *options, bool is_trial, dae_analysis **kept,
    const dae_allocator *allocator, dae_diagnostics *ds,
    reduction **out) DAE_MUST_CHECK;
/* Whether an index above 1 is left as it is: repairs speak of it, ranks do not
 * confirm it. */
bool reduction_is_left(const reduction *r);
void reduction_free(reduction *r);

/* Prepares a stepper that has been made for `now`. */
dae_status reduction_attach(reduction *r, stepper *s) DAE_MUST_CHECK;
/* Takes the point of the stepper of `now` at the start, or after an event: nothing
 * before it is known any more. */
void reduction_restart(reduction *r, const stepper *s);
/* Takes note of an accepted point of the problem `now`. */
void reduction_remember(reduction *r, const stepper *s);
/* Where the states of `next` come from; borrowed until the next call. `state`
 * has room for its states. */
carry_source reduction_source(
    const reduction *r, const reduced *next, int32_t *state, int32_t *slope);

/* The user's x and xp from those of `now`; either may be NULL. */
void reduction_show(const reduction *r, const double *stepped_x,
    const double *stepped_xp, double *x, double *xp);
/* How many constraints are held by multipliers, or by projection. */
size_t reduction_constraints(const reduction *r);

/* ---- equations of index 2 or 3 that are integrated as they stand ------------------- */

/* The problem with what its variables of higher index ask of the error test. */
typedef struct unreduced {
    dae_problem problem; /* the user's, with index groups */
    uint8_t *group;      /* its states: 1, 2 or 3 */
    int64_t index;
    arena memory;
} unreduced;

/* From an analysis whose mode is `never`. DAE_ARGUMENT with E0505: the index is
 * too high. Says what to expect (N0510). */
dae_status unreduced_create(const reduction *r, const dae_allocator *allocator,
    dae_diagnostics *ds, unreduced **out) DAE_MUST_CHECK;
void unreduced_free(unreduced *s);
/* Prepares a stepper that has been made for its problem. */
void unreduced_attach(const unreduced *s, stepper *to);

/* N0510: an index above 1 is left as it is. */
void unreduced_note(int64_t index, const char *help, dae_diagnostics *ds);
/* How often equations have to be differentiated for each value: the index of a
 * variable, less one, as implicit methods see it when they are given the equations
 * as they stand [HLR89 ch. 1]. depth (columns of `e`, which extends by the offsets
 * of `s`): x_j^(d_j - k) follows from the equations F_i^(c_i - k) of its block and
 * from what is in them; the most derivatives of an equation on this way. 0 for a
 * value that no equation determines, or none that is differentiated. DAE_MEMORY. */
dae_status unreduced_depths(const extended *e, const dae_structure *s,
    const dae_allocator *allocator, int32_t *depth) DAE_MUST_CHECK;

#endif
