/* Whether the equations go on determining the highest derivatives, and the
 * unknowns without derivatives, along a run: the leading matrix of a smooth
 * problem in which some entry varies. That is dF/d(those) of a problem that is
 * stepped as it stands, and of one of higher index that of the last derivatives
 * of its equations by the highest ones of its unknowns. Where its determinant
 * changes sign the solution has gone through a point at which it is singular: a
 * turning point, an impasse, a branch. What follows may be another solution. */
#ifndef CONTROL_RANK_H
#define CONTROL_RANK_H

#include "control/engine.h"
#include "extend/extend.h"
#include <dae/structure.h>

/* A point, and the Jacobian that Newton's method has evaluated last. */
typedef struct rank_point {
    const double *values; /* of the problem's pattern */
    double t;
    const double *x, *xp;
} rank_point;

/* What is not determined, and when. */
typedef struct rank_place {
    double t;
    size_t row, column; /* of the leading matrix */
} rank_place;

typedef struct rank_watch {
    size_t n; /* 0: nothing is watched */
    const dae_allocator *allocator;
    const dae_problem *problem;        /* borrowed */
    int32_t *column;                   /* n: of the problem's pattern */
    int32_t *row;                      /* n: the same */
    int32_t *row_at;                   /* rows of the pattern: here; -1: none */
    size_t row_count, entries;         /* of the pattern */
    double *matrix;                    /* n * n, by rows */
    double *row_size, *column_size;    /* n: of the first one */
    double *values, *before, *between; /* entries: here; of the last point
                                           with the first sign; room */
    double t_before;
    uint8_t *is_done; /* n: elimination */
    int32_t *order;   /* n: the row of each column's pivot */
    bool is_sparing;
    int64_t pause; /* points between two looks, where nothing is found */
    int64_t since; /* points since the last one */
    int64_t seen;  /* Jacobians then */
    int sign;      /* of the determinant; 0: not known yet */
    int turned;    /* accepted points in a row with the other sign */
    double first, last, last_before; /* smallest pivots, in those sizes */
    rank_place smallest;             /* of the last one */
    rank_place passed;               /* where the sign has changed */
} rank_watch;

/* For a problem that is stepped as it stands, small ones alone; forgets what was
 * watched before. DAE_MEMORY. */
dae_status rank_begin(rank_watch *w, const dae_problem *problem,
    const layout *l, const dae_allocator *allocator) DAE_MUST_CHECK;
/* For one of higher index: rows F_i^(c_i), columns x_j^(d_j) of its extended
 * problem. `is_sparing`: smaller ones still, and not at every Jacobian. */
dae_status rank_begin_extended(rank_watch *w, const extended *e,
    const dae_structure *s, bool is_smooth, bool is_sparing,
    const dae_allocator *allocator) DAE_MUST_CHECK;
void rank_clear(rank_watch *w);
/* After an accepted step; `jacobians` (counted) tells when there is something
 * new to see, `is_end` that it is the last one, which a sparing watch does not
 * leave out. True: the determinant has changed its sign, and has it at a second
 * point, too, if there is one. */
bool rank_is_lost(
    rank_watch *w, const rank_point *at, bool is_end, int64_t *jacobians);
/* Whether what the last Jacobian determines has come close to nothing. */
bool rank_is_low(const rank_watch *w);

#endif
