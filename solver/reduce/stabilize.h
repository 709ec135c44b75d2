/* Stabilized constraints [GLG85], for any index: all derivatives below the
 * highest are states, all equations F_i^(k), k <= c_i, stand, and where stage s
 * of a block (reduce/stages.h) has constraints, what was x_l' = x_(l+1) becomes
 *
 *     x_j^(l)' = x_j^(l+1) - sum over i of size_j^2 dF_i^(c_i - s)/dx_j^(l)
 *                                          mu_(i,s) / largest_i,
 *
 * l = d_j - s, with a new multiplier for each constraint. On the solution they
 * vanish: constraint by constraint, from the highest stage down, their
 * derivatives give G G' mu = 0. So the gradients may be those of the last
 * Jacobian, and have no derivatives of their own. The index is 2. */
#ifndef REDUCE_STABILIZE_H
#define REDUCE_STABILIZE_H

#include "linalg/layout.h"
#include "reduce/merge.h"

/* What is needed to make them. */
typedef struct stabilize_request {
    const stages *stages;
    const double *size;   /* unknowns: > 0, typical sizes */
    const double *values; /* the extended problem's Jacobian at the start */
    double rtol;
} stabilize_request;

/* A part of a relation: factor * gradient * multiplier. */
typedef struct stabilize_term {
    int32_t relation;
    int64_t at;     /* of the gradient, in the extended problem's pattern */
    int64_t target; /* in the reduced problem's */
    double factor, gradient;
} stabilize_term;

typedef struct stabilizer {
    size_t count;                /* multipliers */
    size_t relations;            /* x_l' = x_(l+1) that are equations */
    const int32_t *constraint;   /* multipliers: the extended row of each */
    const size_t *start;         /* multipliers + 1: into `term` */
    stabilize_term *term;        /* by relation for each multiplier */
    int32_t *relation_of;        /* extended columns: -1: none begins there */
    int32_t *column;             /* relations: where each begins */
    int32_t *unknown, *next;     /* relations: of the reduced problem, whose xp
                                  and state are in it */
    int64_t *slope_at, *next_at; /* relations: those entries in its pattern */
    double rtol;
} stabilizer;

/* Room from `a`. DAE_MEMORY, DAE_LIMIT. */
dae_status stabilizer_create(const stabilize_request *q, const extended *e,
    const merge *m, arena *a, stabilizer **out) DAE_MUST_CHECK;

/* Whether the chain is cut behind `column`, a first one of what it stands in. */
static inline bool stabilizer_cuts(const stabilizer *s, size_t column)
{
    return s && s->relation_of[column] >= 0;
}

/* A problem that has relations: its slots of x and xp, and what is where. */
typedef struct stabilizer_place {
    const layout *layout;
    size_t row;           /* the first relation's */
    int32_t *relation_at; /* slots: the relation it stands in alone; -1: none */
} stabilizer_place;
/* Adds the relations' entries of a column, rows ascending, from `at` on; says
 * where the next one goes. */
int64_t stabilizer_fill(stabilizer *s, const stabilizer_place *p, size_t slot,
    int32_t *row, uint8_t *kind, int64_t at);

/* The relations' residuals (s->relations) at x, xp of the reduced problem,
 * whose last unknowns the multipliers are, x of the first of them `mu`. */
void stabilizer_residual(const stabilizer *s, const double *x, const double *xp,
    const double *mu, double *res);
/* Takes over gradients and writes what varies into the reduced problem's
 * Jacobian, `from` being the values of the extended one's. */
void stabilizer_jacobian(stabilizer *s, const double *from, double *values);

#endif
