#include "newton/direct.h"

#include "linalg/jacobian.h"
#include "newton/own.h"

#include <float.h>
#include <math.h>
#include <string.h>

static newton_outcome solve(newton *nw)
{
    nw->stats->newton_iterations++;
    const dae_status st = iteration_solve(nw->matrix, nw->delta);
    if (st) return newton_own_stop(nw, st);
    return any_overflow(nw->delta, nw->layout->unknowns)
        ? newton_own_stop(nw, DAE_RETRY)
        : NEWTON_CONVERGED;
}

static newton_outcome check(const newton *nw, const newton_task *task)
{
    return any_overflow(task->x, nw->layout->states)
            || any_overflow(task->xp, nw->layout->unknowns)
        ? NEWTON_NONFINITE
        : NEWTON_CONVERGED;
}

/* --- one linear step --- */

/* delta += dF/dx shift, over lower states. */
static void add_shift(newton *nw, const double *shift)
{
    const layout *l = nw->layout;
    const int64_t *start = iteration_pattern(nw->matrix)->column_start;
    const int32_t *row = iteration_pattern(nw->matrix)->row;
    const double *values = iteration_values(nw->matrix);
    for (size_t j = 0; j < l->unknowns; j++)
        for (size_t s = l->first[j]; s + 1 < l->first[j + 1]; s++)
            for (int64_t p = start[s]; p < start[s + 1]; p++)
                nw->delta[row[p]] += values[p] * shift[s];
}

static newton_outcome factor(newton *nw, double alpha)
{
    if (nw->alpha == alpha) return NEWTON_CONVERGED;
    nw->stats->factorizations++;
    const dae_status st = iteration_factor_condensed(nw->matrix, alpha);
    nw->alpha = st ? 0 : alpha;
    if (st == DAE_NUMERIC) return NEWTON_SINGULAR;
    return st ? newton_own_stop(nw, st) : NEWTON_CONVERGED;
}

newton_outcome newton_linear(newton *nw, newton_task *task, const double *shift)
{
    const layout *l = nw->layout;
    newton_outcome out = newton_own_residual(nw, task);
    nw->is_fresh = true;
    if (out == NEWTON_CONVERGED && !(nw->is_constant && nw->has_jacobian))
        out = newton_own_jacobian(nw, task);
    if (out == NEWTON_CONVERGED) out = factor(nw, task->alpha);
    if (out != NEWTON_CONVERGED) return out;
    if (!l->is_first_order) add_shift(nw, shift);
    if ((out = solve(nw)) != NEWTON_CONVERGED) return out;
    for (size_t s = 0; !l->is_first_order && s < l->states; s++) {
        task->x[s] += shift[s];
        task->d[s] += shift[s];
    }
    (void)newton_own_move(nw, task);
    return check(nw, task);
}

/* --- stages of a method's own --- */

/* F is needed for differences alone. */
newton_outcome newton_jacobian(newton *nw, newton_task *task)
{
    if (!newton_own_is_due(nw, task)) return NEWTON_CONVERGED;
    const newton_outcome out = nw->problem->jacobian
        ? NEWTON_CONVERGED
        : newton_own_residual(nw, task);
    return out == NEWTON_CONVERGED ? newton_own_jacobian(nw, task) : out;
}

newton_outcome newton_factors(newton *nw, newton_task *task)
{
    const newton_outcome out = newton_jacobian(nw, task);
    return out == NEWTON_CONVERGED ? newton_own_factors(nw, task) : out;
}

newton_outcome newton_residual(newton *nw, newton_task *task, double *f)
{
    const newton_outcome out = newton_own_residual(nw, task);
    if (nw->has_jacobian)
        bounds_extend(&nw->bounds, nw->matrix, task->x, nw->delta);
    memcpy(f, nw->delta, nw->layout->unknowns * sizeof *f);
    return out;
}

