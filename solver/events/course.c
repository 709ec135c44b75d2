#include "events/course.h"
#include "reduce/thresholds.h"
#include <math.h>

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
    if (n->of) return fit_slope(n->of, s);
    return (n->y[i] - n->y[i - 1]) / (n->s[i] - n->s[i - 1]);
}

/* Where it is level the noise makes the square root of itself of a root. */
static double spread_of(
    const course *c, const nodes *n, const course_passing *p)
{
    const double bend = n->of ? fabs(fit_curvature(n->of, p->root)) : 0;
    return c->noise / fmax(p->slope, sqrt(c->noise * bend));
}

/* At a node where it is at the threshold or beyond, and goes on beyond. */
static void pass_at(
    const course *c, const nodes *n, int i, int direction, course_passing *p)
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
    const course *c, const nodes *n, int lo, int hi, course_passing *p)
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
static bool goes_on(const course *c, const nodes *n, course_passing *p)
{
    const int last = n->count - 1;
    const int direction = threshold_of(c, n->y[last]);
    if (!c->is_end) return false;
    if (!(direction * slope_at(n, 1, last) > CLEAR_SLOPE * c->noise))
        return false;
    pass_at(c, n, last, direction, p);
    return true;
}

static course_kind lose(const nodes *n, int i, course_passing *p)
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

static course_kind walk(course *c, nodes *n, course_passing *p)
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

course_kind course_judge(course *c, course_passing *p)
{
    nodes n;
    fit f;
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
