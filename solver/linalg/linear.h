/* A square sparse linear system with one pattern and many values: an operation list for
 * the smallest, LAPACK for full ones (own dense LU if they are small), KLU with
 * refactorization, UMFPACK, and for solutions within a goal GMRES. The solver's only
 * interface to them. */
#ifndef LINALG_LINEAR_H
#define LINALG_LINEAR_H

#include "base/alloc.h"
#include <dae/diag.h>
#include <dae/solver.h>

typedef struct linear linear;

/* Solutions that a factorization serves, as a rule, and in a run on a large system: there
 * from 9 to 50 were counted. */
enum { LINEAR_SOLVES = 4, RUN_SOLVES = 12 };

/* What a solution is for: a correction of which so much may be missing. */
typedef struct linear_goal {
    const double *weights; /* n, > 0: of the unknowns */
    double enough; /* the length of a weighted error that is as good as none */
    double part;   /* and as a part of the solution's length; 0: none */
} linear_goal;

/* The pattern (columns, rows ascending) is borrowed. `choice` AUTO, DIRECT and GMRES
 * decide by size and the counts of the symbolic analysis; GMRES itself comes with
 * linear_iterate. DAE_UNSUPPORTED if UMFPACK is requested and the build has none;
 * DAE_IO if a library that is needed cannot be loaded. */
dae_status linear_create(size_t n, const int64_t *column_start,
    const int32_t *row, dae_linear choice, const dae_allocator *allocator,
    linear **out) DAE_MUST_CHECK;
/* The same; `level` (one per entry, not kept; NULL: all equal) marks the
 * entries that are expected to make good pivots, see linalg/row_matching.h. Rows are
 * renumbered inside by it, so that neither fill nor AUTO's choice depends
 * on the order of the equations; all row numbers here are the caller's. */
dae_status linear_create_aligned(size_t n, const int64_t *column_start,
    const int32_t *row, const uint8_t *level, dae_linear choice,
    const dae_allocator *allocator, linear **out) DAE_MUST_CHECK;
void linear_free(linear *l);
/* Factorizes values; refactorizes on old pivots where that is sound (pivot
 * growth checked), fully otherwise. DAE_NUMERIC: singular. The values are
 * reordered during the call and restored at its end. */
dae_status linear_factor(linear *l, double *values) DAE_MUST_CHECK;
/* Lends the room of the values up to the next factorization: GMRES keeps vectors there,
 * for it has copied them. */
void linear_lend(linear *l, double *values);
/* GMRES in place of the back end, where counts say that it saves time: before the first
 * factorization. For matrices that are solved within goals; other solutions are iterated
 * to rounding. Where it fails or takes too long a direct back end takes its place, for
 * good. DAE_MEMORY leaves all as it was. */
dae_status linear_iterate(linear *l) DAE_MUST_CHECK;
/* Whether it would be. */
bool linear_prefers_gmres(const linear *l);
/* GMRES at once, asked or not. DAE_UNSUPPORTED: a diagonal entry is missing. */
dae_status linear_create_gmres(size_t n, const int64_t *column_start,
    const int32_t *row, const dae_allocator *allocator,
    linear **out) DAE_MUST_CHECK;
/* Frees the memory of the factors; the next factorization is a full one. */
void linear_release(linear *l);
/* Solves A x = b in place. */
dae_status linear_solve(linear *l, double *b) DAE_MUST_CHECK;
/* The same within a goal, if that is faster. */
dae_status linear_solve_within(
    linear *l, double *b, const linear_goal *goal) DAE_MUST_CHECK;
/* Adds the iterations since this was last asked, and the returns to a direct back
 * end. */
void linear_take_counts(linear *l, int64_t *iterations, int64_t *fallbacks);
/* What iterations give has led nowhere: a direct back end factorizes from now on. */
void linear_distrust(linear *l);
/* After DAE_NUMERIC: a column and a row taking part in the singularity
 * (where no pivot was found); -1 where not known. */
void linear_singular_at(const linear *l, int64_t *row, int64_t *column);
const char *linear_name(
    const linear *l); /* "list", "dense", "klu", "umfpack", "gmres" */
/* What the name stands for. Another factorization may change it: an operation list that
 * has become too long is given up for good. */
dae_linear linear_kind(const linear *l);
int64_t linear_fill(const linear *l); /* entries of L + U */
/* Operations of one factorization, by the counts that AUTO chose by: rather too
 * many than too few. NaN: not known. */
double linear_work(const linear *l);
/* The time of a factorization and so many solutions, by the same counts, in
 * operations on a full matrix, and the entries of L + U that they expect. NaN
 * and -1: not known. */
double linear_cost(const linear *l, double solves);
int64_t linear_expected_fill(const linear *l);
double linear_rcond(const linear *l); /* cheap estimate, of the last
                                             factorization */
/* A closer one, 1 over the most by which a solution of a few sides exceeds them, of a
 * matrix whose rows and columns are scaled. `work`: room for one side. DAE_NUMERIC: a
 * pivot is 0. */
dae_status linear_condition(
    linear *l, double *work, double *rcond) DAE_MUST_CHECK;
/* The sign of the determinant as last factorized; 0: not known, or singular. */
int linear_sign(const linear *l);

#endif