newton_outcome newton_residuals(newton *nw, size_t count, const double *t,
    double *const *x, double *const *xp, double *const *f)
{
    const dae_problem *p = nw->problem;
    newton_outcome out = NEWTON_CONVERGED;
    if (!p->residuals || nw->bounds.count > 0) {
        for (size_t k = 0; k < count && out == NEWTON_CONVERGED; k++) {
            newton_task at = {.t = t[k], .x = x[k], .xp = xp[k]};
            out = newton_residual(nw, &at, f[k]);
        }
        return out;
    }
    nw->stats->residual_evals += (int64_t)count;
    const dae_status st = p->residuals(p->self, count, t,
        (const double *const *)x, (const double *const *)xp, f);
    return st ? newton_own_stop(nw, st) : NEWTON_CONVERGED;
}

newton_outcome newton_outcome_of(newton *nw, dae_status status)
{
    if (!status) return NEWTON_CONVERGED;
    if (status == DAE_NUMERIC) return NEWTON_SINGULAR;
    return newton_own_stop(nw, status);
}

/* --- slopes --- */

/* Factors of dF/dxp alone: those of no alpha. */
static const double of_slopes = HUGE_VAL;

/* F is linear in the slopes, with constants. */
static bool is_linear(const newton *nw)
{
    const layout *l = nw->layout;
    const dae_pattern *p = iteration_pattern(nw->matrix);
    if (!p->kind) return false;
    const int64_t *start = p->column_start;
    for (int64_t k = start[l->states]; k < start[l->states + l->unknowns]; k++)
        if (p->kind[k] == DAE_ENTRY_VARYING) return false;
    return true;
}

static newton_outcome factor_slopes(newton *nw, newton_task *task)
{
    const newton_outcome out = newton_own_jacobian(nw, task);
    if (out != NEWTON_CONVERGED) return out;
    nw->stats->factorizations++;
    const dae_status st = iteration_factor_slopes(nw->matrix);
    nw->alpha = st ? 0 : of_slopes;
    if (st == DAE_NUMERIC) return NEWTON_SINGULAR;
    return st ? newton_own_stop(nw, st) : NEWTON_CONVERGED;
}

/* xp -= delta; the largest change beside the largest slope. */
static double move_slopes(const newton *nw, double *xp)
{
    double change = 0, size = 0;
    for (size_t j = 0; j < nw->layout->unknowns; j++) {
        xp[j] -= nw->delta[j];
        change = fmax(change, fabs(nw->delta[j]));
        size = fmax(size, fabs(xp[j]));
    }
    return change > 0 ? change / size : 0;
}

/* Iterations, and without one that halves the smallest change; what rounding may
 * leave of a change then. */
enum { slopes_most = 30, slopes_still = 3 };
static const double slopes_left = 1e-8;

static newton_outcome iterate(newton *nw, newton_task *task)
{
    double least = HUGE_VAL;
    newton_outcome out;
    for (int m = 0, still = 0; m < slopes_most && still < slopes_still; m++) {
        if ((out = newton_own_residual(nw, task)) != NEWTON_CONVERGED
            || (m == 0 && (out = factor_slopes(nw, task)) != NEWTON_CONVERGED)
            || (out = solve(nw)) != NEWTON_CONVERGED)
            return out;
        const double change = move_slopes(nw, task->xp);
        if (change <= DBL_EPSILON) return check(nw, task);
        still = change < 0.5 * least ? 0 : still + 1;
        least = fmin(least, change);
    }
    return least <= slopes_left ? check(nw, task) : NEWTON_DIVERGED;
}

newton_outcome newton_slopes(newton *nw, newton_task *task)
{
    newton_outcome out;
    nw->is_fresh = true;
    if (!is_linear(nw)) return iterate(nw, task);
    memset(task->xp, 0, nw->layout->unknowns * sizeof *task->xp);
    out = newton_own_residual(nw, task);
    if (out == NEWTON_CONVERGED && nw->alpha != of_slopes)
        out = factor_slopes(nw, task);
    if (out == NEWTON_CONVERGED) out = solve(nw);
    if (out != NEWTON_CONVERGED) return out;
    (void)move_slopes(nw, task->xp);
    return check(nw, task);
}
