/* Components by union and find over the signature and over the pairs of the repaired
 * structure; then each component as a problem of its own. */
#include "analysis/components.h"
#include "graph/sets.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- the partition -------------------------------------------------------------- */

/* The smaller number stays the root. */
static void join(int32_t *parent, int32_t a, int32_t b)
{
    a = set_root(parent, a);
    b = set_root(parent, b);
    if (a < b) parent[b] = a;
    else parent[a] = b;
}

/* Joins the equations that an unknown occurs in: equation i is i, unknown j is
 * the equation that determines it. */
static void join_all(const analysis *a, int32_t *parent)
{
    const signature *s = a->signature;
    const int32_t *of = a->structure->matching.row_of;
    for (size_t j = 0; j < a->problem->unknown_count; j++)
        for (int64_t p = s->column_start[j]; p < s->column_start[j + 1]; p++)
            join(parent, of[j], s->row[p]);
}

/* Numbers the components by their first equations; how many there are. */
static size_t number(int32_t *parent, size_t n, int32_t *of)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        const int32_t root = set_root(parent, (int32_t)i);
        of[i] = root == (int32_t)i ? (int32_t)count++ : of[root];
    }
    return count;
}

static dae_status list_members(analysis *a, size_t count)
{
    const size_t n = a->problem->unknown_count;
    const int32_t *row_of = a->structure->matching.row_of;
    int32_t *equations = ARENA_ARRAY(&a->memory, int32_t, n);
    int32_t *unknowns = ARENA_ARRAY(&a->memory, int32_t, n);
    size_t *next = ARENA_ARRAY(&a->memory, size_t, 2 * (count + 1));
    a->components = ARENA_ARRAY(&a->memory, component, count);
    if (!equations || !unknowns || !next || !a->components) return DAE_MEMORY;
    a->component_count = count;
    for (size_t i = 0; i < n; i++) next[a->component_of[i] + 1]++;
    for (size_t k = 0; k < count; k++) {
        component *c = &a->components[k];
        c->count = next[k + 1];
        next[k + 1] += next[k];
        c->equations = equations + next[k];
        c->unknowns = unknowns + next[k];
    }
    assert(next[count] == n);
    size_t *next_unknown = next + count + 1;
    memcpy(next_unknown, next, (count + 1) * sizeof *next);
    for (size_t i = 0; i < n; i++)
        equations[next[a->component_of[i]]++] = (int32_t)i;
    for (size_t j = 0; j < n; j++)
        unknowns[next_unknown[a->component_of[row_of[j]]]++] = (int32_t)j;
    return DAE_OK;
}

/* One component: evaluating a part of a problem takes its pattern. */
static bool is_whole(const analysis *a)
{
    const dae_problem *p = a->problem;
    return !p->pattern || !p->pattern->column_start || !p->jacobian;
}

static dae_status divide(analysis *a, bool keep_whole)
{
    const size_t n = a->problem->unknown_count;
    const arena_position mark = arena_mark(&a->memory);
    int32_t *parent = ARENA_ARRAY(&a->memory, int32_t, n);
    if (!parent) return DAE_MEMORY;
    for (size_t i = 0; i < n; i++) parent[i] = keep_whole ? 0 : (int32_t)i;
    if (!keep_whole) join_all(a, parent);
    const size_t count = number(parent, n, a->component_of);
    arena_release(&a->memory, mark);
    return list_members(a, count);
}

void components_clear(analysis *a)
{
    for (size_t k = 0; k < a->component_count; k++)
        array_findings_clear(&a->components[k].array, a->allocator);
}

/* ---- their structural results ------------------------------------------------------ */

/* max c, plus 1 if some d is 0, over the user's equations and unknowns. */
static int64_t structural_bound(const analysis *a, const component *k)
{
    const dae_structure *s = a->structure;
    int64_t most = 0;
    bool is_algebraic = false;
    for (size_t q = 0; q < k->count; q++) {
        const size_t i = (size_t)k->equations[q], j = (size_t)k->unknowns[q];
        if (is_counted(a->problem, i) && s->c[i] > most) most = s->c[i];
        if (is_counted(a->problem, j) && s->d[j] == 0) is_algebraic = true;
    }
    return most + is_algebraic;
}

