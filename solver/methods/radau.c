/* The polynomial u of degree s with u(t) = x and F(t', u, u') = 0 at t' = t + c_i h, c_i the
 * zeros of P_s - P_(s-1) on [0, 1], is the new point and what is between; for x'' and above
 * the slopes of lower states are collocated with it [HW96 IV.5]. Errors, starting values
 * and the choice of the number of stages are those of RADAU5 and RADAU [HW96 IV.8, HW99]. */
#include "methods/radau.h"

#include "base/real.h"
#include "base/unrolled.h"
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
enum {
    BUBBLE = STAGES_MOST, /* the estimate, filtered */
    FAR,                  /* the point before that one, less that one */
    KEPT
};
enum {
    LENGTH, /* of that step, signed; 0: there is none */
    RULE,   /* its rule, */
    NEXT,   /* and that of the coming one */
    FACTOR, /* stage_task.factor */
    LEFT,   /* by Newton's method, tolerances */
    SINCE,  /* steps since the rule changed */
    SHARE,  /* see estimate_share */
    BACK,   /* the place of FAR, in steps; 0: there is none */
    WAY,    /* time, and work for it, of the last steps by this rule */
    EFFORT,
    TRIED, /* 1: the rule is on trial against the one before, */
    PACE,  /* which made so much time for its work */
    WAIT,  /* steps by one rule before the next trial */
    END,   /* when the last step ended */
    LEAST, /* of BACK: node_product, */
    MORE,  /* bubble, */
    THERE, /* and values_of */
    NUMBERS = THERE + STAGES_MOST
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

/* The most stages that pay at a tolerance. Measured on eight problems of docs/rivals.md, as
 * time over the best method at equal error: with 3, 5, 7 stages 1.55, 1.31, 1.82 at 1e-5,
 * 1.90, 1.21, 1.29 at 1e-7, 2.31, 1.05, 1.25 at 1e-9; below nothing was measured. Above
 * 3e-7 there are 3 all the same: errors of 5 behind a failed step are 25 tolerances. */
static const double five_stages = 3e-7, seven_stages = 1e-11;

static int first_rule(const transition *s)
{
    const double rtol = s->task.weights->rtol;
    if (s->asked_order > 0) return rule_of_order(s->asked_order);
    return rtol < seven_stages ? 2 : rtol < five_stages ? 1 : 0;
}

/* Of the step to be made; one that Newton's method has failed with has fewer stages. */
static int rule_now(const transition *s)
{
    const int kept = (int)s->numbers[NEXT];
    if (s->asked_order > 0) return kept;
    const int less = s->failures / 3;
    return kept > less ? kept - less : 0;
}

/* Fewer where Newton's method hardly finds them; more again where it finds them nearly at
 * once and steps hardly change [HW99 3]. */
static const double rate_up = 0.002, rate_down = 0.8;
static const double steady_least = 0.8, steady_most = 1.2;
/* Steps before a change. */
enum { steps_least = 10 };

/* Where three stages are the first choice, five are tried: after so many steps, for a run of
 * fewer gains nothing, and where steps are steady, for what grows is longer under any
 * rule. A trial takes six steps, of which the first two find their length. A rule stays
 * that makes a third more time for its work; else it waits for twice as many steps. So do
 * three stages again. Over 56 runs of eight problems of docs/rivals.md, 1e-3 to 1e-6: work
 * 0.95, of the car axis 0.55; gains of 1.2 and 1.5 do the same. */
enum { trial_first = 24, trial_steps = 6, trial_settles = 2 };
static const double trial_gain = 1.35, trial_most = 1e4;
/* Of what earlier steps count for in that, a step later. */
static const double way_fades = 0.8;

/* In evaluations and solutions of stages, what the factors cost in two of these; attempts
 * that failed cost as much as the one that did not. */
static double effort(const transition *s, const stage_task *t)
{
    const int failed = s->failures > 0 ? s->failures : s->has_failed;
    return t->rule->stages * (t->iterations + 2.0) * (1 + failed);
}

static void count_effort(transition *s, const stage_task *t)
{
    const double *old = s->numbers;
    const bool is_settled = old[SINCE] > (old[TRIED] > 0 ? trial_settles : 0);
    const double kept = is_settled ? way_fades : 0;
    s->made_numbers[WAY] = kept * old[WAY] + fabs(s->task.h);
    s->made_numbers[EFFORT] = kept * old[EFFORT] + effort(s, t);
}

/* A trial is over: the rule that is kept. */
static int end_trial(transition *s, bool is_better, int now, int other)
{
    double *next = s->made_numbers;
    next[TRIED] = 0;
    next[WAIT] = is_better ? 2 * trial_first
                           : fmin(2 * s->numbers[WAIT], trial_most);
    return is_better ? now : other;
}

/* The rule after a step by `now`: that, the other one on trial, or back from there. */
static int rule_by_trial(transition *s, int now)
{
    const double *old = s->numbers;
    double *next = s->made_numbers;
    const double pace = next[WAY] / next[EFFORT];
    const bool is_hard = s->failures > 1;
    if (s->asked_order > 0 || first_rule(s) > 0) return now;
    if (old[TRIED] > 0 && (is_hard || old[SINCE] + 1 >= trial_steps))
        return end_trial(
            s, !is_hard && pace > trial_gain * old[PACE], now, 1 - now);
    const double usual = (1 - way_fades) * next[WAY];
    const double ratio = fabs(s->task.h) / usual;
    if (old[TRIED] > 0 || s->has_failed || old[SINCE] < old[WAIT]) return now;
    if (!(ratio >= steady_least && ratio <= steady_most)) return now;
    next[TRIED] = 1;
    next[PACE] = pace;
    return 1 - now;
}

static int rule_next(transition *s, const stage_task *t, int now)
{
    const double ratio = s->task.h / s->numbers[LENGTH];
    const bool is_steady = ratio >= steady_least && ratio <= steady_most;
    const int asked = (int)s->numbers[NEXT];
    if (now < asked)
        return s->numbers[TRIED] > 0 ? end_trial(s, false, asked, now) : asked;
    if (s->asked_order > 0) return now;
    if (s->numbers[SINCE] < steps_least) return rule_by_trial(s, now);
    if (t->rate >= rate_down && now > 0) return now - 1;
    if (t->rate <= rate_up && is_steady && now < first_rule(s)) return now + 1;
    return rule_by_trial(s, now);
}

/* --- starting values --- */

/* Lagrange's polynomials over 0 and the nodes at `share`, less that of 0, and their
 * slopes. */
UNROLLED void basis_of(const int s, const stage_rule *r, double share,
    double *restrict value, double *restrict slope)
{
    double before = share, rise = 1; /* of what is left of node k */
    for (int k = 0; k < s; k++) {
        const double off = share - r->node[k];
        value[k] = before;
        slope[k] = rise;
        rise = rise * off + before;
        before *= off;
    }
    double behind = 1, fall = 0; /* and of what is right of it */
    for (int k = s; k-- > 0;) {
        const double off = share - r->node[k];
        slope[k] = r->lagrange[k] * (slope[k] * behind + value[k] * fall);
        value[k] *= r->lagrange[k] * behind;
        fall = fall * off + behind;
        behind *= off;
    }
}

/* The values alone. */
UNROLLED void values_of(
    const int s, const stage_rule *r, double share, double *restrict value)
{
    double before = share, behind = 1;
    for (int k = 0; k < s; k++) {
        value[k] = before;
        before *= share - r->node[k];
    }
    for (int k = s; k-- > 0;) {
        value[k] *= r->lagrange[k] * behind;
        behind *= share - r->node[k];
    }
}

/* The integral of (1 - share/c_1)...(1 - share/c_s), which is 0 at 1, and that itself. The
 * polynomial u of degree s misses the solution by that times h (x' - u') at 0 for
 * h -> 0: with as much more, filtered as the estimate is, its error is of an order
 * more between the ends. */
UNROLLED double bubble_of(
    const int s, const stage_rule *r, double share, double *slope)
{
    double value = 0;
    *slope = 0;
    for (int k = s; k >= 0; k--) {
        value = value * share + r->integral[k];
        *slope = *slope * share + r->bubble[k];
    }
    return value * share;
}

/* share (share - c_1)...(share - c_s), 0 at both ends and at the stages. */
UNROLLED double node_product_of(
    const int s, const stage_rule *r, double share, double *slope)
{
    double value = share;
    *slope = 1;
    for (int m = 0; m < s; m++) {
        *slope = *slope * (share - r->node[m]) + value;
        value *= share - r->node[m];
    }
    return value;
}

UNROLLED void sum_rows_of(const int count, const double *weight,
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

/* An extrapolation makes so much more of what Newton's method has left of the stages. */
UNROLLED double gain_of(const double *weight, const int count)
{
    double gain = 0;
    for (int k = 0; k < count; k++) gain += fabs(weight[k]);
    return gain;
}

/* The slope goes on, and what has no derivative stays: at a start, where a change is noise,
 * and for values that are tested the less the shorter the step is. Of state i. */
static void go_on_straight(const transition *s, const stage_rule *r,
    const double *noise, size_t i, bool has_slope)
{
    const weights *w = s->task.weights;
    const double solve = w->solve[i], slope = has_slope ? s->slope[i] : 0;
    const bool falls = weights_fall(w, i);
    double *const *z = s->made;
    for (int k = 0; k < r->stages; k++) {
        const bool is_noise = solve * fabs(z[k][i]) <= noise[k] && solve > 0;
        if (!is_noise && !falls) continue;
        z[k][i] = has_slope ? r->node[k] * s->task.h * slope : 0;
    }
}

/* Most values are none of these. */
UNROLLED void straighten_of(const int stages, const transition *s,
    const stage_rule *r, const double *noise)
{
    const layout *l = s->layout;
    const weights *w = s->task.weights;
    const size_t n = l->states;
    const double *solve = w->solve, *z = s->made[0];
    size_t j = 0;
    for (size_t i = 0; i < n; i++) {
        bool is_any = weights_fall(w, i);
        for (int k = 0; k < stages; k++)
            is_any |= solve[i] * fabs(z[(size_t)k * n + i]) <= noise[k];
        if (!is_any) continue;
        while (l->first[j + 1] <= i) j++;
        go_on_straight(s, r, noise, i, l->order[j] > 0);
    }
}

/* What the last polynomial, of a method of `count` stages, has at the stages of `r`, as
 * weights of its own; and what is noise in that. */
UNROLLED void extrapolate_of(const int count, const transition *s,
    const stage_rule *old, const stage_rule *r, double *restrict weight,
    double *restrict noise)
{
    const double before = s->numbers[LENGTH], h = s->task.h;
    for (int i = 0; i < r->stages; i++) {
        double *own = weight + i * count;
        values_of(count, old, 1 + r->node[i] * h / before, own);
        own[count - 1] -= 1;
        noise[i] = gain_of(own, count) * s->numbers[LEFT];
    }
}

/* The last polynomial goes on; at a start the slope does. */
static void guess(const transition *s, const stage_rule *r, bool is_behind)
{
    const size_t n = s->layout->states;
    const stage_rule *old = &rules[(int)s->numbers[RULE]];
    double weight[STAGES_MOST * STAGES_MOST], noise[STAGES_MOST];
    if (is_behind) {
        BY_STAGES(extrapolate_of, old->stages, s, old, r, weight, noise)
        if (old == r) stages_transform(r, weight, s->kept[0], n, n, s->made[0]);
        for (int i = 0; i < r->stages && old != r; i++)
            BY_STAGES(sum_rows_of, old->stages, weight + i * old->stages,
                s->kept, 0, n, s->made[i])
    } else {
        for (int i = 0; i < r->stages; i++) {
            noise[i] = HUGE_VAL;
            memset(s->made[i], 0, n * sizeof *s->made[i]); /* of an attempt
                                                              before */
        }
    }
    BY_STAGES(straighten_of, r->stages, s, r, noise)
}

/* --- the step --- */

/* A tolerance for the error of the method, whose order is 2s - 1, is 0.1 rtol^(1/2 + 1/2s)
 * for an estimate of order s [HW99 3]: what the estimate counts for. Where stiffness
 * reduces the order the error is as large as the estimate, and so it is between the
 * ends of a step: 50 tolerances at most. */
static const double share_least = 0.02;

static double estimate_share(double rtol, int stages)
{
    return fmax(10 * pow(rtol, 0.5 - 0.5 / stages), share_least);
}

/* --- between the ends --- */

/* What the curve has of every vector that is kept. With u of degree s by the stages and the
 * bubble, it goes through the point before the last one as well, by a multiple of
 * the node product: what has no derivative has no slope to go by, and what equations
 * tie together linearly stays so where all do. */
UNROLLED void curve_weights_of(const int stages, const curve_step *s,
    double share, double *value, double *slope)
{
    const stage_rule *r = &rules[(int)s->numbers[RULE]];
    const double *there = s->numbers + THERE;
    const double least = s->numbers[LEAST], more = s->numbers[MORE];
    double rise;
    basis_of(stages, r, share, value, slope);
    value[BUBBLE] = bubble_of(stages, r, share, &slope[BUBBLE]);
    value[FAR] = slope[FAR] = 0;
    if (s->numbers[BACK] == 0) return;
    const double turn = node_product_of(stages, r, share, &rise) / least;
    rise /= least;
    for (int k = 0; k < stages; k++) {
        value[k] -= turn * there[k];
        slope[k] -= rise * there[k];
    }
    value[BUBBLE] -= turn * more;
    slope[BUBBLE] -= rise * more;
    value[FAR] = turn;
    slope[FAR] = rise;
}

/* from[i], if any, and `by` times what is kept. */
UNROLLED void add_kept_of(const int stages, const curve_step *s,
    const double *weight, double by, const double *base, size_t from,
    size_t end, double *out)
{
    const double *more = s->kept[BUBBLE], *far = s->kept[FAR];
    for (size_t i = from; i < end; i++) {
        double sum = 0;
        for (int k = 0; k < stages; k++) sum += weight[k] * s->kept[k][i];
        sum = by * (sum + weight[BUBBLE] * more[i] + weight[FAR] * far[i]);
        out[i - from] = base ? sum + base[i] : sum;
    }
}

UNROLLED void curve_of(const int stages, const curve_step *s, double share,
    size_t from, size_t end, double *x, double *slope)
{
    double value[KEPT], rise[KEPT];
    curve_weights_of(stages, s, share, value, rise);
    value[stages - 1] -= 1; /* from the end on */
    if (x) add_kept_of(stages, s, value, 1, s->x, from, end, x);
    if (slope) add_kept_of(stages, s, rise, 1 / s->h, NULL, from, end, slope);
}

static void curve(const curve_step *s, double share, size_t from, size_t end,
    double *x, double *slope)
{
    const int stages = rules[(int)s->numbers[RULE]].stages;
    BY_STAGES(curve_of, stages, s, share, from, end, x, slope)
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

/* Filtered twice the estimate forgets what is over within the step [HW96 IV.8]: of a first
 * step, whose curve begins with it, it does not. */
static newton_outcome measure(transition *s, const stage_task *t, double share)
{
    const size_t n = s->layout->states;
    const bool is_doubtful = s->numbers[LENGTH] != 0 && s->has_failed;
    const double *w = s->task.weights->test;
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

/* z of the last step at its end. */
static const double *last_of(const transition *s)
{
    return s->kept[rules[(int)s->numbers[RULE]].stages - 1];
}

/* The place of the point before the last one in the step, and what the curve needs of it. */
UNROLLED void look_back_of(
    const int stages, const transition *s, const stage_rule *r)
{
    const double back = -s->numbers[LENGTH] / s->task.h;
    double *next = s->made_numbers, unused;
    next[BACK] = back;
    next[LEAST] = node_product_of(stages, r, back, &unused);
    next[MORE] = bubble_of(stages, r, back, &unused);
    values_of(stages, r, back, next + THERE);
}

/* Between the stages there is what the curve has beside their polynomial, which is what it
 * lacks to go through the point before the last one as well, over the node product; where
 * there is none the highest coefficients of the polynomials through the stages alone, for
 * values at a start need not be on the curve. What has no derivative has no other error
 * but that of the others; what is stiff has next to none at the stages either, where the
 * estimate is filtered. */
UNROLLED void measure_between_of(const int stages, const transition *s,
    const stage_rule *r, bool is_behind, double share)
{
    const layout *l = s->layout;
    const double *next = s->made_numbers, *weight = next + THERE;
    const double *last = last_of(s), *more = s->made[BUBBLE], *z = s->made[0];
    const double scale = share * r->product;
    const double by = is_behind ? -1 / next[LEAST] : 1;
    double own[STAGES_MOST];
    for (int m = 0; m < stages && !is_behind; m++)
        own[m] = r->lagrange[m] * r->node[m];
    if (!is_behind) weight = own;
    for (size_t j = 0; j < l->unknowns; j++) {
        const size_t i = l->first[j];
        const double error = fabs(s->error[i]);
        double sum = is_behind ? last[i] + next[MORE] * more[i] : 0;
        for (int m = 0; m < stages; m++)
            sum += weight[m] * z[(size_t)m * l->states + i];
        const double between = scale * fabs(by * sum);
        s->error[i] = l->order[j] > 0 ? larger(error, between)
                                      : error + between;
    }
}

/* The more iterations a step took, the less longer is the next one [HW96 IV.8]. */
static double ease(const stage_task *t)
{
    return (1.0 + 2 * t->most) / (t->iterations + 2 * t->most);
}

static newton_outcome make(transition *s)
{
    const int now = rule_now(s);
    const stage_rule *r = &rules[now];
    double share[STAGES_MOST * STAGES_MOST], at[STAGES_MOST];
    stage_task t = {.rule = r,
        .z = s->made,
        .share = share,
        .at = at,
        .factor = s->numbers[FACTOR],
        .is_first = s->numbers[LENGTH] == 0};
    s->order = order_of(r);
    s->error_order = r->stages;
    const bool is_behind = has_past(s);
    guess(s, r, is_behind);
    newton_outcome out = stages_solve(s, &t);
    s->safety *= ease(&t);
    s->shorter = t.shorter;
    const bool is_known = s->numbers[LENGTH] != 0 && s->numbers[RULE] == now;
    double *next = s->made_numbers;
    next[SHARE] = is_known ? s->numbers[SHARE]
                           : estimate_share(s->task.weights->rtol, r->stages);
    if (out == NEWTON_CONVERGED) out = measure(s, &t, next[SHARE]);
    if (out == NEWTON_CONVERGED) out = stages_finish(s, &t);
    if (out != NEWTON_CONVERGED) return out;
    next[BACK] = 0;
    if (is_behind) BY_STAGES(look_back_of, r->stages, s, r)
    BY_STAGES(measure_between_of, r->stages, s, r, is_behind, next[SHARE])
    const double *last = last_of(s);
    for (size_t i = 0; i < s->layout->states; i++)
        s->made[FAR][i] = is_behind ? -last[i] : 0; /* it may hold no number */
    next[LENGTH] = s->task.h;
    next[RULE] = now;
    next[TRIED] = s->numbers[TRIED];
    next[PACE] = s->numbers[PACE];
    next[WAIT] = s->numbers[WAIT];
    next[END] = s->task.t;
    count_effort(s, &t);
    next[NEXT] = rule_next(s, &t, now);
    next[FACTOR] = t.factor;
    next[LEFT] = t.left;
    const bool is_same = now == (int)s->numbers[NEXT] && next[NEXT] == now;
    next[SINCE] = is_same ? s->numbers[SINCE] + 1 : 0;
    return NEWTON_CONVERGED;
}

/* The rule and what is counted for it outlast an event: what steps cost before it they
 * mostly cost behind it, and where events are near each other none would be tried. Time
 * that the last step was cut by is none that it made. */
static void begin(const transition *s)
{
    const double *old = s->numbers;
    double *next = s->made_numbers;
    const bool is_new = !(old[WAIT] > 0);
    memset(next, 0, NUMBERS * sizeof *next);
    next[NEXT] = first_rule(s);
    next[FACTOR] = 1;
    next[WAIT] = trial_first;
    next[END] = s->t;
    if (is_new || s->asked_order > 0 || first_rule(s) > 0) return;
    static const int lasting[] = {NEXT, SINCE, EFFORT, TRIED, PACE, WAIT};
    for (size_t k = 0; k < sizeof lasting / sizeof *lasting; k++)
        next[lasting[k]] = old[lasting[k]];
    next[WAY] = fmax(0, old[WAY] - fabs(s->t - old[END]));
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
