/* Roots of a derivative part the line into pieces on which the next lower one is
 * monotone: so all turning points come from the linear derivative upwards, each
 * bracketed, and none depends on a start that may miss it. */
#include "events/fit.h"
#include "reduce/thresholds.h"
#include <float.h>
#include <math.h>

/* cos(pi i/8) as doubles. */
const double fit_points[FIT_POINTS] = {-1, -0x1.d906bcf328d46p-1,
    -0x1.6a09e667f3bcdp-1, -0x1.87de2a6aea963p-2, 0, 0x1.87de2a6aea963p-2,
    0x1.6a09e667f3bcdp-1, 0x1.d906bcf328d46p-1, 1};

/* Coefficients from values at cos(pi i/n), given from -1 to 1 with a stride. */
static void transform(const double *y, int n, int stride, double *c)
{
    for (int k = 0; k <= n; k++) {
        double sum = 0;
        for (int i = 0; i <= n; i++) {
            /* T_k at the point is the point of number k(i - n) counted from 1,
             * around the circle of 2n */
            const int turn = (k * (n - i)) % (2 * n);
            const int from_end = turn <= n ? turn : 2 * n - turn;
            const double whole = i == 0 || i == n ? 2 : 1;
            sum += y[i * stride] / whole
                * fit_points[(n - from_end) * (FIT_DEGREE / n)];
        }
        c[k] = sum * (k == 0 || k == n ? 1.0 : 2.0) / n;
    }
}

/* T_0 = 1, T_1 = s, T_(k+1) = 2 s T_k - T_(k-1). */
static void to_powers(fit *f)
{
    double last[FIT_POINTS] = {1}, now[FIT_POINTS] = {0, 1};
    for (int i = 0; i <= FIT_DEGREE; i++) f->a[i] = 0;
    f->a[0] = f->c[0];
    for (int k = 1; k <= FIT_DEGREE; k++) {
        for (int i = 0; i <= k; i++) f->a[i] += f->c[k] * now[i];
        for (int i = FIT_DEGREE; i >= 0; i--) {
            const double next = (i > 0 ? 2 * now[i - 1] : 0) - last[i];
            last[i] = next;
        }
        for (int i = 0; i <= FIT_DEGREE; i++) {
            const double next = last[i];
            last[i] = now[i], now[i] = next;
        }
    }
}

/* Pairs of terms beyond the last one decay as the last two pairs do, no faster than
 * that tells; what values at points hide counts as well. */
static double terms_beyond(const double *c)
{
    const double before = fabs(c[FIT_DEGREE - 3]) + fabs(c[FIT_DEGREE - 2]);
    const double last = fabs(c[FIT_DEGREE - 1]) + fabs(c[FIT_DEGREE]);
    const double decay = last < SLOW_RATE * before ? last / before : SLOW_RATE;
    return DOUBTED * last / (1 - decay);
}

void fit_make(const double y[FIT_POINTS], fit *f)
{
    transform(y, FIT_DEGREE, 1, f->c);
    to_powers(f);
    f->bend = 0;
    for (int i = 2; i <= FIT_DEGREE; i++) f->bend += fabs(f->c[i]);
    f->swing = f->bend + fabs(f->c[1]);
    f->bend *= 2;
    /* sums of 9 values, and powers of which coefficients reach 2^7 */
    f->error = terms_beyond(f->c)
        + ROUNDING_OF_SUMS * DBL_EPSILON * (fabs(f->c[0]) + f->swing);
}

void fit_coarse(const double y[FIT_POINTS], coarse_fit *f)
{
    transform(y, 4, 2, f->c);
    f->error = fabs(f->c[3]) + fabs(f->c[4]);
    f->bend = 2 * (fabs(f->c[2]) + f->error);
}

static double clenshaw(const double *c, int n, double s)
{
    double b1 = 0, b2 = 0;
    for (int i = n; i > 0; i--) {
        const double b0 = c[i] + 2 * s * b1 - b2;
        b2 = b1, b1 = b0;
    }
    return c[0] + s * b1 - b2;
}

