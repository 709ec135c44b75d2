#include "events/course.h"
#include "reduce/thresholds.h"
#include <float.h>
#include <math.h>

/* ---- the polynomial ---------------------------------------------------------- */

/* Through values at fit_points. */
typedef struct fit {
    double c[FIT_POINTS]; /* of Chebyshev polynomials */
    double a[FIT_POINTS]; /* of powers */
    double swing;         /* sum of |c[i]|, i > 0: no two values differ by more
                             than twice of it */
    double bend;          /* sum of |c[i]|, i > 1, twice: no value is farther
                             from the line through the ends */
    double error; /* what terms that are left out may add, and rounding */
} fit;

/* cos(pi i/8), the extrema of a Chebyshev polynomial. */
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

static void fit_make(const double y[FIT_POINTS], fit *f)
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

double course_bend(const double y[FIT_POINTS])
{
    double c[FIT_DEGREE / 2 + 1];
    transform(y, FIT_DEGREE / 2, 2, c);
    const double last = fabs(c[3]) + fabs(c[4]);
    return 2 * (fabs(c[2]) + last) + DOUBTED * last;
}

static double horner(const double *a, int n, double s)
{
    double y = a[n];
    for (int i = n - 1; i >= 0; i--) y = y * s + a[i];
    return y;
}

/* Coefficients of derivative m, divided by m!. */
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

static double fit_at(const fit *f, double s)
{
    return horner(f->a, FIT_DEGREE, s);
}

