/* Dense output: the machine's polynomial, or a curve that the method brings. */
#include "step/between.h"
#include "step/step.h"

static bool is_inside(const stepper *s, double t)
{
    return t != s->history.t && t != s->history.t - s->last_h;
}

static bool has_own_curve(const stepper *s, double t)
{
    const method_parts *p = s->formula->parts;
    return p && p->curve && s->memory.has_curve && is_inside(s, t);
}

bool stepper_has_line(const stepper *s, double t)
{
    return s->has_line && s->last_h != 0 && is_inside(s, t)
        && !has_own_curve(s, t);
}

void stepper_at(const stepper *s, double t, double *x, double *xp)
{
    const history *hi = &s->history;
    const layout *l = s->layout;
    if (!has_own_curve(s, t)) {
        between_show(s, t, x, xp);
        return;
    }
    const curve_step step = {.t = hi->t,
        .h = s->last_h,
        .x = hi->phi[0],
        .kept = (const double *const *)s->memory.kept,
        .numbers = s->memory.numbers};
    const double share = 1 + (t - hi->t) / s->last_h;
    void (*curve)(const curve_step *, double, size_t, size_t, double *,
        double *) = s->formula->parts->curve;
    if (x) curve(&step, share, 0, l->states, x, NULL);
    for (size_t j = 0; xp && j < l->unknowns; j++) {
        const size_t high = l->first[j + 1] - 1;
        curve(&step, share, high, high + 1, NULL, xp + j);
    }
}
