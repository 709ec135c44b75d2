/* The problem that a pick of states makes of a system of higher index: all
 * equations with their derivatives (extend/extend.h) in the states, their
 * derivatives and the dummy derivatives, as a dae_problem of index 1 or 0.
 * Equalities of two slots are taken out.
 *
 *     unknowns: one for every chain of states x_0' = x_1, x_1' = x_2, ...,
 *               whose order is its length, and one without derivatives for
 *               every slot outside of them: in the order of the columns of
 *               the extended problem
 *     equations: F_i^(k), k = 0 .. c_i, but for equalities, by equation and
 *               order; then those of `loose`
 *
 * Stabilized (see `stabilizer`) it has the multipliers as unknowns and the
 * relations they stand in as equations besides, after the others; chains are
 * cut there. */
#ifndef REDUCE_REDUCED_H
#define REDUCE_REDUCED_H

#include "linalg/layout.h"
#include "reduce/pick.h"

/* Slots that equations such as x' = v make one: the pick's columns after all
 * equalities that can be taken out, and the chains x_0' = x_1, x_1' = x_2, ...
 * that are left among them. Where a slot has bounds it stays what it is. */
typedef struct merge {
    /* of each column of the extended problem */
    int32_t *first;  /* of the columns that are one with it, the first */
    int32_t *next;   /* of a first column: the first one of its derivative, as
                        the pick keeps it; -1: none */
    int32_t *before; /* the same back */
    uint8_t *has_value;  /* of a first column: an unknown is one with it */
    uint8_t *is_dropped; /* rows that are no equations any more */
} merge;

/* Stabilized constraints [GLG85], for any index: all derivatives below the
 * highest are states, all equations F_i^(k), k <= c_i, stand, and where stage s
 * of a block (reduce/pick.h) has constraints, what was x_l' = x_(l+1) becomes
 *
 *     x_j^(l)' = x_j^(l+1) - sum over i of size_j^2 dF_i^(c_i - s)/dx_j^(l)
 *                                          mu_(i,s) / largest_i,
 *
 * l = d_j - s, with a new multiplier for each constraint. On the solution they
 * vanish: constraint by constraint, from the highest stage down, their
 * derivatives give G G' mu = 0. So the gradients may be those of the last
 * Jacobian, and have no derivatives of their own. The index is 2. */
typedef struct stabilize_request {
    const dae_structure *structure;
    const double *size;   /* unknowns: > 0, typical sizes */
    const double *values; /* the extended problem's Jacobian at the start */
    double rtol;
} stabilize_request;

/* A part of a relation: factor * gradient * multiplier. */
typedef struct stabilize_term {
    int32_t relation;
    int64_t at; /* of the gradient, in the extended problem's pattern */
    double factor, gradient;
} stabilize_term;

typedef struct stabilizer {
    size_t count;            /* multipliers */
    size_t relations;        /* x_l' = x_(l+1) that are equations */
    int32_t *constraint;     /* multipliers: the extended row of each */
    size_t *start;           /* multipliers + 1: into `term` */
    stabilize_term *term;    /* of one multiplier after the other */
    int32_t *relation_of;    /* extended columns: -1: none begins there */
    int32_t *column;         /* relations: where each begins */
    int32_t *unknown, *next; /* relations: of the reduced problem, whose xp
                                and state are in it */
    double rtol;
} stabilizer;

/* Unknowns that the equations determine but for some combinations: the forces
 * in a structure with one rod too many. Of all their values those of least size
 * are taken: where columns L of the extended Jacobian have a null space N,
 *
 *     N^T x_L = 0
 *
 * are the equations that are missing. N is that of the point at hand. */
typedef struct loose {
    size_t count, rows; /* columns L; equations to add: free ones */
    int32_t *column;  /* L, ascending: each of an unknown without derivatives */
    uint8_t *is_free; /* of them those that stand for N: 1 there, 0 at the
                           other free ones */
    double *n;        /* rows * count: N^T, as last made */
    double *g;        /* the columns' entries, by the extended rows */
    uint8_t *is_done; /* those rows */
    size_t *pivot;    /* columns: the row; e->rows: none */
    double *values;   /* of the extended Jacobian */
} loose;

