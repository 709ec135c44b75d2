/* On integers and weights alone: each step gives a new plan from the one
 * before, terms merged, so that view.c need know nothing of how it came about.
 * */
#include "repair/plan.h"
#include "linalg/thresholds.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

dae_status plan_begin(size_t unknowns, arena *a, plan *out)
{
    *out = (plan){.unknowns = unknowns, .rows = unknowns};
    out->row = ARENA_ARRAY(a, plan_row *, unknowns);
    out->first_change = ARENA_ARRAY(a, int32_t, unknowns);
    if (!out->row || !out->first_change) return DAE_MEMORY;
    for (size_t j = 0; j < unknowns; j++) out->first_change[j] = -1;
    return DAE_OK;
}

bool plan_varies(const plan *p, int32_t row)
{
    return p->row[row] && p->row[row]->members > 1;
}

/* ---- equations ------------------------------------------------------------- */

static size_t count_terms(const plan *p, int32_t row)
{
    return p->row[row] ? p->row[row]->count : 1;
}

/* The terms of the derivative `order` of an equation, times `weight`. */
static void put_terms(const plan *p, int32_t row, int32_t order, double weight,
    dae_term *out, size_t *at)
{
    const plan_row *r = p->row[row];
    if (!r) {
        out[(*at)++] = (dae_term){row, order, weight};
        return;
    }
    for (size_t k = 0; k < r->count; k++)
        out[(*at)++] = (dae_term){r->term[k].equation, r->term[k].order + order,
            r->term[k].weight * weight};
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

static dae_status make_row(
    const plan *from, const repair_step *s, arena *a, plan *to)
{
    size_t terms = 0, at = 0;
    plan_row *r = ARENA_NEW(a, plan_row);
    for (size_t k = 0; k < s->count; k++)
        terms += count_terms(from, s->member[k]);
    if (!r) return DAE_MEMORY;
    const bool varies = s->kind == REPAIR_VARYING;
    r->members = varies ? s->count : 1;
    r->pivot = s->pivot;
    r->pivot_count = s->pivot_count;
    r->born = from->change_count;
    r->term = ARENA_ARRAY(a, dae_term, terms);
    r->start = ARENA_ARRAY(a, size_t, r->members + 1);
    if (!r->term || !r->start) return DAE_MEMORY;
    for (size_t k = 0; k < s->count; k++) {
        const double weight = varies ? 1 : s->weight[k];
        put_terms(from, s->member[k], s->order[k], weight, r->term, &at);
        if (varies) r->start[k + 1] = at;
    }
    r->count = varies ? at : merge_terms(r->term, at);
    r->start[r->members] = r->count;
    to->row[s->member[s->count - 1]] = r;
    return DAE_OK;
}

/* ---- unknowns -------------------------------------------------------------- */

static void chain_change(plan *p, int32_t s)
{
    int32_t *at = &p->first_change[p->change[s].unknown];
    while (*at >= 0) at = &p->change[*at].next;
    *at = s;
}

static void make_changes(const repair_step *s, plan *to)
{
    const size_t last = s->count - 1;
    for (size_t k = 0; k < last; k++) {
        const size_t number = to->change_count++;
        to->change[number] = (plan_change){.unknown = s->member[k],
            .order = s->order[k],
            .other = s->member[last],
            .other_order = s->order[last],
            .factor = s->weight[k],
            .next = -1};
        chain_change(to, (int32_t)number);
    }
}

static size_t count_changes(const repair_step *steps, size_t count)
{
    size_t more = 0;
    for (size_t k = 0; k < count; k++)
        if (steps[k].kind == REPAIR_COLUMNS && !steps[k].is_dropped)
            more += steps[k].count - 1;
    return more;
}

dae_status plan_extend(const plan *from, const repair_step *steps, size_t count,
    arena *a, plan *out)
{
    const size_t more = count_changes(steps, count);
    dae_status st;
    *out = *from;
    out->rows = from->rows + more;
    out->row = ARENA_ARRAY(a, plan_row *, out->rows);
    out->first_change = ARENA_ARRAY(a, int32_t, out->rows);
    out->change = ARENA_ARRAY(a, plan_change, from->change_count + more);
    if (!out->row || !out->first_change || !out->change) return DAE_MEMORY;
    memcpy(out->row, from->row, from->rows * sizeof *from->row);
    memcpy(out->first_change, from->first_change,
        from->rows * sizeof *from->first_change);
    for (size_t k = from->rows; k < out->rows; k++) out->first_change[k] = -1;
    if (from->change_count > 0)
        memcpy(out->change, from->change,
            from->change_count * sizeof *from->change);
    for (size_t k = 0; k < count; k++) {
        if (steps[k].is_dropped) continue;
        if (steps[k].kind == REPAIR_COLUMNS) make_changes(&steps[k], out);
        else if ((st = make_row(from, &steps[k], a, out))) return st;
    }
    return DAE_OK;
}
