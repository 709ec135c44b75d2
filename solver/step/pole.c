#include "step/pole.h"

#include <math.h>
#include <string.h>

/* The place where a denominator is 0, as a share of the step. */
enum { halvings = 52 };
/* Distances from it, as shares of the step: 2^-6, 2^-12, ...; each time the equations are
 * to grow by half of what a pole makes of it at least, and twice in a row. */
enum { scale_bits = 6, scale_count = 8 };
static const double growth_least = 32;
/* Residuals on both sides are equal by so much, next to a pole. */
static const double alike = 0.1;
/* A denominator of which nothing was found so often is left alone; and one look, which costs
 * some steps, comes to so many steps. */
enum { futile_most = 3, looks_at_once = 4, steps_per_look = 256 };
/* A residue that falls with the step to this share is that of no pole: numerator and
 * denominator vanish together, and the line between the points does not show it. */
static const double vanishing = 1.0 / 16;

dae_status pole_init(
    pole_watch *w, const dae_problem *p, const layout *l, arena *a)
{
    *w = (pole_watch){.at = SIZE_MAX, .first = SIZE_MAX, .was_tight = true};
    if (!p->denominators) return DAE_OK;
    const size_t count = p->denominators->count;
    w->problem = p;
    w->layout = l;
    w->held_count = p->events ? p->events->switch_count : 0;
    w->before = ARENA_ARRAY(a, double, count);
    w->now = ARENA_ARRAY(a, double, count);
    w->there = ARENA_ARRAY(a, double, count);
    w->futile = ARENA_ARRAY(a, uint8_t, count);
    w->held = ARENA_ARRAY(a, double, w->held_count + 1);
    w->x = ARENA_ARRAY(a, double, l->states);
    w->xp = ARENA_ARRAY(a, double, l->unknowns);
    w->line = ARENA_ARRAY(a, double, l->states);
    w->slope = ARENA_ARRAY(a, double, l->unknowns);
    bool has_all = w->before && w->now && w->there && w->futile && w->held
        && w->x && w->xp && w->line && w->slope;
    for (int k = 0; k < 6; k++) {
        w->residual[k] = ARENA_ARRAY(a, double, l->unknowns);
        has_all = has_all && w->residual[k];
    }
    w->of = p->denominators;
    return has_all ? DAE_OK : DAE_MEMORY;
}

void pole_forget(pole_watch *w)
{
    w->is_known = w->is_made = w->is_positive = w->is_now_positive = false;
    w->at = w->first = SIZE_MAX;
}

void pole_prepare(pole_watch *w)
{
    w->is_made = w->is_now_positive = false;
}

void pole_keep(pole_watch *w, double h)
{
    if (!w->of) return;
    const bool is_excluded = w->is_positive && w->is_now_positive;
    if (!is_excluded) w->is_known = w->is_made;
    w->is_positive = w->is_now_positive;
    if (w->is_made) {
        double *now = w->now;
        w->now = w->before;
        w->before = now;
    }
    w->at = SIZE_MAX;
    if (fabs(h) >= w->length) w->first = SIZE_MAX;
    pole_prepare(w);
}

/* A callback that has no value somewhere tells of no pole. */
static dae_status evaluate(const pole_watch *w, double t, const double *x,
    const double *xp, double *values)
{
    const dae_status st = w->of->evaluate(w->problem->self, t, x, xp, values);
    if (st != DAE_RETRY) return st;
    for (size_t k = 0; k < w->of->count; k++) values[k] = (double)NAN;
    return DAE_OK;
}

dae_status pole_begin(pole_watch *w, double t0)
{
    if (w->is_known) return DAE_OK;
    const dae_status st = evaluate(w, t0, w->x, w->xp, w->before);
    w->is_known = !st;
    return st;
}

bool pole_is_excluded(pole_watch *w, const double *x)
{
    const dae_denominators *d = w->of;
    bool is_positive = d->positive_count > 0;
    for (size_t k = 0; k < d->positive_count && is_positive; k++)
        is_positive = x[d->positive[k]] > 0;
    w->is_now_positive = is_positive;
    return w->is_positive && is_positive;
}

dae_status pole_look(pole_watch *w, const pole_ends *e, bool *has_changed)
{
    const dae_status st = evaluate(w, e->t1, e->x, e->xp, w->now);
    *has_changed = false;
    w->is_made = !st;
    for (size_t k = 0; k < w->of->count && !st; k++)
        if (w->before[k] * w->now[k] < 0) *has_changed = true;
    return st;
}

/* ---- between the points ----------------------------------------------------------- */

static double time_at(const pole_ends *e, double share)
{
    return e->t0 + share * (e->t1 - e->t0);
}

static void go_to(pole_watch *w, const pole_ends *e, double share)
{
    for (size_t i = 0; i < w->layout->states; i++)
        w->line[i] = (1 - share) * w->x[i] + share * e->x[i];
    for (size_t j = 0; j < w->layout->unknowns; j++)
        w->slope[j] = (1 - share) * w->xp[j] + share * e->xp[j];
}

