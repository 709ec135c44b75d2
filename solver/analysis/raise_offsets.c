/* If the block of equation i is raised by r, the inequality d_j - c_i >= order
 * still holds if the block of unknown j is raised by r less the slack.
 * Equations contain unknowns of their own or of earlier blocks only, so one
 * pass from the last block to the first is enough. */
#include "analysis/raise_offsets.h"
#include <assert.h>
#include <string.h>

typedef struct raising {
    const dae_structure *s;
    int64_t *by;       /* coarse blocks: how far each is raised */
    int32_t *block_of; /* rows: their coarse block */
} raising;

/* The raise that the block's own unknowns require. */
static int64_t own_need(const raising *f, const layout *l, const dae_block *b)
{
    int64_t most = 0;
    for (int32_t k = b->begin; k < b->end; k++) {
        const size_t j = (size_t)f->s->column_at[k];
        const int64_t more = (int64_t)l->order[j] - f->s->d[j];
        if (more > most) most = more;
    }
    return most;
}

/* All equations that hold an unknown of block `at` are of this block or of later
 * ones, which are settled. */
static int64_t later_need(const raising *f, const dae_signature *g, size_t at)
{
    const dae_structure *s = f->s;
    const dae_block *b = &s->coarse[at];
    int64_t most = 0;
    for (int32_t k = b->begin; k < b->end; k++) {
        const int32_t j = s->column_at[k];
        for (int64_t p = g->column_start[j]; p < g->column_start[j + 1]; p++) {
            const int32_t i = g->row[p], from = f->block_of[i];
            if ((size_t)from == at) continue;
            const int64_t spare = s->d[j] - s->c[i] - g->order[p];
            if (f->by[from] - spare > most) most = f->by[from] - spare;
        }
    }
    return most;
}

static bool settle(raising *f, const dae_signature *g, const layout *l)
{
    const dae_structure *s = f->s;
    bool is_any = false;
    for (size_t b = 0; b < s->coarse_count; b++)
        for (int32_t k = s->coarse[b].begin; k < s->coarse[b].end; k++)
            f->block_of[s->row_at[k]] = (int32_t)b;
    for (size_t b = s->coarse_count; b-- > 0;) {
        const int64_t own = own_need(f, l, &s->coarse[b]);
        const int64_t later = is_any ? later_need(f, g, b) : 0;
        f->by[b] = own > later ? own : later;
        is_any = is_any || f->by[b] > 0;
    }
    return is_any;
}

static bool is_allowed(const raising *f, const uint8_t *smoothness)
{
    const dae_structure *s = f->s;
    for (size_t i = 0; smoothness && i < s->n; i++) {
        const int64_t by = f->by[f->block_of[i]];
        if (by > 0 && s->c[i] + by > smoothness[i]) return false;
    }
    return true;
}

static void raise_all(const raising *f, int64_t *c, int64_t *d)
{
    const dae_structure *s = f->s;
    for (size_t k = 0; k < s->n; k++) {
        const int64_t by = f->by[f->block_of[s->row_at[k]]];
        c[s->row_at[k]] += by;
        d[s->column_at[k]] += by;
    }
}

dae_status raise_offsets(const dae_structure *s, const dae_signature *g,
    const layout *l, const uint8_t *smoothness, const dae_allocator *allocator,
    int64_t *c, int64_t *d, bool *is_raised)
{
    raising f = {.s = s,
        .by = alloc_zeroed(allocator, s->coarse_count + 1, sizeof *f.by),
        .block_of = alloc_zeroed(allocator, s->n + 1, sizeof *f.block_of)};
    const bool has_room = f.by && f.block_of;
    assert(s->is_regular);
    memcpy(c, s->c, s->n * sizeof *c);
    memcpy(d, s->d, s->n * sizeof *d);
    *is_raised = has_room && settle(&f, g, l) && is_allowed(&f, smoothness);
    if (*is_raised) raise_all(&f, c, d);
    alloc_free(allocator, f.by, s->coarse_count + 1, sizeof *f.by);
    alloc_free(allocator, f.block_of, s->n + 1, sizeof *f.block_of);
    return has_room ? DAE_OK : DAE_MEMORY;
}
