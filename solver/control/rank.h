/* Whether the equations go on determining the highest derivatives, and the
 * unknowns without derivatives, along a run: the leading matrix dF/d(those) of
 * a smooth problem, in which some entry varies. Where its determinant changes
 * sign the solution has gone through a point at which it is singular: a turning
 * point, an impasse, a branch. What follows may be another solution. */
#ifndef CONTROL_RANK_H
#define CONTROL_RANK_H

#include "control/engine.h"

typedef struct rank_watch {
    size_t n; /* 0: nothing is watched */
    const dae_allocator *allocator;
    double *matrix;                 /* n * n, by columns */
    double *row_size, *column_size; /* n: of the first one */
    double *values;                 /* of the problem's pattern */
    size_t entries;
    int64_t seen;       /* Jacobians when it was looked at last */
    int sign;           /* of the determinant; 0: not known yet */
    int turned;         /* accepted points in a row with the other sign */
    double turned_at;   /* the first of them */
    double first, last; /* smallest pivots, in those sizes */
    size_t row, column; /* of the last smallest pivot */
} rank_watch;

/* For the engine's problem, small ones alone; forgets what was watched before.
 * DAE_MEMORY. */
dae_status rank_begin(rank_watch *w, const engine *e) DAE_MUST_CHECK;
void rank_clear(rank_watch *w);
/* After an accepted step; `jacobians` (counted) tells when there is something
 * new to see. True: the determinant has changed its sign, and has it at a
 * second point, too. */
bool rank_is_lost(rank_watch *w, const engine *e, int64_t *jacobians);
/* Whether what the last Jacobian determines has come close to nothing. */
bool rank_is_low(const rank_watch *w);

#endif
