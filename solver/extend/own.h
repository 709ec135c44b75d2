/* What an extended problem keeps to itself. */
#ifndef EXTEND_OWN_H
#define EXTEND_OWN_H

#include "base/arena.h"
#include "extend/extend.h"
#include "linalg/layout.h"

/* The terms of the entries of the extended Jacobian (see dae_series_jacobian_fn):
 * dF_i^(k)/dx_j^(l) gets k!/s! times coefficient k - s of dF_i/dx_j^(o), s = l - o,
 * and none of the coefficients above the first where that is constant. */
typedef struct extend_terms {
    uint32_t
        *source; /* among the coefficients: of the original's entry, k - s */
    uint16_t *factor; /* in `factors`: k * terms + s; and EXTEND_LAST */
} extend_terms;
/* The term is the last one of its entry. */
#define EXTEND_LAST ((uint16_t)1 << 15)

/* Where coefficient k of item i is, of `count` with so many terms each:
 * dae_series_part_fn (is_part) has it elsewhere than dae_series_fn. */
static inline size_t extend_place(
    bool is_part, size_t count, size_t terms, size_t i, size_t k)
{
    return is_part ? k * count + i : i * terms + k;
}

/* A program for what series give, of rows or of entries. */
typedef struct extend_program {
    dae_derived derived; /* self NULL: there is none (yet) */
    bool is_refused;
} extend_program;

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
    /* What evaluations need; NULL where it is released. */
    double *room;
    size_t room_size;
    double *curve;  /* unknowns * stride */
    double *x, *xp; /* the original's vectors */
    /* Coefficients of equations (unknowns * terms) or of the source's entries
     * (source_entries * terms), by extend_place. */
    double *values;
    bool is_often; /* extended_ask_often */
    extend_program rows, entries;
    dae_pattern pattern;      /* of the extended problem */
    extend_terms term;        /* by columns, rows ascending */
    double *factors;          /* terms * terms */
    dae_start start;          /* what e.problem.start points to */
    int64_t *condition_at;    /* the original's entry for each of conditions */
    double *condition_values; /* the original's */
    dae_denominators denominators; /* likewise */
    dae_scales scales;
} extension;

#endif
