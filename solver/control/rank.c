/* The leading matrix, looked at when Newton's method evaluates a Jacobian, and
 * again at the accepted point before anything is said. */
#include "control/rank.h"
#include "dense/scale.h"
#include <math.h>
#include <string.h>

enum { LARGEST = 60 };
/* Points with the other sign after which it is no accident of tolerances. */
enum { CONFIRMED = 2 };
/* A pivot below this share of the first one is on its way to nothing. */
static const double LOW = 0.02;
/* With the other sign it has to be above this share of the first one: less may
 * be an error that tolerances allow. */
static const double SURE = 0.25;
/* The smallest pivot at the start has to be above this. */
static const double CLEAR = 1e-5;

void rank_clear(rank_watch *w)
{
    if (!w->allocator) return;
    alloc_free(w->allocator, w->matrix, w->n * w->n, sizeof *w->matrix);
    alloc_free(w->allocator, w->row_size, w->n, sizeof *w->row_size);
    alloc_free(w->allocator, w->column_size, w->n, sizeof *w->column_size);
    alloc_free(w->allocator, w->values, w->entries, sizeof *w->values);
    *w = (rank_watch){.n = 0};
}

static size_t highest_slot(const layout *l, size_t j)
{
    return l->order[j] > 0 ? l->states + j : l->first[j];
}

static bool varies(const engine *e)
{
    const dae_pattern *p = iteration_pattern(e->matrix);
    for (size_t j = 0; j < e->layout.unknowns; j++) {
        const size_t c = highest_slot(&e->layout, j);
        for (int64_t k = p->column_start[c]; k < p->column_start[c + 1]; k++)
            if (!p->kind || p->kind[k] == DAE_ENTRY_VARYING) return true;
    }
    return false;
}

dae_status rank_begin(rank_watch *w, const engine *e)
{
    const size_t n = e->layout.unknowns;
    rank_clear(w);
    if (n > LARGEST || !e->problem->is_smooth || !e->problem->jacobian
        || !e->problem->pattern || !varies(e))
        return DAE_OK;
    const dae_pattern *p = iteration_pattern(e->matrix);
    w->allocator = e->allocator;
    w->n = n;
    w->entries = (size_t)p->column_start[e->layout.states + n];
    w->matrix = alloc_zeroed(w->allocator, n * n, sizeof *w->matrix);
    w->row_size = alloc_zeroed(w->allocator, n, sizeof *w->row_size);
    w->column_size = alloc_zeroed(w->allocator, n, sizeof *w->column_size);
    w->values = alloc_zeroed(w->allocator, w->entries, sizeof *w->values);
    if (w->matrix && w->row_size && w->column_size && w->values) return DAE_OK;
    rank_clear(w);
    return DAE_MEMORY;
}

static void load(rank_watch *w, const engine *e, const double *values)
{
    const dae_pattern *p = iteration_pattern(e->matrix);
    const size_t n = w->n;
    memset(w->matrix, 0, n * n * sizeof *w->matrix);
    for (size_t j = 0; j < n; j++) {
        const size_t c = highest_slot(&e->layout, j);
        for (int64_t k = p->column_start[c]; k < p->column_start[c + 1]; k++)
            w->matrix[j * n + (size_t)p->row[k]] = values[k];
    }
    if (w->sign == 0) {
        equilibrate(w->matrix, n, n, w->row_size, w->column_size);
        return;
    }
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            w->matrix[j * n + i] /= w->row_size[i] * w->column_size[j];
}

static void exchange_rows(double *matrix, size_t n, size_t a, size_t b)
{
    for (size_t j = 0; j < n; j++) {
        const double other = matrix[j * n + a];
        matrix[j * n + a] = matrix[j * n + b];
        matrix[j * n + b] = other;
    }
}

static size_t pivot_row(const double *matrix, size_t n, size_t k)
{
    size_t best = k;
    for (size_t i = k + 1; i < n; i++)
        if (fabs(matrix[k * n + i]) > fabs(matrix[k * n + best])) best = i;
    return best;
}

/* The sign of the determinant by elimination with partial pivoting; 0: it is
 * singular, or not finite. */
static int find_sign(rank_watch *w, size_t *row_at)
{
    const size_t n = w->n;
    double *m = w->matrix;
    int sign = 1;
    w->last = HUGE_VAL;
    for (size_t i = 0; i < n; i++) row_at[i] = i;
    for (size_t k = 0; k < n; k++) {
        const size_t p = pivot_row(m, n, k);
        if (p != k) {
            const size_t other = row_at[k];
            row_at[k] = row_at[p];
            row_at[p] = other;
            exchange_rows(m, n, k, p);
            sign = -sign;
        }
        const double pivot = m[k * n + k];
        if (!(fabs(pivot) > 0) || !isfinite(pivot)) return 0;
        if (fabs(pivot) < w->last) {
            w->last = fabs(pivot);
            w->row = row_at[k];
            w->column = k;
        }
        if (pivot < 0) sign = -sign;
        for (size_t j = k + 1; j < n; j++) {
            const double factor = m[j * n + k] / pivot;
            for (size_t i = k + 1; i < n; i++)
                m[j * n + i] -= factor * m[k * n + i];
        }
    }
    return sign;
}

/* The Jacobian is that of a prediction, which may be far away: again at the
 * accepted point. */
static int sign_here(
    rank_watch *w, const engine *e, int64_t *jacobians, size_t *row_at)
{
    const dae_problem *p = e->problem;
    const point *at = &e->stepper.point;
    ++*jacobians;
    if (p->jacobian(p->self, DAE_ALL, at->t, at->x, at->xp, w->values))
        return 0;
    load(w, e, w->values);
    return find_sign(w, row_at);
}

bool rank_is_lost(rank_watch *w, const engine *e, int64_t *jacobians)
{
    size_t row_at[LARGEST];
    if (w->n == 0 || (w->seen == *jacobians && !w->turned)) return false;
    load(w, e, iteration_values(e->matrix));
    int sign = find_sign(w, row_at);
    if (w->sign == 0) {
        w->sign = sign;
        w->first = w->last;
        /* it was never clear: nothing can be lost */
        if (sign == 0 || w->first < CLEAR) rank_clear(w);
        else w->seen = *jacobians;
        return false;
    }
    if (sign != w->sign || w->turned) sign = sign_here(w, e, jacobians, row_at);
    w->seen = *jacobians;
    w->turned = sign != 0 && sign != w->sign ? w->turned + 1 : 0;
    if (w->turned == 1) w->turned_at = e->stepper.history.t;
    return w->turned >= CONFIRMED && w->last > SURE * w->first;
}

bool rank_is_low(const rank_watch *w)
{
    return w->n > 0 && w->sign != 0 && w->last < LOW * w->first;
}
