/* The search for a start: the rows in the order of their dependence
 * (Dulmage-Mendelsohn, then block triangular form), block after block by
 * start/gauss_newton.h. If a block fails: all rows connected with it together,
 * then homotopy of the block, then of all these rows. A solution is accepted only
 * if its forward error is bounded. */
#ifndef START_SOLVE_H
#define START_SOLVE_H

#include "start/gauss_newton.h"

typedef struct solution {
    gauss_newton_end end;
    subset failed; /* where it ended; no slots: rows whose values are given */
    bool
        is_regular; /* solved, as many rows as slots beside the checks, regular by
                         its factors: every slot is determined, and of these rows
                         none is redundant */
    size_t checks;    /* rows whose values are all given, which hold */
    bool is_singular; /* fewer pivots than rows where it failed */
    size_t uncertain; /* all rows hold, but no digit of this slot is certain:
                          no solution; SIZE_MAX: none */
    int64_t iterations;
} solution;

/* The rows with is_in[row] != 0 (NULL: all) for the free slots in them, from
 * s->z with s->res, its Jacobian and measures; all hold the last point
 * afterwards. `is_trial`: one of many, without homotopy. Memory of `out` from the
 * arena. */
dae_status solve_rows(init_system *s, const uint8_t *is_in, bool is_trial,
    solution *out) DAE_MUST_CHECK;

#endif
