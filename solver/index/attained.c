/* One sparse system of all groups that are asked for, solved twice: with the
 * matrix as it is, and with all of its entries changed a little, which tells
 * what is 0 but for rounding. */
#include "index/attained.h"

#include "base/arena.h"
#include "index/bundle.h"
#include "index/points.h"
#include "linalg/linear.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* Of a group: what its equations are differentiated at most, and whether some
 * d is 0, both of what the user wrote. */
typedef struct height {
    int64_t most;
    bool has_zero;
    bool is_void; /* it cannot be told */
} height;

typedef struct witness {
    const blocks_request *q;
    const int32_t *group;
    arena memory;
    sampler *sampler;
    height *height;                  /* groups */
    size_t n;                        /* equations asked for */
    int32_t *equation, *unknown;     /* n, ascending: which they are */
    int32_t *row_at;                 /* of all equations: where */
    int64_t *column_start, *entry;   /* entry: of the problem's pattern */
    int32_t *row;                    /* ascending in a column */
    double *values, *scaled, *r, *c; /* entries; n */
    double *first, *second;          /* n: the two solutions */
} witness;

static bool is_internal(const witness *w, size_t j)
{
    const uint8_t *of = w->q->problem->index_group;
    return of && of[j] == 255;
}

static int32_t group_of_unknown(const witness *w, size_t j)
{
    return w->group[w->q->structure->matching.row_of[j]];
}

/* ---- which equations and unknowns ------------------------------------------------- */

/* An unknown that stands for an expression has to be found from that, at every
 * stage: else the structure with the expression put in is another one. */
static void measure(witness *w, size_t i)
{
    const dae_structure *s = w->q->structure;
    if (is_internal(w, i)) {
        if (w->group[i] >= 0 && s->c[i] != s->d[i])
            w->height[w->group[i]].is_void = true;
        return;
    }
    if (w->group[i] >= 0) {
        height *h = &w->height[w->group[i]];
        if (s->c[i] > h->most) h->most = s->c[i];
    }
    const int32_t other = group_of_unknown(w, i);
    if (other >= 0 && s->d[i] == 0) w->height[other].has_zero = true;
}

static dae_status list(witness *w, size_t groups)
{
    const size_t n = w->q->problem->unknown_count;
    arena *m = &w->memory;
    for (size_t i = 0; i < n; i++) w->n += w->group[i] >= 0;
    w->height = ARENA_ARRAY(m, height, groups);
    w->equation = ARENA_ARRAY(m, int32_t, w->n);
    w->unknown = ARENA_ARRAY(m, int32_t, w->n);
    w->row_at = ARENA_ARRAY(m, int32_t, n);
    if (!w->height || !w->equation || !w->unknown || !w->row_at)
        return DAE_MEMORY;
    size_t rows = 0, columns = 0;
    for (size_t i = 0; i < n; i++) {
        w->row_at[i] = -1;
        if (w->group[i] >= 0) {
            w->row_at[i] = (int32_t)rows;
            w->equation[rows++] = (int32_t)i;
        }
        if (group_of_unknown(w, i) >= 0) w->unknown[columns++] = (int32_t)i;
        measure(w, i);
    }
    assert(rows == w->n && columns == w->n);
    return DAE_OK;
}

/* ---- the matrix --------------------------------------------------------------------- */

/* The entries of column k: d - c is the order. Counted, or put down. */
static size_t gather(const witness *w, size_t k, int32_t *row, int64_t *entry)
{
    const dae_structure *s = w->q->structure;
    const signature *g = w->q->signature;
    const int32_t j = w->unknown[k];
    size_t count = 0;
    for (int64_t p = g->column_start[j]; p < g->column_start[j + 1]; p++) {
        const int32_t at = w->row_at[g->row[p]];
        if (at < 0 || s->d[j] - s->c[g->row[p]] != g->order[p]) continue;
        if (row) {
            row[count] = at;
            entry[count] = g->entry[p];
        }
        count++;
    }
    return count;
}

