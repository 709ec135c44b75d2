#include "code/series_family.h"

/* The sum of outer[i] (a - a[0])^i, i < count. */
static void compose(const series_room *m, const double *outer, const double *a,
    size_t count, double *out)
{
    double *sum = m->temp[1];
    for (size_t i = count; i-- > 0;) {
        /* sum = outer[i] + (a - a[0])*sum; so far it has count - i terms */
        for (size_t k = count - i; k-- > 0;) {
            double next = k == 0 ? outer[i] : 0;
            for (size_t j = 1; j <= k; j++)
                if (a[j] != 0) next += a[j] * sum[k - j];
            sum[k] = next;
        }
    }
    for (size_t k = 1; k < count; k++) out[k] = sum[k];
}

/* The i-th derivative of member k is member k + i. */
static size_t sine_family(const series_room *m, const node *n, const double *a,
    size_t count, double *out)
{
    double *outer = m->temp[0], factorial = 1;
    node member = *n;
    count = series_least(count, UINT8_MAX + (size_t)1 - n->order);
    for (size_t i = 0; i < count; i++) {
        if (i > 0) factorial *= (double)i;
        member.order = (uint8_t)(n->order + i);
        outer[i] = node_apply(&member, a[0], 0, 0) / factorial;
    }
    compose(m, outer, a, count, out);
    return count;
}

/* Coefficient i of c_k at a: the sum over j of C(i+j, i) (-1)^(i+j) a^j /
 * (k+2i+2j)!. */
static double stumpff_coefficient(unsigned k, size_t i, double a)
{
    double term = i % 2 ? -1 : 1, sum;
    for (size_t j = 2; j <= k + 2 * i; j++) term /= (double)j;
    sum = term;
    for (size_t j = 1; j < 2000 && term != 0; j++) {
        double high = (double)(k + 2 * i + 2 * j);
        term *= -a * (double)(i + j) / ((double)j * high * (high - 1));
        if (sum + term == sum) break;
        sum += term;
    }
    return sum;
}

/* c_0 and c_1 of a, not near 0: cosine and sine (over the angle) of the
 * angle sqrt(|a|), hyperbolic for a < 0. */
static void stumpff_pair(const series_room *m, const double *a, unsigned k,
    size_t count, double *out)
{
    double *angle = m->temp[0], *s = m->temp[1], *c = m->temp[2];
    double sign = a[0] > 0 ? 1 : -1;
    angle[0] = sqrt(sign * a[0]);
    for (size_t i = 1; i < count; i++) {
        double sum = 0;
        for (size_t j = 1; j < i; j++) sum += angle[j] * angle[i - j];
        angle[i] = (sign * a[i] - sum) / (2 * angle[0]);
    }
    s[0] = sign > 0 ? sin(angle[0]) : sinh(angle[0]);
    c[0] = sign > 0 ? cos(angle[0]) : cosh(angle[0]);
    for (size_t i = 1; i < count; i++) {
        s[i] = series_chain(angle, c, i);
        c[i] = -sign * series_chain(angle, s, i);
    }
    for (size_t i = 0; i < count; i++) {
        double sum = k % 2 ? s[i] : c[i];
        for (size_t j = 1; j <= i && k % 2; j++) sum -= angle[j] * out[i - j];
        out[i] = k % 2 ? sum / angle[0] : sum;
    }
}

/* Upwards by c_{k+2} = (1/k! - c_k)/a, as for the value. */
static void stumpff_up(const series_room *m, const double *a, unsigned k,
    size_t count, double *out)
{
    double factorial = 1;
    stumpff_pair(m, a, k, count, out);
    for (unsigned j = k % 2; j < k; j += 2) {
        for (size_t i = 0; i < count; i++) {
            double sum = (i == 0 ? 1 / factorial : 0) - out[i];
            for (size_t l = 1; l <= i; l++) sum -= a[l] * out[i - l];
            out[i] = sum / a[0];
        }
        factorial *= (j + 1.0) * (j + 2.0);
    }
}

static size_t stumpff(const series_room *m, const node *n, const double *a,
    size_t count, double *out)
{
    const unsigned k = n->order;
    double *outer = m->temp[0], value = out[0];
    if (fabs(a[0]) > (k + 1.0) * (k + 2.0)) {
        stumpff_up(m, a, k, count, out);
        out[0] = value;
        return count;
    }
    for (size_t i = 0; i < count; i++)
        outer[i] = stumpff_coefficient(k, i, a[0]);
    compose(m, outer, a, count, out);
    return count;
}

size_t series_family(const series_room *m, const node *n, const double *a,
    size_t count, double *out)
{
    return n->op == NODE_STUMPFF ? stumpff(m, n, a, count, out)
                                 : sine_family(m, n, a, count, out);
}
