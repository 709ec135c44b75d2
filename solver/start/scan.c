/* Points at 10^-3 to 10^6 sizes on both sides of 0 and of the guess, where the
 * size is the slot's unit and that of its guess. */
#include "start/scan.h"
#include "linalg/naming.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PER_DECADE = 4,
    DECADES = 9,
    BISECTIONS = 1200,
    TRIES = 6,
    SECTIONS = 40
};
enum { STEPS = PER_DECADE * DECADES + 1, POINTS = 8 * STEPS + 4 };
/* Lowest points between two others that are looked at closely. */
enum { DIPS = 4 };

dae_status scan_evaluate(scan *c, double value, double *f)
{
    init_system *s = c->s;
    const double before = s->z[c->slot];
    dae_status st = unknowns_interrupt(s);
    if (st) return st;
    *f = (double)NAN;
    c->res[c->row] = (double)NAN;
    *c->work -= (double)s->rows;
    if (!(*c->work > 0)) return DAE_OK;
    s->z[c->slot] = value;
    st = unknowns_residual(s, s->z, c->res);
    s->z[c->slot] = before;
    if (st && st != DAE_RETRY) return st;
    *f = c->res[c->row];
    return DAE_OK;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void put(scan *c, double value)
{
    const init_system *s = c->s;
    c->at[c->count++] = fmin(fmax(value, s->low[c->slot]), s->high[c->slot]);
}

static void put_around(scan *c, double centre, double size)
{
    const double factor = pow(10, 1.0 / PER_DECADE);
    double by = DIFFERENCE_STEP * size;
    for (int k = 0; k < STEPS; k++, by *= factor) {
        put(c, centre + by);
        put(c, centre - by);
    }
}

static void place_points(scan *c)
{
    const init_system *s = c->s;
    const double guess = s->guess[c->slot], here = s->z[c->slot];
    const double unit = unknowns_unit(s, c->slot);
    size_t count = 0;
    put(c, 0);
    put(c, guess);
    put(c, here);
    put_around(c, 0, unit);
    if (guess != 0) {
        put_around(c, 0, fabs(guess));
        put_around(c, guess, unit);
        put_around(c, guess, fabs(guess));
    }
    qsort(c->at, c->count, sizeof *c->at, compare);
    for (size_t k = 0; k < c->count; k++)
        if (count == 0 || c->at[k] > c->at[count - 1])
            c->at[count++] = c->at[k];
    c->count = count;
}

dae_status scan_init(
    scan *c, init_system *s, size_t row, size_t slot, double *work)
{
    arena *a = &s->arena;
    *c = (scan){.s = s, .row = row, .slot = slot, .work = work};
    c->res = ARENA_ARRAY(a, double, s->rows);
    c->at = ARENA_ARRAY(a, double, POINTS);
    c->f = ARENA_ARRAY(a, double, POINTS);
    if (!c->res || !c->at || !c->f) return DAE_MEMORY;
    place_points(c);
    assert(c->count > 0 && c->count <= POINTS);
    for (size_t k = 0; k < c->count; k++) {
        const dae_status st = scan_evaluate(c, c->at[k], &c->f[k]);
        if (st) return st;
    }
    return DAE_OK;
}

/* ---- roots ----------------------------------------------------------------------- */

static bool is_change(double fa, double fb)
{
    return (fa < 0 && fb > 0) || (fa > 0 && fb < 0);
}

/* In the middle of two of one sign and of other sizes: of their digits. */
double scan_middle(double a, double b)
{
    const bool is_wide = (a > 0 && b / a > 4) || (b < 0 && a / b > 4);
    if (is_wide) return a > 0 ? sqrt(a) * sqrt(b) : -sqrt(-a) * sqrt(-b);
    return a + (b - a) / 2;
}

/* Halves to neighbouring numbers. No root: a pole or a jump, where the row does
 * not become small. */
dae_status scan_narrow(scan *c, scan_bracket w, double *root, bool *is_found)
{
    const double least = fmin(fabs(w.fa), fabs(w.fb));
    assert(w.a < w.b && (is_change(w.fa, w.fb) || w.fa == 0 || w.fb == 0));
    *is_found = false;
    for (int k = 0; k < BISECTIONS && w.fa != 0 && w.fb != 0; k++) {
        const double m = scan_middle(w.a, w.b);
        double f;
        if (!(m > w.a && m < w.b)) break;
        const dae_status st = scan_evaluate(c, m, &f);
        if (st || isnan(f)) return st;
        if (f == 0 || is_change(w.fa, f)) {
            w.b = m;
            w.fb = f;
        } else {
            w.a = m;
            w.fa = f;
        }
    }
    const bool is_b = fabs(w.fb) <= fabs(w.fa);
    *root = is_b ? w.b : w.a;
    *is_found = least == 0 || fabs(is_b ? w.fb : w.fa) < least;
    return DAE_OK;
}

/* Two points, and the one between them where the row is least of the three:
 * does its sign change in there? *to is where it does, or nearest. */
static dae_status look_into(
    scan *c, size_t k, scan_bracket *to, double *at, double *f)
{
    assert(k > 0 && k + 1 < c->count);
    double a = c->at[k - 1], b = c->at[k + 1];
    *at = c->at[k];
    *f = c->f[k];
    const double golden = (3 - sqrt(5)) / 2;
    for (int i = 0; i < SECTIONS; i++) {
        const bool is_left = *at - a > b - *at;
        const double m = is_left ? *at - golden * (*at - a)
                                 : *at + golden * (b - *at);
        double other;
        if (!(m > a && m < b) || m == *at) return DAE_OK;
        const dae_status st = scan_evaluate(c, m, &other);
        if (st || isnan(other)) return st;
        if (is_change(*f, other) || other == 0) {
            *to = is_left ? (scan_bracket){m, *at, other, *f}
                          : (scan_bracket){*at, m, *f, other};
            return DAE_OK;
        }
        if (fabs(other) < fabs(*f)) {
            *(is_left ? &b : &a) = *at;
            *at = m;
            *f = other;
        } else {
            *(is_left ? &a : &b) = m;
        }
    }
    return DAE_OK;
}

/* Is the row at point k smaller than beside it, though not everywhere alike? */
static bool is_dip(const scan *c, size_t k)
{
    if (k == 0 || k + 1 >= c->count) return false;
    const double f = fabs(c->f[k]), l = fabs(c->f[k - 1]),
                 r = fabs(c->f[k + 1]);
    return f <= l && f <= r && (f < l || f < r);
}

/* Point of the k-th lowest dip; count: there are not so many. */
static size_t dip_at(const scan *c, size_t k)
{
    size_t best = c->count;
    double above = -1;
    for (size_t turn = 0; turn <= k; turn++) {
        size_t next = c->count;
        for (size_t i = 0; i < c->count; i++) {
            const double f = fabs(c->f[i]);
            const bool is_after = f > above || (f == above && i > best);
            if (!is_dip(c, i) || !is_after) continue;
            if (next == c->count || f < fabs(c->f[next])) next = i;
        }
        if (next == c->count) return next;
        best = next;
        above = fabs(c->f[best]);
    }
    return best;
}

/* How far bracket k (between points k and k + 1) is from `here`; infinite: it
 * is none. */
static double distance(const scan *c, size_t k, double here)
{
    const double fa = c->f[k], fb = c->f[k + 1];
    if (fb == 0) return fabs(c->at[k + 1] - here);
    if (fa == 0) return fabs(c->at[k] - here);
    if (!is_change(fa, fb)) return (double)INFINITY;
    return fmin(fabs(c->at[k] - here), fabs(c->at[k + 1] - here));
}

static dae_status root_of_points(scan *c, double *root, bool *is_found)
{
    const double here = c->s->z[c->slot];
    double beyond = -1;
    for (int k = 0; k < TRIES && !*is_found; k++) {
        double best = (double)INFINITY;
        size_t at = c->count;
        for (size_t i = 0; i + 1 < c->count; i++) {
            const double d = distance(c, i, here);
            if (!isfinite(d) || !(d > beyond) || d > best) continue;
            best = d;
            at = i;
        }
        if (at == c->count) return DAE_OK;
        beyond = best;
        if (c->f[at] == 0 || c->f[at + 1] == 0) {
            *root = c->at[c->f[at + 1] == 0 ? at + 1 : at];
            *is_found = true;
            continue;
        }
        const dae_status st = scan_narrow(c,
            (scan_bracket){c->at[at], c->at[at + 1], c->f[at], c->f[at + 1]},
            root, is_found);
        if (st) return st;
    }
    return DAE_OK;
}

dae_status scan_root(scan *c, double *root, bool *is_found)
{
    *is_found = false;
    dae_status st = root_of_points(c, root, is_found);
    for (size_t k = 0; k < DIPS && !st && !*is_found; k++) {
        scan_bracket w = {0, 0, 0, 0};
        double at, f;
        const size_t i = dip_at(c, k);
        if (i == c->count) return DAE_OK;
        st = look_into(c, i, &w, &at, &f);
        if (!st && w.a < w.b) st = scan_narrow(c, w, root, is_found);
    }
    return st;
}

dae_status scan_end(scan *c, double way)
{
    double *here = &c->s->z[c->slot], f;
    double inside = *here;
    double outside = inside
        + way * DIFFERENCE_STEP
            * fmax(fabs(inside), unknowns_unit(c->s, c->slot));
    dae_status st = scan_evaluate(c, outside, &f);
    if (st || !isnan(f)) return st;
    for (int k = 0; k<BISECTIONS && * c->work> 0; k++) {
        const double m = scan_middle(
            fmin(inside, outside), fmax(inside, outside));
        if (m == inside || m == outside) break;
        if ((st = scan_evaluate(c, m, &f))) return st;
        *(isnan(f) ? &outside : &inside) = m;
    }
    *here = inside;
    return DAE_OK;
}

/* ---- a smallest value ---------------------------------------------------------- */

/* Smaller than `least` by more than the search for it leaves open. */
static bool is_below(double f, double least)
{
    return (f > 0) != (least > 0) || fabs(f) < fabs(least) * (1 - HALF_DIGITS);
}

/* Has the row no value just beside the slot's, or is that a bound? */
static dae_status is_wall(scan *c, double way, bool *is_so)
{
    const init_system *s = c->s;
    const double here = s->z[c->slot];
    double f;
    *is_so = way < 0 ? here <= s->low[c->slot] : here >= s->high[c->slot];
    if (*is_so) return DAE_OK;
    const dae_status st = scan_evaluate(
        c, here + way * fmax(rounding_of(16) * fabs(here), DBL_MIN), &f);
    *is_so = isnan(f) && *c->work > 0;
    return st;
}

dae_status scan_judge(scan *c, scan_account *out)
{
    const double here = c->s->z[c->slot];
    double least;
    bool is_left, is_right;
    *out = (scan_account){.is_least = true, .is_constant = true};
    dae_status st = scan_evaluate(c, here, &least);
    if (!st) st = is_wall(c, -1, &is_left);
    if (!st) st = is_wall(c, 1, &is_right);
    if (st) return st;
    if (isnan(least)) out->is_least = out->is_constant = false;
    if (isnan(least)) return DAE_OK;
    for (size_t k = 0; k < c->count; k++) {
        const double f = c->f[k];
        if (f != least) out->is_constant = false;
        if (isnan(f)) continue;
        if (is_below(f, least)) out->is_least = false;
        if (fabs(f) < 1.5 * fabs(least)) continue;
        *(c->at[k] < here ? &is_left : &is_right) = true;
    }
    for (size_t k = 0; k < DIPS && out->is_least; k++) {
        scan_bracket w = {0, 0, 0, 0};
        double at, f;
        const size_t i = dip_at(c, k);
        if (i == c->count) break;
        if ((st = look_into(c, i, &w, &at, &f))) return st;
        if (w.a < w.b || is_below(f, least)) out->is_least = false;
    }
    out->is_between = is_left && is_right;
    return DAE_OK;
}
