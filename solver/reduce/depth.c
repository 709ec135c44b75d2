/* Stage by stage, from the lowest derivatives up, and block by block: what an
 * equation of a stage contains beside its block's unknowns of that stage comes
 * from stages or blocks before. */
#include "reduce/depth.h"
#include "base/arena.h"
#include "graph/transpose.h"
#include <string.h>

typedef struct search {
    const extended *e;
    const dae_structure *s;
    const transposed *rows;
    const int32_t *block_of; /* unknowns */
    int32_t *depth;
} search;

static int64_t stage_of(const search *f, int32_t column)
{
    const size_t j = (size_t)f->e->column_unknown[column];
    return f->s->d[j] - (int64_t)((size_t)column - f->e->column_first[j]);
}

/* The depth that equation i gives what it determines at a stage. */
static int32_t row_depth(
    const search *f, int32_t block, size_t i, int64_t stage)
{
    const int64_t k = f->s->c[i] - stage;
    const size_t row = f->e->row_first[i] + (size_t)k;
    int32_t most = (int32_t)k;
    for (int64_t p = f->rows->start[row]; p < f->rows->start[row + 1]; p++) {
        const int32_t column = f->rows->index[p];
        const int32_t j = f->e->column_unknown[column];
        const bool is_sought = f->block_of[j] == block
            && stage_of(f, column) <= stage;
        if (!is_sought && f->depth[column] > most) most = f->depth[column];
    }
    return most;
}

static void find_block(const search *f, int32_t block, int64_t stage)
{
    const dae_structure *s = f->s;
    const size_t begin = (size_t)s->fine[block].begin;
    const size_t end = (size_t)s->fine[block].end;
    int32_t most = 0;
    for (size_t k = begin; k < end; k++) {
        const size_t i = (size_t)s->row_at[k];
        const int32_t own = s->c[i] >= stage ? row_depth(f, block, i, stage)
                                             : 0;
        if (own > most) most = own;
    }
    for (size_t k = begin; k < end; k++) {
        const size_t j = (size_t)s->column_at[k];
        if (s->d[j] < stage) continue;
        f->depth[f->e->column_first[j] + (size_t)(s->d[j] - stage)] = most;
    }
}

dae_status depth_find(const extended *e, const dae_structure *s,
    const dae_allocator *allocator, int32_t *depth)
{
    arena memory;
    transposed rows;
    int64_t highest = 0;
    arena_init(&memory, allocator, 0);
    const dae_pattern *p = e->problem.pattern;
    int32_t *block_of = ARENA_ARRAY(&memory, int32_t, s->n);
    const dae_status st = block_of ? transpose_pattern(e->rows, e->columns,
                              p->column_start, p->row, allocator, &rows)
                                   : DAE_MEMORY;
    if (!st) {
        for (size_t b = 0; b < s->fine_count; b++)
            for (size_t k = (size_t)s->fine[b].begin;
                 k < (size_t)s->fine[b].end; k++)
                block_of[s->column_at[k]] = (int32_t)b;
        for (size_t j = 0; j < s->n; j++)
            if (s->d[j] > highest) highest = s->d[j];
        memset(depth, 0, e->columns * sizeof *depth);
        const search f = {e, s, &rows, block_of, depth};
        for (int64_t stage = highest; stage >= 0; stage--)
            for (size_t b = 0; b < s->fine_count; b++)
                find_block(&f, (int32_t)b, stage);
        transpose_clear(&rows);
    }
    arena_clear(&memory);
    return st;
}
