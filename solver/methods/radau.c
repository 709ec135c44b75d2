/* The polynomial u of degree s with u(t) = x and F(t', u, u') = 0 at t' = t + c_i h, c_i the
 * zeros of P_s - P_(s-1) on [0, 1], is the new point and what is between; for x'' and above
 * the slopes of lower states are collocated with it [HW96 IV.5]. Errors, starting values
 * and the choice of the number of stages are those of RADAU5 and RADAU [HW96 IV.8, HW99]. */
#include "methods/radau.h"

#include "newton/norm.h"
#include "step/parts.h"
#include "step/stages.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "methods/radau_rules.h"

enum { RULES = sizeof rules / sizeof *rules };

/* Kept: z of the last step, to the last point from the one before; and what its curve has
 * beside the polynomial of those. */
enum { BUBBLE = STAGES_MOST, POWER, KEPT };
enum {
    LENGTH, /* of that step, signed; 0: there is none */
    RULE,   /* its rule, */
    NEXT,   /* and that of the coming one */
    FACTOR, /* stage_task.factor */
    SINCE,  /* steps since the rule changed */
    NUMBERS
};
enum { ROOM = STAGES_WORK, WORK };

/* --- the rule --- */

static int order_of(const stage_rule *r)
{
    return 2 * r->stages - 1;
}

static int rule_of_order(int order)
{
    int k = RULES - 1;
    while (k > 0 && order_of(&rules[k]) > order) k--;
    return k;
}

/* More stages where Newton's method finds them nearly at once and steps hardly change;
 * fewer where it hardly finds them [HW99 3]. */
static const double rate_up = 0.002, rate_down = 0.8;
static const double steady_least = 0.8, steady_most = 1.2;
/* Steps before a change. */
enum { steps_least = 10 };
/* A tolerance below which the first rule is the middle one. */
static const double tight = 1e-7;

static int first_rule(const transition *s)
{
    if (s->asked_order > 0) return rule_of_order(s->asked_order);
    return s->task.weights->rtol < tight ? 1 : 0;
}

/* Of the step to be made; one that Newton's method has failed with has fewer stages. */
static int rule_now(const transition *s)
{
    const int kept = (int)s->numbers[NEXT];
    if (s->asked_order > 0) return kept;
    const int less = s->failures / 2;
    return kept > less ? kept - less : 0;
}

static int rule_next(const transition *s, const stage_task *t, int now)
{
    const double ratio = s->task.h / s->numbers[LENGTH];
    const bool is_steady = ratio >= steady_least && ratio <= steady_most;
    if (s->asked_order > 0 || s->numbers[SINCE] < steps_least) return now;
    if (t->rate >= rate_down && now > 0) return now - 1;
    if (t->rate <= rate_up && is_steady && now + 1 < RULES) return now + 1;
    return now;
}

/* --- starting values --- */

/* Lagrange's polynomials over 0 and the nodes at `share`, less that of 0; or their
 * slopes. */
static void basis(const stage_rule *r, double share, double *value)
{
    for (int k = 0; k < r->stages; k++) {
        value[k] = share / r->node[k];
        for (int m = 0; m < r->stages; m++)
            if (m != k)
                value[k] *= (share - r->node[m]) / (r->node[k] - r->node[m]);
    }
}

static void basis_slopes(const stage_rule *r, double share, double *slope)
{
    for (int k = 0; k < r->stages; k++) {
        double value = share / r->node[k], turn = 1 / r->node[k];
        for (int m = 0; m < r->stages; m++) {
            if (m == k) continue;
            const double by = 1 / (r->node[k] - r->node[m]);
            turn = (turn * (share - r->node[m]) + value) * by;
            value *= (share - r->node[m]) * by;
        }
        slope[k] = turn;
    }
}

/* The integral of (1 - share/c_1)...(1 - share/c_s), which is 0 at 1, and that itself. The
 * polynomial u of degree s misses the solution by that times h (x' - u') at 0 for
 * h -> 0: with as much more, filtered as the estimate is, its error is of an order
 * more between the ends. */
