/* Union and find over the signature; what repairs add is put where it belongs by
 * the pairs of the repaired structure. */
#include "analysis/components.h"
#include <assert.h>
#include <string.h>

/* ---- which belong together ------------------------------------------------------ */

static int32_t root_of(int32_t *parent, int32_t k)
{
    while (parent[k] != k) {
        parent[k] = parent[parent[k]];
        k = parent[k];
    }
    return k;
}

/* The smaller number stays the root. */
static void join(int32_t *parent, int32_t a, int32_t b)
{
    a = root_of(parent, a);
    b = root_of(parent, b);
    if (a < b) parent[b] = a;
    else parent[a] = b;
}

/* Joins the equations that an unknown occurs in: equation i is i, unknown j is
 * the equation that determines it. */
static void join_all(const analysis *a, int32_t *parent)
{
    const signature *s = a->signature;
    const int32_t *of = a->structure->matching.row_of;
    for (size_t j = 0; j < a->problem->unknown_count; j++)
        for (int64_t p = s->column_start[j]; p < s->column_start[j + 1]; p++)
            join(parent, of[j], s->row[p]);
}

/* Numbers the components by their first equations; how many there are. */
static size_t number(int32_t *parent, size_t n, int32_t *of)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        const int32_t root = root_of(parent, (int32_t)i);
        of[i] = root == (int32_t)i ? (int32_t)count++ : of[root];
    }
    return count;
}

static dae_status list_members(analysis *a, size_t count)
{
    const size_t n = a->problem->unknown_count;
    const int32_t *row_of = a->structure->matching.row_of;
    int32_t *equations = ARENA_ARRAY(&a->memory, int32_t, n);
    int32_t *unknowns = ARENA_ARRAY(&a->memory, int32_t, n);
    size_t *next = ARENA_ARRAY(&a->memory, size_t, 2 * (count + 1));
    a->components = ARENA_ARRAY(&a->memory, component, count);
    if (!equations || !unknowns || !next || !a->components) return DAE_MEMORY;
    a->component_count = count;
    for (size_t i = 0; i < n; i++) next[a->component_of[i] + 1]++;
    for (size_t k = 0; k < count; k++) {
        component *c = &a->components[k];
        c->count = next[k + 1];
        next[k + 1] += next[k];
        c->equations = equations + next[k];
        c->unknowns = unknowns + next[k];
    }
    assert(next[count] == n);
    size_t *next_unknown = next + count + 1;
    memcpy(next_unknown, next, (count + 1) * sizeof *next);
    for (size_t i = 0; i < n; i++)
        equations[next[a->component_of[i]]++] = (int32_t)i;
    for (size_t j = 0; j < n; j++)
        unknowns[next_unknown[a->component_of[row_of[j]]]++] = (int32_t)j;
    return DAE_OK;
}

/* One component: evaluating a part of a problem takes its pattern. */
static bool is_whole(const analysis *a)
{
    const dae_problem *p = a->problem;
    return !p->pattern || !p->pattern->column_start || !p->jacobian;
}

static dae_status divide(analysis *a, bool keep_whole)
{
    const size_t n = a->problem->unknown_count;
    const arena_position mark = arena_mark(&a->memory);
    int32_t *parent = ARENA_ARRAY(&a->memory, int32_t, n);
    if (!parent) return DAE_MEMORY;
    for (size_t i = 0; i < n; i++) parent[i] = keep_whole ? 0 : (int32_t)i;
    if (!keep_whole) join_all(a, parent);
    const size_t count = number(parent, n, a->component_of);
    arena_release(&a->memory, mark);
    return list_members(a, count);
}

void components_clear(analysis *a)
{
    for (size_t k = 0; k < a->component_count; k++)
        array_findings_clear(&a->components[k].array, a->allocator);
}

/* ---- what structure says of them --------------------------------------------------- */

/* Sums of what all pairs of the structure say. */
static void add_up(analysis *a, const dae_structure *s)
{
    assert(s->n == a->problem->unknown_count);
    for (size_t k = 0; k < s->n; k++) {
        const int32_t row = a->structure->matching.row_of[k];
        a->components[a->component_of[k]].freedom -= s->c[k];
        a->components[a->component_of[row]].freedom += s->d[k];
    }
}

void components_take_blocks(analysis *a)
{
    const dae_structure *s = best_structure(a);
    const dae_certificate *of = a->repair.structure ? a->repair.certificates
                                                    : a->certificates;
    components_clear(a);
    for (size_t k = 0; k < a->component_count; k++)
        a->components[k].blocks = DAE_CERTIFIED;
    for (size_t f = 0; f < s->fine_count; f++) {
        const size_t row = (size_t)s->row_at[s->fine[f].begin];
        component *c = &a->components[a->component_of[row]];
        if (of[f] > c->blocks) c->blocks = of[f];
    }
}

dae_status components_find(analysis *a)
{
    const dae_structure *s = best_structure(a);
    const size_t n = a->problem->unknown_count;
    a->component_of = ARENA_ARRAY(&a->memory, int32_t, n);
    if (!a->component_of) return DAE_MEMORY;
    const dae_status st = divide(a, is_whole(a));
    if (st) return st;
    add_up(a, s);
    components_take_blocks(a);
    for (size_t k = 0; k < a->component_count; k++) {
        component *c = &a->components[k];
        c->index = component_bound(a, c);
        c->is_trusted = a->repair.structure ? c->blocks == DAE_CERTIFIED
                                            : c->blocks != DAE_SINGULAR;
    }
    return DAE_OK;
}
