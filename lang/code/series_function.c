/* Where a function has a kink or ends (sqrt, cbrt and powers at 0, asin at 1,
 * hypot at its tip), the operand's order in s decides how many terms there
 * are: with a = c s^m + ..., sqrt(a) is a series where m is a multiple of 4,
 * and of order s^(m/2) else. */
#include "code/series_function.h"

static size_t round_up(double value, size_t limit)
{
    return value < (double)limit ? (size_t)ceil(value) : limit;
}

/* Of order s^exponent and no more: the terms below that are 0. */
static size_t only_zeros(double exponent, size_t count, double *out)
{
    size_t exist = round_up(exponent, count);
    for (size_t k = 1; k < exist; k++) out[k] = 0;
    return exist > 0 ? exist : 1;
}

/* ---- powers -------------------------------------------------------------- */

/* r' a = b a' r with a constant b, a[0] not 0. */
static void power_terms(const double *a, double b, size_t count, double *out)
{
    for (size_t k = 1; k < count; k++) {
        double sum = 0;
        for (size_t j = 1; j <= k; j++)
            if (a[j] != 0)
                sum += (b * (double)j - (double)(k - j)) * a[j] * out[k - j];
        out[k] = sum / (double)k / a[0];
    }
}

static void root_terms(const double *a, size_t count, double *out)
{
    for (size_t k = 1; k < count; k++) {
        double sum = 0;
        for (size_t j = 1; j < k; j++) sum += out[j] * out[k - j];
        out[k] = (a[k] - sum) / (2 * out[0]);
    }
}

/* a^b at a[0] = 0: s^(m*b) (a/s^m)^b where that is a series, which has as
 * many terms as are known of a/s^m. `first` is the first coefficient's power;
 * `is_smooth`: s^(m*b) is what |s|^(m*b) or the like is. */
static size_t shifted_power(const double *a, double b, size_t order,
    bool is_smooth, double first, size_t count, double *out)
{
    double exponent = b * (double)order;
    if (order == count || !is_smooth || exponent >= (double)count)
        return only_zeros(exponent, count, out);
    size_t shift = (size_t)exponent;
    size_t exist = series_least(count - order + shift, count);
    for (size_t k = 0; k < shift; k++) out[k] = 0;
    out[shift] = first;
    power_terms(a + order, b, exist - shift, out + shift);
    return exist;
}

static size_t square_root(const double *a, size_t count, double *out)
{
    if (a[0] != 0) {
        root_terms(a, count, out);
        return count;
    }
    size_t order = series_first(a, 1, count);
    bool is_smooth = order < count && order % 4 == 0 && a[order] > 0;
    return shifted_power(
        a, 0.5, order, is_smooth, is_smooth ? sqrt(a[order]) : 0, count, out);
}

static size_t cube_root(const double *a, size_t count, double *out)
{
    if (a[0] != 0) {
        power_terms(a, 1.0 / 3, count, out);
        return count;
    }
    size_t order = series_first(a, 1, count);
    if (order == count || order % 3 != 0)
        return only_zeros((double)order / 3, count, out);
    double first = cbrt(a[order]);
    size_t shift = order / 3;
    size_t exist = series_least(count - order + shift, count);
    for (size_t k = 0; k < shift; k++) out[k] = 0;
    if (shift >= exist) return exist;
    out[shift] = first;
    power_terms(a + order, 1.0 / 3, exist - shift, out + shift);
    return exist;
}

static bool is_even(double value)
{
    return fmod(value, 2) == 0;
}

/* pow(a, b) with a constant b that is no integer. */
static size_t real_power(const double *a, double b, size_t count, double *out)
{
    if (a[0] != 0) {
        power_terms(a, b, count, out);
        return count;
    }
    if (b < 0) return 1;
    size_t order = series_first(a, 1, count);
    bool is_smooth = order < count && order % 2 == 0 && a[order] > 0
        && is_even(b * (double)order);
    return shifted_power(
        a, b, order, is_smooth, is_smooth ? pow(a[order], b) : 0, count, out);
}

/* ---- exponentials and logarithms ----------------------------------------- */

/* r' = a' w with w = r but for w[0]. */
static void exponential(const double *a, double w0, size_t count, double *out)
{
    double value = out[0];
    out[0] = w0;
    for (size_t k = 1; k < count; k++) out[k] = series_chain(a, out, k);
    out[0] = value;
}

/* r' w = a' with w = a but for w[0]. */
static void logarithm(
    const series_room *m, const double *a, double w0, size_t count, double *out)
{
    double *w = m->temp[0];
    w[0] = w0;
    for (size_t k = 1; k < count; k++) w[k] = a[k];
    for (size_t k = 1; k < count; k++) out[k] = series_unchain(a, w, out, k);
}

