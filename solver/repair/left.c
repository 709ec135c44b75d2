/* After the steps of a round: which unknowns really cancel in what is put in
 * and which stay, by entries at generic points. An equation in which nothing
 * stays is redundant or contradictory. */
#include "repair/left.h"
#include "index/points.h"
#include "linalg/naming.h"
#include "linalg/thresholds.h"
#include "repair/circuit.h"
#include "repair/values.h"
#include <math.h>
#include <stdlib.h>

/* Generic: what is 0 there is 0. */
enum { POINT = 32 };

/* Slots of the problem itself in one row: changes of unknowns are left out,
 * and what defines new unknowns adds up to nothing. */
typedef struct slot_list {
    ARRAY(dae_slot) slot;
    ARRAY(uint8_t) is_left;
} slot_list;

/* Goes over the row's slots, at the point where the view is. */
static dae_status look(
    const view *v, const expand_items *items, slot_list *list)
{
    for (size_t k = 0; k < items->count;) {
        const dae_slot slot = items->items[k].slot;
        double sum = 0, magnitude = 0;
        bool is_own = false;
        for (; k < items->count && items->items[k].slot.unknown == slot.unknown
             && items->items[k].slot.order == slot.order;
             k++) {
            double size;
            const view_part *part = &items->items[k].part;
            if (part->entry < 0) continue;
            is_own = true;
            sum += view_sum(v, part, 1, &size);
            magnitude += size;
        }
        if (!is_own) continue;
        const uint8_t is_left = fabs(sum) > CIRCUIT_ZERO * magnitude;
        if (!ARRAY_PUSH(v->allocator, &list->slot, slot)
            || !ARRAY_PUSH(v->allocator, &list->is_left, is_left))
            return DAE_MEMORY;
    }
    return DAE_OK;
}

static dae_status keep(leftover *l, const slot_list *list, arena *a)
{
    size_t count = 0;
    for (size_t k = 0; k < list->slot.count; k++)
        count += !list->is_left.items[k];
    l->cancels = ARENA_ARRAY(a, dae_slot, count);
    if (!l->cancels) return DAE_MEMORY;
    for (size_t k = 0; k < list->slot.count; k++) {
        if (!list->is_left.items[k])
            l->cancels[l->cancel_count++] = list->slot.items[k];
        else if (list->slot.items[k].order > 0) l->has_rate = true;
    }
    return DAE_OK;
}

/* With changes of unknowns a slot of the view is not one of the problem: only
 * the pivots are known to cancel then. */
static dae_status keep_pivots(const view *v, leftover *l, arena *a)
{
    const plan_row *r = v->plan->row[l->row];
    l->has_rate = true;
    l->cancels = ARENA_ARRAY(a, dae_slot, r->pivot_count);
    if (!l->cancels) return DAE_MEMORY;
    for (size_t k = 0; k < r->pivot_count; k++)
        if ((size_t)r->pivot[k].unknown < v->plan->unknowns)
            l->cancels[l->cancel_count++] = r->pivot[k];
    return DAE_OK;
}

static bool is_zero_here(const view *v, int32_t row)
{
    const plan_row *r = v->plan->row[row];
    double sum = 0, all = 0, magnitude;
    size_t factor = 0;
    for (size_t k = 0; k < v->varying_count; k++)
        if (v->varying[k].row == row) factor = v->varying[k].first_factor;
    for (size_t g = 0; g < r->members; g++) {
        const double f = r->members > 1 ? v->factor[factor + g] : 1;
        sum += f
            * view_value(v, r->term + r->start[g],
                r->start[g + 1] - r->start[g], &magnitude);
        all += fabs(f) * magnitude;
    }
    return fabs(sum) <= CIRCUIT_ZERO * all;
}

/* In changed unknowns the slots of the view are not those of the problem. */
static dae_status look_expanded(
    view *v, leftover *list, size_t count, slot_list *slots)
{
    expand_items items = {0};
    dae_status st = DAE_OK;
    for (size_t k = 0; k < count && !st; k++) {
        if (plan_varies(v->plan, list[k].row)) continue;
        st = expand_row(v, list[k].row, 0, &items);
        if (!st) st = look(v, &items, &slots[k]);
    }
    ARRAY_FREE(v->allocator, &items);
    return st;
}

/* Otherwise the view's own entries tell, zeros among them. `place` is where
 * each row stands in the list, or -1. */
static dae_status look_entries(
    const view *v, const sampler *s, const int32_t *place, slot_list *slots)
{
    const dae_pattern *p = v->problem.pattern;
    const size_t columns = v->layout.states + v->layout.unknowns;
    for (size_t q = 0; q < columns; q++) {
        int order;
        const size_t j = naming_unknown(&v->layout, q, &order);
        const dae_slot slot = {(int32_t)j, order};
        for (int64_t e = p->column_start[q]; e < p->column_start[q + 1]; e++) {
            if (place[p->row[e]] < 0) continue;
            slot_list *l = &slots[place[p->row[e]]];
            const uint8_t is_left = sampler_values(s)[e] != 0;
            if (!ARRAY_PUSH(v->allocator, &l->slot, slot)
                || !ARRAY_PUSH(v->allocator, &l->is_left, is_left))
                return DAE_MEMORY;
        }
    }
    return DAE_OK;
}

static dae_status examine(
    view *v, leftover *list, size_t count, slot_list *slots, arena *a)
{
    sampler *s;
    int32_t *place = ARENA_ARRAY(a, int32_t, v->plan->rows);
    if (!place) return DAE_MEMORY;
    for (size_t i = 0; i < v->plan->rows; i++) place[i] = -1;
    for (size_t k = 0; k < count; k++) place[list[k].row] = (int32_t)k;
    dae_status st = sampler_create(&v->problem, &v->layout, v->allocator, &s);
    if (!st) st = points_sample(s, POINT);
    if (!st) st = view_move(v, s->t, s->x, s->xp, VIEW_JACOBIAN | VIEW_VALUES);
    for (size_t k = 0; k < count && !st; k++)
        list[k].is_zero = is_zero_here(v, list[k].row);
    if (!st)
        st = v->plan->change_count > 0 ? look_expanded(v, list, count, slots)
                                       : look_entries(v, s, place, slots);
    sampler_free(s);
    return st;
}

static int compare_slots(const void *a, const void *b)
{
    const dae_slot *x = a, *y = b;
    if (x->unknown != y->unknown) return x->unknown < y->unknown ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

dae_status leftover_find(view *v, leftover *list, size_t count, arena *a)
{
    slot_list *slots = ARENA_ARRAY(a, slot_list, count);
    if (!slots) return DAE_MEMORY;
    for (size_t k = 0; k < count; k++) list[k] = (leftover){.row = list[k].row};
    dae_status st = examine(v, list, count, slots, a);
    for (size_t k = 0; k < count; k++) {
        if (!st)
            st = plan_varies(v->plan, list[k].row) && v->plan->change_count > 0
                ? keep_pivots(v, &list[k], a)
                : keep(&list[k], &slots[k], a);
        if (!st)
            qsort(list[k].cancels, list[k].cancel_count,
                sizeof *list[k].cancels, compare_slots);
        ARRAY_FREE(v->allocator, &slots[k].slot);
        ARRAY_FREE(v->allocator, &slots[k].is_left);
    }
    return st;
}