/* Derivative m there, divided by m!. */
static double fit_derivative(const fit *f, int m, double s)
{
    double d[FIT_POINTS];
    const int n = derivative(f->a, m, d);
    return horner(d, n, s);
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

/* Whether the first derivative has the sign of its first term all along: that of
 * T_k is at most k^2. */
static bool is_monotone(const fit *f)
{
    double others = 64 * f->error;
    for (int k = 2; k <= FIT_DEGREE; k++) others += k * k * fabs(f->c[k]);
    return fabs(f->c[1]) > others;
}

/* -1, the turning points between, 1: between two of them it is monotone. Roots of a
 * derivative part the line into pieces on which the next lower one is monotone: so all
 * turning points come from the linear derivative upwards, each bracketed, and none depends
 * on a start that may miss it. Gives their number, 2 to FIT_DEGREE + 1. */
static int fit_turns(const fit *f, double turns[FIT_POINTS])
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

/* Where it has the value y between lo and hi, of which it is monotone between them; the
 * nearer end where it has none there. */
static double fit_root(const fit *f, double y, double lo, double hi)
{
    double a[FIT_POINTS];
    for (int i = 0; i <= FIT_DEGREE; i++) a[i] = f->a[i];
    a[0] -= y;
    const double left = horner(a, FIT_DEGREE, lo);
    const double right = horner(a, FIT_DEGREE, hi);
    if ((left < 0) == (right < 0)) return fabs(left) < fabs(right) ? lo : hi;
    return bracketed(a, FIT_DEGREE, lo, hi);
}

/* ---- the course ----------------------------------------------------------------- */

/* Where the course is known: between two of them it is monotone, as far as is
 * known. */
typedef struct nodes {
    const fit *of; /* NULL: samples */
    int count;
    double s[FIT_POINTS], y[FIT_POINTS];
    double error; /* of y inside */
} nodes;

static int threshold_of(const course *c, double y)
{
    if (!(c->within.lower > -HUGE_VAL)) return 1;
    if (!(c->within.upper < HUGE_VAL)) return -1;
    return y - c->within.lower >= c->within.upper - y ? 1 : -1;
}

static void through_fit(const course *c, const fit *f, nodes *n)
{
    n->of = f;
    n->error = f->error;
    n->count = fit_turns(f, n->s);
    for (int i = 0; i < n->count; i++) n->y[i] = fit_at(f, n->s[i]);
    n->y[0] = c->y[0], n->y[n->count - 1] = c->y[FIT_DEGREE];
}

static void through_samples(const course *c, nodes *n)
{
    n->of = NULL;
    n->error = 0;
    n->count = FIT_POINTS;
    for (int i = 0; i < FIT_POINTS; i++)
        n->s[i] = fit_points[i], n->y[i] = c->y[i];
}

static double slope_at(const nodes *n, double s, int i)
{
    if (n->of) return fit_derivative(n->of, 1, s);
    return (n->y[i] - n->y[i - 1]) / (n->s[i] - n->s[i - 1]);
}

/* Where it is level the noise makes the square root of itself of a root. */
static double spread_of(const course *c, const nodes *n, const passing *p)
{
    const double bend = n->of ? 2 * fabs(fit_derivative(n->of, 2, p->root)) : 0;
    return c->noise / fmax(p->slope, sqrt(c->noise * bend));
}

/* At a node where it is at the threshold or beyond, and goes on beyond. */
static void pass_at(
    const course *c, const nodes *n, int i, int direction, passing *p)
{
    const double s = n->s[i];
    p->direction = direction;
    p->threshold = direction > 0 ? c->within.upper : c->within.lower;
    p->lo = p->hi = p->root = s;
    p->at_lo = p->at_hi = direction * (n->y[i] - p->threshold);
    p->slope = fabs(slope_at(n, s, i > 0 ? i : 1));
    p->spread = spread_of(c, n, p);
    p->blur = 0;
    p->is_exact = true;
}

static void pass_between(
    const course *c, const nodes *n, int lo, int hi, passing *p)
{
    p->direction = threshold_of(c, n->y[hi]);
    p->threshold = p->direction > 0 ? c->within.upper : c->within.lower;
    p->at_lo = p->direction * (n->y[lo] - p->threshold);
    p->at_hi = p->direction * (n->y[hi] - p->threshold);
    if (p->at_lo >= 0) {
        pass_at(c, n, lo, p->direction, p);
        return;
    }
    p->lo = n->s[lo], p->hi = n->s[hi];
    p->root = n->of
        ? fit_root(n->of, p->threshold, p->lo, p->hi)
        : p->lo + (p->hi - p->lo) * (p->at_lo / (p->at_lo - p->at_hi));
    p->slope = fabs(slope_at(n, p->root, hi));
    p->spread = spread_of(c, n, p);
    p->blur = p->hi - p->lo;
    if (n->of) p->blur = fmin(p->blur, (n->error + c->noise) / p->slope);
    p->is_exact = false;
}

/* At the end of the step, at a threshold: whether it will pass it. */
static bool goes_on(const course *c, const nodes *n, passing *p)
{
    const int last = n->count - 1;
    const int direction = threshold_of(c, n->y[last]);
    if (!c->is_end) return false;
    if (!(direction * slope_at(n, 1, last) > CLEAR_SLOPE * c->noise))
        return false;
    pass_at(c, n, last, direction, p);
    return true;
}

static course_kind lose(const nodes *n, int i, passing *p)
{
    p->lo = i > 0 ? n->s[i - 1] : n->s[0];
    p->hi = p->root = n->s[i];
    return COURSE_LOST;
}

/* Where a root function that is on its way to its region goes. */
typedef struct way {
    int side; /* from which it comes */
    double threshold;
    double last; /* how far it was beyond that */
} way;

typedef enum gait { COMES, GOES, ARRIVES } gait;

static gait gait_of(way *w, double y, double slack)
{
    const double beyond = w->side * (y - w->threshold), last = w->last;
    w->last = beyond;
    if (beyond < -slack) return ARRIVES;
    return beyond > last + slack ? GOES : COMES;
}

static way way_of(const course *c)
{
    const int side = threshold_of(c, c->y[0]);
    const double threshold = side > 0 ? c->within.upper : c->within.lower;
    return (way){side, threshold, side * (c->y[0] - threshold)};
}

/* Asks for g where the polynomial does not tell on which side of a threshold it is. */
static double settle(const course *c, nodes *n, int i, double *error)
{
    double over = region_beyond(c->within, n->y[i]);
    *error = i < n->count - 1 ? n->error : 0;
    if (fabs(over) <= *error + c->noise && *error > 0) {
        (void)c->look(c->self, n->s[i], &n->y[i]);
        over = region_beyond(c->within, n->y[i]);
        *error = 0;
    }
    return over;
}

static course_kind walk(course *c, nodes *n, passing *p)
{
    way w = way_of(c);
    double over = region_beyond(c->within, n->y[0]);
    for (int i = 1; i < n->count; i++) {
        double error;
        over = settle(c, n, i, &error);
        if (isnan(over)) return lose(n, i, p);
        if (c->is_returning) {
            const double before = w.last;
            const gait g = gait_of(&w, n->y[i], error + c->noise);
            if (g == GOES && before > c->noise) {
                pass_at(c, n, i - 1, w.side, p);
                return COURSE_PASSES;
            }
            if (g == COMES) continue;
            c->is_returning = false;
        }
        if (over > error + c->noise) {
            pass_between(c, n, i - 1, i, p);
            return COURSE_PASSES;
        }
    }
    if (c->is_returning || fabs(over) > c->noise) return COURSE_INSIDE;
    return goes_on(c, n, p) ? COURSE_PASSES : COURSE_INSIDE;
}

/* Whether a value at an extremum of the polynomial may be beyond or not. */
static bool is_open(const course *c, const nodes *n)
{
    for (int i = 1; i < n->count - 1; i++) {
        const double over = region_beyond(c->within, n->y[i]);
        if (fabs(over) <= n->error + c->noise) return true;
    }
    return false;
}

/* Far from the thresholds, as values and bends go. */
static bool is_far(const course *c, const fit *f)
{
    const double over = fmax(region_beyond(c->within, c->y[0]),
        region_beyond(c->within, c->y[FIT_DEGREE]));
    return -over > f->bend + f->error + c->noise;
}

static bool is_finite(const course *c)
{
    double sum = 0 * c->check_y;
    for (int i = 0; i < FIT_POINTS; i++) sum += 0 * c->y[i];
    return sum >= 0;
}

course_kind course_judge(course *c, passing *p)
{
    nodes n;
    fit f;
    *p = (passing){0};
    const double start = region_beyond(c->within, c->y[0]);
    const bool is_out = c->is_start && !c->is_returning && start > c->noise;
    through_samples(c, &n);
    if (is_out) {
        pass_at(c, &n, 0, threshold_of(c, c->y[0]), p);
        return COURSE_PASSES;
    }
    if (!is_finite(c)) return c->is_whole ? walk(c, &n, p) : COURSE_UNSURE;
    fit_make(c->y, &f);
    /* an error that is seen is not the largest */
    const double seen = fabs(fit_at(&f, c->check) - c->check_y);
    if (seen > f.error) f.error = 2 * DOUBTED * seen;
    if (is_far(c, &f)) return COURSE_INSIDE;
    /* turning points of the polynomial are off by a root, and g there by what was */
    const bool is_good = f.error
        <= ROUNDING_LEAVES * f.swing + DOUBTED * c->noise;
    if (!is_good && c->is_whole) return walk(c, &n, p);
    through_fit(c, &f, &n);
    if (is_good) return walk(c, &n, p);
    const bool was_returning = c->is_returning;
    if (!is_open(c, &n) && walk(c, &n, p) == COURSE_INSIDE)
        return COURSE_INSIDE;
    c->is_returning = was_returning;
    return COURSE_UNSURE;
}
