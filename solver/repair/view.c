/* Made for each plan that is tried: the pattern of the extended problem gives,
 * for each entry of the view, the parts that are summed at each point. */
#include "repair/view.h"
#include "index/points.h"
#include "linalg/naming.h"
#include "linalg/thresholds.h"
#include "repair/circuit.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Summands of entries of the extended Jacobian: about 2 GiB. */
enum { TERMS_MOST = 40000000 };
/* Weights that vary take evaluations for each unknown that they may depend on;
 * so many entries may be evaluated for one Jacobian. */
enum { VARYING_WORK = 200000000, EVALUATIONS = 6 };

void view_free(view *v)
{
    if (!v) return;
    layout_clear(&v->layout);
    extended_free(v->extended);
    arena_clear(&v->arena);
    alloc_free(v->allocator, v, 1, sizeof *v);
}

/* ---- the extended problem ------------------------------------------------------ */

static dae_status extend(view *v)
{
    const plan *p = v->plan;
    int32_t *c = ARENA_ARRAY(&v->arena, int32_t, p->unknowns);
    if (!c) return DAE_MEMORY;
    for (size_t r = 0; r < p->unknowns; r++) {
        if (!p->row[r]) continue;
        for (size_t k = 0; k < p->row[r]->count; k++) {
            const dae_term *t = &p->row[r]->term[k];
            if (c[t->equation] < t->order) c[t->equation] = t->order;
        }
    }
    const dae_status st = extended_create(
        v->original, c, NULL, TERMS_MOST, v->allocator, &v->extended);
    if (st) return st;
    return v->extended->problem.jacobian ? DAE_OK : DAE_UNSUPPORTED;
}

static dae_status number_factors(view *v)
{
    const plan *p = v->plan;
    size_t count = 0;
    for (size_t r = 0; r < p->unknowns; r++)
        count += plan_varies(p, (int32_t)r);
    v->varying = ARENA_ARRAY(&v->arena, view_varying, count);
    v->varying_of = ARENA_ARRAY(&v->arena, int32_t, p->unknowns);
    if (!v->varying || !v->varying_of) return DAE_MEMORY;
    for (size_t r = 0; r < p->unknowns; r++) {
        v->varying_of[r] = -1;
        if (!plan_varies(p, (int32_t)r)) continue;
        v->varying_of[r] = (int32_t)v->varying_count;
        v->varying[v->varying_count++] = (view_varying){
            .row = (int32_t)r, .first_factor = v->factor_count};
        v->factor_count += p->row[r]->members;
    }
    v->factor = ARENA_ARRAY(&v->arena, double, v->factor_count);
    v->base = ARENA_ARRAY(&v->arena, double, v->factor_count);
    return v->factor && v->base ? DAE_OK : DAE_MEMORY;
}

/* ---- parts ------------------------------------------------------------------------ */

/* A use of an equation of the extended problem in one of the view. */
typedef struct use {
    int32_t row, factor;
    double weight;
} use;

typedef struct use_list {
    size_t *first; /* rows of the extended problem, + 1 */
    use *items;
} use_list;

typedef struct item {
    dae_slot slot;
    int32_t row, column;
    view_part part;
} item;

typedef ARRAY(item) item_list;

/* The terms of an equation of the view, each with the extended problem's row and
 * its factor. */
static size_t term_row(const view *v, size_t row, size_t k, use *out)
{
    const plan_row *r = v->plan->row[row];
    const extended *e = v->extended;
    const dae_term t = r ? r->term[k] : (dae_term){(int32_t)row, 0, 1};
    size_t member = 0;
    *out = (use){(int32_t)row, -1, t.weight};
    if (r && r->members > 1) {
        while (r->start[member + 1] <= k) member++;
        out->factor = (int32_t)(v->varying[v->varying_of[row]].first_factor
            + member);
    }
    return e->row_first[t.equation] + (size_t)t.order;
}

static dae_status list_uses(view *v, use_list *list)
{
    const plan *p = v->plan;
    const size_t rows = v->extended->rows;
    use one;
    size_t *next = ARENA_ARRAY(&v->arena, size_t, rows + 2);
    if (!next) return DAE_MEMORY;
    list->first = next++;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t r = 0; r < p->unknowns; r++) {
            const size_t count = p->row[r] ? p->row[r]->count : 1;
            for (size_t k = 0; k < count; k++) {
                const size_t at = term_row(v, r, k, &one);
                if (pass) list->items[next[at]++] = one;
                else next[at + 1]++;
            }
        }
        if (pass) break;
        for (size_t r = 0; r < rows; r++) next[r + 1] += next[r];
        list->items = ARENA_ARRAY(&v->arena, use, next[rows]);
        if (!list->items) return DAE_MEMORY;
    }
    return DAE_OK;
}

