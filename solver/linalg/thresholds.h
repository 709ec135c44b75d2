/* Every floating threshold of solver/{linalg,index,repair,start,analysis}, with
 * its derivation. tools/dev/floors.py refuses others in these folders. Kinds:
 *
 *   rounding   a multiple of DBL_EPSILON times a size that was computed
 *   tolerance  a share of rtol or atol, or of a quantity known to them
 *   work       a budget in floating point operations; the length of a step, and the
 *              ratio of one to the next, which decides how many there are
 *
 * A pivot of linalg/rank_revealing_qr.h is 0 if it is at most rank_zero(n) times the length
 * of its column (rrqr_factor_scaled: of the longest column), or, if the entries
 * have an error, rank_zero_of(n, error) or the error itself. Other bounds:
 * index/block_regularity.c (by the error of the entries), start/certificate.c (CIRCUIT_ZERO),
 * sparse LU (LU_PIVOT_ZERO). A bound that depends on the size of a problem is a
 * function of it. */
#ifndef LINALG_THRESHOLDS_H
#define LINALG_THRESHOLDS_H

#include <float.h>
#include <math.h>
#include <stddef.h>

/* ---- rounding ------------------------------------------------------------- */

/* c of the pivot bound c n eps. QR by Householder reflections changes each
 * column by at most gamma_(c m n) of its length [Hig02, Theorem 19.4], in
 * practice by less than n eps; entries carry some eps more, of the
 * evaluation: 16 leaves a digit for both. */
#define RANK_ROUNDING 16.0

/* A pivot of n rows or columns, whichever are more, that is 0. */
static inline double rank_zero(size_t n)
{
    return RANK_ROUNDING * (double)(n > 0 ? n : 1) * DBL_EPSILON;
}

/* The same for entries that are known to a relative error only: a column of
 * such entries is 0 where it is as small as its error, to a digit. */
#define ERROR_MARGIN 10.0
static inline double rank_zero_of(size_t n, double error)
{
    return fmax(rank_zero(n), ERROR_MARGIN * error);
}

/* What is left of a row or a direction after two eliminations of entries with the error
 * `fuzz`, each of which may lose a digit: 0. */
static inline double rest_zero(double fuzz)
{
    return ERROR_MARGIN * ERROR_MARGIN * fuzz;
}

/* gamma_n = n u / (1 - n u), u = eps / 2: the relative error of n operations
 * [Hig02, Lemma 3.1]. */
static inline double rounding_of(double operations)
{
    const double error = operations * (DBL_EPSILON / 2);
    return error / (1 - error);
}

/* sqrt(eps): half of the digits of a double. */
#define HALF_DIGITS 0x1p-26
/* A constant of which no more than this is left may be rounding: a sum of some
 * thousand numbers near 1. */
#define CANCELLED_CONSTANT (4096 * DBL_EPSILON)

/* A pivot of sparse LU below this part of its column (rows scaled to a largest
 * entry of 1) is rounding: at most one of its digits is right. A ratio to the
 * column and not to the matrix, because columns of an iteration matrix differ
 * in size by the powers of the step. */
#define LU_PIVOT_ZERO (22 * DBL_EPSILON)

/* Old pivots are kept while entries of U grow less than this times more than
 * with fresh ones (a third of the digits go, and Newton's method gets them
 * back), and while none is so small a part of its column. */
#define GROWTH_KEPT 1e-5
#define RATIO_KEPT 1e-9
/* The pivots of an operation list are kept while multipliers, rows scaled, are at most
 * this; fresh ones are at most 2. Growth is at most their product along a chain of
 * pivots: two of them in a row cost two or three digits. With 100 no fewer lists are
 * made, as pivots that go to 0 pass both. */
#define MULTIPLIER_KEPT 16.0
/* Roundings of a solution by elimination beside its largest unknown. */
#define SOLUTION_ROUNDINGS 200.0
/* A pivot that is a known constant has this share of the largest of its row:
 * above a half, so that the middle of a difference stencil is one and its ends
 * are not, which would solve a boundary value problem by shooting. */
#define KNOWN_PIVOT_SHARE 0.6
/* A sparse pivot has this share of the largest entry it may be chosen from:
 * multipliers are at most 2 [DER17 5.2]. */
#define SPARSE_PIVOT_SHARE 0.5
/* The least gain of the determinant by an exchange of pivots: without a gain above
 * rounding the first candidate stays. */
#define EXCHANGE_GAIN 1.05
/* Eps of the symmetric system of linalg/kkt.h, small against the squares
 * of singular values that matter: one ten times its root gains two digits in
 * every step. For values of full precision it is still large against rounding. */
#define LEAST_CHANGE_ROUNDING 1e-12
/* A sum of terms that cancel is wrong by some roundings of its largest
 * one; the noise of a row is that part of its largest term. */
#define ROUNDING_OF_SUMS 64.0
/* What a sum of terms at a generic point leaves is rounding where it is below
 * this part of the sum of their magnitudes: far above the errors of entries and
 * weights, far below what two entries of a model differ by. */