/* The index bound of a repaired structure for the user's model: repairs combine
 * equations with derivatives of others, which are so differentiated more than c times,
 * and remove the highest derivatives of unknowns, which further differentiations must
 * restore. */
static int64_t repaired_bound(const analysis *a, const component *k)
{
    const dae_structure *s = a->repair.structure;
    int64_t most = 0, back = 0;
    for (size_t q = 0; q < k->count; q++) {
        const size_t i = (size_t)k->equations[q], j = (size_t)k->unknowns[q];
        const int64_t order = a->layout.order[j], target = order ? order : 1;
        if (is_counted(a->problem, i) && a->repair.differentiate[i] > most)
            most = a->repair.differentiate[i];
        if (is_counted(a->problem, j) && target - s->d[j] > back)
            back = target - s->d[j];
    }
    return most + back;
}

/* Sums over all pairs of the structure. */
static void add_up(analysis *a, const dae_structure *s)
{
    assert(s->n == a->problem->unknown_count);
    for (size_t k = 0; k < s->n; k++) {
        const int32_t row = a->structure->matching.row_of[k];
        a->components[a->component_of[k]].freedom -= s->c[k];
        a->components[a->component_of[row]].freedom += s->d[k];
    }
}

void components_take_blocks(analysis *a)
{
    const dae_structure *s = best_structure(a);
    const dae_certificate *of = a->repair.structure ? a->repair.certificates
                                                    : a->certificates;
    components_clear(a);
    for (size_t k = 0; k < a->component_count; k++)
        a->components[k].blocks = DAE_CERTIFIED;
    for (size_t f = 0; f < s->fine_count; f++) {
        const size_t row = (size_t)s->row_at[s->fine[f].begin];
        component *c = &a->components[a->component_of[row]];
        if (of[f] > c->blocks) c->blocks = of[f];
    }
}

dae_status components_find(analysis *a)
{
    const dae_structure *s = best_structure(a);
    const size_t n = a->problem->unknown_count;
    a->component_of = ARENA_ARRAY(&a->memory, int32_t, n);
    if (!a->component_of) return DAE_MEMORY;
    const dae_status st = divide(a, is_whole(a));
    if (st) return st;
    add_up(a, s);
    components_take_blocks(a);
    for (size_t k = 0; k < a->component_count; k++) {
        component *c = &a->components[k];
        c->index = a->repair.structure ? repaired_bound(a, c)
                                       : structural_bound(a, c);
        c->is_trusted = a->repair.structure ? c->blocks == DAE_CERTIFIED
                                            : c->blocks != DAE_SINGULAR;
    }
    return DAE_OK;
}

/* ---- as problems of their own: shared ------------------------------------------------- */

/* Arguments are written into vectors of the whole, and results are taken from its rows
 * and entries; the other arguments are kept, and other rows need no values. */

static size_t entries_of(const subproblems *all)
{
    const size_t columns = all->layout->states + all->layout->unknowns;
    return (size_t)all->whole->pattern->column_start[columns];
}

dae_status subproblems_init(subproblems *all, const dae_problem *whole,
    const layout *l, const double *x, const double *xp, double work_most,
    const dae_allocator *allocator)
{
    *all = (subproblems){
        .whole = whole, .layout = l, .x = x, .xp = xp, .work_most = work_most};
    arena *m = &all->memory;
    const size_t n = l->unknowns;
    arena_init(m, allocator, 0);
    arena_init(&all->series, allocator, 0);
    all->all_x = ARENA_ARRAY(m, double, l->states);
    all->all_xp = ARENA_ARRAY(m, double, n);
    all->res = ARENA_ARRAY(m, double, n);
    all->values = ARENA_ARRAY(m, double, entries_of(all));
    all->row_at = ARENA_ARRAY(m, int32_t, n);
    if (!all->all_x || !all->all_xp || !all->res || !all->values
        || !all->row_at)
        return DAE_MEMORY;
    memcpy(all->all_x, x, l->states * sizeof *x);
    memcpy(all->all_xp, xp, n * sizeof *xp);
    return DAE_OK;
}

