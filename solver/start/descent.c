/* Where the derivative vanishes the method converges, unlike Newton's. The
 * normal equations will do: what is left at the end is large, or Newton's method
 * goes on from there. */
#include "start/descent.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { ITERATIONS = 300 };
/* A gradient this small against its terms vanishes. */
static const double GRADIENT_ZERO = 1e-6;
/* Nor is there anything to be gained where so little was in so many steps:
 * where squares of unknowns are left the way to the minimum has no end. */
enum { IDLE = 40 };
static const double GAIN = 1e-6;
/* A step that leaves more than this part. */
static const double SLOW = 1e-2;

dae_status descent_init(descent *v, init_system *s, const subset *b)
{
    arena *a = &s->arena;
    const size_t n = b->slot_count;
    *v = (descent){.s = s};
    const dae_status st = submatrix_init(
        &v->m, s, b->rows, b->row_count, b->slots, n);
    if (st) return st;
    v->values = ARENA_ARRAY(a, double, v->m.entries);
    v->weight = ARENA_ARRAY(a, double, b->row_count);
    v->size = ARENA_ARRAY(a, double, n);
    v->h = ARENA_ARRAY(a, double, n *n);
    v->l = ARENA_ARRAY(a, double, n *n);
    v->g = ARENA_ARRAY(a, double, n);
    v->d = ARENA_ARRAY(a, double, n);
    v->from = ARENA_ARRAY(a, double, n);
    v->to = ARENA_ARRAY(a, double, n);
    v->trial = ARENA_ARRAY(a, double, s->rows);
    v->local = ARENA_ARRAY(a, int32_t, s->rows);
    return v->values && v->weight && v->size && v->h && v->l && v->g && v->d
            && v->from && v->to && v->trial && v->local
        ? DAE_OK
        : DAE_MEMORY;
}

static dae_status evaluate(descent *v)
{
    const dae_status st = unknowns_jacobian(v->s);
    if (st) return st;
    unknowns_measure(v->s);
    submatrix_values(&v->m, v->s, v->local, v->values);
    return DAE_OK;
}

/* Slots by their sizes, rows by their largest terms or what they leave. */
static void weigh(descent *v)
{
    const init_system *s = v->s;
    const submatrix *m = &v->m;
    for (size_t j = 0; j < m->columns; j++) {
        const size_t k = (size_t)m->slot_at[j];
        v->size[j] = fmax(s->scale[k], fmax(fabs(s->z[k]), fabs(s->guess[k])));
        for (int64_t p = m->column_start[j]; p < m->column_start[j + 1]; p++)
            v->weight[m->row[p]] = fmax(
                v->weight[m->row[p]], fabs(v->values[p]) * v->size[j]);
    }
    for (size_t i = 0; i < m->rows; i++) {
        v->weight[i] = fmax(v->weight[i], fabs(s->res[m->row_at[i]]));
        v->weight[i] = v->weight[i] > 0 ? 1 / v->weight[i] : 1;
    }
}

double descent_sum(const descent *v, const double *res)
{
    double sum = 0;
    for (size_t i = 0; i < v->m.rows; i++) {
        const double part = v->weight[i] * res[v->m.row_at[i]];
        sum += part * part;
    }
    return sum;
}

bool descent_is_held(const init_system *s, size_t slot, double slope)
{
    const double z = s->z[slot];
    return (slope > 0 && z <= s->low[slot])
        || (slope < 0 && z >= s->high[slot]);
}

/* h := J'J, g := J'r, scaled. True where g vanishes, but for what bounds
 * hold. */
static bool make_normal(descent *v)
{
    const submatrix *m = &v->m;
    const size_t n = m->columns;
    const double zero = fmax(GRADIENT_ZERO, 10 * v->s->fuzz);
    bool is_zero = true;
    memset(v->h, 0, n * n * sizeof *v->h);
    for (size_t j = 0; j < n; j++) {
        double terms = 0;
        v->g[j] = 0;
        for (int64_t p = m->column_start[j]; p < m->column_start[j + 1]; p++) {
            const size_t i = (size_t)m->row[p];
            const double w = v->weight[i];
            const double left = w * v->s->res[m->row_at[i]];
            const double slope = w * v->values[p] * v->size[j];
            v->g[j] += slope * left;
            terms += left * left;
            for (size_t c = 0; c <= j; c++)
                for (int64_t q = m->column_start[c]; q < m->column_start[c + 1];
                     q++)
                    if (m->row[q] == m->row[p])
                        v->h[c * n + j] += slope * w * v->values[q]
                            * v->size[c];
        }
        is_zero = is_zero
            && (fabs(v->g[j]) <= zero * terms
                || descent_is_held(v->s, (size_t)m->slot_at[j], v->g[j]));
    }
    return is_zero;
}

