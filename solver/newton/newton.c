#include "newton/newton.h"

#include "base/real.h"
#include "linalg/jacobian.h"
#include "newton/norm.h"
#include "newton/own.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What a corrector may leave, in tolerances. Measured: between 0.1 and 0.2 the
 * work at equal error hardly changes; 0.25 takes more steps, 0.03 more
 * iterations. */
static const double share_of_error = 0.14;
/* The part of that which a linear solver by iterations may leave in a correction. */
static const double linear_share = 0.2;
/* The part of a correction that may be wrong in any case: Newton's method repairs no more in
 * one iteration. Measured: with a thousandth iterations are half as many again. */
static const double linear_part = 0.01;
/* The third and fourth iteration rarely repair what two did not. */
enum { iterations_max = 4 };
/* Steps after which a Jacobian is evaluated again: where the learned rate
 * shows its age, and in any case. */
enum { age_old = 80, age_max = 250 };
static const double rho_old = 0.35;
/* A Jacobian is of the time scale it was evaluated on: where the step has
 * changed by more than this since, it belongs to another part of the curve. */
static const double scale_max = 30;
/* |r-1|/(r+1) up to which factors of another alpha are used: r from 0.45 to
 * 2.2. Measured on the library of models: a fifth fewer factorizations than
 * with 0.33, for 4 % more residuals. */
static const double stale_max = 0.38;
/* Bounds of the learned rate, its first guess and after a new Jacobian. */
static const double rho_min = 0.01, rho_max = 0.5, rho_start = 0.3,
                    rho_fresh = 0.2;
static const double good_news = 0.15;
/* Above this leverage the norm says little of single unknowns (algebraic ones
 * with large gains): a rate is measured in every step. */
static const double leverage_sure = 4;
/* Staleness from which on a measured rate says something about it. */
static const double stale_seen = 0.05;
/* Iterations that a stale alpha may cost before incomplete factors are renewed. Measured where
 * equations are not linear: a lattice of springs takes a fifth more steps, as second
 * iterations leave less noise; reactions gain nothing. */
enum { owed_most = 2 };
/* An age below which a Jacobian is as good as new. */
static const double rho_age_min = 10;
/* A Jacobian so much steeper than the one before serves one step only.
 * Measured on fifteen models: the work is what it is without; with 100 up to a
 * seventh more Jacobians. */
static const double steeper_max = 1e6;
/* Rates: failure; a new Jacobian at the next step; trust in the estimate. */
static const double rate_max = 0.9, rate_slow = 0.4, rate_sure = 0.3;
/* A first correction this small, relative to the constant, is accepted
 * whatever the rate. */
static const double negligible = 1e-3;
/* A first correction of so many tolerances is of a guess that knew nothing, as at a start
 * of unknowns without derivatives. Its rate says nothing of what the second one has moved:
 * in M = S p with p = t, S = cos(p) it leaves M as it is. */
static const double guess_far = 1e3;
/* Error tests missed by this much are not worth more iterations. */
static const double hopeless = 3;

static bool entries_are_constant(const iteration *matrix, const layout *l)
{
    const dae_pattern *pattern = iteration_pattern(matrix);
    if (!pattern || !pattern->kind) return false;
    size_t columns = l->states + l->unknowns;
    for (int64_t p = 0; p < pattern->column_start[columns]; p++)
        if (pattern->kind[p] == DAE_ENTRY_VARYING) return false;
    return true;
}

/* Equations with an entry under a derivative. */
static void find_slope_rows(newton *nw)
{
    const dae_pattern *pattern = iteration_pattern(nw->matrix);
    const layout *l = nw->layout;
    const int64_t *start = pattern->column_start;
    int64_t p = start[l->states];
    for (; p < start[l->states + l->unknowns]; p++)
        nw->is_slope_row[pattern->row[p]] = 1;
}

