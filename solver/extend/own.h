/* What an extended problem keeps to itself. */
#ifndef EXTEND_OWN_H
#define EXTEND_OWN_H

#include "base/arena.h"
#include "extend/extend.h"
#include "linalg/layout.h"

/* One term of an entry of the extended Jacobian (see dae_series_jacobian_fn):
 * dF_i^(k)/dx_j^(l) gets k!/s! times coefficient k - s of dF_i/dx_j^(o), s = l - o,
 * and none of the coefficients above the first where that is constant. */
typedef struct extend_term {
    uint32_t source; /* in `entries`: of the original's entry, k - s */
    uint16_t factor; /* in `factors`: k * terms + s */
    bool is_last;    /* of its entry */
    uint8_t kind;    /* dae_entry_kind */
} extend_term;

/* Where coefficient k of item i is, of `count` with so many terms each:
 * dae_series_part_fn (is_part) has it elsewhere than dae_series_fn. */
static inline size_t extend_place(
    bool is_part, size_t count, size_t terms, size_t i, size_t k)
{
    return is_part ? k * count + i : i * terms + k;
}

typedef struct extension {
    extended e; /* first: what the others see of it */
    const dae_problem *problem;
    const dae_allocator *allocator;
    arena arena;
    layout layout;             /* of the original */
    size_t terms, stride;      /* largest c + 1; of a curve */
    int32_t *c, *d;            /* d as large as it has to be */
    const dae_pattern *source; /* the original's pattern, or `full` */
    dae_pattern full;
    size_t source_entries;
    uint8_t *need;       /* of each equation: c + 1 coefficients */
    uint8_t *entry_need; /* of each entry of the source */
    double *curve;       /* unknowns * stride */
    /* Of equations (unknowns * terms) and of the source's entries (source_entries *
     * terms), by extend_place. */
    double *coefficients, *entries; /* one room: never used at once */
    double *x, *xp;                 /* the original's vectors */
    dae_pattern pattern;            /* of the extended problem */
    extend_term *term;              /* by columns, rows ascending */
    double *factors;                /* terms * terms */
    dae_start start;                /* what e.problem.start points to */
    int64_t *condition_at; /* the original's entry for each entry of the
                              conditions */
    double *condition_values;
    dae_scales scales;
} extension;

#endif
