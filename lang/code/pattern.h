/* The pattern of a Jacobian: every (equation, column) that is touched, once,
 * by columns with ascending rows; and where each touch goes. Two counting
 * sorts, linear in touches, rows and columns. */
#ifndef CODE_PATTERN_H
#define CODE_PATTERN_H

#include "code/compile.h"

typedef struct touch {
    uint32_t row, column; /* column: provisional */
} touch;
typedef struct touches {
    ARRAY(touch) items;
    ARRAY(uint8_t) kinds; /* dae_entry_kind of each */
} touches;

/* Numbers the touches of all partials of equation-like sets in `sets`, chained
 * ones too: codes become touch numbers, `outer` gets a link per product whose
 * target is a touch number. */
dae_status pattern_collect(
    compiled *c, row_sets *sets, touches *t, jacobian *j) DAE_MUST_CHECK;
/* Fills column_start, row, kind, pattern, nonzeros, has_* of `j`, whose `rows`
 * is set, from the touches, and puts positions where touch numbers were. */
dae_status pattern_build(
    compiled *c, row_sets *sets, const touches *t, jacobian *j) DAE_MUST_CHECK;

#endif
