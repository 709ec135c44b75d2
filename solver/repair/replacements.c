/* On integers and weights alone: each step gives a new plan from the one
 * before, terms merged, so that view.c need know nothing of how it came about.
 * */
#include "repair/replacements.h"
#include "linalg/thresholds.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

dae_status plan_begin(size_t unknowns, arena *a, plan *out)
{
    *out = (plan){.unknowns = unknowns};
    out->row = ARENA_ARRAY(a, plan_row *, unknowns);
    return out->row ? DAE_OK : DAE_MEMORY;
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
    assert(s->count > 0);
    for (size_t k = 0; k < s->count; k++)
        terms += count_terms(from, s->member[k]);
    if (!r) return DAE_MEMORY;
    const bool varies = s->kind == REPAIR_VARYING;
    r->members = varies ? s->count : 1;
    r->pivot = s->pivot;
    r->pivot_count = s->pivot_count;
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
    assert(r->count <= terms && r->start[0] == 0);
    to->row[s->member[s->count - 1]] = r;
    return DAE_OK;
}

dae_status plan_extend(const plan *from, const repair_step *steps, size_t count,
    arena *a, plan *out)
{
    dae_status st = plan_begin(from->unknowns, a, out);
    if (st) return st;
    memcpy(out->row, from->row, from->unknowns * sizeof *from->row);
    for (size_t k = 0; k < count && !st; k++)
        if (!steps[k].is_dropped) st = make_row(from, &steps[k], a, out);
    return st;
}
