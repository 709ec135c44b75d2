/* Dense output: the machine's polynomial, or a curve that the method brings. */
#include "step/between.h"
#include "step/step.h"

static bool is_inside(const stepper *s, double t)
{
    return t != s->history.t && t != s->history.t - s->last_h;
}

bool stepper_has_curve(const stepper *s, double t)
{
    const method_parts *p = s->formula->parts;
    return p && p->curve && s->memory.has_curve && is_inside(s, t);
}

bool stepper_has_line(const stepper *s, double t)
{
    const bool is_seen = !is_inside(s, t) && !(s->is_cut && t == s->history.t);
    return s->has_line && s->last_h != 0 && !is_seen
        && !stepper_has_curve(s, t);
}

bool stepper_is_between(const stepper *s, double t)
{
    const method_memory *m = &s->memory;
    const bool is_at_cut = m->is_cut && m->end && t == s->history.t;
    return is_at_cut || stepper_has_line(s, t) || stepper_has_curve(s, t);
}

curve_step method_curve_step(const stepper *s)
{
    const method_memory *m = &s->memory;
    return (curve_step){.t = m->is_cut ? m->end_t : s->history.t,
        .h = m->is_cut ? m->end_h : s->last_h,
        .x = m->is_cut ? m->end : s->history.phi[0],
        .kept = (const double *const *)m->kept,
        .numbers = m->numbers};
}

void stepper_slopes(const stepper *s, double t, double *slope)
{
    const history *hi = &s->history;
    if (!stepper_has_curve(s, t)) {
        history_at(hi, s->last_order, t - hi->t, 0, hi->states, NULL, slope);
        return;
    }
    const curve_step step = method_curve_step(s);
    s->formula->parts->curve(
        &step, 1 + (t - step.t) / step.h, 0, hi->states, NULL, slope);
}

void stepper_at(const stepper *s, double t, double *x, double *xp)
{
    const layout *l = s->layout;
    if (!stepper_has_curve(s, t)) {
        between_show(s, t, x, xp);
        return;
    }
    const curve_step step = method_curve_step(s);
    const double share = 1 + (t - step.t) / step.h;
    void (*curve)(const curve_step *, double, size_t, size_t, double *,
        double *) = s->formula->parts->curve;
    const bool is_whole = l->is_first_order; /* xp are slopes of all states */
    if (x || is_whole)
        curve(&step, share, 0, l->states, x, is_whole ? xp : NULL);
    for (size_t j = 0; xp && !is_whole && j < l->unknowns; j++) {
        const size_t high = l->first[j + 1] - 1;
        curve(&step, share, high, high + 1, NULL, xp + j);
    }
}

bool stepper_values(const stepper *s, const history_places *at, double *x)
{
    const method_parts *p = s->formula->parts;
    if (p && p->curve && s->memory.has_curve) return false;
    between_values(s, at, x);
    return true;
}