static dae_status list_items(view *v, const use_list *uses, item_list *out)
{
    const extended *e = v->extended;
    const dae_pattern *p = e->problem.pattern;
    if (p->column_start[e->columns] > INT32_MAX) return DAE_LIMIT;
    for (size_t q = 0; q < e->columns; q++) {
        const int32_t j = e->column_unknown[q];
        const dae_slot slot = {j, (int32_t)(q - e->column_first[j])};
        for (int64_t k = p->column_start[q]; k < p->column_start[q + 1]; k++) {
            const size_t row = (size_t)p->row[k];
            for (size_t u = uses->first[row]; u < uses->first[row + 1]; u++) {
                const use *w = &uses->items[u];
                const item one = {
                    slot, w->row, 0, {(int32_t)k, w->factor, w->weight}};
                if (!ARRAY_PUSH(v->allocator, out, one)) return DAE_MEMORY;
            }
        }
    }
    return DAE_OK;
}

static size_t column_of(const view *v, dae_slot s)
{
    const size_t j = (size_t)s.unknown, q = v->layout.order[j];
    return q > 0 && (size_t)s.order == q ? v->layout.states + j
                                         : v->layout.first[j] + (size_t)s.order;
}

static int compare_items(const void *a, const void *b)
{
    const item *x = a, *y = b;
    if (x->column != y->column) return x->column < y->column ? -1 : 1;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    if (x->part.factor != y->part.factor)
        return x->part.factor < y->part.factor ? -1 : 1;
    return (x->part.entry > y->part.entry) - (x->part.entry < y->part.entry);
}

/* The view's own columns: orders are those that occur. */
static dae_status number_columns(view *v, item_list *list)
{
    const size_t rows = v->plan->unknowns;
    uint8_t *order = ARENA_ARRAY(&v->arena, uint8_t, rows);
    if (!order) return DAE_MEMORY;
    for (size_t k = 0; k < list->count; k++) {
        const dae_slot s = list->items[k].slot;
        if (s.order > UINT8_MAX) return DAE_LIMIT;
        if (order[s.unknown] < s.order) order[s.unknown] = (uint8_t)s.order;
    }
    v->problem.self = v;
    v->problem.unknown_count = rows;
    v->problem.order = order;
    const dae_status st = layout_init(&v->layout, &v->problem, v->allocator);
    for (size_t k = 0; k < list->count && !st; k++)
        list->items[k].column = (int32_t)column_of(v, list->items[k].slot);
    return st;
}

static uint8_t kind_of(const view *v, const view_part *p)
{
    const uint8_t *kind = v->extended->problem.pattern->kind;
    return p->factor < 0 && kind ? kind[p->entry] : DAE_ENTRY_VARYING;
}

/* Parts in the same place are one entry. */
static dae_status make_pattern(view *v, const item_list *list)
{
    arena *a = &v->arena;
    const size_t columns = v->layout.states + v->layout.unknowns;
    int64_t *start = ARENA_ARRAY(a, int64_t, columns + 1);
    int32_t *row = ARENA_ARRAY(a, int32_t, list->count);
    uint8_t *kind = ARENA_ARRAY(a, uint8_t, list->count);
    dae_pattern *pattern = ARENA_NEW(a, dae_pattern);
    v->begin = ARENA_ARRAY(a, size_t, list->count + 1);
    v->part = ARENA_ARRAY(a, view_part, list->count);
    if (!start || !row || !kind || !pattern || !v->begin || !v->part)
        return DAE_MEMORY;
    for (size_t k = 0; k < list->count; k++) {
        const item *i = &list->items[k];
        if (k == 0 || i->column != i[-1].column || i->row != i[-1].row) {
            row[v->entries] = i->row;
            kind[v->entries] = DAE_ENTRY_CONSTANT;
            v->begin[v->entries++] = k;
            start[i->column + 1]++;
        }
        const uint8_t own = kind_of(v, &i->part);
        if (own < kind[v->entries - 1]) kind[v->entries - 1] = own;
        v->part[k] = i->part;
    }
    v->begin[v->entries] = list->count;
    for (size_t q = 0; q < columns; q++) start[q + 1] += start[q];
    assert(start[columns] == (int64_t)v->entries);
    *pattern = (dae_pattern){start, row, kind};
    v->problem.pattern = pattern;
    return DAE_OK;
}