static bool is_stopped(const witness *w, size_t k)
{
    enum { SELDOM = 4096 };
    const blocks_request *q = w->q;
    return k % SELDOM == 0 && q->interrupt
        && q->interrupt(q->interrupt_context);
}

/* A column has the rows of one order after those of another, each ascending. Put
 * down by rows, then read row by row, they ascend in every column; that takes
 * time in proportion to the entries, however long a column is. */
static dae_status sort_columns(witness *w)
{
    arena *m = &w->memory;
    const size_t count = (size_t)w->column_start[w->n];
    const arena_position mark = arena_mark(m);
    int64_t *next = ARENA_ARRAY(m, int64_t, w->n + 1);
    int64_t *entry = ARENA_ARRAY(m, int64_t, count);
    int32_t *column = ARENA_ARRAY(m, int32_t, count);
    if (!next || !entry || !column) return DAE_MEMORY;
    for (size_t p = 0; p < count; p++) next[w->row[p] + 1]++;
    for (size_t i = 0; i < w->n; i++) next[i + 1] += next[i];
    for (size_t k = 0; k < w->n; k++)
        for (int64_t p = w->column_start[k]; p < w->column_start[k + 1]; p++) {
            const int64_t to = next[w->row[p]]++;
            column[to] = (int32_t)k;
            entry[to] = w->entry[p];
        }
    /* next[i] is now where row i ends */
    int64_t *fill = ARENA_ARRAY(m, int64_t, w->n);
    if (!fill) return DAE_MEMORY;
    memcpy(fill, w->column_start, w->n * sizeof *fill);
    for (size_t i = 0, p = 0; i < w->n; i++)
        for (; p < (size_t)next[i]; p++) {
            const int64_t to = fill[column[p]]++;
            w->row[to] = (int32_t)i;
            w->entry[to] = entry[p];
        }
    arena_release(m, mark);
    return DAE_OK;
}

static dae_status take_arrays(witness *w)
{
    arena *m = &w->memory;
    const size_t count = (size_t)w->column_start[w->n];
    w->row = ARENA_ARRAY(m, int32_t, count);
    w->entry = ARENA_ARRAY(m, int64_t, count);
    w->values = ARENA_ARRAY(m, double, count);
    w->scaled = ARENA_ARRAY(m, double, count);
    w->r = ARENA_ARRAY(m, double, w->n);
    w->c = ARENA_ARRAY(m, double, w->n);
    w->first = ARENA_ARRAY(m, double, w->n);
    w->second = ARENA_ARRAY(m, double, w->n);
    const bool has_all = w->row && w->entry && w->values && w->scaled && w->r
        && w->c && w->first && w->second;
    return has_all ? DAE_OK : DAE_MEMORY;
}

static dae_status assemble(witness *w)
{
    w->column_start = ARENA_ARRAY(&w->memory, int64_t, w->n + 1);
    if (!w->column_start) return DAE_MEMORY;
    for (size_t k = 0; k < w->n; k++) {
        if (is_stopped(w, k)) return DAE_INTERRUPTED;
        w->column_start[k + 1] = w->column_start[k]
            + (int64_t)gather(w, k, NULL, NULL);
    }
    const dae_status st = take_arrays(w);
    if (st) return st;
    for (size_t k = 0; k < w->n; k++) {
        if (is_stopped(w, k)) return DAE_INTERRUPTED;
        (void)gather(
            w, k, w->row + w->column_start[k], w->entry + w->column_start[k]);
    }
    return sort_columns(w);
}

/* ---- the solutions ------------------------------------------------------------------- */

/* The largest c of the group are moved, each by a number of its own. */
static void fill_side(const witness *w, double *side)
{
    for (size_t k = 0; k < w->n; k++) {
        const size_t i = (size_t)w->equation[k];
        const height *h = &w->height[w->group[i]];
        const bool is_moved = !is_internal(w, i)
            && w->q->structure->c[i] == h->most;
        side[k] = is_moved ? w->r[k] * (1.5 + points_number(11, i)) : 0;
    }
}

