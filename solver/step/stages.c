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

UNROLLED void take_rows(
    const int s, double *const *rows, const double *row[STAGES_MOST])
{
    for (int k = 0; k < s; k++) row[k] = rows[k];
}

/* out = base + sum of weight_k rows_k / h over [0, n). */
UNROLLED void combine_of(const int s, const double *weight, double *const *rows,
    const double *base, double h, size_t n, double *out)
{
    const double *row[STAGES_MOST];
    take_rows(s, rows, row);
    FOR_STATES(0, n, combine_one(s, weight, row, base, h, v, out),
        combine_two(s, weight, row, base, h, v, out));
}

/* out_i = sum of m_ik rows_k over [0, n), i < s; the sum of all sizes in rows. */
UNROLLED void transform_of(const int s, const double *m,
    const double *const *rows, size_t n, double *const *out, double *total)
{
    const double *row[STAGES_MOST];
    double *to[STAGES_MOST], sizes = 0;
    for (int k = 0; k < s; k++) row[k] = rows[k], to[k] = out[k];
    FOR_STATES(0, n, sizes += transform_one(s, m, row, v, to),
        sizes += transform_two(s, m, row, v, to));
    *total = sizes;
}

double stages_transform(const stage_rule *r, const double *m,
    const double *const *rows, size_t n, double *const *out)
{
    double sizes;
    BY_STAGES(transform_of, r->stages, m, rows, n, out, &sizes)
    return sizes;
}

/* z_i -= sum of m_ik rows_k over [begin, end), i < s; *sum: of the squares of that,
 * weighted. */
UNROLLED void subtract_of(const int s, const double *m, double *const *rows,
    const double *weight, size_t begin, size_t end, double *const *z,
    double *sum)
{
    const double *row[STAGES_MOST];
    double *to[STAGES_MOST], total = 0;
    for (int k = 0; k < s; k++) row[k] = rows[k], to[k] = z[k];
    FOR_STATES(begin, end,
        total = subtract_one(s, m, row, weight, v, to, total),
        total = subtract_two(s, m, row, weight, v, to, total));
    *sum = total;
}

/* The same; the norm of it over all stages, as newton/norm.h has it of one. */
static double subtract(const stage_rule *r, const double *m,
    double *const *rows, const double *weight, size_t n, double *const *z)
{
    const size_t blocks = norm_block_count(n);
    double worst = 0;
    for (size_t b = 0; b < blocks; b++) {
        const size_t begin = norm_block_begin(n, b);
        const size_t end = norm_block_begin(n, b + 1);
        double sum = 0;
        BY_STAGES(subtract_of, r->stages, m, rows, weight, begin, end, z, &sum)
        const double mean = sum / ((double)(end - begin) * r->stages);
        if (!(mean <= worst)) worst = mean; /* a NaN is taken, too */
    }
    return sqrt(worst);
}

/* Values and slopes at the stages from `first` on. */
UNROLLED void points_from(const int s, const int first, const double *share,
    double *const *z, const double *base, size_t n, double *const *x,
    double *const *xp)
{
    const double *row[STAGES_MOST];
    double *to[STAGES_MOST], *slope[STAGES_MOST];
    take_rows(s, z, row);
    for (int i = first; i < s; i++) to[i] = x[i], slope[i] = xp[i];
    FOR_STATES(0, n, points_one(s, first, share, row, base, v, to, slope),
        points_two(s, first, share, row, base, v, to, slope));
}

/* The same of equations with x'' and above: highest slopes. */
UNROLLED void high_points_from(const int s, const int first,
    const double *share, double *const *z, const double *base, const layout *l,
    double *const *x, double *const *xp)
{
    const double *row[STAGES_MOST];
    take_rows(s, z, row);
    for (int i = first; i < s; i++)
        for (size_t k = 0; k < l->states; k++) x[i][k] = base[k] + row[i][k];
    for (size_t j = 0; j < l->unknowns; j++) {
        double at[STAGES_MOST];
        take_one(s, row, l->first[j + 1] - 1, at);
        for (int i = first; i < s; i++)
            xp[i][j] = sum_one(s, share + i * s, at);
    }
}

UNROLLED void points_of(const int s, const double *share, double *const *z,
    const double *base, const layout *l, double *const *x, double *const *xp)
{
    if (l->is_first_order) points_from(s, 0, share, z, base, l->states, x, xp);
    else high_points_from(s, 0, share, z, base, l, x, xp);
}

/* At the last stage alone. */
UNROLLED void end_of(const int s, const double *share, double *const *z,
    const double *base, const layout *l, double *x, double *xp)
{
    double *to[STAGES_MOST], *slope[STAGES_MOST];
    to[s - 1] = x, slope[s - 1] = xp;
    if (l->is_first_order)
        points_from(s, s - 1, share, z, base, l->states, to, slope);
    else high_points_from(s, s - 1, share, z, base, l, to, slope);
}

/* --- lower states --- */

/* States below the highest of `rows` (N): h A (base + the state above). `base`: slopes
 * of all states, or NULL where rows are changes. */
static void follow_chains(const transition *s, const stage_rule *r,
    double *const *rows, const double *base)
{
    const layout *l = s->layout;
    if (l->is_first_order) return;
    for (size_t j = 0; j < l->unknowns; j++)
        for (size_t o = l->first[j + 1] - 1; o > l->first[j]; o--)
            for (int i = 0; i < r->stages; i++) {
                const double *a = r->matrix + i * r->stages;
                double sum = base ? r->node[i] * base[o - 1] : 0;
                for (int k = 0; k < r->stages; k++) sum += a[k] * rows[k][o];
                rows[i][o - 1] = s->task.h * sum;
            }
}

/* --- one iteration --- */