static dae_status make_entries(view *v)
{
    use_list uses = {0};
    item_list list = {0};
    dae_status st = list_uses(v, &uses);
    if (!st) st = list_items(v, &uses, &list);
    if (!st) st = number_columns(v, &list);
    if (!st) {
        qsort(list.items, list.count, sizeof *list.items, compare_items);
        st = make_pattern(v, &list);
    }
    ARRAY_FREE(v->allocator, &list);
    return st;
}

static size_t entry_at(const view *v, int32_t row, size_t column)
{
    const dae_pattern *p = v->problem.pattern;
    for (int64_t e = p->column_start[column]; e < p->column_start[column + 1];
         e++)
        if (p->row[e] == row) return (size_t)e;
    return v->entries;
}

static dae_status find_pivots(view *v)
{
    for (size_t k = 0; k < v->varying_count; k++) {
        view_varying *w = &v->varying[k];
        const plan_row *r = v->plan->row[w->row];
        w->pivot = ARENA_ARRAY(&v->arena, size_t, r->pivot_count);
        if (!w->pivot) return DAE_MEMORY;
        for (size_t p = 0; p < r->pivot_count; p++) {
            const dae_slot s = r->pivot[p];
            w->pivot[p] = s.order > v->layout.order[s.unknown]
                ? v->entries
                : entry_at(v, w->row, column_of(v, s));
        }
    }
    return DAE_OK;
}

/* Whether an equation whose weights vary has an entry there. */
static bool column_varies(const view *v, size_t column)
{
    const dae_pattern *p = v->problem.pattern;
    for (int64_t e = p->column_start[column]; e < p->column_start[column + 1];
         e++)
        if (v->varying_of[p->row[e]] >= 0) return true;
    return false;
}

static bool is_too_much(const view *v)
{
    size_t count = 0;
    for (size_t q = 0; q < v->layout.states + v->layout.unknowns; q++)
        count += column_varies(v, q);
    return EVALUATIONS * (double)count * (double)v->begin[v->entries]
        > VARYING_WORK;
}

/* ---- the start ------------------------------------------------------------------ */

static double guess_of(const view *v, size_t j, size_t order)
{
    const dae_start *s = v->original->start;
    const layout *l = v->original_layout;
    if (order < l->first[j + 1] - l->first[j])
        return s->x ? s->x[l->first[j] + order] : 0;
    return order == l->order[j] && s->xp ? s->xp[j] : 0;
}

static dae_status make_start(view *v)
{
    arena *a = &v->arena;
    const layout *l = &v->layout;
    double *x = ARENA_ARRAY(a, double, l->states);
    double *xp = ARENA_ARRAY(a, double, l->unknowns);
    uint8_t *x_fixed = ARENA_ARRAY(a, uint8_t, l->states);
    uint8_t *xp_fixed = ARENA_ARRAY(a, uint8_t, l->unknowns);
    if (!x || !xp || !x_fixed || !xp_fixed) return DAE_MEMORY;
    for (size_t j = 0; j < l->unknowns; j++)
        for (size_t o = 0; o <= l->order[j]; o++) {
            const bool is_top = o > 0 && o == l->order[j];
            *(is_top ? &xp[j] : &x[l->first[j] + o]) = guess_of(v, j, o);
        }
    v->start = (dae_start){.t0 = v->original->start->t0,
        .x = x,
        .xp = xp,
        .x_fixed = x_fixed,
        .xp_fixed = xp_fixed};
    v->problem.start = &v->start;
    return DAE_OK;
}

/* ---- values -------------------------------------------------------------------- */

double view_stray(const view *v, size_t j, size_t order)
{
    return points_number(1, v->extended->column_first[j] + order);
}

/* Slots that occur in derivatives of equations but cancel have any value. */
static void fill_columns(view *v, const double *x, const double *xp)
{
    const layout *l = &v->layout;
    for (size_t j = 0; j < l->unknowns; j++) {
        const size_t begin = v->extended->column_first[j];
        const size_t count = v->extended->column_first[j + 1] - begin;
        for (size_t o = 0; o < count; o++)
            v->extended_x[begin + o] = o > l->order[j] ? view_stray(v, j, o)
                : o > 0 && o == l->order[j]            ? xp[j]
                                                       : x[l->first[j] + o];
    }
}

static dae_status move_values(
    view *v, double t, const double *x, const double *xp)
{
    const dae_problem *p = &v->extended->problem;
    fill_columns(v, x, xp);
    return p->residual(p->self, t, v->extended_x, NULL, v->extended_res);
}