static double bubble(const stage_rule *r, double share, double *slope)
{
    double power[STAGES_MOST + 1] = {1}, value = 0;
    for (int m = 0; m < r->stages; m++)
        for (int k = m + 1; k > 0; k--) power[k] -= power[k - 1] / r->node[m];
    *slope = 0;
    for (int k = r->stages; k >= 0; k--) {
        value = value * share + power[k] / (k + 1);
        *slope = *slope * share + power[k];
    }
    return value * share;
}

/* share (share - c_1)...(share - c_s), 0 at both ends and at the stages. */
static double node_product(const stage_rule *r, double share, double *slope)
{
    double value = share;
    *slope = 1;
    for (int m = 0; m < r->stages; m++) {
        *slope = *slope * (share - r->node[m]) + value;
        value *= share - r->node[m];
    }
    return value;
}

static void sum_rows(const double *weight, int count,
    const double *const *rows, size_t begin, size_t end, double *out)
{
    for (size_t i = begin; i < end; i++) {
        double sum = 0;
        for (int k = 0; k < count; k++) sum += weight[k] * rows[k][i];
        out[i - begin] = sum;
    }
}

/* No step grows by more on its own account: behind a shorter one, as an event leaves it, its
 * polynomial says nothing. */
static const double growth_most = 10;

static bool has_past(const transition *s)
{
    const double before = fabs(s->numbers[LENGTH]);
    return before > 0 && fabs(s->task.h) <= growth_most * before;
}

/* The last polynomial goes on; at a start the slope does. */
static void guess(const transition *s, const stage_rule *r)
{
    const size_t n = s->layout->states;
    const double before = s->numbers[LENGTH], h = s->task.h;
    const stage_rule *old = &rules[(int)s->numbers[RULE]];
    double weight[STAGES_MOST];
    for (int i = 0; i < r->stages; i++) {
        double *z = s->made[i];
        if (!has_past(s)) {
            for (size_t k = 0; k < n; k++) z[k] = r->node[i] * h * s->slope[k];
            continue;
        }
        basis(old, 1 + r->node[i] * h / before, weight);
        weight[old->stages - 1] -= 1;
        sum_rows(weight, old->stages, s->kept, 0, n, z);
    }
}

/* --- the step --- */

/* A tolerance for the error of the method, whose order is 2s - 1, is 0.1 rtol^(1/2 + 1/2s)
 * for an estimate of order s [HW99 3]: what the estimate counts for. */
static double estimate_share(double rtol, int stages)
{
    return 10 * pow(rtol, 0.5 - 0.5 / stages);
}

/* --- between the ends --- */

static void curve(const curve_step *s, double share, size_t from, size_t end,
    double *x, double *slope)
{
    const stage_rule *r = &rules[(int)s->numbers[RULE]];
    const double *more = s->kept[BUBBLE], *most = s->kept[POWER];
    double weight[STAGES_MOST], turn, rise;
    const double bump = bubble(r, share, &turn);
    const double power = node_product(r, share, &rise);
    if (x) {
        basis(r, share, weight);
        weight[r->stages - 1] -= 1;
        sum_rows(weight, r->stages, s->kept, from, end, x);
        for (size_t i = from; i < end; i++)
            x[i - from] += s->x[i] + bump * more[i] + power * most[i];
    }
    if (slope) {
        basis_slopes(r, share, weight);
        sum_rows(weight, r->stages, s->kept, from, end, slope);
        for (size_t i = from; i < end; i++)
            slope[i - from] =
                (slope[i - from] + turn * more[i] + rise * most[i]) / s->h;
    }
}

/* The slope is a polynomial of degree s, by its values; it needs no more. */
static void carry_slope(const curve_step *s, size_t state, double *value)
{
    const stage_rule *r = &rules[(int)s->numbers[RULE]];
    double first;
    curve(s, 0, state, state + 1, NULL, &first);
    for (int k = 0; k < KEPT; k++) value[k] = 0;
    for (int k = 0; k < r->stages; k++) {
        curve(s, r->node[k], state, state + 1, NULL, &value[k]);
        value[k] -= first;
    }
}

