/* Five stages one after the other with one matrix, L-stable; the last stage is the
 * new point. The error is the distance from a formula of order 3 with the same
 * stages [HW96 IV.6, (6.16)]. */
#include "methods/sdirk4.h"

#include "newton/response.h"
#include "step/one_step.h"
#include "step/parts.h"

#include <string.h>

enum { STAGES = 5, BASE = STAGES, WORK };

static const double gamma_ = 1.0 / 4;
static const double at[STAGES] = {1.0 / 4, 3.0 / 4, 11.0 / 20, 1.0 / 2, 1};
/* What slopes of stages before have in each. */
static const double share[STAGES][STAGES - 1] = {
    {0},
    {1.0 / 2},
    {17.0 / 50, -1.0 / 25},
    {371.0 / 1360, -137.0 / 2720, 15.0 / 544},
    {25.0 / 24, -49.0 / 48, 125.0 / 16, -85.0 / 12},
};
static const double off[STAGES] = {
    -3.0 / 16, -27.0 / 32, 25.0 / 32, 0, 1.0 / 4};

/* sum += h sum of factor_j k_j, j < count. */
static void add(
    const transition *s, const double *factor, int count, double *sum)
{
    const double h = s->task.h;
    for (int j = 0; j < count; j++)
        for (size_t i = 0; i < s->layout->states; i++)
            sum[i] += h * factor[j] * s->work[j][i];
}

/* Of stiff motions the estimate has what the method itself takes away: (I - h gamma
 * J)^-1 does the same to it [HW96 IV.8]. */
static newton_outcome estimate(transition *s)
{
    double *plain = s->work[BASE], alpha;
    memset(plain, 0, s->layout->states * sizeof *plain);
    add(s, off, STAGES, plain);
    const dae_status st = newton_response(
        s->newton, NULL, plain, s->error, &alpha);
    if (st) s->newton->status = st;
    if (st) return NEWTON_STOPPED;
    for (size_t i = 0; i < s->layout->states; i++)
        s->error[i] = alpha > 0 || alpha < 0 ? alpha * s->error[i] : plain[i];
    return NEWTON_CONVERGED;
}

static newton_outcome make(transition *s)
{
    const size_t size = s->layout->states * sizeof(double);
    const double end = s->task.t, h = s->task.h;
    double *base = s->work[BASE];
    for (int k = 0; k < STAGES; k++) {
        memcpy(base, s->x, size);
        add(s, share[k], k, base);
        memcpy(s->work[k], k > 0 ? s->work[k - 1] : s->slope, size);
        s->task.t = k + 1 < STAGES ? s->t + at[k] * h : end;
        const newton_outcome out = transition_stage(
            s, 1 / (gamma_ * h), base, s->work[k]);
        if (out != NEWTON_CONVERGED) return out;
    }
    return estimate(s);
}

const formula *sdirk4_formula(void)
{
    static const one_step step = {.order = 4, .make = make};
    /* the last stage has 31 times what the third leaves */
    static const method_parts parts = {
        .work = WORK, .error_order = 3, .remainder = 1e-3};
    static const formula sdirk4 = {.name = "sdirk4",
        .max_order_fixed = 4,
        .one_step = &step,
        .parts = &parts};
    return &sdirk4;
}
