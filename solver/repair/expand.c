/* From a plan to the summands of partial derivatives. */
#include "repair/view.h"
#include <stdlib.h>

/* Changes turn one summand into two until none applies; what has been put at
 * the end gets its turn. */
static dae_status apply_changes(
    const view *v, size_t begin, size_t changes, expand_items *out)
{
    const plan *p = v->plan;
    for (size_t k = begin; k < out->count; k++) {
        expand_item item = out->items[k];
        for (;;) {
            int32_t s = p->first_change[item.slot.unknown];
            while (s >= 0
                && (s < item.from || item.slot.order < p->change[s].order))
                s = p->change[s].next;
            if (s < 0 || (size_t)s >= changes) break;
            const plan_change *c = &p->change[s];
            const int32_t more = item.slot.order - c->order;
            expand_item other = item;
            item.from = other.from = s + 1;
            item.slot = (dae_slot){(int32_t)p->unknowns + s, more};
            other.slot = (dae_slot){c->other, c->other_order + more};
            other.part.weight *= c->factor;
            if (!ARRAY_PUSH(v->allocator, out, other)) return DAE_MEMORY;
        }
        out->items[k] = item;
    }
    return DAE_OK;
}

/* 0 = y - x_j^(a) + k*x_l^(b), differentiated. */
static dae_status add_definition(const view *v, const dae_term *t,
    int32_t member, int32_t factor, expand_items *out)
{
    const int32_t s = t->equation - (int32_t)v->plan->unknowns;
    const plan_change *c = &v->plan->change[s];
    const expand_item items[] = {
        {{t->equation, t->order}, s + 1, member, {-1, factor, t->weight}},
        {{c->unknown, c->order + t->order}, s + 1, member,
            {-1, factor, -t->weight}},
        {{c->other, c->other_order + t->order}, s + 1, member,
            {-1, factor, t->weight * c->factor}}};
    for (int k = 0; k < 3; k++)
        if (!ARRAY_PUSH(v->allocator, out, items[k])) return DAE_MEMORY;
    return DAE_OK;
}

static dae_status add_term(const view *v, const dae_term *t, int32_t member,
    int32_t factor, expand_items *out)
{
    const extended *e = v->extended;
    if ((size_t)t->equation >= v->plan->unknowns)
        return add_definition(v, t, member, factor, out);
    const size_t row = e->row_first[t->equation] + (size_t)t->order;
    for (int64_t k = v->row_start[row]; k < v->row_start[row + 1]; k++) {
        const int32_t column = v->row_column[k];
        const int32_t j = e->column_unknown[column];
        const expand_item item = {{j, column - (int32_t)e->column_first[j]}, 0,
            member, {v->row_entry[k], factor, t->weight}};
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

dae_status expand_row(
    const view *v, int32_t row, size_t changes, expand_items *out)
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
    if ((st = apply_changes(v, 0, changes, out))) return st;
    sort_items(out);
    return DAE_OK;
}

static uint8_t kind_of(const view *v, const view_part *p)
{
    const uint8_t *kind = v->extended->problem.pattern->kind;
    if (p->factor >= 0) return DAE_ENTRY_VARYING;
    if (p->entry < 0) return DAE_ENTRY_CONSTANT;
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

dae_status expand_all(view *v, view_entries *out)
{
    expand_items items = {0};
    dae_status st = DAE_OK;
    for (size_t r = 0; r < v->plan->rows && !st; r++) {
        st = expand_row(v, (int32_t)r, v->plan->change_count, &items);
        if (!st) st = collect(v, (int32_t)r, &items, out);
    }
    ARRAY_FREE(v->allocator, &items);
    return st;
}
