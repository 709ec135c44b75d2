/* Beside index/manifold: where equations are affine there is nothing to go to
 * before ranks are taken, which is as well, as a point in unknown units may be
 * hard to find. */
#include "index/affine.h"

#include "index/points.h"
#include "index/sampler.h"
#include <string.h>

/* As parts of the unknowns' sizes. */
static const double DISTANCES[] = {1, 30, 1000};
enum { DISTANCE_COUNT = sizeof DISTANCES / sizeof *DISTANCES };

static bool has_kinks(const dae_problem *p)
{
    for (size_t i = 0; p->smoothness && i < p->unknown_count; i++)
        if (p->smoothness[i] != DAE_SMOOTH) return true;
    return false;
}

/* The entries at a point of this number; DAE_RETRY: there are none. */
static dae_status evaluate(const array_work *w, sampler *s, unsigned number)
{
    const layout *l = &w->layout;
    s->t = w->t;
    for (size_t j = 0; j < l->unknowns; j++) {
        const double size = DISTANCES[number] * w->size[j];
        for (size_t o = 0; o <= l->order[j]; o++)
            *sampler_slot(s, j, o) = size
                * points_number(300 + number, 256 * j + o);
    }
    return sampler_evaluate(s);
}

static dae_status compare(array_work *w, sampler *s, double *first)
{
    const size_t bytes = sampler_entries(s) * sizeof *first;
    dae_status st = evaluate(w, s, 0);
    if (st) return st;
    memcpy(first, sampler_values(s), bytes);
    for (unsigned k = 1; k < DISTANCE_COUNT; k++) {
        if ((st = evaluate(w, s, k))) return st;
        if (memcmp(first, sampler_values(s), bytes) != 0) return DAE_OK;
    }
    w->is_affine = true;
    return DAE_OK;
}

dae_status affine_find(array_work *w)
{
    const dae_problem *p = w->q->problem;
    sampler *s;
    w->is_affine = false;
    if (!p->jacobian || has_kinks(p)) return DAE_OK;
    dae_status st = sampler_create(p, &w->layout, w->allocator, &s);
    if (st) return st;
    const size_t entries = sampler_entries(s);
    double *first = alloc_zeroed(w->allocator, entries, sizeof *first);
    st = first ? compare(w, s, first) : DAE_MEMORY;
    alloc_free(w->allocator, first, entries, sizeof *first);
    sampler_free(s);
    return st == DAE_RETRY ? DAE_OK : st;
}
