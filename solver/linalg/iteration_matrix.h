/* The iteration matrix A(alpha) = sum over slots of alpha^e dF/d(slot) on the
 * condensed columns of layout.h, with dF/dx and dF/dx' kept apart, so that a
 * new alpha costs one pass over the entries and a numeric refactorization,
 * never a new Jacobian. Owns the Jacobian's values, and makes them by
 * coloured differences where the problem has no Jacobian function. */
#ifndef LINALG_ITERATION_MATRIX_H
#define LINALG_ITERATION_MATRIX_H

#include "linalg/layout.h"
#include "linalg/linear.h"
#include <dae/stability.h>

/* The matrix and its condensed form (linalg/condense.h), which is factorized: the same
 * if nothing is eliminated. */
typedef struct iteration_size {
    int64_t columns, entries;
    int64_t fill; /* expected of L + U; -1: not known */
    int64_t condensed_columns, condensed_entries;
    bool is_condensed;
} iteration_size;

typedef struct iteration iteration;

/* `like`: the matrix of the same equations by other states that this one takes the place
 * of; what was decided for it by counts is decided for this one. NULL: there is none. */
dae_status iteration_create(const dae_problem *problem, const layout *l,
    dae_linear choice, const iteration *like, const dae_allocator *allocator,
    dae_diagnostics *ds, iteration **out) DAE_MUST_CHECK;
void iteration_free(iteration *it);

/* Evaluates the Jacobian at a point: the problem's function (everything the
 * first time or after iteration_reset, then what varies) or coloured
 * differences from `res` = F(t, x, xp), with increments scaled by `weights`
 * (N: 1 / (rtol |x| + atol)) and, for xp, by `step`. `residuals` is
 * increased by the residual calls made. DAE_RETRY: not finite here. */
dae_status iteration_evaluate(iteration *it, double t, const double *x,
    const double *xp, const double *res, const double *weights, double step,
    int64_t *residuals) DAE_MUST_CHECK;
void iteration_reset(iteration *it);

/* Assembles A(alpha) and factorizes. DAE_NUMERIC: singular; DAE_RETRY: a
 * value is not finite. */
dae_status iteration_factor(iteration *it, double alpha) DAE_MUST_CHECK;
/* The same for the condensed matrix, without trivial unknowns, or by GMRES, if that
 * saves time. This is decided at the first call, with the current constants, and given up for good
 * if a pivot becomes 0, the condensed matrix is singular or solutions lose digits: so
 * DAE_NUMERIC always refers to A. Allocates at both events: DAE_MEMORY then leaves all
 * as it was. */
dae_status iteration_factor_condensed(
    iteration *it, double alpha) DAE_MUST_CHECK;
/* dF/dxp alone, in place of A. */
dae_status iteration_factor_slopes(iteration *it) DAE_MUST_CHECK;
/* The slots below the highest state count by chain/alpha for each step down in place
 * of 1/alpha, from the next factorization on; 1 without. */
void iteration_chain(iteration *it, double chain);
/* The same for complex alpha, as methods that solve for several stages together need
 * it: factors of their own beside those of A(alpha), in ITERATION_PAIRS places at
 * most. What place k has is kept while alpha and the Jacobian are the same; *is_new
 * (may be NULL) says whether it was made. Never condensed. */
enum { ITERATION_PAIRS = 3 };
dae_status iteration_factor_pair(
    iteration *it, int k, dae_complex alpha, bool *is_new) DAE_MUST_CHECK;
/* Real and imaginary parts (n each), in place. */
dae_status iteration_solve_pair(
    iteration *it, int k, double *re, double *im) DAE_MUST_CHECK;
/* iteration_solve and, for the places 0 to pairs - 1, iteration_solve_pair: the real
 * vector, then both parts for each place, each `step` behind the last one. */
dae_status iteration_solve_all(
    iteration *it, int pairs, double *b, size_t step) DAE_MUST_CHECK;
/* Gives back incomplete factors, which the next factorization makes again alike. */
void iteration_release(iteration *it);
/* Gives back what solves with the condensed matrix; iteration_sizes and iteration_taken
 * tell the same. The next factorization decides anew. */
void iteration_rest(iteration *it);
/* Never condenses, if nothing is condensed yet. */
void iteration_keep_whole(iteration *it);
/* See linalg/jacobian.h. */
void iteration_expect(iteration *it, uint64_t digest);
/* See linear_distrust. */
void iteration_distrust(iteration *it);
/* Whether the determinant of A, as factorized last, has another sign than that for
 * large alpha: then an odd number of growth rates of disturbances, the real lambda with
 * det A(lambda) = 0, is larger than alpha, and formulas damp them instead of following
 * them ("superstability", [DES82]). Where the sign is not that of before, A is factorized
 * for a large alpha: *is_other says so, and factors at hand are then of no use. Unknown is
 * no. */
dae_status iteration_is_outgrown(
    iteration *it, bool *is_outgrown, bool *is_other) DAE_MUST_CHECK;
/* b (n residuals) becomes d (n, change of the highest states). */
dae_status iteration_solve(iteration *it, double *b) DAE_MUST_CHECK;
/* The same within a goal for d, where the solver behind iterates. */
dae_status iteration_solve_within(
    iteration *it, double *b, const linear_goal *goal) DAE_MUST_CHECK;
/* Whether solutions of the last factorization hold to a goal only. */
bool iteration_is_inexact(const iteration *it);
/* Adds as linear_take_counts does. */
void iteration_take_counts(
    iteration *it, int64_t *iterations, int64_t *fallbacks);

/* Of the whole matrix at the last alpha, which is factorized if only the condensed one
 * was; 0 if that fails for another reason than memory. DAE_MEMORY leaves all as it
 * was. */
dae_status iteration_rcond(iteration *it, double *rcond) DAE_MUST_CHECK;

/* The system factorized last; its rows and columns are those of A after
 * iteration_factor and after DAE_NUMERIC. */
const linear *iteration_linear(const iteration *it);
int64_t iteration_nonzeros(const iteration *it);
iteration_size iteration_sizes(const iteration *it);
/* The row and the column of the k-th eliminated pivot; false if there are fewer. */
bool iteration_taken(
    const iteration *it, size_t k, size_t *row, size_t *column);
/* First equation whose Jacobian row has overflowed, -1: none. */
int64_t iteration_overflow_row(const iteration *it);
/* The slot values on the problem's pattern (dense pattern where it has
 * none), for listings and for the search for a start. */
const dae_pattern *iteration_pattern(const iteration *it);
const double *iteration_values(const iteration *it);

#endif
