/* Made for each plan that is tried: lists once, from the pattern of the
 * extended problem, what the Jacobian adds up at each point. */
#include "repair/repaired_problem.h"
#include "index/generic_points.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Summands of entries of the extended Jacobian: about 2 GiB. */
enum { TERMS_MOST = 40000000 };

/* ---- plans --------------------------------------------------------------------- */

dae_status plan_begin(size_t unknowns, arena *a, plan *out)
{
    *out = (plan){.unknowns = unknowns};
    out->row = ARENA_ARRAY(a, const combination *, unknowns);
    return out->row ? DAE_OK : DAE_MEMORY;
}

static int compare_terms(const void *a, const void *b)
{
    const dae_term *x = a, *y = b;
    if (x->equation != y->equation) return x->equation < y->equation ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Sorts and adds up what is the same; sums that cancel go. The first is made
 * positive. */
static size_t merge_terms(dae_term *term, size_t count)
{
    size_t kept = 0;
    qsort(term, count, sizeof *term, compare_terms);
    for (size_t k = 0; k < count;) {
        double sum = 0, magnitude = 0;
        const dae_term first = term[k];
        for (; k < count && compare_terms(&term[k], &first) == 0; k++) {
            sum += term[k].weight;
            magnitude += fabs(term[k].weight);
        }
        if (fabs(sum)
            > rounding_of((double)count + WEIGHT_ROUNDINGS) * magnitude)
            term[kept++] = (dae_term){first.equation, first.order, sum};
    }
    for (size_t k = kept; k-- > 0;)
        if (term[0].weight < 0) term[k].weight = 0 - term[k].weight;
    return kept;
}

/* An equation of a plan as a sum of the problem's; `alone` is its only term where
 * it is one of these. */
static combination terms_of(const plan *p, size_t row, dae_term *alone)
{
    *alone = (dae_term){(int32_t)row, 0, 1};
    return p->row[row] ? *p->row[row] : (combination){alone, 1};
}

static dae_status replace_row(
    const plan *from, const combination *step, arena *a, plan *to)
{
    dae_term alone;
    size_t count = 0;
    combination *r = ARENA_NEW(a, combination);
    assert(step->count > 0);
    for (size_t k = 0; k < step->count; k++)
        count += terms_of(from, (size_t)step->term[k].equation, &alone).count;
    if (!r || !(r->term = ARENA_ARRAY(a, dae_term, count))) return DAE_MEMORY;
    for (size_t k = 0; k < step->count; k++) {
        const dae_term *s = &step->term[k];
        const combination member = terms_of(from, (size_t)s->equation, &alone);
        for (size_t q = 0; q < member.count; q++)
            r->term[r->count++] = (dae_term){member.term[q].equation,
                member.term[q].order + s->order,
                member.term[q].weight * s->weight};
    }
    r->count = merge_terms(r->term, r->count);
    to->row[step->term[step->count - 1].equation] = r;
    return DAE_OK;
}

dae_status plan_extend(const plan *from, const combination *steps, size_t count,
    arena *a, plan *out)
{
    dae_status st = plan_begin(from->unknowns, a, out);
    if (st) return st;
    memcpy(out->row, from->row, from->unknowns * sizeof *from->row);
    for (size_t k = 0; k < count && !st; k++)
        st = replace_row(from, &steps[k], a, out);
    return st;
}

/* ---- values -------------------------------------------------------------------- */

static void fill_columns(view *v, const double *x, const double *xp)
{
    const layout *l = &v->layout;
    memcpy(v->x, v->stray, v->extended->columns * sizeof *v->x);
    for (size_t j = 0; j < l->unknowns; j++) {
        double *to = v->x + v->extended->column_first[j];
        const size_t width = l->first[j + 1] - l->first[j];
        memcpy(to, x + l->first[j], width * sizeof *x);
        if (l->order[j] > 0) to[l->order[j]] = xp[j];
    }
}

static dae_status view_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    view *v = self;
    const extended *e = v->extended;
    fill_columns(v, x, xp);
    const dae_status st = e->problem.residual(
        e->problem.self, t, v->x, NULL, v->res);
    for (size_t r = 0; r < v->plan.unknowns && !st; r++) {
        dae_term alone;
        const combination c = terms_of(&v->plan, r, &alone);
        res[r] = 0;
        for (size_t k = 0; k < c.count; k++)
            res[r] += c.term[k].weight
                * v->res[e->row_first[c.term[k].equation]
                    + (size_t)c.term[k].order];
    }
    return st;
}

