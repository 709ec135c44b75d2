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
#include <stdbool.h>
#include <stddef.h>

/* ---- rounding ------------------------------------------------------------- */

/* A digit. Of a bound above this part of its size no digit is certain; a correction that is
 * smaller by less wants a new matrix; what is farther than ten tolerances has left; a
 * list of pivots is kept while multipliers, rows scaled, are at most ten, as growth is at
 * most their product along a chain of pivots. And a tenth: pivots are exchanged for
 * half of that more of the determinant, condensed for so much less work. */
#define DIGIT 0.1
/* Two digits: the least pivot that counts is so many times larger than what an error can be,
 * or a rank is not sure, and each of two eliminations of entries with an error may lose
 * one; columns are scaled by no more beyond their typical sizes; sizes that differ by less
 * are one where a value is the double root of something known to 1e-3, and a digit;
 * Newton's method has ended where rounding leaves less of a tolerance. */
#define TWO_DIGITS 100.0
/* Three digits: a number that is so many times its doubt is clear of it; dense output, and
 * equations that are near singular, lose as many of what follows from others; sizes that
 * differ by less are of one order of magnitude, and another try is so many times as far. */
#define THREE_DIGITS 1e3

/* Units in the last place by which what some ten operations of one size make is off:
 * entries, states, times, places of roots; g itself, a handful of them, by half as
 * many. And c of the pivot bound c n eps: QR by Householder reflections changes each
 * column by at most gamma_(c m n) of its length [Hig02, Theorem 19.4], in practice by
 * less than n eps. */
#define UNITS_OFF 16.0

/* A pivot of n rows or columns, whichever are more, that is 0. */
static inline double rank_zero(size_t n)
{
    return UNITS_OFF * (double)(n > 0 ? n : 1) * DBL_EPSILON;
}

/* The same for entries that are known to a relative error only: a column of
 * such entries is 0 where it is as small as its error, to a digit. */
static inline double rank_zero_of(size_t n, double error)
{
    return fmax(rank_zero(n), error / DIGIT);
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

/* A pivot of sparse LU below this part of its column (rows scaled to a largest
 * entry of 1) is rounding: at most one of its digits is right. A ratio to the
 * column and not to the matrix, because columns of an iteration matrix differ
 * in size by the powers of the step. */
#define LU_PIVOT_ZERO (22 * DBL_EPSILON)

/* A third of the digits of a double. Differences of first order keep half of them at most,
 * and badly scaled terms take three; an increment is that part of a value at most:
 * curvature then costs as many digits as rounding leaves [DS83 5.4]. Old pivots are kept
 * while entries of U grow less than so many times more than with fresh ones, as Newton's
 * method gets the digits back. */
#define THIRD_OF_DIGITS 1e-5
/* A pivot has this share of the largest entry it may be chosen from: multipliers are
 * below 2 [DER17 5.2], and the middle of a difference stencil is a known constant's pivot
 * and its ends are not, which would solve a boundary value problem by shooting. */
#define PIVOT_SHARE 0.6
/* A sum of terms that cancel is wrong by some roundings of its largest
 * one; the noise of a row is that part of its largest term. */
#define ROUNDING_OF_SUMS 64.0
/* Roundings of what many operations make, as a solution by elimination, beside its largest
 * unknown, or a combination of combinations. */
#define ROUNDINGS_OF_MANY 1000.0
/* What a sum of terms at a generic point leaves is rounding where it is below
 * this part of the sum of their magnitudes: far above the errors of entries and
 * weights, far below what two entries of a model differ by. Within it a weight is a simple
 * fraction, of which others lie much farther apart. */
#define CIRCUIT_ZERO 1e-10

/* ---- tolerance ------------------------------------------------------------ */

/* This part of a tolerance, or of a residual, is nothing to it, nor are some hundred of
 * them together. Ranks are taken near a start whose residuals
 * are no larger. */
#define NEGLIGIBLE 1e-3
/* A step that is negligible against the tolerances of the slots, a digit below: slopes are
 * as accurate as values only where it is. */
static inline bool is_step_solved(double size)
{
    return size <= DIGIT * NEGLIGIBLE;
}

/* The tolerances of a start where none are given (dae/analysis.h). The relative one is also
 * what a slot that is not determined may do to others. */
#define START_RTOL 1e-6
#define START_ATOL 1e-9
/* The relative error of entries at a start, whose values hold to a tolerance
 * only (rtol 1e-6 by default, of which Newton's last step leaves a thousandth): a pivot
 * below it is no pivot. As much rounding leaves of differences of values that follow
 * from each other by some thousand operations, and old pivots are kept while none is a
 * smaller part of its column. */
#define VALUES_ERROR 1e-9

/* What GMRES may leave of a solution that is to be exact, as part of it: four digits below
 * the half of them that a check of a solution asks for. Eps of the symmetric system of
 * linalg/kkt.h: small against the squares of singular values that matter, large against
 * rounding. */
#define EXACT_SOLUTION 1e-12

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

/* A share of a step, an interval, a size or a determinant that is short beside the whole,
 * and far above its rounding; the distance of points beside another one. */
#define SHORT_SHARE 1e-3
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
