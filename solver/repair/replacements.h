/* What repairs have made of a problem: equations that are combinations of its
 * equations and their derivatives. */
#ifndef REPAIR_REPLACEMENTS_H
#define REPAIR_REPLACEMENTS_H

#include "base/arena.h"
#include <dae/analysis.h>

/* An equation put in: the sum of members, each a sum of terms. With more than
 * one member the last has the weight 1 and the others those that make the
 * partial derivatives by the slots `pivot` cancel, at each point anew: the
 * unknowns of the block, of which some always suffice. */
typedef struct plan_row {
    dae_term *term;
    size_t count;
    size_t members;
    size_t *start; /* members + 1: where each one's terms begin */
    dae_slot *pivot;
    size_t pivot_count;
} plan_row;

typedef struct plan {
    size_t unknowns; /* of the problem, and equations */
    plan_row **row;  /* unknowns; NULL: the problem's equation */
} plan;

typedef enum repair_kind {
    REPAIR_ROWS,   /* equations with constant weights */
    REPAIR_VARYING /* equations whose weights vary */
} repair_kind;

/* One combination of equations. */
typedef struct repair_step {
    repair_kind kind;
    size_t block; /* fine block */
    size_t count;
    int32_t *member; /* equations, the last is replaced */
    int32_t *order;  /* how often each is differentiated */
    double *weight;  /* VARYING: unused */
    dae_slot *pivot; /* VARYING */
    size_t pivot_count;
    bool is_dropped;
} repair_step;

/* The problem as it is. All in the arena, as below. */
dae_status plan_begin(size_t unknowns, arena *a, plan *out) DAE_MUST_CHECK;
/* `from` after all steps that are not dropped. */
dae_status plan_extend(const plan *from, const repair_step *steps, size_t count,
    arena *a, plan *out) DAE_MUST_CHECK;
/* Whether an equation has weights that vary. */
bool plan_varies(const plan *p, int32_t row);

#endif
