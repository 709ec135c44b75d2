/* What rounding in F moves, as far as it is an excuse for a step that fails. An
 * ill-conditioned matrix is none: behind it may be a branch, or an end of the
 * solution. But a slope is a difference of values over h, so whatever is as good
 * as one, such as the voltage at an inductor behind a diode that does not conduct,
 * holds their rounding divided by h: shorter steps make it worse. */
#include "newton/newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* delta_i = sign_i eps sum over slots |dF_i/dslot| |slot|; signs alternate
 * with period `period` (1: all alike). */
static void rounding(newton *nw, const newton_task *task, size_t period)
{
    const dae_pattern *pattern = iteration_pattern(nw->matrix);
    const double *values = iteration_values(nw->matrix);
    const layout *l = nw->layout;
    size_t n = l->unknowns;
    memset(nw->delta, 0, n * sizeof *nw->delta);
    for (size_t c = 0; c < l->states + n; c++) {
        double slot = c < l->states ? task->x[c] : task->xp[c - l->states];
        int64_t p = pattern->column_start[c];
        for (; p < pattern->column_start[c + 1]; p++)
            nw->delta[pattern->row[p]] += DBL_EPSILON * fabs(values[p] * slot);
    }
    for (size_t i = 0; i < n; i++)
        if (i % period == 1) nw->delta[i] = -nw->delta[i];
}

/* moved_j: how far that moves the highest state of unknown j, by the factors at
 * hand. False: these do not tell. */
static bool solve_rounding(newton *nw, const newton_task *task, double *moved)
{
    const size_t n = nw->layout->unknowns;
    memset(moved, 0, n * sizeof *moved);
    for (size_t period = 1; period <= 2; period++) {
        rounding(nw, task, period);
        if (iteration_solve(nw->matrix, nw->delta)) return false;
        for (size_t j = 0; j < n; j++) {
            const double v = fabs(nw->delta[j]);
            moved[j] = v <= moved[j] ? moved[j] : v;
        }
    }
    return true;
}

/* Noise beyond this many units in the last place of the largest state is no
 * matter of rounding alone. */
static const double noise_units = 64;

double newton_noise_most(const layout *l, const double *x)
{
    double largest = 0;
    for (size_t s = 0; s < l->states; s++) largest = fmax(largest, fabs(x[s]));
    return noise_units * DBL_EPSILON * largest;
}

static bool is_beyond(const double *moved, size_t n, double limit)
{
    for (size_t j = 0; j < n; j++)
        if (!(moved[j] <= limit)) return true;
    return false;
}

/* Noise that falls at least by this where the step is so much longer is the
 * step's; up to this share of the largest state it counts. */
static const double longer = 8, falls = 4, share_most = 1e-3;

/* Cuts what is beyond the usual limit, less of it for unknowns of which it is due
 * to the short step. `again` (n): scratch. */
static void judge(newton *nw, const newton_task *task, double limit,
    double *moved, double *again)
{
    const double large = limit * (share_most / (noise_units * DBL_EPSILON));
    const double alpha = task->alpha / longer;
    nw->stats->factorizations++;
    bool is_known = !iteration_factor_condensed(nw->matrix, alpha);
    nw->alpha = is_known ? alpha : 0;
    is_known = is_known && solve_rounding(nw, task, again);
    for (size_t j = 0; j < nw->layout->unknowns; j++) {
        const bool is_step = is_known && falls * again[j] <= moved[j];
        const double most = is_step ? large : limit;
        if (!(moved[j] <= most)) moved[j] = most;
    }
}

void newton_noise(newton *nw, const newton_task *task, double *noise)
{
    const layout *l = nw->layout;
    const double limit = newton_noise_most(l, task->x);
    double *moved = nw->unit, down = nw->chain / fabs(task->alpha);
    memset(noise, 0, l->states * sizeof *noise);
    if (!nw->has_jacobian || nw->alpha == 0) return;
    if (!solve_rounding(nw, task, moved)) return;
    if (is_beyond(moved, l->unknowns, limit))
        judge(nw, task, limit, moved, noise);
    for (size_t j = 0; j < l->unknowns; j++) {
        double v = moved[j];
        for (size_t s = l->first[j + 1]; s-- > l->first[j]; v *= down)
            noise[s] = v;
    }
}
