/* Rounds: equations of singular blocks are combined, in all blocks at once; the resulting
 * equations are analysed and certified as a problem of their own. If the value of the
 * transversal has fallen, the next round continues with them; otherwise the round is
 * undone and is the last. */
#include "repair/repair.h"
#include "base/arena.h"
#include "extend/extend.h"
#include "graph/transpose.h"
#include "index/generic_points.h"
#include "linalg/layout.h"
#include "linalg/naming.h"
#include "linalg/row_dependency.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the repaired problem -------------------------------------------------------- */

/* A problem as repairs present it: equations that are combinations of the
 * problem's equations and their derivatives, with constant weights. It is a
 * dae_problem of its own, whose structure can be analysed and certified like that
 * of any other. Partial derivatives are sums of entries of the extended problem's
 * Jacobian (extend/extend.h); one that cancels but for rounding is an honest zero. */

/* The sum of these terms. */
typedef struct combination {
    dae_term *term;
    size_t count;
} combination;

typedef struct plan {
    size_t unknowns;         /* of the problem, and equations */
    const combination **row; /* unknowns; NULL: the problem's equation */
} plan;

/* Part of an entry: `weight` times an entry of the extended Jacobian. */
typedef struct view_part {
    int32_t entry;
    double weight;
} view_part;

typedef struct view {
    dae_problem problem; /* no names, no series */
    layout layout;
    /* the rest is the view's own */
    const dae_problem *original;
    plan plan;
    extended *extended;
    const dae_allocator *allocator;
    arena arena;
    size_t entries;
    size_t *begin, *end; /* of each entry, in parts */
    ARRAY(view_part) parts;
    /* default values of columns of the extended problem, also of those whose
     * partial derivatives cancel */
    double *stray;
    double *x, *res, *values; /* of the extended problem */
    dae_start start;
} view;

/* Summands of entries of the extended Jacobian: about 2 GiB. */
enum { TERMS_MOST = 40000000 };

/* ---- plans --------------------------------------------------------------------- */

static dae_status plan_begin(size_t unknowns, arena *a, plan *out)
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

/* Sorts the terms, adds up equal ones and removes sums that cancel. The first weight
 * is made positive. */
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
            > rounding_of((double)count + ROUNDINGS_OF_MANY) * magnitude)
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

static dae_status plan_extend(const plan *from, const combination *steps,
    size_t count, arena *a, plan *out)
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
                by_row->index[k], {(int32_t)by_row->entry[k], t->weight}};
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
    const extended *e = v->extended;
    const dae_pattern *p = e->problem.pattern;
    assert(p->column_start[e->columns] <= TERMS_MOST);
    dae_status st = transpose_pattern(
        e->rows, e->columns, p->column_start, p->row, v->allocator, &by_row);
    if (!st) st = expand_all(v, &by_row, &list);
    transpose_clear(&by_row);
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

static void view_free(view *v)
{
    if (!v) return;
    layout_clear(&v->layout);
    extended_free(v->extended);
    ARRAY_FREE(v->allocator, &v->parts);
    arena_clear(&v->arena);
    alloc_free(v->allocator, v, 1, sizeof *v);
}

