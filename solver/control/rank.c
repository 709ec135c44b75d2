/* The leading matrix, looked at when Newton's method evaluates a Jacobian, and
 * again at the accepted point before anything is said. */
#include "control/rank.h"
#include "dense/jordan.h"
#include "dense/scale.h"
#include <math.h>
#include <string.h>

enum { LARGEST = 60 };
/* Where each step costs little, and picks are watched besides: */
enum { LARGEST_SPARING = 20, PAUSE_MOST = 50, PAUSE_GROWTH = 4 };
/* Of the stretch in which it has changed. */
enum { BISECTIONS = 40 };
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
    const dae_allocator *a = w->allocator;
    if (!a) return;
    alloc_free(a, w->column, w->n, sizeof *w->column);
    alloc_free(a, w->row, w->n, sizeof *w->row);
    alloc_free(a, w->row_at, w->row_count, sizeof *w->row_at);
    alloc_free(a, w->matrix, w->n * w->n, sizeof *w->matrix);
    alloc_free(a, w->row_size, w->n, sizeof *w->row_size);
    alloc_free(a, w->column_size, w->n, sizeof *w->column_size);
    alloc_free(a, w->values, w->entries, sizeof *w->values);
    alloc_free(a, w->before, w->entries, sizeof *w->before);
    alloc_free(a, w->between, w->entries, sizeof *w->between);
    alloc_free(a, w->is_done, w->n, sizeof *w->is_done);
    alloc_free(a, w->order, w->n, sizeof *w->order);
    *w = (rank_watch){.n = 0};
}

/* For n of the pattern's columns and rows, which the caller fills in. */
static dae_status take(rank_watch *w, const dae_pattern *p, size_t columns,
    size_t rows, size_t n, const dae_allocator *a)
{
    w->allocator = a;
    w->n = n;
    w->row_count = rows;
    w->entries = (size_t)p->column_start[columns];
    w->column = alloc_zeroed(a, n, sizeof *w->column);
    w->row = alloc_zeroed(a, n, sizeof *w->row);
    w->row_at = alloc_zeroed(a, rows, sizeof *w->row_at);
    w->matrix = alloc_zeroed(a, n * n, sizeof *w->matrix);
    w->row_size = alloc_zeroed(a, n, sizeof *w->row_size);
    w->column_size = alloc_zeroed(a, n, sizeof *w->column_size);
    w->values = alloc_zeroed(a, w->entries, sizeof *w->values);
    w->before = alloc_zeroed(a, w->entries, sizeof *w->before);
    w->between = alloc_zeroed(a, w->entries, sizeof *w->between);
    w->is_done = alloc_zeroed(a, n, sizeof *w->is_done);
    w->order = alloc_zeroed(a, n, sizeof *w->order);
    if (w->column && w->row && w->row_at && w->matrix && w->row_size
        && w->column_size && w->values && w->before && w->between && w->is_done
        && w->order)
        return DAE_OK;
    rank_clear(w);
    return DAE_MEMORY;
}

static bool varies(const rank_watch *w, const dae_pattern *p)
{
    for (size_t j = 0; j < w->n; j++) {
        int64_t k = p->column_start[w->column[j]];
        for (; k < p->column_start[w->column[j] + 1]; k++)
            if (w->row_at[p->row[k]] >= 0
                && (!p->kind || p->kind[k] == DAE_ENTRY_VARYING))
                return true;
    }
    return false;
}

/* The list of rows the other way round; what does not vary is not watched. */
static dae_status settle(rank_watch *w, const dae_problem *problem)
{
    memset(w->row_at, 0xff, w->row_count * sizeof *w->row_at);
    for (size_t i = 0; i < w->n; i++) w->row_at[w->row[i]] = (int32_t)i;
    w->problem = problem;
    if (!varies(w, problem->pattern)) rank_clear(w);
    return DAE_OK;
}

dae_status rank_begin(rank_watch *w, const dae_problem *problem,
    const layout *l, const dae_allocator *allocator)
{
    const size_t n = l->unknowns;
    rank_clear(w);
    if (n > LARGEST || !problem->is_smooth || !problem->jacobian
        || !problem->pattern)
        return DAE_OK;
    const dae_status st = take(
        w, problem->pattern, l->states + n, n, n, allocator);
    if (st) return st;
    for (size_t j = 0; j < n; j++) {
        const size_t c = l->order[j] > 0 ? l->states + j : l->first[j];
        w->column[j] = (int32_t)c;
        w->row[j] = (int32_t)j;
    }
    return settle(w, problem);
}

dae_status rank_begin_extended(rank_watch *w, const extended *e,
    const dae_structure *s, bool is_smooth, bool is_sparing,
    const dae_allocator *allocator)
{
    rank_clear(w);
    if (!is_smooth || s->n > (is_sparing ? LARGEST_SPARING : LARGEST))
        return DAE_OK;
    const dae_status st = take(
        w, e->problem.pattern, e->columns, e->rows, s->n, allocator);
    if (st) return st;
    for (size_t k = 0; k < s->n; k++) {
        w->column[k] = (int32_t)(e->column_first[k] + (size_t)s->d[k]);
        w->row[k] = (int32_t)(e->row_first[k] + (size_t)s->c[k]);
    }
    w->is_sparing = is_sparing;
    return settle(w, &e->problem);
}

/* The leading matrix as it is, by columns, or by rows in the units of the
 * first one. */