static dae_status view_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    view *v = self;
    const dae_problem *p = &v->extended->problem;
    (void)scope; /* entries that do not vary get the value they have */
    fill_columns(v, x, xp);
    const dae_status st = p->jacobian(
        p->self, DAE_ALL, t, v->x, NULL, v->values);
    for (size_t e = 0; e < v->entries && !st; e++) {
        double sum = 0, magnitude = 0;
        for (size_t k = v->begin[e]; k < v->end[e]; k++) {
            const view_part *q = &v->parts.items[k];
            sum += q->weight * v->values[q->entry];
            magnitude += fabs(q->weight * v->values[q->entry]);
        }
        values[e] = fabs(sum) <= CIRCUIT_ZERO * magnitude ? 0 : sum;
    }
    return st;
}

/* ---- the extended problem ------------------------------------------------------ */

static dae_status extend(view *v)
{
    const plan *p = &v->plan;
    int32_t *c = ARENA_ARRAY(&v->arena, int32_t, p->unknowns);
    if (!c) return DAE_MEMORY;
    for (size_t r = 0; r < p->unknowns; r++) {
        for (size_t k = 0; p->row[r] && k < p->row[r]->count; k++) {
            const dae_term *t = &p->row[r]->term[k];
            if (c[t->equation] < t->order) c[t->equation] = t->order;
        }
    }
    const dae_status st = extended_create(
        v->original, c, NULL, TERMS_MOST, v->allocator, &v->extended);
    if (st) return st;
    return v->extended->problem.jacobian ? DAE_OK : DAE_UNSUPPORTED;
}

/* The extended Jacobian by rows. */
typedef struct transposed {
    int64_t *start;
    int32_t *entry, *column;
} transposed;

static dae_status transpose(const view *v, arena *a, transposed *out)
{
    const extended *e = v->extended;
    const dae_pattern *p = e->problem.pattern;
    const int64_t entries = p->column_start[e->columns];
    assert(entries <= TERMS_MOST);
    out->start = ARENA_ARRAY(a, int64_t, e->rows + 2);
    out->entry = ARENA_ARRAY(a, int32_t, (size_t)entries);
    out->column = ARENA_ARRAY(a, int32_t, (size_t)entries);
    if (!out->start || !out->entry || !out->column) return DAE_MEMORY;
    int64_t *start = out->start + 1;
    for (int64_t k = 0; k < entries; k++) start[p->row[k] + 1]++;
    for (size_t r = 0; r < e->rows; r++) start[r + 1] += start[r];
    for (size_t q = 0; q < e->columns; q++) {
        for (int64_t k = p->column_start[q]; k < p->column_start[q + 1]; k++) {
            const int64_t at = start[p->row[k]]++;
            out->entry[at] = (int32_t)k;
            out->column[at] = (int32_t)q;
        }
    }
    return DAE_OK;
}

/* ---- parts, by rows ------------------------------------------------------------ */

/* One summand of a partial derivative by a column of the extended problem: by
 * column these are sorted by unknown and order. */
typedef struct summand {
    int32_t column;
    view_part part;
} summand;
typedef ARRAY(summand) summands;

/* An entry by row, before it has a place in the pattern. */
typedef struct view_entry {
    int32_t row, column; /* of the extended problem */
    uint8_t kind;
    size_t begin, end; /* in parts */
} view_entry;
typedef ARRAY(view_entry) view_entries;

static int compare_summands(const void *a, const void *b)
{
    const summand *x = a, *y = b;
    if (x->column != y->column) return x->column < y->column ? -1 : 1;
    return (x->part.entry > y->part.entry) - (x->part.entry < y->part.entry);
}

