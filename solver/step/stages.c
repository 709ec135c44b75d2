#include "step/stages.h"

#include "base/unrolled.h"
#include "linalg/jacobian.h"
#include "newton/norm.h"
#include "newton/response.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Iterations, by the number of stages [HW96 IV.8, as RADAU]. */
static int iterations_most(int stages)
{
    return 7 + (stages - 3) * 5 / 2;
}

/* A rate above which the Jacobian is evaluated anew before the next step, as in RADAU5. At
 * equal digits 0.003 takes as much work and 0.01 2 % more, eight problems of
 * docs/rivals.md, for fewer Jacobians leave larger errors. */
static const double rate_slow = 1e-3;
/* A rate with which the iteration does not end in any sensible time. */
static const double rate_most = 0.99;

/* --- sums over stages --- */

/* Two states at a time in a vector, and what is left over: small systems pay for nothing
 * but their sums. */
#define VALUE double
#define WIDTH 1
#define OWN(name) name##_one
#define SIZE(v) fabs(v)
#include "step/stages_sums.h"
#undef VALUE
#undef WIDTH
#undef OWN
#undef SIZE

#if defined(__GNUC__)
typedef double two_values __attribute__((vector_size(2 * sizeof(double))));
typedef int64_t two_words __attribute__((vector_size(2 * sizeof(double))));
#define VALUE two_values
#define WIDTH 2
#define OWN(name) name##_two
#define SIZE(v) ((two_values)((two_words)(v)&INT64_MAX))
#include "step/stages_sums.h"

#define FOR_STATES(begin, end, one, two)                                       \
    do {                                                                       \
        size_t v = begin;                                                      \
        for (; v + 2 <= (end); v += 2) two;                                    \
        if (v < (end)) one;                                                    \
    } while (0)
#else
#define FOR_STATES(begin, end, one, two)                                       \
    for (size_t v = begin; v < (end); v++) one
#endif

/* out = base + sum of weight_k rows_k / h over [0, n). */
UNROLLED void combine_of(const int s, const double *weight, const double *rows,
    size_t step, const double *base, double h, size_t n, double *out)
{
    FOR_STATES(0, n, combine_one(s, weight, rows, step, base, h, v, out),
        combine_two(s, weight, rows, step, base, h, v, out));
}

/* out_i = sum of m_ik rows_k over [0, n), i < s; the sum of all sizes in rows. */
UNROLLED double transform_of(const int s, const double *m, const double *rows,
    size_t step, size_t n, double *out)
{
    double sizes = 0;
    FOR_STATES(0, n, sizes += transform_one(s, m, rows, step, v, out),
        sizes += transform_two(s, m, rows, step, v, out));
    return sizes;
}

/* z_i -= sum of m_ik rows_k over [begin, end), i < s, m NULL: rows_i; the sum of the
 * squares of that, weighted. */
UNROLLED double subtract_part(const int s, const double *m, const double *rows,
    size_t step, const double *weight, size_t begin, size_t end, double *z)
{
    double total = 0;
    FOR_STATES(begin, end,
        total = subtract_one(s, m, rows, step, weight, v, z, total),
        total = subtract_two(s, m, rows, step, weight, v, z, total));
    return total;
}

/* The same; the norm of it over all stages, as newton/norm.h has it of one. */
UNROLLED double subtract_of(const int s, const double *m, const double *rows,
    size_t step, const double *weight, size_t n, double *z)
{
    const size_t blocks = norm_block_count(n);
    double worst = 0;
    for (size_t b = 0; b < blocks; b++) {
        const size_t begin = norm_block_begin(n, b);
        const size_t end = norm_block_begin(n, b + 1);
        const double sum = subtract_part(
            s, m, rows, step, weight, begin, end, z);
        const double mean = sum / ((double)(end - begin) * s);
        if (!(mean <= worst)) worst = mean; /* a NaN is taken, too */
    }
    return sqrt(worst);
}

/* Values and slopes at the stages from `first` on, in rows of x and xp. */
UNROLLED void points_from(const int s, const int first, const double *share,
    const double *z, const double *base, const layout *l, double *x, double *xp)
{
    const size_t n = l->states;
    FOR_STATES(0, n, points_one(s, first, share, z, n, base, v, x, xp),
        points_two(s, first, share, z, n, base, v, x, xp));
}

