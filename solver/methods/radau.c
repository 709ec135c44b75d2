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

/* Kept: z of the last step, to the last point from the one before. */
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

static void sum_rows(const double *weight, int count,
    const double *const *rows, size_t begin, size_t end, double *out)
{
    for (size_t i = begin; i < end; i++) {
        double sum = 0;
        for (int k = 0; k < count; k++) sum += weight[k] * rows[k][i];
        out[i - begin] = sum;
    }
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
        if (before == 0) {
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

/* The slope's own polynomial, of a degree less, by its values. */
static void carry_slope(const curve_step *s, size_t state, double *value)
{
    const stage_rule *r = &rules[(int)s->numbers[RULE]];
    double before = 0;
    for (int k = -1; k < r->stages; k++) {
        double weight[STAGES_MOST], slope = 0;
        basis_slopes(r, k < 0 ? 0 : r->node[k], weight);
        for (int m = 0; m < r->stages; m++) slope += weight[m] * s->kept[m][state];
        if (k < 0) before = slope / s->h;
        else value[k] = slope / s->h - before;
    }
    for (int k = r->stages; k < STAGES_MOST; k++) value[k] = 0;
}

static newton_outcome measure(transition *s, const stage_task *t)
{
    const size_t n = s->layout->states;
    const bool is_doubtful = s->numbers[LENGTH] == 0 || s->has_failed;
    const double *w = s->task.weights->test;
    const double share = estimate_share(s->task.weights->rtol, t->rule->stages);
    newton_outcome out = stages_estimate(s, t, false, s->work[ROOM], s->error);
    if (out == NEWTON_CONVERGED && is_doubtful
        && share * norm_weighted(w, s->error, n) > 1)
        out = stages_estimate(s, t, true, s->work[ROOM], s->error);
    for (size_t i = 0; i < n; i++) s->error[i] *= share;
    return out;
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

static void curve(const curve_step *s, double share, size_t from, size_t end,
    double *x, double *slope)
{
    const stage_rule *r = &rules[(int)s->numbers[RULE]];
    double weight[STAGES_MOST];
    if (x) {
        basis(r, share, weight);
        weight[r->stages - 1] -= 1;
        sum_rows(weight, r->stages, s->kept, from, end, x);
        for (size_t i = from; i < end; i++) x[i - from] += s->x[i];
    }
    if (slope) {
        basis_slopes(r, share, weight);
        sum_rows(weight, r->stages, s->kept, from, end, slope);
        for (size_t i = from; i < end; i++) slope[i - from] /= s->h;
    }
}

const formula *radau_formula(void)
{
    static const int orders[] = {5, 9, 13, 0};
    static const one_step step = {5, 0, make, orders};
    static const method_parts parts = {.work = WORK,
        .kept = STAGES_MOST,
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
