#include "newton/weights.h"

#include <math.h>

static const double FOLLOWS_SHARE = 0.05;

static bool has_groups(const uint8_t *group, size_t n)
{
    for (size_t j = 0; group && j < n; j++)
        if (group[j] > 1) return true;
    return false;
}

static bool has_followers(const uint8_t *group, size_t n)
{
    for (size_t j = 0; group && j < n; j++)
        if (group[j] == DAE_GROUP_FOLLOWS) return true;
    return false;
}

double weights_nominal(const dae_scales *scales, size_t j)
{
    return scales && scales->nominal && scales->nominal[j] > 0
        ? scales->nominal[j]
        : 1;
}

double weights_tolerance(const dae_scales *scales, size_t j, double option)
{
    if (scales && scales->atol && scales->atol[j] >= 0) return scales->atol[j];
    return option * weights_nominal(scales, j);
}

dae_status weights_init(weights *w, const dae_problem *problem, const layout *l,
    double rtol, double atol, arena *a)
{
    *w = (weights){.layout = l, .rtol = rtol};
    double *tolerance = ARENA_ARRAY(a, double, l->states);
    w->plain = ARENA_ARRAY(a, double, l->states);
    w->lifted = ARENA_ARRAY(a, double, l->states);
    if (!tolerance || !w->plain || !w->lifted) return DAE_MEMORY;
    w->test = w->plain;
    w->atol = w->floor = tolerance;
    for (size_t j = 0; j < l->unknowns; j++)
        for (size_t s = l->first[j]; s < l->first[j + 1]; s++)
            tolerance[s] = weights_tolerance(problem->scales, j, atol);
    const dae_scales *scales = problem->scales;
    for (size_t s = 0; scales && scales->state_atol && s < l->states; s++)
        tolerance[s] = scales->state_atol[s];
    if (has_groups(problem->index_group, l->unknowns)) {
        w->group = ARENA_ARRAY(a, uint8_t, l->states);
        w->test = ARENA_ARRAY(a, double, l->states);
        if (!w->group || !w->test) return DAE_MEMORY;
        for (size_t j = 0; j < l->unknowns; j++)
            for (size_t s = l->first[j]; s < l->first[j + 1]; s++)
                w->group[s] = problem->index_group[j];
    }
    w->solve = w->test;
    if (has_followers(w->group, l->states)) {
        w->solve = ARENA_ARRAY(a, double, l->states);
        if (!w->solve) return DAE_MEMORY;
    }
    return DAE_OK;
}

/* A weight stays finite where rtol |x| + atol is 0: an atol of 0 at a value
 * of 0 asks for an exact zero, which no step could give. */
static const double largest_weight = 1e300;

static void update_plain(double *restrict plain, const double *restrict x,
    const double *restrict floor, double rtol, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double w = 1.0 / (rtol * fabs(x[i]) + floor[i]);
        plain[i] = w < largest_weight ? w : largest_weight;
    }
}

double weights_tightest(
    const weights *w, const dae_scales *scales, const double *x)
{
    double least = HUGE_VAL;
    for (size_t j = 0; j < w->layout->unknowns; j++) {
        const double usual = weights_nominal(scales, j);
        for (size_t s = w->layout->first[j]; s < w->layout->first[j + 1]; s++)
            least = fmin(least, w->atol[s] / fmax(fabs(x[s]), usual));
    }
    return fmax(w->rtol, least);
}

static bool is_flow(uint8_t group)
{
    return group == 2 || group == DAE_GROUP_WEIGHT || group == DAE_GROUP_ROOT;
}

bool weights_group_falls(uint8_t group)
{
    return is_flow(group) || group == 3;
}

void weights_rescale(weights *w, double h)
{
    if (!w->group) return;
    const double length = fabs(h) < 1 ? fabs(h) : 1;
    for (size_t s = 0; s < w->layout->states; s++) {
        const uint8_t group = w->group[s];
        const double factor = group <= 1 ? 1
            : is_flow(group)             ? length
            : group == 3                 ? length * length
                                         : 0;
        w->test[s] = factor * w->plain[s];
        if (w->solve != w->test)
            w->solve[s] = (group == DAE_GROUP_FOLLOWS ? FOLLOWS_SHARE : factor)
                * w->plain[s];
    }
}

void weights_update(weights *w, const double *x, double h)
{
    update_plain(w->plain, x, w->floor, w->rtol, w->layout->states);
    weights_rescale(w, h);
}

/* Differences of order k hold up to 2^k times the noise of a value; what that
 * makes of the error test at low orders still passes with this. */
static const double noise_margin = 4;

bool weights_is_noise(double difference, double noise)
{
    return fabs(difference) <= noise_margin * noise;
}

void weights_add_noise(weights *w, const double *noise)
{
    bool is_any = false;
    for (size_t i = 0; i < w->layout->states; i++) is_any |= !(noise[i] <= 0);
    w->floor = is_any ? w->lifted : w->atol;
    for (size_t i = 0; is_any && i < w->layout->states; i++)
        w->lifted[i] = w->atol[i] + noise_margin * noise[i];
}