static newton_outcome measure(transition *s, const stage_task *t)
{
    const size_t n = s->layout->states;
    const bool is_doubtful = s->numbers[LENGTH] == 0 || s->has_failed;
    const double *w = s->task.weights->test;
    const double share = estimate_share(s->task.weights->rtol, t->rule->stages);
    double *kept = s->made[BUBBLE];
    newton_outcome out = stages_estimate(s, t, false, s->work[ROOM], s->error);
    if (out == NEWTON_CONVERGED && is_doubtful
        && share * norm_weighted(w, s->error, n) > 1)
        out = stages_estimate(s, t, true, s->work[ROOM], s->error);
    for (size_t i = 0; i < n; i++) {
        kept[i] = t->rule->real * s->error[i];
        s->error[i] *= share;
    }
    return out;
}

/* What has no derivative has no slope to go by: its curve goes through the point before the
 * last one as well. So do all, and what equations tie together linearly stays so. */
static void bend(const transition *s, const stage_rule *r)
{
    const size_t n = s->layout->states;
    const double before = s->numbers[LENGTH], back = -before / s->task.h;
    double weight[STAGES_MOST], unused, *power = s->made[POWER];
    memset(power, 0, n * sizeof *power);
    if (!has_past(s)) return;
    const double *far = s->kept[rules[(int)s->numbers[RULE]].stages - 1];
    const double bump = bubble(r, back, &unused);
    const double product = node_product(r, back, &unused);
    basis(r, back, weight);
    for (size_t i = 0; i < n; i++) {
        double there = bump * s->made[BUBBLE][i];
        for (int k = 0; k < r->stages; k++) there += weight[k] * s->made[k][i];
        power[i] = (-far[i] - there) / product;
    }
}

static newton_outcome make(transition *s)
{
    const int now = rule_now(s);
    const stage_rule *r = &rules[now];
    stage_task t = {.rule = r,
        .z = s->made,
        .work = s->work,
        .factor = s->numbers[FACTOR]};
    s->order = order_of(r);
    s->error_order = r->stages;
    guess(s, r);
    newton_outcome out = stages_solve(s, &t);
    if (out == NEWTON_CONVERGED) out = measure(s, &t);
    if (out != NEWTON_CONVERGED) return out;
    stages_finish(s, &t);
    bend(s, r);
    double *next = s->made_numbers;
    next[LENGTH] = s->task.h;
    next[RULE] = now;
    next[NEXT] = rule_next(s, &t, now);
    next[FACTOR] = t.factor;
    const bool is_same = now == (int)s->numbers[NEXT] && next[NEXT] == now;
    next[SINCE] = is_same ? s->numbers[SINCE] + 1 : 0;
    return NEWTON_CONVERGED;
}

static void begin(const transition *s)
{
    memset(s->made_numbers, 0, NUMBERS * sizeof *s->made_numbers);
    s->made_numbers[NEXT] = first_rule(s);
    s->made_numbers[FACTOR] = 1;
}

const formula *radau_formula(void)
{
    static const int orders[] = {5, 9, 13, 0};
    static const one_step step = {5, 0, make, orders};
    static const method_parts parts = {.work = WORK,
        .kept = KEPT,
        .numbers = NUMBERS,
        .begin = begin,
        .carry_slope = carry_slope,
        .curve = curve,
        .remainder = 0.03,
        .safety = 0.85,
        .error_order = 3};
    static const formula radau = {.name = "radau",
        .max_order = 13,
        .max_order_fixed = 13,
        .text = "F = 0 at the s Radau points of a polynomial of degree s "
                "through x[n-1]; its end is x[n]",
        .one_step = &step,
        .parts = &parts};
    return &radau;
}