static void free_series(subproblems *all)
{
    arena_clear(&all->series);
    all->terms = 0;
}

void subproblems_clear(subproblems *all)
{
    if (!all->whole) return;
    free_series(all);
    arena_clear(&all->memory);
    *all = (subproblems){0};
}

/* ---- evaluation --------------------------------------------------------------------- */

/* A callback that has refused may have left values unwritten; those of the
 * subproblem count. */
static void forget(double *values, size_t count)
{
    for (size_t k = 0; k < count; k++) values[k] = (double)NAN;
}

static dae_status spend(subproblems *all, size_t terms)
{
    const double size = (double)entries_of(all) + (double)all->layout->unknowns;
    all->work += size * (double)terms * (double)terms;
    return all->work > all->work_most ? DAE_LIMIT : DAE_OK;
}

static void put(const subproblem *p, const double *x, const double *xp)
{
    subproblems *all = p->all;
    for (size_t k = 0; k < p->states; k++) all->all_x[p->slot[k]] = x[k];
    for (size_t k = 0; k < p->count; k++) all->all_xp[p->unknowns[k]] = xp[k];
}

/* Copies some rows or entries of the whole, `width` numbers each, whose evaluation
 * returned `st`. Its DAE_RETRY is not passed on unless one of these is not finite. */
static dae_status take(dae_status st, const double *from, const size_t *at,
    size_t count, size_t width, double *to)
{
    if (st && st != DAE_RETRY) return st;
    st = DAE_OK;
    for (size_t k = 0; k < count; k++) {
        memcpy(to + k * width, from + at[k] * width, width * sizeof *to);
        if (!isfinite(to[k * width])) st = DAE_RETRY;
    }
    return st;
}

static dae_status residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    const subproblem *p = self;
    subproblems *all = p->all;
    const dae_problem *w = all->whole;
    dae_status st = spend(all, 1);
    if (st) return st;
    put(p, x, xp);
    forget(all->res, all->layout->unknowns);
    st = w->residual(w->self, t, all->all_x, all->all_xp, all->res);
    return take(st, all->res, p->row, p->count, 1, res);
}

static dae_status jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    const subproblem *p = self;
    subproblems *all = p->all;
    const dae_problem *w = all->whole;
    dae_status st = spend(all, 1);
    (void)scope; /* all entries are evaluated in any case */
    if (st) return st;
    put(p, x, xp);
    forget(all->values, entries_of(all));
    st = w->jacobian(w->self, DAE_ALL, t, all->all_x, all->all_xp, all->values);
    return take(st, all->values, p->entry, p->entries, 1, values);
}

/* The series of the unknowns of other components: their values at the point, without
 * higher coefficients. */
static void fill_curves(subproblems *all)
{
    const layout *l = all->layout;
    for (size_t j = 0; j < l->unknowns; j++) {
        const size_t width = l->first[j + 1] - l->first[j];
        double *curve = all->curve + j * all->stride, factorial = 1;
        for (size_t o = 0; o < width && o < all->stride; o++) {
            if (o > 1) factorial *= (double)o;
            curve[o] = all->x[l->first[j] + o] / factorial;
        }
        if (l->order[j] == 0 || l->order[j] >= all->stride) continue;
        if (l->order[j] > 1) factorial *= (double)l->order[j];
        curve[l->order[j]] = all->xp[j] / factorial;
    }
}

/* Allocates curves of the length that the whole requires. */
static dae_status take_series(subproblems *all, size_t terms)
{
    const size_t n = all->layout->unknowns;
    size_t stride = terms;
    if (all->terms == terms) return DAE_OK;
    free_series(all);
    for (size_t j = 0; j < n; j++)
        if (terms + all->layout->order[j] > stride)
            stride = terms + all->layout->order[j];
    all->terms = terms;
    all->stride = stride;
    arena *m = &all->series;
    all->curve = ARENA_ARRAY(m, double, n *stride);
    all->coefficients = ARENA_ARRAY(m, double, n *terms);
    all->entries = ARENA_ARRAY(m, double, entries_of(all) * terms);
    if (!all->curve || !all->coefficients || !all->entries) return DAE_MEMORY;
    fill_curves(all);
    return DAE_OK;
}

