/* What repairs have made of a problem: equations that are combinations of its
 * equations and their derivatives, and unknowns that stand for combinations of
 * its unknowns.
 *
 * A change s of unknowns puts y = x_j^(a) - k*x_l^(b) in the place of x_j^(a) and
 * its derivatives: x_j^(a+m) becomes y^(m) + k*x_l^(b+m). The new unknown has
 * the number unknowns + s, and so has the equation that defines it,
 * 0 = y - x_j^(a) + k*x_l^(b), in which nothing is replaced by change s. Later
 * changes go over what earlier ones have left. */
#ifndef REPAIR_PLAN_H
#define REPAIR_PLAN_H

#include "base/arena.h"
#include <dae/analysis.h>

typedef struct plan_change {
    int32_t unknown, order;     /* x_j^(a) */
    int32_t other, other_order; /* x_l^(b) */
    double factor;              /* k */
    int32_t next;               /* change of the same unknown, -1: none */
} plan_change;

/* An equation put in: the sum of members, each a sum of terms. With more than
 * one member the last has the weight 1 and the others those that make the
 * partial derivatives by the slots `pivot` cancel, at each point anew: the
 * unknowns of the block, of which some always suffice. */
typedef struct plan_row {
    dae_term *term; /* equation >= unknowns: one that defines a new unknown */
    size_t count;
    size_t members;
    size_t *start;   /* members + 1: where each one's terms begin */
    dae_slot *pivot; /* of the unknowns there were then */
    size_t pivot_count;
    size_t born; /* changes there were then */
} plan_row;

typedef struct plan {
    size_t unknowns; /* of the problem */
    size_t rows;     /* and those added: equations as well as unknowns */
    plan_row **row;  /* rows; NULL: the problem's equation, or the definition */
    size_t change_count;
    plan_change *change;
    int32_t *first_change; /* rows: of each unknown, -1: none */
} plan;

typedef enum repair_kind {
    REPAIR_ROWS,    /* equations with constant weights */
    REPAIR_VARYING, /* equations whose weights vary */
    REPAIR_COLUMNS  /* unknowns */
} repair_kind;

/* One step; rows and columns as the plan it starts from numbers them. */
typedef struct repair_step {
    repair_kind kind;
    size_t block; /* fine block */
    size_t count;
    int32_t *member; /* equations, the last is replaced; or unknowns, of which
                        the last stays */
    int32_t *order;  /* how often each is differentiated */
    double *weight;  /* 1 for the last unknown; VARYING: unused */
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
