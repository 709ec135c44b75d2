/* Truncated power series in time, and their sums, products, quotients and
 * integer powers.
 *
 * A series of K terms is K + 1 doubles: the coefficients of s^0 .. s^(K-1),
 * and in the last place how many of them exist. A function with a kink or an
 * edge of its domain here has only the first few: max(0, s)^2 has two. A
 * jump has none; its first place still holds the value at s = 0. What does
 * not change at all (numbers, params, what is made of them, steps beside their
 * jumps) says INFINITY there, so that min(p, 2) at p = 2 is no kink. Places
 * beyond what exists hold NaN.
 *
 * "Exists" is meant as in f(s) = f_0 + ... + f_k s^k + o(s^k), so a product of
 * something of order s^m with something that has n terms has m + n. */
#ifndef CODE_SERIES_CORE_H
#define CODE_SERIES_CORE_H

#include "ir/shape.h"
#include <math.h>

#define SERIES_TEMPS 11
enum {
    SERIES_RESULT = 6, /* up to there: of the operations themselves */
    SERIES_INNER,
    SERIES_OPERAND /* three of them */
};

/* Where the arithmetic works. Each function says which temporaries it uses. */
typedef struct series_room {
    size_t terms;
    double *temp[SERIES_TEMPS]; /* terms + 1 each */
} series_room;

/* Coefficients that exist. */
static inline size_t series_known(const series_room *m, const double *a)
{
    return a[m->terms] < (double)m->terms ? (size_t)a[m->terms] : m->terms;
}
static inline bool series_is_constant(const series_room *m, const double *a)
{
    return a[m->terms] > (double)m->terms;
}
/* The first k in from..end-1 with a coefficient that is not 0; else end. */
static inline size_t series_first(const double *a, size_t from, size_t end)
{
    while (from < end && a[from] == 0) from++;
    return from;
}
static inline size_t series_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

void series_set(const series_room *m, double value, double *out);
void series_copy(const series_room *m, const double *a, double *out);
/* Writes how many coefficients exist, at most K of what varies, and NaN
 * behind them; the value in the first place stays. */
void series_close(const series_room *m, double exist, double *out);

/* Out of place, without temporaries. */
void series_add(
    const series_room *m, const double *a, const double *b, double *out);
void series_sub(
    const series_room *m, const double *a, const double *b, double *out);
void series_mul(
    const series_room *m, const double *a, const double *b, double *out);
void series_div(
    const series_room *m, const double *a, const double *b, double *out);
void series_scale(
    const series_room *m, const double *a, double factor, double *out);
/* In place. */
void series_add_to(const series_room *m, const double *a, double *target);
/* target += a*b. */
void series_add_product(
    const series_room *m, const double *a, const double *b, double *target);
/* To an integer power, temporaries 0 to 2. */
void series_power(
    const series_room *m, const double *a, int32_t exponent, double *out);

/* Coefficients 1 .. n-1 of r with r' = factor a' w, r[0] and w[0..n-2] given:
 * what most functions come down to. One at a time, since w may follow from r:
 * coefficient k needs w[0 .. k-1]. */
double series_chain(const double *a, const double *w, size_t k);
/* The same with r' w = a'; r[1 .. k-1], w[0 .. k-1] given. */
double series_unchain(
    const double *a, const double *w, const double *r, size_t k);
/* Coefficient k of a*b. */
double series_convolve(const double *a, const double *b, size_t k);

#endif
