/* After the steps of a round: which unknowns really cancel in what is put in
 * and which stay, by entries at generic points. An equation in which nothing
 * stays is redundant or contradictory. */
#include "repair/cancellation.h"
#include "index/generic_points.h"
#include "linalg/naming.h"
#include "linalg/thresholds.h"
#include "repair/repaired_values.h"
#include "repair/row_dependency.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Generic: what is 0 there is 0. */
enum { POINT = 32 };

/* Slots of one row. */
typedef struct slot_list {
    ARRAY(dae_slot) slot;
    ARRAY(uint8_t) is_left;
} slot_list;

static dae_status keep(leftover *l, const slot_list *list, arena *a)
{
    size_t count = 0;
    assert(list->slot.count == list->is_left.count);
    for (size_t k = 0; k < list->slot.count; k++)
        count += !list->is_left.items[k];
    l->cancels = ARENA_ARRAY(a, dae_slot, count);
    if (!l->cancels) return DAE_MEMORY;
    for (size_t k = 0; k < list->slot.count; k++) {
        if (!list->is_left.items[k])
            l->cancels[l->cancel_count++] = list->slot.items[k];
        else if (list->slot.items[k].order > 0) l->has_rate = true;
    }
    assert(l->cancel_count == count);
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

/* The view's own entries tell, zeros among them. `place` is where each row stands
 * in the list, or -1. */
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
    int32_t *place = ARENA_ARRAY(a, int32_t, v->plan->unknowns);
    if (!place) return DAE_MEMORY;
    for (size_t i = 0; i < v->plan->unknowns; i++) place[i] = -1;
    for (size_t k = 0; k < count; k++) place[list[k].row] = (int32_t)k;
    dae_status st = sampler_create(&v->problem, &v->layout, v->allocator, &s);
    if (!st) st = points_sample(s, POINT);
    if (!st) st = view_move(v, s->t, s->x, s->xp, VIEW_JACOBIAN | VIEW_VALUES);
    for (size_t k = 0; k < count && !st; k++)
        list[k].is_zero = is_zero_here(v, list[k].row);
    if (!st) st = look_entries(v, s, place, slots);
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
        if (!st) st = keep(&list[k], &slots[k], a);
        if (!st)
            qsort(list[k].cancels, list[k].cancel_count,
                sizeof *list[k].cancels, compare_slots);
        ARRAY_FREE(v->allocator, &slots[k].slot);
        ARRAY_FREE(v->allocator, &slots[k].is_left);
    }
    return st;
}
