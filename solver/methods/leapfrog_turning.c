/* Z at the start alone would make them of order 1: q' turns with q. So q goes on
 * with Z of the middle, as in the midpoint rule [HNW93 II.1]. The second kick of
 * the first two is by the places at the end; by those at the start it would be of
 * order 1 and the energy would grow without bound. */
#include "methods/leapfrog_turning.h"

#include "step/one_step.h"

/* x += share h slope from the start, of places or of velocities. */
static void move(
    transition *s, bool is_velocity, const double *slope, double share)
{
    newton_task *to = &s->task;
    for (size_t i = 0; i < s->layout->states; i++)
        if ((s->is_velocity[i] != 0) == is_velocity)
            to->x[i] = s->x[i] + share * to->h * slope[i];
}

static void places(transition *s, const double *slope, double share)
{
    move(s, false, slope, share);
}

static void velocities(transition *s, const double *slope, double share)
{
    move(s, true, slope, share);
}

/* Places of the middle, velocities after half a kick. */
static newton_outcome middle(transition *s, bool is_kicked_first)
{
    const double *lead = s->slope;
    newton_outcome out = NEWTON_CONVERGED;
    velocities(s, s->slope, 0.5);
    if (is_kicked_first) {
        places(s, s->slope, 0);
        out = one_step_slopes(s, s->t, s->work[0]);
        lead = s->work[0];
    }
    places(s, lead, 0.5);
    return out;
}

/* From the middle to the end of the places. */
static newton_outcome drift(transition *s)
{
    const newton_outcome out = one_step_slopes(
        s, s->t + 0.5 * s->task.h, s->work[1]);
    places(s, s->work[1], 1);
    return out;
}

/* The half kick at the end, on top of the first one. */
static newton_outcome kick(transition *s)
{
    newton_task *to = &s->task;
    const newton_outcome out = one_step_slopes(s, to->t, s->work[2]);
    for (size_t i = 0; i < s->layout->states; i++)
        if (s->is_velocity[i]) to->x[i] += 0.5 * to->h * s->work[2][i];
    return out;
}

static newton_outcome leap(transition *s, bool is_kicked_first)
{
    newton_outcome out = middle(s, is_kicked_first);
    if (out == NEWTON_CONVERGED) out = drift(s);
    if (out == NEWTON_CONVERGED) out = kick(s);
    if (out != NEWTON_CONVERGED) return out;
    return one_step_slopes(s, s->task.t, s->new_slope);
}

static newton_outcome first(transition *s)
{
    return leap(s, false);
}

static newton_outcome second(transition *s)
{
    return leap(s, true);
}

static newton_outcome third(transition *s)
{
    newton_outcome out = middle(s, true);
    velocities(s, s->slope, 1);
    if (out == NEWTON_CONVERGED) out = drift(s);
    if (out != NEWTON_CONVERGED) return out;
    return one_step_slopes(s, s->task.t, s->new_slope);
}

const formula *leapfrog_1_formula(void)
{
    static const one_step step = {
        .order = 2, .needs = ONE_STEP_ODE | ONE_STEP_TURNING, .make = first};
    static const formula f = {.name = "leapfrog-1",
        .max_order_fixed = 2,
        .text =
            "u = w[n-1] + h/2 a(q[n-1]), p = q[n-1] + h/2 Z(q[n-1]) w[n-1], "
            "q[n] = q[n-1] + h Z(p) u, w[n] = u + h/2 a(q[n]), "
            "of w' = a(q), q' = Z(q) w",
        .one_step = &step};
    return &f;
}

const formula *leapfrog_2_formula(void)
{
    static const one_step step = {
        .order = 2, .needs = ONE_STEP_ODE | ONE_STEP_TURNING, .make = second};
    static const formula f = {.name = "leapfrog-2",
        .max_order_fixed = 2,
        .text = "leapfrog-1 with p = q[n-1] + h/2 Z(q[n-1]) u",
        .one_step = &step};
    return &f;
}

const formula *leapfrog_3_formula(void)
{
    static const one_step step = {
        .order = 1, .needs = ONE_STEP_ODE | ONE_STEP_TURNING, .make = third};
    static const formula f = {.name = "leapfrog-3",
        .max_order_fixed = 1,
        .text = "p of leapfrog-2, w[n] = w[n-1] + h a(q[n-1]), "
                "q[n] = q[n-1] + h Z(p) w[n]",
        .one_step = &step};
    return &f;
}
