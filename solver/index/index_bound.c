/* One sparse system of all groups, solved twice: with the matrix as it is, and
 * with values and entries changed by their errors, to find the elements that are 0
 * within these errors. */
#include "index/block_regularity.h"

#include "index/generic_points.h"
#include "index/system_jacobian.h"
#include "linalg/linear.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* Of a group: the most differentiations of an equation, and whether some d is 0, both
 * without internal equations and unknowns. */
typedef struct height {
    int64_t most;
    bool has_zero;
    bool is_void; /* the test does not apply */
} height;

typedef struct witness {
    const blocks_request *q;
    const int32_t *group;
    bundle b; /* the whole */
    sampler *sampler;
    height *height;         /* groups */
    double *first, *second; /* n: the two solutions */
} witness;

static bool is_internal(const witness *w, size_t j)
{
    return dae_group_is_expression(w->q->problem, j);
}

static int32_t group_of_unknown(const witness *w, size_t j)
{
    return w->group[w->q->structure->matching.row_of[j]];
}

/* An unknown that stands for an expression must be determined by it at every stage:
 * else the structure with the expression substituted is different. */
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

/* ---- the matrix --------------------------------------------------------------------- */

static matrix_view view_of(const bundle *b)
{
    const size_t n = b->largest;
    return (matrix_view){n, n, b->column_start, b->row, b->values};
}

/* At the sampler's point; the unit matrix for equations and unknowns that are not
 * requested, which are not coupled with the others. */
static void load(witness *w)
{
    bundle *b = &w->b;
    const dae_structure *s = w->q->structure;
    int64_t from = 0, to = 0;
    assert(b->largest == s->n);
    (void)bundle_load(b, 0, sampler_values(w->sampler));
    for (size_t k = 0; k < s->n; k++) {
        const int64_t end = b->column_start[k + 1];
        const bool is_asked = w->group[s->row_at[k]] >= 0;
        for (; from < end; from++) {
            if (!is_asked && b->row[from] != (int32_t)k) continue;
            b->row[to] = b->row[from];
            b->values[to++] = is_asked ? b->values[from] : 1;
        }
        b->column_start[k + 1] = to;
    }
}

/* ---- the solutions ------------------------------------------------------------------- */

/* Right side: a different number for each equation with the largest c of its group. */
static void fill_side(const witness *w, double *side)
{
    for (size_t k = 0; k < w->q->structure->n; k++) {
        const size_t i = (size_t)w->q->structure->row_at[k];
        const bool is_moved = w->group[i] >= 0 && !is_internal(w, i)
            && w->q->structure->c[i] == w->height[w->group[i]].most;
        assert(!is_moved || w->b.r[k] > 0);
        side[k] = is_moved ? w->b.r[k] * (2 + points_number(11, i)) : 0;
    }
}

static dae_status solve(witness *w, linear *l, double *out)
{
    const matrix_view a = view_of(&w->b);
    scale_by(&a, w->b.r, w->b.c, w->b.scaled);
    fill_side(w, out);
    const dae_status st = linear_factor(l, w->b.scaled);
    return st ? st : linear_solve(l, out);
}

static dae_status solve_both(
    witness *w, double t, const double *x, const double *xp)
{
    linear *l = NULL;
    bundle *b = &w->b;
    const matrix_view a = view_of(b);
    /* far more than the errors of entries, and leaves no identity between them */
    const double change = fmax(VALUES_ERROR, TWO_DIGITS * w->sampler->noise);
    /* in block triangular form: unknowns that depend on no nonzero element of the right
     * side are exactly 0, not the rounding of an elimination of the whole */
    dae_status st = linear_create(
        a.rows, a.start, a.row, DAE_LINEAR_KLU, w->q->allocator, &l);
    if (!st && linear_work(l) > 50 * WORK_OF_SECOND) st = DAE_LIMIT;
    scale_equilibrate(&a, b->r, b->c, b->work);
    if (!st) st = solve(w, l, w->first);
    if (!st)
        st = sampler_evaluate_beside(w->sampler, t, x, xp, VALUES_ERROR, 0);
    /* at the boundary of a domain only one side has values */
    if (st == DAE_RETRY)
        st = sampler_evaluate_beside(w->sampler, t, x, xp, -VALUES_ERROR, 0);
    if (!st) load(w);
    for (int64_t p = 0; p < a.start[a.columns]; p++)
        b->values[p] *= 1 + change * points_number(12, (uint64_t)p);
    if (!st) st = solve(w, l, w->second);
    linear_free(l);
    return st;
}

/* The derivative of an unknown that the index requires: the highest one in the
 * equations, but at least the first. */
static int64_t target_of(const witness *w, size_t j)
{
    const signature *g = w->q->signature;
    int64_t most = 1;
    for (int64_t p = g->column_start[j]; p < g->column_start[j + 1]; p++)
        if (g->order[p] > most) most = g->order[p];
    return most;
}

/* Not 0 within errors: changed little by the change of values and entries. */
static bool is_moved(const witness *w, size_t k)
{
    assert(k < w->q->structure->n);
    const double a = w->first[k], b = w->second[k];
    return a != 0 && TWO_DIGITS * fabs(a - b) <= fabs(a);
}

static void conclude(const witness *w, uint8_t *is_attained)
{
    const dae_structure *s = w->q->structure;
    for (size_t k = 0; k < s->n; k++) {
        const size_t j = (size_t)s->column_at[k];
        const int32_t group = group_of_unknown(w, j);
        if (group < 0 || w->height[group].is_void || is_internal(w, j))
            continue;
        const int64_t stage = w->height[group].has_zero;
        if (s->d[j] + stage == target_of(w, j) && is_moved(w, k))
            is_attained[group] = 1;
    }
}

static dae_status find(witness *w, double t, const double *x, const double *xp,
    size_t groups, uint8_t *is_attained)
{
    const blocks_request *q = w->q;
    const size_t n = q->structure->n;
    arena *m = &w->b.memory;
    dae_status st = bundle_init(&w->b, q, true);
    if (st) return st;
    w->height = ARENA_ARRAY(m, height, groups);
    w->first = ARENA_ARRAY(m, double, n);
    w->second = ARENA_ARRAY(m, double, n);
    if (!w->height || !w->first || !w->second) return DAE_MEMORY;
    for (size_t i = 0; i < n; i++) measure(w, i);
    st = sampler_create(q->problem, q->layout, q->allocator, &w->sampler);
    if (!st) st = sampler_evaluate_at(w->sampler, t, x, xp);
    if (!st) load(w);
    if (!st) st = solve_both(w, t, x, xp);
    if (!st) conclude(w, is_attained);
    /* no values, singular, too large: nothing is shown */
    return st == DAE_RETRY || st == DAE_NUMERIC || st == DAE_LIMIT ? DAE_OK
                                                                   : st;
}

dae_status attained_find(const blocks_request *q, double t, const double *x,
    const double *xp, const int32_t *group, size_t groups, uint8_t *is_attained)
{
    witness w = {.q = q, .group = group};
    dae_status st = DAE_OK;
    size_t asked = 0;
    memset(is_attained, 0, groups);
    for (size_t i = 0; i < q->structure->n; i++) {
        assert(group[i] < 0 || (size_t)group[i] < groups);
        asked += group[i] >= 0;
    }
    if (asked > 0) st = find(&w, t, x, xp, groups, is_attained);
    sampler_free(w.sampler);
    bundle_clear(&w.b);
    return st;
}