/* The same of equations with x'' and above: highest slopes. */
UNROLLED void high_points_from(const int s, const int first,
    const double *share, const double *z, const double *base, const layout *l,
    double *x, double *xp)
{
    const size_t n = l->states;
    for (int i = first; i < s; i++)
        for (size_t k = 0; k < n; k++)
            x[(size_t)(i - first) * n + k] = base[k] + z[(size_t)i * n + k];
    for (size_t j = 0; j < l->unknowns; j++) {
        double at[STAGES_MOST];
        take_one(s, z, n, l->first[j + 1] - 1, at);
        for (int i = first; i < s; i++)
            xp[(size_t)(i - first) * n + j] = sum_one(s, share + i * s, at);
    }
}

UNROLLED void points_of(const int s, const int first, const stage_task *t,
    const transition *c, double *x, double *xp)
{
    const layout *l = c->layout;
    const double *z = t->z[0];
    if (l->is_first_order) points_from(s, first, t->share, z, c->x, l, x, xp);
    else high_points_from(s, first, t->share, z, c->x, l, x, xp);
}

/* Those of the new point alone, by the last stage. */
UNROLLED void end_of(const int s, const transition *c, const stage_task *t)
{
    points_of(s, s - 1, t, c, c->task.x, c->task.xp);
}

/* --- lower states --- */

/* States of unknown j in `rows` (N): the highest one, `at`, and below h A (base + the
 * state above). `base`: slopes of all states, or NULL where rows are changes. */
UNROLLED void put_chain_of(const int s, const transition *c,
    const stage_rule *r, size_t j, double at[STAGES_MOST], const double *base,
    double *rows)
{
    const layout *l = c->layout;
    for (size_t o = l->first[j + 1] - 1;; o--) {
        double below[STAGES_MOST];
        for (int i = 0; i < s; i++) rows[(size_t)i * l->states + o] = at[i];
        if (o == l->first[j]) return;
        for (int i = 0; i < s; i++) {
            double sum = base ? r->node[i] * base[o - 1] : 0;
            for (int k = 0; k < s; k++) sum += r->matrix[i * s + k] * at[k];
            below[i] = c->task.h * sum;
        }
        for (int i = 0; i < s; i++) at[i] = below[i];
    }
}

/* All below the highest ones, which stand. */
UNROLLED void follow_chains_of(const int s, const transition *c,
    const stage_rule *r, double *rows, const double *base)
{
    const layout *l = c->layout;
    for (size_t j = 0; j < l->unknowns; j++) {
        double at[STAGES_MOST];
        take_one(s, rows, l->states, l->first[j + 1] - 1, at);
        put_chain_of(s, c, r, j, at, base, rows);
    }
}

/* --- one iteration --- */

/* Rows of work: F, the systems' sides, the points' values; their slopes take the place of
 * the sides. */
UNROLLED double *work_at(const int row, const transition *s)
{
    return s->work[0] + (size_t)row * s->layout->states;
}

/* F at all stages. */
UNROLLED newton_outcome look_of(const int s, transition *c, const stage_task *t)
{
    points_of(s, 0, t, c, work_at(2 * s, c), work_at(s, c));
    return newton_residuals(
        c->newton, (size_t)s, t->at, c->work + 2 * s, c->work + s, c->work);
}

/* The changes of x'' and above: those of the highest states, and what follows below. They
 * take the place of the sides from the last unknown on: none stands before its side. */
UNROLLED double subtract_chains_of(
    const int s, const transition *c, const stage_task *t)
{
    const layout *l = c->layout;
    const stage_rule *r = t->rule;
    const size_t n = l->states;
    double *all = work_at(s, c);
    for (size_t j = l->unknowns; j-- > 0;) {
        double side[STAGES_MOST], at[STAGES_MOST];
        take_one(s, all, n, j, side);
        for (int i = 0; i < s; i++) at[i] = sum_one(s, r->from + i * s, side);
        put_chain_of(s, c, r, j, at, NULL, all);
    }
    return subtract_of(s, NULL, all, n, c->task.weights->solve, n, t->z[0]);
}

/* Whether some F has overflowed, by the sum of all sizes. */
UNROLLED bool is_lost(const int s, const transition *c, double sizes)
{
    bool result = false;
    if (!is_overflow(sizes)) return false;
    for (int i = 0; i < s && !result; i++)
        result = any_overflow(c->work[i], c->layout->unknowns);
    return result;
}