/* d := -(h + mu)^-1 g by Cholesky's factors in l (lower, by columns). */
static void solve_normal(descent *v)
{
    const size_t n = v->m.columns;
    double *l = v->l;
    memcpy(l, v->h, n * n * sizeof *l);
    for (size_t k = 0; k < n; k++) {
        l[k * n + k] = sqrt(fmax(l[k * n + k] + v->mu, DBL_MIN));
        for (size_t i = k + 1; i < n; i++) l[k * n + i] /= l[k * n + k];
        for (size_t j = k + 1; j < n; j++)
            for (size_t i = j; i < n; i++)
                l[j * n + i] -= l[k * n + i] * l[k * n + j];
    }
    for (size_t k = 0; k < n; k++) {
        v->d[k] = -v->g[k];
        for (size_t j = 0; j < k; j++) v->d[k] -= l[j * n + k] * v->d[j];
        v->d[k] /= l[k * n + k];
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++) v->d[k] -= l[k * n + j] * v->d[j];
        v->d[k] /= l[k * n + k];
    }
}

/* To so much of the step from where it began, inside the bounds; the longest
 * part of it, in sizes. */
static double move(descent *v, double part)
{
    init_system *s = v->s;
    double longest = 0;
    for (size_t j = 0; j < v->m.columns; j++) {
        const size_t k = (size_t)v->m.slot_at[j];
        const double to = v->from[j] + part * v->d[j] * v->size[j];
        s->z[k] = fmin(fmax(to, s->low[k]), s->high[k]);
        longest = fmax(longest, fabs(s->z[k] - v->from[j]) / v->size[j]);
    }
    return longest;
}

/* Where rows touch 0, as a square does, a step goes half the way. */
static dae_status go_on(descent *v)
{
    init_system *s = v->s;
    const double before = descent_sum(v, s->res);
    (void)move(v, 2);
    const dae_status st = unknowns_residual(s, s->z, v->trial);
    if (!st && descent_sum(v, v->trial) < before) {
        memcpy(s->res, v->trial, s->rows * sizeof *s->res);
        return DAE_OK;
    }
    (void)move(v, 1);
    return st == DAE_RETRY ? DAE_OK : st;
}

/* One step downhill, or a larger mu; *is_done: none is left. */
static dae_status descend(descent *v, bool *is_done)
{
    init_system *s = v->s;
    const submatrix *m = &v->m;
    const double before = descent_sum(v, s->res);
    solve_normal(v);
    for (size_t j = 0; j < m->columns; j++) v->from[j] = s->z[m->slot_at[j]];
    const double longest = move(v, 1);
    dae_status st = unknowns_residual(s, s->z, v->trial);
    if (st && st != DAE_RETRY) return st;
    if (!st && descent_sum(v, v->trial) < before) {
        memcpy(s->res, v->trial, s->rows * sizeof *s->res);
        v->mu = fmax(v->mu / 5, 1e-14);
        if (descent_sum(v, s->res) > SLOW * before && (st = go_on(v)))
            return st;
        return evaluate(v);
    }
    for (size_t j = 0; j < m->columns; j++) s->z[m->slot_at[j]] = v->from[j];
    v->mu *= 4;
    *is_done = longest <= DBL_EPSILON;
    return DAE_OK;
}

dae_status descent_run(descent *v, bool *is_minimum)
{
    bool is_done = false;
    *is_minimum = false;
    dae_status st = evaluate(v);
    if (st) return st;
    weigh(v);
    v->mu = 1e-3;
    double before = descent_sum(v, v->s->res);
    for (int k = 1; k <= ITERATIONS && !is_done; k++) {
        if ((st = unknowns_interrupt(v->s))) return st;
        *is_minimum = make_normal(v);
        if (*is_minimum) return DAE_OK;
        if ((st = descend(v, &is_done))) return st;
        if (k % IDLE != 0) continue;
        const double sum = descent_sum(v, v->s->res);
        *is_minimum = sum > 0 && before - sum <= GAIN * sum;
        if (*is_minimum) return DAE_OK;
        before = sum;
    }
    *is_minimum = make_normal(v);
    return DAE_OK;
}
