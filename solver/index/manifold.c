/* Where a level's ranks are to be taken: Gauss-Newton with least changes onto
 * F_i^(k) = 0, states held as long as that works. Ranks beside that set are
 * ranks of another system. */
#include "index/manifold.h"

#include "index/derivative_array_rank.h"
#include "index/generic_points.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* A residual below this part of its terms is rounding; one that does not get smaller
 * is accepted below VALUES_ERROR. */
static double exact(void)
{
    return rounding_of(ROUNDING_OF_SUMS);
}

enum { ITERATIONS = 25, HALVINGS = 12 };

/* ---- leaving special places ---------------------------------------------------- */

static double within(const level *v, size_t k, double from, double to)
{
    const dae_scales *s = v->e->problem.scales;
    if (s && s->minimum && to < s->minimum[k]) return from;
    if (s && s->maximum && to > s->maximum[k]) return from;
    return to;
}

void manifold_shake(level *v, unsigned number, double size, bool is_new_only)
{
    const array_work *w = v->w;
    for (size_t k = 0; k < v->columns; k++) {
        const size_t j = (size_t)v->e->column_unknown[k];
        const size_t order = k - v->e->column_first[j];
        const size_t known = (size_t)(v->differentiated + w->layout.order[j]);
        if (is_new_only && order < known) continue;
        /* a number of its own for each slot, the same at every level */
        const double part = points_number(
            2 * (uint64_t)number + 1, 64 * 256 * j + order);
        v->z[k] = within(v, k, v->z[k],
            v->z[k] + size * part * fmax(v->w->size[j], fabs(v->z[k])));
    }
    if (is_new_only) return;
    /* forward, as the past of a start may have no values; farther where it is
     * to confirm: a coefficient t^2 is next to nothing near 0 */
    const double part = number >= MANIFOLD_CONFIRMS ? 1 : 1 / RANK_GAP;
    v->t += size * fabs(points_number(2 * (uint64_t)number, 0)) * part
        * fmax(1, fabs(v->t));
}

/* ---- Gauss-Newton --------------------------------------------------------------- */

static dae_status residual_at(level *v, const double *z)
{
    const dae_problem *p = &v->e->problem;
    const dae_status st = p->residual(p->self, v->t, z, NULL, v->residual);
    if (st) return st;
    for (size_t i = 0; i < v->rows; i++)
        if (is_overflow(v->residual[i])) return DAE_RETRY;
    return DAE_OK;
}

static double sum_of_squares(const level *v)
{
    double sum = 0;
    for (size_t i = 0; i < v->rows; i++) {
        const double r = v->residual[i] * v->row_scale[i];
        sum += r * r;
    }
    return sum;
}

/* The largest residual as part of the terms of its row, of equations differentiated
 * up to `most` times. */
static double worst(level *v, int most_times)
{
    const dae_pattern *s = v->e->problem.pattern;
    double *size = v->step, most = 0;
    for (size_t i = 0; i < v->rows; i++)
        size[i] = RESIDUAL_GONE / v->row_scale[i];
    for (size_t k = 0; k < v->columns; k++)
        for (int64_t e = s->column_start[k]; e < s->column_start[k + 1]; e++)
            size[s->row[e]] += fabs(v->values[e] * v->z[k]);
    for (size_t i = 0; i < v->rows; i++) {
        const size_t first = v->e->row_first[v->e->row_equation[i]];
        if (i - first <= (size_t)most_times)
            most = fmax(most, fabs(v->residual[i]) / size[i]);
    }
    return most;
}

/* v->step: what to add to z, by columns. */
static dae_status find_step(level *v, unsigned roles)
{
    const size_t count = level_part(v, roles);
    assert(count <= v->columns);
    for (size_t i = 0; i < v->rows; i++)
        v->step[i] = -v->residual[i] * v->row_scale[i];
    const dae_status st = ranks_solve(
        v->spent, v->rows, count, 0, v->step, v->w->allocator);
    if (st) return st;
    size_t from = count;
    for (size_t k = v->columns; k-- > 0;) {
        const bool moves = (v->role[k] & roles) != 0;
        v->step[k] = moves ? v->step[--from] * v->column_scale[k] : 0;
    }
    return DAE_OK;
}

/* The part of `before` that a sum of squares has to fall below. At a double root
 * steps are half as long as they should be, and a regular one is approached faster
 * [DKK83]: so twice the step is taken where it does what a regular root allows. */
static double required(double part)
{
    return part > 1 ? pow(LINEAR_RATE, 4) : 1 - part / 10;
}

/* The longest part of the step, or with `is_slow` twice the step, that makes the
 * residual smaller; false: none does. z moves; the residual is that at z. `trial`
 * has room for z. */
