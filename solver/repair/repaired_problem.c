/* Made for each plan that is tried: lists once, from the pattern of the
 * extended problem, what values.c adds up at each point. */
#include "repair/repaired_problem.h"
#include "index/generic_points.h"
#include "repair/repaired_values.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Summands of entries of the extended Jacobian: about 2 GiB. */
enum { TERMS_MOST = 40000000 };
/* Rows that vary ask for an evaluation per entry, and six where their weights
 * depend on it; so many entries may be made for one Jacobian. */
enum { VARYING_WORK = 200000000 };

void view_free(view *v)
{
    if (!v) return;
    layout_clear(&v->layout);
    extended_free(v->extended);
    ARRAY_FREE(v->allocator, &v->parts);
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

static dae_status transpose(view *v)
{
    const extended *e = v->extended;
    const dae_pattern *p = e->problem.pattern;
    const int64_t entries = p->column_start[e->columns];
    if (entries > INT32_MAX) return DAE_LIMIT;
    v->by_row.start = ARENA_ARRAY(&v->arena, int64_t, e->rows + 2);
    v->by_row.entry = ARENA_ARRAY(&v->arena, int32_t, (size_t)entries);
    v->by_row.column = ARENA_ARRAY(&v->arena, int32_t, (size_t)entries);
    if (!v->by_row.start || !v->by_row.entry || !v->by_row.column)
        return DAE_MEMORY;
    int64_t *start = v->by_row.start + 1;
    for (int64_t k = 0; k < entries; k++) start[p->row[k] + 1]++;
    for (size_t r = 0; r < e->rows; r++) start[r + 1] += start[r];
    for (size_t q = 0; q < e->columns; q++) {
        for (int64_t k = p->column_start[q]; k < p->column_start[q + 1]; k++) {
            const int64_t at = start[p->row[k]]++;
            v->by_row.entry[at] = (int32_t)k;
            v->by_row.column[at] = (int32_t)q;
        }
    }
    return DAE_OK;
}

/* ---- parts, by rows ------------------------------------------------------------ */

/* One summand of a partial derivative. */
typedef struct expand_item {
    dae_slot slot;
    int32_t member;
    view_part part;
} expand_item;
typedef ARRAY(expand_item) expand_items;
typedef ARRAY(view_entry) view_entries;

static dae_status add_term(const view *v, const dae_term *t, int32_t member,
    int32_t factor, expand_items *out)
{
    const extended *e = v->extended;
    const size_t row = e->row_first[t->equation] + (size_t)t->order;
    assert(row < e->row_first[t->equation + 1]);
    for (int64_t k = v->by_row.start[row]; k < v->by_row.start[row + 1]; k++) {
        const int32_t column = v->by_row.column[k];
        const int32_t j = e->column_unknown[column];
        const expand_item item = {{j, column - (int32_t)e->column_first[j]},
            member, {v->by_row.entry[k], factor, t->weight}};
        if (!ARRAY_PUSH(v->allocator, out, item)) return DAE_MEMORY;
    }
    return DAE_OK;
}

static int compare_items(const void *a, const void *b)
{
    const expand_item *x = a, *y = b;
    if (x->slot.unknown != y->slot.unknown)
        return x->slot.unknown < y->slot.unknown ? -1 : 1;
    if (x->slot.order != y->slot.order)
        return x->slot.order < y->slot.order ? -1 : 1;
    if (x->member != y->member) return x->member < y->member ? -1 : 1;
    if (x->part.entry != y->part.entry)
        return x->part.entry < y->part.entry ? -1 : 1;
    return (x->part.weight > y->part.weight)
        - (x->part.weight < y->part.weight);
}

/* A row as it was is in order as it comes. */
static void sort_items(expand_items *list)
{
    size_t k = 1;
    while (k < list->count
        && compare_items(&list->items[k - 1], &list->items[k]) <= 0)
        k++;
    if (k < list->count)
        qsort(list->items, list->count, sizeof *list->items, compare_items);
}

static size_t first_factor(const view *v, int32_t row)
{
    for (size_t k = 0; k < v->varying_count; k++)
        if (v->varying[k].row == row) return v->varying[k].first_factor;
    return 0;
}

/* All summands of a row, sorted by slot. */
static dae_status expand_row(const view *v, int32_t row, expand_items *out)
{
    const plan_row *r = v->plan->row[row];
    const dae_term alone = {row, 0, 1};
    const size_t members = r ? r->members : 1;
    const size_t factor = members > 1 ? first_factor(v, row) : 0;
    dae_status st;
    out->count = 0;
    for (size_t g = 0; g < members; g++) {
        const int32_t f = members > 1 ? (int32_t)(factor + g) : -1;
        const size_t begin = r ? r->start[g] : 0, end = r ? r->start[g + 1] : 1;
        for (size_t k = begin; k < end; k++) {
            const dae_term *t = r ? &r->term[k] : &alone;
            if ((st = add_term(v, t, (int32_t)g, f, out))) return st;
        }
    }
    sort_items(out);
    return DAE_OK;
}

static uint8_t kind_of(const view *v, const view_part *p)
{
    const uint8_t *kind = v->extended->problem.pattern->kind;
    if (p->factor >= 0) return DAE_ENTRY_VARYING;
    return kind ? kind[p->entry] : DAE_ENTRY_VARYING;
}

/* Summands by the same slot are one entry. */
static dae_status collect(
    view *v, int32_t row, const expand_items *items, view_entries *out)
{
    for (size_t k = 0; k < items->count;) {
        view_entry e = {row, items->items[k].slot, DAE_ENTRY_CONSTANT,
            v->parts.count, v->parts.count};
        if (e.slot.order > UINT8_MAX) return DAE_LIMIT;
        for (;
             k < items->count && items->items[k].slot.unknown == e.slot.unknown
             && items->items[k].slot.order == e.slot.order;
             k++) {
            const view_part *part = &items->items[k].part;
            const uint8_t kind = kind_of(v, part);
            if (kind < e.kind) e.kind = kind;
            if (!ARRAY_PUSH(v->allocator, &v->parts, *part)) return DAE_MEMORY;
        }
        e.end = v->parts.count;
        if (!ARRAY_PUSH(v->allocator, out, e)) return DAE_MEMORY;
    }
    return DAE_OK;
}

/* Entries and parts of all rows, in the order of rows and slots. */
static dae_status expand_all(view *v, view_entries *out)
{
    expand_items items = {0};
    dae_status st = DAE_OK;
    for (size_t r = 0; r < v->plan->unknowns && !st; r++) {
        st = expand_row(v, (int32_t)r, &items);
        if (!st) st = collect(v, (int32_t)r, &items, out);
    }
    ARRAY_FREE(v->allocator, &items);
    return st;
}

/* ---- the pattern --------------------------------------------------------------- */

static size_t column_of(const view *v, dae_slot s)
{
    const size_t j = (size_t)s.unknown, q = v->layout.order[j];
    return q > 0 && (size_t)s.order == q ? v->layout.states + j
                                         : v->layout.first[j] + (size_t)s.order;
}

static dae_status number_slots(view *v, const view_entries *list)
{
    const size_t rows = v->plan->unknowns;
    uint8_t *order = ARENA_ARRAY(&v->arena, uint8_t, rows);
    if (!order) return DAE_MEMORY;
    for (size_t k = 0; k < list->count; k++) {
        const dae_slot s = list->items[k].slot;
        if (order[s.unknown] < s.order) order[s.unknown] = (uint8_t)s.order;
    }
    v->problem.self = v;
    v->problem.unknown_count = rows;
    v->problem.order = order;
    return layout_init(&v->layout, &v->problem, v->allocator);
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
        next[column_of(v, list->items[k].slot) + 1]++;
    for (size_t q = 0; q < columns; q++) next[q + 1] += next[q];
    for (size_t k = 0; k < list->count; k++) {
        const view_entry *e = &list->items[k];
        const size_t at = (size_t)next[column_of(v, e->slot)]++;
        row[at] = e->row;
        kind[at] = e->kind;
        v->begin[at] = e->begin;
        v->end[at] = e->end;
    }
    *pattern = (dae_pattern){start, row, kind};
    v->problem.pattern = pattern;
    return DAE_OK;
}

/* ---- rows that vary ------------------------------------------------------------ */

static dae_status count_varying(view *v)
{
    const plan *p = v->plan;
    size_t count = 0;
    for (size_t r = 0; r < p->unknowns; r++)
        count += plan_varies(p, (int32_t)r);
    v->varying = ARENA_ARRAY(&v->arena, view_varying, count);
    if (!v->varying) return DAE_MEMORY;
    for (size_t r = 0; r < p->unknowns; r++) {
        if (!plan_varies(p, (int32_t)r)) continue;
        v->varying[v->varying_count++] = (view_varying){
            .row = (int32_t)r, .first_factor = v->factor_count};
        v->factor_count += p->row[r]->members;
    }
    v->factor = ARENA_ARRAY(&v->arena, double, v->factor_count);
    v->moved = ARENA_ARRAY(&v->arena, double, v->factor_count);
    return v->factor && v->moved ? DAE_OK : DAE_MEMORY;
}

static dae_status list_entries(view *v, view_varying *w, const view_entries *l)
{
    arena *a = &v->arena;
    const size_t members = v->plan->row[w->row]->members;
    size_t count = 0;
    for (size_t k = 0; k < l->count; k++) count += l->items[k].row == w->row;
    w->entry = ARENA_ARRAY(a, size_t, count);
    w->column = ARENA_ARRAY(a, size_t, count);
    w->sum = ARENA_ARRAY(a, double, count);
    w->magnitude = ARENA_ARRAY(a, double, count);
    w->base = ARENA_ARRAY(a, double, members);
    w->value = ARENA_ARRAY(a, double, members);
    if (!w->entry || !w->column || !w->sum || !w->magnitude || !w->base
        || !w->value)
        return DAE_MEMORY;
    const dae_pattern *p = v->problem.pattern;
    for (size_t k = 0; k < l->count; k++) {
        if (l->items[k].row != w->row) continue;
        const size_t column = column_of(v, l->items[k].slot);
        for (int64_t e = p->column_start[column]; p->row[e] <= w->row; e++) {
            w->entry[w->entry_count] = (size_t)e;
            if (p->row[e] == w->row) break;
        }
        w->column[w->entry_count++] = column;
    }
    return DAE_OK;
}

/* The summands of each member's partial derivative by each pivot. */
static dae_status list_pivots(view *v, view_varying *w, expand_items *items)
{
    arena *a = &v->arena;
    const plan_row *r = v->plan->row[w->row];
    const size_t size = r->pivot_count;
    size_t at = 0, cell = 0;
    const dae_status st = expand_row(v, w->row, items);
    if (st) return st;
    w->pivot_begin = ARENA_ARRAY(a, size_t, r->members * size + 1);
    w->pivot_part = ARENA_ARRAY(a, view_part, items->count);
    if (!w->pivot_begin || !w->pivot_part) return DAE_MEMORY;
    for (size_t g = 0; g < r->members; g++) {
        for (size_t p = 0; p < size; p++) {
            for (size_t k = 0; k < items->count; k++) {
                const expand_item *i = &items->items[k];
                if (i->member == (int32_t)g
                    && i->slot.unknown == r->pivot[p].unknown
                    && i->slot.order == r->pivot[p].order)
                    w->pivot_part[at++] = i->part;
            }
            w->pivot_begin[++cell] = at;
        }
    }
    return DAE_OK;
}

static dae_status make_varying(view *v, const view_entries *list)
{
    expand_items items = {0};
    size_t largest = 1;
    double work = (double)v->varying_count * (double)v->parts.count;
    dae_status st = work > VARYING_WORK ? DAE_LIMIT : DAE_OK;
    for (size_t k = 0; k < v->varying_count && !st; k++) {
        view_varying *w = &v->varying[k];
        const plan_row *r = v->plan->row[w->row];
        const size_t cells = r->members * r->pivot_count;
        if (cells > largest) largest = cells;
        st = list_entries(v, w, list);
        if (!st) st = list_pivots(v, w, &items);
        work += 7.0 * (double)w->entry_count * (double)v->parts.count;
    }
    ARRAY_FREE(v->allocator, &items);
    if (st) return st;
    v->work = ARENA_ARRAY(&v->arena, double, largest *largest);
    if (!v->work) return DAE_MEMORY;
    return work > VARYING_WORK ? DAE_LIMIT : DAE_OK;
}

/* ---- slots --------------------------------------------------------------------- */

static dae_status make_slots(view *v)
{
    arena *a = &v->arena;
    const plan *p = v->plan;
    const extended *e = v->extended;
    v->slot_first = ARENA_ARRAY(a, size_t, p->unknowns + 1);
    if (!v->slot_first) return DAE_MEMORY;
    for (size_t j = 0; j < p->unknowns; j++) {
        const size_t width = (size_t)v->layout.order[j] + 1;
        const size_t more = e->column_first[j + 1] - e->column_first[j];
        v->slot_first[j + 1] = v->slot_first[j] + (more > width ? more : width);
    }
    const size_t slots = v->slot_first[p->unknowns];
    v->slot = ARENA_ARRAY(a, double, slots);
    v->stray = ARENA_ARRAY(a, double, slots);
    if (!v->slot || !v->stray) return DAE_MEMORY;
    for (size_t k = 0; k < slots; k++) v->stray[k] = points_number(1, k);
    return DAE_OK;
}

static dae_status make_rooms(view *v)
{
    arena *a = &v->arena;
    const extended *e = v->extended;
    const size_t entries = (size_t)e->problem.pattern->column_start[e->columns];
    v->extended_x = ARENA_ARRAY(a, double, e->columns);
    v->extended_res = ARENA_ARRAY(a, double, e->rows);
    v->extended_values = ARENA_ARRAY(a, double, entries);
    v->x = ARENA_ARRAY(a, double, v->layout.states);
    v->xp = ARENA_ARRAY(a, double, v->layout.unknowns);
    const bool has_all = v->extended_x && v->extended_res && v->extended_values
        && v->x && v->xp;
    return has_all ? DAE_OK : DAE_MEMORY;
}

/* ---- what is known of the unknowns --------------------------------------------- */

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

static dae_status build(view *v)
{
    view_entries list = {0};
    dae_status st;
    if ((st = extend(v))) return st;
    if ((st = transpose(v))) return st;
    if ((st = count_varying(v))) return st;
    st = expand_all(v, &list);
    if (!st) st = number_slots(v, &list);
    if (!st) st = make_pattern(v, &list);
    if (!st) st = make_varying(v, &list);
    ARRAY_FREE(v->allocator, &list);
    if (st) return st;
    if ((st = make_slots(v))) return st;
    if ((st = make_rooms(v))) return st;
    if (v->original->start && (st = make_start(v))) return st;
    v->problem.scales = v->original->scales;
    assert(v->layout.unknowns == v->plan->unknowns);
    v->problem.residual = view_residual;
    v->problem.jacobian = view_jacobian;
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
