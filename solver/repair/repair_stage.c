/* What a round begins with and ends with. Certificates of the last stage are
 * those of the analysis. */
#include "repair/repair_stage.h"
#include <assert.h>
#include <math.h>

void stage_clear(stage *s, const dae_allocator *a)
{
    if (s->structure && s->certificates)
        alloc_free(a, s->certificates, s->structure->fine_count,
            sizeof *s->certificates);
    dae_structure_free(s->structure);
    signature_free(s->signature);
    view_free(s->view);
    *s = (stage){0};
}

blocks_request stage_request(const stage *s, const blocks_request *given)
{
    blocks_request q = *given;
    if (!s->view) return q;
    q.problem = &s->view->problem;
    q.layout = &s->view->layout;
    q.signature = s->signature;
    q.structure = s->structure;
    return q;
}

/* ---- the index ------------------------------------------------------------------ */

/* An equation of the problem is needed as often as each that it is part of
 * asks for. */
void stage_derivatives(const stage *s, int32_t *differentiate)
{
    const plan *p = &s->plan;
    for (size_t r = 0; r < p->unknowns; r++) {
        const plan_row *row = p->row[r];
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

static bool is_visible(const dae_problem *p, size_t j)
{
    return !p->index_group || p->index_group[j] != 255;
}

/* How often equations of the problem are differentiated to determine the
 * highest derivatives of its unknowns, once more where an algebraic one is
 * determined itself; where a repair has taken away the highest derivatives of
 * an unknown, more have to give them back. */
static int64_t bound_index(
    const stage *s, const blocks_request *given, const int32_t *differentiate)
{
    const dae_problem *p = given->problem;
    const dae_structure *structure = stage_request(s, given).structure;
    int64_t most = 0, back = 0;
    for (size_t j = 0; j < p->unknown_count; j++) {
        if (!is_visible(p, j)) continue;
        const int64_t c = s->view ? differentiate[j] : structure->c[j];
        const int64_t order = given->layout->order[j];
        const int64_t lost = (order > 0 ? order : 1) - structure->d[j];
        if (c > most) most = c;
        if (lost > back) back = lost;
    }
    return most + back;
}

dae_status stage_find_index(stage *s, const blocks_request *given, arena *a)
{
    const size_t n = given->problem->unknown_count;
    int32_t *differentiate = ARENA_ARRAY(a, int32_t, n);
    if (!differentiate) return DAE_MEMORY;
    if (s->view) stage_derivatives(s, differentiate);
    s->index = bound_index(s, given, differentiate);
    return DAE_OK;
}

/* ---- certificates ---------------------------------------------------------------- */

dae_status stage_certify(stage *s, const blocks_request *given)
{
    const blocks_request q = stage_request(s, given);
    s->certificates = alloc_zeroed(
        q.allocator, s->structure->fine_count, sizeof *s->certificates);
    if (!s->certificates) return DAE_MEMORY;
    return blocks_certify(&q, s->certificates, NULL);
}

/* What is not known is taken anywhere: derivative `order` of an unknown. */
static double value_of(const view *v, const double *values, const size_t *first,
    size_t j, size_t order)
{
    const double known = order < first[j + 1] - first[j]
        ? values[first[j] + order]
        : (double)NAN;
    return isfinite(known) ? known : v->stray[v->slot_first[j] + order];
}

/* The view's point from the problem's slots. */
static void fill_point(const view *v, const double *values, const size_t *first,
    double *x, double *xp)
{
    const layout *l = &v->layout;
    for (size_t j = 0; j < l->unknowns; j++)
        for (size_t o = 0; o <= l->order[j]; o++) {
            const bool is_top = o > 0 && o == l->order[j];
            assert(o < v->slot_first[j + 1] - v->slot_first[j]);
            *(is_top ? &xp[j] : &x[l->first[j] + o]) = value_of(
                v, values, first, j, o);
        }
}

/* Weights that are not determined at the point: the block has less rank there
 * than it has in general. */
static void mark_varying(const stage *s, dae_certificate *certificates)
{
    const dae_structure *at = s->structure;
    for (size_t f = 0; f < at->fine_count; f++)
        for (int32_t k = at->fine[f].begin; k < at->fine[f].end; k++)
            if (plan_varies(&s->plan, at->row_at[k])
                && certificates[f] != DAE_SINGULAR)
                certificates[f] = DAE_SINGULAR_HERE;
}

dae_status stage_certify_at(const stage *s, const blocks_request *given,
    double t, const double *values, const size_t *first,
    dae_certificate *certificates)
{
    const blocks_request q = stage_request(s, given);
    const view *v = s->view;
    const layout *l = &v->layout;
    dae_status st = DAE_MEMORY;
    double *x = alloc_zeroed(q.allocator, l->states, sizeof *x);
    double *xp = alloc_zeroed(q.allocator, l->unknowns, sizeof *xp);
    if (x && xp) {
        fill_point(v, values, first, x, xp);
        st = view_move(s->view, t, x, xp, VIEW_JACOBIAN);
        if (st == DAE_RETRY) {
            st = DAE_OK;
            if (v->lacks_factors) mark_varying(s, certificates);
        } else if (!st) {
            st = blocks_certify_at(&q, t, x, xp, certificates, NULL);
        }
    }
    alloc_free(q.allocator, x, l->states, sizeof *x);
    alloc_free(q.allocator, xp, l->unknowns, sizeof *xp);
    return st;
}
