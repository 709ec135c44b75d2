/* One step multiplies by 1 + z + z^2/2 + z^3/6 + z^4/24 [HNW93 II.1]. */
#include "methods/rk4.h"

#include "step/one_step.h"

/* Slopes after this share of a step with the slopes of the stage before. */
static newton_outcome stage(
    transition *s, const double *before, double share, double *slope)
{
    newton_task *to = &s->task;
    for (size_t i = 0; i < s->layout->states; i++)
        to->x[i] = s->x[i] + share * to->h * before[i];
    return one_step_slopes(s, share < 1 ? s->t + share * to->h : to->t, slope);
}

static newton_outcome make(transition *s)
{
    newton_task *to = &s->task;
    double *const *k = s->work;
    newton_outcome out = stage(s, s->slope, 0.5, k[0]);
    if (out == NEWTON_CONVERGED) out = stage(s, k[0], 0.5, k[1]);
    if (out == NEWTON_CONVERGED) out = stage(s, k[1], 1, k[2]);
    if (out != NEWTON_CONVERGED) return out;
    for (size_t i = 0; i < s->layout->states; i++) {
        const double sum = s->slope[i] + 2 * k[0][i] + 2 * k[1][i] + k[2][i];
        to->x[i] = s->x[i] + to->h / 6 * sum;
    }
    return one_step_slopes(s, to->t, s->new_slope);
}

const formula *rk4_formula(void)
{
    static const one_step step = {
        .order = 4, .needs = ONE_STEP_ODE, .make = make};
    static const formula rk4 = {.name = "rk4",
        .max_order_fixed = 4,
        .text = "x[n] = x[n-1] + h (k1 + 2 k2 + 2 k3 + k4)/6, slopes at the "
                "start, twice the middle, the end",
        .one_step = &step};
    return &rk4;
}

const dae_method *rk4_method(void)
{
    static const dae_method method = {"rk4", "rk4",
        "x[n] = x[n-1] + h (k1 + 2 k2 + 2 k3 + k4)/6, slopes at the start, "
        "twice the middle, the end",
        4, 1, {{1}, {-1, -1, -1.0 / 2, -1.0 / 6, -1.0 / 24}}, 1.0 / 120};
    return &method;
}