dae_status newton_init(newton *nw, const dae_problem *problem, const layout *l,
    iteration *matrix, dae_stats *stats, arena *a)
{
    *nw = (newton){.problem = problem, .layout = l, .matrix = matrix};
    nw->stats = stats;
    nw->chain = 1;
    nw->constant = share_of_error;
    nw->stale_most = stale_max;
    nw->age_old = age_old;
    nw->rho_old = rho_old;
    nw->delta = ARENA_ARRAY(a, double, l->unknowns);
    nw->is_slope_row = ARENA_ARRAY(a, uint8_t, l->unknowns);
    nw->unit = ARENA_ARRAY(a, double, l->unknowns);
    nw->steepness = ARENA_ARRAY(a, double, l->unknowns);
    nw->steepness_old = ARENA_ARRAY(a, double, l->unknowns);
    if (!nw->delta || !nw->is_slope_row || !nw->unit || !nw->steepness
        || !nw->steepness_old)
        return DAE_MEMORY;
    find_slope_rows(nw);
    dae_status st = bounds_init(&nw->bounds, problem, l, a);
    beside_init(&nw->beside, l, a);
    if (!st) st = climb_init(&nw->climb, matrix, l, a);
    if (st) return st;
    nw->is_constant = entries_are_constant(matrix, l);
    nw->lost = SIZE_MAX;
    nw->rho = rho_start;
    nw->leverage = 1;
    nw->rho_age = rho_age_min;
    ageing_start(&nw->ageing);
    return DAE_OK;
}

enum { age_fresh = 4 };
static const double rho_keep = 0.15;

void newton_stay_fresh(newton *nw)
{
    nw->age_old = age_fresh;
    nw->rho_old = rho_keep;
}

/* Measured on 29 models above index 1 from 1e-4 to 1e-8: from 2 steps on 3 % fewer
 * residuals for a tenth more Jacobians, from 4 on 3 % more for 5 % fewer. */
enum { age_watched = 3 };
static const double rate_keep = 0.12;

void newton_watch_age(newton *nw)
{
    nw->age_old = age_watched;
    nw->rho_old = rate_keep;
    nw->ageing.is_watched = true;
}

/* Measured at 1e-6 beside the usual bound: a chain of index 3 takes 540 residuals
 * for 1281, ten beads 743 for 1212, a pendulum 2324 for 2762, with two to five
 * times the factorizations. */
static const double stale_little = 0.02;

void newton_follow_alpha(newton *nw)
{
    nw->stale_most = stale_little;
}

void newton_chain(newton *nw, double chain)
{
    nw->chain = chain;
    iteration_chain(nw->matrix, chain);
}

/* alpha is made of sums of equal steps, which differ by rounding. */
static const double stale_none = 1e-10;

void newton_tighten(newton *nw)
{
    nw->is_tight = true;
    nw->stale_most = stale_none;
}

void newton_renew(newton *nw)
{
    nw->wants_jacobian = true;
}

void newton_reset(newton *nw)
{
    iteration_reset(nw->matrix);
    memset(
        nw->steepness_old, 0, nw->layout->unknowns * sizeof *nw->steepness_old);
    nw->has_jacobian = false;
    nw->alpha = 0;
    nw->rho = rho_start;
    nw->leverage = 1;
    nw->rho_age = rho_age_min;
    ageing_start(&nw->ageing);
}

void newton_accepted(newton *nw)
{
    if (nw->is_fresh) {
        double *old = nw->steepness_old;
        nw->steepness_old = nw->steepness;
        nw->steepness = old;
    }
    nw->age++;
    nw->is_fresh = false;
}

static newton_outcome stop_with(newton *nw, dae_status status)
{
    nw->lost = SIZE_MAX;
    if (status == DAE_RETRY) return NEWTON_NONFINITE;
    nw->status = status;
    return NEWTON_STOPPED;
}

/* F with x on its bounds. */
static newton_outcome residual(newton *nw, const newton_task *task)
{
    const dae_problem *p = nw->problem;
    nw->stats->residual_evals++;
    bool is_beyond = bounds_enter(&nw->bounds, task->x);
    dae_status st = p->residual(p->self, task->t, task->x, task->xp, nw->delta);
    if (is_beyond) bounds_leave(&nw->bounds, task->x);
    if (st) return stop_with(nw, st);
    /* Found before it spreads over x: the point then shows where it arose. */
    return any_overflow(nw->delta, nw->layout->unknowns)
        ? stop_with(nw, DAE_RETRY)
        : NEWTON_CONVERGED;
}

/* --- the matrix --- */

static bool wants_evaluation(const newton *nw, double alpha)
{
    if (!nw->has_jacobian || nw->wants_all) return true;
    if (nw->is_constant) return false;
    if (nw->age >= age_max) return true;
    double r = alpha / nw->alpha_evaluated;
    if (!(r * scale_max > 1 && r < scale_max)) return true;
    const ageing *a = &nw->ageing;
    double aged = a->is_watched ? ageing_rate(a, nw->age, 0) : nw->rho;
    return nw->wants_jacobian || (nw->age >= nw->age_old && aged > nw->rho_old);
}

