/* From cheap to dear. All g at both ends and at one point between say of most
 * switches that they stay far from their thresholds; three points more, and then four,
 * make polynomials for the others. A piece of the step on which a polynomial is no
 * good is halved, from its start on: what is found first is what comes first. */
#include "events/search.h"
#include "reduce/thresholds.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { FIT_DEGREE = 8, FIT_POINTS = FIT_DEGREE + 1 };

/* A switch that passes a threshold: at lo, which comes first, it is inside or at the
 * threshold, at hi beyond, once. In s or in time. */
typedef struct passing {
    size_t index;
    int direction;
    double threshold;
    double lo, hi, at_lo, at_hi; /* at: how far beyond the threshold */
    double root, blur;           /* as far as it is known; blur: of the root, */
    double spread; /* and where it has been located, by the noise */
    double slope;  /* |dg/ds| */
    double noise;  /* of g: nearer to the threshold it is at the threshold */
    bool is_exact; /* the root has been located */
    bool is_jump;  /* g is not continuous there: a pole, a branch's end */
    bool is_lost;  /* behind the root g has no value, before it is inside */
} passing;

/* Steps in the beginning, without that knowledge, in which nobody is left alone. */
enum { STEPS_NEW = 2 };
/* A step is halved so often: 1024 pieces. */
enum { DEPTH_MAX = 10 };
/* Values close together. */
enum { ROOMS = 4 };
/* Values that are evaluated one by one in a search. */
enum { LOOKS_MAX = 64 };
struct search {
    size_t count;
    double *from, *mid, *to;     /* all g: ends of the step, and between */
    double *y[FIT_POINTS];       /* all g along a piece */
    double *room[ROOMS];         /* all g, for the moment */
    double *rate;                /* how fast g has been, 1/time */
    double *noise;               /* of g; of candidates */
    const double *lower, *upper; /* of the step */
    uint8_t *is_returning, *returns_next; /* at this piece's start and end */
    size_t *candidates;
    size_t candidate_count;
    passing *passings;
    size_t passing_count;
    search_crossing *crossings;
    const search_step *step;
    int64_t evaluations;
    dae_status failed; /* of a look */
    double kept_at;    /* t of `from` */
    bool has_kept, has_probed;
    int steps, looks;
};

/* No motion whose period divides the step is at rest there. */
static double golden_section(void)
{
    return 2 / (3 + sqrt(5));
}

/* A piece of a step. */
typedef struct piece {
    double a, b;
    int depth;
    bool has_end;          /* y[FIT_DEGREE] is there */
    bool is_start, is_end; /* it is one of the step */
    bool is_whole;         /* it cannot be divided */
} piece;

/* All g at t; NaN where they have no values. */
static dae_status values_at(search *s, double t, double *g)
{
    const dae_status st = s->step->values(s->step->self, t, g);
    s->evaluations++;
    if (st != DAE_RETRY) return st;
    for (size_t i = 0; i < s->count; i++) g[i] = (double)NAN;
    return DAE_OK;
}

static double time_at(const piece *p, double share)
{
    if (share <= -1) return p->a;
    if (share >= 1) return p->b;
    return p->a + (p->b - p->a) * ((1 + share) / 2);
}

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

/* cos(pi i/8), the extrema of a Chebyshev polynomial, ascending: every other one is a point
 * of that of half the degree. */
static const double fit_points[FIT_POINTS] = {-1, -0x1.d906bcf328d46p-1,
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
    for (int i = 1; i <= FIT_DEGREE; i++) f->a[i] = 0;
    f->a[0] = f->c[0];
    for (int k = 1; k <= FIT_DEGREE; k++) {
        for (int i = 0; i <= k; i++) f->a[i] += f->c[k] * now[i];
        for (int i = FIT_DEGREE; i >= 0; i--) {
            const double next = (i > 0 ? 2 * now[i - 1] : 0) - last[i];
            last[i] = now[i], now[i] = next;
        }
    }
}

