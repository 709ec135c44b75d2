/* Regula falsi of the Illinois kind, halved where that is slow: its first guess is
 * the root of a polynomial that agrees to nearly all digits, so what is left is to
 * look on both sides of it. */
#include "events/instant.h"
#include "reduce/thresholds.h"
#include <float.h>
#include <math.h>

enum { ROUNDS_MAX = 200, SLOW = 3 };

dae_status sampler_at(sampler *m, double t, double *g)
{
    const dae_status st = m->values(m->self, t, g);
    m->evaluations++;
    if (st != DAE_RETRY) return st;
    for (size_t i = 0; i < m->count; i++) g[i] = (double)NAN;
    return DAE_OK;
}

static double beyond(const passing *p, const double *g)
{
    return p->direction > 0 ? g[p->index] - p->threshold
                            : p->threshold - g[p->index];
}

/* Where a root is, f <= 0 at lo and not at hi. */
typedef struct bracket {
    double lo, hi, at_lo, at_hi;
    double weight_lo, weight_hi; /* of Illinois: 1, less where an end stays */
    double before;               /* width when it was last halved */
    int rounds;                  /* since then */
    bool has_hi;                 /* at_hi has been evaluated */
} bracket;

static void narrow(bracket *b, double t, double f)
{
    if (f <= 0) {
        b->weight_hi = b->weight_lo < 1 ? b->weight_hi : b->weight_hi / 2;
        b->weight_lo = 1;
        b->lo = t, b->at_lo = f;
    } else {
        b->weight_lo = b->weight_hi < 1 ? b->weight_lo : b->weight_lo / 2;
        b->weight_hi = 1;
        b->hi = t, b->at_hi = f, b->has_hi = true;
    }
    b->rounds++;
    if (fabs(b->hi - b->lo) > b->before / 2) return;
    b->before = fabs(b->hi - b->lo);
    b->rounds = 0;
}

/* The next place to look, strictly inside. */
static double inside(const bracket *b, double unit)
{
    const double lo = b->weight_lo * b->at_lo, hi = b->weight_hi * b->at_hi;
    const double middle = b->lo + (b->hi - b->lo) / 2;
    double t = b->lo + (b->hi - b->lo) * (lo / (lo - hi));
    if (b->rounds >= SLOW || !isfinite(t)) t = middle;
    if ((t - b->lo) / unit < 1) t = b->lo + unit;
    if ((b->hi - t) / unit < 1) t = b->hi - unit;
    return t;
}

/* Behind the guess and before it, as its slope says. */
static double opposite(
    const bracket *b, const passing *p, double f, double unit)
{
    const double off = fabs(f) / p->slope / fabs(unit);
    const double step = (isfinite(off) ? 2 * off : 0) + TIME_UNITS;
    const double t = f <= 0 ? b->lo + step * unit : b->hi - step * unit;
    const bool is_inside = (t - b->lo) / unit > 0 && (b->hi - t) / unit > 0;
    return is_inside ? t : inside(b, unit);
}

/* Whether what is left of a bracket is a jump of g itself: it is as high as all that
 * g does beside it, where a smooth g changes by so many times more. */
static dae_status see_jump(
    sampler *m, passing *p, const bracket *b, double unit, double *g)
{
    const double much = DOUBTED * p->noise, height = b->at_hi - b->at_lo;
    if (!(b->at_lo < -much) || !(b->at_hi > much)) return DAE_OK;
    dae_status st = sampler_at(m, b->lo - UNITS_OFF * unit, g);
    const double before = fabs(b->at_lo - beyond(p, g));
    if (!st) st = sampler_at(m, b->hi + UNITS_OFF * unit, g);
    const double after = fabs(b->at_hi - beyond(p, g));
    p->is_jump = !isfinite(height) || height >= before + after;
    return st;
}