static dae_status evaluate_at(newton *nw, const newton_task *task)
{
    nw->stats->jacobian_evals++;
    return iteration_evaluate(nw->matrix, task->t, task->x, task->xp, nw->delta,
        task->weights->plain, task->h, &nw->stats->residual_evals);
}

/* The Jacobian with x on its bounds, or a tolerance inside where it has no
 * value at the bound itself (differences would need F there, too). */
static dae_status evaluate_in_bounds(newton *nw, const newton_task *task)
{
    bounds *b = &nw->bounds;
    if (b->count == 0) return evaluate_at(nw, task);
    bounds_enter(b, task->x);
    dae_status st = evaluate_at(nw, task);
    if (st == DAE_RETRY && nw->problem->jacobian
        && bounds_inside(b, task->weights->plain, task->x))
        st = evaluate_at(nw, task);
    bounds_leave(b, task->x);
    return st;
}

/* Which slopes are not finite is known of the place that was tried first: others
 * may be found beside it. */
static dae_status evaluate_beside(newton *nw, const newton_task *task)
{
    beside_point *b = &nw->beside;
    dae_status st = beside_keep(b, task->x, task->xp);
    if (st) return st;
    st = DAE_RETRY;
    for (int k = 0; k < BESIDE_TRIES && st == DAE_RETRY; k++) {
        if (!beside_move(
                b, nw->matrix, task->weights->plain, k, task->x, task->xp))
            break;
        st = evaluate_at(nw, task);
    }
    beside_return(b, task->x, task->xp);
    return st;
}

/* What `unit` of a column's values changes in the equations, where that is more. */
static inline void note_column(const dae_pattern *pattern, const double *values,
    size_t column, double unit, double *restrict now)
{
    const int32_t *row = pattern->row;
    const int64_t end = pattern->column_start[column + 1];
    for (int64_t p = pattern->column_start[column]; p < end; p++) {
        const double moved = fabs(values[p]) * unit;
        if (moved > now[row[p]]) now[row[p]] = moved;
    }
}

/* Whether some equation is so much steeper than in the last Jacobian, measured
 * by what a tolerance of its values changes in it. Such a Jacobian belongs to a
 * short part of the curve, or is wrong: further on corrections by it would be
 * small without being right, and nothing would show it. */
static bool is_steeper(newton *nw, const newton_task *task)
{
    const dae_pattern *pattern = iteration_pattern(nw->matrix);
    const double *values = iteration_values(nw->matrix);
    const double *weight = task->weights->plain;
    const layout *l = nw->layout;
    double *now = nw->steepness;
    bool result = false;
    for (size_t i = 0; i < l->unknowns; i++) now[i] = 0;
    for (size_t s = 0; s < l->states; s++)
        note_column(pattern, values, s, 1 / weight[s], now);
    for (size_t j = 0; j < l->unknowns; j++)
        note_column(pattern, values, l->states + j,
            1 / weight[l->first[j + 1] - 1], now);
    for (size_t i = 0; i < l->unknowns; i++) {
        double old = nw->steepness_old[i];
        result |= old > 0 && now[i] > steeper_max * old;
    }
    return result;
}

/* Evaluates the Jacobian at the prediction, whose residual is in `delta`. Now
 * and then, and where there is doubt, with what never changes: one wrong value
 * there would spoil the rest of the run. */
static newton_outcome evaluate(newton *nw, const newton_task *task)
{
    if (nw->wants_all || nw->age >= age_max) iteration_reset(nw->matrix);
    dae_status st = evaluate_in_bounds(nw, task);
    if (st == DAE_RETRY && nw->problem->jacobian)
        st = evaluate_beside(nw, task);
    if (st) {
        nw->has_jacobian = false; /* what is in the matrix is no Jacobian */
        nw->alpha = 0;
        return stop_with(nw, st);
    }
    nw->has_jacobian = nw->is_fresh = true;
    newton_own_base(nw, task);
    nw->wants_all = false;
    nw->wants_jacobian = !nw->is_constant && is_steeper(nw, task);
    nw->age = 0;
    nw->alpha = 0;
    nw->alpha_evaluated = task->alpha;
    nw->rho = larger(nw->rho, rho_fresh);
    nw->rho_age = rho_age_min;
    return NEWTON_CONVERGED;
}

static double staleness(const newton *nw, double alpha)
{
    double r = alpha / nw->alpha;
    return fabs(r - 1) / (r + 1);
}