static void fit_make(const double y[FIT_POINTS], fit *f)
{
    const double *c = f->c;
    transform(y, FIT_DEGREE, 1, f->c);
    to_powers(f);
    f->bend = 0;
    for (int i = 2; i <= FIT_DEGREE; i++) f->bend += fabs(c[i]);
    f->swing = f->bend + fabs(c[1]);
    f->bend *= 2;
    /* pairs of terms beyond the last one decay as the last two pairs do, no faster than
     * that tells; what values at points hide counts as well */
    const double before = fabs(c[FIT_DEGREE - 3]) + fabs(c[FIT_DEGREE - 2]);
    const double last = fabs(c[FIT_DEGREE - 1]) + fabs(c[FIT_DEGREE]);
    const double decay = last < SLOW_RATE * before ? last / before : SLOW_RATE;
    /* sums of 9 values, and powers of which coefficients reach 2^7 */
    f->error = DOUBTED * last / (1 - decay)
        + ROUNDING_OF_SUMS * DBL_EPSILON * (fabs(c[0]) + f->swing);
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

/* -1, the turning points between, 1: between two of them it is monotone. Roots of a
 * derivative part the line into pieces on which the next lower one is monotone: so all
 * turning points come from the linear derivative upwards, each bracketed, and none depends
 * on a start that may miss it. Gives their number, 2 to FIT_DEGREE + 1. */
static int fit_turns(const fit *f, double turns[FIT_POINTS])
{
    int count = 2;
    turns[0] = -1, turns[1] = 1;
    /* whether the first derivative has the sign of its first term all along: that of T_k is
     * at most k^2 */
    double others = 64 * f->error;
    for (int k = 2; k <= FIT_DEGREE; k++) others += k * k * fabs(f->c[k]);
    if (fabs(f->c[1]) > others) return count;
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

/* Along a piece of a step, s in [-1, 1]: whether a root function passes a threshold of its
 * region, and where first. */
typedef struct course {
    search *of;
    const piece *at;
    size_t index; /* of the switch */
    region within;
    double noise;      /* of g: nearer to a threshold it is at the threshold */
    bool is_returning; /* it turned at the start of the step, and has not been
                            inside its new region yet. In and out */
    /* where it is known: between two of these it is monotone, as far as is known */
    int count;
    double s[FIT_POINTS], y[FIT_POINTS];
    bool has_fit; /* they are of this, and not samples at fit_points */
    fit fit;
    double error; /* of y inside */
} course;

typedef enum course_kind {
    COURSE_INSIDE, /* it does not pass */
    COURSE_PASSES,
    COURSE_UNSURE, /* the polynomial is no good: to be looked at by halves */
    COURSE_LOST    /* no value at `hi`; before it nothing passes */
} course_kind;

static int threshold_of(const course *c, double y)
{
    if (!(c->within.lower > -HUGE_VAL)) return 1;
    if (!(c->within.upper < HUGE_VAL)) return -1;
    return y - c->within.lower >= c->within.upper - y ? 1 : -1;
}

static double slope_at(const course *c, double s, int i)
{
    if (c->has_fit) return fit_derivative(&c->fit, 1, s);
    return (c->y[i] - c->y[i - 1]) / (c->s[i] - c->s[i - 1]);
}

/* Between two nodes, or (lo = hi) at one where it is at the threshold or beyond, and goes on
 * beyond. */
static course_kind pass(
    const course *c, int lo, int hi, int direction, passing *p)
{
    const double threshold = direction > 0 ? c->within.upper : c->within.lower;
    *p = (passing){.direction = direction,
        .threshold = threshold,
        .lo = c->s[lo],
        .hi = c->s[hi],
        .at_lo = direction * (c->y[lo] - threshold),
        .at_hi = direction * (c->y[hi] - threshold),
        .root = c->s[hi],
        .is_exact = lo == hi};
    if (!p->is_exact && p->at_lo >= 0) return pass(c, lo, lo, direction, p);
    if (!p->is_exact)
        p->root = c->has_fit
            ? fit_root(&c->fit, threshold, p->lo, p->hi)
            : p->lo + (p->hi - p->lo) * (p->at_lo / (p->at_lo - p->at_hi));
    p->slope = fabs(slope_at(c, p->root, hi > 0 ? hi : 1));
    /* where it is level the noise makes the square root of itself of a root */
    const double bend = c->has_fit
        ? 2 * fabs(fit_derivative(&c->fit, 2, p->root))
        : 0;
    p->spread = c->noise / fmax(p->slope, sqrt(c->noise * bend));
    p->blur = p->hi - p->lo;
    if (c->has_fit && !p->is_exact)
        p->blur = fmin(p->blur, (c->error + c->noise) / p->slope);
    return COURSE_PASSES;
}

/* How far a node is beyond: g as it is, where the polynomial does not tell on which side of a
 * threshold it is and the budget of looks allows it. */
static double settle(course *c, int i, double *error)
{
    search *s = c->of;
    const double over = region_beyond(c->within, c->y[i]);
    *error = i < c->count - 1 ? c->error : 0;
    if (!(fabs(over) <= *error + c->noise) || !(*error > 0)) return over;
    *error = 0;
    if (s->failed || s->looks >= LOOKS_MAX) return over;
    s->looks++;
    s->failed = values_at(s, time_at(c->at, c->s[i]), s->room[0]);
    if (!s->failed) c->y[i] = s->room[0][c->index];
    return region_beyond(c->within, c->y[i]);
}

static course_kind walk(course *c, passing *p)
{
    const int last = c->count - 1, side = threshold_of(c, c->y[0]);
    const double from = side > 0 ? c->within.upper : c->within.lower;
    double over = region_beyond(c->within, c->y[0]);
    double before = side * (c->y[0] - from);
    for (int i = 1; i <= last; i++) {
        double error;
        over = settle(c, i, &error);
        if (isnan(over)) {
            *p = (passing){.lo = c->s[i - 1], .hi = c->s[i], .root = c->s[i]};
            return COURSE_LOST;
        }
        if (c->is_returning) {
            /* it comes nearer to its region, arrives there, or goes away */
            const double slack = error + c->noise;
            const double now = side * (c->y[i] - from), was = before;
            const bool goes = now > was + slack, arrives = now < -slack;
            before = now;
            if (goes && !arrives && was > c->noise)
                return pass(c, i - 1, i - 1, side, p);
            if (!goes && !arrives) continue;
            c->is_returning = false;
        }
        if (over > error + c->noise)
            return pass(c, i - 1, i, threshold_of(c, c->y[i]), p);
    }
    if (c->is_returning || fabs(over) > c->noise || !c->at->is_end)
        return COURSE_INSIDE;
    /* at the end of the step, at a threshold: whether it will pass it */
    const int direction = threshold_of(c, c->y[last]);
    const double slope = direction * slope_at(c, 1, last);
    return slope > THREE_DIGITS / DIGIT * c->noise
        ? pass(c, last, last, direction, p)
        : COURSE_INSIDE;
}

/* Whether a value at an extremum of the polynomial may be beyond or not. */
static bool is_open(const course *c)
{
    for (int i = 1; i < c->count - 1; i++) {
        const double over = region_beyond(c->within, c->y[i]);
        if (fabs(over) <= c->error + c->noise) return true;
    }
    return false;
}

/* Whether the polynomial says that g is far from the thresholds all along, as values and
 * bends go; else its turning points are the nodes, if it is good or a check may do. */
static bool is_far(course *c)
{
    const double start = c->y[0], end = c->y[FIT_DEGREE];
    const double check = 2 * golden_section() - 1;
    fit *f = &c->fit;
    fit_make(c->y, f);
    /* an error that is seen is not the largest */
    const double seen = fabs(fit_at(f, check) - c->of->mid[c->index]);
    if (seen > f->error) f->error = 2 * DOUBTED * seen;
    const double over = fmax(
        region_beyond(c->within, start), region_beyond(c->within, end));
    return -over > f->bend + f->error + c->noise;
}

static void take_turns(course *c)
{
    const double start = c->y[0], end = c->y[FIT_DEGREE];
    c->has_fit = true;
    c->error = c->fit.error;
    c->count = fit_turns(&c->fit, c->s);
    for (int i = 0; i < c->count; i++) c->y[i] = fit_at(&c->fit, c->s[i]);
    c->y[0] = start, c->y[c->count - 1] = end;
}

static course_kind judge(
    search *s, const piece *p, size_t i, course *c, passing *found)
{
    c->of = s, c->at = p, c->index = i;
    c->within = (region){s->lower[i], s->upper[i]};
    c->noise = s->noise[i];
    c->is_returning = s->is_returning[i] != 0;
    c->has_fit = false, c->error = 0, c->count = FIT_POINTS;
    bool is_finite = isfinite(s->mid[i]);
    for (int j = 0; j < FIT_POINTS; j++) {
        c->s[j] = fit_points[j], c->y[j] = s->y[j][i];
        is_finite = is_finite && isfinite(c->y[j]);
    }
    const double start = region_beyond(c->within, c->y[0]);
    if (p->is_start && !c->is_returning && start > c->noise)
        return pass(c, 0, 0, threshold_of(c, c->y[0]), found);
    if (!is_finite) return p->is_whole ? walk(c, found) : COURSE_UNSURE;
    if (is_far(c)) return COURSE_INSIDE;
    /* turning points of the polynomial are off by a root, and g there by what was */
    const bool is_good = c->fit.error
        <= VALUES_ERROR * c->fit.swing + DOUBTED * c->noise;
    if (is_good || !p->is_whole) take_turns(c);
    if (is_good || p->is_whole) return walk(c, found);
    const bool was_returning = c->is_returning;
    if (!is_open(c) && walk(c, found) == COURSE_INSIDE) return COURSE_INSIDE;
    c->is_returning = was_returning;
    return COURSE_UNSURE;
}

dae_status search_init(search **out, size_t count, arena *a)
{
    *out = NULL;
    search *s = ARENA_NEW(a, search);
    if (!s) return DAE_MEMORY;
    s->count = count;
    double **const vectors[] = {&s->from, &s->mid, &s->to, &s->rate, &s->noise};
    bool has_all = TAKE(a, s->is_returning, count)
        && TAKE(a, s->returns_next, count) && TAKE(a, s->candidates, count)
        && TAKE(a, s->passings, count) && TAKE(a, s->crossings, count);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        has_all &= TAKE(a, *vectors[i], count);
    for (int i = 0; i < FIT_POINTS; i++) has_all &= TAKE(a, s->y[i], count);
    for (int i = 0; i < ROOMS; i++) has_all &= TAKE(a, s->room[i], count);
    if (!has_all) return DAE_MEMORY;
    *out = s;
    return DAE_OK;
}

void search_forget(search *s)
{
    s->has_kept = false;
}

int64_t search_evaluations(const search *s)
{
    return s->evaluations;
}

/* Whether there is anything to look for. */
static bool has_thresholds(const search *s, size_t i)
{
    return s->lower[i] > -HUGE_VAL || s->upper[i] < HUGE_VAL;
}

/* A switch is left alone if it is farther from its thresholds than its values along the
 * step differ, some times, and than it has moved in a step of that length lately. How
 * much farther than need be all are from their thresholds, by three values each, and
 * how fast they are: loops without branches. A value that is none leaves one. */
static void measure(const search *s, double *spare)
{
    const double h = fabs(s->step->to - s->step->from), per_h = 1 / h;
    const double *const from = s->from, *const mid = s->mid, *const to = s->to;
    const double *const lower = s->lower, *const upper = s->upper;
    double *const speed = s->rate;
    for (size_t i = 0; i < s->count; i++) {
        const double a = from[i], m = mid[i], b = to[i];
        const double less = a < m ? a : m, more = a > m ? a : m;
        const double below = (less < b ? less : b) - lower[i];
        const double above = upper[i] - (more > b ? more : b);
        const double swing = fabs(m - a) + fabs(b - m);
        const double rate = swing * per_h, before = WAIT_SHARE * speed[i];
        const double far = below < above ? below : above;
        spare[i] = far - ALIKE * swing - h * speed[i];
        speed[i] = rate > before && rate <= DBL_MAX ? rate : before;
    }
}

/* Chooses those that may turn. */
static void screen_all(search *s)
{
    double *const spare = s->room[0];
    const bool is_new = s->steps < STEPS_NEW;
    measure(s, spare);
    s->candidate_count = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (spare[i] > 0 && !is_new) continue;
        if (has_thresholds(s, i) && !isnan(s->from[i]))
            s->candidates[s->candidate_count++] = i;
    }
}

/* Of what g is made of, by its values along the step: beside a pole one of them
 * says nothing. */
static double size_along(const search *s, size_t i)
{
    const double a = fabs(s->from[i]), m = fabs(s->mid[i]), b = fabs(s->to[i]);
    const double middle = fmax(fmin(a, b), fmin(fmax(a, b), m));
    const double size = fmin(fmax(a, b), THREE_DIGITS * middle);
    return isfinite(size) ? size : 0;
}

static void begin_candidates(search *s)
{
    for (size_t k = 0; k < s->candidate_count; k++) {
        const size_t i = s->candidates[k];
        const region r = {s->lower[i], s->upper[i]};
        const double known = s->step->size ? s->step->size[i] : 0;
        const double size = fmax(size_along(s, i), known);
        s->noise[i] = UNITS_OFF / 2 * DBL_EPSILON * size;
        s->is_returning[i] = s->step->has_turned && s->step->has_turned[i]
            && region_beyond(r, s->from[i]) > 0;
    }
}

static double time_unit(const search_step *p)
{
    const double unit = DBL_EPSILON / 2 * fmax(fabs(p->from), fabs(p->to));
    return p->to > p->from ? unit : -unit;
}

/* The points of a piece with these numbers: first, first + stride, ... */
static dae_status sample(search *s, const piece *p, int first, int stride)
{
    for (int j = first; j < FIT_DEGREE; j += stride) {
        const double t = time_at(p, fit_points[j]);
        const dae_status st = values_at(s, t, s->y[j]);
        if (st) return st;
    }
    return DAE_OK;
}

/* By five points: whether candidate i cannot get to a threshold in this piece: how far the
 * polynomial of half the degree is from the line through its ends, with what its last two
 * terms leave open counted four times, and as fast as it has been. */
static bool is_far_off(const search *s, const piece *p, size_t i)
{
    double y[FIT_POINTS] = {0}, c[FIT_DEGREE / 2 + 1];
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (int j = 0; j < FIT_POINTS; j += 2) {
        y[j] = s->y[j][i];
        if (!isfinite(y[j])) return false;
        least = fmin(least, y[j]), most = fmax(most, y[j]);
    }
    transform(y, FIT_DEGREE / 2, 2, c);
    const double last = fabs(c[3]) + fabs(c[4]);
    const double bend = 2 * (fabs(c[2]) + last) + DOUBTED * last;
    const double far = fmin(least - s->lower[i], s->upper[i] - most);
    const double moved = s->rate[i] * fabs(p->b - p->a);
    return far > bend + moved + s->noise[i];
}

/* As the course has found it, in time. */
static void note_passing(search *s, const piece *p, size_t i, passing f)
{
    const double half = fabs(p->b - p->a) / 2;
    const bool is_out = f.is_exact && f.root <= -1;
    f.index = i;
    f.noise = s->noise[i];
    f.is_jump = is_out && PART_GONE * f.at_hi > f.noise;
    f.lo = time_at(p, f.lo), f.hi = time_at(p, f.hi);
    f.root = time_at(p, f.root);
    f.slope /= half;
    f.blur *= half;
    f.spread = isfinite(f.spread) ? f.spread * half : 0;
    s->passings[s->passing_count++] = f;
}

/* What the candidates do in a piece. */
typedef struct account {
    bool is_unsure, is_at_start;
    size_t lost; /* the count of switches: none */
    double lost_at;
} account;

static void judge_all(search *s, const piece *p, account *out)
{
    *out = (account){.lost = s->count};
    s->passing_count = 0;
    for (size_t k = 0; k < s->candidate_count; k++) {
        const size_t i = s->candidates[k];
        course c;
        passing f;
        if (is_far_off(s, p, i)) continue;
        const course_kind kind = judge(s, p, i, &c, &f);
        s->returns_next[i] = c.is_returning;
        if (kind == COURSE_PASSES) {
            note_passing(s, p, i, f);
            if (f.is_exact && f.root <= -1) out->is_at_start |= p->is_start;
        } else if (kind == COURSE_UNSURE) {
            out->is_unsure = true;
        } else if (kind == COURSE_LOST) {
            const double t = time_at(p, f.hi);
            if (out->lost == s->count || (out->lost_at - t) / (p->b - p->a) > 0)
                out->lost = i, out->lost_at = t;
        }
    }
}

/* Rounding as it is seen: third differences of values close together, which of anything
 * smooth are far below it; not near a pole, where values are of other sizes. */
static dae_status probe(search *s, const piece *p)
{
    const double h = s->step->to - s->step->from;
    const double units = DOUBTED * time_unit(s->step);
    const double shift = units / h > PROBE_SHARE ? units : PROBE_SHARE * h;
    s->has_probed = true;
    if (shift / h > 4 * PROBE_SHARE || (p->b - p->a) / shift < ROOMS)
        return DAE_OK;
    for (int j = 0; j < ROOMS; j++) {
        const dae_status st = values_at(s, p->a + j * shift, s->room[j]);
        if (st) return st;
    }
    for (size_t k = 0; k < s->candidate_count; k++) {
        const size_t i = s->candidates[k];
        const double a = s->room[0][i], d = s->room[3][i];
        const double off = fabs(d - a - 3 * (s->room[2][i] - s->room[1][i]));
        if (fmax(fabs(a), fabs(d)) <= THREE_DIGITS * size_along(s, i))
            s->noise[i] = fmax(s->noise[i], off);
    }
    return DAE_OK;
}

static bool has_any_open(const search *s, const account *a)
{
    return a->is_unsure || a->lost < s->count || s->passing_count > 0;
}

static dae_status examine(search *s, piece *p, account *out)
{
    const double units = (p->b - p->a) / time_unit(s->step);
    dae_status st = DAE_OK;
    bool are_all_far = true;
    *out = (account){.lost = s->count};
    s->passing_count = 0;
    p->is_start = !(fabs(p->a - s->step->from) > 0);
    p->is_end = !(fabs(p->b - s->step->to) > 0);
    p->is_whole = p->depth >= DEPTH_MAX || units < WHOLE;
    memset(s->returns_next, 0, s->count);
    if (!p->has_end) st = values_at(s, p->b, s->y[FIT_DEGREE]);
    if (!st) st = sample(s, p, 2, 2);
    for (size_t k = 0; k < s->candidate_count && !st && are_all_far; k++)
        are_all_far = is_far_off(s, p, s->candidates[k]);
    if (st || are_all_far || (st = sample(s, p, 1, 2))) return st;
    if (p->depth > 0)
        st = values_at(s, time_at(p, 2 * golden_section() - 1), s->mid);
    if (st) return st;
    judge_all(s, p, out);
    if (s->failed || s->has_probed || !has_any_open(s, out)) return s->failed;
    if ((st = probe(s, p))) return st;
    judge_all(s, p, out);
    return s->failed;
}

/* ---- one instant ------------------------------------------------------------------ */

/* Out of what has been found roughly: the earliest passing, located on the true root
 * functions, and all that pass with it. Regula falsi of the Illinois kind, halved where
 * that is slow: its first guess is the root of a polynomial that agrees to nearly all
 * digits, so what is left is to look on both sides of it. */
enum { ROUNDS_MAX = 200, SLOW = 3 };

typedef struct instant {
    double t;
    size_t count;        /* of those that pass there, or */
    const passing *lost; /* this one loses its value first; NULL */
} instant;

static double beyond(const passing *p, const double *g)
{
    return p->direction > 0 ? g[p->index] - p->threshold
                            : p->threshold - g[p->index];
}

/* Where a root is, f <= 0 at the first end and not at the other. */
enum { LO, HI };
typedef struct bracket {
    double t[2], at[2];
    double weight[2]; /* of Illinois: 1, less where an end stays */
    double before;    /* width when it was last halved */
    int rounds;       /* since then */
    bool has_hi;      /* at[HI] has been evaluated */
} bracket;

static void narrow(bracket *b, double t, double f)
{
    const int side = f <= 0 ? LO : HI;
    if (!(b->weight[side] < 1)) b->weight[!side] /= 2;
    b->weight[side] = 1;
    b->t[side] = t, b->at[side] = f;
    b->has_hi = b->has_hi || side == HI;
    b->rounds++;
    if (fabs(b->t[HI] - b->t[LO]) > b->before / 2) return;
    b->before = fabs(b->t[HI] - b->t[LO]);
    b->rounds = 0;
}

/* The next place to look, strictly inside. */
static double inside(const bracket *b, double unit)
{
    const double lo = b->weight[LO] * b->at[LO];
    const double hi = b->weight[HI] * b->at[HI], width = b->t[HI] - b->t[LO];
    double t = b->t[LO] + width * (lo / (lo - hi));
    if (b->rounds >= SLOW || !isfinite(t)) t = b->t[LO] + width / 2;
    if ((t - b->t[LO]) / unit < 1) t = b->t[LO] + unit;
    if ((b->t[HI] - t) / unit < 1) t = b->t[HI] - unit;
    return t;
}

/* Behind the guess and before it, as its slope says. */
static double opposite(
    const bracket *b, const passing *p, double f, double unit)
{
    const double off = fabs(f) / p->slope / fabs(unit);
    const double step = (isfinite(off) ? 2 * off : 0) + DOUBTED;
    const double t = f <= 0 ? b->t[LO] + step * unit : b->t[HI] - step * unit;
    const bool is_inside = (t - b->t[LO]) / unit > 0
        && (b->t[HI] - t) / unit > 0;
    return is_inside ? t : inside(b, unit);
}

static dae_status locate(search *s, passing *p, double unit, double *g)
{
    bracket b = {
        {p->lo, p->hi}, {p->at_lo, p->at_hi}, {1, 1}, HUGE_VAL, 0, false};
    const double much = DOUBTED * p->noise;
    double t = p->root, f = 0;
    dae_status st = DAE_OK;
    /* at its end nothing is left that is a unit away from both */
    for (int k = 0; k < ROUNDS_MAX && !st; k++) {
        if (k > 0 && (b.t[HI] - b.t[LO]) / unit <= 2) break;
        if (k == 1) t = opposite(&b, p, f, unit);
        else if (k > 1) t = inside(&b, unit);
        st = values_at(s, t, g);
        if (!st) narrow(&b, t, f = beyond(p, g));
    }
    if (!st && !b.has_hi) {
        st = values_at(s, b.t[HI], g);
        b.at[HI] = beyond(p, g);
    }
    if (st) return st;
    p->is_exact = true;
    p->blur = 0;
    p->is_lost = isnan(b.at[HI]);
    const bool is_lo = fabs(b.at[LO]) <= fabs(b.at[HI]) || p->is_lost;
    p->root = b.t[is_lo ? LO : HI];
    if (!(b.at[LO] < -much) || !(b.at[HI] > much)) return DAE_OK;
    /* What is left of the bracket is a jump of g itself if it is as high as all that g does
     * beside it, where a smooth g changes by so many times more. */
    st = values_at(s, b.t[LO] - UNITS_OFF * unit, g);
    const double before = fabs(b.at[LO] - beyond(p, g));
    if (!st) st = values_at(s, b.t[HI] + UNITS_OFF * unit, g);
    const double after = fabs(b.at[HI] - beyond(p, g));
    const double height = b.at[HI] - b.at[LO];
    p->is_jump = !isfinite(height) || height >= before + after;
    if (p->is_jump) p->root = b.t[HI], p->at_hi = b.at[HI];
    return st;
}

/* One that may come before t after all: its root is rough and could, or it has
 * been passed there. */
static passing *earlier_than(
    passing *list, size_t count, double t, double unit, const double *g)
{
    for (size_t i = 0; i < count; i++) {
        passing *p = list + i;
        if (p->is_exact) continue;
        const double slack = UNITS_OFF / 2 * fabs(unit) + p->blur;
        const double much = p->noise + UNITS_OFF / 2 * p->slope * fabs(unit);
        const bool has_begun = (t - p->lo) / unit > 0;
        if ((p->root - t) / unit * fabs(unit) < -slack) return p;
        if (has_begun && (p->hi - t) / unit >= 0 && beyond(p, g) > much)
            return p;
    }
    return NULL;
}

/* All that pass with the one that is found. */
static void collect(search *s, double unit, const double *g, instant *found)
{
    for (size_t i = 0; i < s->passing_count; i++) {
        const passing *p = s->passings + i;
        const double late = (p->root - found->t) / unit;
        const double blur = p->is_exact ? 0 : p->blur / fabs(unit);
        const double near = p->noise + UNITS_OFF / 2 * p->slope * fabs(unit);
        if (late > UNITS_OFF / 2 + blur) continue;
        if (!p->is_exact && !(beyond(p, g) >= -near)) continue;
        search_crossing *c = s->crossings + found->count++;
        *c = (search_crossing){.index = p->index,
            .direction = p->direction,
            .slope = p->direction * (unit > 0 ? p->slope : -p->slope),
            .blur = p->spread,
            .behind = (double)NAN};
        if (p->is_jump) c->behind = p->threshold + p->direction * p->at_hi;
    }
}

/* Located as far as `unit` (time, signed as the run) tells times apart; those that pass
 * there come into s->crossings, by index. Where it would be before `earliest` it is put
 * there. */
static dae_status find_instant(
    search *s, double earliest, double unit, instant *found)
{
    passing *const list = s->passings, *first, *other;
    double *const g = s->room[0];
    *found = (instant){0};
    do {
        dae_status st = DAE_OK;
        first = other = list; /* the one whose root comes first */
        for (size_t i = 1; i < s->passing_count; i++)
            if ((first->root - list[i].root) / unit > 0) first = list + i;
        if (!first->is_exact) st = locate(s, first, unit, g);
        found->lost = first->is_lost ? first : NULL;
        if (st || found->lost) return st;
        found->t = first->root;
        if ((earliest - found->t) / unit > 0) found->t = earliest;
        if ((st = values_at(s, found->t, g))) return st;
        other = earlier_than(list, s->passing_count, first->root, unit, g);
        if (other && (st = locate(s, other, unit, g))) return st;
    } while (other);
    collect(s, unit, g, found);
    return DAE_OK;
}

/* ---- the pieces --------------------------------------------------------------------- */

/* What a piece that is done comes to; nothing if all that passed turns out not to. */
static dae_status conclude(search *s, const account *a, search_found *found)
{
    const search_step *p = s->step;
    const double unit = time_unit(p);
    const bool has_lost = a->lost < s->count;
    double earliest = p->from + (unit > 0 ? p->least : -p->least);
    if ((earliest - p->to) / unit > 0) earliest = p->to;
    instant in = {0};
    if (s->passing_count > 0) {
        const dae_status st = find_instant(s, earliest, unit, &in);
        if (st) return st;
    }
    if (in.lost)
        *found = (search_found){
            .kind = SEARCH_LOST, .t = in.lost->root, .lost = in.lost->index};
    if (in.count > 0)
        *found = (search_found){SEARCH_TURNS, in.t, 0, s->crossings, in.count};
    if (has_lost
        && (found->kind == SEARCH_NONE || (found->t - a->lost_at) / unit > 0))
        *found = (search_found){
            .kind = SEARCH_LOST, .t = a->lost_at, .lost = a->lost};
    return DAE_OK;
}

static void swap(double **a, double **b)
{
    double *const c = *a;
    *a = *b;
    *b = c;
}

/* The pieces of the step from its start on, halved where that is required. */
static dae_status examine_pieces(search *s, search_found *found)
{
    piece waiting[DEPTH_MAX + 2]; /* the first one last */
    int count = 1;
    waiting[0] = (piece){.a = s->step->from, .b = s->step->to, .has_end = true};
    while (count > 0 && found->kind == SEARCH_NONE) {
        piece *p = waiting + count - 1;
        account a;
        dae_status st = examine(s, p, &a);
        if (st) return st;
        const bool is_decided = a.is_at_start || !a.is_unsure;
        if (is_decided && (st = conclude(s, &a, found))) return st;
        const bool is_void = found->kind == SEARCH_NONE && has_any_open(s, &a);
        if (is_void && p->depth < DEPTH_MAX) {
            const double a_first = p->a, middle = time_at(p, 0);
            const int depth = p->depth + 1;
            *p = (piece){.a = middle, .b = p->b, .depth = depth};
            waiting[count++] = (piece){
                .a = a_first, .b = middle, .depth = depth, .has_end = true};
            swap(&s->y[FIT_DEGREE / 2], &s->y[FIT_DEGREE]);
            continue;
        }
        count--;
        swap(&s->y[0], &s->y[FIT_DEGREE]);
        uint8_t *const next = s->returns_next;
        s->returns_next = s->is_returning;
        s->is_returning = next;
    }
    return DAE_OK;
}

static dae_status take_values(search *s)
{
    const search_step *p = s->step;
    const double m = p->from + golden_section() * (p->to - p->from);
    dae_status st = DAE_OK;
    if (!s->has_kept || fabs(p->from - s->kept_at) > 0)
        st = values_at(s, p->from, s->from);
    s->has_kept = false;
    if (st || (st = values_at(s, m, s->mid))) return st;
    return values_at(s, p->to, s->to);
}

dae_status search_run(search *s, const search_step *step, search_found *found)
{
    bool has_any = false;
    dae_status st;
    *found = (search_found){.kind = SEARCH_NONE};
    s->step = step;
    s->lower = step->lower, s->upper = step->upper;
    for (size_t i = 0; i < s->count && !has_any; i++)
        has_any = has_thresholds(s, i);
    if (!has_any || !(fabs(step->to - step->from) > 0)) return DAE_OK;
    s->failed = DAE_OK, s->has_probed = false, s->looks = 0;
    if ((st = take_values(s))) return st;
    screen_all(s);
    s->steps += s->steps < STEPS_NEW;
    if (s->candidate_count > 0) {
        begin_candidates(s);
        memcpy(s->y[0], s->from, s->count * sizeof *s->from);
        memcpy(s->y[FIT_DEGREE], s->to, s->count * sizeof *s->to);
        if ((st = examine_pieces(s, found))) return st;
    }
    if (found->kind != SEARCH_NONE) return DAE_OK;
    swap(&s->from, &s->to);
    s->kept_at = step->to;
    s->has_kept = true;
    return DAE_OK;
}
