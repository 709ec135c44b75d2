/* The smallest sets of rows and given values that cannot hold together, for
 * the findings of a thorough search. */
#ifndef START_SMALLEST_H
#define START_SMALLEST_H

#include "start/split.h"

/* Each of the first `count` rows whose values are all given. more[i]: how many
 * rows of the same equation fail alike. Returns DAE_INCONSISTENT, DAE_NUMERIC where nothing given takes part in
 * any, or what kept it from that. */
dae_status smallest_of_checks(init_system *s, const size_t *rows,
    const size_t *more, size_t count) DAE_MUST_CHECK;
typedef enum failure_account {
    FAILURE_UNKNOWN,  /* nothing was recorded */
    FAILURE_RECORDED, /* a set that does not hold was */
    FAILURE_NONE,     /* all rows hold, at s->z with s->res */
} failure_account;
/* A part that was not solved, and the block of it where that began. Where a
 * set was recorded the result says which: DAE_INCONSISTENT where something
 * given takes part, DAE_NUMERIC where only equations do. */
dae_status smallest_of_failure(init_system *s, const split_part *part,
    const split_part *block, bool has_no_solution,
    failure_account *account) DAE_MUST_CHECK;
/* All rows, which no search solves, at a point where one began. */
dae_status smallest_of_all(
    init_system *s, failure_account *account) DAE_MUST_CHECK;
/* The same for few rows alone, and more than one: that searches from some places
 * fail says nothing of many unknowns, nor of one row, which may be met far away. */
dae_status smallest_of_few(
    init_system *s, failure_account *account) DAE_MUST_CHECK;

#endif