/* pow(a, b) where b varies: exp(b log a). */
static size_t varying_power(const series_room *m, const double *a,
    const double *b, size_t count, double *out)
{
    double *rate = m->temp[1], *exponent = m->temp[2];
    if (a[0] < 0 || (a[0] == 0 && b[0] <= 0)) return 1;
    if (a[0] == 0)
        return only_zeros(b[0] * (double)series_first(a, 1, count), count, out);
    rate[0] = log(a[0]);
    logarithm(m, a, a[0], count, rate);
    for (size_t k = 0; k < count; k++)
        exponent[k] = series_convolve(b, rate, k);
    exponential(exponent, out[0], count, out);
    return count;
}

static size_t power(const series_room *m, const double *a, const double *b,
    size_t count, double *out)
{
    const double value = out[0];
    if (!series_is_constant(m, b)) return varying_power(m, a, b, count, out);
    if (b[0] != rint(b[0]) || fabs(b[0]) > 1024)
        return real_power(a, b[0], count, out);
    series_power(m, a, (int32_t)b[0], out);
    out[0] = value;
    return series_known(m, out);
}

/* ---- circular and hyperbolic functions ----------------------------------- */

/* Sine and cosine, or their hyperbolic likes: s' = c a', c' = sign s a'. */
static void sine_pair(
    const double *a, double sign, size_t count, double *s, double *c)
{
    for (size_t k = 1; k < count; k++) {
        s[k] = series_chain(a, c, k);
        c[k] = sign * series_chain(a, s, k);
    }
}

/* tan and tanh: r' = w a', w = 1 + sign r^2; w[0] by the cosine, which keeps
 * its digits where tanh is near 1. */
static void tangent(const series_room *m, const double *a, double sign,
    double cosine, size_t count, double *out)
{
    double *w = m->temp[0];
    w[0] = 1 / cosine / cosine;
    for (size_t k = 1; k < count; k++) {
        out[k] = series_chain(a, w, k);
        w[k] = sign * series_convolve(out, out, k);
    }
}

/* (p + a)*(q + sign a) for numbers p and q, without the cancellation of a
 * difference of squares. */
static void factors(
    const double *a, double p, double q, double sign, size_t count, double *out)
{
    out[0] = (p + a[0]) * (q + sign * a[0]);
    for (size_t k = 1; k < count; k++) {
        double sum = 0;
        for (size_t j = 1; j < k; j++) sum += a[j] * a[k - j];
        out[k] = ((q + sign * a[0]) + sign * (p + a[0])) * a[k] + sign * sum;
    }
}

static void one_plus_square(const double *a, size_t count, double *out)
{
    out[0] = 1 + a[0] * a[0];
    for (size_t k = 1; k < count; k++) out[k] = series_convolve(a, a, k);
}

static void negate(size_t count, double *out)
{
    for (size_t k = 1; k < count; k++) out[k] = -out[k];
}

/* r' root = a', root = sqrt(of the square in temporary 1); where that is 0,
 * asin and acosh end like a square root. */
static size_t over_root(
    const series_room *m, const double *a, size_t count, double *out)
{
    const double *square = m->temp[1];
    double *root = m->temp[2];
    if (square[0] == 0)
        return only_zeros((double)series_first(a, 1, count) / 2, count, out);
    root[0] = sqrt(square[0]);
    root_terms(square, count, root);
    for (size_t k = 1; k < count; k++) out[k] = series_unchain(a, root, out, k);
    return count;
}

static size_t over_square(
    const series_room *m, const double *a, size_t count, double *out)
{
    for (size_t k = 1; k < count; k++)
        out[k] = series_unchain(a, m->temp[1], out, k);
    return count;
}

/* ---- of two operands ----------------------------------------------------- */

/* Both over the size of the pair of values, so that squares do not overflow,
 * and the sum of their squares. */
static void unit_pair(const series_room *m, const double *a, const double *b,
    size_t count, double size)
{
    double *u = m->temp[0], *v = m->temp[1], *sum = m->temp[2];
    for (size_t k = 0; k < count; k++) {
        u[k] = a[k] / size;
        v[k] = b[k] / size;
    }
    for (size_t k = 0; k < count; k++)
        sum[k] = series_convolve(u, u, k) + series_convolve(v, v, k);
}

static size_t hypotenuse(const series_room *m, const double *a, const double *b,
    size_t count, double *out)
{
    size_t first = series_first(a, 0, count), shift = series_first(b, 0, count);
    if (first < shift) shift = first;
    if (shift == count || shift % 2 == 1)
        return only_zeros((double)shift, count, out);
    double size = hypot(a[shift], b[shift]), *root = m->temp[3];
    unit_pair(m, a + shift, b + shift, count - shift, size);
    root[0] = sqrt(m->temp[2][0]);
    root_terms(m->temp[2], count - shift, root);
    for (size_t k = 0; k < shift; k++) out[k] = 0;
    for (size_t k = shift > 0 ? shift : 1; k < count; k++)
        out[k] = size * root[k - shift];
    return count;
}

