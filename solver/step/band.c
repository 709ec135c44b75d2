#include "step/band.h"

#include <math.h>

/* What is left of the damping at least; more than this a step is enough. */
static const double share = 0.25, radius_most = 0.98;
/* |h lambda| that are looked at: below, formulas are exact enough, beyond, none
 * of them is without damping. */
static const double least = 0.05, most = 50, ratio = 1.1;
enum { halvings = 4 };
enum { degree_max = FORMULA_ORDER_MAX + 1 };

/* c[i] belongs to zeta^(n - i): zeta^n times sum over j <= k of (1 - 1/zeta)^j/j
 * less extra_k (1 - 1/zeta)^(k+1), which is h lambda for a root. n comes back. */
static int polynomial(const formula *f, int k, double *c)
{
    const double extra = f->extra ? f->extra[k] : 0;
    const int n = fabs(extra) > 0 ? k + 1 : k;
    for (int i = 0; i <= n; i++) c[i] = 0;
    for (int j = 1; j <= n; j++) {
        double term = j <= k ? 1.0 / j : -extra;
        for (int i = 0; i <= j; i++) {
            c[i] += term;
            term *= -(double)(j - i) / (i + 1);
        }
    }
    return n;
}

/* Whether all roots are within the unit circle, by the steps of Schur and Cohn:
 * while the last coefficient is smaller than the first, a polynomial of one
 * degree less has as many roots within [Mil71]. */
static bool is_within(double *re, double *im, int n)
{
    for (; n > 0; n--) {
        const double ar = re[0], ai = im[0], br = re[n], bi = im[n];
        if (!(br * br + bi * bi < ar * ar + ai * ai)) return false;
        double next_re[degree_max + 1], next_im[degree_max + 1];
        for (int i = 0; i < n; i++) {
            const double cr = re[n - i], ci = im[n - i];
            next_re[i] = ar * re[i] + ai * im[i] - (br * cr + bi * ci);
            next_im[i] = ar * im[i] - ai * re[i] - (bi * cr - br * ci);
        }
        for (int i = 0; i < n; i++) re[i] = next_re[i], im[i] = next_im[i];
    }
    return true;
}

static bool damps(const double *c, int n, double re, double im)
{
    double a[degree_max + 1], b[degree_max + 1];
    const double radius = fmax(exp(share * re), radius_most);
    double power = 1; /* roots within `radius`: zeta = radius s */
    for (int i = n; i >= 0; i--) {
        a[i] = (c[i] - (i == 0 ? re : 0)) * power;
        b[i] = (i == 0 ? -im : 0) * power;
        power *= radius;
    }
    return is_within(a, b, n);
}

bool band_damps(const formula *f, int k, double re, double im)
{
    double c[degree_max + 1];
    const int n = polynomial(f, k, c);
    return damps(c, n, re, im);
}

band band_find(const formula *f, int k, double re, double im)
{
    double c[degree_max + 1];
    const int n = polynomial(f, k, c);
    const double size = hypot(re, im);
    band b = {0, 0};
    if (!(size > 0) || !isfinite(size)) return b;
    re /= size, im /= size;
    double at = least;
    while (at < most) {
        const double longer = at * ratio;
        if (!damps(c, n, at * re, at * im)) {
            if (!(b.to > 0)) b.from = at / ratio;
            b.to = longer;
        }
        at = longer;
    }
    if (!(b.to > 0)) return b;
    double step = b.from * (ratio - 1);
    for (int m = 0; m < halvings; m++) {
        const double s = b.from + (step /= 2);
        if (damps(c, n, s * re, s * im)) b.from = s;
    }
    b.from /= size, b.to /= size;
    return b;
}
