/* Explicit: stable within the circle of radius 1 about -1 alone.
 *
 * Linearised: the step of backward Euler with F replaced by its tangent at the
 * last values and slope 0, so that one linear system is all it takes [HW96 IV.7,
 * a Rosenbrock method of one stage]. Where F is linear it is backward Euler. */
#include "methods/euler.h"

#include "step/one_step.h"

#include <string.h>

static newton_outcome explicit_step(transition *s)
{
    newton_task *to = &s->task;
    for (size_t i = 0; i < s->layout->states; i++)
        to->x[i] = s->x[i] + to->h * s->slope[i];
    return one_step_slopes(s, to->t, s->new_slope);
}

/* Lower states follow x_o' = x_(o+1) with the new x_(o+1): by so much where the
 * highest one stays. */
static void shift_lower(const transition *s, double *shift)
{
    const layout *l = s->layout;
    for (size_t j = 0; j < l->unknowns; j++) {
        size_t i = l->first[j + 1] - 1;
        shift[i] = 0;
        for (; i > l->first[j]; i--)
            shift[i - 1] = s->task.h * (s->x[i] + shift[i]);
    }
}

static newton_outcome linear_step(transition *s)
{
    newton_task *to = &s->task;
    const layout *l = s->layout;
    to->alpha = 1 / to->h;
    memcpy(to->x, s->x, l->states * sizeof *to->x);
    memset(to->d, 0, l->states * sizeof *to->d);
    memset(to->xp, 0, l->unknowns * sizeof *to->xp);
    shift_lower(s, s->work[0]);
    return newton_linear(s->newton, to, s->work[0]);
}

const formula *euler_formula(void)
{
    static const one_step step = {
        .order = 1, .needs = ONE_STEP_ODE, .make = explicit_step};
    static const formula euler = {.name = "euler",
        .max_order_fixed = 1,
        .text = "x[n] = x[n-1] + h f[n-1]",
        .one_step = &step};
    return &euler;
}

const formula *euler_linear_formula(void)
{
    static const one_step step = {.order = 1, .make = linear_step};
    static const formula tangent = {.name = "euler-linear",
        .max_order_fixed = 1,
        .text = "bdf1 with one Newton iteration, from x[n-1] and slope 0 with "
                "the Jacobian there",
        .one_step = &step};
    return &tangent;
}

const dae_method *euler_method(void)
{
    static const dae_method method = {"euler", "euler",
        "x[n] - x[n-1] = h f[n-1]", 1, 1, {{1}, {-1, -1}}, 1.0 / 2};
    return &method;
}