static newton_outcome factor(newton *nw, const newton_task *task)
{
    nw->stats->factorizations++;
    dae_status st = iteration_factor_condensed(nw->matrix, task->alpha);
    iteration_take_counts(nw->matrix, &nw->stats->linear_iterations,
        &nw->stats->linear_fallbacks);
    nw->alpha = st ? 0 : task->alpha;
    nw->is_proven = nw->is_fresh;
    nw->owed = 0;
    if (st == DAE_NUMERIC) return NEWTON_SINGULAR;
    return st ? stop_with(nw, st) : NEWTON_CONVERGED;
}

/* Factors of a Jacobian where flows q of q*abs(q) = p that are 0 are what a p of their
 * tolerance makes of them: at 0 its entries are, and the matrix may be singular. */
static newton_outcome factor_in_flow(newton *nw, const newton_task *task)
{
    beside_point *b = &nw->beside;
    dae_status st = beside_keep(b, task->x, task->xp);
    if (st) return stop_with(nw, st);
    const bool has_any = beside_flow(
        b, nw->problem, task->weights->plain, task->x);
    st = has_any ? evaluate_at(nw, task) : DAE_NUMERIC;
    beside_return(b, task->x, task->xp);
    if (st == DAE_NUMERIC || st == DAE_RETRY) return NEWTON_SINGULAR;
    return st ? stop_with(nw, st) : factor(nw, task);
}

/* Factors for task->alpha, or of another one that is as near as `most`. */
static newton_outcome refactor(newton *nw, const newton_task *task, double most)
{
    const bool is_usable = nw->alpha * task->alpha > 0
        && staleness(nw, task->alpha) <= most;
    const newton_outcome out = is_usable ? NEWTON_CONVERGED : factor(nw, task);
    return out == NEWTON_SINGULAR && nw->is_fresh ? factor_in_flow(nw, task)
                                                  : out;
}

/* Up to which staleness factors are used. Incomplete ones cost no more than some
 * iterations: in a linear problem, where nothing but alpha asks for a second one, they are
 * renewed once it has cost that. */
static double stale_now(const newton *nw)
{
    const bool is_due = nw->is_constant && nw->owed >= owed_most
        && iteration_is_inexact(nw->matrix);
    return is_due ? smaller(stale_seen, nw->stale_most) : nw->stale_most;
}

/* Makes factors that are good enough for task->alpha. */
static newton_outcome prepare(newton *nw, const newton_task *task)
{
    newton_outcome out = NEWTON_CONVERGED;
    if (wants_evaluation(nw, task->alpha)) out = evaluate(nw, task);
    return out == NEWTON_CONVERGED ? refactor(nw, task, stale_now(nw)) : out;
}

/* --- one iteration --- */

enum { LANES = 8 };

/* x -= delta and what follows from it for LANES states: the squares of the weighted
 * change are added to `lane`. One array after the other, so that vector registers
 * suffice. */
static inline void move_lanes(const double *restrict delta,
    const double *restrict w, double alpha, double *restrict x,
    double *restrict xp, double *restrict d, double *restrict lane)
{
    double v[LANES], y[LANES];
    memcpy(v, delta, sizeof v);
    for (int l = 0; l < LANES; l++) x[l] -= v[l];
    for (int l = 0; l < LANES; l++) d[l] -= v[l];
    for (int l = 0; l < LANES; l++) xp[l] -= alpha * v[l];
    for (int l = 0; l < LANES; l++) y[l] = w[l] * v[l];
    for (int l = 0; l < LANES; l++) lane[l] += y[l] * y[l];
}

/* The same one by one: for states [i, end), which are fewer. */
static inline double move_rest(
    newton_task *task, const double *delta, size_t i, size_t end)
{
    const double *w = task->weights->solve, alpha = task->alpha;
    double *x = task->x, *xp = task->xp, *d = task->d, sum = 0;
    for (; i < end; i++) {
        const double v = delta[i], y = w[i] * v;
        x[i] -= v;
        xp[i] -= alpha * v;
        d[i] -= v;
        sum += y * y;
    }
    return sum;
}

/* The same for states [begin, end) of a first-order layout; the sum of
 * squares of the weighted change. */
static double move_first_order(
    newton_task *task, const double *delta, size_t begin, size_t end)
{
    double lane[LANES] = {0}, rest = 0;
    size_t i = begin;
    if (end - begin < LANES) return move_rest(task, delta, begin, end);
    for (; i + LANES <= end; i += LANES)
        move_lanes(delta + i, task->weights->solve + i, task->alpha,
            task->x + i, task->xp + i, task->d + i, lane);
    rest = move_rest(task, delta, i, end);
    return i > begin ? norm_fold(lane) + rest : rest;
}

