/* Both are exact flows of a Hamiltonian next to the true one where a is a gradient:
 * the energy swings and does not drift [HLW06 I.1, IX.3]. */
#include "methods/leapfrog.h"

#include "step/one_step.h"

/* v += share h a; then x += h v where `drifts`. A place is followed by its
 * velocity. */
static void kick(
    transition *s, const double *x, const double *a, double share, bool drifts)
{
    newton_task *to = &s->task;
    for (size_t i = 0; i < s->layout->states; i += 2) {
        to->x[i + 1] = x[i + 1] + share * to->h * a[i + 1];
        if (drifts) to->x[i] = x[i] + to->h * to->x[i + 1];
    }
}

static newton_outcome euler(transition *s)
{
    kick(s, s->x, s->slope, 1, true);
    return one_step_slopes(s, s->task.t, s->new_slope);
}

static newton_outcome verlet(transition *s)
{
    newton_outcome out;
    kick(s, s->x, s->slope, 0.5, true);
    out = one_step_slopes(s, s->task.t, s->work[0]);
    kick(s, s->task.x, s->work[0], 0.5, false);
    return out;
}

const formula *symplectic_euler_formula(void)
{
    static const one_step step = {.order = 1,
        .needs = ONE_STEP_ODE | ONE_STEP_SECOND_ORDER,
        .make = euler};
    static const formula symplectic = {.name = "symplectic-euler",
        .max_order_fixed = 1,
        .text = "v[n] = v[n-1] + h a[n-1], x[n] = x[n-1] + h v[n], of x'' = a",
        .one_step = &step};
    return &symplectic;
}

const formula *verlet_formula(void)
{
    static const one_step step = {.order = 2,
        .needs = ONE_STEP_ODE | ONE_STEP_SECOND_ORDER | ONE_STEP_AT_REST,
        .make = verlet};
    static const formula f = {.name = "verlet",
        .max_order_fixed = 2,
        .text = "w = v[n-1] + h/2 a[n-1], x[n] = x[n-1] + h w, "
                "v[n] = w + h/2 a[n], of x'' = a(t, x)",
        .one_step = &step};
    return &f;
}
