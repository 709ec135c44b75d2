/* The derivative array of one level K at one point: its columns' roles, its
 * matrix, its ranks, and the consistent points of it. */
#ifndef INDEX_DERIVATIVE_ARRAY_LEVEL_H
#define INDEX_DERIVATIVE_ARRAY_LEVEL_H

#include "extend/extend.h"
#include "index/derivative_array.h"
#include "index/signature.h"
#include "linalg/layout.h"

typedef enum level_role {
    LEVEL_STATE = 1,  /* x_j^(l) below the highest order that occurs; x_j
                         itself where that is 0 */
    LEVEL_TARGET = 2, /* the first derivative that is no state */
    LEVEL_REST = 4,   /* all above, and all of internal unknowns, which only
                         stand for an expression */
    LEVEL_ALL = 7
} level_role;

/* What stays the same from level to level. */
typedef struct array_work {
    const array_request *q;
    const dae_allocator *allocator;
    layout layout;
    signature *signature;
    int32_t *order;         /* n: highest derivative that counts */
    size_t states, targets; /* how many there are */
    double *x, *xp;         /* where to begin */
    double *size;           /* n: what is typical for x_j */
    double t;
    arena memory;
} array_work;

dae_status array_work_init(
    array_work *w, const array_request *q) DAE_MUST_CHECK;
void array_work_clear(array_work *w);
bool array_is_internal(const array_work *w, size_t j);
/* The nominal value of an unknown, else its guess; 0: there is none. */
double array_given_size(const array_work *w, size_t j);

typedef struct level {
    const array_work *w;
    int differentiated; /* K */
    extended *e;
    size_t rows, columns, entries;
    bool is_constant; /* no entry ever changes: ranks are those of any point */
    uint8_t *role;    /* columns */
    double t, *z;     /* the point: columns */
    double error;     /* of the point, as part of what is typical */
    double doubt;     /* of the scaled entries */
    double left;      /* residuals there, as part of the terms of their rows */
    uint8_t *is_void; /* entries: above what the signature has, taken as 0 */
    double *values, *residual;
    double *beside;                   /* entries, at a point beside it */
    double *a;                        /* rows * columns, scaled */
    double *row_scale, *column_scale; /* a = row_scale * J * column_scale */
    double *size;         /* columns: what is typical at the point */
    double *spent, *step; /* rows * columns; the larger of them */
    arena memory;
} level;

/* DAE_LIMIT: too large. */
dae_status level_open(
    level *v, const array_work *w, int differentiated) DAE_MUST_CHECK;
void level_close(level *v);
/* z from the vectors of the original, from another level; what is not known
 * there is 0. */
void level_take_vectors(level *v, double t, const double *x, const double *xp);
void level_take_level(level *v, const level *from);
/* The scaled matrix at z; DAE_RETRY where there are no values. */
dae_status level_evaluate(level *v) DAE_MUST_CHECK;
/* The same for ranks, of a point that is known to `error` of what is typical:
 * entries that could be 0 are 0, and scaling has no limits. */
dae_status level_prepare(level *v, double error) DAE_MUST_CHECK;
/* The entries at z plus random parts, up to DIFFERENCE_STEP, of the sizes of the
 * columns marked, into v->beside; DAE_RETRY where there are none. */
dae_status level_look_beside(level *v, const uint8_t *is_moved) DAE_MUST_CHECK;
/* A copy of the columns of these roles in `spent`; how many there are. */
size_t level_part(level *v, unsigned roles);
/* The rank of the columns of these roles at the last level_prepare. */
dae_status level_rank(
    level *v, unsigned roles, size_t *rank, bool *is_sure) DAE_MUST_CHECK;

/* Moves v->z to a zero of the array near it: Gauss-Newton with steps of
 * least length in scaled unknowns, shortened where they do not help.
 * `hold_states`: first the others alone, so that states that are consistent
 * stay. *is_found tells; then the matrix is prepared for ranks. */
dae_status level_reach(
    level *v, bool hold_states, bool *is_found) DAE_MUST_CHECK;
/* Whether equations that held to rounding at the level below are now violated.
 * A small violation, multiplied by a derivative that has grown too large, may
 * cancel the residuals of the derivatives. To be called right after
 * level_reach. */
bool level_leaves(level *v, const level *below);
/* Numbers of points from here on are for second opinions. */
enum { LEVEL_CONFIRMS = 17 };
/* Moves every slot, or with `is_new_only` those that the level below does not have,
 * by up to `size` of what it measures; with all of them the time, too. */
void level_shake(level *v, unsigned number, double size, bool is_new_only);

#endif