/* All summands of a row, sorted by column. */
static dae_status expand_row(
    const view *v, const transposed *by_row, size_t row, summands *out)
{
    dae_term alone;
    const combination c = terms_of(&v->plan, row, &alone);
    out->count = 0;
    for (size_t q = 0; q < c.count; q++) {
        const dae_term *t = &c.term[q];
        const size_t r = v->extended->row_first[t->equation] + (size_t)t->order;
        assert(r < v->extended->row_first[t->equation + 1]);
        for (int64_t k = by_row->start[r]; k < by_row->start[r + 1]; k++) {
            const summand one = {
                by_row->column[k], {by_row->entry[k], t->weight}};
            if (!ARRAY_PUSH(v->allocator, out, one)) return DAE_MEMORY;
        }
    }
    if (c.count > 1)
        qsort(out->items, out->count, sizeof *out->items, compare_summands);
    return DAE_OK;
}

/* Summands by the same column are one entry. */
static dae_status collect(
    view *v, size_t row, const summands *from, view_entries *out)
{
    const uint8_t *kinds = v->extended->problem.pattern->kind;
    for (size_t k = 0; k < from->count;) {
        view_entry e = {(int32_t)row, from->items[k].column,
            kinds ? DAE_ENTRY_CONSTANT : DAE_ENTRY_VARYING, v->parts.count,
            v->parts.count};
        for (; k < from->count && from->items[k].column == e.column; k++) {
            const view_part *part = &from->items[k].part;
            if (kinds && kinds[part->entry] < e.kind)
                e.kind = kinds[part->entry];
            if (!ARRAY_PUSH(v->allocator, &v->parts, *part)) return DAE_MEMORY;
        }
        e.end = v->parts.count;
        if (!ARRAY_PUSH(v->allocator, out, e)) return DAE_MEMORY;
    }
    return DAE_OK;
}

/* Entries and parts of all rows, in the order of rows and columns. */
static dae_status expand_all(
    view *v, const transposed *by_row, view_entries *out)
{
    summands list = {0};
    dae_status st = DAE_OK;
    for (size_t r = 0; r < v->plan.unknowns && !st; r++) {
        st = expand_row(v, by_row, r, &list);
        if (!st) st = collect(v, r, &list, out);
    }
    ARRAY_FREE(v->allocator, &list);
    return st;
}

/* ---- the pattern --------------------------------------------------------------- */

static dae_slot slot_of(const view *v, int32_t column)
{
    const int32_t j = v->extended->column_unknown[column];
    return (dae_slot){j, column - (int32_t)v->extended->column_first[j]};
}

static dae_status find_orders(view *v, const view_entries *list)
{
    const size_t n = v->plan.unknowns;
    uint8_t *order = ARENA_ARRAY(&v->arena, uint8_t, n);
    if (!order) return DAE_MEMORY;
    for (size_t k = 0; k < list->count; k++) {
        const dae_slot s = slot_of(v, list->items[k].column);
        if (s.order > UINT8_MAX) return DAE_LIMIT;
        if (order[s.unknown] < s.order) order[s.unknown] = (uint8_t)s.order;
    }
    v->problem.unknown_count = n;
    v->problem.order = order;
    return layout_init(&v->layout, &v->problem, v->allocator);
}

static size_t column_of(const view *v, const view_entry *e)
{
    const dae_slot s = slot_of(v, e->column);
    return layout_column(&v->layout, (size_t)s.unknown, (size_t)s.order);
}

static dae_status make_pattern(view *v, const view_entries *list)
{
    arena *a = &v->arena;
    const size_t columns = v->layout.states + v->layout.unknowns;
    int64_t *start = ARENA_ARRAY(a, int64_t, columns + 2);
    int32_t *row = ARENA_ARRAY(a, int32_t, list->count);
    uint8_t *kind = ARENA_ARRAY(a, uint8_t, list->count);
    dae_pattern *pattern = ARENA_NEW(a, dae_pattern);
    v->begin = ARENA_ARRAY(a, size_t, list->count);
    v->end = ARENA_ARRAY(a, size_t, list->count);
    if (!start || !row || !kind || !pattern || !v->begin || !v->end)
        return DAE_MEMORY;
    int64_t *next = start + 1;
    v->entries = list->count;
    for (size_t k = 0; k < list->count; k++)
        next[column_of(v, &list->items[k]) + 1]++;
    for (size_t q = 0; q < columns; q++) next[q + 1] += next[q];
    for (size_t k = 0; k < list->count; k++) {
        const view_entry *e = &list->items[k];
        const size_t at = (size_t)next[column_of(v, e)]++;
        row[at] = e->row;
        kind[at] = e->kind;
        v->begin[at] = e->begin;
        v->end[at] = e->end;
    }
    *pattern = (dae_pattern){start, row, kind};
    v->problem.pattern = pattern;
    return DAE_OK;
}