/* The same for unknowns [begin, end) of any order: a change v of one state is
 * a change v chain/alpha of the state below. */
static double move_chains(
    newton *nw, newton_task *task, size_t begin, size_t end)
{
    const size_t *first = nw->layout->first;
    const double *w = task->weights->solve, *delta = nw->delta;
    const double alpha = task->alpha, down = nw->chain / alpha;
    double *restrict x = task->x, *restrict d = task->d;
    double *restrict xp = task->xp, sum = 0;
    for (size_t j = begin; j < end; j++) {
        double v = -delta[j];
        xp[j] += alpha * v;
        for (size_t s = first[j + 1], low = first[j]; s-- > low; v *= down) {
            const double y = w[s] * v;
            x[s] += v;
            d[s] += v;
            sum += y * y;
        }
    }
    return sum;
}

/* Applies the correction to unknowns [begin, end); the mean square of the weighted
 * change of their states. */
static double move_block(
    newton *nw, newton_task *task, size_t begin, size_t end)
{
    const layout *l = nw->layout;
    if (l->is_first_order)
        return move_first_order(task, nw->delta, begin, end)
            / (double)(end - begin);
    return move_chains(nw, task, begin, end)
        / (double)(l->first[end] - l->first[begin]);
}

/* Applies the correction and gives its weighted norm (blocks of unknowns). */
static double move(newton *nw, newton_task *task)
{
    const size_t n = nw->layout->unknowns, blocks = norm_block_count(n);
    if (blocks == 1) return sqrt(move_block(nw, task, 0, n));
    double worst = 0;
    for (size_t b = 0; b < blocks; b++) {
        const double mean = move_block(
            nw, task, norm_block_begin(n, b), norm_block_begin(n, b + 1));
        if (!(mean <= worst)) worst = mean;
    }
    return sqrt(worst);
}

/* --- the iteration --- */

/* The rate to believe before one is measured. What is not due to a stale
 * alpha is due to a Jacobian of elsewhere, and grows with the distance. */
static double expected_rate(const newton *nw, double alpha, double norm)
{
    double stale = nw->leverage * staleness(nw, alpha);
    const ageing *a = &nw->ageing;
    if (a->is_watched)
        return smaller(ageing_expected(a, nw->age, norm, stale), rate_max);
    const double reach = nw->reach, age = (double)nw->age;
    double further = reach > 0 && norm > reach ? norm / reach : 1;
    if (age > nw->rho_age) further *= age / nw->rho_age;
    return smaller(stale + nw->rho * further, rate_max);
}

/* Bad news counts at once, good news in part. */
static double blended(double now, double old)
{
    return larger(now, old + good_news * (now - old));
}

/* The same where the Jacobian's age is watched. What is expected is a rate of
 * the second correction, so later ones are not learned from. */
static void learn_ageing(
    newton *nw, const newton_task *task, double rate, double first)
{
    double stale = staleness(nw, task->alpha), earlier = nw->rate;
    nw->rate = larger(nw->rate, rate);
    if (earlier > 0) return;
    ageing_learn(&nw->ageing, &(measured_rate){rate, first, stale, nw->age},
        &nw->leverage);
    if (nw->age > 0 && rate - nw->leverage * stale > rate_slow)
        nw->wants_jacobian = true;
}

/* Whether a rate is due to the Jacobian's age or to alpha is known only where
 * one of them is nearly exact; bad news is taken in any case. */
static void learn(
    newton *nw, const newton_task *task, double rate, double before)
{
    double stale = staleness(nw, task->alpha);
    double seen = larger(rate - nw->leverage * stale, 0);
    nw->rate = larger(nw->rate, rate);
    if (stale > stale_seen)
        nw->leverage = larger(blended(rate / stale, nw->leverage), 1);
    /* Iterations with a Jacobian of this point tell nothing of later ones. */
    if (seen < nw->rho && (nw->is_fresh || stale > stale_seen)) return;
    nw->rho = smaller(larger(blended(seen, nw->rho), rho_min), rho_max);
    nw->rho_age = larger((double)nw->age, rho_age_min);
    nw->reach = before;
    if (seen > rate_slow && !nw->is_fresh) nw->wants_jacobian = true;
}

static bool is_hopeless(const newton *nw, const newton_task *task, double rate)
{
    if (rate >= rate_sure) return false;
    double norm = norm_weighted(
        task->weights->test, task->d, nw->layout->states);
    return norm * task->error_constant > hopeless;
}

