/* The spline is a sum of B-splines whose coefficients solve a banded system:
 * its values at the points are given. The matrix is totally positive, so that
 * elimination without pivoting is stable and fills nothing [Boo01 XIII; C. de
 * Boor and A. Pinkus, Backward error analysis for totally positive linear
 * systems, 1977]. Knots are the points themselves, without the (degree - 1)/2
 * next to either end, which not-a-knot leaves out. */
#include "data/spline.h"
#include <math.h>
#include <string.h>

typedef struct fit {
    unsigned degree;
    size_t count;
    const double *x;
    double *knots;  /* count + degree + 1 */
    double *matrix; /* count rows of 2*degree + 1, the diagonal in the middle */
    double *b;      /* right side, then coefficients */
} fit;

static void place_knots(fit *f)
{
    const unsigned k = f->degree;
    const size_t skip = (k + 1) / 2;
    for (size_t j = 0; j <= k; j++) {
        f->knots[j] = f->x[0];
        f->knots[f->count + j] = f->x[f->count - 1];
    }
    for (size_t j = k + 1; j < f->count; j++)
        f->knots[j] = f->x[j - k - 1 + skip];
}

/* The last knot at or before x of those that begin an interval. */
static size_t find_span(const fit *f, double x, size_t from)
{
    size_t s = from;
    while (s + 1 < f->count && f->knots[s + 1] <= x) s++;
    return s;
}

/* The degree + 1 B-splines that are not 0 in an interval, at x
 * [Boo01 X, BSPLVB]. */
static void b_splines(
    const double *knots, size_t span, unsigned degree, double x, double *out)
{
    double left[SPLINE_DEGREE_MOST + 1], right[SPLINE_DEGREE_MOST + 1];
    out[0] = 1;
    for (unsigned j = 1; j <= degree; j++) {
        double saved = 0;
        left[j] = x - knots[span + 1 - j];
        right[j] = knots[span + j] - x;
        for (unsigned r = 0; r < j; r++) {
            const double part = out[r] / (right[r + 1] + left[j - r]);
            out[r] = saved + right[r + 1] * part;
            saved = left[j - r] * part;
        }
        out[j] = saved;
    }
}

static void fill_matrix(fit *f)
{
    const unsigned k = f->degree;
    const size_t width = 2 * (size_t)k + 1;
    size_t span = k;
    for (size_t i = 0; i < f->count; i++) {
        double values[SPLINE_DEGREE_MOST + 1];
        span = find_span(f, f->x[i], span);
        b_splines(f->knots, span, k, f->x[i], values);
        for (unsigned r = 0; r <= k; r++) {
            const size_t column = span - k + r;
            if (column + k < i || column > i + k) continue; /* a zero */
            f->matrix[i * width + (column + k - i)] = values[r];
        }
    }
}

static bool solve(fit *f)
{
    const size_t k = f->degree, width = 2 * k + 1, n = f->count;
    for (size_t p = 0; p < n; p++) {
        const double *row = f->matrix + p * width;
        if (!(row[k] > 0)) return false;
        for (size_t i = p + 1; i < n && i <= p + k; i++) {
            double *below = f->matrix + i * width;
            const double factor = below[p + k - i] / row[k];
            if (factor == 0) continue;
            for (size_t c = 1; c <= k && p + c < n; c++)
                below[p + c + k - i] -= factor * row[k + c];
            f->b[i] -= factor * f->b[p];
        }
    }
    for (size_t p = n; p-- > 0;) {
        const double *row = f->matrix + p * width;
        for (size_t c = 1; c <= k && p + c < n; c++)
            f->b[p] -= row[k + c] * f->b[p + c];
        f->b[p] /= row[k];
        if (!isfinite(f->b[p])) return false;
    }
    return true;
}

/* Derivatives over factorials at x: those of a sum of B-splines are sums of
 * B-splines of lower degree [Boo01 X, BSPLPP]. */
static void taylor(const fit *f, size_t span, double x, double *out)
{
    const unsigned k = f->degree;
    double d[SPLINE_DEGREE_MOST + 1], values[SPLINE_DEGREE_MOST + 1];
    double factorial = 1;
    memcpy(d, f->b + (span - k), (k + 1) * sizeof *d);
    for (unsigned m = 0; m <= k; m++) {
        double sum = 0;
        if (m > 0) factorial *= m;
        for (unsigned j = k; m > 0 && j >= m; j--) {
            const size_t at = span - k + j;
            d[j] = (k - m + 1) * (d[j] - d[j - 1])
                / (f->knots[at + k - m + 1] - f->knots[at]);
        }
        b_splines(f->knots, span, k - m, x, values);
        for (unsigned r = 0; r <= k - m; r++) sum += values[r] * d[m + r];
        out[m] = sum / factorial;
    }
}

static bool write_pieces(const fit *f, const double *y, double *c)
{
    const size_t width = (size_t)f->degree + 1;
    size_t span = f->degree;
    for (size_t i = 0; i + 1 < f->count; i++) {
        double *piece = c + i * width;
        span = find_span(f, f->x[i], span);
        taylor(f, span, f->x[i], piece);
        piece[0] = y[i];
        for (size_t m = 0; m < width; m++)
            if (!isfinite(piece[m])) return false;
    }
    return true;
}

dae_status spline_make(unsigned degree, const double *x, const double *y,
    size_t count, double *c, arena *scratch)
{
    const size_t width = 2 * (size_t)degree + 1;
    const arena_position mark = arena_mark(scratch);
    fit f = {.degree = degree, .count = count, .x = x};
    if ((degree != 3 && degree != 5) || count <= degree) return DAE_ARGUMENT;
    if (count > SIZE_MAX / width / sizeof(double)) return DAE_MEMORY;
    f.knots = ARENA_ARRAY(scratch, double, count + degree + 1);
    f.matrix = ARENA_ARRAY(scratch, double, count *width);
    f.b = ARENA_ARRAY(scratch, double, count);
    dae_status st = DAE_MEMORY;
    if (f.knots && f.matrix && f.b) {
        place_knots(&f);
        fill_matrix(&f);
        memcpy(f.b, y, count * sizeof *y);
        st = solve(&f) && write_pieces(&f, y, c) ? DAE_OK : DAE_ARGUMENT;
    }
    arena_release(scratch, mark);
    return st;
}