/* z less what the systems say; the norm of that over all stages. */
UNROLLED newton_outcome improve_of(
    const int s, transition *c, const stage_task *t, double *norm)
{
    const stage_rule *r = t->rule;
    const size_t n = c->layout->unknowns, step = c->layout->states;
    double *side = work_at(s, c);
    const double sizes = transform_of(s, r->to, c->work[0], step, n, side);
    if (is_lost(s, c, sizes)) return newton_outcome_of(c->newton, DAE_RETRY);
    c->newton->stats->newton_iterations++;
    const dae_status st = iteration_solve_all(
        c->newton->matrix, s / 2, side, step);
    if (st) return newton_outcome_of(c->newton, st);
    *norm = c->layout->is_first_order ? subtract_of(
                s, r->from, side, step, c->task.weights->solve, n, t->z[0])
                                      : subtract_chains_of(s, c, t);
    return isfinite(*norm) ? NEWTON_CONVERGED : NEWTON_NONFINITE;
}

UNROLLED void correct_of(const int s, transition *c, const stage_task *t,
    double *norm, newton_outcome *out)
{
    *norm = 0;
    *out = look_of(s, c, t);
    if (*out == NEWTON_CONVERGED) *out = improve_of(s, c, t, norm);
}

static newton_outcome correct(transition *s, const stage_task *t, double *norm)
{
    newton_outcome out;
    BY_STAGES(correct_of, t->rule->stages, s, t, norm, &out)
    return out;
}

void stages_transform(const stage_rule *r, const double *m, const double *rows,
    size_t step, size_t n, double *out)
{
    BY_STAGES((void)transform_of, r->stages, m, rows, step, n, out)
}

/* --- the iteration --- */

/* A Jacobian that is to serve one step only, being far steeper than the last one, is
 * evaluated twice: where it is wrong corrections by it leave the guess as it is, and
 * one step is far to go for that. */
static newton_outcome factor_real(transition *s)
{
    newton *nw = s->newton;
    const newton_outcome out = newton_factors(nw, &s->task);
    const bool is_doubtful = nw->is_fresh && nw->wants_jacobian;
    return out == NEWTON_CONVERGED && is_doubtful ? newton_factors(nw, &s->task)
                                                  : out;
}

/* Factors of all systems, with the Jacobian of the task's x and xp at time t. */
static newton_outcome factor(transition *s, const stage_rule *r, double t)
{
    newton *nw = s->newton;
    const double h = s->task.h, end = s->task.t;
    s->task.t = t;
    s->task.alpha = r->real / h;
    newton_outcome out = factor_real(s);
    s->task.t = end;
    for (int k = 0; 2 * k + 1 < r->stages && out == NEWTON_CONVERGED; k++) {
        const dae_complex alpha = {r->re[k] / h, r->im[k] / h};
        bool is_new;
        out = newton_outcome_of(
            nw, iteration_factor_pair(nw->matrix, k, alpha, &is_new));
        if (is_new) nw->stats->factorizations++;
    }
    return out;
}

/* With that of the last point. */
static newton_outcome prepare(transition *s, const stage_rule *r)
{
    const layout *l = s->layout;
    for (size_t k = 0; k < l->states; k++) s->task.x[k] = s->x[k];
    for (size_t j = 0; j < l->unknowns; j++)
        s->task.xp[j] = s->slope[l->first[j + 1] - 1];
    return factor(s, r, s->t);
}

/* With that of the last stage as the iteration has left it. */
static newton_outcome renew(transition *s, const stage_task *t)
{
    BY_STAGES(end_of, t->rule->stages, s, t)
    s->newton->wants_jacobian = true;
    return factor(s, t->rule, s->task.t);
}

/* By so much a first correction falls with a Jacobian that leads on. */
static const double first_falls = 0.9;

/* Corrections this small, relative to what may be left, are taken whatever the rate. */
static const double negligible = 1e-3, rounding_grows = 2;

/* A part of the length with which as many iterations would do [HW96 IV.8]. */
static const double shorter_safety = 0.8, over_least = 1e-4, over_most = 20;

/* What an iteration says of the ones to come. */
typedef struct judgement {
    double before, rate_before; /* norm and rate of the last one */
    double mark;   /* for studies: the norm that was last half of one before, */
    int still;     /* and iterations since */
    double enough; /* that may be left, in tolerances */
    int most;
} judgement;

/* Where equations follow from each other by products, as derivatives of constraints do, the
 * second correction takes back what the first one made of the guess: with a Jacobian of
 * that very point the third one tells. */
static bool is_too_early(const newton *nw, judgement *j, int m, double norm)
{
    const double rate = norm / j->before;
    if (m != 2 || !nw->is_fresh || rate < rate_most) return false;
    j->rate_before = rate;
    return true;
}