/* Of a change of the highest states, through which the lower ones change. */
static const double *weights_of_unknowns(newton *nw, const newton_task *task)
{
    const layout *l = nw->layout;
    const double *w = task->weights->plain, down = nw->chain / task->alpha;
    if (l->is_first_order) return w;
    for (size_t j = 0; j < l->unknowns; j++) {
        double sum = 0, by = 1;
        for (size_t s = l->first[j + 1]; s-- > l->first[j]; by *= down)
            sum += by * w[s] * (by * w[s]);
        nw->unit[j] = sqrt(sum);
    }
    return nw->unit;
}

/* The states that a block of the norm holds: what all of them together are allowed is
 * what any block is. */
static double block_length(size_t n)
{
    return (double)n / (double)norm_block_count(n);
}

/* F's rows with slopes times 2/(1 + r), for the alpha at hand. */
static void scale_rows(newton *nw, double alpha)
{
    if (!(alpha < nw->alpha || alpha > nw->alpha)) return;
    const double more = 2 / (1 + alpha / nw->alpha) - 1;
    const double by[2] = {1, 1 + more};
    for (size_t i = 0; i < nw->layout->unknowns; i++)
        nw->delta[i] *= by[nw->is_slope_row[i]];
}

/* By iterations, as far as a correction needs. */
static dae_status solve_within(newton *nw, const newton_task *task)
{
    const linear_goal goal = {weights_of_unknowns(nw, task),
        linear_share * nw->constant * sqrt(block_length(nw->layout->states)),
        linear_part};
    const dae_status st = iteration_solve_within(
        nw->matrix, nw->delta, nw->is_tight ? NULL : &goal);
    iteration_take_counts(nw->matrix, &nw->stats->linear_iterations,
        &nw->stats->linear_fallbacks);
    return st;
}

/* delta = -A(alpha_0)^-1 F but for the sign, which move() gives. */
static dae_status solve(newton *nw, const newton_task *task)
{
    scale_rows(nw, task->alpha);
    return iteration_is_inexact(nw->matrix)
        ? solve_within(nw, task)
        : iteration_solve(nw->matrix, nw->delta);
}

/* Not left to the norm: unknowns that are not tested have no part in it. */
static bool is_correction_lost(newton *nw)
{
    size_t n = nw->layout->unknowns;
    if (!any_overflow(nw->delta, n)) return false;
    for (size_t j = n; j-- > 0;)
        if (is_overflow(nw->delta[j])) nw->lost = j;
    return true;
}

/* Whether the correction, of that norm, was so large that rounding of it is more than a
 * tolerance of some state was at the prediction: whatever comes back from there has lost
 * where it began, and its distance from the prediction with it. */
static bool is_out_of_sight(
    const newton *nw, const newton_task *task, double norm)
{
    const layout *l = nw->layout;
    const weights *w = task->weights;
    if (!(DBL_EPSILON * norm > nw->constant)) return false;
    for (size_t j = 0; j < l->unknowns; j++) {
        double v = DBL_EPSILON * fabs(nw->delta[j]);
        for (size_t s = l->first[j + 1]; s-- > l->first[j];) {
            const double from = fabs(task->x[s] - task->d[s]);
            if (w->floor[s] > 0 && v > w->rtol * from + w->floor[s])
                return true;
            v *= nw->chain / fabs(task->alpha);
        }
    }
    return false;
}

/* One correction with F at the point in `delta`; its norm. */
static newton_outcome correct(newton *nw, newton_task *task, double *norm)
{
    if (nw->bounds.count > 0)
        bounds_extend(&nw->bounds, nw->matrix, task->x, nw->delta);
    nw->stats->newton_iterations++;
    const dae_status st = solve(nw, task);
    if (st) return stop_with(nw, st);
    if (is_correction_lost(nw)) return NEWTON_NONFINITE;
    *norm = move(nw, task);
    if (!isfinite(*norm)) return stop_with(nw, DAE_RETRY);
    return is_out_of_sight(nw, task, *norm) ? NEWTON_DIVERGED
                                            : NEWTON_CONVERGED;
}

/* Corrections below this part of the last place of a value, or of what its
 * absolute tolerance calls small, change nothing, not even over many steps in
 * which an old Jacobian leaves the same error; where they stop falling above
 * it, rounding in F is what they show, as long as they are well below a tolerance
 * that is not tight itself. */
