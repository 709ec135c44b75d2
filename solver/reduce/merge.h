/* Slots that equations such as x' = v make one: the pick's columns after all
 * equalities that can be taken out, and the chains x_0' = x_1, x_1' = x_2, ...
 * that are left among them. */
#ifndef REDUCE_MERGE_H
#define REDUCE_MERGE_H

#include "base/arena.h"
#include "extend/extend.h"
#include "reduce/pick.h"

typedef struct merge {
    /* of each column of the extended problem */
    int32_t *first;  /* of the columns that are one with it, the first */
    int32_t *next;   /* of a first column: the first one of its derivative, as
                        the pick keeps it; -1: none */
    int32_t *before; /* the same back */
    uint8_t *has_value;  /* of a first column: an unknown is one with it */
    uint8_t *is_dropped; /* rows that are no equations any more */
} merge;

/* Where a slot has bounds (`scales` may be NULL) it stays what it is. All
 * arrays are from `a`. */
dae_status merge_slots(const dae_problem *original, const extended *e,
    const pick *p, arena *a, merge *out) DAE_MUST_CHECK;

#endif