double fit_at(const fit *f, double s)
{
    return clenshaw(f->c, FIT_DEGREE, s);
}

static double horner(const double *a, int n, double s)
{
    double y = a[n];
    for (int i = n - 1; i >= 0; i--) y = y * s + a[i];
    return y;
}

double fit_slope(const fit *f, double s)
{
    double y = 0;
    for (int i = FIT_DEGREE; i > 0; i--) y = y * s + i * f->a[i];
    return y;
}

double fit_curvature(const fit *f, double s)
{
    double y = 0;
    for (int i = FIT_DEGREE; i > 1; i--) y = y * s + i * (i - 1) * f->a[i];
    return y;
}

/* A root of a monotone polynomial between ends where its signs differ, by
 * Newton's method held between them. */
static double bracketed(const double *a, int n, double lo, double hi)
{
    const bool rises = horner(a, n, lo) < horner(a, n, hi);
    double s = (lo + hi) / 2, last = hi - lo;
    for (int m = 0; m < 120 && hi - lo > DBL_EPSILON / 2; m++) {
        double y = a[n], slope = 0;
        for (int i = n - 1; i >= 0; i--)
            slope = slope * s + y, y = y * s + a[i];
        if ((y < 0) == rises) lo = s;
        else hi = s;
        const double next = s - y / slope;
        const bool is_slow = fabs(next - s) > last / 2;
        if (!is_slow && fabs(next - s) <= DBL_EPSILON / 4) return next;
        last = fabs(next - s);
        if (!is_slow && next > lo && next < hi) s = next;
        else last = hi - lo, s = (lo + hi) / 2;
    }
    return s;
}

/* Coefficients of derivative m, up to a factor. */
static int derivative(const double *a, int m, double *d)
{
    const int n = FIT_DEGREE - m;
    for (int i = 0; i <= n; i++) {
        double factor = 1;
        for (int k = 1; k <= m; k++) factor *= (double)(i + k) / k;
        d[i] = factor * a[i + m];
    }
    return n;
}

/* Whether the first derivative has the sign of its first term all along: that of
 * T_k is at most k^2. */
static bool is_monotone(const fit *f)
{
    double others = 64 * f->error;
    for (int k = 2; k <= FIT_DEGREE; k++) others += k * k * fabs(f->c[k]);
    return fabs(f->c[1]) > others;
}

int fit_turns(const fit *f, double turns[FIT_POINTS])
{
    int count = 2;
    turns[0] = -1, turns[1] = 1;
    if (is_monotone(f)) return count;
    for (int m = FIT_DEGREE - 1; m > 0; m--) {
        double d[FIT_POINTS], found[FIT_POINTS];
        const int n = derivative(f->a, m, d);
        int next = 0;
        found[next++] = -1;
        for (int i = 1; i < count; i++) {
            const double left = horner(d, n, turns[i - 1]);
            const double right = horner(d, n, turns[i]);
            if ((left < 0 && right > 0) || (left > 0 && right < 0))
                found[next++] = bracketed(d, n, turns[i - 1], turns[i]);
            else if (fabs(right) <= 0 && i + 1 < count)
                found[next++] = turns[i];
        }
        found[next++] = 1;
        for (int i = 0; i < next; i++) turns[i] = found[i];
        count = next;
    }
    return count;
}

double fit_root(const fit *f, double y, double lo, double hi)
{
    double a[FIT_POINTS];
    for (int i = 0; i <= FIT_DEGREE; i++) a[i] = f->a[i];
    a[0] -= y;
    const double left = horner(a, FIT_DEGREE, lo);
    const double right = horner(a, FIT_DEGREE, hi);
    if ((left < 0) == (right < 0)) return fabs(left) < fabs(right) ? lo : hi;
    return bracketed(a, FIT_DEGREE, lo, hi);
}