static const double tight_units = 0.02, tight_most = 1e-3, tight_rtol = 1e-6;
/* From so many times that on a slow rate is the Jacobian's and not rounding's. */
static const double tight_margin = 5000;
/* Iterations in all, and without one that halves the smallest correction. */
enum { tight_iterations = 30, tight_still = 3 };
/* A slower rate asks for another Jacobian at the next step; above the second one
 * an old one is given up at once, and one of this step is made again where the
 * iteration has come to. */
static const double tight_slow = 0.1, tight_bad = 0.3;

static newton_outcome iterate_tight(newton *nw, newton_task *task)
{
    const double rtol = task->weights->rtol;
    const double enough = tight_units * DBL_EPSILON / larger(rtol, tight_rtol);
    const double most = tight_most * larger(1, tight_rtol / rtol);
    double norm = 0, before = 0, least = HUGE_VAL;
    bool is_bad = false;
    for (int m = 0, still = 0; m < tight_iterations; m++) {
        newton_outcome out = m > 0 ? residual(nw, task) : NEWTON_CONVERGED;
        if (out == NEWTON_CONVERGED && is_bad) out = prepare(nw, task);
        if (out == NEWTON_CONVERGED) out = correct(nw, task, &norm);
        if (out != NEWTON_CONVERGED) return out;
        const double rate = m > 0 ? norm / before : 0;
        const bool is_above = norm > tight_margin * enough;
        if (norm <= enough) return NEWTON_CONVERGED;
        if (rate > tight_slow && is_above) nw->wants_jacobian = true;
        if (m > 0 && rate < 0.5 && rate / (1 - rate) * norm <= enough)
            return NEWTON_CONVERGED;
        is_bad = rate > tight_bad && is_above && !nw->is_constant;
        if (is_bad && !nw->is_fresh) return NEWTON_DIVERGED;
        still = norm < 0.5 * least ? 0 : still + 1;
        least = smaller(least, norm);
        if (still >= tight_still)
            return norm <= most ? NEWTON_CONVERGED : NEWTON_DIVERGED;
        before = norm;
    }
    return NEWTON_DIVERGED;
}

/* Whether a first correction may be the last, by the rate expected of it. */
static bool is_trusted(newton *nw)
{
    bool is_due = nw->ageing.is_watched && ageing_is_due(&nw->ageing, nw->age);
    return nw->is_proven && nw->leverage < leverage_sure && !is_due;
}

static double share_left(const newton *nw, const newton_task *task)
{
    return nw->constant * (task->part > 0 ? task->part : 1);
}

/* A first correction of that norm is not the last: whether it would be by the very alpha. */
static void owe(newton *nw, double norm, double enough)
{
    const double rate = expected_rate(nw, nw->alpha, norm);
    nw->owed += rate / (1 - rate) * norm <= enough;
}

static newton_outcome iterate(newton *nw, newton_task *task)
{
    const double enough = share_left(nw, task);
    double rate = 0, before = 0, norm = 0;
    for (int m = 0; m < iterations_max; m++) {
        newton_outcome out = m > 0 ? residual(nw, task) : NEWTON_CONVERGED;
        if (out == NEWTON_CONVERGED) out = correct(nw, task, &norm);
        if (out != NEWTON_CONVERGED) return out;
        if (m == 0 && norm <= negligible * enough) return NEWTON_CONVERGED;
        if (m == 0) {
            rate = expected_rate(nw, task->alpha, norm);
        } else {
            rate = norm / before;
            if (rate > rate_max) return NEWTON_DIVERGED;
            (nw->ageing.is_watched ? learn_ageing : learn)(
                nw, task, rate, before);
        }
        bool is_sure = m > 0 || is_trusted(nw);
        if (m > 0) nw->is_proven = true;
        if (m == 1) is_sure = norm <= 1 || before < guess_far;
        if (is_sure && rate / (1 - rate) * norm <= enough)
            return NEWTON_CONVERGED;
        if (m == 0 && is_sure) owe(nw, norm, enough);
        if (m == 1 && is_hopeless(nw, task, rate)) return NEWTON_HOPELESS;
        before = norm;
    }
    return NEWTON_DIVERGED;
}

/* Where large terms of an equation cancel, F does not show that a value is
 * too large. */
static bool is_too_large(const newton *nw, const newton_task *task)
{
    return any_overflow(task->x, nw->layout->states)
        || any_overflow(task->xp, nw->layout->unknowns);
}

