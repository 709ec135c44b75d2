/* An entry of order o matters to offsets c, d that hold without it where
 * d_j - c_i < o: it breaks the inequality that proves them. Else they are those with
 * it, too, and nobody has to be told. */
#include "analysis/zeros.h"

#include "linalg/listing.h"
#include "linalg/naming.h"

static bool matters(const analysis *a, size_t k)
{
    const dae_structure *s = a->structure;
    const signature *g = a->signature;
    const size_t i = (size_t)g->zero_row[k], j = (size_t)g->zero_column[k];
    if (!is_visible(a->problem, i) || !is_visible(a->problem, j)) return false;
    return !s->is_regular || s->d[j] - s->c[i] < g->zero_order[k];
}

static dae_status arrange(analysis *a, dae_zero *zeros, size_t count)
{
    listing l;
    const arena_position mark = arena_mark(&a->memory);
    const dae_status st = listing_init(&l, &a->memory, count, sizeof *zeros);
    for (size_t k = 0; !st && k < count; k++)
        l.items[k] = (listed){.position = naming_position(a->problem,
                                  DAE_NAME_EQUATION, (size_t)zeros[k].equation),
            .order = naming_position(
                a->problem, DAE_NAME_UNKNOWN, (size_t)zeros[k].slot.unknown)};
    if (!st) listing_arrange(&l, zeros, count, sizeof *zeros);
    arena_release(&a->memory, mark);
    return st;
}

dae_status zeros_list(analysis *a)
{
    const signature *g = a->signature;
    size_t count = 0;
    for (size_t k = 0; k < g->zero_count; k++) count += matters(a, k);
    if (count == 0) return DAE_OK;
    dae_zero *zeros = ARENA_ARRAY(&a->memory, dae_zero, count);
    if (!zeros) return DAE_MEMORY;
    count = 0;
    for (size_t k = 0; k < g->zero_count; k++)
        if (matters(a, k))
            zeros[count++] = (dae_zero){.equation = g->zero_row[k],
                .slot = {g->zero_column[k], g->zero_order[k]},
                .varies = g->zero_varies[k]};
    a->found.zeros = zeros;
    a->found.zero_count = count;
    return a->problem->position ? arrange(a, zeros, count) : DAE_OK;
}