#define CIRCUIT_ZERO 1e-10
/* A weight of a combination is refined until its corrections are below a
 * hundredth of its last digit. */
#define WEIGHT_REFINED (DBL_EPSILON / 128)

/* A weight is a simple fraction to the errors of entries, as those of a division;
 * simple fractions lie much farther apart. One of larger numbers agrees in all
 * digits. */
#define SIMPLE_ERROR 1e-11
#define EXACT_ERROR (4.5 * DBL_EPSILON)
/* Roundings that the weights of a combination of combinations carry. */
#define WEIGHT_ROUNDINGS 1000.0
/* A pivot of entries that are such differences. */
#define DIFFERENCE_NOISE 1e-7
/* Differences of first order keep half of the digits at most; badly
 * scaled terms take three of them. An increment is that part of a value at most: curvature
 * then costs as many digits as rounding leaves [DS83 5.4]. */
#define DIFFERENCE_ERROR 1e-5

/* ---- tolerance ------------------------------------------------------------ */

/* The tolerances of a start where none are given (dae/analysis.h). The relative one is also
 * what a slot that is not determined may do to others. */
#define START_RTOL 1e-6
#define START_ATOL 1e-9
/* The relative error of entries at a start, whose values hold to a tolerance
 * only (rtol 1e-6 by default, of which Newton's last step leaves a thousandth).
 * A pivot below it is no pivot. */
#define VALUES_ERROR 1e-9
/* The least pivot that counts is to be so many times larger than what an error can
 * be, or a rank is not sure. */
#define RANK_GAP 100.0
/* The error bound of a slot that a start may have, relative: a quarter of the digits,
 * 1.2e-4, as at a triple root. */
#define START_ERROR 0x1p-13
/* A step that is negligible against the tolerances of the slots. */
#define STEP_SOLVED 1e-4
/* Of the residual so little is left that the step has done its work; ranks are taken near a
 * start whose residuals are so small a part of their tolerances. */
#define RESIDUAL_GONE 1e-3
/* An error bound above this part of its size leaves a slot without a
 * certain digit. */
#define DIGIT 0.1
/* Entries below this part of the largest may come from values that are zero but
 * for the tolerance, and take no part in a scaling. */
#define WEAK_ENTRY 1e-8

/* What GMRES may leave of a solution that is to be exact, as part of it: four digits
 * below the half of them that a check of a solution asks for. */
#define GMRES_EXACT 1e-12

/* ---- work ----------------------------------------------------------------- */

/* Steps contract if each is at most 0.9 of the one before; a regular root
 * is approached faster than by 0.3, a singular one by 1/2 or more [DKK83]. */
#define SLOW_RATE 0.9
#define LINEAR_RATE 0.3
/* The ratio of a correction to the one before, or of the residuals around a step, up
 * to which the step is accepted without further tests. */
#define HALVED 0.5

/* A look aside moves a slot by a hundredth of its size: terms of second
 * order are a hundredth of those of first there, far above rounding. Each slot
 * moves by another length, so that differences do not cancel. */
#define ASIDE 1e-2
static inline double step_aside_of(double size, size_t slot)
{
    return size * ASIDE * (1 - (double)(slot % 11) / 20);
}

/* The distance of points beside another one, as a part of each slot's size: far above
 * the rounding of differences, far below the scale on which entries vary. */
#define DIFFERENCE_STEP 1e-3
/* The most by which a column is scaled beyond its typical size: a column scaled further
 * hardly moves an equation, and a step by it would lead far away. */
#define COLUMN_STRETCH 100.0
/* An entry that is so many times as large or small as at a quarter of the way from
 * the guesses: squares (16) are not, exponentials of large numbers are. */
#define WILD_CHANGE 20.0

/* A step along a curve is taken where the tangent turns by less than 37
 * degrees, its cosine 0.8: beyond, it may have led to another branch [AG03 6.1]. */
#define CURVE_TURN 0.8
/* The longest step along a curve, 50 of which end the search, in sizes of the slots
 * and of its parameter, which is 0 at the guesses and 1 at a solution. */
#define CURVE_STEP 2.0
/* A second's worth of operations. Budgets are multiples of it: 4 of one block's search at a
 * start and of the trials of one conflict, of which a run, that a fault has to end soon,
 * has a thousandth; 50 of one factorization for an index; a tenth of one sparse elimination
 * for a rank and of one choice of states from all equations at once. */
#define WORK_OF_SECOND 1e9
/* The least part of a factorization and its solutions that condensation is to
 * save: less is within the error of the counts. */
#define CONDENSED_PART 0.1

/* ---- counts --------------------------------------------------------------- */
enum {
    /* Cells of a dense factorization, a third of a second. */
    DENSE_CELLS_MOST = 400000,
    /* Products of an operation list, of 2 bytes each: half of a first-level cache of
     * 32 KB leaves room for the values. */
    LIST_PRODUCTS_MOST = 8192,
    /* Columns of its matrix: pivots are chosen with some arrays of their square, which
     * then are as large as a second-level cache. */
    LIST_COLUMNS_MOST = 100
};

#endif