static dae_status view_create(const dae_problem *original, const layout *l,
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

/* ---- a problem on its way through repairs -------------------------------------- */

/* The problem with the equations combined by a plan, its structure and
 * certificates. */
typedef struct stage {
    plan plan;
    blocks_request at;
    const dae_certificate *known; /* at.structure->fine_count */
    /* `at` and `known` point to data of the caller at first, then to these. */
    view *view; /* NULL: the problem itself */
    signature *signature;
    dae_structure *structure;
    dae_certificate *certificates;
} stage;

static void stage_clear(stage *s)
{
    const dae_allocator *a = s->at.allocator;
    if (s->certificates)
        alloc_free(a, s->certificates, s->structure->fine_count,
            sizeof *s->certificates);
    dae_structure_free(s->structure);
    signature_free(s->signature);
    view_free(s->view);
    *s = (stage){0};
}

/* How often equations of the problem are differentiated: as often as the combinations
 * that contain them require. */
static void count_derivatives(const stage *s, int32_t *differentiate)
{
    const plan *p = &s->plan;
    for (size_t r = 0; r < p->unknowns; r++) {
        const combination *row = p->row[r];
        const int32_t c = s->structure->c[r] < INT32_MAX / 2
            ? (int32_t)s->structure->c[r]
            : INT32_MAX / 2;
        if (!row && differentiate[r] < c) differentiate[r] = c;
        for (size_t k = 0; row && k < row->count; k++) {
            const dae_term *t = &row->term[k];
            if (differentiate[t->equation] < c + t->order)
                differentiate[t->equation] = c + t->order;
        }
    }
}

static dae_status stage_certify(stage *s)
{
    s->at.structure = s->structure;
    s->certificates = alloc_zeroed(
        s->at.allocator, s->structure->fine_count, sizeof *s->certificates);
    s->known = s->certificates;
    return s->known ? blocks_certify(&s->at, s->certificates, NULL)
                    : DAE_MEMORY;
}

/* Every round lowers the degrees of freedom, so the rounds end; equations grow with
 * each, and no model has needed 50. */
enum { ROUNDS = 50 };

typedef struct repair_work repair_work;
struct repair_work {
    blocks_request given; /* with an allocator */
    stage now;
    arena arena; /* plans, combinations, texts */
    ARRAY(dae_repair) repairs;
};

/* ---- combinations of dependent equations ----------------------------------------- */

/* Null vectors are constant where they hold at all these points. Not the points
 * at which signatures and certificates are found. */
enum { POINTS = 4, FIRST_POINT = 16, POINTS_TRIED = 10 };

/* An entry of a block with d - c = order. */
typedef struct block_entry {
    int32_t row, column; /* in the block */
    int64_t entry;       /* of the pattern */
} block_entry;

typedef struct survey {
    const stage *now;
    const dae_structure *s;
    int32_t *place; /* rows: in row_at */
    size_t *blocks; /* fine blocks looked at */
    size_t *first;  /* block_count + 1: their entries */
    size_t block_count;
    ARRAY(block_entry) entry;
    uint8_t *is_constant; /* rows: all their entries */
    double *value;        /* POINTS * entries */
    size_t points;
    ARRAY(combination) found;
    arena scratch, *arena; /* of one survey; of the combinations */
} survey;

static bool is_wanted(const survey *w, size_t f)
{
    const dae_block *b = &w->s->fine[f];
    return b->end - b->begin <= REPAIR_LARGEST
        && w->now->known[f] == DAE_SINGULAR;
}

static dae_status list_entries(survey *w, size_t f)
{
    const dae_block *b = &w->s->fine[f];
    const signature *g = w->now->at.signature;
    const dae_pattern *p = w->now->at.problem->pattern;
    for (int32_t k = b->begin; k < b->end; k++) {
        const int32_t j = w->s->column_at[k];
        for (int64_t e = g->column_start[j]; e < g->column_start[j + 1]; e++) {
            const int32_t i = g->row[e], at = w->place[i];
            if (at < b->begin || at >= b->end) continue;
            if (w->s->d[j] - w->s->c[i] != g->order[e]) continue;
            const block_entry entry = {
                at - b->begin, k - b->begin, g->entry[e]};
            if (!ARRAY_PUSH(w->now->at.allocator, &w->entry, entry))
                return DAE_MEMORY;
            if (!p || !p->kind || p->kind[g->entry[e]] == DAE_ENTRY_VARYING)
                w->is_constant[i] = 0;
        }
    }
    return DAE_OK;
}

static dae_status list_blocks(survey *w)
{
    const dae_structure *s = w->s;
    arena *a = &w->scratch;
    assert(s->is_regular);
    w->place = ARENA_ARRAY(a, int32_t, s->n);
    w->blocks = ARENA_ARRAY(a, size_t, s->fine_count);
    w->first = ARENA_ARRAY(a, size_t, s->fine_count + 1);
    w->is_constant = ARENA_ARRAY(a, uint8_t, s->n);
    if (!w->place || !w->blocks || !w->first || !w->is_constant)
        return DAE_MEMORY;
    memset(w->is_constant, 1, s->n);
    for (size_t k = 0; k < s->n; k++) w->place[s->row_at[k]] = (int32_t)k;
    for (size_t f = 0; f < s->fine_count; f++) {
        if (!is_wanted(w, f)) continue;
        const dae_status st = list_entries(w, f);
        if (st) return st;
        w->blocks[w->block_count++] = f;
        w->first[w->block_count] = w->entry.count;
    }
    return DAE_OK;
}

static dae_status sample(survey *w)
{
    const blocks_request *at = &w->now->at;
    sampler *s;
    w->value = ARENA_ARRAY(&w->scratch, double, w->entry.count *POINTS);
    if (!w->value) return DAE_MEMORY;
    dae_status st = sampler_create(at->problem, at->layout, at->allocator, &s);
    if (st) return st;
    for (unsigned k = 0; k < POINTS_TRIED && w->points < POINTS; k++) {
        st = points_sample(s, FIRST_POINT + k);
        if (st && st != DAE_RETRY) break;
        if (st) continue;
        const double *values = sampler_values(s);
        double *to = w->value + w->points++ * w->entry.count;
        for (size_t e = 0; e < w->entry.count; e++)
            to[e] = values[w->entry.items[e].entry];
    }
    sampler_free(s);
    return st == DAE_RETRY ? DAE_OK : st;
}

/* Block k at `points`, side by side. */
static double *spread(survey *w, size_t k, size_t size, size_t points)
{
    const size_t width = size * points;
    double *m = ARENA_ARRAY(&w->scratch, double, size *width);
    for (size_t e = w->first[k]; m && e < w->first[k + 1]; e++) {
        const block_entry *q = &w->entry.items[e];
        for (size_t p = 0; p < points; p++)
            m[(size_t)q->row * width + p * size + (size_t)q->column] =
                w->value[p * w->entry.count + e];
    }
    return m;
}

typedef struct order_key {
    int64_t c;
    int32_t row, local;
    uint8_t is_constant;
} order_key;

static int compare_keys(const void *a, const void *b)
{
    const order_key *x = a, *y = b;
    if (x->c != y->c) return x->c > y->c ? -1 : 1;
    if (x->is_constant != y->is_constant) return x->is_constant ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Rows with larger offsets first, so that the one that turns out dependent is
 * one of those with the smallest and may be replaced; then linear ones with
 * constant coefficients, then as in the text. NULL: no memory. */
static int32_t *order_rows(survey *w, const int32_t *rows, size_t size)
{
    order_key *key = ARENA_ARRAY(&w->scratch, order_key, size);
    int32_t *order = ARENA_ARRAY(&w->scratch, int32_t, size);
    if (!key || !order) return NULL;
    for (size_t k = 0; k < size; k++)
        key[k] = (order_key){
            w->s->c[rows[k]], rows[k], (int32_t)k, w->is_constant[rows[k]]};
    qsort(key, size, sizeof *key, compare_keys);
    for (size_t k = 0; k < size; k++) order[k] = key[k].local;
    return order;
}

static dae_status push(survey *w, const circuit *c, const int32_t *rows)
{
    const int32_t last = rows[c->member[c->count - 1]];
    combination s = {ARENA_ARRAY(w->arena, dae_term, c->count), c->count};
    if (!s.term) return DAE_MEMORY;
    for (size_t k = 0; k < c->count; k++) {
        const int32_t i = rows[c->member[k]];
        const int64_t more = w->s->c[i] - w->s->c[last];
        assert(more >= 0 && more < INT32_MAX);
        s.term[k] = (dae_term){i, (int32_t)more, c->weight[k]};
    }
    return ARRAY_PUSH(w->now->at.allocator, &w->found, s) ? DAE_OK : DAE_MEMORY;
}

static dae_status combine_block(survey *w, size_t k)
{
    const dae_block *f = &w->s->fine[w->blocks[k]];
    const int32_t *rows = w->s->row_at + f->begin;
    const size_t size = (size_t)(f->end - f->begin);
    circuit_list list;
    size_t points = 1; /* do where nothing varies */
    for (size_t i = 0; i < size; i++)
        if (!w->is_constant[rows[i]]) points = POINTS;
    const int32_t *order = order_rows(w, rows, size);
    const double *m = spread(w, k, size, points);
    if (!order || !m) return DAE_MEMORY;
    const bool is_whole = circuit_is_whole(m, size * size * points);
    dae_status st = circuits_find(
        size, size * points, m, order, &w->scratch, &list);
    for (size_t q = 0; q < list.count && !st; q++) {
        circuit *c = &list.items[q];
        circuit_simplify(c->weight, c->count, is_whole);
        if (circuit_holds(c, size * points, m)) st = push(w, c, rows);
    }
    return st;
}

static dae_status combine_all(survey *w)
{
    const blocks_request *at = &w->now->at;
    dae_status st = list_blocks(w);
    if (!st && w->block_count > 0) st = sample(w);
    if (w->points < POINTS) return st;
    for (size_t k = 0; k < w->block_count && !st; k++) {
        const arena_position mark = arena_mark(&w->scratch);
        if (at->interrupt && at->interrupt(at->interrupt_context))
            return DAE_INTERRUPTED;
        st = combine_block(w, k);
        arena_release(&w->scratch, mark);
    }
    return st;
}

/* Of all singular blocks, in the arena: each combination replaces its last equation,
 * which depends on its others. No points with values, or no Jacobian: none. */
static dae_status find_combinations(
    const stage *now, arena *a, combination **out, size_t *count)
{
    survey w = {.now = now, .s = now->at.structure, .arena = a};
    *count = 0;
    if (!now->at.problem->jacobian) return DAE_OK;
    arena_init(&w.scratch, now->at.allocator, 0);
    dae_status st = combine_all(&w);
    if (!st && w.found.count > 0) {
        *out = ARENA_ARRAY(a, combination, w.found.count);
        *count = w.found.count;
        if (*out) memcpy(*out, w.found.items, *count * sizeof **out);
        else st = DAE_MEMORY;
    }
    ARRAY_FREE(now->at.allocator, &w.entry);
    ARRAY_FREE(now->at.allocator, &w.found);
    arena_clear(&w.scratch);
    return st;
}

/* ---- what cancels ---------------------------------------------------------------- */

/* Slots that occur in terms of a combination, but not in its sum. */
typedef struct leftover {
    dae_slot *cancels;
    size_t count;
    bool has_rate; /* a derivative of an unknown is left */
} leftover;

/* Entries of the view's pattern in rows where `left` is not NULL: of an unknown that
 * the signature has in the row, those above its order there; else all. Counted if
 * there is no room yet. `order` is -1 in all rows, as it is
 * again at the end. */
static void pass_slots(const stage *s, leftover *const *left, int32_t *order)
{
    const view *v = s->view;
    const signature *g = s->signature;
    const dae_pattern *p = v->problem.pattern;
    for (size_t j = 0; j < v->plan.unknowns; j++) {
        for (int64_t e = g->column_start[j]; e < g->column_start[j + 1]; e++) {
            leftover *l = left[g->row[e]];
            order[g->row[e]] = g->order[e];
            if (l && g->order[e] > 0) l->has_rate = true;
        }
        for (size_t o = 0; o <= v->layout.order[j]; o++) {
            const size_t q = layout_column(&v->layout, j, o);
            for (int64_t e = p->column_start[q]; e < p->column_start[q + 1];
                 e++) {
                leftover *l = left[p->row[e]];
                if (!l || (int32_t)o <= order[p->row[e]]) continue;
                if (l->cancels)
                    l->cancels[l->count] = (dae_slot){(int32_t)j, (int32_t)o};
                l->count++;
            }
        }
        for (int64_t e = g->column_start[j]; e < g->column_start[j + 1]; e++)
            order[g->row[e]] = -1;
    }
}

static int32_t replaced_by(const combination *c)
{
    return c->term[c->count - 1].equation;
}

static dae_status find_leftovers(const stage *s, const combination *steps,
    size_t count, arena *a, leftover *list)
{
    leftover **left = ARENA_ARRAY(a, leftover *, s->plan.unknowns);
    int32_t *order = ARENA_ARRAY(a, int32_t, s->plan.unknowns);
    if (!left || !order) return DAE_MEMORY;
    for (size_t i = 0; i < s->plan.unknowns; i++) order[i] = -1;
    for (size_t k = 0; k < count; k++) left[replaced_by(&steps[k])] = &list[k];
    pass_slots(s, left, order);
    for (size_t k = 0; k < count; k++) {
        list[k].cancels = ARENA_ARRAY(a, dae_slot, list[k].count);
        if (!list[k].cancels) return DAE_MEMORY;
        list[k].count = 0;
    }
    pass_slots(s, left, order);
    return DAE_OK;
}

/* ---- a round --------------------------------------------------------------------- */

/* The problem after these steps. DAE_RETRY: it could not be examined. */
static dae_status make_next(
    repair_work *w, const combination *steps, size_t count, stage *next)
{
    const blocks_request *q = &w->given;
    next->at = *q;
    dae_status st = plan_extend(
        &w->now.plan, steps, count, &w->arena, &next->plan);
    if (!st)
        st = view_create(
            q->problem, q->layout, &next->plan, q->allocator, &next->view);
    if (st) return st;
    next->at.problem = &next->view->problem;
    next->at.layout = &next->view->layout;
    st = signature_create(
        next->at.problem, next->at.layout, q->allocator, &next->signature);
    next->at.signature = next->signature;
    return st || next->signature->is_sampled ? st : DAE_RETRY;
}

/* Analyses the problem after the steps; `is_better`: the value has fallen. */
static dae_status judge(const stage *now, stage *next, bool *is_better)
{
    const dae_structure_options options = {
        now->at.interrupt, now->at.interrupt_context};
    const dae_status st = dae_structure_analyse(
        &next->signature->table, &options, now->at.allocator, &next->structure);
    if (st) return st;
    *is_better = next->structure->is_regular
        && next->structure->degrees_of_freedom
            < now->at.structure->degrees_of_freedom;
    return *is_better ? stage_certify(next) : DAE_OK;
}

static dae_status record(repair_work *w, const stage *next,
    const combination *step, const leftover *left, size_t round_steps)
{
    const int32_t replaced = replaced_by(step);
    const combination *row = next->plan.row[replaced];
    const dae_repair one = {.terms = row->term,
        .term_count = row->count,
        .replaces = replaced,
        .independent = left->cancels,
        .independent_count = left->count,
        .has_derivative = left->has_rate,
        .round_steps = round_steps,
        .freedom_before = w->now.at.structure->degrees_of_freedom,
        .freedom_after = next->structure->degrees_of_freedom};
    return ARRAY_PUSH(w->given.allocator, &w->repairs, one) ? DAE_OK
                                                            : DAE_MEMORY;
}

static dae_status accept(
    repair_work *w, stage *next, const combination *steps, size_t count)
{
    leftover *left = ARENA_ARRAY(&w->arena, leftover, count);
    if (!left) return DAE_MEMORY;
    dae_status st = find_leftovers(next, steps, count, &w->arena, left);
    for (size_t k = 0; k < count && !st; k++)
        st = record(w, next, &steps[k], &left[k], k + 1 == count ? count : 0);
    if (st) return st;
    stage_clear(&w->now);
    w->now = *next;
    *next = (stage){0};
    return DAE_OK;
}

/* Performs the steps if the value of the transversal falls: then `now` and `repairs`
 * are updated. */
static dae_status try_round(repair_work *w, bool *is_better)
{
    stage next = {0};
    combination *steps = NULL;
    size_t count;
    *is_better = false;
    dae_status st = find_combinations(&w->now, &w->arena, &steps, &count);
    if (st || count == 0) return st;
    st = make_next(w, steps, count, &next);
    if (!st) st = judge(&w->now, &next, is_better);
    if (!st && *is_better) st = accept(w, &next, steps, count);
    stage_clear(&next);
    return st;
}

/* A round that fails for other reasons than memory or an interrupt is not made. */
static dae_status run_rounds(repair_work *w)
{
    bool is_better = true;
    dae_status st = DAE_OK;
    for (int k = 0; k < ROUNDS && is_better && !st; k++)
        st = try_round(w, &is_better);
    return st == DAE_MEMORY || st == DAE_INTERRUPTED ? st : DAE_OK;
}

/* ---- findings -------------------------------------------------------------------- */

static bool is_all_certified(const stage *s)
{
    for (size_t k = 0; k < s->at.structure->fine_count; k++)
        if (s->known[k] != DAE_CERTIFIED) return false;
    return true;
}

static void work_free(repair_work *w)
{
    const dae_allocator *a = w->given.allocator;
    stage_clear(&w->now);
    ARRAY_FREE(a, &w->repairs);
    arena_clear(&w->arena);
    alloc_free(a, w, 1, sizeof *w);
}

static dae_status run(repair_work *w, repair_findings *out)
{
    const size_t n = w->given.problem->unknown_count;
    dae_status st = plan_begin(n, &w->arena, &w->now.plan);
    if (!st) st = run_rounds(w);
    if (st) return st;
    out->is_complete = is_all_certified(&w->now);
    if (!w->now.view) return DAE_OK;
    int32_t *differentiate = ARENA_ARRAY(&w->arena, int32_t, n);
    if (!differentiate) return DAE_MEMORY;
    count_derivatives(&w->now, differentiate);
    *out = (repair_findings){.repairs = w->repairs.items,
        .count = w->repairs.count,
        .structure = w->now.structure,
        .certificates = w->now.certificates,
        .differentiate = differentiate,
        .is_complete = out->is_complete,
        .work = w};
    return DAE_OK;
}

dae_status repair_all(const blocks_request *q,
    const dae_certificate *certificates, repair_findings *out)
{
    const dae_allocator *a = alloc_or_default(q->allocator);
    repair_work *w = alloc_zeroed(a, 1, sizeof *w);
    *out = (repair_findings){0};
    if (!w) return DAE_MEMORY;
    w->given = *q;
    w->given.allocator = a;
    w->now.at = w->given;
    w->now.known = certificates;
    arena_init(&w->arena, a, 0);
    const dae_status st = run(w, out);
    if (!out->work) work_free(w);
    return st;
}

/* The view's point from the problem's slots; unknown values are arbitrary. */
static void fill_point(const view *v, const double *values, const size_t *first,
    double *x, double *xp)
{
    const layout *l = &v->layout;
    for (size_t j = 0; j < l->unknowns; j++)
        for (size_t o = 0; o <= l->order[j]; o++) {
            const size_t c = layout_column(l, j, o);
            const double known = o < first[j + 1] - first[j]
                ? values[first[j] + o]
                : (double)NAN;
            *(c < l->states ? &x[c] : &xp[j]) = isfinite(known)
                ? known
                : v->stray[v->extended->column_first[j] + o];
        }
}

dae_status repair_certify_at(
    double t, const double *values, const size_t *first, repair_findings *f)
{
    if (!f->work) return DAE_OK;
    stage *s = &f->work->now;
    const dae_allocator *a = s->at.allocator;
    const layout *l = s->at.layout;
    dae_status st = DAE_MEMORY;
    double *x = alloc_zeroed(a, l->states, sizeof *x);
    double *xp = alloc_zeroed(a, l->unknowns, sizeof *xp);
    if (x && xp) {
        fill_point(s->view, values, first, x, xp);
        st = blocks_certify_at(&s->at, t, x, xp, s->certificates, NULL);
    }
    alloc_free(a, x, l->states, sizeof *x);
    alloc_free(a, xp, l->unknowns, sizeof *xp);
    f->is_complete = is_all_certified(s);
    return st;
}

void repair_findings_clear(repair_findings *f)
{
    if (f->work) work_free(f->work);
    *f = (repair_findings){0};
}