static void load(rank_watch *w, const double *values, bool by_columns)
{
    const dae_pattern *p = w->problem->pattern;
    const size_t n = w->n;
    memset(w->matrix, 0, n * n * sizeof *w->matrix);
    for (size_t j = 0; j < n; j++) {
        int64_t k = p->column_start[w->column[j]];
        for (; k < p->column_start[w->column[j] + 1]; k++) {
            if (w->row_at[p->row[k]] < 0) continue;
            const size_t i = (size_t)w->row_at[p->row[k]];
            if (by_columns) w->matrix[j * n + i] = values[k];
            else
                w->matrix[i * n + j] = values[k]
                    / (w->row_size[i] * w->column_size[j]);
        }
    }
}

/* The sign of a permutation, which is spent. */
static int parity(int32_t *order, size_t n)
{
    int sign = 1;
    for (size_t k = 0; k < n; k++)
        while (order[k] != (int32_t)k) {
            const int32_t other = order[k];
            order[k] = order[other];
            order[other] = other;
            sign = -sign;
        }
    return sign;
}

/* The sign of the determinant by elimination with row pivots; 0: it is
 * singular, or not finite. */
static int find_sign(rank_watch *w, const double *values)
{
    const size_t n = w->n;
    double *m = w->matrix;
    int sign = 1;
    load(w, values, false);
    memset(w->is_done, 0, n);
    w->last = HUGE_VAL;
    for (size_t k = 0; k < n; k++) {
        const size_t r = jordan_row(m, n, n, k, w->is_done);
        if (r == n || !isfinite(m[r * n + k])) return 0;
        const double pivot = m[r * n + k];
        if (fabs(pivot) < w->last) {
            w->last = fabs(pivot);
            w->smallest.row = r;
            w->smallest.column = k;
        }
        if (pivot < 0) sign = -sign;
        w->is_done[r] = 1;
        w->order[k] = (int32_t)r;
        jordan_eliminate(m, n, n, r, k, w->is_done);
    }
    return sign * parity(w->order, n);
}

/* The first matrix makes the units. */
static void begin(rank_watch *w, const double *values)
{
    load(w, values, true);
    equilibrate(w->matrix, w->n, w->n, w->row_size, w->column_size);
    w->sign = find_sign(w, values);
    w->first = w->last;
}

/* The Jacobian is that of a prediction, which may be far away: again at the
 * accepted point. */
static int sign_here(rank_watch *w, const rank_point *at, int64_t *jacobians)
{
    const dae_problem *p = w->problem;
    ++*jacobians;
    if (p->jacobian(p->self, DAE_ALL, at->t, at->x, at->xp, w->values))
        return 0;
    return find_sign(w, w->values);
}

/* Where it is singular between the last point with the first sign and this one,
 * as if the matrices in between lay on a straight line. */
static void locate(rank_watch *w, double t)
{
    const rank_place here = w->smallest;
    const double last = w->last;
    double low = 0, high = 1;
    for (int k = 0; k < BISECTIONS; k++) {
        const double middle = 0.5 * (low + high);
        for (size_t p = 0; p < w->entries; p++)
            w->between[p] = w->before[p]
                + middle * (w->values[p] - w->before[p]);
        const int sign = find_sign(w, w->between);
        if (sign == w->sign) low = middle;
        else high = middle;
    }
    w->passed = w->smallest;
    w->passed.t = w->t_before + high * (t - w->t_before);
    w->smallest = here;
    w->last = last;
}

/* Half of what is left up to 0 as the smallest pivot has changed of late, and no
 * more than some times as long as it took. */
static void plan_pause(rank_watch *w)
{
    const double speed = fabs(w->last - w->last_before) / (double)w->since;
    const double left = 0.5 * w->last;
    const double most = fmin(PAUSE_MOST, PAUSE_GROWTH * (double)w->since);
    w->pause = left < most * speed ? (int64_t)(left / speed) : (int64_t)most;
}

static void keep(rank_watch *w, const rank_point *at)
{
    if (w->is_sparing) plan_pause(w);
    w->last_before = w->last;
    w->since = 0;
    memcpy(w->before, at->values, w->entries * sizeof *w->before);
    w->t_before = at->t;
}

bool rank_is_lost(
    rank_watch *w, const rank_point *at, bool is_end, int64_t *jacobians)
{
    if (w->n == 0) return false;
    const bool is_new = w->seen != *jacobians;
    w->seen = *jacobians;
    w->since++;
    const bool is_last = is_end && w->is_sparing && w->sign != 0;
    if (!(is_new && w->since > w->pause) && !w->turned && !is_last)
        return false;
    w->smallest.t = at->t;
    if (w->sign == 0) {
        begin(w, at->values);
        /* it was never clear: nothing can be lost */
        if (w->sign == 0 || w->first < CLEAR) rank_clear(w);
        else keep(w, at);
        return false;
    }
    int sign = w->turned || is_last ? -w->sign : find_sign(w, at->values);
    if (sign == w->sign) {
        keep(w, at);
        return false;
    }
    sign = sign_here(w, at, jacobians);
    w->seen = *jacobians;
    w->since = 0;
    w->turned = sign == -w->sign ? w->turned + 1 : 0;
    const bool is_sure = w->last > SURE * w->first;
    if (w->turned == 1) locate(w, at->t);
    return is_sure && (w->turned >= CONFIRMED || (w->turned && is_last));
}

bool rank_is_low(const rank_watch *w)
{
    return w->n > 0 && w->sign != 0 && w->last < LOW * w->first;
}
