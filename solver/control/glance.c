/* Structure and one point: a matching says whether there is an index above 1
 * only where entries do not conspire, and a factorization of the whole only
 * whether it is singular. Fine blocks are small as a rule, and their ranks cost
 * less than reading the problem (docs/structure.md). */
#include "control/glance.h"

#include "index/blocks.h"

static bool is_flat(const dae_structure *s)
{
    if (!s->is_regular) return false;
    for (size_t i = 0; i < s->n; i++)
        if (s->c[i] > 0) return false;
    return true;
}

static dae_status look_at_blocks(const blocks_request *q, bool *is_plain)
{
    const size_t count = q->structure->fine_count;
    dae_certificate *of = alloc_zeroed(q->allocator, count, sizeof *of);
    const dae_status st = of ? blocks_certify(q, of, NULL) : DAE_MEMORY;
    *is_plain = true;
    for (size_t b = 0; b < count && !st; b++)
        if (of[b] == DAE_SINGULAR) *is_plain = false;
    alloc_free(q->allocator, of, count, sizeof *of);
    return st;
}

static dae_status look(blocks_request *q, bool *is_plain)
{
    const dae_structure_options options = {q->interrupt, q->interrupt_context};
    layout l;
    signature *g = NULL;
    dae_structure *s = NULL;
    dae_status st = layout_init(&l, q->problem, q->allocator);
    if (!st) st = signature_create(q->problem, &l, q->allocator, &g);
    if (!st) st = dae_structure_analyse(&g->table, &options, q->allocator, &s);
    if (!st) {
        q->layout = &l;
        q->signature = g;
        q->structure = s;
        *is_plain = is_flat(s);
        if (*is_plain) st = look_at_blocks(q, is_plain);
    }
    dae_structure_free(s);
    signature_free(g);
    layout_clear(&l);
    return st;
}

dae_status glance(const dae_problem *problem, const dae_options *options,
    const dae_allocator *allocator, bool *is_plain)
{
    blocks_request q = {.problem = problem,
        .allocator = allocator,
        .interrupt = options->interrupt,
        .interrupt_context = options->interrupt_context};
    *is_plain = true;
    if (!problem->jacobian || !problem->pattern) return DAE_OK;
    return look(&q, is_plain);
}