static dae_status put_curve(
    const subproblem *p, size_t terms, const double *x, size_t stride)
{
    subproblems *all = p->all;
    dae_status st = spend(all, terms);
    if (!st) st = take_series(all, terms);
    for (size_t k = 0; k < p->count && !st; k++) {
        const size_t known = terms + p->order[k];
        memcpy(all->curve + (size_t)p->unknowns[k] * all->stride,
            x + k * stride, known * sizeof *x);
    }
    return st;
}

static dae_status series(void *self, size_t terms, double t0, const double *x,
    size_t stride, double *f)
{
    const subproblem *p = self;
    subproblems *all = p->all;
    const dae_problem *w = all->whole;
    dae_status st = put_curve(p, terms, x, stride);
    if (st) return st;
    forget(all->coefficients, all->layout->unknowns * terms);
    st = w->series(
        w->self, terms, t0, all->curve, all->stride, all->coefficients);
    return take(st, all->coefficients, p->row, p->count, terms, f);
}

static dae_status series_jacobian(void *self, size_t terms, double t0,
    const double *x, size_t stride, double *values)
{
    const subproblem *p = self;
    subproblems *all = p->all;
    const dae_problem *w = all->whole;
    dae_status st = put_curve(p, terms, x, stride);
    if (st) return st;
    forget(all->entries, entries_of(all) * terms);
    st = w->series_jacobian(
        w->self, terms, t0, all->curve, all->stride, all->entries);
    return take(st, all->entries, p->entry, p->entries, terms, values);
}

/* ---- one subproblem ---------------------------------------------------------------------- */

static dae_status take_slots(subproblem *p)
{
    const layout *l = p->all->layout;
    arena *m = &p->memory;
    for (size_t k = 0; k < p->count; k++) {
        const size_t j = (size_t)p->unknowns[k];
        p->states += l->first[j + 1] - l->first[j];
    }
    p->row = ARENA_ARRAY(m, size_t, p->count);
    p->slot = ARENA_ARRAY(m, size_t, p->states);
    p->order = ARENA_ARRAY(m, uint8_t, p->count);
    p->x = ARENA_ARRAY(m, double, p->states);
    p->xp = ARENA_ARRAY(m, double, p->count);
    if (!p->row || !p->slot || !p->order || !p->x || !p->xp) return DAE_MEMORY;
    size_t at = 0;
    for (size_t k = 0; k < p->count; k++) {
        const size_t j = (size_t)p->unknowns[k];
        for (size_t q = l->first[j]; q < l->first[j + 1]; q++) {
            p->x[at] = p->all->x[q];
            p->slot[at++] = q;
        }
        p->xp[k] = p->all->xp[j];
        p->order[k] = l->order[j];
        p->row[k] = (size_t)p->equations[k];
    }
    assert(at == p->states);
    return DAE_OK;
}

static size_t column_of(const subproblem *p, size_t k)
{
    return k < p->states
        ? p->slot[k]
        : p->all->layout->states + (size_t)p->unknowns[k - p->states];
}

/* Entries of these columns in equations of other components are left out: they are 0 at
 * all sampled points. */
static dae_status make_pattern(subproblem *p)
{
    const dae_pattern *whole = p->all->whole->pattern;
    const size_t columns = p->states + p->count;
    arena *m = &p->memory;
    size_t most = 0, at = 0;
    for (size_t k = 0; k < columns; k++) {
        const size_t c = column_of(p, k);
        most += (size_t)(whole->column_start[c + 1] - whole->column_start[c]);
    }
    int64_t *start = ARENA_ARRAY(m, int64_t, columns + 1);
    int32_t *row = ARENA_ARRAY(m, int32_t, most);
    uint8_t *kind = whole->kind ? ARENA_ARRAY(m, uint8_t, most) : NULL;
    p->entry = ARENA_ARRAY(m, size_t, most);
    if (!start || !row || !p->entry || (whole->kind && !kind))
        return DAE_MEMORY;
    for (size_t k = 0; k < columns; k++) {
        const size_t c = column_of(p, k);
        for (int64_t e = whole->column_start[c]; e < whole->column_start[c + 1];
             e++) {
            const int32_t i = p->all->row_at[whole->row[e]];
            if (i == 0) continue;
            row[at] = i - 1;
            if (kind) kind[at] = whole->kind[e];
            p->entry[at++] = (size_t)e;
        }
        start[k + 1] = (int64_t)at;
    }
    assert(at <= most);
    p->entries = at;
    p->pattern = (dae_pattern){start, row, kind};
    return DAE_OK;
}