/* After iteration m >= 2: whether it gets there. */
static bool is_promising(stage_task *t, judgement *j, int m, double norm)
{
    const double rate = norm / j->before;
    t->rate = m == 2 ? rate : sqrt(rate * j->rate_before);
    j->rate_before = rate;
    if (!(t->rate < rate_most)) return false;
    t->factor = t->rate / (1 - t->rate);
    double left = t->factor * norm;
    for (int k = m; k < j->most - 1 && left >= j->enough; k++) left *= t->rate;
    if (m == j->most || left < j->enough) return true;
    const double over = fmin(fmax(left / j->enough, over_least), over_most);
    t->shorter = shorter_safety * pow(over, -1.0 / (3 + j->most - m));
    return false;
}

/* For studies, as iterate_tight of newton.c: changes are below rounding, or have
 * not been halved for some iterations and are small, or for more of them and are not. */
static const double tight_units = 0.02, tight_most = 1e-3, tight_rtol = 1e-6;
enum { tight_still = 3, tight_lost = 6, tight_times = 4 };

/* *end: what the iteration ends with. The rate is that of the first changes: later
 * ones are of rounding. */
static bool is_at_rounding(stage_task *t, judgement *j, int m, double norm,
    double rtol, newton_outcome *end)
{
    const double enough = tight_units * DBL_EPSILON / fmax(rtol, tight_rtol);
    const double most = tight_most * fmax(1, tight_rtol / rtol);
    const double rate = m > 1 ? norm / j->before : 1;
    *end = NEWTON_CONVERGED;
    if (m == 2) t->rate = rate;
    if (norm <= enough) return true;
    if (rate < 0.5 && rate / (1 - rate) * norm <= enough) return true;
    if (m == 1 || norm < 0.5 * j->mark) {
        j->mark = norm;
        j->still = 0;
    } else {
        j->still++;
    }
    if (norm <= most) return j->still >= tight_still || m == j->most;
    *end = NEWTON_DIVERGED;
    return j->still >= tight_lost;
}

/* What a step takes over of the factor of the one before: its power 4/5 in RADAU5, here
 * 3/4. */
static double faded(double factor)
{
    const double root = sqrt(fmax(factor, DBL_EPSILON));
    return root * sqrt(root);
}

static newton_outcome iterate(transition *s, stage_task *t)
{
    newton *nw = s->newton;
    const double rtol = s->task.weights->rtol;
    const double part = s->task.part > 0 ? s->task.part : 1;
    judgement j = {.enough = nw->constant * part,
        .most = iterations_most(t->rule->stages)};
    if (nw->is_tight) j.most *= tight_times;
    t->factor = faded(t->factor);
    t->rate = t->left = t->shorter = 0;
    t->most = j.most;
    for (int m = 1; m <= j.most; m++) {
        double norm;
        newton_outcome out = correct(s, t, &norm);
        t->iterations = m;
        t->last = norm;
        if (m == 1) t->first = norm;
        if (out != NEWTON_CONVERGED) return out;
        if (nw->is_tight) {
            if (is_at_rounding(t, &j, m, norm, rtol, &out)) return out;
        } else {
            /* at rounding a rate is none */
            if (m > 1 && norm <= negligible * j.enough
                && norm <= rounding_grows * j.before)
                return NEWTON_CONVERGED;
            const bool is_early = is_too_early(nw, &j, m, norm);
            if (m > 1 && !is_early && !is_promising(t, &j, m, norm))
                return NEWTON_DIVERGED;
            t->left = t->factor * norm;
            /* a new Jacobian is to show its rate */
            const bool is_sure = !is_early && (m > 1 || !nw->is_fresh);
            if (is_sure && t->left <= j.enough) return NEWTON_CONVERGED;
        }
        j.before = fmax(norm, DBL_MIN);
    }
    return NEWTON_DIVERGED;
}

/* Values that are tested the less the shorter the step is: shorter ones do not help. */
static bool has_falling(const transition *s)
{
    bool result = false;
    for (size_t i = 0; i < s->layout->states && !result; i++)
        result = weights_fall(s->task.weights, i);
    return result;
}

/* Jacobians of the end that confirm a step, at most: each that says more of the way to a
 * root doubles its digits, from 1e-300 in ten. */
enum { renewals_most = 20 };

/* Where a root opens, sqrt(h1 - h2) at h1 = h2, the slope makes nothing of any residual,
 * and corrections of the other equations fall as if all were well. So a step from where
 * an event has left the solution, of a length that is from before it, is confirmed by a
 * correction with the Jacobian of its end, which is the one that the next step needs. One
 * of more than rounding makes of the last one says that this one was blind. */