/* ---- the view ------------------------------------------------------------------ */

static dae_status take_vectors(view *v)
{
    arena *a = &v->arena;
    const extended *e = v->extended;
    const size_t entries = (size_t)e->problem.pattern->column_start[e->columns];
    v->stray = ARENA_ARRAY(a, double, e->columns);
    v->x = ARENA_ARRAY(a, double, e->columns);
    v->res = ARENA_ARRAY(a, double, e->rows);
    v->values = ARENA_ARRAY(a, double, entries);
    if (!v->stray || !v->x || !v->res || !v->values) return DAE_MEMORY;
    for (size_t k = 0; k < e->columns; k++) v->stray[k] = points_number(1, k);
    return DAE_OK;
}

static double guess_of(
    const dae_start *s, const layout *l, size_t j, size_t order)
{
    if (order < l->first[j + 1] - l->first[j])
        return s->x ? s->x[l->first[j] + order] : 0;
    return order == l->order[j] && s->xp ? s->xp[j] : 0;
}

static dae_status make_start(view *v, const dae_start *s, const layout *from)
{
    const layout *l = &v->layout;
    double *x = ARENA_ARRAY(&v->arena, double, l->states);
    double *xp = ARENA_ARRAY(&v->arena, double, l->unknowns);
    if (!x || !xp) return DAE_MEMORY;
    for (size_t j = 0; j < l->unknowns; j++)
        for (size_t o = 0; o <= l->order[j]; o++) {
            const size_t c = layout_column(l, j, o);
            *(c < l->states ? &x[c] : &xp[j]) = guess_of(s, from, j, o);
        }
    v->start = (dae_start){.t0 = s->t0, .x = x, .xp = xp};
    v->problem.start = &v->start;
    return DAE_OK;
}

static dae_status make_entries(view *v)
{
    view_entries list = {0};
    transposed by_row;
    const arena_position mark = arena_mark(&v->arena);
    dae_status st = transpose(v, &v->arena, &by_row);
    if (!st) st = expand_all(v, &by_row, &list);
    arena_release(&v->arena, mark);
    if (!st) st = find_orders(v, &list);
    if (!st) st = make_pattern(v, &list);
    ARRAY_FREE(v->allocator, &list);
    return st;
}

static dae_status build(view *v, const layout *l)
{
    const dae_start *start = v->original->start;
    dae_status st;
    if ((st = extend(v)) || (st = make_entries(v)) || (st = take_vectors(v)))
        return st;
    if (start && (st = make_start(v, start, l))) return st;
    v->problem.self = v;
    v->problem.scales = v->original->scales;
    v->problem.residual = view_residual;
    v->problem.jacobian = view_jacobian;
    return DAE_OK;
}

dae_status view_create(const dae_problem *original, const layout *l,
    const plan *p, const dae_allocator *allocator, view **out)
{
    *out = NULL;
    view *v = alloc_zeroed(allocator, 1, sizeof *v);
    if (!v) return DAE_MEMORY;
    v->original = original;
    v->plan = *p;
    v->allocator = allocator;
    arena_init(&v->arena, allocator, 0);
    const dae_status st = build(v, l);
    if (st) view_free(v);
    else *out = v;
    return st;
}

void view_free(view *v)
{
    if (!v) return;
    layout_clear(&v->layout);
    extended_free(v->extended);
    ARRAY_FREE(v->allocator, &v->parts);
    arena_clear(&v->arena);
    alloc_free(v->allocator, v, 1, sizeof *v);
}