static dae_status locate(sampler *m, passing *p, double unit, double *g)
{
    bracket b = {p->lo, p->hi, p->at_lo, p->at_hi, 1, 1, HUGE_VAL, 0, false};
    double t = p->root, f = 0;
    for (int k = 0; k < ROUNDS_MAX; k++) {
        /* nothing is left that is a unit away from both */
        if (k > 0 && (b.hi - b.lo) / unit <= 2) break;
        if (k == 1) t = opposite(&b, p, f, unit);
        else if (k > 1) t = inside(&b, unit);
        const dae_status st = sampler_at(m, t, g);
        if (st) return st;
        narrow(&b, t, f = beyond(p, g));
    }
    p->is_exact = true;
    p->blur = 0;
    if (!b.has_hi) {
        const dae_status st = sampler_at(m, b.hi, g);
        if (st) return st;
        b.at_hi = beyond(p, g);
        p->is_void = b.at_hi < -p->noise;
    }
    p->is_lost = isnan(b.at_hi)
        && b.at_lo < -p->noise - G_UNITS * p->slope * fabs(unit);
    p->root = fabs(b.at_lo) <= fabs(b.at_hi) || isnan(b.at_hi) ? b.lo : b.hi;
    const dae_status st = see_jump(m, p, &b, unit, g);
    if (!p->is_jump) return st;
    p->root = b.hi;
    p->at_hi = b.at_hi;
    return st;
}

/* The one whose root comes first; NULL: all are void. */
static passing *first_of(passing *list, size_t count, double unit)
{
    passing *first = NULL;
    for (size_t i = 0; i < count; i++)
        if (!list[i].is_void
            && (!first || (first->root - list[i].root) / unit > 0))
            first = list + i;
    return first;
}

/* One that may come before t after all: its root is rough and could, or it has
 * been passed there. */
static passing *earlier_than(
    passing *list, size_t count, double t, double unit, const double *g)
{
    for (size_t i = 0; i < count; i++) {
        passing *p = list + i;
        if (p->is_void || p->is_exact) continue;
        const double slack = G_UNITS * fabs(unit) + p->blur;
        const double much = p->noise + G_UNITS * p->slope * fabs(unit);
        const bool has_begun = (t - p->lo) / unit > 0;
        if ((p->root - t) / unit * fabs(unit) < -slack) return p;
        if (has_begun && (p->hi - t) / unit >= 0 && beyond(p, g) > much)
            return p;
    }
    return NULL;
}

/* One that may jump at t, and is not known well enough to tell: what is rounded as
 * another one is does it a little before or after that. */
static passing *rough_at(passing *list, size_t count, double t, double unit)
{
    for (size_t i = 0; i < count; i++) {
        passing *p = list + i;
        if (p->is_void || p->is_exact) continue;
        if ((p->lo - t) / unit <= G_UNITS && (t - p->hi) / unit <= G_UNITS)
            return p;
    }
    return NULL;
}

static bool is_there(
    const passing *p, const instant *at, double unit, const double *g)
{
    const double late = (p->root - at->t) / unit;
    if (p->is_exact) return late <= G_UNITS;
    const double near = p->noise + G_UNITS * p->slope * fabs(unit);
    return late <= G_UNITS + p->blur / fabs(unit) && beyond(p, g) >= -near;
}

static void collect(const passing *list, size_t count, double unit,
    const double *g, instant *found, search_crossing *out)
{
    for (size_t i = 0; i < count; i++) {
        const passing *p = list + i;
        if (p->is_void || !is_there(p, found, unit, g)) continue;
        const double slope = unit > 0 ? p->slope : -p->slope;
        search_crossing *c = out + found->count++;
        *c = (search_crossing){.index = p->index,
            .direction = p->direction,
            .slope = p->direction * slope,
            .blur = p->spread,
            .behind = (double)NAN};
        if (p->is_jump) c->behind = p->threshold + p->direction * p->at_hi;
    }
}

dae_status instant_find(sampler *m, passing *list, size_t count,
    double earliest, double unit, double *g, instant *found,
    search_crossing *out)
{
    found->count = 0;
    found->lost = NULL;
    passing *first;
    while ((first = first_of(list, count, unit))) {
        dae_status st = DAE_OK;
        if (!first->is_exact && (st = locate(m, first, unit, g))) return st;
        if (first->is_void) continue;
        if (first->is_lost) break;
        found->t = first->root;
        if ((earliest - found->t) / unit > 0) found->t = earliest;
        if ((st = sampler_at(m, found->t, g))) return st;
        passing *other = earlier_than(list, count, first->root, unit, g);
        if (!other && first->is_jump)
            other = rough_at(list, count, first->root, unit);
        if (!other) break;
        if ((st = locate(m, other, unit, g))) return st;
    }
    found->lost = first && first->is_lost ? first : NULL;
    if (first && !found->lost) collect(list, count, unit, g, found, out);
    return DAE_OK;
}