static dae_status move_jacobian(
    view *v, double t, const double *x, const double *xp)
{
    const dae_problem *p = &v->extended->problem;
    fill_columns(v, x, xp);
    return p->jacobian(
        p->self, DAE_ALL, t, v->extended_x, NULL, v->extended_values);
}

static double sum_entry(const view *v, size_t entry, double *magnitude)
{
    double sum = 0, all = 0;
    for (size_t k = v->begin[entry]; k < v->begin[entry + 1]; k++) {
        const view_part *q = &v->part[k];
        double value = q->weight * v->extended_values[q->entry];
        if (q->factor >= 0) value *= v->factor[q->factor];
        sum += value;
        all += fabs(value);
    }
    *magnitude = all;
    return sum;
}

/* The members' partial derivatives by the pivots determine their factors. */
static dae_status find_factors(view *v, const view_varying *w)
{
    const plan_row *r = v->plan->row[w->row];
    const size_t rows = r->members, columns = r->pivot_count;
    const arena_position mark = arena_mark(&v->arena);
    double *m = ARENA_ARRAY(&v->arena, double, rows *columns);
    bool is_found = false;
    dae_status st = m ? DAE_OK : DAE_MEMORY;
    for (size_t p = 0; p < columns && !st; p++) {
        if (w->pivot[p] == v->entries) continue;
        for (size_t k = v->begin[w->pivot[p]]; k < v->begin[w->pivot[p] + 1];
             k++) {
            const view_part *q = &v->part[k];
            const size_t g = (size_t)q->factor - w->first_factor;
            assert(g < rows);
            m[g * columns + p] += q->weight * v->extended_values[q->entry];
        }
    }
    if (!st)
        st = circuit_weights(rows, columns, m, &v->arena,
            v->factor + w->first_factor, &is_found);
    arena_release(&v->arena, mark);
    return st || is_found ? st : DAE_RETRY;
}

dae_status view_move(view *v, double t, const double *x, const double *xp)
{
    dae_status st = move_values(v, t, x, xp);
    if (!st) st = move_jacobian(v, t, x, xp);
    for (size_t k = 0; k < v->varying_count && !st; k++)
        st = find_factors(v, &v->varying[k]);
    return st;
}

double view_value(const view *v, size_t row, double *magnitude)
{
    const plan_row *r = v->plan->row[row];
    const size_t count = r ? r->count : 1;
    double sum = 0, all = 0;
    for (size_t k = 0; k < count; k++) {
        use one;
        const size_t at = term_row(v, row, k, &one);
        const double factor = one.factor < 0 ? 1 : v->factor[one.factor];
        const double value = factor * one.weight * v->extended_res[at];
        sum += value;
        all += fabs(value);
    }
    *magnitude = all;
    return sum;
}

static dae_status residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    view *v = self;
    double magnitude;
    const dae_status st = v->varying_count > 0 ? view_move(v, t, x, xp)
                                               : move_values(v, t, x, xp);
    for (size_t r = 0; r < v->plan->unknowns && !st; r++)
        res[r] = view_value(v, r, &magnitude);
    return st;
}

/* ---- weights that vary --------------------------------------------------------- */

static double size_of(const view *v, size_t column, double value)
{
    const dae_scales *s = v->problem.scales;
    int order;
    const size_t j = naming_unknown(&v->layout, column, &order);
    if (value != 0) return fabs(value);
    return s && s->nominal && s->nominal[j] > 0 ? s->nominal[j] : 1;
}

static bool has_moved(const view *v, const view_varying *w)
{
    const size_t members = v->plan->row[w->row]->members;
    return memcmp(v->factor + w->first_factor, v->base + w->first_factor,
               members * sizeof *v->factor)
        != 0;
}

/* Adds to the differences of a column what its equations are at x, xp. *is_any:
 * some factors are others there. */
static void add_differences(
    view *v, size_t column, double weight, double size, bool *is_any)
{
    const dae_pattern *p = v->problem.pattern;
    for (int64_t e = p->column_start[column]; e < p->column_start[column + 1];
         e++) {
        double magnitude;
        if (v->varying_of[p->row[e]] < 0) continue;
        v->slope[e] += weight * view_value(v, (size_t)p->row[e], &magnitude);
        v->size[e] = fmax(v->size[e], magnitude / size);
        v->moves[e] = v->moves[e]
            || has_moved(v, &v->varying[v->varying_of[p->row[e]]]);
        *is_any = *is_any || v->moves[e];
    }
}