/* Values and highest slopes at all stages. */
static void all_points(const transition *s, const stage_task *t,
    double *const *x, double *const *xp)
{
    BY_STAGES(
        points_of, t->rule->stages, t->share, t->z, s->x, s->layout, x, xp)
}

/* Those of the new point, by the last stage. */
static void end_point(const transition *s, const stage_task *t)
{
    BY_STAGES(end_of, t->rule->stages, t->share, t->z, s->x, s->layout,
        s->task.x, s->task.xp)
}

/* Rows of work: F, the systems' sides, the points' values; their slopes take the place of
 * the sides. */
static double *const *sides_of(const stage_task *t)
{
    return t->work + t->rule->stages;
}

/* F at all stages. */
static newton_outcome look(transition *s, const stage_task *t)
{
    const int stages = t->rule->stages;
    double *const *x = t->work + 2 * stages, *const *xp = sides_of(t);
    double at[STAGES_MOST];
    for (int i = 0; i + 1 < stages; i++)
        at[i] = s->t + t->rule->node[i] * s->task.h;
    at[stages - 1] = s->task.t;
    all_points(s, t, x, xp);
    return newton_residuals(s->newton, (size_t)stages, at, x, xp, t->work);
}

/* The systems' right sides T^-1 F become their solutions, n values each. */
static newton_outcome solve_systems(transition *s, double *const *side, int n)
{
    iteration *it = s->newton->matrix;
    s->newton->stats->newton_iterations++;
    dae_status st = iteration_solve(it, side[0]);
    for (int k = 0; 2 * k + 1 < n && !st; k++)
        st = iteration_solve_pair(it, k, side[2 * k + 1], side[2 * k + 2]);
    return newton_outcome_of(s->newton, st);
}

/* The changes of x'' and above: those of the highest states, and what follows below. */
static double subtract_chains(
    const transition *s, const stage_task *t, double *const *side)
{
    const layout *l = s->layout;
    const stage_rule *r = t->rule;
    double *const *change = t->work; /* the residuals are not needed any more */
    double *const *all = t->work + r->stages;
    (void)stages_transform(
        r, r->from, (const double *const *)side, l->unknowns, change);
    for (int i = 0; i < r->stages; i++)
        for (size_t j = 0; j < l->unknowns; j++)
            all[i][l->first[j + 1] - 1] = change[i][j];
    follow_chains(s, r, all, NULL);
    double sum = 0;
    for (int i = 0; i < r->stages; i++) {
        const double size = norm_weighted(
            s->task.weights->solve, all[i], l->states);
        sum += size * size;
        for (size_t k = 0; k < l->states; k++) t->z[i][k] -= all[i][k];
    }
    return sqrt(sum / r->stages);
}

/* Whether some F has overflowed, by the sum of all sizes. */
static bool is_lost(const stage_task *t, size_t n, double sizes)
{
    bool result = false;
    if (!is_overflow(sizes)) return false;
    for (int i = 0; i < t->rule->stages && !result; i++)
        result = any_overflow(t->work[i], n);
    return result;
}

/* z less what the systems say; the norm of that over all stages. */
static newton_outcome improve(transition *s, const stage_task *t, double *norm)
{
    const stage_rule *r = t->rule;
    const size_t n = s->layout->unknowns;
    double *const *side = sides_of(t);
    const double sizes = stages_transform(
        r, r->to, (const double *const *)t->work, n, side);
    if (is_lost(t, n, sizes)) return newton_outcome_of(s->newton, DAE_RETRY);
    const newton_outcome out = solve_systems(s, side, r->stages);
    if (out != NEWTON_CONVERGED) return out;
    *norm = s->layout->is_first_order
        ? subtract(r, r->from, side, s->task.weights->solve, n, t->z)
        : subtract_chains(s, t, side);
    return isfinite(*norm) ? NEWTON_CONVERGED : NEWTON_NONFINITE;
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
    memcpy(s->task.x, s->x, l->states * sizeof *s->x);
    for (size_t j = 0; j < l->unknowns; j++)
        s->task.xp[j] = s->slope[l->first[j + 1] - 1];
    return factor(s, r, s->t);
}

/* With that of the last stage as the iteration has left it. */
static newton_outcome renew(transition *s, const stage_task *t)
{
    end_point(s, t);
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
        double norm = 0;
        newton_outcome out = look(s, t);
        if (out == NEWTON_CONVERGED) out = improve(s, t, &norm);
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
        if (out == NEWTON_CONVERGED) out = look(s, t);
        if (out == NEWTON_CONVERGED) out = improve(s, t, &t->last);
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

UNROLLED void share_of(
    const int s, double by, const double *inverse, double *restrict share)
{
    for (int k = 0; k < s * s; k++) share[k] = by * inverse[k];
}

newton_outcome stages_solve(transition *s, stage_task *t)
{
    assert(t->rule->stages <= STAGES_MOST && t->rule->stages % 2 == 1);
    newton_outcome out = prepare(s, t->rule);
    if (out != NEWTON_CONVERGED) return out;
    BY_STAGES(
        share_of, t->rule->stages, 1 / s->task.h, t->rule->inverse, t->share)
    follow_chains(s, t->rule, t->z, s->slope);
    out = iterate_on(s, t);
    if (out == NEWTON_CONVERGED && t->rate > rate_slow && !t->is_confirmed)
        s->newton->wants_jacobian = !s->newton->is_constant;
    return out;
}

/* --- what follows --- */

newton_outcome stages_finish(transition *s, const stage_task *t)
{
    const layout *l = s->layout;
    end_point(s, t);
    for (size_t j = 0; j < l->unknowns; j++) {
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
    BY_STAGES(combine_of, t->rule->stages, t->rule->error, t->z, s->slope,
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