/* Where denominator k is 0. */
static dae_status find_zero(
    pole_watch *w, const pole_ends *e, size_t k, double *share)
{
    double low = 0, high = 1;
    const bool is_rising = w->now[k] > 0;
    dae_status st = DAE_OK;
    for (int i = 0; i < halvings && !st; i++) {
        const double middle = low + (high - low) / 2;
        go_to(w, e, middle);
        st = evaluate(w, time_at(e, middle), w->line, w->slope, w->there);
        if ((w->there[k] > 0) == is_rising) high = middle;
        else low = middle;
    }
    *share = low + (high - low) / 2;
    return st;
}

/* Equations as they are written, no branch of theirs held. */
static dae_status residual_at(
    pole_watch *w, const pole_ends *e, double share, double *residual)
{
    const dae_problem *p = w->problem;
    go_to(w, e, share);
    const dae_status st = p->residual(
        p->self, time_at(e, share), w->line, w->slope, residual);
    if (st != DAE_RETRY) return st;
    for (size_t i = 0; i < w->layout->unknowns; i++) residual[i] = (double)NAN;
    return DAE_OK;
}

static bool are_alike(double a, double b)
{
    return fabs(a - b) <= alike * fmax(a, b) && a > 0;
}

/* By residuals at three distances, the last the closest: the largest of those that grow. */
static double grown(const pole_watch *w, double *const at[6])
{
    double most = 0;
    for (size_t i = 0; i < w->layout->unknowns; i++) {
        const double low = fabs(at[4][i]), high = fabs(at[5][i]);
        const double nearer = fmin(fabs(at[2][i]), fabs(at[3][i]));
        const double near = fmax(fabs(at[2][i]), fabs(at[3][i]));
        const double far = fmax(fabs(at[0][i]), fabs(at[1][i]));
        if (!are_alike(low, high) || !isfinite(low + high)) continue;
        if (!(far > 0 && nearer >= growth_least * far)) continue;
        if (fmin(low, high) >= growth_least * near) most = fmax(most, low);
    }
    return most;
}

/* The residue, as a share of the step; 0: there is no pole. */
static dae_status find_residue(
    pole_watch *w, const pole_ends *e, double zero, double *residue)
{
    double *at[6];
    dae_status st = DAE_OK;
    memcpy(at, w->residual, sizeof at);
    *residue = 0;
    for (int k = 1; k <= scale_count && *residue == 0 && !st; k++) {
        const double off = ldexp(1, -scale_bits * k);
        double *const low = at[0], *const high = at[1];
        memmove(at, at + 2, 4 * sizeof *at);
        at[4] = low;
        at[5] = high;
        st = residual_at(w, e, zero - off, low);
        if (!st) st = residual_at(w, e, zero + off, high);
        if (!st && k >= 3) *residue = off * grown(w, at);
    }
    return st;
}

static dae_status ask(
    pole_watch *w, const pole_ends *e, size_t k, double *residue)
{
    const dae_events *v = w->problem->events;
    double zero;
    dae_status st = find_zero(w, e, k, &zero);
    if (st) return st;
    double *held = w->held_count ? v->held + v->discrete_count : NULL;
    for (size_t i = 0; i < w->held_count; i++) {
        w->held[i] = held[i];
        held[i] = (double)NAN;
    }
    st = find_residue(w, e, zero, residue);
    if (w->held_count) memcpy(held, w->held, w->held_count * sizeof *held);
    *residue *= fabs(w->now[k] - w->before[k]);
    return st;
}

/* Whether this crossing is none: the residue vanishes as the step does. */
static bool vanishes(
    pole_watch *w, const pole_ends *e, size_t k, double residue)
{
    if (w->first == k) return residue <= vanishing * w->size;
    w->first = k;
    w->size = residue;
    w->length = fabs(e->t1 - e->t0);
    return false;
}

static bool may_ask(const pole_watch *w, const pole_ends *e, size_t k)
{
    return w->futile[k] < futile_most
        && w->asked < looks_at_once + e->steps / steps_per_look;
}

dae_status pole_crossed(pole_watch *w, const pole_ends *e, bool *is_across)
{
    *is_across = w->has_passed = false;
    w->at = SIZE_MAX;
    for (size_t k = 0; k < w->of->count; k++) {
        double residue = 0;
        if (!(w->before[k] * w->now[k] < 0)) continue;
        *is_across = w->of->is_certain[k];
        if (!*is_across && may_ask(w, e, k)) {
            const dae_status st = ask(w, e, k, &residue);
            if (st) return st;
            w->has_passed = residue > 0 && vanishes(w, e, k, residue);
            *is_across = residue > 0 && !w->has_passed;
            if (!*is_across) w->futile[k]++, w->asked++;
        }
        if (!*is_across) continue;
        w->at = k;
        return DAE_OK;
    }
    return DAE_OK;
}