/* The entries of a column that belong to equations whose factors depend on its
 * slot, by differences of sixth order of these equations. */
static dae_status difference_column(
    view *v, double t, size_t column, double *values)
{
    static const double sixth[] = {0.75, -0.15, 1.0 / 60};
    const dae_pattern *p = v->problem.pattern;
    const size_t states = v->layout.states;
    double *slot = column < states ? &v->x[column] : &v->xp[column - states];
    const double size = size_of(v, column, *slot), from = *slot;
    const double h = DIFFERENCE_STEP * size;
    bool is_any = true;
    for (int k = 0; k < EVALUATIONS && is_any; k++) {
        const int sign = k % 2 ? -1 : 1;
        *slot = from + sign * (k / 2 + 1) * h;
        const dae_status st = view_move(v, t, v->x, v->xp);
        *slot = from;
        if (st) return st;
        is_any = false;
        add_differences(v, column, sign * sixth[k / 2] / h, size, &is_any);
    }
    for (int64_t e = p->column_start[column]; e < p->column_start[column + 1];
         e++)
        if (v->moves[e])
            values[e] = fabs(v->slope[e]) <= HALF_DIGITS * v->size[e]
                ? 0
                : v->slope[e];
    return DAE_OK;
}

static dae_status view_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    view *v = self;
    const layout *l = &v->layout;
    const bool varies = v->varying_count > 0;
    dae_status st = varies ? view_move(v, t, x, xp)
                           : move_jacobian(v, t, x, xp);
    (void)scope; /* entries that do not vary get the value they have */
    if (st) return st;
    for (size_t e = 0; e < v->entries; e++) {
        double magnitude;
        const double sum = sum_entry(v, e, &magnitude);
        values[e] = fabs(sum) <= CIRCUIT_ZERO * magnitude ? 0 : sum;
        if (!varies) continue;
        v->size[e] = magnitude;
        v->slope[e] = v->moves[e] = 0;
    }
    if (!varies) return DAE_OK;
    memcpy(v->base, v->factor, v->factor_count * sizeof *v->factor);
    memcpy(v->x, x, l->states * sizeof *x);
    memcpy(v->xp, xp, l->unknowns * sizeof *xp);
    for (size_t q = 0; q < l->states + l->unknowns && !st; q++)
        if (column_varies(v, q)) st = difference_column(v, t, q, values);
    return st;
}

/* ------------------------------------------------------------------------------- */

static dae_status make_rooms(view *v)
{
    arena *a = &v->arena;
    const extended *e = v->extended;
    const size_t entries = (size_t)e->problem.pattern->column_start[e->columns];
    const size_t own = v->varying_count > 0 ? v->entries : 0;
    v->extended_x = ARENA_ARRAY(a, double, e->columns);
    v->extended_res = ARENA_ARRAY(a, double, e->rows);
    v->extended_values = ARENA_ARRAY(a, double, entries);
    v->slope = ARENA_ARRAY(a, double, own);
    v->size = ARENA_ARRAY(a, double, own);
    v->moves = ARENA_ARRAY(a, uint8_t, own);
    v->x = ARENA_ARRAY(a, double, v->layout.states);
    v->xp = ARENA_ARRAY(a, double, v->layout.unknowns);
    const bool has_all = v->extended_x && v->extended_res && v->extended_values
        && v->slope && v->size && v->moves && v->x && v->xp;
    return has_all ? DAE_OK : DAE_MEMORY;
}

static dae_status build(view *v)
{
    dae_status st;
    if ((st = extend(v)) || (st = number_factors(v)) || (st = make_entries(v))
        || (st = find_pivots(v)) || (st = make_rooms(v)))
        return st;
    if (is_too_much(v)) return DAE_LIMIT;
    if (v->original->start && (st = make_start(v))) return st;
    v->problem.scales = v->original->scales;
    v->problem.residual = residual;
    v->problem.jacobian = view_jacobian;
    assert(v->layout.unknowns == v->plan->unknowns);
    return DAE_OK;
}

dae_status view_create(const dae_problem *original, const layout *l,
    const plan *p, const dae_allocator *allocator, view **out)
{
    const dae_allocator *a = alloc_or_default(allocator);
    *out = NULL;
    view *v = alloc_zeroed(a, 1, sizeof *v);
    if (!v) return DAE_MEMORY;
    v->original = original;
    v->original_layout = l;
    v->plan = p;
    v->allocator = a;
    arena_init(&v->arena, a, 0);
    const dae_status st = build(v);
    if (st) view_free(v);
    else *out = v;
    return st;
}