/* r' (a^2 + b^2) = a' b - b' a. On the cut (a = 0, b < 0) the function jumps
 * unless a stays on one side. */
static size_t angle(const series_room *m, const double *a, const double *b,
    size_t count, double *out)
{
    const double *u = m->temp[0], *v = m->temp[1], *sum = m->temp[2];
    double size = hypot(a[0], b[0]);
    size_t order = series_first(a, 0, count);
    if (size == 0) return 0;
    if (order > 0 && b[0] < 0 && !series_is_constant(m, a)
        && (order == count || order % 2 == 1
            || (a[order] < 0) != (signbit(a[0]) != 0)))
        return 0;
    unit_pair(m, a, b, count, size);
    for (size_t k = 1; k < count; k++) {
        double rest = 0;
        for (size_t j = 1; j <= k; j++)
            rest += (double)j * (u[j] * v[k - j] - v[j] * u[k - j]);
        for (size_t j = 1; j < k; j++) rest -= (double)j * out[j] * sum[k - j];
        out[k] = rest / (double)k / sum[0];
    }
    return count;
}

/* ---- which is which ------------------------------------------------------ */

static size_t error_function(
    const series_room *m, const double *a, size_t count, double *out)
{
    double *square = m->temp[0], *w = m->temp[1];
    for (size_t k = 0; k < count; k++) square[k] = -series_convolve(a, a, k);
    w[0] = exp(square[0]);
    exponential(square, w[0], count, w);
    for (size_t k = 1; k < count; k++) /* 2/sqrt(pi) */
        out[k] = 1.1283791670955125739 * series_chain(a, w, k);
    return count;
}

static size_t circular(const series_room *m, const node *n, const double *a,
    size_t count, double *out)
{
    double *other = m->temp[0];
    switch ((node_op)n->op) {
    case NODE_SIN:
        other[0] = cos(a[0]);
        sine_pair(a, -1, count, out, other);
        break;
    case NODE_COS:
        other[0] = sin(a[0]);
        sine_pair(a, -1, count, other, out);
        break;
    case NODE_SINH:
        other[0] = cosh(a[0]);
        sine_pair(a, 1, count, out, other);
        break;
    case NODE_COSH:
        other[0] = sinh(a[0]);
        sine_pair(a, 1, count, other, out);
        break;
    case NODE_TAN: tangent(m, a, 1, cos(a[0]), count, out); break;
    default: tangent(m, a, -1, cosh(a[0]), count, out); break; /* TANH */
    }
    return count;
}

static size_t inverse(const series_room *m, const node *n, const double *a,
    size_t count, double *out)
{
    double *square = m->temp[1];
    size_t exist;
    switch ((node_op)n->op) {
    case NODE_ASIN:
    case NODE_ACOS:
        factors(a, 1, 1, -1, count, square);
        exist = over_root(m, a, count, out);
        if (n->op == NODE_ACOS) negate(exist, out);
        return exist;
    case NODE_ASINH:
        one_plus_square(a, count, square);
        return over_root(m, a, count, out);
    case NODE_ACOSH:
        factors(a, 1, -1, 1, count, square);
        return over_root(m, a, count, out);
    case NODE_ATANH:
        factors(a, 1, 1, -1, count, square);
        return over_square(m, a, count, out);
    default: /* ATAN */
        one_plus_square(a, count, square);
        return over_square(m, a, count, out);
    }
}

static size_t logarithms(const series_room *m, const node *n, const double *a,
    size_t count, double *out)
{
    logarithm(m, a, n->op == NODE_LOG1P ? 1 + a[0] : a[0], count, out);
    for (size_t k = 1; k < count && n->op == NODE_LOG10; k++)
        out[k] *= 0.43429448190325182765; /* 1/log(10) */
    return count;
}

size_t series_function(const series_room *m, const node *n, const double *a,
    const double *b, size_t count, double *out)
{
    switch ((node_op)n->op) {
    case NODE_POW: return power(m, a, b, count, out);
    case NODE_SQRT: return square_root(a, count, out);
    case NODE_CBRT: return cube_root(a, count, out);
    case NODE_EXP:
    case NODE_EXPM1:
        exponential(a, n->op == NODE_EXP ? out[0] : exp(a[0]), count, out);
        return count;
    case NODE_LOG:
    case NODE_LOG1P:
    case NODE_LOG10: return logarithms(m, n, a, count, out);
    case NODE_SIN:
    case NODE_COS:
    case NODE_TAN:
    case NODE_SINH:
    case NODE_COSH:
    case NODE_TANH: return circular(m, n, a, count, out);
    case NODE_ATAN2: return angle(m, a, b, count, out);
    case NODE_HYPOT: return hypotenuse(m, a, b, count, out);
    case NODE_ERF: return error_function(m, a, count, out);
    default: return inverse(m, n, a, count, out);
    }
}
