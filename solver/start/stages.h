/* The stages of a start, each in a file of its name, in the order in which they
 * follow: search (solve.c), where a block fails homotopy (homotopy.c), where all fails the
 * set that cannot hold together (conflict.c), else the certificate (certificate.c). */
#ifndef START_STAGES_H
#define START_STAGES_H

#include "start/gauss_newton.h"
#include <dae/solver.h>

/* ---- solve.c ---------------------------------------------------------------------- */

/* The search: the rows in the order of their dependence
 * (Dulmage-Mendelsohn, then block triangular form), block after block by
 * start/gauss_newton.h. If a block fails: all rows connected with it together,
 * then homotopy of the block, then of all these rows. A solution is accepted only
 * if its forward error is bounded. */
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

/* ---- homotopy.c ------------------------------------------------------------------- */

/* A start by homotopy from the guesses z0, for blocks that the search has not
 * solved, or before the search if requested:
 *
 *     H(z, s) = F(z) - (1 - s) F(z0),   from H(z0, 0) = 0 to F = 0 at s = 1,
 *
 * given values held, along the curve by its length, so s need not be
 * monotone [AG03 ch. 6], first with growing s, then with falling s.
 *
 * A block from its guesses, of at most as many rows as slots. *is_done: solved,
 * and recorded in `s`; otherwise all is as before. */
dae_status homotopy_solve(
    init_system *s, const subset *b, bool *is_done) DAE_MUST_CHECK;

/* ---- conflict.c ------------------------------------------------------------------- */

/* An inconsistent set of rows, given values and bounds whose proper subsets are
 * consistent: a deletion filter [Chi08 6] over the members connected with the
 * failure, each set tried from several points.
 *
 * After solve_rows has failed on all rows at s->z, with residuals and measured
 * Jacobian there. *is_solved: all rows hold after all, at s->z. Otherwise
 * the set is recorded in the findings (start/record_findings.h), with its proof if there
 * is one. The status is DAE_INCONSISTENT if the set has a given value or a
 * condition and is either proved or minimal and of few rows; else DAE_NUMERIC.
 * *is_found false: no set is known, which is no error. */
dae_status conflict_find(init_system *s, const solution *failed,
    bool *is_solved, bool *is_found) DAE_MUST_CHECK;
/* The same for one row whose slots are all given, with only these values and their
 * bounds; `similar`: the number of further rows of its equation that fail. */
dae_status conflict_of_row(
    init_system *s, size_t row, size_t similar, bool *is_found) DAE_MUST_CHECK;

/* ---- certificate.c ---------------------------------------------------------------- */

/* The certificate of a start that was found: how many conditions were given, are
 * missing and are redundant, by ranks.
 *
 * Counts the conditions: exactly, if findings are requested and the system is small
 * enough; otherwise by the ranks of the Jacobian at the solution. `report` may be NULL. */
dae_status certificate_make(init_system *s, const solution *found,
    dae_start_report *report) DAE_MUST_CHECK;

#endif