/* Whose residuals are evaluated at once, at most. */
enum { REDUCED_POINTS = 8 };

typedef struct reduced {
    dae_problem problem;
    dae_denominators denominators; /* of that problem */
    layout layout;                 /* likewise */
    const extended *e;             /* borrowed */
    /* Where column p of the extended problem lives: in x, or from
     * layout.states on in xp; -1: in neither, its value is 0. */
    int32_t *slot_of;   /* e->columns */
    int32_t *column_of; /* the first column of each slot of (x, xp); -1: an
                           unread one, or a multiplier's */
    /* the rest is its own */
    const dae_problem *original;
    merge merge;
    stabilizer *stabilizer; /* NULL: none */
    loose *loose;           /* its equations come last; NULL: none */
    size_t row_count;       /* equations that are extended rows */
    int32_t *row_of;        /* the extended row of each; -1: another's */
    int32_t *name_of;       /* the column each unknown is named by; -1: a
                               multiplier */
    int32_t *state_name;    /* states: the same; -1: none that goes on */
    int32_t *slope_slot;    /* states: see step/step.h */
    double *columns, *rows; /* of the extended problem */
    /* the same of several points, REDUCED_POINTS of each; NULL: not asked yet */
    double **point_columns, **point_rows;
    double *values;      /* of its entries, as last evaluated, and of others */
    int64_t evaluations; /* of them */
    size_t entries;      /* of `values` */
    int64_t *target;     /* of each of them: the one here; -1: dropped. Those of
                               a null space, by rows, follow the extended ones */
    dae_pattern pattern;
    dae_scales scales;
    arena arena;
} reduced;

/* `e` and `original` are borrowed. `follows` (unknowns): not tested for error,
 * since only the last derivatives of constraints determine it; `atol` is the
 * option's. Stabilized, where `q` is not NULL. DAE_MEMORY, DAE_LIMIT;
 * DAE_UNSUPPORTED: equations and unknowns are not as many. */
dae_status reduced_create(const dae_problem *original, const extended *e,
    const pick *p, const uint8_t *follows, double atol,
    const stabilize_request *q, const dae_allocator *allocator,
    reduced **out) DAE_MUST_CHECK;
void reduced_free(reduced *r);

/* x and xp of the reduced problem from the values of the extended one's
 * columns, and back. */
void reduced_gather(
    const reduced *r, const double *columns, double *x, double *xp);
void reduced_scatter(
    const reduced *r, const double *x, const double *xp, double *columns);
/* The entries of `pattern` at a point, from those of the extended problem and those
 * that are added, in `own` (`entries`). Counts for nothing, but in a stabilized
 * problem, whose residuals have its gradients from then on. */
dae_status reduced_jacobian(const reduced *r, double t, const double *x,
    const double *xp, double *own, double *values) DAE_MUST_CHECK;

/* A pattern made from that of the extended problem: columns that live in one slot
 * become one, rows get other numbers, and entries may be added. */
typedef struct gathering {
    size_t count;        /* of those of the extended problem, and added ones */
    int32_t *row, *slot; /* of each; -1: left out */
    uint8_t *kind;
    int64_t *target; /* where each is in the pattern; -1: left out */
} gathering;

/* `number`: the row of each extended one, -1: left out; `slot_of`: the slot of each column,
 * NULL: one of its own; at most `most` entries. False: no memory. */
bool gathering_init(gathering *g, const extended *e, const int32_t *slot_of,
    const int32_t *number, size_t most, arena *a);
/* The pattern of so many rows and of slots 0 .. slots - 1; false: no memory. */
bool gathering_finish(
    gathering *g, size_t rows, size_t slots, arena *a, dae_pattern *out);

#endif