static dae_status pick(subproblem *p, const double *from, const double **to)
{
    if (!from) return DAE_OK;
    double *own = ARENA_ARRAY(&p->memory, double, p->count);
    if (!own) return DAE_MEMORY;
    for (size_t k = 0; k < p->count; k++) own[k] = from[p->unknowns[k]];
    *to = own;
    return DAE_OK;
}

static dae_status make_scales(subproblem *p)
{
    const dae_scales *s = p->all->whole->scales;
    dae_status st;
    if (!s) return DAE_OK;
    p->problem.scales = &p->scales;
    if ((st = pick(p, s->nominal, &p->scales.nominal))
        || (st = pick(p, s->atol, &p->scales.atol))
        || (st = pick(p, s->minimum, &p->scales.minimum)))
        return st;
    return pick(p, s->maximum, &p->scales.maximum);
}

static dae_status make_groups(subproblem *p)
{
    const uint8_t *of = p->all->whole->index_group;
    if (!of) return DAE_OK;
    p->group = ARENA_ARRAY(&p->memory, uint8_t, p->count);
    if (!p->group) return DAE_MEMORY;
    for (size_t k = 0; k < p->count; k++) p->group[k] = of[p->unknowns[k]];
    return DAE_OK;
}

/* The guesses of the problem's start. */
static dae_status make_start(subproblem *p)
{
    const dae_start *s = p->all->whole->start;
    if (!s) return DAE_OK;
    p->start.t0 = s->t0;
    p->problem.start = &p->start;
    if (s->x) {
        double *x = ARENA_ARRAY(&p->memory, double, p->states);
        if (!x) return DAE_MEMORY;
        for (size_t k = 0; k < p->states; k++) x[k] = s->x[p->slot[k]];
        p->start.x = x;
    }
    return pick(p, s->xp, &p->start.xp);
}

static void make_problem(subproblem *p)
{
    const dae_problem *w = p->all->whole;
    p->problem.self = p;
    p->problem.unknown_count = p->count;
    p->problem.order = p->order;
    p->problem.residual = residual;
    p->problem.jacobian = jacobian;
    p->problem.pattern = &p->pattern;
    p->problem.index_group = p->group;
    p->problem.series = w->series ? series : NULL;
    p->problem.series_jacobian = w->series_jacobian ? series_jacobian : NULL;
    p->problem.is_smooth = w->is_smooth;
}

dae_status subproblem_open(subproblem *p, subproblems *all,
    const int32_t *equations, const int32_t *unknowns, size_t count)
{
    dae_status st;
    *p = (subproblem){.all = all,
        .count = count,
        .equations = equations,
        .unknowns = unknowns};
    arena_init(&p->memory, all->memory.allocator, 0);
    for (size_t k = 0; k < count; k++)
        all->row_at[equations[k]] = (int32_t)k + 1;
    if ((st = take_slots(p)) || (st = make_pattern(p)) || (st = make_scales(p))
        || (st = make_groups(p)) || (st = make_start(p)))
        return st;
    make_problem(p);
    return DAE_OK;
}

/* Leaves its unknowns where they were. */
void subproblem_close(subproblem *p)
{
    subproblems *all = p->all;
    if (!all) return;
    if (p->pattern.row) put(p, p->x, p->xp);
    for (size_t k = 0; k < p->count; k++) all->row_at[p->equations[k]] = 0;
    free_series(all); /* curves of other lengths are to come */
    arena_clear(&p->memory);
    p->all = NULL;
}