static newton_outcome confirm(transition *s, stage_task *t)
{
    for (int k = 0; k < renewals_most; k++) {
        const double before = t->last;
        newton_outcome out = renew(s, t);
        if (out == NEWTON_CONVERGED) out = correct(s, t, &t->last);
        if (out != NEWTON_CONVERGED) return out;
        if (t->last <= rounding_grows * before) return out;
        if (t->last > s->newton->constant) out = iterate(s, t);
        if (out != NEWTON_CONVERGED) return out;
    }
    return NEWTON_DIVERGED;
}

/* What moves by less than a tolerance is right to as much, however blind. */
static bool is_doubtful(const transition *s, const stage_task *t)
{
    const double *end = t->z[t->rule->stages - 1];
    return t->is_first && !s->newton->is_constant
        && norm_weighted(s->task.weights->plain, end, s->layout->states) > 1;
}

static newton_outcome iterate_sure(transition *s, stage_task *t)
{
    const newton_outcome out = iterate(s, t);
    t->is_confirmed = out == NEWTON_CONVERGED && is_doubtful(s, t);
    return t->is_confirmed ? confirm(s, t) : out;
}

/* The slope of a root that has come next to 0 has nothing of the way. So an iteration that
 * fails again, with a shorter step, hands over to one with a Jacobian of where it has
 * come to, as long as first corrections fall: of a root from far each halves the
 * distance. */
static newton_outcome iterate_on(transition *s, stage_task *t)
{
    newton *nw = s->newton;
    newton_outcome out = iterate_sure(s, t);
    double before = HUGE_VAL;
    if (s->failures == 0 || !nw->is_fresh || nw->is_constant) return out;
    const bool may_go_on = has_falling(s);
    while (out == NEWTON_DIVERGED && may_go_on) {
        out = renew(s, t);
        if (out == NEWTON_CONVERGED) out = iterate(s, t);
        if (!(t->first < first_falls * before)) break;
        before = t->first;
    }
    return out;
}

/* What all iterations have in common: A^-1/h, and where the stages are. */
UNROLLED void open_of(const int s, const transition *c, stage_task *t)
{
    const double by = 1 / c->task.h;
    for (int i = 0; i < s; i++)
        for (int k = 0; k < s; k++)
            t->share[i * s + k] = by * t->rule->inverse[i * s + k];
    for (int i = 0; i + 1 < s; i++)
        t->at[i] = c->t + t->rule->node[i] * c->task.h;
    t->at[s - 1] = c->task.t;
}

newton_outcome stages_solve(transition *s, stage_task *t)
{
    assert(t->rule->stages <= STAGES_MOST && t->rule->stages % 2 == 1);
    newton_outcome out = prepare(s, t->rule);
    if (out != NEWTON_CONVERGED) return out;
    BY_STAGES(open_of, t->rule->stages, s, t)
    if (!s->layout->is_first_order)
        BY_STAGES(
            follow_chains_of, t->rule->stages, s, t->rule, t->z[0], s->slope)
    out = iterate_on(s, t);
    if (out == NEWTON_CONVERGED && t->rate > rate_slow && !t->is_confirmed)
        s->newton->wants_jacobian = !s->newton->is_constant;
    return out;
}

/* --- what follows --- */

newton_outcome stages_finish(transition *s, const stage_task *t)
{
    const layout *l = s->layout;
    BY_STAGES(end_of, t->rule->stages, s, t)
    for (size_t j = 0; j < l->unknowns && !l->is_first_order; j++) {
        const size_t high = l->first[j + 1] - 1;
        for (size_t o = l->first[j]; o < high; o++)
            s->new_slope[o] = s->task.x[o + 1];
        s->new_slope[high] = s->task.xp[j];
    }
    /* where large terms of an equation cancel, F does not show it */
    const bool is_too_large = any_overflow(s->task.x, l->states)
        || any_overflow(s->task.xp, l->unknowns);
    return is_too_large ? NEWTON_NONFINITE : NEWTON_CONVERGED;
}

newton_outcome stages_estimate(transition *s, const stage_task *t,
    bool is_twice, double *room, double *error)
{
    const size_t n = s->layout->states;
    double alpha;
    BY_STAGES(combine_of, t->rule->stages, t->rule->error, t->z[0], n, s->slope,
        s->task.h, n, room)
    dae_status st = newton_response(s->newton, NULL, room, error, &alpha);
    if (!st && is_twice && alpha != 0) {
        for (size_t i = 0; i < n; i++) room[i] = alpha * error[i];
        st = newton_response(s->newton, NULL, room, error, &alpha);
    }
    if (st) s->newton->status = st;
    if (st) return NEWTON_STOPPED;
    for (size_t i = 0; i < n && alpha == 0; i++)
        error[i] = s->task.h / t->rule->real * room[i];
    return NEWTON_CONVERGED;
}
