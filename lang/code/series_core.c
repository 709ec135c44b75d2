/* Sums over exact zeros are left out, so that what does not exist in one
 * factor does no harm where the other one vanishes. */
#include "code/series_core.h"

void series_set(const series_room *m, double value, double *out)
{
    out[0] = value;
    for (size_t k = 1; k < m->terms; k++) out[k] = 0;
    out[m->terms] = (double)INFINITY;
}

void series_copy(const series_room *m, const double *a, double *out)
{
    for (size_t k = 0; k <= m->terms; k++) out[k] = a[k];
}

void series_close(const series_room *m, double exist, double *out)
{
    const double terms = (double)m->terms;
    if (!isinf(exist) && exist > terms) exist = terms;
    out[m->terms] = exist;
    for (size_t k = series_known(m, out); k < m->terms; k++)
        if (k > 0) out[k] = (double)NAN;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

void series_add(
    const series_room *m, const double *a, const double *b, double *out)
{
    for (size_t k = 0; k < m->terms; k++) out[k] = a[k] + b[k];
    out[m->terms] = least(a[m->terms], b[m->terms]);
}

void series_sub(
    const series_room *m, const double *a, const double *b, double *out)
{
    for (size_t k = 0; k < m->terms; k++) out[k] = a[k] - b[k];
    out[m->terms] = least(a[m->terms], b[m->terms]);
}

void series_add_to(const series_room *m, const double *a, double *target)
{
    series_add(m, target, a, target);
}

void series_scale(
    const series_room *m, const double *a, double factor, double *out)
{
    for (size_t k = 0; k < m->terms; k++) out[k] = factor * a[k];
    out[m->terms] = a[m->terms];
}

double series_convolve(const double *a, const double *b, size_t k)
{
    double sum = 0;
    for (size_t j = 0; j <= k; j++)
        if (a[j] != 0 && b[k - j] != 0) sum += a[j] * b[k - j];
    return sum;
}

double series_chain(const double *a, const double *w, size_t k)
{
    double sum = 0;
    for (size_t j = 1; j <= k; j++)
        if (a[j] != 0) sum += (double)j * a[j] * w[k - j];
    return sum / (double)k;
}

double series_unchain(
    const double *a, const double *w, const double *r, size_t k)
{
    double sum = 0;
    for (size_t j = 1; j < k; j++) sum += (double)j * r[j] * w[k - j];
    return (a[k] - sum / (double)k) / w[0];
}

/* The order in s of what is known of a series: INFINITY of a plain 0. */
static double order_of(const series_room *m, const double *a)
{
    size_t known = series_known(m, a), order = series_first(a, 0, known);
    if (order == m->terms && series_is_constant(m, a)) return (double)INFINITY;
    return (double)order;
}

/* Terms that exist beside a value: one that is not finite is alone, unless it
 * never changes. */
static double of_value(double value, double exist)
{
    return isfinite(value) || isinf(exist) ? exist : least(exist, 1);
}

void series_mul(
    const series_room *m, const double *a, const double *b, double *out)
{
    const size_t terms = m->terms;
    double exist = least(order_of(m, a) + b[terms], order_of(m, b) + a[terms]);
    out[0] = a[0] * b[0];
    exist = of_value(out[0], exist);
    for (size_t k = 1; k < terms && (double)k < exist; k++)
        out[k] = series_convolve(a, b, k);
    series_close(m, exist, out);
}

void series_add_product(
    const series_room *m, const double *a, const double *b, double *target)
{
    const size_t terms = m->terms;
    double exist = least(order_of(m, a) + b[terms], order_of(m, b) + a[terms]);
    target[0] += a[0] * b[0];
    for (size_t k = 1; k < terms && (double)k < exist; k++)
        target[k] += series_convolve(a, b, k);
    series_close(m, least(exist, target[terms]), target);
}

void series_div(
    const series_room *m, const double *a, const double *b, double *out)
{
    const size_t terms = m->terms;
    double exist = least(order_of(m, a) + b[terms], a[terms]);
    out[0] = a[0] / b[0];
    exist = of_value(out[0], exist);
    for (size_t k = 1; k < terms && (double)k < exist; k++) {
        double sum = 0;
        for (size_t j = 1; j <= k; j++)
            if (b[j] != 0 && out[k - j] != 0) sum += b[j] * out[k - j];
        out[k] = (a[k] - sum) / b[0];
    }
    series_close(m, exist, out);
}

/* By repeated squaring, which has no trouble near 0, and in the order of
 * node_apply, so that the values are the same bits. */
void series_power(
    const series_room *m, const double *a, int32_t exponent, double *out)
{
    uint32_t e = exponent < 0 ? 0u - (uint32_t)exponent : (uint32_t)exponent;
    double *power = m->temp[0], *square = m->temp[1], *next = m->temp[2];
    series_set(m, 1, power);
    series_copy(m, a, square);
    for (; e > 0; e >>= 1) {
        if (e & 1) {
            series_mul(m, power, square, next);
            series_copy(m, next, power);
        }
        if (e > 1) {
            series_mul(m, square, square, next);
            series_copy(m, next, square);
        }
    }
    if (exponent >= 0) {
        series_copy(m, power, out);
    } else {
        series_set(m, 1, square);
        series_div(m, square, power, out);
    }
}
