/* A problem as repairs present it: equations that are combinations of the
 * problem's equations and their derivatives, with constant weights. It is a
 * dae_problem of its own, whose structure can be analysed and certified like that
 * of any other. Partial derivatives are sums of entries of the extended problem's
 * Jacobian (extend/extend.h); one that cancels but for rounding is an honest zero. */
#ifndef REPAIR_REPAIRED_PROBLEM_H
#define REPAIR_REPAIRED_PROBLEM_H

#include "base/arena.h"
#include "extend/extend.h"
#include "linalg/layout.h"
#include <dae/analysis.h>

/* The sum of these terms. */
typedef struct combination {
    dae_term *term;
    size_t count;
} combination;

typedef struct plan {
    size_t unknowns;         /* of the problem, and equations */
    const combination **row; /* unknowns; NULL: the problem's equation */
} plan;

/* The problem as it is; all in the arena, as below. */
dae_status plan_begin(size_t unknowns, arena *a, plan *out) DAE_MUST_CHECK;
/* `from` with combinations of its equations, each in the place of its last one. */
dae_status plan_extend(const plan *from, const combination *steps, size_t count,
    arena *a, plan *out) DAE_MUST_CHECK;

/* Part of an entry: `weight` times an entry of the extended Jacobian. */
typedef struct view_part {
    int32_t entry;
    double weight;
} view_part;

typedef struct view {
    dae_problem problem; /* no names, no series */
    layout layout;
    /* the rest is the view's own */
    const dae_problem *original;
    plan plan;
    extended *extended;
    const dae_allocator *allocator;
    arena arena;
    size_t entries;
    size_t *begin, *end; /* of each entry, in parts */
    ARRAY(view_part) parts;
    /* values of columns of the extended problem, also of those whose partial
     * derivatives cancel: where nothing is known of them */
    double *stray;
    double *x, *res, *values; /* of the extended problem */
    dae_start start;
} view;

/* `original` and what `p` points to are borrowed. The status is that of
 * extended_create. */
dae_status view_create(const dae_problem *original, const layout *l,
    const plan *p, const dae_allocator *allocator, view **out) DAE_MUST_CHECK;
void view_free(view *v);

#endif
