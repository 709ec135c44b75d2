/* By KLU, which keeps its pivots from look to look as long as they serve. */
#include "run/wide.h"
#include "base/splitmix.h"
#include "linalg/scale.h"
#include <math.h>
#include <string.h>

static bool belongs(const wide_request *q, int64_t entry)
{
    const int32_t at = q->row_at[q->pattern->row[entry]];
    return at >= (int32_t)q->first && at < (int32_t)(q->first + q->n);
}

static size_t count_entries(const wide_request *q)
{
    const int64_t *start = q->pattern->column_start;
    size_t count = 0;
    for (size_t j = 0; j < q->n; j++)
        for (int64_t k = start[q->column[j]]; k < start[q->column[j] + 1]; k++)
            count += belongs(q, k);
    return count;
}

/* The rows of one column, ascending, from `begin` on; where it ends. */
static int64_t fill_column(
    wide *w, const wide_request *q, size_t j, int64_t begin)
{
    const int64_t *start = q->pattern->column_start;
    int64_t end = begin;
    for (int64_t k = start[q->column[j]]; k < start[q->column[j] + 1]; k++) {
        if (!belongs(q, k)) continue;
        const int32_t i = q->row_at[q->pattern->row[k]] - (int32_t)q->first;
        int64_t at = end++;
        for (; at > begin && w->row[at - 1] > i; at--) {
            w->row[at] = w->row[at - 1];
            w->from[at] = w->from[at - 1];
        }
        w->row[at] = i;
        w->from[at] = k;
    }
    return end;
}

dae_status wide_init(wide *w, const wide_request *q, arena *a)
{
    const size_t count = count_entries(q);
    *w = (wide){.n = q->n};
    w->start = ARENA_ARRAY(a, int64_t, q->n + 1);
    w->row = ARENA_ARRAY(a, int32_t, count + 1);
    w->from = ARENA_ARRAY(a, int64_t, count + 1);
    w->values = ARENA_ARRAY(a, double, count + 1);
    w->b = ARENA_ARRAY(a, double, q->n);
    if (!w->start || !w->row || !w->from || !w->values || !w->b)
        return DAE_MEMORY;
    w->start[0] = 0;
    for (size_t j = 0; j < q->n; j++)
        w->start[j + 1] = fill_column(w, q, j, w->start[j]);
    return linear_create(
        q->n, w->start, w->row, DAE_LINEAR_KLU, q->allocator, &w->linear);
}

void wide_clear(wide *w)
{
    linear_free(w->linear);
    *w = (wide){.n = 0};
}

static matrix_view load(const wide *w, const double *values)
{
    for (int64_t k = 0; k < w->start[w->n]; k++)
        w->values[k] = values[w->from[k]];
    return (matrix_view){w->n, w->n, w->start, w->row, w->values};
}

void wide_scale(
    const wide *w, const double *values, double *row, double *column)
{
    const matrix_view m = load(w, values);
    scale_rows(&m, NULL, row);
    scale_columns(&m, row, column);
}

int wide_look(wide *w, const double *values, const double *row_factor,
    const double *column_factor, double *distance, size_t *column)
{
    int64_t row = -1, lost = -1;
    double most = 0;
    *distance = 0;
    *column = 0;
    const matrix_view m = load(w, values);
    scale_by(&m, row_factor, column_factor, w->values);
    for (size_t j = 0; j < w->n; j++) w->b[j] = splitmix(j) & 1 ? 1 : -1;
    if (linear_factor(w->linear, w->values) || linear_solve(w->linear, w->b)) {
        linear_singular_at(w->linear, &row, &lost);
        if (lost >= 0) *column = (size_t)lost;
        return 0;
    }
    for (size_t j = 0; j < w->n; j++)
        if (!(fabs(w->b[j]) <= most)) most = fabs(w->b[j]), *column = j;
    if (!(most > 0) || !isfinite(most)) return 0;
    *distance = 1 / most;
    return linear_sign(w->linear);
}
