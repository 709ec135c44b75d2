/* Its region is the left half plane, to the edge: nothing that oscillates gains
 * or loses, and what decays fast is kept from doing so: the factor goes to -1
 * where z goes to -infinity [HW96 IV.3]. */
#include "methods/trapezoid.h"

#include "step/one_step.h"

/* x' = 2 (x - x[n-1])/h - x'[n-1] in F: from the prediction x[n-1] + h x'[n-1],
 * whose slope by that is x'[n-1]. Algebraic unknowns are solved for at the new
 * point alone; theirs is a prediction and no more. */
static newton_outcome make(transition *s)
{
    newton_task *to = &s->task;
    to->alpha = 2 / to->h;
    for (size_t i = 0; i < s->layout->states; i++) {
        to->x[i] = s->x[i] + to->h * s->slope[i];
        s->new_slope[i] = s->slope[i];
        to->d[i] = 0;
    }
    point p = {.alpha = to->alpha,
        .x = to->x,
        .xp = to->xp,
        .slope = s->new_slope,
        .d = to->d};
    predict_chains(s->layout, &p);
    return newton_solve(s->newton, to);
}

const formula *trapezoid_formula(void)
{
    static const one_step step = {.order = 2, .make = make};
    static const formula trapezoid = {.name = "trapezoid",
        .max_order_fixed = 2,
        .text = "x[n] - x[n-1] = h (f[n] + f[n-1])/2",
        .one_step = &step};
    return &trapezoid;
}

const dae_method *trapezoid_method(void)
{
    static const dae_method method = {"trapezoid", "trapezoid",
        "x[n] - x[n-1] = h (f[n] + f[n-1])/2", 2, 1,
        {{1, -1.0 / 2}, {-1, -1.0 / 2}}, -1.0 / 12};
    return &method;
}
