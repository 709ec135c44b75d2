/* The problem that a pick of states makes of a system of higher index: all
 * equations with their derivatives (extend/extend.h) in the states, their
 * derivatives and the dummy derivatives, as a dae_problem of index 1 or 0.
 * Equalities of two slots are taken out (reduce/merge.h).
 *
 *     unknowns: one for every chain of states x_0' = x_1, x_1' = x_2, ...,
 *               whose order is its length, and one without derivatives for
 *               every slot outside of them: in the order of the columns of
 *               the extended problem
 *     equations: F_i^(k), k = 0 .. c_i, but for equalities, by equation and
 *               order; then those of reduce/loose.h
 *
 * Stabilized (reduce/stabilize.h) it has the multipliers as unknowns and the
 * relations they stand in as equations besides, behind the others; chains are
 * cut there. */
#ifndef REDUCE_REDUCED_H
#define REDUCE_REDUCED_H

#include "linalg/layout.h"
#include "reduce/loose.h"
#include "reduce/merge.h"
#include "reduce/stabilize.h"

typedef struct reduced {
    dae_problem problem;
    layout layout;     /* of that problem */
    const extended *e; /* borrowed */
    /* Where column p of the extended problem lives: in x, or from
     * layout.states on in xp; -1: in neither, its value is held. */
    int32_t *slot_of;   /* e->columns */
    int32_t *column_of; /* the first column of each slot of (x, xp); -1: an
                           unread one, or a multiplier's */
    /* the rest is its own */
    const dae_problem *original;
    double *held; /* e->columns: values of slots that are frozen */
    merge merge;
    stabilizer *stabilizer; /* NULL: none */
    loose *loose;           /* its equations come last; NULL: none */
    int64_t *loose_entry;   /* entries of their columns: loose->count */
    size_t row_count;       /* equations that are extended rows */
    int32_t *row_of;        /* the extended row of each; -1: another's */
    int32_t *name_of;       /* the column each unknown is named by; -1: a
                               multiplier */
    int32_t *state_name;    /* states: the same; -1: none that goes on */
    int32_t *slope_slot;    /* states: see step/step.h */
    double *columns, *rows; /* of the extended problem */
    double *values;         /* of its entries, as last evaluated */
    int64_t evaluations;    /* of them */
    int64_t *target; /* of each of its entries: the one here; -1: dropped */
    dae_pattern pattern;
    dae_scales scales;
    arena arena;
} reduced;

/* `e` and `original` are borrowed. `follows` (unknowns): not tested for error,
 * since only the last derivatives of constraints determine it; `atol` is the
 * option's. DAE_MEMORY, DAE_LIMIT; DAE_UNSUPPORTED: equations and unknowns are
 * not as many. */
dae_status reduced_create(const dae_problem *original, const extended *e,
    const pick *p, const uint8_t *follows, double atol,
    const dae_allocator *allocator, reduced **out) DAE_MUST_CHECK;
/* Stabilized, where `q` is not NULL. */
dae_status reduced_create_stabilized(const dae_problem *original,
    const extended *e, const pick *p, const uint8_t *follows, double atol,
    const stabilize_request *q, const dae_allocator *allocator,
    reduced **out) DAE_MUST_CHECK;
void reduced_free(reduced *r);

/* x and xp of the reduced problem from the values of the extended one's
 * columns, and back. */
void reduced_gather(
    const reduced *r, const double *columns, double *x, double *xp);
void reduced_scatter(
    const reduced *r, const double *x, const double *xp, double *columns);

#endif
