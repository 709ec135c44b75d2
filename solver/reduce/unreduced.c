/* Multistep formulas applied to the equations themselves [HLR89], [BCP96 3.2]. */
#include "reduce/unreduced.h"
#include "base/report.h"
#include "graph/transpose.h"
#include <assert.h>
#include <string.h>

/* ---- depths ----------------------------------------------------------------------- */

/* Stage by stage, from the lowest derivatives up, and block by block: what an
 * equation of a stage contains beside its block's unknowns of that stage comes
 * from stages or blocks before. */

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
    assert(stage >= 0 && f->s->c[i] >= stage);
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

dae_status unreduced_depths(const extended *e, const dae_structure *s,
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

/* ---- the problem ------------------------------------------------------------------- */

enum { INDEX_MOST = 3 };

void unreduced_free(unreduced *s)
{
    if (!s) return;
    const dae_allocator *a = s->allocator;
    alloc_free(a, s->group, s->states, 1);
    alloc_free(a, s->unknown_group, s->unknowns, 1);
    alloc_free(a, s, 1, sizeof *s);
}

/* Of every state, and of every unknown that of its states that is deepest. */
static dae_status find_groups(unreduced *s, const reduction *r)
{
    const extended *e = r->extended;
    const layout *l = &r->layout;
    int32_t *depth = alloc_zeroed(s->allocator, e->columns, sizeof *depth);
    dae_status st = depth
        ? unreduced_depths(e, &r->structure, s->allocator, depth)
        : DAE_MEMORY;
    for (size_t j = 0; j < l->unknowns && !st; j++) {
        const bool is_internal = dae_group_is_internal(r->problem, j);
        for (size_t k = l->first[j]; k < l->first[j + 1]; k++) {
            const int32_t d = depth[e->column_first[j] + k - l->first[j]];
            const int32_t group = d + 1 < INDEX_MOST ? d + 1 : INDEX_MOST;
            s->group[k] = is_internal ? DAE_GROUP_INTERNAL : (uint8_t)group;
            if (s->group[k] > s->unknown_group[j])
                s->unknown_group[j] = s->group[k];
        }
    }
    alloc_free(s->allocator, depth, e->columns, sizeof *depth);
    return st;
}

static dae_status refuse(int64_t index, dae_diagnostics *ds)
{
    report(ds, DIAG_E0505, NULL, (text_span){0, 0},
        "`reduce` cannot be `never`: the index is %lld", (long long)index);
    report_help(ds,
        "equations of index %d at most can be integrated as they stand; the "
        "default, `auto`, reduces any index",
        INDEX_MOST);
    return DAE_ARGUMENT;
}

void unreduced_note(int64_t index, const char *help, dae_diagnostics *ds)
{
    report(ds, DIAG_N0510, NULL, (text_span){0, 0},
        "the equations are integrated as they stand, with index %lld",
        (long long)index);
    report_help(ds, "%s", help);
}

dae_status unreduced_create(const reduction *r, const dae_allocator *allocator,
    dae_diagnostics *ds, unreduced **out)
{
    assert(r->extended && !r->now);
    *out = NULL;
    if (r->analysis->index > INDEX_MOST) return refuse(r->analysis->index, ds);
    unreduced *s = alloc_zeroed(allocator, 1, sizeof *s);
    if (!s) return DAE_MEMORY;
    *s = (unreduced){.problem = *r->problem,
        .index = r->analysis->index,
        .allocator = allocator,
        .states = r->layout.states,
        .unknowns = r->layout.unknowns,
        .group = alloc_zeroed(allocator, r->layout.states, 1),
        .unknown_group = alloc_zeroed(allocator, r->layout.unknowns, 1)};
    dae_status st = s->group && s->unknown_group ? find_groups(s, r)
                                                 : DAE_MEMORY;
    if (st) {
        unreduced_free(s);
        return st;
    }
    s->problem.index_group = s->unknown_group;
    unreduced_note(s->index,
        "hidden constraints hold to the order of the formula only; what "
        "follows from them is not tested for error, and is off in the first "
        "steps and after each change of the step",
        ds);
    *out = s;
    return DAE_OK;
}

void unreduced_attach(const unreduced *s, stepper *to)
{
    assert(to->layout->states == s->states);
    memcpy(to->weights->group, s->group, s->states);
    newton_follow_alpha(to->newton);
    to->selector.is_steady = true;
}