static dae_status advance(
    level *v, double *trial, bool *is_slow, bool *has_moved)
{
    const double before = sum_of_squares(v);
    double part = *is_slow ? 2 : 1;
    dae_status st = DAE_OK;
    *has_moved = false;
    for (int k = 0; k <= HALVINGS && !*has_moved; k++, part /= 2) {
        for (size_t q = 0; q < v->columns; q++)
            trial[q] = v->z[q] + part * v->step[q];
        st = residual_at(v, trial);
        if (st && st != DAE_RETRY) return st;
        if (st) continue;
        const double after = sum_of_squares(v);
        *has_moved = after < before * required(part);
        *is_slow = !(after < before * required(2));
    }
    if (*has_moved) memcpy(v->z, trial, v->columns * sizeof *trial);
    return *has_moved ? DAE_OK : residual_at(v, v->z);
}

static dae_status iterate(
    level *v, unsigned roles, double *trial, double *remaining)
{
    const array_request *q = v->w->q;
    dae_status st;
    bool has_moved = true, is_slow = false;
    double before = (double)INFINITY;
    *remaining = (double)INFINITY;
    if ((st = residual_at(v, v->z)) || (st = level_evaluate(v))) return st;
    for (int k = 0; k < ITERATIONS && has_moved; k++) {
        *remaining = worst(v, v->differentiated);
        if (*remaining <= exact()) break;
        /* at rounding: roots of any multiplicity are approached faster */
        if (*remaining <= VALUES_ERROR && *remaining > before / 2) break;
        before = *remaining;
        if (q->interrupt && q->interrupt(q->interrupt_context))
            return DAE_INTERRUPTED;
        if ((st = find_step(v, roles))) return st;
        if ((st = advance(v, trial, &is_slow, &has_moved))) return st;
        if ((st = level_evaluate(v))) return st;
    }
    *remaining = worst(v, v->differentiated);
    return DAE_OK;
}

/* What one more step would change, as part of what is typical: at a root that
 * is double far more than the residual shows. */
static dae_status measure(level *v, double *error)
{
    const dae_status st = find_step(v, LEVEL_ALL);
    *error = 0;
    for (size_t k = 0; k < v->columns && !st; k++)
        *error = fmax(*error, fabs(v->step[k]) / v->size[k]);
    return st;
}

/* Whether a step is too large to be real: if held states violate a constraint a
 * little, a derivative whose coefficient is the residual of another equation
 * may be used to satisfy it. */
static bool is_absurd(const level *v, const double *before)
{
    for (size_t k = 0; k < v->columns; k++) {
        const double size = fmax(
            v->w->size[v->e->column_unknown[k]], fabs(before[k]));
        if (!(EFFECT_ERROR * fabs(v->z[k] - before[k]) <= fmax(size, 1)))
            return true;
    }
    return false;
}

/* States where they are, if that does. `before` has room for z. */
static dae_status move_others(level *v, double *trial, double *before)
{
    double remaining = 0;
    memcpy(before, v->z, v->columns * sizeof *before);
    const dae_status st = iterate(
        v, LEVEL_TARGET | LEVEL_REST, trial, &remaining);
    if (remaining > VALUES_ERROR || is_absurd(v, before))
        memcpy(v->z, before, v->columns * sizeof *before);
    return st == DAE_RETRY ? DAE_OK : st;
}

bool manifold_leaves(level *v, const level *below)
{
    if (v->is_constant) return false;
    const double before = fmax(below->left, exact());
    return worst(v, below->differentiated) > ERROR_MARGIN * before;
}

/* The point that was reached, with what is left of its residuals. */
static dae_status settle(level *v, double remaining, bool *is_found)
{
    double error = 0;
    assert(remaining <= VALUES_ERROR);
    v->left = remaining;
    dae_status st = measure(v, &error);
    if (!st) st = level_prepare(v, error);
    *is_found = !st;
    return st;
}

dae_status manifold_reach(level *v, bool hold_states, bool *is_found)
{
    const dae_allocator *a = v->w->allocator;
    double remaining = 0;
    dae_status st = DAE_OK;
    *is_found = false;
    double *trial = alloc_zeroed(a, 2 * v->columns, sizeof *trial);
    if (!trial) return DAE_MEMORY;
    if (hold_states) st = move_others(v, trial, trial + v->columns);
    if (!st) st = iterate(v, LEVEL_ALL, trial, &remaining);
    if (!st && remaining <= VALUES_ERROR) {
        st = settle(v, remaining, is_found);
    } else if (v->is_constant && (!st || st == DAE_NUMERIC)) {
        st = level_prepare(v, 0);
        *is_found = !st;
    }
    alloc_free(a, trial, 2 * v->columns, sizeof *trial);
    return st == DAE_RETRY || st == DAE_NUMERIC ? DAE_OK : st;
}