static dae_status solve(witness *w, linear *l, double change, double *out)
{
    const size_t count = (size_t)w->column_start[w->n];
    assert(count <= sampler_entries(w->sampler));
    const double *values = sampler_values(w->sampler);
    for (size_t p = 0; p < count; p++)
        w->values[p] = values[w->entry[p]]
            * (1 + change * points_number(12, p));
    const matrix_view a = {w->n, w->n, w->column_start, w->row, w->values};
    if (change == 0) scale_equilibrate(&a, w->r, w->c, out);
    scale_by(&a, w->r, w->c, w->scaled);
    fill_side(w, out);
    const dae_status st = linear_factor(l, w->scaled);
    return st ? st : linear_solve(l, out);
}

static dae_status solve_both(witness *w)
{
    linear *l = NULL;
    /* far more than the errors of entries, and leaves no identity between them */
    const double change = fmax(VALUES_ERROR, RANK_GAP * w->sampler->noise);
    /* in block triangular form: what no equation that is moved leads to stays 0,
     * where elimination of the whole would leave its rounding */
    dae_status st = linear_create(
        w->n, w->column_start, w->row, DAE_LINEAR_KLU, w->q->allocator, &l);
    if (!st && linear_work(l) > BUNDLE_WORK) st = DAE_LIMIT;
    if (!st) st = solve(w, l, 0, w->first);
    if (!st) st = solve(w, l, change, w->second);
    linear_free(l);
    return st;
}

/* The highest derivative of an unknown that equations depend on; the index asks
 * for it, or for the first where there is none. */
static int64_t target_of(const witness *w, size_t j)
{
    const signature *g = w->q->signature;
    int64_t most = 1;
    for (int64_t p = g->column_start[j]; p < g->column_start[j + 1]; p++)
        if (g->order[p] > most) most = g->order[p];
    return most;
}

/* Not 0 but for rounding: the change of all entries changes it little. */
static bool is_moved(const witness *w, size_t k)
{
    const double a = w->first[k], b = w->second[k];
    return a != 0 && RANK_GAP * fabs(a - b) <= fabs(a);
}

static void conclude(const witness *w, uint8_t *is_attained)
{
    for (size_t k = 0; k < w->n; k++) {
        const size_t j = (size_t)w->unknown[k];
        const int32_t group = group_of_unknown(w, j);
        const height *h = &w->height[group];
        const int64_t stage = h->has_zero;
        if (h->is_void || is_internal(w, j)) continue;
        if (w->q->structure->d[j] + stage == target_of(w, j) && is_moved(w, k))
            is_attained[group] = 1;
    }
}

static dae_status find(witness *w, double t, const double *x, const double *xp,
    size_t groups, uint8_t *is_attained)
{
    const blocks_request *q = w->q;
    dae_status st = list(w, groups);
    if (st || w->n == 0) return st;
    st = sampler_create(q->problem, q->layout, q->allocator, &w->sampler);
    if (!st) st = sampler_evaluate_at(w->sampler, t, x, xp);
    if (!st) st = assemble(w);
    if (!st) st = solve_both(w);
    if (!st) conclude(w, is_attained);
    /* no values, singular, too large: nothing is shown */
    return st == DAE_RETRY || st == DAE_NUMERIC || st == DAE_LIMIT ? DAE_OK
                                                                   : st;
}

dae_status attained_find(const blocks_request *q, double t, const double *x,
    const double *xp, const int32_t *group, size_t groups, uint8_t *is_attained)
{
    witness w = {.q = q, .group = group};
    arena_init(&w.memory, alloc_or_default(q->allocator), 0);
    memset(is_attained, 0, groups);
    const dae_status st = find(&w, t, x, xp, groups, is_attained);
    sampler_free(w.sampler);
    arena_clear(&w.memory);
    return st;
}