static newton_outcome tighten(newton *nw, newton_task *task)
{
    const newton_outcome out = residual(nw, task);
    return out == NEWTON_CONVERGED ? iterate_tight(nw, task) : out;
}

newton_outcome newton_solve(newton *nw, newton_task *task)
{
    bool is_blind = false;
    nw->rate = 0;
    nw->is_fresh = false;
    newton_outcome out = residual(nw, task);
    if (out == NEWTON_CONVERGED) out = prepare(nw, task);
    if (out == NEWTON_CONVERGED)
        out = nw->is_tight ? iterate_tight(nw, task) : iterate(nw, task);
    const bool is_done = out == NEWTON_CONVERGED
        || (out == NEWTON_DIVERGED && nw->is_fresh);
    if (is_done) {
        const newton_outcome looked = newton_own_look(nw, task, &is_blind);
        if (looked != NEWTON_CONVERGED) return looked;
    }
    if (is_blind) {
        out = newton_own_climb(nw, task, share_left(nw, task));
        if (out == NEWTON_CONVERGED && nw->is_tight) out = tighten(nw, task);
    } else if (is_done && newton_own_is_adrift(nw, task)) {
        out = newton_own_settle(nw, task);
    }
    if (out == NEWTON_CONVERGED && is_too_large(nw, task))
        out = stop_with(nw, DAE_RETRY);
    return out;
}

void newton_rewind(newton *nw, const newton *before)
{
    const newton stopped = *nw;
    *nw = *before;
    nw->status = stopped.status;
    nw->climb = stopped.climb; /* it may have taken memory */
    if (!stopped.has_jacobian) nw->has_jacobian = false;
    if (stopped.alpha != before->alpha) nw->alpha = 0; /* other factors */
}

dae_status newton_is_outgrown(newton *nw, bool *is_outgrown)
{
    bool is_other;
    const dae_status st = iteration_is_outgrown(
        nw->matrix, is_outgrown, &is_other);
    if (is_other) {
        nw->alpha = 0;
        nw->stats->factorizations++;
    }
    return st;
}

/* --- jumps --- */

/* Change of a slope that counts as one. */
static const double slope_share = 0.1;

/* |F_i| against what a tolerance of its values, and a share of its slopes,
 * change in it; the largest over all equations. */
static double largest_residual(const newton *nw, const newton_task *task)
{
    const dae_pattern *pattern = iteration_pattern(nw->matrix);
    const double *values = iteration_values(nw->matrix);
    const layout *l = nw->layout;
    double worst = 0;
    for (size_t i = 0; i < l->unknowns; i++) nw->unit[i] = 0;
    for (size_t c = 0; c < l->states + l->unknowns; c++) {
        bool is_slope = c >= l->states;
        double size = is_slope ? slope_share * fabs(task->xp[c - l->states])
                               : 1 / task->weights->plain[c];
        int64_t p = pattern->column_start[c];
        for (; p < pattern->column_start[c + 1]; p++)
            nw->unit[pattern->row[p]] += fabs(values[p]) * size;
    }
    for (size_t i = 0; i < l->unknowns; i++)
        if (fabs(nw->delta[i]) > worst * nw->unit[i])
            worst = nw->unit[i] > 0 ? fabs(nw->delta[i]) / nw->unit[i]
                                    : HUGE_VAL;
    return worst;
}

double newton_off(newton *nw, const newton_task *task)
{
    if (!nw->has_jacobian || residual(nw, task) != NEWTON_CONVERGED) return 0;
    return largest_residual(nw, task);
}

/* --- for direct.c --- */

newton_outcome newton_own_residual(newton *nw, const newton_task *task)
{
    return residual(nw, task);
}

newton_outcome newton_own_jacobian(newton *nw, const newton_task *task)
{
    return evaluate(nw, task);
}

bool newton_own_is_due(const newton *nw, const newton_task *task)
{
    return wants_evaluation(nw, task->alpha);
}

newton_outcome newton_own_factors(newton *nw, const newton_task *task)
{
    return refactor(nw, task, 0);
}

newton_outcome newton_own_renew(newton *nw, const newton_task *task)
{
    const newton_outcome out = evaluate(nw, task);
    return out == NEWTON_CONVERGED ? factor(nw, task) : out;
}

newton_outcome newton_own_correct(newton *nw, newton_task *task, double *norm)
{
    return correct(nw, task, norm);
}

double newton_own_move(newton *nw, newton_task *task)
{
    return move(nw, task);
}

newton_outcome newton_own_stop(newton *nw, dae_status status)
{
    return stop_with(nw, status);
}
