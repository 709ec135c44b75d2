/* Two looks: so near that a root known to rounding would show, with everything
 * moved; and as far as the unknown is large, from next to 0 to twice its value,
 * where an unknown in small units has its own scale. */
#include "index/apart.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* Near, of what is typical: a double root is known to 1e-8. And what the others
 * are moved by in the second look. */
static const double NEAR = 3e-6, BESIDE = 1e-3;
/* So much smaller is another slope. */
static const double LOST = 1.0 / 16;
/* The part of the distance that the point is known to. */
static const double KNOWN = 1e-2;
/* From here to there, of the value itself. */
static const double FROM = 0.01, TO = 2;

typedef struct apart {
    sampler *s;
    double t;
    const double *x, *xp;
    int64_t entry;
    size_t slot, row, unknown, order;
    double value, slope, error;
} apart;

static double *slot_of(const apart *w)
{
    return sampler_slot(w->s, w->unknown, w->order);
}

static void find_slot(apart *w)
{
    const dae_pattern *p = sampler_pattern(w->s);
    const layout *l = w->s->layout;
    while (p->column_start[w->slot + 1] <= w->entry) w->slot++;
    w->row = (size_t)p->row[w->entry];
    while (w->slot < l->states ? l->first[w->unknown + 1] <= w->slot
                               : l->states + w->unknown < w->slot)
        w->unknown++;
    w->order = w->slot < l->states ? w->slot - l->first[w->unknown]
                                   : l->order[w->unknown];
}

/* The slope where s->x and s->xp are now; NaN: none. */
static dae_status look(const apart *w, double *slope)
{
    const dae_status st = sampler_evaluate(w->s);
    *slope = st ? (double)NAN : fabs(sampler_values(w->s)[w->entry]);
    return st == DAE_RETRY ? DAE_OK : st;
}

static bool is_larger(const apart *w, double slope)
{
    return !(w->slope > LOST * slope);
}

/* Everything moved by `size` of what is typical, and the slot to `value`. */
static dae_status look_from(
    const apart *w, double size, unsigned number, double value, double *slope)
{
    dae_status st = sampler_evaluate_beside(
        w->s, w->t, w->x, w->xp, size, number);
    if (st && st != DAE_RETRY) return st;
    *slot_of(w) = value;
    return look(w, slope);
}

static dae_status is_apart_near(const apart *w, bool *is_so)
{
    const double by = NEAR
        * fmax(sampler_size(w->s, w->unknown, w->order), fabs(w->value));
    *is_so = w->error <= KNOWN * by;
    for (unsigned k = 0; k < 4 && *is_so; k++) {
        double slope;
        const dae_status st = look_from(
            w, NEAR, k / 2, k % 2 ? w->value + by : w->value - by, &slope);
        if (st) return st;
        *is_so = !is_larger(w, slope);
    }
    return DAE_OK;
}

static dae_status is_apart_in_size(const apart *w, bool *is_so)
{
    *is_so = w->error <= KNOWN * fabs(w->value);
    for (unsigned k = 0; k < 4 && *is_so; k++) {
        double slope;
        const dae_status st = look_from(
            w, BESIDE, k / 2, (k % 2 ? FROM : TO) * w->value, &slope);
        if (st) return st;
        *is_so = !is_larger(w, slope) && slope > LOST * w->slope;
    }
    return DAE_OK;
}

dae_status apart_find(sampler *s, double t, const double *x, const double *xp,
    int64_t entry, bool *is_so)
{
    apart w = {.s = s, .t = t, .x = x, .xp = xp, .entry = entry};
    *is_so = false;
    find_slot(&w);
    dae_status st = sampler_evaluate_at(s, t, x, xp);
    if (st) return st == DAE_RETRY ? DAE_OK : st;
    w.value = *slot_of(&w);
    w.slope = fabs(sampler_values(s)[entry]);
    if (!(w.slope > 0) || !isfinite(w.slope)) return DAE_OK;
    w.error = fabs(s->res[w.row]) / w.slope + DBL_EPSILON * fabs(w.value);
    st = is_apart_near(&w, is_so);
    return st || *is_so ? st : is_apart_in_size(&w, is_so);
}
